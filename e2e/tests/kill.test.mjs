/**
 * Injects each fault while a batch is being paid and events arrive. Then follows the guides as an operator: runs the
 * same file again and pays unconfirmed rows again, retries crashed executions, replays events that a worker lost.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventKey, startCollector } from '../harness/collector.mjs';
import {
	assertAccounted,
	assertPaidOnceInAll,
	BANK_PATH,
	chainOf,
	csvNodes,
	evidence,
	generated,
	payRows,
	reported,
	rowsWithoutReference,
	writeCsv,
} from './batch-support.mjs';
import { executionsByWorker, useQueueStage } from './queue-support.mjs';
import { figuresTable } from './support.mjs';
import {
	callbackOf,
	drain,
	edit,
	eventsOf,
	eventWorkflow,
	publish,
	REPLAY,
	send,
	finishedExecutions,
	triggerOf,
	unpublish,
	until,
	withdrawal,
} from './trigger-support.mjs';

const ROWS = Number(process.env.KILL_ROWS ?? 1_000);
const EVENTS = 60;
const TRIGGERS = 5;
const PAUSE_MS = 200;
const REDIS_OUTAGE_SECONDS = 10;
const TIMEOUT = { timeoutMs: 300_000 };
/** Polls are a minute apart. */
const A_POLL = { timeoutMs: 90_000 };

const use = useQueueStage('kill', {
	sandboxArgs: ['--state-clock', '0'],
	env: {
		// How soon n8n notices that a worker is gone. The default is up to a minute.
		QUEUE_WORKER_LOCK_DURATION: '10000',
		QUEUE_WORKER_LOCK_RENEW_TIME: '2000',
		QUEUE_WORKER_STALLED_INTERVAL: '3000',
		// In minutes: how soon it notices a lost execution. The default is three hours.
		N8N_EXECUTIONS_QUEUE_RECOVERY_INTERVAL: '0.1',
		// How often it looks for an interrupted publication. It resumes one after two minutes: a shorter lease would also
		// be less time for each publication, and one that takes longer has failed.
		N8N_WORKFLOW_PUBLICATION_OUTBOX_POLL_INTERVAL_MS: '2000',
	},
});
const figures = figuresTable('Faults in queue mode, and what was left of them', [
	{ title: 'fault', value: ({ fault }) => fault, width: 50 },
	{ title: 'rows', right: true, value: ({ rows }) => rows },
	{ title: 'first run', value: ({ firstRun }) => firstRun },
	{ title: 'paid in it', right: true, value: ({ first }) => first },
	{ title: 'paid once', right: true, value: ({ once }) => once },
	{ title: 'paid twice', right: true, value: ({ twice }) => twice },
	{ title: 'unconfirmed', right: true, value: ({ unconfirmed }) => unconfirmed },
	{ title: 'events', right: true, value: ({ events }) => events },
	{ title: 'backfilled', right: true, value: ({ backfilled }) => backfilled },
	{ title: 'retried', right: true, value: ({ retried }) => retried },
	{ title: 'replayed', right: true, value: ({ replayed }) => replayed },
	{ title: 'lost', right: true, value: ({ lost }) => lost },
	{ title: 'twice', right: true, value: ({ eventsTwice }) => eventsTwice },
]);

let collector, handler, handlerWebhook;

/** A file of rows for this fault, and the workflow that pays it. */
async function batchOf(name) {
	const { stage } = use;
	const rows = rowsWithoutReference(ROWS).map((row) => ({ ...row, description: name }));
	const file = writeCsv(stage, `${name}.csv`, rows);
	const node = payRows(stage, {
		parameters: generated(`batch-${name}`),
		onError: 'continueRegularOutput',
	});
	const workflow = { ...chainOf([...csvNodes(file), node]), name: `Pay ${name}` };
	const { id } = await stage.n8n.createWorkflow(workflow);

	const paid = async () =>
		(await stage.sandbox.transactions()).filter(
			({ request }) => request?.transaction?.description === name,
		);
	return {
		id,
		name,
		paid,
		/** Starts it and waits until that many rows are paid. */
		async startUntil(count) {
			const before = await paidSoFar();
			this.executionId = await stage.n8n.startWorkflow(id);
			await until(
				async () => (await paidSoFar()) - before >= count,
				`${count} rows are paid`,
				TIMEOUT,
			);
		},
	};
}

async function paidSoFar() {
	return (await use.stage.sandbox.counters()).transactionsCreated;
}

/** Sends events at a steady rate until it is stopped. */
function flowOfEvents() {
	const { stage } = use;
	const events = Array.from({ length: EVENTS }, () => withdrawal());
	const flowing = (async () => {
		for (const event of events) {
			await send(stage, event, handlerWebhook.id);
			await sleep(PAUSE_MS);
		}
	})();
	return { events, flowing };
}

