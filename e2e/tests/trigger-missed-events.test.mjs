/**
 * A trigger misses nothing whatever a service, a network and people do to it. The tests only
 * publish workflows and retry executions that n8n lists as failed.
 */
import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventKey, startCollector } from '../harness/collector.mjs';
import { publicAddress } from '../harness/queue.mjs';
import { CREDENTIAL_TYPE, figuresTable, NAMED_FIGURES, unlessQuick, useStage } from './support.mjs';
import {
	addTrigger,
	complaintOf,
	executeStep,
	exportWorkflow,
	importWorkflow,
	rejectionOf,
	startAnotherN8n,
	whileStopped,
} from './trigger-missed-events-support.mjs';
import {
	allExecutions,
	asPartner,
	drain,
	edit,
	eventsOf,
	eventWorkflow,
	HANDLER,
	publish,
	registered,
	REPLAY,
	send,
	finishedExecutions,
	startAgain,
	theWebhook,
	triggerOf,
	unpublish,
	until,
	withdrawal,
	writes,
} from './trigger-support.mjs';

const SERVICE_WEBHOOKS = { path: '/v2/webhooks*' };
const LOGS = '/v2/webhooks/logs';
/** Polls are a minute apart and check the webhook 90 s after a start. A busy machine needs longer. */
const A_POLL = { timeoutMs: 240_000 };
/** .ci/release sets 12,000. */
const MANY = Number(process.env.MISSED_EVENTS ?? 300);

/** As in nodes/PartnerPaymentsTrigger/deduplication.ts. */
const MAX_EVENTS_IN_WINDOW = 4_000;

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

