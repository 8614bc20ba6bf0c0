import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { startCollector } from '../harness/collector.mjs';
import {
	bankRow,
	chainOf,
	evidence,
	IN_ORDER,
	outcomes,
	payRows,
	referenceOf,
	reported,
	injectFault,
} from './batch-support.mjs';
import { executionsByWorker, useQueueStage } from './queue-support.mjs';
import { figuresTable } from './support.mjs';
import {
	callbackOf,
	drain,
	eventWorkflow,
	publish,
	send,
	finishedExecutions,
	until,
	unpublish,
	withdrawal,
} from './trigger-support.mjs';

const WORKFLOWS = 4;
const ROWS = 250;
const EVENTS = 100;

const use = useQueueStage('queue', {
	// Several deliveries at once, with a timeout for a loaded machine.
	sandboxArgs: ['--state-clock', '0', '--set', 'deliveryTimeoutMs=60000'],
});
const figures = figuresTable('n8n in queue mode: one main, two workers, one webhook processor', [
	{ title: 'what', value: ({ what }) => what, width: 60 },
	{ title: 'count', right: true, value: ({ count }) => count },
	{ title: 'once', right: true, value: ({ once }) => once },
	{ title: 'twice', right: true, value: ({ twice }) => twice },
	{ title: 'lost', right: true, value: ({ lost }) => lost },
	{ title: 'by worker', right: true, value: ({ workers }) => workers?.join(' + ') },
	{ title: 'logins', right: true, value: ({ logins }) => logins },
	{ title: 'most at once', right: true, value: ({ atOnce }) => atOnce },
]);

/** The number of executions that each worker ran. */
const sharesOf = (stage, ids) =>
	executionsByWorker(stage).map((ran) => ids.filter((id) => ran.has(String(id))).length);

/**
 * Starts several workflows with different rows at the same time.
 *
 * @param {import('../harness/queue.mjs').QueueStage} stage
 * @param {{ firstRow?: number, rows?: number, latencyMs?: number, options?: object }} [settings]
 */
async function payAtOnce(stage, { firstRow = 0, rows = ROWS, latencyMs = 20, options } = {}) {
	await stage.sandbox.addFault({
		match: { path: '/v3/*' },
		times: 'always',
		fault: { type: 'latency', ms: latencyMs },
	});
	const workflows = await Promise.all(
		Array.from({ length: WORKFLOWS }, async (_, number) => {
			const own = Array.from({ length: rows }, (__, row) =>
				bankRow(firstRow + number * rows + row),
			);
			return await stage.n8n.createWorkflow(chainOf([payRows(stage, { options })], { rows: own }));
		}),
	);
	const ids = await Promise.all(workflows.map(({ id }) => stage.n8n.startWorkflow(id)));
	const executions = await Promise.all(
		ids.map((id) => stage.n8n.waitForExecution(id, { timeoutMs: 300_000 })),
	);
	for (const { status, error } of executions) assert.equal(status, 'success', error?.message);
	return { ids, executions };
}

function countOnce({ created }) {
	const once = new Set(created).size;
	return { once, twice: created.length - once };
}

describe('payouts in queue mode', () => {
	beforeEach(async () => {
		const { sandbox } = use.stage;
		await sandbox.reset();
		await sandbox.change({ duplicateReferences: 'accept' });
	});

	it('of several workflows run on both workers at once with one login each', async () => {
		const { stage } = use;
		const { ids, executions } = await payAtOnce(stage);
		const found = await evidence(stage);
		const count = WORKFLOWS * ROWS;
		const workers = sharesOf(stage, ids);
		const { once, twice } = countOnce(found);
		figures.push({
			what: `payouts of ${WORKFLOWS} workflows`,
			count,
			once,
			twice,
			lost: count - once,
			workers,
			logins: found.logins,
			atOnce: found.maxInFlight,
		});

		assert.deepEqual(
			found.created,
			Array.from({ length: count }, (_, number) => referenceOf(number)),
		);
		for (const execution of executions) {
			assert.ok(reported(execution).every(({ outcome }) => outcome === 'created'));
		}
		assert.ok(
			workers.every((share) => share > 0),
			'both workers ran some',
		);
		assert.ok(found.maxInFlight > 10, 'one workflow alone has ten in flight');
		assert.ok(found.logins <= 2, `${found.logins} logins of two workers`);
	});

	it('are only the unsent ones after "Retry execution" on any worker', async () => {
		const { stage } = use;
		const rows = Array.from({ length: 60 }, (_, number) => bankRow(number));
		await injectFault(stage, referenceOf(20), { type: 'status', status: 422 });
		// One after the other: otherwise a row behind the fault may be sent before its own fault is set.
		const node = payRows(stage, { options: IN_ORDER });
		const { id } = await stage.n8n.createWorkflow(chainOf([node], { rows }));
		let execution = await stage.n8n.runWorkflow(id);
		const ids = [execution.id];
		assert.ok(outcomes(execution).includes('rejected'));
		// Each attempt stops in the middle until one succeeds, each on a random worker.
		for (const number of [40, 50]) {
			await injectFault(stage, referenceOf(number), { type: 'status', status: 422 });
			execution = await stage.n8n.retryExecution(execution.id);
			ids.push(execution.id);
		}
		execution = await stage.n8n.retryExecution(execution.id);
		ids.push(execution.id);
		const found = await evidence(stage);
		const { once, twice } = countOnce(found);
		figures.push({
			what: 'payouts of one run and its retries',
			count: rows.length,
			once,
			twice,
			lost: rows.length - once,
			workers: sharesOf(stage, ids),
			logins: found.logins,
			atOnce: found.maxInFlight,
		});

		assert.equal(execution.status, 'success', execution.error?.message);
		assert.equal(once, rows.length);
		assert.equal(twice, 0);
	});
});

