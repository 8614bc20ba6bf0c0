import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { startCollector } from '../harness/collector.mjs';
import { useStage } from './support.mjs';
import {
	allExecutions,
	drain,
	edit,
	eventWorkflow,
	publish,
	registered,
	restart,
	send,
	finishedExecutions,
	theWebhook,
	TRIGGER,
	triggerOf,
	unpublish,
	until,
	withdrawal,
} from './trigger-support.mjs';

const SERVICE_WEBHOOKS = { path: '/v2/webhooks*' };

const stage = useStage('trigger', {
	// A busy n8n may need longer than 10 s for an answer.
	sandboxArgs: ['--state-clock', '0', '--set', 'deliveryTimeoutMs=60000'],
});

let collector;
let created = [];

before(async () => {
	collector = await startCollector();
});
after(() => collector?.close());

beforeEach(async () => {
	await stage.sandbox.reset();
	collector.clear();
});

afterEach(async () => {
	await stage.sandbox.clearFaults();
	for (const id of created) await unpublish(stage.n8n, id);
	created = [];
});

async function create(options) {
	const { id } = await stage.n8n.createWorkflow(eventWorkflow(stage, collector, options));
	return id;
}

/** A published workflow. */
async function start(options) {
	const id = await create(options);
	created.push(id);
	await publish(stage.n8n, id);
	return id;
}

/** A transaction that completes at the service. */
async function completeATransaction() {
	const { sandbox } = stage;
	const { id } = await sandbox.admin('POST', '/crypto-deposits', {
		amount: '5',
		asset: 'USDC',
		blockchain: 'Polygon',
	});
	await sandbox.admin('POST', `/transactions/${id}/status`, { status: 'completed_transaction' });
	return id;
}

/** The address that the service calls, with its secret. */
async function callback(kind) {
	const { url } = await theWebhook(stage, kind);
	return url;
}

