/**
 * Measures what triggers cost while nothing happens: their requests, their executions and the CPU of n8n, beside the
 * same n8n without them.
 *
 * node bench/idle.mjs [--triggers 30] [--minutes 10]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ensureN8n } from '../e2e/harness/install.mjs';
import { ensureBuild, ensureRootInstall, packPackage } from '../e2e/harness/package.mjs';
import { stopAll } from '../e2e/harness/processes.mjs';
import { startStage } from '../e2e/harness/stage.mjs';
import { allExecutions, eventWorkflow, publish } from '../e2e/tests/trigger-support.mjs';
import { cpuTime } from './processes.mjs';

/** What n8n does after its start, and a trigger after its publication, is over after this. */
const SETTLE_MS = 120_000;

const { values } = parseArgs({
	options: {
		triggers: { type: 'string', default: '30' },
		minutes: { type: 'string', default: '10' },
	},
});
const TRIGGERS = Number(values.triggers);
const MINUTES = Number(values.minutes);

async function main() {
	await ensureRootInstall();
	await ensureBuild();
	const packed = await packPackage();
	const folder = mkdtempSync(path.join(os.tmpdir(), 'partner-payments-idle-'));
	try {
		const installation = await ensureN8n();
		const sandboxArgs = ['--state-clock', '0'];
		const stage = await startStage({ installation, packed, folder, sandboxArgs });
		const without = await idle(stage);
		const ids = [];
		for (let number = 0; number < TRIGGERS; number++) {
			const workflow = eventWorkflow(stage, stage.n8n, { name: `Trigger ${number}` });
			const { id } = await stage.n8n.createWorkflow(workflow);
			await publish(stage.n8n, id);
			ids.push(id);
		}
		const withTriggers = await idle(stage);
		const executions = await Promise.all(ids.map((id) => allExecutions(stage.n8n, id)));
		console.log(
			`${TRIGGERS} triggers, ${MINUTES} minutes: ${withTriggers.requests} requests, ` +
				`${executions.flat().length} executions; CPU of n8n in seconds: ` +
				`${withTriggers.cpu / 1000}, without triggers ${without.cpu / 1000}`,
		);
	} finally {
		await stopAll();
		rmSync(packed.dir, { recursive: true, force: true });
		rmSync(folder, { recursive: true, force: true });
	}
}

/** What a stage does on its own. */
async function idle(stage) {
	const soFar = async () => ({
		cpu: cpuTime(stage.n8n.pid) ?? NaN,
		requests: (await stage.sandbox.requests()).length,
	});
	await sleep(SETTLE_MS);
	const before = await soFar();
	await sleep(MINUTES * 60_000);
	const after = await soFar();
	return { cpu: after.cpu - before.cpu, requests: after.requests - before.requests };
}

await main();