/** An identifier of a trigger whose polls come at this second. */
function idOfPollAt(second) {
	for (;;) {
		const id = randomUUID();
		if (createHash('sha256').update(id).digest()[0] % 60 === second) return id;
	}
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

/** Makes the trigger reject a delivery and returns its event. */
async function rejectOne() {
	const rejected = withdrawal();
	await sendAll([rejected]);
	const [{ statusCode }] = await stage.sandbox.admin('GET', '/deliveries');
	assert.equal(statusCode, 401);
	return rejected;
}

/**
 * Publishes again: the webhook is the same, an event arrives, and the rejected event arrives too.
 *
 * @param {string} id
 * @param {string} webhookId
 * @param {object} rejected
 * @param {{ timeoutMs?: number }} [timeout]
 */
async function publishAgain(id, webhookId, rejected, timeout) {
	await unpublish(stage.n8n, id);
	await publish(stage.n8n, id);
	assert.equal((await theWebhook(stage)).id, webhookId);
	const event = withdrawal();
	await sendAll([event]);
	const [{ status }] = await stage.sandbox.admin('GET', '/deliveries?limit=1');
	assert.equal(status, 'SUCCESS');
	await collector.distinct(2, timeout);
	assertHandledOnce([rejected, event]);
}

/** Waits until a workflow's executions have ended, and returns the failed ones. */
async function failedExecutions(id) {
	const executions = await finishedExecutions(stage.n8n, id);
	return executions.filter(({ status }) => status !== 'success');
}

/** Waits until the next check begins to read the logs. */
async function nextCheck() {
	const lastRead = async () => Date.parse((await stage.sandbox.requests({ path: LOGS })).at(-1).at);
	const before = await lastRead();
	await until(
		async () => (await lastRead()) - before > 30_000,
		'another check reads the logs',
		A_POLL,
	);
}

describe('the webhook of a trigger', () => {
	/** Changes the trigger's events and adds another trigger. */
	const addSecond = (id) =>
		edit(stage.n8n, id, (workflow) => {
			triggerOf(workflow).parameters.events = ['completed_transaction', 'failed_transaction'];
			addTrigger(workflow, {
				name: 'Second',
				collector: other,
				parameters: { events: ['expired_transaction'] },
			});
		});

	for (const [how, isOffline] of [
		['in the same publication', false],
		['while the workflow is not published', true],
	]) {
		it(`stays registered if another trigger is added ${how}`, async () => {
			const id = await start();
			const first = await theWebhook(stage);
			await stage.sandbox.addFault({
				match: SERVICE_WEBHOOKS,
				times: 'always',
				fault: { type: 'latency', ms: 200 },
			});
			if (isOffline) await unpublish(stage.n8n, id);
			await addSecond(id);
			await publish(stage.n8n, id);
			await stage.sandbox.clearFaults();

			const [mine, second, ...more] = await registered(stage);
			assert.deepEqual(more, []);
			assert.equal(mine.id, first.id);
			assert.equal(mine.url.pathname, first.url.pathname);
			assert.deepEqual(mine.events, ['completed_transaction', 'failed_transaction']);
			assert.notEqual(second.url.pathname, first.url.pathname);
			assert.deepEqual(second.events, ['expired_transaction']);

			const failed = withdrawal({ status: 'failed_transaction' });
			const expired = withdrawal({ status: 'expired_transaction' });
			await send(stage, failed, mine.id);
			await send(stage, expired, second.id);
			await collector.distinct(1);
			await other.distinct(1);
			assertHandledOnce([failed]);
			assertHandledOnce([expired], other);
		});
	}

	it(
		'is not changed by an exported workflow on another n8n with the same account',
		unlessQuick('test/trigger'),
		async () => {
			const id = await start();
			const first = await theWebhook(stage);
			const handled = withdrawal();
			await sendAll([handled]);
			await collector.distinct(1);
			const another = await startAnotherN8n(stage);
			try {
				// With the workflow's static data, which has the registration.
				const [workflow] = await exportWorkflow(stage, id);
				assert.ok(JSON.stringify(workflow.staticData).includes(first.id));
				const { id: credentialId, name } = another.credential;
				triggerOf(workflow).credentials = { [CREDENTIAL_TYPE]: { id: credentialId, name } };
				workflow.nodes.find((node) => node.name === HANDLER).parameters.url = other.url;
				await importWorkflow(another, workflow);
				await publish(another.n8n, id);

				const [mine, theirs, ...more] = await registered(stage);
				assert.deepEqual(more, []);
				assert.deepEqual(
					{ id: mine.id, url: mine.url.href, updatedAt: mine.updatedAt },
					{ id: first.id, url: first.url.href, updatedAt: first.updatedAt },
				);
				assert.equal(theirs.url.port, String(another.n8n.port));

				const event = withdrawal();
				await sendAll([event]);
				await collector.distinct(2);
				await other.distinct(1);
				await finishedExecutions(another.n8n, id);
				assertHandledOnce([handled, event]);
				// Earlier events are not emitted.
				assertHandledOnce([event], other);
				// A restart of either changes nothing.
				await whileStopped(stage, () => undefined);
				assert.deepEqual(
					(await registered(stage)).map(({ url }) => url.href),
					[first.url.href, theirs.url.href],
				);
			} finally {
				await another.n8n.stop();
			}
		},
	);

	it('stays registered if another trigger is added during a poll', async () => {
		const id = await start();
		const missed = await miss(id, withdrawals(3));
		await stage.sandbox.addFault({
			match: { path: LOGS },
			times: 'always',
			fault: { type: 'latency', ms: 3_000 },
		});
		await stage.sandbox.admin('DELETE', '/requests');
		await publish(stage.n8n, id);
		await until(
			async () => (await stage.sandbox.requests({ path: LOGS })).length > 0,
			'a poll reads the logs',
		);
		await edit(stage.n8n, id, (workflow) =>
			addTrigger(workflow, { name: 'Second', collector: other }),
		);
		await publish(stage.n8n, id);
		await stage.sandbox.clearFaults();
		await collector.distinct(missed.length);

		const after = withdrawal();
		await sendAll([after]);
		await other.distinct(1);
		await collector.distinct(missed.length + 1);
		const deliveries = await stage.sandbox.admin('GET', '/deliveries?limit=2');
		assert.deepEqual(
			deliveries.map(({ statusCode }) => statusCode),
			[200, 200],
		);
		assert.deepEqual(await failedExecutions(id), []);
		assertHandledOnce([...missed, after]);
	});

	it(
		'is repaired by the next poll if it was changed at the service',
		unlessQuick('test/trigger/registration'),
		async () => {
			await start({ trigger: { options: { description: 'Contabilidad' } } });
			const { id: webhookId, url, events } = await theWebhook(stage);
			const elsewhere = new URL(url);
			elsewhere.port = '9';
			await asPartner(stage, 'PATCH', `/v2/webhooks/${webhookId}`, {
				status: 'INACTIVE',
				description: 'Somebody',
				events: { transaction: ['failed_transaction'] },
				url: elsewhere.href,
			});
			const repaired = await until(
				async () => {
					const [webhook] = await registered(stage);
					return webhook.status === 'ACTIVE' && webhook;
				},
				'the webhook is on again',
				A_POLL,
			);
			assert.equal(repaired.id, webhookId);
			assert.equal(repaired.url.href, url.href);
			assert.equal(repaired.description, 'Contabilidad');
			assert.deepEqual(repaired.events, events);
			await theWebhook(stage);

			const event = withdrawal();
			await sendAll([event]);
			await collector.distinct(1);
			assertHandledOnce([event]);
		},
	);

	it(
		'is not reported missing by a poll during its registration',
		unlessQuick('test/trigger/registration'),
		async () => {
			const id = await create();
			const pollTime = new Date(Date.now() + 20_000).setUTCMilliseconds(0);
			await edit(stage.n8n, id, (workflow) => {
				triggerOf(workflow).id = idOfPollAt(new Date(pollTime).getUTCSeconds());
			});
			await stage.sandbox.addFault({
				match: { method: 'POST', path: '/v2/webhooks' },
				times: 1,
				fault: { type: 'latency', ms: 30_000 },
			});
			await publish(stage.n8n, id);
			const [registration] = await stage.sandbox.requests({ method: 'POST', path: '/v2/webhooks' });
			assert.ok(
				Date.parse(registration.at) < pollTime && pollTime < Date.now(),
				'n8n was registering it',
			);

			const event = withdrawal();
			await sendAll([event]);
			await collector.distinct(1);
			assert.deepEqual(await failedExecutions(id), []);
			assertHandledOnce([event]);
		},
	);

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

	it(
		'follows n8n to another address with the events missed meanwhile',
		unlessQuick('test/trigger/registration and test/simulation/events'),
		async () => {
			await start();
			const first = await theWebhook(stage);
			const missed = withdrawals(3);
			const address = new URL(first.url);
			address.hostname = 'localhost';
			await whileStopped(stage, () => sendAll(missed), {
				env: publicAddress(`${address.origin}/`),
			});
			const moved = await until(async () => {
				const webhook = await theWebhook(stage);
				return webhook.url.hostname === 'localhost' && webhook;
			}, 'the webhook has moved');
			assert.equal(moved.id, first.id);
			assert.equal(moved.url.href, address.href);
			const event = withdrawal();
			await sendAll([event]);
			await collector.distinct(4);
			assertHandledOnce([...missed, event]);
			await stage.n8n.stop();
			await startAgain(stage);
		},
	);

	it('is registered once at a service that adds a slash to its address', async () => {
		await stage.sandbox.change({ webhookTrailingSlash: true });
		const id = await start();
		const first = await theWebhook(stage);
		assert.ok(first.url.pathname.endsWith('/'));
		for (let round = 0; round < 3; round++) {
			await unpublish(stage.n8n, id);
			await publish(stage.n8n, id);
		}
		assert.equal((await theWebhook(stage)).id, first.id);
		assert.equal((await writes(stage)).length, 1, 'nothing was changed at the service');
		const event = withdrawal();
		await sendAll([event]);
		await collector.distinct(1);
		assertHandledOnce([event]);
	});

	it('is found in a list that holds a null', async () => {
		await stage.sandbox.change({ webhookListNull: true });
		const id = await start();
		const first = await theWebhook(stage);
		await unpublish(stage.n8n, id);
		await publish(stage.n8n, id);
		assert.equal((await theWebhook(stage)).id, first.id);
		const event = withdrawal();
		await sendAll([event]);
		await collector.distinct(1);
		assert.deepEqual(await failedExecutions(id), []);
	});

	it('gets a changed API key after unpublishing and publishing', async () => {
		const id = await start({
			trigger: { options: { verification: 'apiKey', verificationHeader: 'X-Api-Key' } },
		});
		const { id: webhookId } = await theWebhook(stage);
		await asPartner(stage, 'PATCH', `/v2/webhooks/${webhookId}`, { apiKey: 'changed' });
		const rejected = await rejectOne();

		await publishAgain(id, webhookId, rejected);
	});

	it('is reported with a hint if it is gone', async () => {
		const id = await start();
		await stage.sandbox.reset();
		const [failed] = await until(
			async () => {
				const found = await failedExecutions(id);
				return found.length > 0 && found;
			},
			'an execution reports it',
			A_POLL,
		);
		assert.match(await complaintOf(stage.n8n, failed), /unpublish .* publish/is);
		await unpublish(stage.n8n, id);
		await publish(stage.n8n, id);
		const event = withdrawal();
		await sendAll([event]);
		await collector.distinct(1);
		assert.equal((await failedExecutions(id)).length, 1);
	});
});

describe('the secret of a webhook', () => {
	it(
		'is reported if someone removes it from the address, and events are backfilled meanwhile',
		unlessQuick('test/trigger'),
		async () => {
			const id = await start();
			// Before that, a rejected delivery raises no alarm.
			await sleep(31_000);
			const { id: webhookId, url } = await theWebhook(stage);
			const bare = new URL(url);
			bare.searchParams.delete('secret');
			await asPartner(stage, 'PATCH', `/v2/webhooks/${webhookId}`, { url: bare.href });
			const rejected = await rejectOne();
			await collector.distinct(1, A_POLL);
			const [failed, ...others] = await until(async () => {
				const found = await failedExecutions(id);
				return found.length > 0 && found;
			}, 'an execution reports it');
			assert.deepEqual(others, []);
			assert.match(await complaintOf(stage.n8n, failed), /lost its secret.*unpublish .* publish/is);

			await publishAgain(id, webhookId, rejected);
		},
	);
});

describe('the address of a webhook', () => {
	it('is repaired by unpublishing and publishing if only its path is left, and no event is missed', async () => {
		const id = await start({ trigger: { checkForMissedEvents: 'everyHour' } });
		const { id: webhookId, url } = await theWebhook(stage);
		await asPartner(stage, 'PATCH', `/v2/webhooks/${webhookId}`, {
			url: `${url.origin}${url.pathname}`,
		});
		const rejected = await rejectOne();

		await publishAgain(id, webhookId, rejected, { timeoutMs: 30_000 });
	});
});

describe('a publication by a person', () => {
	/** Publishes with an error, corrects the cause, and publishes again. */
	async function rejectedAt(id, repair) {
		const message = await rejectionOf(stage.n8n, id);
		await repair();
		await unpublish(stage.n8n, id);
		await publish(stage.n8n, id);
		const event = withdrawal();
		await sendAll([event]);
		await collector.distinct(1);
		assert.equal((await theWebhook(stage)).status, 'ACTIVE');
		return message;
	}

	/** A workflow with its own credential that was published once. */
	async function withOwnCredential() {
		const credential = await stage.n8n.createCredential(stage.sandbox.credential());
		const id = await start({ credential });
		await unpublish(stage.n8n, id);
		return { id, credential };
	}

	it('fails if the service rejects a change', unlessQuick('test/trigger'), async () => {
		const id = await start();
		await unpublish(stage.n8n, id);
		await edit(stage.n8n, id, (workflow) => {
			triggerOf(workflow).parameters.events = ['completed_transaction', 'failed_transaction'];
		});
		await stage.sandbox.addFault({
			match: { method: 'PATCH', path: '/v2/webhooks/*' },
			times: 'always',
			fault: {
				type: 'status',
				status: 400,
				body: { statusCode: 400, message: 'The service does not like it', error: 'Bad Request' },
			},
		});
		const message = await rejectedAt(id, () => stage.sandbox.clearFaults());
		assert.match(message, /On Event.*The service does not like it/s);
	});

	it(
		'fails if the service rejects the reactivation of the webhook',
		unlessQuick('test/trigger'),
		async () => {
			const id = await start();
			const { id: webhookId } = await theWebhook(stage);
			await asPartner(stage, 'PATCH', `/v2/webhooks/${webhookId}`, { status: 'INACTIVE' });
			await unpublish(stage.n8n, id);
			await stage.sandbox.addFault({
				match: { method: 'PATCH', path: '/v2/webhooks/*' },
				times: 'always',
				fault: { type: 'status', status: 400 },
			});
			const message = await rejectedAt(id, () => stage.sandbox.clearFaults());
			assert.match(message, /On Event.*The service rejected the request/s);
		},
	);

	it('fails if the password is wrong', unlessQuick('test/trigger/registration'), async () => {
		const { id, credential } = await withOwnCredential();
		await stage.n8n.updateCredential(
			credential.id,
			stage.sandbox.credential({ password: 'of-somebody-else' }),
		);
		const message = await rejectedAt(id, () =>
			stage.n8n.updateCredential(credential.id, stage.sandbox.credential()),
		);
		assert.match(message, /password/i);
	});

	it('fails if the credential was deleted', unlessQuick('test/trigger'), async () => {
		const { id, credential } = await withOwnCredential();
		await stage.n8n.rest('DELETE', `/credentials/${credential.id}`);
		const message = await rejectedAt(id, () =>
			edit(stage.n8n, id, (workflow) => {
				const { id: credentialId, name } = stage.credential;
				triggerOf(workflow).credentials = { [CREDENTIAL_TYPE]: { id: credentialId, name } };
			}),
		);
		assert.match(message, /credential/i);
	});

	it(
		'fails if the service is unavailable and the webhook was disabled',
		unlessQuick('test/trigger'),
		async () => {
			const id = await start({ trigger: { options: { onDeactivation: 'switchOff' } } });
			await unpublish(stage.n8n, id);
			assert.equal((await theWebhook(stage)).status, 'INACTIVE');
			await stage.sandbox.addFault({ times: 'always', fault: { type: 'reset' } });
			const message = await rejectedAt(id, () => stage.sandbox.clearFaults());
			assert.match(message, /On Event/);
		},
	);
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

	it(
		'loses nothing if n8n is killed while it handles missed events',
		unlessQuick('test/trigger/deduplication and test/simulation/events'),
		async (context) => {
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
			const crashed = await until(async () => {
				const failed = await failedExecutions(id);
				return failed.length === 1 && failed;
			}, 'n8n lists what it was killed in');
			assert.ok(crashed.every(({ status }) => status === 'crashed'));
			for (const { id: executionId } of crashed) {
				const { status } = await stage.n8n.retryExecution(executionId);
				assert.equal(status, 'success');
			}
			await collector.distinct(60);
			await finishedExecutions(stage.n8n, id);
			// The retry also has those that were handled: they share an execution.
			assert.deepEqual([...collector.counts.keys()].sort(), keysOf(missed));
			context.diagnostic(`${crashed.length} executions were retried`);
		},
	);

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
		if (MANY <= MAX_EVENTS_IN_WINDOW) {
			assert.deepEqual(complaints, []);
		} else {
			// The first check reports that it can't cover them all. The next ones emit the others, and none again.
			assert.equal(complaints.length, 1);
			assert.match(complaints[0], new RegExp(`covers ${MAX_EVENTS_IN_WINDOW}\\b`));
			// Once the second has begun, the first is complete.
			await nextCheck();
			await nextCheck();
			await finishedExecutions(stage.n8n, id);
		}
		assertHandledOnce(missed);
	});

	it(
		'starts at most one execution a restart after 600 events were missed while n8n ran',
		unlessQuick('test/trigger/volume'),
		async () => {
			const count = 600;
			const id = await start();
			await until(
				async () => (await stage.sandbox.requests({ path: LOGS })).length > 0,
				'it polled',
			);
			// n8n runs, but deliveries reach somebody who is overloaded.
			const { id: webhookId, url } = await theWebhook(stage);
			const elsewhere = new URL(url);
			elsewhere.port = new URL(other.url).port;
			other.answer = () => 503;
			await asPartner(stage, 'PATCH', `/v2/webhooks/${webhookId}`, { url: elsewhere.href });
			const missed = withdrawals(count);
			await sendAll(missed);
			assert.equal(collector.counts.size, 0);
			await collector.distinct(count, A_POLL);
			assertHandledOnce(missed);

			const before = (await finishedExecutions(stage.n8n, id)).length;
			for (let restarts = 1; restarts <= 3; restarts++) {
				await whileStopped(stage, () => undefined);
				await until(
					async () => (await finishedExecutions(stage.n8n, id)).length >= before + restarts,
					'its first check has started an execution',
				);
			}
			// Another poll adds none.
			await stage.sandbox.admin('DELETE', '/requests');
			await until(
				async () => (await stage.sandbox.requests({ path: LOGS })).length > 0,
				'another poll reads the logs',
				A_POLL,
			);
			const executions = await finishedExecutions(stage.n8n, id);
			assert.ok(executions.every(({ status }) => status === 'success'));
			assert.equal(executions.length, before + 3);
			assertHandledOnce(missed);
			figures.push([
				`${count} events missed while n8n runs`,
				`${before} executions, and ${executions.length - before} at three restarts`,
			]);
		},
	);

	it('emits each event once while others are delivered', async () => {
		const id = await start();
		const { id: webhookId } = await theWebhook(stage);
		const events = await miss(id, withdrawals(120));
		await stage.sandbox.addFault({
			match: { path: LOGS },
			times: 'always',
			fault: { type: 'latency', ms: 150 },
		});
		await publish(stage.n8n, id);
		while (collector.counts.size < events.length) {
			const event = withdrawal();
			events.push(event);
			await send(stage, event, webhookId);
			await until(() => collector.counts.has(eventKey(event)), 'the event was handled');
		}
		await drain(stage);
		assert.deepEqual(await failedExecutions(id), []);
		assertHandledOnce(events);
	});

	it('survives log entries without a date, in the future or in an unknown form', async () => {
		const id = await start();
		const missed = await miss(id, withdrawals(5));
		const future = new Date(Date.now() + 3_600_000).toISOString();
		const changes = [
			{ createdAt: future, updatedAt: future },
			{ createdAt: null, updatedAt: null },
			{ createdAt: 'yesterday', updatedAt: 12 },
		];
		const deliveries = await stage.sandbox.admin('GET', '/deliveries');
		for (const [index, change] of changes.entries()) {
			await stage.sandbox.admin('PATCH', `/deliveries/${deliveries[index].id}`, change);
		}
		const odd = withdrawal();
		await sendAll([odd]);
		const [{ id: oddId }] = await stage.sandbox.admin('GET', '/deliveries?limit=1');
		await stage.sandbox.admin('PATCH', `/deliveries/${oddId}`, { payload: null });
		await publish(stage.n8n, id);
		await collector.distinct(5);

		const later = await miss(id, withdrawals(2));
		await publish(stage.n8n, id);
		await collector.distinct(7);
		// Each start reports the entry whose event can't be read.
		for (const failed of await failedExecutions(id)) {
			assert.match(await complaintOf(stage.n8n, failed), /no event that can be read/);
		}
		assertHandledOnce([...missed, ...later]);
	});

	it('emits only events that the trigger currently wants', async () => {
		const id = await start({
			trigger: { events: ['completed_transaction', 'failed_transaction'] },
		});
		const wanted = withdrawals(2);
		await miss(id, [
			wanted[0],
			withdrawal({ status: 'failed_transaction' }),
			withdrawal({ transactionType: 'deposit_crypto' }),
			wanted[1],
		]);
		await edit(stage.n8n, id, (workflow) => {
			Object.assign(triggerOf(workflow).parameters, {
				events: ['completed_transaction'],
				filters: { transactionTypes: ['withdrawal_crypto'] },
			});
		});
		await publish(stage.n8n, id);
		await collector.distinct(2);
		assert.deepEqual(await failedExecutions(id), []);
		assertHandledOnce(wanted);
	});

	it('names events older than the lookback window and emits newer ones', async () => {
		const id = await start({ trigger: { options: { lookbackHours: 2 } } });
		const [old, young] = await miss(id, withdrawals(2));
		const times = [3, 1].map((hours) => new Date(Date.now() - hours * 3_600_000).toISOString());
		for (const [index, { details }] of [old, young].entries()) {
			const deliveries = await stage.sandbox.admin('GET', '/deliveries');
			const { id: deliveryId } = deliveries.find(
				({ payload }) => payload.details.transactionId === details.transactionId,
			);
			await stage.sandbox.admin('PATCH', `/deliveries/${deliveryId}`, {
				createdAt: times[index],
				updatedAt: times[index],
			});
		}
		await publish(stage.n8n, id);
		await collector.distinct(1);
		const [failed] = await until(async () => {
			const found = await failedExecutions(id);
			return found.length > 0 && found;
		}, 'an execution reports it');
		assert.match(
			await complaintOf(stage.n8n, failed),
			new RegExp(`older than the Lookback Window.*${old.details.transactionId}`, 's'),
		);
		assertHandledOnce([young]);
	});

	it('emits an event that n8n answered and then lost', async () => {
		const id = await start();
		// An event that n8n loses if it ends at that moment: the service has the response, but nothing was started.
		const lost = await miss(id, withdrawals(3));
		for (const { id: deliveryId } of await stage.sandbox.admin('GET', '/deliveries')) {
			await stage.sandbox.admin('PATCH', `/deliveries/${deliveryId}`, { status: 'SUCCESS' });
		}
		await publish(stage.n8n, id);
		await collector.distinct(3);
		assertHandledOnce(lost);
		const executions = await finishedExecutions(stage.n8n, id);
		assert.equal(executions.length, 1);
	});

	it(
		'emits every event in both triggers of a workflow that want it',
		unlessQuick('test/trigger/emit and test/simulation/events'),
		async () => {
			const id = await create();
			await edit(stage.n8n, id, (workflow) =>
				addTrigger(workflow, { name: 'Second', collector: other }),
			);
			await publish(stage.n8n, id);
			const delivered = withdrawals(20);
			await sendAll(delivered);
			await collector.distinct(20);
			await other.distinct(20);
			const missed = await miss(id, withdrawals(20));
			await publish(stage.n8n, id);
			await collector.distinct(40);
			await other.distinct(40);
			assert.deepEqual(await failedExecutions(id), []);
			assertHandledOnce([...delivered, ...missed]);
			assertHandledOnce([...delivered, ...missed], other);
		},
	);

	it(
		'reports once that the service fails, and recovers with it',
		unlessQuick('test/trigger'),
		async () => {
			const id = await start();
			const missed = await miss(id, withdrawals(2));
			await stage.sandbox.addFault({
				match: { path: LOGS },
				times: 'always',
				fault: { type: 'status', status: 500 },
			});
			await publish(stage.n8n, id);
			const [failed] = await until(async () => {
				const found = await failedExecutions(id);
				return found.length > 0 && found;
			}, 'an execution reports it');
			assert.match(await complaintOf(stage.n8n, failed), /500|service/);
			// The next poll tries again.
			await nextCheck();
			assert.equal((await failedExecutions(id)).length, 1);
			assert.equal(collector.received.length, 0);

			await stage.sandbox.clearFaults();
			await collector.distinct(2, A_POLL);
			assert.equal((await failedExecutions(id)).length, 1);
			assertHandledOnce(missed);
		},
	);

	it(
		'reports a rejected login after n8n has started, and recovers with it',
		unlessQuick('test/trigger/poll'),
		async () => {
			const credential = await stage.n8n.createCredential(stage.sandbox.credential());
			const id = await start({ credential });
			const missed = withdrawals(2);
			await stage.n8n.updateCredential(
				credential.id,
				stage.sandbox.credential({ password: 'of-somebody-else' }),
			);
			await whileStopped(stage, () => sendAll(missed));
			const [failed] = await until(
				async () => {
					const found = await failedExecutions(id);
					return found.length > 0 && found;
				},
				'an execution reports it',
				A_POLL,
			);
			assert.match(await complaintOf(stage.n8n, failed), /password/i);
			// The workflow is still published: deliveries start it.
			const event = withdrawal();
			await sendAll([event]);
			await collector.distinct(1);

			await stage.n8n.updateCredential(credential.id, stage.sandbox.credential());
			await collector.distinct(3, A_POLL);
			assertHandledOnce([...missed, event]);
			assert.equal((await failedExecutions(id)).length, 1);
		},
	);
});

