/** The example workflows, prepared for an n8n that was started here. */
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { EXAMPLES_DIR } from './paths.mjs';

/** The folder in the examples: the one for files in n8n's Docker image. */
const USUAL_FILES_FOLDER = '/home/node/.n8n-files';

/** Names of the example workflows, without `.json`. */
export function exampleNames() {
	return readdirSync(EXAMPLES_DIR)
		.filter((file) => file.endsWith('.json'))
		.map((file) => path.basename(file, '.json'))
		.sort();
}

/**
 * An example workflow with the files folder and the credential that a user sets by hand.
 *
 * @param {string} name
 * @param {{ filesFolder: string, credential: { id: string, name: string, type: string } }} settings
 */
export function readExample(name, { filesFolder, credential }) {
	const text = readFileSync(path.join(EXAMPLES_DIR, `${name}.json`), 'utf8');
	// Escaped for JSON text.
	const folder = JSON.stringify(filesFolder).slice(1, -1);
	const workflow = JSON.parse(text.replaceAll(USUAL_FILES_FOLDER, folder));
	for (const node of workflow.nodes) {
		if (!node.credentials?.[credential.type]) continue;
		node.credentials[credential.type] = { id: credential.id, name: credential.name };
	}
	return workflow;
}

/**
 * The rows of an n8n Data Table, or none if there is no such table.
 *
 * @param {import('./n8n.mjs').N8n} n8n
 * @param {string} name
 */
export async function tableRows(n8n, name) {
	const route = await tableRoute(n8n, name);
	return route ? (await n8n.rest('GET', `${route}/rows?take=100`)).data : [];
}

/**
 * Adds rows to an n8n Data Table.
 *
 * @param {import('./n8n.mjs').N8n} n8n
 * @param {string} name
 * @param {object[]} data
 */
export async function addTableRows(n8n, name, data) {
	await n8n.rest('POST', `${await tableRoute(n8n, name)}/insert`, { data });
}

/**
 * Changes a row of an n8n Data Table.
 *
 * @param {import('./n8n.mjs').N8n} n8n
 * @param {string} name
 * @param {number} id
 * @param {object} data
 */
export async function changeTableRow(n8n, name, id, data) {
	await n8n.rest('PATCH', `${await tableRoute(n8n, name)}/rows`, {
		filter: { type: 'and', filters: [{ columnName: 'id', condition: 'eq', value: id }] },
		data,
	});
}

/**
 * Deletes an n8n Data Table, if there is one.
 *
 * @param {import('./n8n.mjs').N8n} n8n
 * @param {string} name
 */
export async function deleteTable(n8n, name) {
	const route = await tableRoute(n8n, name);
	if (route) await n8n.rest('DELETE', route);
}

/**
 * @param {import('./n8n.mjs').N8n} n8n
 * @param {string} name
 */
async function tableRoute(n8n, name) {
	const { data: tables } = await n8n.rest('GET', '/data-tables-global?take=100');
	const table = tables.find((entry) => entry.name === name);
	return table && `/projects/${table.projectId}/data-tables/${table.id}`;
}
