/**
 * Queue mode under mixed load: payouts and events, with faults at a fixed rate. Nothing is paid or handled
 * twice, nothing is lost, and no process of n8n grows.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import http from 'node:http';
import { after, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventKey, startCollector } from '../harness/collector.mjs';
import { INSPECTABLE, inspect, liveHeap } from '../harness/heap.mjs';
import { SOAK_MINUTES, SOAK_MINUTES_VARIABLE } from '../harness/paths.mjs';
import { listen } from '../harness/ports.mjs';
import { publicAddress } from '../harness/queue.mjs';
import { formatTable } from '../harness/table.mjs';
import {
	BANK_PATH,
	bankRow,
	chainOf,
	changeOptions,
	csvNodes,
	payRows,
	reported,
	writeCsv,
} from './batch-support.mjs';
import { useQueueStage } from './queue-support.mjs';
import { printLast } from './support.mjs';
import {
	drain,
	eventWorkflow,
	publish,
	send,
	finishedExecutions,
	withdrawal,
} from './trigger-support.mjs';

const MINUTES = Number(process.env[SOAK_MINUTES_VARIABLE] || SOAK_MINUTES);
const DURATION_MS = MINUTES * 60_000;
/** After this time, memory should not grow. */
const WARM_UP_MS = DURATION_MS / 3;
const SAMPLE_PAUSE_MS = 20_000;

/** Two workflows pay batch after batch at the same time, with pauses. */
const PAYERS = ['payer-1', 'payer-2'];
const ROWS = 50;
const BATCH_PAUSE_MS = 1_000;
const EVENT_PAUSE_MS = 200;
const REVOCATION_PAUSE_MS = 15_000;

/** One of that many deliveries doesn't reach n8n, and the response to one of that many doesn't reach the service. */
const LOST_DELIVERY = 20;
const LOST_ANSWER = 30;

/** The faults of payouts with their probabilities. */
const FAULTS = [
	[0.005, { type: 'reset', when: 'before' }],
	[0.005, { type: 'reset', when: 'after' }],
	[0.005, { type: 'truncate' }],
	[0.01, { type: 'status', status: 500 }],
	[0.02, { type: 'status', status: 429, retryAfter: 1 }],
];

/**
 * In MB per minute, after garbage collection. A longer run shows growth; in a short one it is
 * lost among what n8n allocates once.
 */
const GROWTH_LIMIT = 1;
const MEASURED_MINUTES = 10;

/** Missed events are backfilled at a limited rate: on a busy machine that takes as long as their arrival. */
const TIMEOUT = { timeoutMs: 300_000 + DURATION_MS };

/** The service reaches n8n through this proxy. */
const door = http.createServer();
const doorPort = await listen(door);
after(() => door.close());

/** The deliveries that the network lost. */
const lost = { deliveries: 0, answers: 0 };

const use = useQueueStage('soak', {
	sandboxArgs: ['--state-clock', '0'],
	env: { ...publicAddress(`http://127.0.0.1:${doorPort}/`), ...INSPECTABLE },
});

