import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventKey } from '../harness/collector.mjs';
import { startN8n } from '../harness/n8n.mjs';
import { CREDENTIAL_TYPE, NODE_TYPE } from './support.mjs';

export const TRIGGER_TYPE = 'n8n-nodes-partner-payments.partnerPaymentsTrigger';
export const TRIGGER = 'On Event';
export const REPLAY = 'Replay';
export const HANDLER = 'Handle Event';

/**
 * Polls until the result is truthy, for conditions without an event.
 *
 * @template T
 * @param {() => T | Promise<T>} ask
 * @param {string} what
 * @param {{ timeoutMs?: number }} [options]
 * @returns {Promise<Exclude<T, false | 0 | '' | null | undefined>>}
 */
export async function until(ask, what, { timeoutMs = 120_000 } = {}) {
	const deadline = Date.now() + timeoutMs;
	for (;;) {
		const answer = await ask();
		if (answer) return /** @type {any} */ (answer);
		if (Date.now() > deadline) throw new Error(`Waited ${timeoutMs} ms in vain until ${what}`);
		await sleep(50);
	}
}

export const LONG_AGO = '2000-01-01T00:00:00.000Z';

/**
 * A workflow in which the trigger and a manual Replay Events feed one handler, which sends its items to the collector.
 *
 * @param {{ credential: import('../harness/n8n.mjs').Credential }} stage
 * @param {{ url: string }} collector
 * @param {object} [options]
 * @param {object} [options.trigger] parameters
 * @param {object} [options.replay] parameters; without them the workflow does not replay
 * @param {string} [options.name]
 */
export function eventWorkflow(
	stage,
	collector,
	{ trigger = {}, replay, name = 'React to events' } = {},
) {
	const credentials = {
		[CREDENTIAL_TYPE]: { id: stage.credential.id, name: stage.credential.name },
	};
	const toHandler = { main: [[{ node: HANDLER, type: 'main', index: 0 }]] };
	/** @type {import('../harness/n8n.mjs').WorkflowNode[]} */
	const nodes = [
		{
			id: randomUUID(),
			name: TRIGGER,
			type: TRIGGER_TYPE,
			typeVersion: 1.1,
			position: [0, 0],
			webhookId: randomUUID(),
			parameters: { events: ['completed_transaction'], ...trigger },
			credentials,
		},
		{
			id: randomUUID(),
			name: HANDLER,
			type: 'n8n-nodes-base.httpRequest',
			typeVersion: 4.2,
			position: [440, 0],
			parameters: {
				method: 'POST',
				url: collector.url,
				sendBody: true,
				specifyBody: 'json',
				jsonBody: '={{ JSON.stringify($json) }}',
			},
		},
	];
	/** @type {Record<string, object>} */
	const connections = { [TRIGGER]: toHandler };
	if (replay) {
		nodes.push(
			{
				id: randomUUID(),
				name: 'By Hand',
				type: 'n8n-nodes-base.manualTrigger',
				typeVersion: 1,
				position: [0, 200],
				parameters: {},
			},
			{
				id: randomUUID(),
				name: REPLAY,
				type: NODE_TYPE,
				typeVersion: 1,
				position: [220, 200],
				parameters: {
					resource: 'webhookLog',
					operation: 'replay',
					replayBy: 'period',
					from: LONG_AGO,
					...replay,
				},
				credentials,
			},
		);
		connections['By Hand'] = { main: [[{ node: REPLAY, type: 'main', index: 0 }]] };
		connections[REPLAY] = toHandler;
	}
	return { name, nodes, connections };
}

/**
 * Publishes the stored version of a workflow and waits until it is live.
 *
 * @param {import('../harness/n8n.mjs').N8n} n8n
 * @param {string} id
 */
export async function publish(n8n, id) {
	const { versionId } = await n8n.rest('GET', `/workflows/${id}`);
	await n8n.activate(id);
	await until(async () => {
		const publication = await n8n.publicationStatus(id);
		return (
			!publication || (publication.liveVersionId === versionId && !publication.pendingVersionId)
		);
	}, 'the version is live');
}

/**
 * Changes a stored workflow.
 *
 * @param {import('../harness/n8n.mjs').N8n} n8n
 * @param {string} id
 * @param {(workflow: any) => void} change
 */
