/** Measures the cost of events in both modes of Start Workflow, and bursts of them compared with n8n's Webhook node. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startCollector } from '../e2e/harness/collector.mjs';
import { startStage } from '../e2e/harness/stage.mjs';
import { formatTable } from '../e2e/harness/table.mjs';
import {
	drain,
	eventWorkflow,
	HANDLER,
	publish,
	send,
	finishedExecutions,
	theWebhook,
	withdrawal,
} from '../e2e/tests/trigger-support.mjs';
import { cpuTime, forgetPeak, memory } from './processes.mjs';

const ALL_NEW_EVENTS = { startWorkflow: 'allNewEvents', checkForMissedEvents: 'everyMinute' };
const EACH_EVENT = { startWorkflow: 'eachEvent', checkForMissedEvents: 'everyMinute' };

const LOOK_PAUSE_MS = 10_000;

/**
 * @param {object} options
 * @param {import('../e2e/harness/install.mjs').Installation} options.installation
 * @param {import('../e2e/harness/package.mjs').Packed} options.packed
 * @param {number} options.together events that come evenly within `minutes`, emitted together
 * @param {number} options.each events, emitted one by one
 * @param {number} options.minutes
 * @param {number} options.burst deliveries at once
 * @param {Record<string, string>} [options.env] for n8n
 * @param {(line: string) => void} [options.log]
 */
export async function measureEvents({
	installation,
	packed,
	together,
	each,
	minutes,
	burst,
	env,
	log = () => {},
}) {
	const onStage = async (what, work) => {
		log(`  ${what}`);
		const folder = mkdtempSync(path.join(os.tmpdir(), 'partner-payments-bench-events-'));
		const stage = await startStage({
			installation,
			packed,
			folder,
			env,
			sandboxArgs: ['--state-clock', '0'],
		});
		const collector = await startCollector();
		try {
			return { what, ...(await work(stage, collector)) };
		} finally {
			await collector.close();
			await stage.stop();
			rmSync(folder, { recursive: true, force: true });
		}
	};
	return {
		steady: [
			await onStage('Once for All New Events', async (stage, collector) =>
				steady(stage, collector, { trigger: ALL_NEW_EVENTS, count: together, minutes }),
			),
			await onStage('Once for Each Event', async (stage, collector) =>
				steady(stage, collector, {
					trigger: EACH_EVENT,
					count: each,
					minutes: (minutes * each) / together,
				}),
			),
		],
		atOnce: [
			await onStage('Once for All New Events', async (stage) =>
				atOnce(stage, burst, ALL_NEW_EVENTS),
			),
			await onStage('Once for Each Event', async (stage) => atOnce(stage, burst, EACH_EVENT)),
			await onStage('n8n’s Webhook node', async (stage) => atOnce(stage, burst)),
		],
	};
}

/** Sends events at a steady rate and waits until all are handled. */
async function steady(stage, collector, { trigger, count, minutes }) {
	const workflow = eventWorkflow(stage, collector, { trigger });
	endsInNothing(workflow);
	const { id } = await stage.n8n.createWorkflow(workflow);
	await publish(stage.n8n, id);
	await stage.sandbox.change({ deliveryConcurrency: 10, deliveryTimeoutMs: 60_000 });
	const { pid } = stage.n8n;
	forgetPeak(pid);
	const before = cpuTime(pid);
	const started = performance.now();
	for (let number = 0; number < count; number++) {
		const due = started + (number / count) * minutes * 60_000;
		if (due > performance.now()) await sleep(due - performance.now());
		await send(stage, withdrawal());
	}
	await drain(stage, 600_000);
	const { handled, cpu, peak } = await whenHandled(stage, id, count);
	return {
		count,
		handled,
		seconds: round((performance.now() - started) / 1000),
		cpuMsPerEvent: round(((cpu ?? Number.NaN) - (before ?? Number.NaN)) / count),
		peakMegabytes: Math.round(peak ?? Number.NaN),
	};
}

