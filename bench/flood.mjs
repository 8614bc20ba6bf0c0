/**
 * Measures 2,000 events in 20 seconds, each contestant in a fresh n8n: what the service gets, n8n's memory, and when
 * all events are handled.
 *
 * node bench/flood.mjs [--only each,all]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ensureN8n } from '../e2e/harness/install.mjs';
import { ensureBuild, ensureRootInstall } from '../e2e/harness/package.mjs';
import { startStage } from '../e2e/harness/stage.mjs';
import {
	allExecutions,
	eventWorkflow,
	HANDLER,
	publish,
	theWebhook,
	withdrawal,
} from '../e2e/tests/trigger-support.mjs';
import { memory } from './processes.mjs';

const EVENTS = 2_000;
const SECONDS = 20;
const LOOK_PAUSE_MS = 5_000;
const MAX_MINUTES = 6;

const CONTESTANTS = {
	each: { name: 'Once for Each Event', trigger: {} },
	all: {
		name: 'Once for All New Events',
		trigger: { startWorkflow: 'allNewEvents', checkForMissedEvents: 'everyMinute' },
	},
};

/**
 * @param {import('../e2e/harness/install.mjs').Installation} installation
 * @param {{ name: string, trigger: object }} contestant
 * @param {(line: string) => void} log
 */
async function measure(installation, { name, trigger }, log) {
	const folder = mkdtempSync(path.join(os.tmpdir(), 'partner-payments-flood-'));
	const stage = await startStage({ installation, folder, sandboxArgs: ['--state-clock', '0'] });
	try {
		const workflow = eventWorkflow(stage, { url: '' }, { trigger });
		const handler = workflow.nodes.find(({ name: own }) => own === HANDLER);
		Object.assign(handler ?? {}, { type: 'n8n-nodes-base.noOp', typeVersion: 1, parameters: {} });
		const { id } = await stage.n8n.createWorkflow(workflow);
		await publish(stage.n8n, id);
		await theWebhook(stage);
		await stage.sandbox.change({ deliveryConcurrency: 1_000, deliveryTimeoutMs: 60_000 });
		await sleep(35_000);
		const started = performance.now();
		const seconds = () => Math.round((performance.now() - started) / 1000);
		let peak = 0;
		for (let number = 0; number < EVENTS; number++) {
			const due = (number / EVENTS) * SECONDS * 1000;
			const early = due - (performance.now() - started);
			if (early > 0) await sleep(early);
			void stage.sandbox.admin('POST', '/events', { payload: withdrawal() }).catch(() => {});
		}
		log(`${name}: all sent after ${seconds()} s`);
		const handled = new Map();
		let executions = [];
		while (seconds() < MAX_MINUTES * 60) {
			await sleep(LOOK_PAUSE_MS);
			peak = memory(stage.n8n.pid).peak ?? 0;
			executions = await allExecutions(stage.n8n, id).catch(() => executions);
			for (const execution of executions) {
				if (execution.status !== 'success' || handled.has(execution.id)) continue;
				const detail = await stage.n8n.getExecution(execution.id).catch(() => undefined);
				if (detail)
					handled.set(
						execution.id,
						detail.items(HANDLER).map(({ json }) => json),
					);
			}
			const events = [...handled.values()].flat();
			const distinct = new Set(events.map((json) => json.externalReference)).size;
			log(
				`  ${seconds()} s: ${distinct} handled (${events.length}), ${executions.length} executions, peak ${Math.round(peak)} MB`,
			);
			if (distinct >= EVENTS) break;
		}
		const statuses = {};
		const items = await stage.sandbox.admin('GET', '/deliveries?limit=10000');
		for (const { statusCode } of items) statuses[statusCode] = (statuses[statusCode] ?? 0) + 1;
		log(`${name}: ${JSON.stringify(statuses)}`);
	} finally {
		await stage.stop();
		rmSync(folder, { recursive: true, force: true });
	}
}

const { values } = parseArgs({ options: { only: { type: 'string', default: 'each,all' } } });
const log = (line) => process.stderr.write(`${line}\n`);
await ensureRootInstall({ log });
await ensureBuild({ log });
const installation = await ensureN8n({ log });
for (const one of values.only.split(',')) await measure(installation, CONTESTANTS[one], log);
