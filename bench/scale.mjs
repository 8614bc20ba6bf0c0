/**
 * Measures how queue mode scales: rows and events per second with one worker and with two, and their cost
 * in CPU time and memory. Then the cost of many events for a single n8n, in both modes of Start Workflow.
 *
 * node bench/scale.mjs [--json] [--only workers|events] [--rows N] [--events N] [--together N] [--each N] [--minutes N]
 * [--burst N] [--n8n-env NAME=VALUE ...]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { inspect, parseArgs } from 'node:util';
import { startCollector } from '../e2e/harness/collector.mjs';
import { ensureN8n } from '../e2e/harness/install.mjs';
import { ensureBuild, ensureRootInstall, packPackage } from '../e2e/harness/package.mjs';
import { stopAll } from '../e2e/harness/processes.mjs';
import { startQueueStage } from '../e2e/harness/queue.mjs';
import { formatTable } from '../e2e/harness/table.mjs';
import { bankRow, chainOf, payRows } from '../e2e/tests/batch-support.mjs';
import {
	drain,
	eventWorkflow,
	publish,
	send,
	finishedExecutions,
	withdrawal,
} from '../e2e/tests/trigger-support.mjs';
import { eventTables, measureEvents } from './events.mjs';
import { cpuTime, forgetPeak, machineCpuTime, memory } from './processes.mjs';

/** Several workflows at once, so that every worker is busy. */
const WORKFLOWS = 4;

const { values: options } = parseArgs({
	options: {
		json: { type: 'boolean', default: false },
		rows: { type: 'string', default: '4000' },
		events: { type: 'string', default: '400' },
		only: { type: 'string', default: '' },
		together: { type: 'string', default: '10000' },
		each: { type: 'string', default: '1000' },
		minutes: { type: 'string', default: '10' },
		burst: { type: 'string', default: '500' },
		'n8n-env': { type: 'string', multiple: true, default: [] },
	},
});

async function main() {
	await ensureRootInstall();
	await ensureBuild();
	const installation = await ensureN8n();
	const packed = await packPackage();
	const measured = [];
	let events;
	try {
		for (const workers of options.only === 'events' ? [] : [1, 2]) {
			measured.push(await measureWorkers(workers, { installation, packed }));
		}
		if (options.only !== 'workers') {
			const { together, each, minutes, burst } = options;
			events = await measureEvents({
				installation,
				packed,
				together: Number(together),
				each: Number(each),
				minutes: Number(minutes),
				burst: Number(burst),
				env: Object.fromEntries(options['n8n-env'].map((entry) => entry.split('='))),
				log: (line) => process.stderr.write(`${line}\n`),
			});
		}
	} finally {
		rmSync(packed.dir, { recursive: true, force: true });
		await stopAll();
	}
	process.stdout.write(
		options.json
			? `${JSON.stringify({ n8n: installation.version, cores: os.cpus().length, measured, events }, null, 2)}\n`
			: `${[measured.length ? tableOf(measured) : [], events ? eventTables(events) : []].flat().join('\n\n')}\n`,
	);
}

async function measureWorkers(workers, { installation, packed }) {
	const folder = mkdtempSync(path.join(os.tmpdir(), 'partner-payments-bench-scale-'));
	const stage = await startQueueStage({
		installation,
		packed,
		folder,
		workers,
		sandboxArgs: ['--state-clock', '0'],
	});
	const collector = await startCollector();
	try {
		// A warm-up, which doesn't count.
		await pay(stage, 400);
		const payouts = await costOf(stage, Number(options.rows), () =>
			pay(stage, Number(options.rows)),
		);

		const { id } = await stage.n8n.createWorkflow(eventWorkflow(stage, collector));
		await publish(stage.n8n, id);
		await stage.sandbox.change({ deliveryConcurrency: 10, deliveryTimeoutMs: 60_000 });
		await handle(stage, id, 40);
		const events = await costOf(stage, Number(options.events), () =>
			handle(stage, id, Number(options.events)),
		);
		return { workers, payouts, events };
	} finally {
		await collector.close();
		await stage.stop();
		rmSync(folder, { recursive: true, force: true });
	}
}

