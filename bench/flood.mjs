/**
 * Measures 2,000 events in 20 seconds, each contestant in a fresh n8n: what the service gets, n8n's memory, and when
 * all events are handled.
 *
 * node bench/flood.mjs [--only each,all,webhook,peer,killed,queue] [--minutes 6] [--events 2000]
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ensureN8n } from '../e2e/harness/install.mjs';
import { ensureBuild, ensureRootInstall, packPackage } from '../e2e/harness/package.mjs';
import { ROOT_DIR } from '../e2e/harness/paths.mjs';
import { stopAll } from '../e2e/harness/processes.mjs';
import { startQueueStage } from '../e2e/harness/queue.mjs';
import { startStage } from '../e2e/harness/stage.mjs';
import { formatTable } from '../e2e/harness/table.mjs';
import {
	allExecutions,
	asPartner,
	eventWorkflow,
	HANDLER,
	publish,
	startAgain,
	TRIGGER,
	withdrawal,
} from '../e2e/tests/trigger-support.mjs';
import { memory } from './processes.mjs';

const SECONDS = 20;
const LOOK_PAUSE_MS = 5_000;

/** When the killed n8n is killed. */
const KILL_SECONDS = 10;

/** The first seconds of a publication differ: a delivery that fails in them raises no alarm. */
const SETTLE_MS = 35_000;

/**
 * @typedef {object} Contestant
 * @property {string} name
 * @property {object} [trigger] the parameters of our trigger
 * @property {{ type: string, typeVersion: number, parameters: object }} [node] another trigger
 * @property {boolean} [isKilled]
 * @property {boolean} [isQueue]
 */

/** @type {Record<string, Contestant>} */
const CONTESTANTS = {
	each: { name: 'Once for Each Event', trigger: {} },
	all: {
		name: 'Once for All New Events',
		trigger: { startWorkflow: 'allNewEvents', checkForMissedEvents: 'everyMinute' },
	},
	webhook: {
		name: 'n8n’s Webhook node',
		node: {
			type: 'n8n-nodes-base.webhook',
			typeVersion: 2,
			parameters: { httpMethod: 'POST', path: 'flood', responseMode: 'onReceived', options: {} },
		},
	},
	peer: {
		name: 'empty trigger of another package',
		node: { type: 'CUSTOM.benchTrigger', typeVersion: 1, parameters: {} },
	},
	killed: { name: 'Once for Each Event, n8n killed after 10 s', trigger: {}, isKilled: true },
	queue: { name: 'Once for Each Event, queue mode, two workers', trigger: {}, isQueue: true },
};

const { values } = parseArgs({
	options: {
		only: { type: 'string', default: Object.keys(CONTESTANTS).join(',') },
		minutes: { type: 'string', default: '6' },
		events: { type: 'string', default: '2000' },
	},
});
const EVENTS = Number(values.events);
const log = (/** @type {string} */ line) => process.stderr.write(`${line}\n`);

async function main() {
	await ensureRootInstall({ log });
	await ensureBuild({ log });
	const installation = await ensureN8n({ log });
	const packed = await packPackage();
	const rows = [];
	try {
		for (const id of values.only.split(',')) {
			log(CONTESTANTS[id].name);
			rows.push(await measure({ installation, packed }, CONTESTANTS[id]));
			log(`  ${JSON.stringify(rows.at(-1))}`);
		}
	} finally {
		rmSync(packed.dir, { recursive: true, force: true });
		await stopAll();
	}
	console.log(
		formatTable(
			[
				{ title: `${EVENTS} events in ${SECONDS} s`, value: ({ name }) => name },
				{ title: 'answers', value: ({ answers }) => answers },
				{ title: 'peak MB', right: true, value: ({ peak }) => peak },
				{ title: 'executions', right: true, value: ({ executions }) => executions },
				{ title: 'handled', right: true, value: ({ handled }) => handled },
				{ title: 'twice', right: true, value: ({ twice }) => twice },
				{ title: 'after s', right: true, value: ({ seconds }) => seconds },
			],
			rows,
		),
	);
}

async function measure(package_, contestant) {
	const folder = mkdtempSync(path.join(os.tmpdir(), 'partner-payments-flood-'));
	const env = { N8N_CUSTOM_EXTENSIONS: path.join(ROOT_DIR, 'bench/peer') };
	const start = contestant.isQueue ? startQueueStage : startStage;
	const stage = await start({ ...package_, folder, env, sandboxArgs: ['--state-clock', '0'] });
	try {
		const { id, nodes } = await stage.n8n.createWorkflow(workflowOf(stage, contestant));
		await publish(stage.n8n, id);
		if (contestant.node) await register(stage, nodes);
		await stage.sandbox.change({
			deliveryConcurrency: 1_000,
			deliveryTimeoutMs: 60_000,
			// Retries would multiply the flood. The service's are not documented.
			deliveryRetries: 0,
		});
		await sleep(SETTLE_MS);
		return { name: contestant.name, ...(await flood(stage, id, contestant)) };
	} finally {
		await stage.stop();
		rmSync(folder, { recursive: true, force: true });
	}
}

