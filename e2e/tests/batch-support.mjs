import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setOptions } from '../../test/fixtures/form.cjs';
import { BANK_PATH, bankRow } from '../../test/fixtures/rows.cjs';
import { NODE, partnerPayments } from './support.mjs';
import { edit, until } from './trigger-support.mjs';

export {
	BANK_PATH,
	bankRow,
	bankRows,
	referenceOf,
	references,
} from '../../test/fixtures/rows.cjs';

export const START = 'Start';

/** The node that calls a sub-workflow. */
export const CALL = 'Call';

/** Faults that the sandbox can inject into a payment. */
export const REJECTED = { type: 'status', status: 422 };
export const LOST = { type: 'reset', when: 'after' };
export const NEVER_ANSWERED = { type: 'hang', when: 'after' };
export const FAILED_AFTER = { type: 'status', status: 500, when: 'after' };

export const RETRY_ON_FAIL = { retryOnFail: true, maxTries: 3, waitBetweenTries: 10 };
export const IN_ORDER = { concurrency: 1 };

/**
 * The most rows that a killed process may leave unconfirmed: recorded as sent, but perhaps not sent. With automatic
 * concurrency (docs/reliability.md).
 */
export const MAX_UNCONFIRMED = 180;

/** Rows without a reference, which the node generates. The payees are numbered from `first`. */
export const rowsWithoutReference = (count, first = 0) =>
	Array.from({ length: count }, (_, number) => {
		const { external_reference, ...row } = bankRow(first + number);
		return row;
	});

/**
 * The settings of a payment node. Other properties are node settings, such as `retryOnFail`.
 *
 * @typedef {{ name?: string, options?: object, parameters?: object, [setting: string]: any }} Settings
 */

/**
 * A node that pays each row by bank transfer, mapped automatically.
 *
 * @param {Pick<import('../harness/stage.mjs').Stage, 'credential'>} stage
 * @param {Settings} [settings]
 */
export function payRows(stage, { name = NODE, options = {}, parameters = {}, ...settings } = {}) {
	return {
		name,
		...partnerPayments(
			stage,
			{
				resource: 'payout',
				operation: 'createBank',
				mappingMode: 'autoMapInputData',
				referenceSource: 'given',
				...parameters,
				options,
			},
			settings,
		),
	};
}

/**
 * The parameters for generated references.
 *
 * @param {string} batchId
 * @param {string} [keyColumns]
 */
export const generated = (batchId, keyColumns = '') => ({
	referenceSource: 'generated',
	batchId,
	keyColumns,
});

/**
 * A node without the properties that its workflow adds.
 *
 * @typedef {Omit<import('../harness/n8n.mjs').WorkflowNode, 'id' | 'position'>} ChainNode
 */

const MANUAL_TRIGGER = {
	name: START,
	type: 'n8n-nodes-base.manualTrigger',
	typeVersion: 1,
	parameters: {},
};

/**
 * A workflow of a trigger and a chain of nodes. A manual trigger emits the rows.
 *
 * @param {ChainNode[]} nodes
 * @param {{ rows?: object[], settings?: object, trigger?: Omit<ChainNode, 'name'> }} [options]
 */
export function chainOf(nodes, { rows = [{}], settings = {}, trigger = MANUAL_TRIGGER } = {}) {
	const chain = [{ ...trigger, name: START }, ...nodes];
	return {
		name: 'Batch',
		nodes: chain.map((node, index) => ({
			id: `node-${index}`,
			position: [220 * index, 0],
			...node,
		})),
		connections: Object.fromEntries(
			chain.slice(0, -1).map(({ name }, index) => [name, connectionTo(chain[index + 1].name)]),
		),
		...(trigger === MANUAL_TRIGGER && {
			pinData: { [START]: rows.map((json) => ({ json })) },
		}),
		settings: { executionOrder: 'v1', ...settings },
	};
}