/** Waits until that many events were handled. Polls rarely, and measures first, because polling costs n8n CPU time too. */
async function whenHandled(stage, id, count) {
	const deadline = Date.now() + 600_000;
	for (;;) {
		await sleep(LOOK_PAUSE_MS);
		const { pid } = stage.n8n;
		const measured = { cpu: cpuTime(pid), peak: memory(pid).peak };
		const handled = await handledBy(stage, id);
		if (handled >= count) return { handled, ...measured };
		if (Date.now() > deadline) throw new Error(`${handled} of ${count} events were handled`);
	}
}

/** The handler does nothing, so that only n8n and the trigger are measured. */
function endsInNothing(workflow) {
	const handler = workflow.nodes.find(({ type }) => type === 'n8n-nodes-base.httpRequest');
	Object.assign(handler, { type: 'n8n-nodes-base.noOp', typeVersion: 1, parameters: {} });
}

/** The number of items that a workflow's handler got in all executions. */
async function handledBy({ n8n }, id) {
	const executions = await finishedExecutions(n8n, id);
	const failed = executions.find(({ status }) => status === 'error');
	if (failed) throw new Error(`Execution ${failed.id} failed`);
	let sum = 0;
	for (const execution of executions) sum += await itemsOf(n8n, execution);
	return sum;
}

const counted = new Map();

async function itemsOf(n8n, { id }) {
	const key = `${n8n.url} ${id}`;
	if (!counted.has(key)) {
		const execution = await n8n.getExecution(id);
		counted.set(key, execution.items(HANDLER).length);
	}
	return counted.get(key);
}

/** Sends that many deliveries at the same moment. */
async function atOnce(stage, count, trigger) {
	const url = trigger ? await triggerAddress(stage, trigger) : await webhookAddress(stage);
	const { pid } = stage.n8n;
	forgetPeak(pid);
	const statuses = {};
	const started = performance.now();
	const times = await Promise.all(
		Array.from({ length: count }, async () => {
			const status = await fetch(url, {
				method: 'POST',
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify(withdrawal()),
				signal: AbortSignal.timeout(60_000),
			})
				.then((response) => response.status)
				.catch(() => 'no answer');
			statuses[status] = (statuses[status] ?? 0) + 1;
			return performance.now() - started;
		}),
	);
	times.sort((a, b) => a - b);
	return {
		count,
		answers: Object.entries(statuses)
			.map(([status, sum]) => `${sum} × ${status}`)
			.join(', '),
		medianMs: Math.round(times[Math.floor(count / 2)]),
		peakMegabytes: Math.round(memory(pid).peak ?? Number.NaN),
	};
}

async function triggerAddress(stage, trigger) {
	const workflow = eventWorkflow(stage, { url: '' }, { trigger });
	endsInNothing(workflow);
	const { id } = await stage.n8n.createWorkflow(workflow);
	await publish(stage.n8n, id);
	return (await theWebhook(stage)).url;
}

async function webhookAddress({ n8n }) {
	const route = randomUUID();
	const { id } = await n8n.createWorkflow({
		name: 'Webhook',
		nodes: [
			{
				id: randomUUID(),
				name: 'Start',
				position: [0, 0],
				type: 'n8n-nodes-base.webhook',
				typeVersion: 2,
				webhookId: randomUUID(),
				parameters: { httpMethod: 'POST', path: route, responseMode: 'onReceived', options: {} },
			},
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
	await publish(n8n, id);
	return new URL(`/webhook/${route}`, n8n.url);
}

const round = (value) => Math.round(value * 10) / 10;

/** @param {Awaited<ReturnType<typeof measureEvents>>} measured */
export function eventTables({ steady: steadily, atOnce: bursts }) {
	const column = (title, name) => ({ title, right: true, value: (row) => row[name] });
	const what = { title: 'start workflow', value: (row) => row.what };
	return [
		formatTable(
			[
				what,
				column('events', 'count'),
				column('handled', 'handled'),
				column('seconds', 'seconds'),
				column('CPU ms per event', 'cpuMsPerEvent'),
				column('peak MB', 'peakMegabytes'),
			],
			steadily,
		),
		formatTable(
			[
				what,
				column('at once', 'count'),
				column('answers', 'answers'),
				column('median ms', 'medianMs'),
				column('peak MB', 'peakMegabytes'),
			],
			bursts,
		),
	].join('\n\n');
}
