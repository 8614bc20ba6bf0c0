/**
 * A trigger misses nothing whatever a service, a network and people do to it. The tests only
 * publish workflows and retry executions that n8n lists as failed.
 */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { eventKey, startCollector } from '../harness/collector.mjs';
import { figuresTable, NAMED_FIGURES, useStage } from './support.mjs';
import { complaintOf, executeStep, whileStopped } from './trigger-missed-events-support.mjs';
import {
	allExecutions,
	asPartner,
	drain,
	eventsOf,
	eventWorkflow,
	publish,
	REPLAY,
	send,
	finishedExecutions,
	startAgain,
	theWebhook,
	unpublish,
	until,
	withdrawal,
} from './trigger-support.mjs';

/** An execution has at most 4,000. .ci/release sets 12,000, which is less than a trigger remembers. */
const MANY = Number(process.env.MISSED_EVENTS ?? 300);

const stage = useStage('trigger-missed-events', {
	// A busy n8n may need longer than 10 s for an answer.
	sandboxArgs: [
		...['--state-clock', '0', '--set', 'deliveryRetries=0'],
		...['--set', 'deliveryTimeoutMs=60000'],
	],
});
const figures = figuresTable('Checking for missed events', NAMED_FIGURES);
let collector, other;
let created = [];

before(async () => {
	[collector, other] = [await startCollector(), await startCollector()];
});
after(async () => {
	await collector?.close();
	await other?.close();
});

beforeEach(async () => {
	await stage.sandbox.reset();
	collector.clear();
	other.clear();
});

afterEach(async () => {
	await stage.sandbox.clearFaults();
	for (const id of created) await unpublish(stage.n8n, id);
	created = [];
});

/**
 * A workflow that polls every minute, not yet published.
 *
 * @param {Parameters<typeof eventWorkflow>[2] & { credential?: typeof stage.credential }} [options]
 */
async function create({ trigger, credential = stage.credential, ...options } = {}) {
	const workflow = eventWorkflow({ ...stage, credential }, collector, {
		trigger: { checkForMissedEvents: 'everyMinute', ...trigger },
		...options,
	});
	const { id } = await stage.n8n.createWorkflow(workflow);
	created.push(id);
	return id;
}

async function start(options) {
	const id = await create(options);
	await publish(stage.n8n, id);
	return id;
}

const withdrawals = (count) => Array.from({ length: count }, () => withdrawal());
const keysOf = (events) => events.map(eventKey).sort();

/**
 * Sends events that the service can't deliver, because the workflow is not published at the moment.
 *
 * @param {string} id
 * @param {any[]} events
 * @param {{ webhookId?: string }} [options]
 */
async function miss(id, events, { webhookId } = {}) {
	await unpublish(stage.n8n, id);
	await sendAll(events, webhookId);
	return events;
}

async function sendAll(events, webhookId) {
	// A hundred requests at once.
	for (let index = 0; index < events.length; index += 100) {
		const part = events.slice(index, index + 100);
		await Promise.all(part.map((event) => send(stage, event, webhookId)));
	}
	await drain(stage);
}

function assertHandledOnce(events, { counts, repeated } = collector) {
	assert.deepEqual([...counts.keys()].sort(), keysOf(events));
	assert.deepEqual(repeated, []);
}

/** Waits until a workflow's executions have ended, and returns the failed ones. */
async function failedExecutions(id) {
	const executions = await finishedExecutions(stage.n8n, id);
	return executions.filter(({ status }) => status !== 'success');
}

describe('the webhook of a trigger', () => {
	it('is reactivated at the start of n8n', async () => {
		await start();
		const { id: webhookId, url } = await theWebhook(stage);
		await whileStopped(stage, () =>
			asPartner(stage, 'PATCH', `/v2/webhooks/${webhookId}`, { status: 'INACTIVE' }),
		);
		await until(async () => (await theWebhook(stage)).status === 'ACTIVE', 'it is on again');
		assert.equal((await theWebhook(stage)).url.href, url.href);
		const event = withdrawal();
		await sendAll([event]);
		await collector.distinct(1);
	});
});

describe('a poll of the logs', () => {
	it('emits ten missed events in one execution, whose retry has all of them if the handler fails', async () => {
		const id = await start();
		const missed = await miss(id, withdrawals(10));
		collector.answer = (body) => (eventKey(body) === eventKey(missed[2]) ? 500 : 200);
		await publish(stage.n8n, id);
		const [failed, ...others] = await until(async () => {
			const found = await failedExecutions(id);
			return found.length > 0 && found;
		}, 'the third has failed');
		assert.deepEqual(others, []);
		assert.deepEqual((await eventsOf(stage.n8n, failed.id)).sort(), missed.map(eventKey).sort());

		collector.clear();
		collector.answer = () => 200;
		const { status } = await stage.n8n.retryExecution(failed.id);
		assert.equal(status, 'success');
		assertHandledOnce(missed);
	});

	it('loses nothing if n8n is killed while it handles missed events', async () => {
		const id = await start();
		const missed = await miss(id, withdrawals(60));
		// The first twenty are handled. The other handlers wait and are killed.
		let taken = 0;
		collector.answer = () => (++taken <= 20 ? 200 : new Promise(() => {}));
		await publish(stage.n8n, id);
		await until(async () => {
			const executions = await allExecutions(stage.n8n, id);
			const count = (wanted) => executions.filter(({ status }) => status === wanted).length;
			return taken >= 20 && count('running') === 1;
		}, 'some are handled and some are in flight');
		await stage.n8n.kill('SIGKILL');
		await stage.n8n.whenEnded;
		collector.answer = () => 200;
		await startAgain(stage);
		const [crashed] = await until(async () => {
			const failed = await failedExecutions(id);
			return failed.length === 1 && failed;
		}, 'n8n lists what it was killed in');
		assert.equal(crashed.status, 'crashed');
		const { status } = await stage.n8n.retryExecution(crashed.id);
		assert.equal(status, 'success');
		await collector.distinct(60);
		await finishedExecutions(stage.n8n, id);
		// The retry also has those that were handled: they share an execution.
		assert.deepEqual([...collector.counts.keys()].sort(), keysOf(missed));
	});

	it(`emits ${MANY} missed events`, { timeout: 60_000 + MANY * 500 }, async () => {
		const id = await start();
		const missed = await miss(id, withdrawals(MANY));
		const started = Date.now();
		await publish(stage.n8n, id);
		await collector.distinct(MANY, { timeoutMs: MANY * 500 });
		figures.push([`${MANY} missed events`, `${Math.round((Date.now() - started) / 1000)} s`]);
		const complaints = [];
		for (const failed of await failedExecutions(id)) {
			complaints.push(await complaintOf(stage.n8n, failed));
		}
		assert.deepEqual(complaints, []);
		assertHandledOnce(missed);
	});
});

describe('Replay Events', () => {
	it('does not affect deduplication if a person executes its step in the editor', async () => {
		const id = await start({ replay: {} });
		const missed = await miss(id, withdrawals(3));
		// If their times are equal, their order is random.
		const inOrder = (events) =>
			events.toSorted((a, b) => a.externalReference.localeCompare(b.externalReference));
		for (let time = 0; time < 2; time++) {
			const given = (await executeStep(stage.n8n, id, REPLAY)).json(REPLAY);
			assert.deepEqual(inOrder(given), inOrder(missed));
		}
		assert.equal(collector.received.length, 0, 'nothing behind the step was executed');
		await publish(stage.n8n, id);
		await collector.distinct(3);
		assertHandledOnce(missed);
	});
});