/** Restores n8n: restarts every process that the fault has ended, and waits until executions succeed. */
async function operational() {
	const { stage } = use;
	let probe;
	await until(
		async () => {
			await stage.revive();
			try {
				probe ??= (await stage.n8n.createWorkflow(chainOf([]))).id;
				const { status } = await stage.n8n.runWorkflow(probe, { timeoutMs: 10_000 });
				return status === 'success';
			} catch {
				return false;
			}
		},
		'n8n works again',
		TIMEOUT,
	);
}

/** Runs the same file again and compares every row with the service, then the unconfirmed rows. */
async function payAgain(batch) {
	const { stage } = use;
	const { first, unconfirmed } = await assertPaidOnceInAll(stage, {
		workflowId: batch.id,
		count: ROWS,
		description: batch.name,
		again: () => stage.n8n.runWorkflow(batch.id, TIMEOUT),
	});
	const paid = await batch.paid();
	const once = new Set(paid.map(({ reference }) => reference)).size;
	return {
		rows: ROWS,
		firstRun: batch.status,
		first,
		unconfirmed,
		once,
		twice: paid.length - once,
	};
}

/**
 * Waits for n8n's own recovery, then retries crashed executions whose events were not handled. n8n stores nothing of
 * executions whose worker was killed: the worker's log has their events.
 */
async function finishEvents(events) {
	const { n8n } = use.stage;
	await drain(use.stage, TIMEOUT.timeoutMs);
	await finishedExecutions(n8n, handler, TIMEOUT);
	const expected = new Set(events.map(eventKey));
	const missing = () => [...expected].filter((key) => !collector.counts.has(key));
	const atFirst = missing().length;
	// A full poll comes every hour, or after a publication.
	await unpublish(n8n, handler);
	await publish(n8n, handler);
	await until(() => missing().length === 0, 'all is handled', A_POLL).catch(() => undefined);
	const retriedFrom = missing().length;
	const retried = await retryCrashed(handler, collector, expected);
	const unhandled = eventsInLogs(handler).filter(
		({ key }) => expected.has(key) && !collector.counts.has(key),
	);
	if (unhandled.length) await replay(handler, unhandled);
	return {
		events: events.length,
		backfilled: atFirst - retriedFrom,
		retried,
		replayed: unhandled.length,
		lost: missing().length,
		eventsTwice: collector.repeated.length,
	};
}

/**
 * Retries a workflow's crashed executions whose events were not handled.
 *
 * @returns {Promise<number>} how many
 */
async function retryCrashed(workflowId, { counts }, expected) {
	const { n8n } = use.stage;
	let retried = 0;
	for (const { id, status } of await finishedExecutions(n8n, workflowId, TIMEOUT)) {
		if (status === 'success') continue;
		const keys = await eventsOf(n8n, id);
		if (!keys.some((key) => expected.has(key) && !counts.has(key))) continue;
		const { status: after, error } = await n8n.retryExecution(id, TIMEOUT);
		assert.equal(after, 'success', error?.message);
		retried += 1;
	}
	return retried;
}

/** The events that workers have started to handle, from their logs. */
function eventsInLogs(workflowId) {
	const { logsFolder } = use.stage;
	const line = new RegExp(`execution (\\d+) of workflow ${workflowId} handles ([\\w:, -]+)`, 'g');
	return readdirSync(logsFolder)
		.filter((file) => file.startsWith('worker-'))
		.flatMap((file) => [...readFileSync(path.join(logsFolder, file), 'utf8').matchAll(line)])
		.flatMap(([, executionId, keys]) =>
			keys.split(', ').map((key) => {
				const [transactionId, status] = key.split(':');
				return { executionId, transactionId, key: eventKey({ transactionId, status }) };
			}),
		);
}

/** Runs Replay Events for some transactions. */
async function replay(workflowId, events) {
	const { n8n } = use.stage;
	await edit(n8n, workflowId, ({ nodes }) => {
		const { parameters } = nodes.find(({ name }) => name === REPLAY);
		parameters.transactions = events.map(({ transactionId }) => transactionId).join(', ');
	});
	const { status, error } = await n8n.runWorkflow(workflowId, TIMEOUT);
	assert.equal(status, 'success', error?.message);
}

function assertNothingLost(found) {
	figures.push(found);
	assert.equal(found.once, found.rows, 'every row is paid once');
	assert.equal(found.twice, 0);
	assert.equal(found.lost, 0);
	assert.equal(found.eventsTwice, 0);
}

/** The workflows of the webhooks at the service. */
async function workflowsOfWebhooks() {
	const { sandbox, n8n } = use.stage;
	const owners = new Map();
	for (const { id } of await n8n.rest('GET', '/workflows')) {
		const trigger = triggerOf(await n8n.rest('GET', `/workflows/${id}`));
		if (trigger) owners.set(trigger.webhookId, id);
	}
	const webhooks = await sandbox.admin('GET', '/webhooks');
	return webhooks.map((webhook) => owners.get(callbackOf(webhook).pathname.split('/')[2]));
}

