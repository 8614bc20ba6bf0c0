import type { INodeParameters } from 'n8n-workflow';

import { logLines } from '../engine/log';
import { useService } from '../engine/service';
import { eventPayload, onlyWebhook, TestTrigger } from './trigger';

const service = useService();

const body = JSON.stringify(eventPayload('a'));

/** A published trigger, and how the service calls it. */
async function published(parameters: INodeParameters = {}) {
	const trigger = new TestTrigger(service, { verificationHeader: 'X-Api-Key', ...parameters });
	await trigger.register();
	const { url, apiKey } = onlyWebhook(service);
	const query = Object.fromEntries(new URL(url).searchParams);
	return { trigger, query, headers: { 'x-api-key': apiKey } };
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

describe('verification', () => {
	test.each<[string, { secret: boolean; key: boolean }]>([
		['callbackSecret', { secret: true, key: false }],
		['apiKey', { secret: false, key: true }],
		['both', { secret: true, key: true }],
		['none', { secret: false, key: false }],
	])('requires what %s asks for', async (verification, asks) => {
		const { trigger, query, headers } = await published({ verification });
		for (const secret of [true, false]) {
			for (const key of [true, false]) {
				const { status, items } = await trigger.deliver({
					...(secret && { query }),
					...(key && { headers }),
					body,
				});
				const isGenuine = (secret || !asks.secret) && (key || !asks.key);
				expect([status, items?.length]).toEqual(isGenuine ? [undefined, 1] : [401, undefined]);
			}
		}
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

	test('finds the header in any letter case, with spaces around its name', async () => {
		const { trigger, headers } = await published({
			verification: 'apiKey',
			verificationHeader: ' X-API-KEY ',
		});
		expect((await trigger.deliver({ headers, body })).items).toHaveLength(1);
	});

	test('rejects a wrong API key, and logs the header', async () => {
		const { trigger, headers } = await published({ verification: 'apiKey' });
		const wrong = { 'x-api-key': headers['x-api-key'].toUpperCase() };
		expect(await trigger.deliver({ headers: wrong, body })).toEqual(REJECTED);
		expect(logLines.join()).toContain('x-api-key');
	});

	test('rejects deliveries if the header has no name', async () => {
		const { trigger, headers } = await published({ verification: 'apiKey' });
		trigger.set({ verificationHeader: ' ' });
		const nameless = { '': headers['x-api-key'] };
		expect(await trigger.deliver({ headers: nameless, body })).toEqual(REJECTED);
	});
});