/**
 * A workflow that other workflows call with rows.
 *
 * @param {ChainNode} node
 */
export function subWorkflowOf(node) {
	return chainOf([node], {
		trigger: {
			type: 'n8n-nodes-base.executeWorkflowTrigger',
			typeVersion: 1.1,
			parameters: { inputSource: 'passthrough' },
		},
	});
}

/**
 * The node that calls a sub-workflow once for all its items.
 *
 * @param {string} workflowId
 * @param {Settings} [settings]
 */
export function callOf(workflowId, settings = {}) {
	return {
		name: CALL,
		type: 'n8n-nodes-base.executeWorkflow',
		typeVersion: 1.2,
		parameters: { workflowId: { __rl: true, mode: 'id', value: workflowId }, options: {} },
		...settings,
	};
}

/** The connections of a node whose outputs each lead to one node. */
export function connectionTo(...names) {
	return { main: names.map((node) => (node ? [{ node, type: 'main', index: 0 }] : [])) };
}

/**
 * The nodes that read a CSV file, as in the payroll example.
 *
 * @param {string} file
 */
export function csvNodes(file) {
	return [
		{
			name: 'Read File',
			type: 'n8n-nodes-base.readWriteFile',
			typeVersion: 1.1,
			parameters: { operation: 'read', fileSelector: file, options: {} },
		},
		{
			name: 'Get Rows',
			type: 'n8n-nodes-base.extractFromFile',
			typeVersion: 1.1,
			parameters: {
				operation: 'csv',
				binaryPropertyName: 'data',
				options: { enableBOM: true, includeEmptyCells: true },
			},
		},
	];
}

/**
 * Writes a file into the folder that n8n may read, and returns its path.
 *
 * @param {Pick<import('../harness/stage.mjs').Stage, 'filesFolder'>} stage
 * @param {string} name
 * @param {Array<Record<string, any>>} rows
 * @returns {string}
 */
export function writeCsv({ filesFolder }, name, rows) {
	const headers = [...new Set(rows.flatMap((row) => Object.keys(row)))];
	const cell = (value) => {
		const text = typeof value === 'object' ? JSON.stringify(value) : String(value ?? '');
		return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
	};
	const lines = [headers, ...rows.map((row) => headers.map((header) => row[header]))];
	const file = path.join(filesFolder, name);
	writeFileSync(file, `${lines.map((line) => line.map(cell).join(',')).join('\n')}\n`);
	return file;
}

/**
 * The node's report of each row, from its outputs or from the error that stopped it, in the order of the rows.
 *
 * @param {import('../harness/n8n.mjs').Execution} execution
 * @param {{ node?: string, run?: number }} [options]
 * @returns {any[]}
 */
export function reported(execution, { node = NODE, run = -1 } = {}) {
	const error = execution.nodeError(node, { run });
	if (error) return error.context?.rows ?? [];
	return [0, 1]
		.flatMap((output) => execution.items(node, { output, run }))
		.map(({ json, pairedItem }) => ({
			...(typeof json.error === 'object' ? json.error : json),
			item: (Array.isArray(pairedItem) ? pairedItem[0] : pairedItem).item,
		}))
		.sort((a, b) => a.item - b.item);
}

/**
 * @param {import('../harness/n8n.mjs').Execution} execution
 * @param {Parameters<typeof reported>[1]} [options]
 */
export const outcomes = (execution, options) =>
	reported(execution, options).map(({ outcome }) => outcome);

/**
 * The same outcome for a number of rows.
 *
 * @param {number} count
 * @param {string} [outcome]
 */
export const all = (count, outcome = 'created') => Array.from({ length: count }, () => outcome);

/**
 * Every row that the service created is reported as created, with its transaction, or as unknown or already sent; no
 * other row is reported as created or already sent, and none was created twice.
 *
 * @param {any[]} rows
 * @param {{ created: string[], ids: Map<string, string>, duplicates: number }} found
 */
