import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuTime } from '../../bench/processes.mjs';
import { useStage } from './support.mjs';
import { allExecutions, eventWorkflow, publish, registered, until } from './trigger-support.mjs';

const TRIGGERS = 30;

/** How long nothing happens. */
const MINUTES = Number(process.env.IDLE_MINUTES ?? '1');

/** The interval of Check for Missed Events, by default. */
const INTERVAL_MINUTES = 5;

/** The list of webhooks, and a page of failed attempts. */
const REQUESTS_OF_A_CHECK = 2;

/** The first checks of a publication are over after this. */
const SETTLE_MS = 100_000;

/** Compared with an n8n that has no triggers (docs/performance.md). */
const CPU_LIMIT = 3;

const stage = useStage('trigger-idle', { sandboxArgs: ['--state-clock', '0'] });

/** The CPU time that n8n uses while nothing happens, in milliseconds; undefined if only Linux could tell. */
async function idle() {
	const before = cpuTime(stage.n8n.pid);
	// Not a second too long: it would hold another check.
	await sleep(MINUTES * 60_000 - 10_000);
	const after = cpuTime(stage.n8n.pid);
	return before === undefined || after === undefined ? undefined : after - before;
}

it(
	`${TRIGGERS} triggers without events send two requests a check, start no execution and need little CPU`,
	{ timeout: (2 * MINUTES + 10) * 60_000 },
	async (context) => {
		await sleep(SETTLE_MS);
		const alone = await idle();

		const ids = [];
		for (let number = 0; number < TRIGGERS; number++) {
			const workflow = eventWorkflow(stage, { url: stage.n8n.url }, { name: `Trigger ${number}` });
			ids.push((await stage.n8n.createWorkflow(workflow)).id);
			await publish(stage.n8n, ids[number]);
		}
		await until(async () => (await registered(stage)).length === TRIGGERS, 'all are registered');
		await sleep(SETTLE_MS);
		const before = (await stage.sandbox.requests()).length;
		const withTriggers = await idle();
		const requests = (await stage.sandbox.requests()).length - before;

		context.diagnostic(
			`${MINUTES} minutes, ${TRIGGERS} triggers: ${requests} requests; CPU of n8n ${alone} ms without them, ${withTriggers} ms with them`,
		);
		const checks = TRIGGERS * Math.ceil(MINUTES / INTERVAL_MINUTES);
		assert.ok(requests <= checks * REQUESTS_OF_A_CHECK, `${requests} requests`);
		for (const id of ids) assert.deepEqual(await allExecutions(stage.n8n, id), []);
		if (alone === undefined || withTriggers === undefined) return;
		assert.ok(
			withTriggers <= alone * CPU_LIMIT,
			`${withTriggers} ms, without triggers ${alone} ms`,
		);
	},
);
