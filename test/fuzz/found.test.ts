/** Bugs that the property tests found, each as a separate case. */
import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';

import { receive } from '../../nodes/PartnerPaymentsTrigger/receive';
import { eventItem, eventKey } from '../../nodes/logs/event';
import { readLogPages } from '../logs/readLogPages';
import { readWebhook } from '../../nodes/logs/webhooks';
import { login } from '../../nodes/service/login';
import type { Service } from '../../nodes/service/transport';

const parse = (text: string): IDataObject => JSON.parse(text) as IDataObject;

describe('events', () => {
	test('keeps a field named __proto__ in a simplified event', () => {
		const event = parse('{"status":"x","details":{"__proto__":{"amount":"1"},"asset":"USDC"}}');

		const { json } = eventItem(event, true);

		expect(JSON.stringify(json)).toBe('{"status":"x","__proto__":{"amount":"1"},"asset":"USDC"}');
		expect(json.amount).toBeUndefined();
	});

	test('loses no field of a simplified event that already has details_status', () => {
		const event = { status: 'a', details_status: 'b', details: { status: 'c' } };

		expect(Object.values(eventItem(event, true).json).sort()).toEqual(['a', 'b', 'c']);
	});

	test.each([
		[
			{ status: 'c', transactionId: 'a:b' },
			{ status: 'b:c', transactionId: 'a' },
		],
		[
			{ status: 'c by x', transactionId: 'a' },
			{ status: 'c', transactionId: 'a by x' },
		],
	])('distinguishes the events %j and %j', (one, other) => {
		expect(eventKey(one)).not.toBe(eventKey(other));
	});

	test.each(['{"toString":1}', '[[]]', '{"__proto__":null}'])(
		'emits an event with the status %s, which no filter knows',
		async (status) => {
			const rawBody = Buffer.from(`{"status":${status},"transactionType":${status}}`);
			const parameters: IDataObject = {
				'options.verifyDeliveries': false,
				events: ['completed_transaction'],
				filters: { transactionTypes: ['deposit_crypto'] },
			};
			const { workflowData } = await receive({
				getMode: () => 'webhook',
				getNodeParameter: (name: string) => parameters[name],
				getWorkflowStaticData: () => ({}),
				getQueryData: () => ({}),
				getRequestObject: () => ({ headers: {}, rawBody }),
			} as unknown as IWebhookFunctions);

			expect(workflowData).toHaveLength(1);
		},
	);
});

