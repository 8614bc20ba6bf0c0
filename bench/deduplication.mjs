/**
 * Measures what a full deduplication record costs: deliveries one after the other, with an empty record, one as full as
 * it is for most triggers, and one as full as it can be (docs/performance.md).
 *
 * node bench/deduplication.mjs [--events N]
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ensureN8n } from '../e2e/harness/install.mjs';
import { ensureBuild, ensureRootInstall, packPackage } from '../e2e/harness/package.mjs';
import { stopAll } from '../e2e/harness/processes.mjs';
import { startStage } from '../e2e/harness/stage.mjs';
import { formatTable } from '../e2e/harness/table.mjs';
import {
	drain,
	eventWorkflow,
	finishedExecutions,
	HANDLER,
	publish,
	send,
	startAgain,
	theWebhook,
	TRIGGER,
	triggerOf,
	withdrawal,
} from '../e2e/tests/trigger-support.mjs';
import { fill } from './processedItems.mjs';
import { cpuTime } from './processes.mjs';

/** How many events are remembered: `FEW_EVENTS` and `MAX_EVENTS` of nodes/PartnerPaymentsTrigger/deduplication.ts. */
const REMEMBERED = [0, 3_500, 6_000];

const ENTRIES_OF_AN_EVENT = 5;

const WARM_UP = 10;

const { values } = parseArgs({ options: { events: { type: 'string', default: '40' } } });
const EVENTS = Number(values.events);

async function main() {
	await ensureRootInstall();
	await ensureBuild();
	const folder = mkdtempSync(path.join(os.tmpdir(), 'partner-payments-bench-'));
	const packed = await packPackage();
	try {
		const installation = await ensureN8n();
		const sandboxArgs = ['--state-clock', '0'];
		const stage = await startStage({ installation, packed, folder, sandboxArgs });
		const rows = [];
		for (const remembered of REMEMBERED) rows.push(await measure(stage, remembered));
		await stage.stop();
		const column = (title, name) => ({ title, right: true, value: (row) => row[name] });
		console.log(
			formatTable(
				[
					column('events remembered', 'remembered'),
					column('ms in the trigger', 'inTrigger'),
					column('CPU ms per event', 'cpu'),
					column('MB written per event', 'written'),
				],
				rows,
			),
		);
	} finally {
		rmSync(packed.dir, { recursive: true, force: true });
		await stopAll();
		rmSync(folder, { recursive: true, force: true });
	}
}

async function measure(stage, remembered) {
	await stage.sandbox.reset();
	const workflow = eventWorkflow(stage, { url: stage.n8n.url });
	const handler = workflow.nodes.find(({ name }) => name === HANDLER);
	Object.assign(handler ?? {}, { type: 'n8n-nodes-base.noOp', typeVersion: 1, parameters: {} });
	const { id, nodes } = await stage.n8n.createWorkflow(workflow);
	await publish(stage.n8n, id);
	await theWebhook(stage);
	await stage.n8n.stop();
	if (remembered > 0) {
		fill(stage, id, triggerOf({ nodes }).id, remembered * ENTRIES_OF_AN_EVENT, 'the oldest');
	}
	await startAgain(stage);
	await deliver(stage, WARM_UP);
	const known = new Set((await finishedExecutions(stage.n8n, id)).map((one) => one.id));
	const { pid } = stage.n8n;
	const before = { cpu: cpuTime(pid) ?? NaN, written: written(pid) };
	await deliver(stage, EVENTS);
	const executions = await finishedExecutions(stage.n8n, id);
	const after = { cpu: cpuTime(pid) ?? NaN, written: written(pid) };
	const times = [];
	for (const execution of executions.filter((one) => !known.has(one.id))) {
		const detail = await stage.n8n.getExecution(execution.id);
		times.push(detail.runs(TRIGGER)[0].executionTime);
	}
	if (times.length !== EVENTS) throw new Error(`${times.length} executions`);
	await stage.n8n.deactivate(id);
	return {
		remembered,
		inTrigger: Math.round(times.sort((a, b) => a - b)[Math.floor(EVENTS / 2)]),
		cpu: Math.round((after.cpu - before.cpu) / EVENTS),
		written: ((after.written - before.written) / EVENTS / 1e6).toFixed(1),
	};
}

/** Lets the service deliver events one after the other. */
async function deliver(stage, count) {
	for (let number = 0; number < count; number++) {
		await send(stage, withdrawal());
		await drain(stage);
	}
}

/** The bytes that a process has written, from /proc (Linux only). */
function written(pid) {
	return Number(/^wchar: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1]);
}

await main();