/** The handler does nothing, so that only n8n and the trigger are measured. */
function workflowOf(stage, { trigger, node }) {
	const workflow = eventWorkflow(stage, { url: '' }, { trigger });
	for (const one of workflow.nodes) {
		if (one.name === HANDLER) {
			Object.assign(one, { type: 'n8n-nodes-base.noOp', typeVersion: 1, parameters: {} });
		} else if (node) {
			Object.assign(one, node);
			delete one.credentials;
		}
	}
	return workflow;
}

/** Registers the address of another trigger at the service. */
async function register(stage, nodes) {
	const { type, webhookId } = nodes.find(({ name }) => name === TRIGGER);
	const route = type === 'n8n-nodes-base.webhook' ? 'flood' : `${webhookId}/webhook`;
	await asPartner(stage, 'POST', '/v2/webhooks', {
		url: new URL(`/webhook/${route}`, stage.n8n.url).toString(),
		description: 'Flood',
		apiKey: randomUUID(),
		status: 'ACTIVE',
		events: { transaction: ['completed_transaction'] },
	});
}

/** Sends the events, and waits until all are handled. */
async function flood(stage, id, { node, isKilled }) {
	const started = performance.now();
	const seconds = () => (performance.now() - started) / 1000;
	let peak = 0;
	const look = () => {
		const all = [stage.n8n, ...(stage.workers ?? []), ...(stage.webhooks ?? [])];
		peak = Math.max(peak, sum(all.map(({ pid }) => memory(pid).peak ?? 0)));
	};
	const sending = (async () => {
		for (let number = 0; number < EVENTS; number++) {
			const early = (number / EVENTS) * SECONDS - seconds();
			if (early > 0) await sleep(early * 1000);
			void stage.sandbox.admin('POST', '/events', { payload: withdrawal() }).catch(() => {});
		}
	})();
	if (isKilled) {
		await sleep(KILL_SECONDS * 1000);
		look();
		await stage.n8n.kill('SIGKILL');
		await stage.n8n.whenEnded;
		await startAgain(stage);
	}
	await sending;

	/** @type {Map<string, string[]>} the events of each execution that has ended */
	const byExecution = new Map();
	let executions = [];
	let events = [];
	while (seconds() < Number(values.minutes) * 60) {
		await sleep(LOOK_PAUSE_MS);
		look();
		executions = await allExecutions(stage.n8n, id).catch(() => executions);
		for (const execution of executions) {
			if (execution.status !== 'success' || byExecution.has(execution.id)) continue;
			// Other triggers start an execution for each delivery.
			const handled = node
				? [execution.id]
				: await stage.n8n
						.getExecution(execution.id)
						.then((one) => one.items(HANDLER).map(({ json }) => json.externalReference))
						.catch(() => undefined);
			if (handled) byExecution.set(execution.id, handled);
		}
		events = [...byExecution.values()].flat();
		const crashed = executions.filter(({ status }) => status === 'crashed').length;
		const distinct = new Set(events).size;
		log(
			`  ${Math.round(seconds())} s: ${distinct} handled, ${executions.length} executions (${crashed} crashed), ${Math.round(peak)} MB`,
		);
		if (distinct + (isKilled ? crashed : 0) >= EVENTS) break;
	}
	/** @type {Record<string, number>} */
	const statuses = {};
	for (const { statusCode } of await stage.sandbox.admin('GET', '/deliveries?limit=50000')) {
		const answer = statusCode ?? 'none';
		statuses[answer] = (statuses[answer] ?? 0) + 1;
	}
	const answers = Object.entries(statuses).map(([status, count]) => `${count} × ${status}`);
	const handled = new Set(events).size;
	const crashed = executions.filter(({ status }) => status === 'crashed').length;
	return {
		answers: answers.join(', '),
		peak: Math.round(peak),
		executions: executions.length,
		handled: crashed > 0 ? `${handled} + ${crashed} crashed` : handled,
		twice: events.length - handled,
		seconds: Math.round(seconds()),
	};
}

const sum = (/** @type {number[]} */ numbers) => numbers.reduce((a, b) => a + b, 0);

await main();