it(
	`pays and handles everything once without growing in ${MINUTES} minutes of load and faults`,
	{ timeout: 2 * DURATION_MS + 15 * 60_000 },
	async () => {
		const { stage } = use;
		const { sandbox } = stage;
		const collector = await startCollector();
		openDoor(stage.webhooks[0].url);
		// The service accepts duplicates, so that only the node can prevent them.
		await sandbox.change({
			duplicateReferences: 'accept',
			deliveryDuplicates: 0.1,
			deliveryRetries: 0,
			recordRequests: false,
		});
		const bankPayouts = { method: 'POST', path: BANK_PATH };
		for (const [seed, [probability, fault]] of FAULTS.entries()) {
			await sandbox.addFault({
				match: bankPayouts,
				times: 'always',
				probability,
				seed: seed + 1,
				fault,
			});
		}
		const payers = await Promise.all(PAYERS.map((name) => createPayer(stage, name)));
		const { id: handler } = await stage.n8n.createWorkflow(
			eventWorkflow(stage, collector, {
				trigger: { checkForMissedEvents: 'everyMinute' },
				name: 'Handle events',
			}),
		);
		await publish(stage.n8n, handler);

		let batches = 0;
		const paid = new Map();
		const events = [];
		const pay = async (payer, numbers) => {
			const rows = await payer.pay(numbers.map((number) => bankRow(number)));
			for (const row of rows) {
				paid.set(row.reference, { ...row, payer, number: numbers[row.item] });
			}
		};

		const memory = new Memory(stage);
		const started = Date.now();
		const repeat = async (pauseMs, work) => {
			while (Date.now() - started < DURATION_MS) {
				await work();
				await sleep(pauseMs);
			}
		};
		await Promise.all([
			...payers.map((payer) =>
				repeat(BATCH_PAUSE_MS, () => {
					const first = ROWS * batches++;
					return pay(
						payer,
						Array.from({ length: ROWS }, (_, index) => first + index),
					);
				}),
			),
			repeat(EVENT_PAUSE_MS, async () => {
				const event = withdrawal();
				events.push(event);
				await send(stage, event);
			}),
			repeat(REVOCATION_PAUSE_MS, () => sandbox.admin('POST', '/tokens/revoke', {})),
			repeat(SAMPLE_PAUSE_MS, () => memory.sample()),
		]);
		await memory.sample();

		// Then does what an operator does: runs the unfinished rows again where they were sent, looks up which of those that
		// were already sent are not at the service, and pays these again. Events need no action.
		const unfinished = [...paid.values()].filter(({ outcome }) => outcome !== 'created');
		const unknown = unfinished.filter(({ outcome }) => outcome === 'unknown').length;
		await sandbox.clearFaults();
		const finished = new Set();
		let sentAgain = 0;
		for (const payer of payers) {
			const own = unfinished.filter((row) => row.payer === payer);
			const rows = own.map(({ number }) => bankRow(number));
			if (rows.length === 0) continue;
			const again = await payer.pay(rows);
			const there = new Set((await sandbox.transactions()).map(({ reference }) => reference));
			const missing = again
				.map(({ reference }) => reference)
				.filter((reference) => !there.has(reference));
			sentAgain += missing.length;
			if (missing.length) {
				await changeOptions(stage, payer.id, {
					ifAlreadySent: 'payAgain',
					referencesToPayAgain: missing.join(' '),
				});
				again.push(...(await payer.pay(rows)));
			}
			for (const { outcome, reference } of again) {
				if (['created', 'alreadySent'].includes(outcome)) finished.add(reference);
			}
		}
		const { duplicates } = await sandbox.counters();
		await drain(stage);
		// Anything missing after this is lost, and reported below.
		await collector.distinct(events.length, TIMEOUT).catch(() => undefined);
		const executions = await finishedExecutions(stage.n8n, handler, TIMEOUT);
		const backfilled = executions.filter(({ mode }) => mode === 'trigger').length;

		const transactions = new Map();
		for (const { reference } of await sandbox.transactions()) {
			transactions.set(reference, (transactions.get(reference) ?? 0) + 1);
		}
		const times = [...transactions.values()];
		const keys = events.map(eventKey);
		const figures = {
			minutes: MINUTES,
			'payouts sent': paid.size,
			'  reported created at first': paid.size - unfinished.length,
			'  unknown at first': unknown,
			'  rejected or not sent at first': unfinished.length - unknown,
			'  paid by running them again': finished.size,
			'  of these sent again': sentAgain,
			'  paid once': times.filter((count) => count === 1).length,
			'  paid twice': times.filter((count) => count > 1).length,
			'  never paid': [...paid.keys()].filter((reference) => !transactions.has(reference)).length,
			'events created': events.length,
			'  handled': keys.filter((key) => collector.counts.has(key)).length,
			'  handled twice': collector.repeated.length,
			'  lost': keys.filter((key) => !collector.counts.has(key)).length,
			'executions that polls started': backfilled,
			'deliveries that did not reach n8n': lost.deliveries,
			'answers that did not reach the service': lost.answers,
		};
		printLast(`${describe(figures)}\n\n${memory.describe()}`);

		assert.equal(duplicates, 0, 'payments were sent twice');
		assert.equal(figures['  paid once'], paid.size);
		assert.equal(figures['  never paid'], 0);
		assert.equal(finished.size, unfinished.length);
		assert.equal(figures['  handled twice'], 0);
		assert.equal(figures['  lost'], 0);
		assert.equal(collector.counts.size, events.length);
		if (MINUTES >= MEASURED_MINUTES) {
			for (const { name, slope } of memory.growth()) {
				assert.ok(slope < GROWTH_LIMIT, `${name} grows by ${slope.toFixed(1)} MB a minute`);
			}
		}
	},
);

/** A workflow that pays the rows of a file; `pay` returns its report of each row. */
async function createPayer(stage, name) {
	const file = writeCsv(stage, `${name}.csv`, []);
	const node = payRows(stage, {
		onError: 'continueRegularOutput',
		retryOnFail: true,
		maxTries: 2,
		waitBetweenTries: 10,
	});
	const { id } = await stage.n8n.createWorkflow(chainOf([...csvNodes(file), node]));
	return {
		id,
		async pay(rows) {
			writeCsv(stage, `${name}.csv`, rows);
			return reported(await stage.n8n.runWorkflow(id, TIMEOUT));
		},
	};
}

