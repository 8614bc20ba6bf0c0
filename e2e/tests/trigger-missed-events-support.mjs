import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { startN8n } from '../harness/n8n.mjs';
import { installPackage } from '../harness/package.mjs';
import { PACKED_VARIABLE } from '../harness/paths.mjs';
import { HANDLER, startAgain, TRIGGER, triggerOf } from './trigger-support.mjs';

/**
 * Adds a trigger to a workflow, with its own collector.
 *
 * @param {any} workflow of `eventWorkflow`
 * @param {{ name: string, collector: { url: string }, parameters?: object }} trigger
 */
export function addTrigger(workflow, { name, collector, parameters = {} }) {
	const handler = `${HANDLER} of ${name}`;
	const { nodes, connections } = workflow;
	const first = triggerOf(workflow);
	const firstHandler = nodes.find((node) => node.name === HANDLER);
	nodes.push(
		{
			...first,
			id: randomUUID(),
			webhookId: randomUUID(),
			name,
			position: [0, 400],
			parameters: { ...first.parameters, ...parameters },
		},
		{
			...firstHandler,
			id: randomUUID(),
			name: handler,
			position: [440, 400],
			parameters: { ...firstHandler.parameters, url: collector.url },
		},
	);
	connections[name] = { main: [[{ node: handler, type: 'main', index: 0 }]] };
}

/**
 * A second n8n with the package, for workflows exported from the first.
 *
 * @param {Pick<import('../harness/stage.mjs').Stage, 'folder' | 'n8n' | 'sandbox'>} stage
 */
export async function startAnotherN8n({ folder, n8n: { installation }, sandbox }) {
	const userFolder = path.join(folder, 'another');
	const packed = JSON.parse(process.env[PACKED_VARIABLE] ?? 'null') ?? undefined;
	await installPackage(userFolder, packed);
	const logFile = path.join(folder, 'logs/another.log');
	const n8n = await startN8n({ installation, userFolder, logFile });
	const credential = await n8n.createCredential(sandbox.credential());
	return { n8n, sandbox, credential, folder };
}

/**
 * A workflow exported by n8n's command line, for `n8n import:workflow`.
 *
 * @param {Pick<import('../harness/stage.mjs').Stage, 'folder' | 'n8n'>} stage
 * @param {string} id
 */
export async function exportWorkflow({ n8n, folder }, id) {
	const file = path.join(folder, 'export.json');
	await n8n.command('export:workflow', `--id=${id}`, `--output=${file}`);
	return JSON.parse(readFileSync(file, 'utf8'));
}

/**
 * Imports a workflow that another n8n has exported, with its static data.
 *
 * @param {Pick<import('../harness/stage.mjs').Stage, 'folder' | 'n8n'>} stage
 * @param {any} workflow
 */
export async function importWorkflow({ n8n, folder }, workflow) {
	const file = path.join(folder, 'import.json');
	// Its owner and published version are known only to that n8n.
	const { shared, activeVersion, activeVersionId, ...own } = workflow;
	writeFileSync(file, JSON.stringify([{ ...own, active: false }]));
	await n8n.command('import:workflow', `--input=${file}`);
}

/** Stops n8n, does something, and starts n8n again. */
export async function whileStopped(stage, work, settings) {
	await stage.n8n.stop();
	const result = await work();
	await startAgain(stage, settings);
	return result;
}

/**
 * The message that n8n shows if it can't publish a workflow.
 *
 * @param {import('../harness/n8n.mjs').N8n} n8n
 * @param {string} id
 */
export async function rejectionOf(n8n, id) {
	const rejection = await n8n.activate(id).then(
		() => undefined,
		(error) => error,
	);
	if (!rejection) throw new Error('n8n published the workflow');
	// n8n 1 has it in its response, which the editor shows; n8n 2 only in the log and in the publication's status.
	const publication = await n8n.publicationStatus(id);
	return publication
		? publication.triggers.find(({ errorMessage }) => errorMessage).errorMessage
		: JSON.parse(rejection.answer).message;
}

/**
 * The trigger's error in a failed execution.
 *
 * @param {import('../harness/n8n.mjs').N8n} n8n
 * @param {{ id: string }} execution
 */
export async function complaintOf(n8n, { id }) {
	const { message, description } = (await n8n.getExecution(id)).nodeError(TRIGGER);
	return `${message} ${description ?? ''}`;
}

/**
 * Runs "Execute step" of a node in a workflow with a Manual Trigger.
 *
 * @param {import('../harness/n8n.mjs').N8n} n8n
 * @param {string} id
 * @param {string} node
 */
export async function executeStep(n8n, id, node) {
	const workflowData = await n8n.rest('GET', `/workflows/${id}`);
	const { name } = workflowData.nodes.find(({ type }) => type.endsWith('.manualTrigger'));
	const { executionId } = await n8n.rest('POST', `/workflows/${id}/run`, {
		workflowData,
		triggerToStartFrom: { name },
		destinationNode: { nodeName: node, mode: 'inclusive' },
	});
	return await n8n.waitForExecution(executionId);
}