describe('Start Workflow: Once for All New Events', () => {
	it(
		'answers deliveries and starts one execution with all events',
		unlessQuick('test/trigger/poll'),
		async () => {
			const id = await start({ trigger: { startWorkflow: 'allNewEvents' } });
			const missed = await miss(id, withdrawals(5));
			await publish(stage.n8n, id);
			await collector.distinct(5);
			const [first, ...more] = await finishedExecutions(stage.n8n, id);
			assert.deepEqual(more, []);
			assert.deepEqual((await eventsOf(stage.n8n, first.id)).sort(), keysOf(missed));

			await stage.sandbox.change({ deliveryDuplicates: 0.5 });
			const delivered = withdrawals(100);
			await sendAll(delivered);
			const deliveries = await stage.sandbox.admin('GET', '/deliveries');
			assert.ok(deliveries.slice(5).every(({ statusCode }) => statusCode === 200));
			await collector.distinct(105, A_POLL);
			const executions = await finishedExecutions(stage.n8n, id);
			assert.ok(executions.every(({ mode, status }) => mode === 'trigger' && status === 'success'));
			// The first execution and one more, or two if a poll came during the deliveries.
			assert.ok([2, 3].includes(executions.length), `${executions.length} executions`);
			assertHandledOnce([...missed, ...delivered]);
		},
	);

	it(
		'cannot be published with Check for Missed Events: Never',
		unlessQuick('test/trigger/registration'),
		async () => {
			const id = await create({
				trigger: { startWorkflow: 'allNewEvents', checkForMissedEvents: 'never' },
			});
			assert.match(await rejectionOf(stage.n8n, id), /Check for Missed Events/);
			assert.deepEqual(await registered(stage), []);
		},
	);
});