export function assertAccounted(rows, { created, ids, duplicates }) {
	assert.equal(duplicates, 0);
	assert.equal(new Set(created).size, created.length);
	const known = new Map(rows.map((row) => [row.reference, row]));
	for (const reference of created) {
		const { outcome, transactionId } = known.get(reference) ?? {};
		assert.ok(
			['created', 'unknown', 'alreadySent'].includes(outcome),
			`${reference} is reported as ${outcome}`,
		);
		if (outcome === 'created') assert.equal(transactionId, ids.get(reference));
	}
	for (const { reference, outcome } of rows) {
		const isSent = ['created', 'alreadySent'].includes(outcome);
		assert.ok(!isSent || ids.has(reference), `${reference} is ${outcome}, and was not created`);
	}
}

/**
 * Changes options of a stored payment node, which keeps its idempotency store.
 *
 * @param {Pick<import('../harness/stage.mjs').Stage, 'n8n'>} stage
 * @param {string} workflowId
 * @param {object} changes
 * @param {{ node?: string }} [options]
 */
export async function changeOptions({ n8n }, workflowId, changes, { node = NODE } = {}) {
	return await edit(n8n, workflowId, ({ nodes }) => {
		const { parameters } = nodes.find(({ name }) => name === node);
		setOptions(parameters, changes);
	});
}

/**
 * The newest execution of a workflow, with its data.
 *
 * @param {Pick<import('../harness/stage.mjs').Stage, 'n8n'>} stage
 * @param {string} workflowId
 */
export async function lastExecution({ n8n }, workflowId) {
	const [{ id }] = await n8n.listExecutions(workflowId);
	return await n8n.getExecution(id);
}

/**
 * Waits until that many payments were created since the sandbox was reset.
 *
 * @param {Pick<import('../harness/stage.mjs').Stage, 'sandbox'>} stage
 * @param {number} count
 */
export const untilCreated = ({ sandbox }, count) =>
	until(
		async () => (await sandbox.counters()).transactionsCreated >= count,
		`${count} rows are paid`,
		{ timeoutMs: 300_000 },
	);
/** @param {Pick<import('../harness/stage.mjs').Stage, 'sandbox'>} stage */
export const untilQuiet = ({ sandbox }) =>
	until(async () => (await sandbox.counters()).inFlight === 0, 'no request is in flight');

/**
 * Delays every payment, as if the service were far away.
 *
 * @param {Pick<import('../harness/stage.mjs').Stage, 'sandbox'>} stage
 * @param {number} ms
 */
export const slowDown = (stage, ms) =>
	injectFault(stage, '', { type: 'latency', ms }, { times: 'always' });

/**
 * Does what an operator does with an interrupted batch, at a service that accepts duplicates: runs the
 * same rows again, and pays exactly those again that the service doesn't have. Each row must be paid once.
 *
 * @param {Pick<import('../harness/stage.mjs').Stage, 'n8n' | 'sandbox'>} stage
 * @param {object} batch
 * @param {string} batch.workflowId of the workflow that holds the node
 * @param {number} batch.count rows
 * @param {() => Promise<any>} batch.again runs it, and gives the execution of that workflow
 * @param {string} [batch.description] of its payments, where others are paid too
 * @returns {Promise<{ first: number, unconfirmed: number }>} rows that were paid at first, and unconfirmed rows
 */