describe('events in queue mode', () => {
	let collector, workflowId;

	before(async () => {
		const { stage } = use;
		await stage.sandbox.reset();
		await stage.sandbox.change({ deliveryTimeoutMs: 60_000 });
		collector = await startCollector();
		const workflow = eventWorkflow(stage, collector, {
			trigger: { checkForMissedEvents: 'everyMinute' },
		});
		workflowId = (await stage.n8n.createWorkflow(workflow)).id;
		await publish(stage.n8n, workflowId);
	});
	after(() => collector?.close());
	beforeEach(() => collector.clear());

	/** Sends events and waits until their executions have ended. */
	async function flow(what, { duplicates = 0, concurrency = 10 } = {}) {
		const { stage } = use;
		const { sandbox, n8n } = stage;
		await sandbox.change({ deliveryDuplicates: duplicates, deliveryConcurrency: concurrency });
		const loginsBefore = (await sandbox.counters()).logins;
		const seen = new Set((await finishedExecutions(n8n, workflowId)).map(({ id }) => id));
		const events = Array.from({ length: EVENTS }, () => withdrawal());
		for (const event of events) await send(stage, event);
		await drain(stage, 240_000);
		// A busy webhook processor answers 503, and a poll emits the event.
		await until(() => collector.counts.size >= events.length, 'every event has been handled', {
			timeoutMs: 240_000,
		});
		const executions = await finishedExecutions(n8n, workflowId, { timeoutMs: 240_000 });
		const ids = executions.map(({ id }) => id).filter((id) => !seen.has(id));

		// A publication starts a full poll, which must find nothing.
		await unpublish(n8n, workflowId);
		// Polls until then may have started executions, too.
		const before = await finishedExecutions(n8n, workflowId, { timeoutMs: 240_000 });
		const earlier = new Set(before.map(({ id }) => id));
		await publish(n8n, workflowId);
		await until(async () => {
			const looks = await finishedExecutions(n8n, workflowId, { timeoutMs: 240_000 });
			return looks.some(({ id, mode }) => mode === 'trigger' && !earlier.has(id));
		}, 'an execution has looked at everything');
		const twice = collector.repeated.length;
		const lost = events.length - collector.counts.size;
		const workers = sharesOf(stage, ids);
		const logins = (await sandbox.counters()).logins - loginsBefore;
		figures.push({
			what,
			count: events.length,
			once: collector.counts.size - twice,
			twice,
			lost,
			workers,
			logins,
		});
		assert.deepEqual({ lost, twice }, { lost: 0, twice: 0 });
		assert.ok(
			workers.every((share) => share > 0),
			'both workers ran some',
		);
	}

	it('are registered by main at the webhook processor’s address', async () => {
		const { sandbox, webhooks, main } = use.stage;
		const webhooksThere = await sandbox.admin('GET', '/webhooks');
		assert.equal(webhooksThere.length, 1);
		const url = callbackOf(webhooksThere[0]);
		assert.equal(url.port, String(webhooks[0].port));
		const atMain = await main.fetch(`${url.pathname}${url.search}`, { method: 'POST' });
		assert.equal(atMain.status, 404);
	});

	it('arrive at the webhook processor and run once each on both workers', async () => {
		await flow('events');
	});
});