describe('Replay Events', () => {
	const run = async (id) => {
		const execution = await stage.n8n.runWorkflow(id);
		assert.equal(execution.status, 'success', execution.error?.message);
		return execution;
	};

	it('emits the events of a period in every run and does not affect deduplication', async () => {
		const id = await start({ replay: {} });
		const missed = withdrawals(3);
		for (const event of missed) await miss(id, [event]);
		for (let time = 0; time < 2; time++) {
			collector.clear();
			assert.deepEqual((await run(id)).json(REPLAY), missed);
			await collector.distinct(3);
		}
		collector.clear();
		await publish(stage.n8n, id);
		await collector.distinct(3);
		assertHandledOnce(missed);
		assert.deepEqual((await run(id)).json(REPLAY), missed);
	});

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

	it('emits the events of named transactions and reports those not found', async () => {
		const { transactionId } = (await replayed()).details;
		const unknown = randomUUID();
		const id = await create({
			replay: { replayBy: 'transactions', transactions: `${transactionId}, ${unknown}` },
		});
		const execution = await run(id);
		assert.deepEqual(
			execution.json(REPLAY).map(({ details }) => details.transactionId),
			[transactionId],
		);
		const hints = execution.runs(REPLAY).flatMap((replay) => replay.hints ?? []);
		assert.match(hints[0].message, new RegExp(unknown));
	});

	/** An event that was delivered and handled, among others. */
	async function replayed() {
		const id = await start();
		const events = withdrawals(3);
		await sendAll(events);
		await collector.distinct(3);
		await finishedExecutions(stage.n8n, id);
		return events[1];
	}
});
