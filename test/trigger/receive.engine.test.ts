import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { logLines } from '../engine/log';
import { useService } from '../engine/service';
import { eventPayload, logged, onlyWebhook, stopClock, TestTrigger } from './trigger';

const service = useService();

const body = JSON.stringify(eventPayload('a'));

const triggers: TestTrigger[] = [];

// Deliveries that wait for their execution keep n8n busy.
afterEach(async () => {
	jest.useRealTimers();
	for (const trigger of triggers.splice(0)) await trigger.executeAccepted();
});

/** A published trigger, and how the service calls it. */
async function published(parameters: INodeParameters = {}) {
	const trigger = new TestTrigger(service, parameters);
	triggers.push(trigger);
	await trigger.register();
	const { url } = onlyWebhook(service);
	return { trigger, query: Object.fromEntries(new URL(url).searchParams) };
}

const REJECTED = { status: 401, message: expect.stringMatching(/./) as string };

beforeEach(() => {
	logLines.length = 0;
});

describe('genuine deliveries', () => {
	test('starts an execution with the delivered event, and answers', async () => {
		const { trigger, query } = await published();
		const { status, response, items } = await trigger.deliver({ query, body });
		expect(status).toBeUndefined();
		expect(response).toEqual({ message: 'Received' });
		expect(items).toHaveLength(1);
		const { json } = await trigger.execute(items ?? []);
		expect(json).toEqual([eventPayload('a')]);
	});

	test('deduplicates repeated deliveries', async () => {
		const { trigger, query } = await published();
		const first = await trigger.deliver({ query, body });
		const second = await trigger.deliver({ query, body });
		expect(first.items).not.toEqual(second.items);
		expect((await trigger.execute(first.items ?? [])).json).toHaveLength(1);
		expect((await trigger.execute(second.items ?? [])).json).toHaveLength(0);
	});

	test('reads a body that n8n has not read', async () => {
		const { trigger, query } = await published();
		const { items } = await trigger.deliver({ query, body, isRead: false });
		expect(items?.[0].json.payload).toEqual(eventPayload('a'));
	});

	test('answers an event that the filters exclude, and starts nothing', async () => {
		const { trigger, query } = await published({ events: ['failed_transaction'] });
		const { status, message, items } = await trigger.deliver({ query, body });
		expect(status).toBe(200);
		expect(message).toMatch(/filter/i);
		expect(items).toBeUndefined();
	});

	test('leaves an event for the next poll with Once for All New Events', async () => {
		const { trigger, query } = await published({ startWorkflow: 'allNewEvents' });
		const { status, message, items } = await trigger.deliver({ query, body });
		expect(status).toBe(200);
		expect(message).toMatch(/next poll/);
		expect(items).toBeUndefined();
		const tested = await trigger.deliver({ query, body, mode: 'manual' });
		expect(tested.items).toHaveLength(1);
	});

	test.each(['', 'no JSON', '[]', '"text"', 'null', '7', body.slice(0, -1)])(
		'rejects the body %p, which is no event',
		async (wrong) => {
			const { trigger, query } = await published();
			const { status, message, items } = await trigger.deliver({ query, body: wrong });
			expect(status).toBe(400);
			expect(message).toMatch(/JSON/);
			expect(items).toBeUndefined();
		},
	);

	test('rejects a body that is nested too deeply', async () => {
		const { trigger, query } = await published();
		const deep = `{"details":${'['.repeat(5_000)}${']'.repeat(5_000)}}`;
		expect((await trigger.deliver({ query, body: deep })).status).toBe(400);
	});
});

describe('many deliveries at once', () => {
	const deliveries = async (trigger: TestTrigger, query: IDataObject, count: number) => {
		const results = [];
		for (let number = 0; number < count; number++) {
			const payload = JSON.stringify(eventPayload(`event ${number}`));
			results.push(await trigger.deliver({ query, body: payload }));
		}
		return results;
	};

	test('get a 503 beyond thirty that wait for their execution', async () => {
		const { trigger, query } = await published();
		const results = await deliveries(trigger, query, 40);
		expect(results.map(({ status }) => status)).toEqual([
			...Array.from({ length: 30 }, () => undefined),
			...Array.from({ length: 10 }, () => 503),
		]);
		expect(results[30]).toMatchObject({
			message: 'n8n is busy. The next poll emits it',
			headers: { 'Retry-After': '60' },
		});
		for (const { items } of results.slice(0, 20)) await trigger.execute(items ?? []);
		const more = await deliveries(trigger, query, 25);
		expect(more.filter(({ status }) => status === 503)).toHaveLength(5);
	});

	test('are all accepted if nothing else would emit them', async () => {
		const { trigger, query } = await published({ checkForMissedEvents: 'never' });
		const results = await deliveries(trigger, query, 60);
		expect(results.filter(({ items }) => items)).toHaveLength(60);
	});

	test('are emitted by a poll within a minute', async () => {
		stopClock();
		const { trigger, query } = await published();
		await trigger.start();
		const { id } = onlyWebhook(service);
		await deliveries(trigger, query, 40);
		for (let number = 30; number < 40; number++) {
			logged(service, id, { name: `event ${number}`, minutes: 0 });
		}
		await trigger.pass(20_000);
		expect(trigger.transactions).toEqual([]);
		// The service tries another one after the others.
		expect((await deliveries(trigger, query, 1))[0].status).toBe(503);
		logged(service, id, { name: 'last', minutes: 0 });
		await trigger.pass(20_000);
		expect(trigger.transactions.flat()).toHaveLength(10);
		await trigger.pass(30_000);
		expect(trigger.transactions.flat()).toHaveLength(11);
		const before = service.sent().length;
		await trigger.pass(120_000);
		expect(service.sent()).toHaveLength(before);
	});
});

describe('verification', () => {
	test.each([
		[true, 401],
		[false, undefined],
	])('asks for the secret if Verify Deliveries is %p', async (verifyDeliveries, status) => {
		const { trigger, query } = await published({ verifyDeliveries });
		expect((await trigger.deliver({ query, body })).items).toHaveLength(1);
		expect((await trigger.deliver({ body })).status).toBe(status);
	});

	test.each<[string, (secret: string) => unknown]>([
		['in upper case', (secret) => secret.toUpperCase()],
		['without its end', (secret) => secret.slice(0, -1)],
		['with something after it', (secret) => `${secret} `],
		['twice', (secret) => [secret, secret]],
		['of another', (secret) => secret.replace(/./g, 'a')],
	])('rejects the secret %s', async (_, changed) => {
		const { trigger, query } = await published();
		const secret = changed(String(query.secret)) as string;
		expect(await trigger.deliver({ query: { ...query, secret }, body })).toEqual(REJECTED);
	});

	test('rejects deliveries if nothing was registered, and logs why', async () => {
		const trigger = new TestTrigger(service);
		expect(await trigger.deliver({ query: { secret: '' }, body })).toEqual(REJECTED);
		expect(logLines).toHaveLength(1);
		expect(logLines[0]).toMatch(/"Trigger".*workflow-1.*publish/i);
	});

	test('rejects a wrong secret without repeating it, and logs the workflow', async () => {
		const { trigger, query } = await published();
		const wrong = { ...query, secret: 'a-wrong-secret' };
		const { message } = await trigger.deliver({ query: wrong, body });
		expect(logLines).toHaveLength(1);
		expect(logLines[0]).toMatch(/"Trigger".*workflow-1: its secret is missing or wrong/);
		for (const text of [message, ...logLines]) {
			expect(text).not.toContain(query.secret);
			expect(text).not.toContain('a-wrong-secret');
		}
	});
});
