/**
 * Measures how fast the trigger answers deliveries, compared with n8n's Webhook node in the same n8n.
 *
 * node bench/trigger.mjs [--json]
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ensureN8n } from '../e2e/harness/install.mjs';
import { ensureBuild, ensureRootInstall } from '../e2e/harness/package.mjs';
import { startStage } from '../e2e/harness/stage.mjs';

const TRIGGER_TYPE = 'n8n-nodes-partner-payments.partnerPaymentsTrigger';
const WEBHOOK_TYPE = 'n8n-nodes-base.webhook';

/** The target: the trigger's time divided by that of n8n's node. */
export const TRIGGER_GOAL = 1.2;

/**
 * Sends bursts of deliveries alternately to the trigger and to n8n's Webhook node that answers immediately.
 *
 * @param {object} options
 * @param {import('../e2e/harness/install.mjs').Installation} options.installation
 * @param {import('../e2e/harness/package.mjs').Packed} [options.packed]
 * @param {number} [options.concurrency] deliveries in flight in a burst
 * @param {number} [options.rounds]
 * @param {Record<string, string>} [options.env] for n8n
 * @param {(line: string) => void} [options.log]
 */
export async function measureTrigger({
	installation,
	packed,
	concurrency = 200,
	rounds = 7,
	env,
	log = () => {},
}) {
	const folder = mkdtempSync(path.join(os.tmpdir(), 'partner-payments-bench-trigger-'));
	const stage = await startStage({
		installation,
		packed,
		folder,
		env,
		sandboxArgs: ['--state-clock', '0'],
	});
	try {
		/** @type {Array<{ id: string, times: number[], all: number[] } & Awaited<ReturnType<typeof startWebhook>>>} */
		const contestants = [
			{ id: 'webhook', times: [], all: [], ...(await startWebhook(stage)) },
			{ id: 'trigger', times: [], all: [], ...(await startTrigger(stage)) },
		];
		// A warm-up, which doesn't count.
		for (const contestant of contestants) await burst(stage, contestant, concurrency);
		for (let round = 1; round <= rounds; round++) {
			const order = round % 2 ? contestants : [...contestants].reverse();
			for (const contestant of order) {
				const times = await burst(stage, contestant, concurrency);
				contestant.times.push(median(times));
				contestant.all.push(...times);
				log(`  ${contestant.id}, round ${round} of ${rounds}: ${median(times).toFixed(0)} ms`);
			}
		}
		const [webhook, trigger] = contestants;
		return {
			concurrency,
			rounds,
			n8n: installation.version,
			contestants: contestants.map(({ id, times, all }) => ({
				id,
				medianMs: round(median(times)),
				p95Ms: round(quantile(all, 0.95)),
				roundMediansMs: times.map(round),
			})),
			ratio: round(median(trigger.times) / median(webhook.times)),
			roundRatios: trigger.times.map((time, index) => round(time / webhook.times[index])),
			goal: TRIGGER_GOAL,
		};
	} finally {
		await stage.stop();
		rmSync(folder, { recursive: true, force: true });
	}
}

async function startWebhook(stage) {
	const route = randomUUID();
	const workflowId = await start(stage, {
		type: WEBHOOK_TYPE,
		typeVersion: 2,
		parameters: { httpMethod: 'POST', path: route, responseMode: 'onReceived', options: {} },
	});
	return { workflowId, url: new URL(`/webhook/${route}`, stage.n8n.url) };
}

async function startTrigger(stage) {
	const workflowId = await start(stage, {
		type: TRIGGER_TYPE,
		typeVersion: 1.1,
		webhookId: randomUUID(),
		// Otherwise most deliveries of a burst get a 503, and a poll emits them.
		parameters: { events: ['completed_transaction'], checkForMissedEvents: 'never' },
		credentials: {
			[stage.credential.type]: { id: stage.credential.id, name: stage.credential.name },
		},
	});
	const [webhook] = await stage.sandbox.admin('GET', '/webhooks');
	return { workflowId, url: new URL(webhook.url) };
}

/** A published workflow of a trigger and a node that does nothing. */
async function start({ n8n }, trigger) {
	const { id } = await n8n.createWorkflow({
		name: trigger.type,
		nodes: [
			{ id: randomUUID(), name: 'Start', position: [0, 0], ...trigger },
			{
				id: randomUUID(),
				name: 'Nothing',
				type: 'n8n-nodes-base.noOp',
				typeVersion: 1,
				position: [220, 0],
				parameters: {},
			},
		],
		connections: { Start: { main: [[{ node: 'Nothing', type: 'main', index: 0 }]] } },
	});
	await n8n.activate(id);
	return id;
}

/** Delivers that many events at once, and returns the response times in milliseconds. */
async function burst({ n8n }, { workflowId, url }, concurrency) {
	const times = await Promise.all(Array.from({ length: concurrency }, () => deliver(url)));
	// A burst must not slow down the next one.
	for (;;) {
		const executions = await n8n.listExecutions(workflowId);
		if (executions.every(({ status }) => !['new', 'running'].includes(status))) return times;
		await sleep(100);
	}
}

function deliver(url) {
	const transactionId = randomUUID();
	const body = JSON.stringify({
		externalReference: randomUUID(),
		status: 'completed_transaction',
		transactionType: 'withdrawal_crypto',
		timestamp: new Date().toISOString(),
		details: {
			amount: '12.5',
			asset: 'USDC',
			blockchain: 'Polygon',
			message: `Transaction ${transactionId} changed to status completed_transaction`,
			transactionId,
		},
	});
	const started = performance.now();
	return new Promise((resolve, reject) => {
		const request = http.request(url, {
			method: 'POST',
			// A new connection for each, as the service opens it.
			agent: false,
			headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
		});
		request.on('error', reject);
		request.on('response', (response) => {
			response.resume();
			response.on('end', () => {
				if (response.statusCode === 200) resolve(performance.now() - started);
				else reject(new Error(`A delivery was answered ${response.statusCode}`));
			});
		});
		request.end(body);
	});
}

const median = (values) => quantile(values, 0.5);

function quantile(values, share) {
	const sorted = [...values].sort((a, b) => a - b);
	const position = (sorted.length - 1) * share;
	const [low, high] = [sorted[Math.floor(position)], sorted[Math.ceil(position)]];
	return low + (high - low) * (position % 1);
}

const round = (value) => Math.round(value * 100) / 100;

async function main() {
	const { values } = parseArgs({
		options: {
			json: { type: 'boolean', default: false },
			rounds: { type: 'string', default: '7' },
			concurrency: { type: 'string', default: '200' },
		},
	});
	const log = (line) => process.stderr.write(`${line}\n`);
	await ensureRootInstall({ log });
	await ensureBuild({ log });
	const result = await measureTrigger({
		installation: await ensureN8n({ log }),
		rounds: Number(values.rounds),
		concurrency: Number(values.concurrency),
		log,
	});
	if (values.json) {
		process.stdout.write(`${JSON.stringify(result, undefined, 2)}\n`);
		return;
	}
	for (const { id, medianMs, p95Ms } of result.contestants) {
		process.stdout.write(`${id.padEnd(8)} median ${medianMs} ms, 95 % within ${p95Ms} ms\n`);
	}
	process.stdout.write(`ratio ${result.ratio} (goal: at most ${result.goal})\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