async function pay(stage, rows) {
	await stage.sandbox.reset();
	const own = rows / WORKFLOWS;
	const workflows = await Promise.all(
		Array.from({ length: WORKFLOWS }, async (_, number) => {
			const items = Array.from({ length: own }, (__, row) => bankRow(number * own + row));
			return await stage.n8n.createWorkflow(chainOf([payRows(stage)], { rows: items }));
		}),
	);
	const ids = await Promise.all(workflows.map(({ id }) => stage.n8n.startWorkflow(id)));
	for (const id of ids) {
		const { status, error } = await stage.n8n.waitForExecution(id, { timeoutMs: 600_000 });
		if (status !== 'success') throw new Error(`A batch ended as ${status}: ${error?.message}`);
	}
}

async function handle(stage, workflowId, events) {
	for (let number = 0; number < events; number++) await send(stage, withdrawal());
	await drain(stage, 600_000);
	await finishedExecutions(stage.n8n, workflowId, { timeoutMs: 600_000 });
}

/** The time, CPU time, memory and database size per piece of some work. */
async function costOf(stage, count, work) {
	const groups = { main: [stage.main], workers: stage.workers, webhooks: stage.webhooks };
	const used = () =>
		Object.fromEntries(
			Object.entries(groups).map(([name, members]) => [
				name,
				members.reduce((sum, { pid }) => sum + cpuTime(pid), 0),
			]),
		);
	for (const { pid } of stage.workers) forgetPeak(pid);
	const before = {
		database: await stage.postgres.size(),
		time: performance.now(),
		machine: machineCpuTime() ?? Number.NaN,
		cpu: used(),
	};
	await work();
	const seconds = (performance.now() - before.time) / 1000;
	const after = used();
	const machine = machineCpuTime() ?? Number.NaN;
	const stored = (await stage.postgres.size()) - before.database;
	const perThousand = (milliseconds) => round(milliseconds / count);
	return {
		count,
		perSecond: round(count / seconds),
		cpuSecondsPerThousand: {
			...Object.fromEntries(
				Object.keys(groups).map((name) => [name, perThousand(after[name] - before.cpu[name])]),
			),
			machine: perThousand(machine - before.machine),
		},
		peakMegabytes: stage.workers.map(({ pid }) => Math.round(memory(pid).peak ?? Number.NaN)),
		storedMegabytesPerThousand: round((stored / 1024 / 1024 / count) * 1000),
	};
}

const round = (value) => Math.round(value * 10) / 10;

function tableOf(measured) {
	const rows = measured.flatMap(({ workers, payouts, events }) => [
		{ workers, what: 'payouts', ...payouts },
		{ workers, what: 'events', ...events },
	]);
	const cpu = (name) => ({
		title: `CPU s per 1,000: ${name}`,
		right: true,
		value: ({ cpuSecondsPerThousand }) => cpuSecondsPerThousand[name],
	});
	return formatTable(
		[
			{ title: 'workers', right: true, value: ({ workers }) => workers },
			{ title: 'what', value: ({ what }) => what },
			{ title: 'count', right: true, value: ({ count }) => count },
			{ title: 'per second', right: true, value: ({ perSecond }) => perSecond },
			cpu('workers'),
			cpu('main'),
			cpu('webhooks'),
			cpu('machine'),
			{ title: 'peak MB of workers', value: ({ peakMegabytes }) => peakMegabytes.join(' + ') },
			{
				title: 'MB stored per 1,000',
				right: true,
				value: ({ storedMegabytesPerThousand }) => storedMegabytesPerThousand,
			},
		],
		rows,
	);
}

try {
	await main();
} catch (error) {
	process.stderr.write(`${inspect(error)}\n`);
	process.exitCode = 1;
}