describe('registration in a real n8n', () => {
	it('keeps one webhook through all changes of the workflow', async () => {
		const { sandbox } = stage;
		const id = await start();
		const first = await theWebhook(stage);
		assert.equal(first.status, 'ACTIVE');
		assert.deepEqual(first.events, ['completed_transaction']);
		assert.equal(first.description, 'n8n: React to events');
		const same = async (changes = {}) => {
			const webhook = await theWebhook(stage);
			const expected = { ...first, ...changes };
			for (const field of ['id', 'status', 'events', 'description']) {
				assert.deepEqual(webhook[field], expected[field], field);
			}
			assert.equal(webhook.url.href, (changes.url ?? first.url).href);
			assert.equal((await registered(stage)).length, 1);
			return webhook;
		};

		// Saved and published without a relevant change: the service gets no request.
		await edit(stage.n8n, id, (workflow) => {
			triggerOf(workflow).position = [40, 40];
		});
		await publish(stage.n8n, id);
		assert.equal((await same()).updatedAt, first.updatedAt);

		const events = ['completed_transaction', 'failed_transaction', 'expired_transaction'];
		await edit(stage.n8n, id, (workflow) => {
			triggerOf(workflow).parameters.events = events;
		});
		await publish(stage.n8n, id);
		await same({ events });

		await edit(stage.n8n, id, (workflow) => {
			triggerOf(workflow).name = 'Renamed';
			workflow.connections.Renamed = workflow.connections[TRIGGER];
			delete workflow.connections[TRIGGER];
		});
		await publish(stage.n8n, id);
		await same({ events });

		for (let round = 0; round < 2; round++) {
			await unpublish(stage.n8n, id);
			await same({ events });
			await publish(stage.n8n, id);
			await same({ events });
		}

		const transactionId = await completeATransaction();
		await collector.distinct(1);
		await drain(stage);
		await restart(stage);
		await same({ events });

		// Events from before the restart are still known, and the webhook still works.
		await sandbox.admin('POST', `/transactions/${transactionId}/status`, {
			status: 'completed_transaction',
			force: true,
		});
		await completeATransaction();
		await collector.distinct(2);
		await drain(stage);
		await finishedExecutions(stage.n8n, id);
		assert.deepEqual(collector.repeated, []);
		assert.equal(collector.received.length, 2);
	});

	it('keeps one test webhook, which is active only while n8n listens', async () => {
		const id = await start();
		const production = await theWebhook(stage);
		const listen = async () => {
			const workflowData = await stage.n8n.rest('GET', `/workflows/${id}`);
			const run = { workflowData, triggerToStartFrom: { name: TRIGGER } };
			const answer = await stage.n8n.rest('POST', `/workflows/${id}/run`, run);
			assert.equal(answer.waitingForWebhook, true);
		};
		const isOff = async () => (await theWebhook(stage, 'test')).status === 'INACTIVE';

		await listen();
		const test = await theWebhook(stage, 'test');
		assert.equal(test.status, 'ACTIVE');
		assert.deepEqual(test.events, ['completed_transaction']);
		assert.notEqual(test.url.searchParams.get('secret'), production.url.searchParams.get('secret'));

		const event = withdrawal();
		await send(stage, event, test.id);
		await collector.distinct(1);
		await until(isOff, 'the test webhook is off');

		// The same event may be tested again, although the workflow has handled it.
		await listen();
		assert.equal((await theWebhook(stage, 'test')).id, test.id);
		assert.equal((await theWebhook(stage, 'test')).status, 'ACTIVE');
		await send(stage, event, test.id);
		await until(() => collector.received.length === 2, 'the event was handled again');
		await until(isOff, 'the test webhook is off');

		await listen();
		assert.equal((await theWebhook(stage, 'test')).status, 'ACTIVE');
		await stage.n8n.rest('DELETE', `/test-webhook/${id}`);
		await until(isOff, 'the test webhook is off');

		const { updatedAt, status } = await theWebhook(stage);
		assert.deepEqual({ updatedAt, status }, { updatedAt: production.updatedAt, status: 'ACTIVE' });
		assert.equal((await registered(stage)).length, 2);
	});

	it('reports why the first publication failed, and creates one webhook in the next', async () => {
		await stage.sandbox.addFault({
			match: SERVICE_WEBHOOKS,
			times: 'always',
			fault: { type: 'status', status: 503 },
		});
		const id = await create();
		created.push(id);
		const rejection = await stage.n8n.activate(id).catch((error) => error);
		// n8n 1 has it in its response, which the editor shows; n8n 2 only in the log and here.
		const publication = await stage.n8n.publicationStatus(id);
		const message = publication
			? publication.triggers[0].errorMessage
			: JSON.parse(rejection.answer).message;
		assert.match(
			message,
			/The webhook of "On Event" is not registered at the payments service, so no events arrive\. .*503/,
		);
		if (publication) assert.match(stage.n8n.logs(), /The webhook of "On Event" is not registered/);
		assert.equal((await registered(stage)).length, 0);

		await stage.sandbox.clearFaults();
		await publish(stage.n8n, id);
		await completeATransaction();
		await collector.distinct(1);
		await theWebhook(stage);
	});
});