export async function assertPaidOnceInAll(stage, { workflowId, count, again, description }) {
	const look = () => evidence(stage, { description });
	const before = await look();

	const execution = await again();
	const found = await look();
	const rows = reported(execution);
	const twice = found.created.length - new Set(found.created).size;
	assert.equal(twice, 0, `${twice} of ${count} rows were paid twice`);
	assert.equal(execution.status, 'success', execution.error?.message);
	assert.equal(rows.length, count, 'every row is reported');
	assert.equal(new Set(rows.map(({ reference }) => reference)).size, count);
	assertAccounted(rows, found);
	// A row is unknown if n8n was killed while it was recorded.
	const outcomeOf = new Map(rows.map(({ reference, outcome }) => [reference, outcome]));
	for (const { outcome } of rows) {
		assert.ok(['created', 'alreadySent', 'unknown'].includes(outcome), outcome);
	}
	const unconfirmed = rows.filter(
		({ outcome, reference }) => outcome !== 'created' && !found.ids.has(reference),
	);
	const figures = { first: before.created.length, unconfirmed: unconfirmed.length };
	assert.ok(unconfirmed.length <= MAX_UNCONFIRMED, `${unconfirmed.length} rows are unconfirmed`);
	assert.equal(found.created.length, count - unconfirmed.length, 'every confirmed row is paid');
	if (unconfirmed.length === 0) return figures;

	const list = unconfirmed.map(({ reference }) => reference);
	await changeOptions(stage, workflowId, {
		ifAlreadySent: 'payAgain',
		referencesToPayAgain: list.join('\n'),
	});
	const secondRun = await again();
	assert.equal(secondRun.status, 'success', secondRun.error?.message);
	const last = await look();
	assert.deepEqual(last.posted.slice(found.posted.length).sort(), [...list].sort());
	assert.equal(last.created.length, count);
	assert.equal(new Set(last.created).size, count);
	const unconfirmedSet = new Set(list);
	for (const { reference, outcome } of reported(secondRun)) {
		const isUnknown = outcomeOf.get(reference) === 'unknown';
		const earlier = isUnknown ? 'unknown' : 'alreadySent';
		assert.equal(outcome, unconfirmedSet.has(reference) ? 'created' : earlier);
	}
	assertAccounted(reported(secondRun), last);
	return figures;
}

/** These figures as text. */
export const describeFigures = ({ first, unconfirmed }) =>
	`${first} paid in the first run, 0 twice, ${unconfirmed} unconfirmed`;

/**
 * The sandbox's view of the bank payouts it received, or of those with one description.
 *
 * @param {Pick<import('../harness/stage.mjs').Stage, 'sandbox'>} stage
 * @param {{ description?: string }} [only]
 */
export async function evidence({ sandbox }, { description } = {}) {
	const [everyTransaction, everyRequest, counters] = await Promise.all([
		sandbox.transactions(),
		sandbox.requests({ method: 'POST', path: BANK_PATH }),
		sandbox.counters(),
	]);
	const isWanted = (body) =>
		description === undefined || body?.transaction?.description === description;
	const transactions = everyTransaction.filter(({ request }) => isWanted(request));
	const requests = everyRequest.filter(({ body }) => isWanted(body));
	return {
		/** The references of all transactions. */
		created: transactions.map(({ reference }) => reference).sort(),
		/** The references of payments with a valid token, in the order of arrival. */
		posted: requests
			.filter(({ status }) => status !== 401)
			.map(({ body }) => body.external_reference),
		/** Transaction identifiers by reference. */
		ids: new Map(transactions.map(({ id, reference }) => [reference, id])),
		transactions,
		requests,
		duplicates: counters.duplicates,
		logins: counters.logins,
		maxInFlight: counters.maxInFlight,
	};
}

/** The figures of a test as text. */
export function figures(rows, { created, posted, duplicates, logins }, more = '') {
	return `rows ${rows}, sent ${posted.length}, created ${created.length}, duplicates ${duplicates}, logins ${logins}${more}`;
}

/**
 * Injects a fault into payments whose body contains a text, or into all, once by default.
 *
 * @param {Pick<import('../harness/stage.mjs').Stage, 'sandbox'>} stage
 * @param {string} text
 * @param {object} fault
 * @param {object} [rule]
 */
export async function injectFault({ sandbox }, text, fault, rule = {}) {
	await sandbox.addFault({
		match: { method: 'POST', path: BANK_PATH, ...(text && { bodyContains: text }) },
		fault,
		...rule,
	});
}
