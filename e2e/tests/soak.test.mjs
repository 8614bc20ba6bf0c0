/**
 * Queue mode under load for minutes: no process of n8n grows. What is paid and handled under faults is for kill.test and
 * the simulation to say.
 */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startCollector } from '../harness/collector.mjs';
import { INSPECTABLE, inspect, liveHeap } from '../harness/heap.mjs';
import { SOAK_MINUTES, SOAK_MINUTES_VARIABLE } from '../harness/paths.mjs';
import { formatTable } from '../harness/table.mjs';
import { bankRow, chainOf, csvNodes, outcomes, payRows, writeCsv } from './batch-support.mjs';
import { useQueueStage } from './queue-support.mjs';
import { printLast } from './support.mjs';
import { eventWorkflow, publish, send, withdrawal } from './trigger-support.mjs';

const MINUTES = Number(process.env[SOAK_MINUTES_VARIABLE] || SOAK_MINUTES);
const DURATION_MS = MINUTES * 60_000;
const ROWS = 50;
const BATCH_PAUSE_MS = 1_000;
const EVENT_PAUSE_MS = 200;
const REVOCATION_PAUSE_MS = 15_000;
const SAMPLE_PAUSE_MS = 20_000;

/**
 * In MB per minute, after garbage collection. A longer run shows growth; in a short one it is lost among what n8n
 * allocates once.
 */
const GROWTH_LIMIT = 1;
const MEASURED_MINUTES = 10;

const use = useQueueStage('soak', { sandboxArgs: ['--state-clock', '0'], env: INSPECTABLE });

it(
	`no process of n8n grows in ${MINUTES} minutes of payouts, events and new logins`,
	{ timeout: 2 * DURATION_MS + 15 * 60_000 },
	async () => {
		const { stage } = use;
		const { n8n, sandbox, main, workers, webhooks } = stage;
		await sandbox.change({ deliveryDuplicates: 0.1, recordRequests: false });
		const file = writeCsv(stage, 'soak.csv', []);
		const { id: payer } = await n8n.createWorkflow(chainOf([...csvNodes(file), payRows(stage)]));
		const { id: handler } = await n8n.createWorkflow(
			eventWorkflow(stage, await startCollector(), {
				trigger: { checkForMissedEvents: 'everyMinute' },
			}),
		);
		await publish(n8n, handler);

		const named = (name, list) => list.map((one, index) => ({ name: `${name} ${index + 1}`, one }));
		const processes = [
			...named('main', [main]),
			...named('worker', workers),
			...named('webhook processor', webhooks),
		].map((process) => ({
			...process,
			address: '',
			samples: /** @type {Array<{ minute: number, heap: number }>} */ ([]),
		}));
		const started = Date.now();
		const sample = async () => {
			for (const process of processes) {
				process.address ||= await inspect(process.one);
				const heap = await liveHeap(process.address, process.one.installation);
				process.samples.push({ minute: (Date.now() - started) / 60_000, heap });
			}
		};
		const repeat = async (pauseMs, work) => {
			while (Date.now() - started < DURATION_MS) {
				await work();
				await sleep(pauseMs);
			}
		};
		let paid = 0;
		await Promise.all([
			repeat(BATCH_PAUSE_MS, async () => {
				writeCsv(
					stage,
					'soak.csv',
					Array.from({ length: ROWS }, (_, index) => bankRow(paid + index)),
				);
				const execution = await n8n.runWorkflow(payer, { timeoutMs: 300_000 });
				assert.deepEqual(new Set(outcomes(execution)), new Set(['created']));
				paid += ROWS;
			}),
			repeat(EVENT_PAUSE_MS, () => send(stage, withdrawal())),
			repeat(REVOCATION_PAUSE_MS, () => sandbox.admin('POST', '/tokens/revoke', {})),
			repeat(SAMPLE_PAUSE_MS, sample),
		]);
		await sample();

		const growth = processes.map(({ name, samples }) => ({ name, ...growthOf(samples) }));
		printLast(
			`${paid} payouts in ${MINUTES} minutes\n\n${formatTable(
				[
					{ title: 'heap (MB)', value: ({ name }) => name },
					{ title: 'before', right: true, value: ({ before }) => before.toFixed(0) },
					{ title: 'after', right: true, value: ({ after }) => after.toFixed(0) },
					{ title: 'MB per minute', right: true, value: ({ perMinute }) => perMinute.toFixed(1) },
				],
				growth,
			)}`,
		);
		for (const { name, perMinute } of MINUTES < MEASURED_MINUTES ? [] : growth) {
			assert.ok(perMinute < GROWTH_LIMIT, `${name} grows by ${perMinute.toFixed(1)} MB a minute`);
		}
	},
);

/** From the lowest heap of the second third to that of the last: memory in use varies, but a leak raises the lowest, too. */
function growthOf(samples) {
	const lowestIn = (from, to) =>
		samples
			.filter(({ minute }) => minute >= from * MINUTES && minute <= to * MINUTES + 1)
			.reduce((a, b) => (b.heap < a.heap ? b : a));
	const [before, after] = [lowestIn(1 / 3, 2 / 3), lowestIn(2 / 3, 1)];
	const minutes = Math.max(after.minute - before.minute, 1);
	return {
		before: before.heap,
		after: after.heap,
		perMinute: (after.heap - before.heap) / minutes,
	};
}