export async function edit(n8n, id, change) {
	const { nodes, connections } = await n8n.rest('GET', `/workflows/${id}`);
	const workflow = { nodes, connections };
	change(workflow);
	return await n8n.updateWorkflow(id, workflow);
}

export const triggerOf = ({ nodes }) => nodes.find(({ type }) => type === TRIGGER_TYPE);

/**
 * Unpublishes a workflow and waits until it is offline.
 *
 * @param {import('../harness/n8n.mjs').N8n} n8n
 * @param {string} id
 */
export async function unpublish(n8n, id) {
	await n8n.deactivate(id);
	await until(async () => {
		const publication = await n8n.publicationStatus(id);
		return !publication || (!publication.liveVersionId && !publication.pendingVersionId);
	}, 'the workflow is offline');
}

/** Starts n8n again on the same data and port. */
export async function startAgain(stage, settings = {}) {
	const { installation, port } = stage.n8n;
	const folder = path.dirname(stage.filesFolder);
	stage.starts = (stage.starts ?? 1) + 1;
	stage.n8n = await startN8n({
		installation,
		port,
		userFolder: path.join(folder, 'n8n'),
		filesFolders: [stage.filesFolder],
		logFile: path.join(folder, 'logs', `n8n-${stage.starts}.log`),
		...settings,
	});
}

export async function restart(stage) {
	await stage.n8n.stop();
	await startAgain(stage);
}

/** All events of the service. */
export const EVENTS = ['pending', 'processing', 'completed', 'reject', 'failed', 'expired'].map(
	(status) => `${status}_transaction`,
);

/** The callback address of a webhook in either of the service's two forms. */
export const callbackOf = ({ url, callbalckUrl }) => new URL(url ?? callbalckUrl);

/**
 * The webhooks at the service, with the kind of address that they call.
 *
 * @param {Pick<import('../harness/stage.mjs').Stage, 'sandbox' | 'n8n'>} stage
 */
export async function registered({ sandbox, n8n }) {
	const webhooks = await sandbox.admin('GET', '/webhooks');
	return webhooks
		.map((webhook) => {
			const url = callbackOf(webhook);
			const kind =
				url.port !== String(n8n.port)
					? 'other'
					: url.pathname.startsWith('/webhook-test/')
						? 'test'
						: 'production';
			return { ...webhook, kind, url };
		})
		.sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
}

/**
 * The only webhook of a kind. Fails if there is none or more than one.
 *
 * @param {Parameters<typeof registered>[0]} stage
 * @param {'production' | 'test' | 'other'} [kind]
 */
export async function theWebhook(stage, kind = 'production') {
	const found = (await registered(stage)).filter((webhook) => webhook.kind === kind);
	assert.equal(found.length, 1, `${found.length} ${kind} webhooks`);
	return found[0];
}

/**
 * The payload of section 6.1.
 *
 * @param {Record<string, any>} [changes]
 */
export function withdrawal(changes = {}) {
	const { details, ...rest } = changes;
	const transactionId = details?.transactionId ?? randomUUID();
	const status = rest.status ?? 'completed_transaction';
	return {
		externalReference: randomUUID(),
		status,
		transactionType: 'withdrawal_crypto',
		timestamp: new Date().toISOString(),
		...rest,
		details: {
			amount: '12.50000000',
			asset: 'USDC',
			blockchain: 'Polygon',
			message: `Transaction ${transactionId} changed to status ${status}`,
			transactionId,
			...details,
		},
	};
}

/**
 * Lets the service send a payload to one webhook or to all active ones.
 *
 * @param {Pick<import('../harness/stage.mjs').Stage, 'sandbox'>} stage
 * @param {object} payload
 * @param {string} [webhookId]
 */
export async function send({ sandbox }, payload, webhookId) {
	await sandbox.admin('POST', '/events', { payload, webhookId });
}

/**
 * A request of the partner without n8n.
 *
 * @param {Pick<import('../harness/stage.mjs').Stage, 'sandbox'>} stage
 * @param {string} method
 * @param {string} route
 * @param {unknown} [body]
 * @returns {Promise<any>} the service's answer
 */