describe('delivery logs', () => {
	const ids = async (pages: Array<{ from: number; to: number; total: number }>) => {
		const requested: number[] = [];
		const request = async ({ query }: { query: IDataObject }) => {
			requested.push(Number(query.page));
			const { from, to, total } = pages[requested.length - 1];
			const logs = Array.from({ length: to - from }, (_, index) => ({
				id: from + index,
				createdAt: new Date(Date.UTC(2026, 0, 1, 0, 0, from + index)).toISOString(),
			}));
			return { logs, pagination: { total, totalPages: Math.ceil(total / 100) } };
		};
		const given: unknown[] = [];
		for await (const { id } of readLogPages({ request } as unknown as Service, {})) given.push(id);
		return { given, asked: requested };
	};

	test('reads the log again if an entry left and others moved to an earlier page', async () => {
		// Entry 100 is on page 2 at first, and on page 1 after entry 0 has left.
		const { given, asked: requested } = await ids([
			{ from: 0, to: 100, total: 150 },
			{ from: 101, to: 150, total: 149 },
			{ from: 1, to: 101, total: 149 },
			{ from: 101, to: 150, total: 149 },
			{ from: 1, to: 101, total: 149 },
			{ from: 101, to: 150, total: 149 },
		]);

		expect(given).toContain(100);
		expect(new Set(given).size).toBe(150);
		expect(requested.slice(0, 4)).toEqual([1, 2, 1, 2]);
	});

	test('reads a log with the oldest first again, because its total hides what left', async () => {
		const { given } = await ids([
			{ from: 0, to: 100, total: 101 },
			{ from: 101, to: 102, total: 101 },
			{ from: 1, to: 101, total: 101 },
			{ from: 101, to: 102, total: 101 },
			{ from: 1, to: 101, total: 101 },
			{ from: 101, to: 102, total: 101 },
		]);

		expect(given).toContain(100);
	});

	test('reads the log to its end although a thousand new entries move the others', async () => {
		const entry = (id: number) => ({ id });
		const old = Array.from({ length: 900 }, (_, id) => entry(id));
		const all = [...Array.from({ length: 1600 }, (_, id) => entry(5000 + id)), ...old];
		let requests = 0;
		const request = async ({ query }: { query: IDataObject }) => {
			requests += 1;
			const entries = requests <= 8 ? old : all;
			const start = (Number(query.page) - 1) * 100;
			return {
				logs: entries.slice(start, start + 100),
				pagination: { total: entries.length, totalPages: entries.length / 100 },
			};
		};
		const given: unknown[] = [];
		for await (const { id } of readLogPages({ request } as unknown as Service, {})) given.push(id);

		expect(given).toEqual(expect.arrayContaining(old.map(({ id }) => id)));
	});

	/** Bugs that simulated scenarios found in a log with the oldest entries first. */
	describe.each([true, false])('unusual entries (with pagination: %s)', (withPagination) => {
		const DAY = 24 * 60 * 60 * 1000;
		const now = Date.UTC(2026, 10, 22);
		const dated = (id: number | undefined, time: number) => ({
			...(id !== undefined && { id }),
			createdAt: new Date(time).toISOString(),
		});
		const read = async (entries: unknown[]) => {
			let requests = 0;
			const request = async ({ query }: { query: IDataObject }) => {
				requests += 1;
				const start = (Number(query.page) - 1) * 100;
				const total = entries.length;
				const pagination = { total, totalPages: Math.ceil(total / 100) };
				return { logs: entries.slice(start, start + 100), ...(withPagination && { pagination }) };
			};
			const service = { request } as unknown as Service;
			const given: unknown[] = [];
			for await (const { id } of readLogPages(service, {}, { since: now - DAY })) given.push(id);
			return { given, requests };
		};
		const filled = (count: number, entry: unknown) => Array.from({ length: count }, () => entry);

		test('continues after entries that are no objects', async () => {
			expect((await read([...filled(99, null), dated(0, now), dated(1, now)])).given).toContain(1);
		});

		test('continues after a page of old entries of the same moment', async () => {
			const old = Array.from({ length: 100 }, (_, id) => dated(id, now - 9 * DAY));
			expect((await read([...old, dated(100, now)])).given).toContain(100);
		});

		test('stops although an entry without an identifier looks new each time', async () => {
			const entries = Array.from({ length: 150 }, (_, id) => dated(id || undefined, now + id));
			const { given, requests } = await read(entries);
			expect(given).toContain(149);
			expect(requests).toBeLessThan(20);
		});
	});
});

describe('the service', () => {
	const helpers = (body: unknown) =>
		({ httpRequest: async () => ({ statusCode: 400, body }) }) as unknown as Parameters<
			typeof login
		>[0];

	test('quotes readable messages of a failed login and omits others', async () => {
		const message = [{ toString: 1 }, 'email must be an email'];
		const credentials = { baseUrl: 'https://a.example', email: 'a', password: 'not reported' };

		await expect(login(helpers({ message }), credentials)).rejects.toThrow(
			/does not accept this email and password: email must be an email/,
		);
	});

	test('reads the other events of a webhook with an unusual one', () => {
		expect(
			readWebhook({ events: [{ toString: 1 }, 'completed_transaction'] } as IDataObject),
		).toEqual(expect.objectContaining({ events: ['completed_transaction'] }));
	});
});