describe('verification in a real n8n', () => {
	it('starts nothing for forged or unreadable deliveries', async () => {
		const victim = await start();
		const url = await callback();
		const other = await start();
		const otherUrl = (await registered(stage)).at(-1).url;
		assert.notEqual(otherUrl.pathname, url.pathname);

		const event = JSON.stringify(withdrawal());
		const json = { 'content-type': 'application/json' };
		const withSecret = (secret) => `${url.pathname}?secret=${secret}`;
		const genuine = `${url.pathname}${url.search}`;
		const cases = [
			['no secret', url.pathname, event, json, 401],
			['an empty secret', withSecret(''), event, json, 401],
			['a wrong secret', withSecret('0'.repeat(64)), event, json, 401],
			['another workflow’s', withSecret(otherUrl.searchParams.get('secret')), event, json, 401],
			['two secrets', `${genuine}&secret=${'0'.repeat(64)}`, event, json, 401],
			['a wrong path', `/webhook/${randomUUID()}/webhook${url.search}`, event, json, 404],
			['a wrong method', genuine, undefined, {}, 404, 'GET'],
			// n8n may close the connection before it has all of it.
			[
				'an oversized body',
				genuine,
				`{"a":"${'x'.repeat(17 * 1024 * 1024)}"}`,
				json,
				[413, 500, 'EPIPE', 'ECONNRESET'],
			],
			['a malformed body', genuine, '{"status": ', json, [400, 422]],
			['a list', genuine, `[${event}]`, json, 400],
			['a text in JSON', genuine, '"completed_transaction"', json, 400],
			['an empty body', genuine, '', json, 400],
			['a text', genuine, 'status=completed', { 'content-type': 'text/plain' }, 400],
			[
				'a form',
				genuine,
				'status=completed_transaction',
				{ 'content-type': 'application/x-www-form-urlencoded' },
				400,
			],
		];
		for (const [what, route, body, headers, expected, method = 'POST'] of cases) {
			const response = await stage.n8n
				.fetch(route, { method, headers, body })
				.catch(({ cause }) => ({ status: cause?.code, text: () => '' }));
			const answer = await response.text();
			assert.ok([expected].flat().includes(response.status), `${what}: ${response.status}`);
			assert.ok(!answer.includes(url.searchParams.get('secret')), what);
		}
		assert.equal((await allExecutions(stage.n8n, victim)).length, 0);
		assert.equal((await allExecutions(stage.n8n, other)).length, 0);
		assert.equal(collector.received.length, 0);
		assert.match(
			stage.n8n.logs(),
			/rejected a delivery to "On Event" .*its secret is missing or wrong/,
		);

		// The same address with the right secret and body starts it.
		const accepted = await stage.n8n.fetch(genuine, { method: 'POST', headers: json, body: event });
		assert.equal(accepted.status, 200);
		assert.deepEqual(await accepted.json(), { message: 'Received' });
		await collector.distinct(1);
		const executions = await finishedExecutions(stage.n8n, victim);
		assert.equal(executions.length, 1);

		// The secret is not visible anywhere.
		const secret = url.searchParams.get('secret');
		const workflow = await stage.n8n.rest('GET', `/workflows/${victim}`);
		assert.ok(!JSON.stringify(workflow).includes(secret));
		const { data } = await stage.n8n.getExecution(executions[0].id);
		assert.ok(!JSON.stringify(data).includes(secret));
		assert.ok(!stage.n8n.logs().includes(secret));
	});
});

describe('delivery in a real n8n', () => {
	it('distinguishes the statuses of one transaction and passes on all fields', async () => {
		const id = await start({
			trigger: { events: ['completed_transaction', 'processing_transaction'] },
		});
		const { id: webhookId } = await theWebhook(stage);
		const transactionId = randomUUID();
		const completed = withdrawal({
			details: { transactionId, nested: { list: [1, { two: 2 }] } },
			extra: [null, 'ñ', 1e21],
		});
		const unknown = {
			status: 'frozen_transaction',
			transactionType: 'card_refund',
			details: { transactionId },
		};
		const anonymous = { status: 'completed_transaction', note: 'no transaction' };
		for (const event of [completed, unknown, anonymous, { ...anonymous, note: 'another' }]) {
			await send(stage, event, webhookId);
			await send(stage, event, webhookId);
		}
		// Not registered for, in case the service sends it anyway.
		await send(stage, withdrawal({ status: 'failed_transaction' }), webhookId);
		await drain(stage);
		await finishedExecutions(stage.n8n, id);
		const notes = collector.received.map(({ note }) => note).filter(Boolean);
		assert.deepEqual(notes.sort(), ['another', 'no transaction']);
		assert.equal(collector.received.length, 4);
		const find = (wanted) => collector.received.find(({ status }) => status === wanted);
		assert.deepEqual(find('frozen_transaction'), unknown);
		assert.deepEqual(
			collector.received.find(({ extra }) => extra),
			completed,
		);
		// A delivery that n8n answered too late is repeated.
		assert.ok((await allExecutions(stage.n8n, id)).length >= 8);
	});
});