export async function asPartner({ sandbox: { baseUrl, email, password } }, method, route, body) {
	/** @returns {Promise<any>} */
	const request = async (verb, address, content, headers = {}) => {
		const response = await fetch(`${baseUrl}${address}`, {
			method: verb,
			headers: { 'content-type': 'application/json', ...headers },
			body: JSON.stringify(content),
		});
		assert.ok(response.ok, `${verb} ${address} answered ${response.status}`);
		return await response.json();
	};
	const { accessToken } = await request('POST', '/v2/auth/login', { email, password });
	return await request(method, route, body, { authorization: `Bearer ${accessToken}` });
}

/**
 * The account's wallets.
 *
 * @param {Pick<import('../harness/stage.mjs').Stage, 'sandbox'>} stage
 * @returns {Promise<any[]>}
 */
export async function serviceWallets(stage) {
	return (await asPartner(stage, 'GET', '/v2/wallets')).wallets;
}

/**
 * Registers a webhook for all events whose deliveries nobody takes, so that the service logs them.
 *
 * @param {Pick<import('../harness/stage.mjs').Stage, 'sandbox'>} stage
 */
export async function registerForLogs(stage) {
	await asPartner(stage, 'POST', '/v2/webhooks', {
		url: 'http://127.0.0.1:9/',
		description: 'Logs alone',
		apiKey: randomUUID(),
		status: 'ACTIVE',
		events: { transaction: EVENTS },
	});
}

/**
 * Waits until the service has delivered everything.
 *
 * @param {Pick<import('../harness/stage.mjs').Stage, 'sandbox'>} stage
 * @param {number} [timeoutMs]
 */
export async function drain({ sandbox }, timeoutMs = 600_000) {
	await sandbox.admin('POST', `/deliveries/drain?timeout=${timeoutMs}`, {});
}

/**
 * Waits until no execution of a workflow is running and returns all. An execution that was killed before any
 * node started stays "running" (`amend` in n8n's `execution-recovery.service.js`): after a kill, `since`
 * excludes earlier ones.
 *
 * @param {import('../harness/n8n.mjs').N8n} n8n
 * @param {string} workflowId
 * @param {{ timeoutMs?: number, since?: string }} [options]
 * @returns {Promise<any[]>}
 */
export async function finishedExecutions(
	n8n,
	workflowId,
	{ timeoutMs = 600_000, since = LONG_AGO } = {},
) {
	const running = { status: ['new', 'running'], startedAfter: since };
	const inFlight = executionsQuery(workflowId, running, { limit: 1 });
	return await until(
		async () => {
			// Listing thousands of executions repeatedly would slow n8n down.
			if ((await n8n.rest('GET', inFlight)).results.length > 0) return false;
			const executions = await allExecutions(n8n, workflowId);
			const isInFlight = ({ status, createdAt }) =>
				['new', 'running'].includes(status) && !(createdAt < since);
			return !executions.some(isInFlight) && executions;
		},
		'no execution is running',
		{ timeoutMs },
	);
}

/**
 * The events of an execution, as n8n stored them before it ran, or from the trigger's output.
 *
 * @param {import('../harness/n8n.mjs').N8n} n8n
 * @param {string} executionId
 */
export async function eventsOf(n8n, executionId) {
	const { data } = await n8n.getExecution(executionId);
	const [start] = data?.executionData?.nodeExecutionStack ?? [];
	const run = data?.resultData?.runData?.[TRIGGER]?.[0];
	const began = start?.node.name === TRIGGER ? start.data : (run?.inputOverride ?? run?.data);
	return (began?.main?.[0] ?? []).map(({ json }) => eventKey(json.payload ?? json));
}

/**
 * All executions of a workflow, the newest first.
 *
 * @param {import('../harness/n8n.mjs').N8n} n8n
 * @param {string} workflowId
 * @returns {Promise<any[]>}
 */
export async function allExecutions(n8n, workflowId) {
	const found = [];
	for (let page = {}; ;) {
		const { results, nextCursor } = await n8n.rest(
			'GET',
			executionsQuery(workflowId, {}, { limit: 100, ...page }),
		);
		found.push(...results);
		// n8n 1 pages by the last identifier, n8n 2 by a cursor.
		page = nextCursor ? { cursor: nextCursor } : { lastId: results.at(-1)?.id };
		if (results.length < 100 || nextCursor === null) return found;
	}
}

const executionsQuery = (workflowId, filter, page) =>
	`/executions?${new URLSearchParams({ filter: JSON.stringify({ workflowId, ...filter }), ...page })}`;
