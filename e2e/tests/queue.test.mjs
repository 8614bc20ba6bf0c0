import assert from 'node:assert/strict';
import http from 'node:http';
import { after, before, beforeEach, describe, it } from 'node:test';
import { eventKey, startCollector } from '../harness/collector.mjs';
import { listen } from '../harness/ports.mjs';
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
import { flood, RATE, guessesOf } from './flood.mjs';
import { executionsByWorker, useQueueStage } from './queue-support.mjs';
import { figuresTable, NAMED_FIGURES, unlessQuick } from './support.mjs';
import {
	asPartner,
	callbackOf,
	drain,
	eventWorkflow,
	publish,
	registered,
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
const abuse = figuresTable('A flood at the webhook processor', NAMED_FIGURES);

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

	it(
		'log in once for each worker and token lifetime, even if many requests meet an expired token',
		unlessQuick('test/service/session and test/engine/login'),
		async () => {
			const { stage } = use;
			// Much longer than a request takes on a slow machine: a token that expires in flight is rejected.
			const lifetimeSeconds = 5;
			await stage.sandbox.change({ tokenLifetimeSeconds: lifetimeSeconds });
			const started = Date.now();
			const { ids } = await payAtOnce(stage, { latencyMs: 400, options: { concurrency: 5 } });
			const lifetimes = Math.ceil((Date.now() - started) / 1000 / lifetimeSeconds);
			const found = await evidence(stage);
			const count = WORKFLOWS * ROWS;
			const { once, twice } = countOnce(found);
			figures.push({
				what: `the same, while tokens end (${lifetimes} lifetimes of ${lifetimeSeconds} s)`,
				count,
				once,
				twice,
				lost: count - once,
				workers: sharesOf(stage, ids),
				logins: found.logins,
				atOnce: found.maxInFlight,
			});

			assert.equal(once, count);
			assert.equal(twice, 0);
			assert.ok(found.logins > 2, 'tokens ended meanwhile');
			// An execution may begin with the token of the other worker, which its own worker doesn't know: one login more.
			const most = 2 * lifetimes + WORKFLOWS;
			assert.ok(found.logins <= most, `${found.logins} logins in ${lifetimes} lifetimes`);
		},
	);

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

/** Passes a request on, and returns the answer. */
async function pass(request, address) {
	const pieces = [];
	for await (const piece of request) pieces.push(piece);
	const headers = { 'content-type': 'application/json' };
	return await fetch(address, { method: 'POST', headers, body: Buffer.concat(pieces) });
}

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

	it(
		'run once each if every event is delivered twice at the same time',
		unlessQuick('test/trigger/deduplication and test/simulation/events'),
		async () => {
			await flow('events, each delivered twice at once', { duplicates: 1, concurrency: 20 });
		},
	);

	it(
		`cannot be forged with ${RATE} guesses of the secret per second, which do not slow main down`,
		unlessQuick('test/trigger'),
		async () => {
			const { stage } = use;
			const known = (await finishedExecutions(stage.n8n, workflowId)).length;
			const [webhook] = await stage.sandbox.admin('GET', '/webhooks');
			const url = callbackOf(webhook);
			const guessOf = guessesOf(url.searchParams.get('secret'));
			const what = 'guesses at the webhook processor';
			const { statuses, failures, rows } = await flood(
				stage.n8n,
				what,
				JSON.stringify(withdrawal()),
				(number) => {
					url.searchParams.set('secret', guessOf(number));
					return new URL(url);
				},
			);
			abuse.push(...rows);
			assert.ok(statuses[401] > 0);
			assert.equal(statuses[200], undefined);
			assert.equal(failures, 0);
			assert.equal((await finishedExecutions(stage.n8n, workflowId)).length, known);
			assert.deepEqual(collector.received, []);
		},
	);

	it(
		'run once each if the webhook processor is killed after it has started them, before it answers',
		unlessQuick('test/simulation/events'),
		async () => {
			const { stage } = use;
			const { sandbox, n8n } = stage;
			await sandbox.change({ deliveryDuplicates: 0, deliveryRetries: 0 });
			await until(
				async () => (await sandbox.requests({ path: '/v2/webhooks/logs' })).length > 0,
				'the first poll is over',
			);
			const known = new Set((await finishedExecutions(n8n, workflowId)).map(({ id }) => id));
			let accepted = 0;
			// The service gets no answer through this door, as from a processor that is killed before it answers.
			const door = http.createServer((request, response) => {
				const address = new URL(request.url ?? '', stage.webhooks[0]?.url);
				void pass(request, address)
					.then(({ ok }) => (accepted += Number(ok)))
					.catch(() => {})
					.finally(() => response.destroy());
			});
			const port = String(await listen(door));
			const events = [];
			/** Lets ten events happen. */
			const happen = async () => {
				const ten = Array.from({ length: 10 }, () => withdrawal());
				events.push(...ten);
				for (const event of ten) await send(stage, event);
			};
			// Through the door, unless a poll repairs the address before the service delivers: then the next ten.
			await until(async () => {
				const [{ id, url, description, events: wanted }] = await registered(stage);
				url.port = port;
				const transaction = wanted.transaction ?? wanted;
				const moved = {
					url: url.toString(),
					description,
					status: 'ACTIVE',
					events: { transaction },
				};
				await asPartner(stage, 'PATCH', `/v2/webhooks/${id}`, moved);
				await happen();
				// n8n doesn't recover an execution that it has stored and not yet queued when it is killed.
				await drain(stage);
				return accepted >= 5;
			}, 'n8n has started executions without an answer');
			await stage.webhooks[0].kill();
			await happen();
			await drain(stage);
			const startedBefore = accepted;
			const keys = events.map(eventKey);
			const undelivered = (await sandbox.admin('GET', '/deliveries?limit=10000')).filter(
				({ status, payload }) => status === 'ERROR' && keys.includes(eventKey(payload)),
			);
			// All, unless a poll has repaired the address meanwhile.
			assert.ok(undelivered.length > 10);
			assert.deepEqual(await stage.revive(), ['webhook-1']);

			await collector.distinct(events.length, { timeoutMs: 180_000 });
			// A poll also looks at the events that were started: the service logged them as not delivered.
			await until(
				async () => {
					const executions = await finishedExecutions(n8n, workflowId, { timeoutMs: 240_000 });
					const own = executions.filter((execution) => !known.has(execution.id));
					return own.filter(({ mode }) => mode === 'trigger').length >= undelivered.length;
				},
				'a poll has emitted all of them',
				{ timeoutMs: 240_000 },
			);
			door.close();
			const twice = collector.repeated.length;
			figures.push({
				what: `events, ${startedBefore} of them started without an answer`,
				count: events.length,
				once: collector.counts.size - twice,
				twice,
				lost: events.length - collector.counts.size,
			});
			assert.equal(twice, 0);
			assert.equal((await registered(stage)).length, 1);
		},
	);

	it(
		'are backfilled after an outage of the webhook processor, and the registration stays as it is',
		unlessQuick('test/simulation/events'),
		async () => {
			const { stage } = use;
			const { sandbox, n8n } = stage;
			await sandbox.change({ deliveryDuplicates: 0, deliveryRetries: 0 });
			const events = Array.from({ length: 40 }, () => withdrawal());
			const [missed, later] = [events.slice(0, 20), events.slice(20)];
			await stage.webhooks[0].kill();
			for (const event of missed) await send(stage, event);
			await drain(stage);
			await collector.distinct(missed.length, { timeoutMs: 120_000 });
			assert.deepEqual(await stage.revive(), ['webhook-1']);
			for (const event of later) await send(stage, event);
			await drain(stage);
			await collector.distinct(events.length, { timeoutMs: 120_000 });

			const webhooks = await sandbox.admin('GET', '/webhooks');
			await unpublish(n8n, workflowId);
			await finishedExecutions(n8n, workflowId);
			const twice = collector.repeated.length;
			figures.push({
				what: 'events, half of them without a webhook processor',
				count: events.length,
				once: collector.counts.size - twice,
				twice,
				lost: events.length - collector.counts.size,
			});
			assert.equal(twice, 0);
			assert.equal(webhooks.length, 1);
		},
	);

	it('need at most one login for each process', async () => {
		const { sandbox } = use.stage;
		const { logins } = await sandbox.counters();
		assert.ok(logins <= 4, `${logins} logins of four processes`);
	});
});