/**
 * An operator doesn't rerun a batch while it is still being paid. What the run then reports is what the service has; n8n
 * stores no report of a run whose worker was killed.
 */
async function batchHasEnded(batch) {
	const { stage } = use;
	const execution = await stage.n8n.waitForExecution(batch.executionId, TIMEOUT);
	batch.status = execution.status;
	// A worker that n8n has given up may still be running.
	await untilNothingIsPaid();
	if (batch.status !== 'success') return;
	const rows = reported(execution);
	assert.equal(rows.length, ROWS, 'the first run reports every row');
	assertAccounted(rows, await evidence(stage, { description: batch.name }));
}

/** Waits until the service makes no more payments of what it has received. */
async function untilNothingIsPaid() {
	let before;
	await until(
		async () => {
			const now = await paidSoFar();
			const isQuiet = now === before;
			before = now;
			if (!isQuiet) await sleep(2_000);
			return isQuiet;
		},
		'the service makes no more payments',
		TIMEOUT,
	);
}

describe('fault injection during a batch and a flow of events', () => {
	before(async () => {
		const { stage } = use;
		collector = await startCollector();
		const workflow = eventWorkflow(stage, collector, {
			trigger: { checkForMissedEvents: 'everyMinute' },
			replay: { replayBy: 'transactions', transactions: 'none-yet' },
			name: 'Handle events',
		});
		handler = (await stage.n8n.createWorkflow(workflow)).id;
		await publish(stage.n8n, handler);
		[handlerWebhook] = await until(async () => {
			const webhooks = await stage.sandbox.admin('GET', '/webhooks');
			return webhooks.length > 0 && webhooks;
		}, 'the webhook is registered');
	});
	after(() => collector?.close());

	beforeEach(async () => {
		const { sandbox } = use.stage;
		await sandbox.clearFaults();
		await sandbox.change({
			// It accepts duplicates, so that only the node can prevent them.
			duplicateReferences: 'accept',
			deliveryRetries: 1,
			deliveryRetryDelaysMs: [1_000],
			deliveryTimeoutMs: 30_000,
		});
		await sandbox.addFault({
			match: { method: 'POST', path: BANK_PATH },
			times: 'always',
			fault: { type: 'latency', ms: 50 },
		});
		collector.clear();
	});
	afterEach(async () => {
		await use.stage.revive();
	});

	it('pays and handles everything once after SIGKILL of the paying worker', async () => {
		const { stage } = use;
		const batch = await batchOf('worker');
		const { events, flowing } = flowOfEvents();
		await batch.startUntil(ROWS * 0.3);
		const paying = executionsByWorker(stage).findIndex((ran) => ran.has(batch.executionId));
		await stage.workers[paying].kill();
		await untilNothingIsPaid();
		const atKill = (await batch.paid()).length;
		assert.ok(atKill < ROWS, 'the batch was interrupted in the middle');

		// The other worker, which doesn't know the progress, must not pay it.
		await batchHasEnded(batch);
		assert.ok(['crashed', 'error'].includes(batch.status), batch.status);
		assert.equal((await batch.paid()).length, atKill, 'nobody went on with it');

		await flowing;
		await operational();
		assertNothingLost({
			fault: 'SIGKILL of the worker that pays',
			...(await payAgain(batch)),
			...(await finishEvents(events)),
		});
	});

	for (const [name, fault, inject] of /** @type {Array<[string, string, () => Promise<void>]>} */ ([
		[
			'redis',
			`Redis gone for ${REDIS_OUTAGE_SECONDS} s`,
			async () => {
				await use.stage.redis.stop();
				await sleep(REDIS_OUTAGE_SECONDS * 1_000);
				await use.stage.redis.start();
			},
		],
		['postgres', 'PostgreSQL restarted', () => use.stage.postgres.restart()],
	])) {
		it(`pays and handles everything once: ${fault}`, async () => {
			const batch = await batchOf(name);
			const { events, flowing } = flowOfEvents();
			await batch.startUntil(ROWS * 0.3);
			await inject();
			await flowing;
			await operational();
			await batchHasEnded(batch);
			assertNothingLost({ fault, ...(await payAgain(batch)), ...(await finishEvents(events)) });
		});
	}

	it('registers each trigger once after SIGKILL of main during registration', async () => {
		const { stage } = use;
		const { sandbox } = stage;
		const batch = await batchOf('main');
		const { events, flowing } = flowOfEvents();
		const collectors = await Promise.all(Array.from({ length: TRIGGERS }, () => startCollector()));
		const ids = [];
		for (const [index, own] of collectors.entries()) {
			const workflow = eventWorkflow(stage, own, {
				trigger: { checkForMissedEvents: 'everyMinute' },
				name: `Trigger ${index}`,
			});
			ids.push((await stage.n8n.createWorkflow(workflow)).id);
		}
		await batch.startUntil(ROWS * 0.3);

		// Some are registered, one waits for the response, the others have not started.
		await sandbox.addFault({
			match: { method: 'POST', path: '/v2/webhooks' },
			times: 'always',
			fault: { type: 'latency', ms: 500, when: 'after' },
		});
		const registrations = async () =>
			(await sandbox.requests({ method: 'POST', path: '/v2/webhooks' })).length;
		const before = await registrations();
		const publishing = ids.map((id) => stage.n8n.activate(id).catch(() => undefined));
		const isTaken = async (id) => {
			const { status } = await stage.n8n.publicationStatus(id);
			return status !== 'not_published';
		};
		await until(
			async () =>
				(await registrations()) > before && (await Promise.all(ids.map(isTaken))).every(Boolean),
			'the first registers, and main has taken all',
		);
		await stage.main.kill();
		await Promise.all(publishing);
		await sandbox.clearFaults();
		await flowing;
		await operational();
		await batchHasEnded(batch);
		// n8n resumes the interrupted publications.
		for (const id of ids) {
			await until(
				async () => {
					const { status } = await stage.n8n.publicationStatus(id);
					return !['pending', 'in_progress'].includes(status);
				},
				'n8n has gone on with the publication',
				TIMEOUT,
			);
		}
		// A poll registers webhooks whose request or response was lost.
		await until(
			async () => {
				const registered = await workflowsOfWebhooks();
				return ids.every((id) => registered.includes(id));
			},
			'all triggers are registered',
			TIMEOUT,
		);

		assert.deepEqual((await workflowsOfWebhooks()).sort(), [handler, ...ids].sort());

		const news = Array.from({ length: 10 }, () => withdrawal());
		for (const event of news) await send(stage, event);
		await drain(stage, TIMEOUT.timeoutMs);
		const expected = new Set(news.map(eventKey));
		for (const [index, own] of collectors.entries()) {
			// n8n's check for lost executions treats one that is about to be queued as crashed.
			await retryCrashed(ids[index], own, expected);
			// n8n may have been too busy for a delivery: a poll has it.
			await own.distinct(expected.size, TIMEOUT);
			assert.deepEqual([...own.counts.keys()].sort(), [...expected].sort());
			assert.deepEqual(own.repeated, []);
		}
		assertNothingLost({
			fault: `SIGKILL of main while ${TRIGGERS} triggers register`,
			...(await payAgain(batch)),
			...(await finishEvents([...events, ...news])),
		});
		for (const own of collectors) await own.close();
	});

	it('handles an event at least once after SIGKILL of the worker that handles it', async () => {
		const { stage } = use;
		const own = await startCollector();
		const workflow = eventWorkflow(stage, own, {
			trigger: { checkForMissedEvents: 'everyMinute' },
			replay: { replayBy: 'transactions', transactions: 'none-yet' },
			name: 'Handle events slowly',
		});
		const { id } = await stage.n8n.createWorkflow(workflow);
		await publish(stage.n8n, id);

		// The handler has the event and waits.
		/** @type {Promise<void>} */
		const begun = new Promise((resolve) => {
			own.answer = () => {
				resolve();
				return new Promise(() => {});
			};
		});
		const event = withdrawal();
		await send(stage, event);
		await begun;
		const [{ executionId }] = eventsInLogs(id);
		const handling = executionsByWorker(stage).findIndex((ran) => ran.has(executionId));
		await stage.workers[handling].kill();
		own.answer = () => 200;
		await operational();

		// n8n ends the execution without stored data, so it can't be retried. The event counts as emitted.
		const ended = await finishedExecutions(stage.n8n, id, TIMEOUT);
		const { status } = ended.find((execution) => String(execution.id) === executionId);
		assert.ok(['crashed', 'error'].includes(status), status);
		await unpublish(stage.n8n, id);
		await publish(stage.n8n, id);
		await until(
			async () => (await finishedExecutions(stage.n8n, id, TIMEOUT)).length > ended.length,
			'an execution has looked at everything',
		);
		assert.equal(own.received.length, 0);

		// The worker's log names the event.
		const [found] = eventsInLogs(id);
		assert.equal(found.key, eventKey(event));
		await replay(id, [found]);
		figures.push({
			fault: 'SIGKILL of a worker in the middle of an event',
			events: 1,
			backfilled: 0,
			retried: 0,
			replayed: 1,
			lost: 1 - own.counts.size,
			eventsTwice: own.repeated.length,
		});
		assert.deepEqual([...own.counts], [[eventKey(event), 1]]);
		await own.close();
	});
});