/** Forwards deliveries to n8n, except those that the network loses. */
function openDoor(target) {
	const { hostname, port } = new URL(target);
	let deliveries = 0;
	door.on('request', (request, response) => {
		deliveries++;
		if (deliveries % LOST_DELIVERY === 0) {
			lost.deliveries++;
			response.destroy();
			return;
		}
		const isAnswerLost = deliveries % LOST_ANSWER === 1;
		const { method, url, headers } = request;
		const forward = http.request({ hostname, port, method, path: url, headers }, (answer) => {
			if (isAnswerLost) {
				lost.answers++;
				answer.resume();
				response.destroy();
				return;
			}
			response.writeHead(answer.statusCode ?? 0, answer.headers);
			answer.pipe(response);
		});
		forward.on('error', () => response.destroy());
		request.pipe(forward);
	});
}

/** @typedef {{ ms: number, live: number, resident: number }} Sample in MB */

/** Samples the heap size and the resident memory of each n8n process. */
class Memory {
	#started = Date.now();
	#processes;

	constructor({ main, workers, webhooks }) {
		this.#processes = [
			{ name: 'main', n8n: main },
			...workers.map((n8n, index) => ({ name: `worker ${index + 1}`, n8n })),
			...webhooks.map((n8n, index) => ({ name: `webhook processor ${index + 1}`, n8n })),
		].map((process) => ({ ...process, samples: /** @type {Sample[]} */ ([]), address: '' }));
	}

	async sample() {
		for (const process of this.#processes) {
			const { n8n, samples } = process;
			process.address ||= await inspect(n8n);
			const live = await liveHeap(process.address, n8n.installation);
			const kilobytes = execFileSync('ps', ['-o', 'rss=', '-p', String(n8n.pid)], {
				encoding: 'utf8',
			});
			samples.push({ ms: Date.now() - this.#started, live, resident: Number(kilobytes) / 1024 });
		}
	}

	/** For each process in MB: the heap at the start, after warm-up and at the end, and the growth per minute. */
	growth() {
		return this.#processes.map(({ name, samples }) => {
			const warm = samples.filter(({ ms }) => ms >= WARM_UP_MS);
			return {
				name,
				start: samples[0].live,
				warm: warm[0].live,
				highest: Math.max(...warm.map(({ live }) => live)),
				end: samples[samples.length - 1].live,
				slope: slopeOf(floorsOf(warm)),
				resident: Math.max(...samples.map(({ resident }) => resident)),
			};
		});
	}

	describe() {
		const column = (title, value) => ({ title, right: true, value });
		const whole = (key) => (row) => Math.round(row[key]);
		return formatTable(
			[
				{ title: 'heap (MB)', value: ({ name }) => name },
				column('start', whole('start')),
				column('warm', whole('warm')),
				column('highest', whole('highest')),
				column('end', whole('end')),
				column('MB per minute', ({ slope }) => slope.toFixed(1)),
				column('highest RSS', whole('resident')),
			],
			this.growth(),
		);
	}
}

/**
 * The lowest sample of each fifth of the time: memory in use varies, but a leak
 * raises the minimum too.
 */
function floorsOf(samples) {
	const [from, to] = [samples[0].ms, samples.at(-1).ms];
	/** @type {Sample[][]} */
	const parts = [[], [], [], [], []];
	for (const sample of samples) {
		parts[Math.min(4, Math.floor((5 * (sample.ms - from)) / (to - from)))].push(sample);
	}
	return parts
		.filter((part) => part.length > 0)
		.map((part) => part.reduce((a, b) => (b.live < a.live ? b : a)));
}

/** The regression line of all samples (least squares). */
function slopeOf(samples) {
	const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
	const minutes = samples.map(({ ms }) => ms / 60_000);
	const megabytes = samples.map(({ live }) => live);
	const [x, y] = [mean(minutes), mean(megabytes)];
	return (
		mean(minutes.map((minute, index) => (minute - x) * (megabytes[index] - y))) /
		mean(minutes.map((minute) => (minute - x) ** 2))
	);
}

function describe(figures) {
	return formatTable(
		[
			{ title: 'soak', value: ([name]) => name },
			{ title: 'figure', right: true, value: ([, figure]) => figure },
		],
		Object.entries(figures),
	);
}
