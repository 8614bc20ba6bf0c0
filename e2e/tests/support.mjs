import { after, before } from 'node:test';
import { appendFileSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import { claimFolder } from '../harness/folders.mjs';
import { ensureN8n } from '../harness/install.mjs';
import { ADDRESS_VARIABLE, E2E_DIR, FIGURES_VARIABLE, PACKED_VARIABLE } from '../harness/paths.mjs';
import { stopAll } from '../harness/processes.mjs';
import { startStage } from '../harness/stage.mjs';
import { formatTable } from '../harness/table.mjs';
import { chosenVersion, N8N_VERSIONS } from '../harness/versions.mjs';
import { inForm } from '../../test/fixtures/form.cjs';

/** @typedef {import('../harness/stage.mjs').Stage} Stage */

export const NODE_TYPE = 'n8n-nodes-partner-payments.partnerPayments';
export const CREDENTIAL_TYPE = 'partnerPaymentsApi';

/**
 * n8n answers everything with 503 if its database hasn't answered a ping in time. Its 5 s pass if a busy machine lets n8n
 * stand still.
 */
const PATIENT = { DB_PING_TIMEOUT_MS: '60000' };

/**
 * What the stage of any test file starts with.
 *
 * @param {string} name of the folder for logs and data
 * @param {Record<string, string>} [env] for n8n
 */
export async function stageSettings(name, env) {
	const { [ADDRESS_VARIABLE]: address } = process.env;
	return {
		folder: claimFolder(path.join(E2E_DIR, 'results'), name),
		address,
		installation: address ? /** @type {any} */ (undefined) : await ensureN8n(),
		// A test file that runs alone packs the last build.
		packed: JSON.parse(process.env[PACKED_VARIABLE] ?? 'null') ?? undefined,
		env: { ...PATIENT, ...env },
	};
}

/**
 * An n8n with the package, a sandbox and a credential for all tests of a file.
 *
 * @param {string} name of the folder for logs and data
 * @param {Partial<Parameters<typeof startStage>[0]>} [options]
 * @returns {Stage} filled in before the first test
 */
export function useStage(name, { env, ...options } = {}) {
	const stage = /** @type {Stage} */ ({});
	before(
		async () => {
			const settings = await stageSettings(resultsName(name), env);
			Object.assign(stage, await startStage({ ...settings, ...options }));
		},
		{ timeout: 900_000 },
	);
	after(async () => {
		await stopAll();
		// A copy of the editor, 50 MB that the results don't need.
		if (stage.folder)
			rmSync(path.join(stage.folder, 'n8n/.cache'), { recursive: true, force: true });
	});
	return stage;
}

/**
 * The results folder; a run on another n8n version has its own.
 *
 * @param {string} name
 * @param {string} [version]
 */
export function resultsName(name, version = chosenVersion()) {
	return version === N8N_VERSIONS[0] ? name : `${name}-n8n-${version}`;
}

/**
 * Prints figures after the results of all tests.
 *
 * @param {string} figures
 */
export function printLast(figures) {
	const file = process.env[FIGURES_VARIABLE];
	if (file) appendFileSync(file, `\n${figures}\n`);
	// A test file that runs alone.
	else writeSync(process.stdout.fd, `\n${figures}\n`);
}

/**
 * A table of figures that is printed last. Push rows to the returned array.
 *
 * @param {string} title
 * @param {Parameters<typeof formatTable>[0]} columns
 */
export function figuresTable(title, columns) {
	/** @type {any[]} */
	const rows = [];
	process.once('exit', () => {
		if (rows.length) printLast(`${title}\n\n${formatTable(columns, rows)}`);
	});
	return rows;
}

/** Columns for rows with a name and a figure. */
export const NAMED_FIGURES = [
	{ title: 'what', width: 60, value: ([what]) => what },
	{ title: 'figure', width: 90, value: ([, figure]) => figure },
];

const TRIGGER = 'Start';

/** The name of the tested node in these workflows. */
export const NODE = 'Node';

/**
 * A node without the properties that its workflow adds.
 *
 * @typedef {Omit<import('../harness/n8n.mjs').WorkflowNode, 'id' | 'name' | 'position'>} Node
 */

/**
 * A workflow of a manual trigger, which emits the items, and one node.
 *
 * @param {Node} node
 * @param {{ items?: object[], name?: string }} [options]
 */
export function workflowOf(node, { items = [{ json: {} }], name = 'Test' } = {}) {
	return {
		name,
		nodes: [
			{
				id: 'start',
				name: TRIGGER,
				type: 'n8n-nodes-base.manualTrigger',
				typeVersion: 1,
				position: [0, 0],
				parameters: {},
			},
			{ id: 'node', name: NODE, position: [220, 0], ...node },
		],
		connections: { [TRIGGER]: { main: [[{ node: NODE, type: 'main', index: 0 }]] } },
		pinData: { [TRIGGER]: items },
	};
}

/**
 * The Partner Payments node, with the stage's credential.
 *
 * @param {Pick<Stage, 'credential'>} stage
 * @param {Record<string, any>} parameters
 * @param {Record<string, any>} [settings] of the node, such as `retryOnFail`
 */
export function partnerPayments({ credential }, parameters, settings = {}) {
	return {
		type: NODE_TYPE,
		typeVersion: 1,
		parameters: inForm(parameters),
		credentials: { [CREDENTIAL_TYPE]: { id: credential.id, name: credential.name } },
		...settings,
	};
}

/**
 * Run one node in n8n and wait for its end.
 *
 * @param {Pick<Stage, 'n8n'>} stage
 * @param {Node} node
 * @param {Parameters<typeof workflowOf>[1]} [options]
 */
export async function runNode({ n8n }, node, options) {
	const { id } = await n8n.createWorkflow(workflowOf(node, options));
	return await n8n.runWorkflow(id);
}
