import { type INodeParameters } from 'n8n-workflow';

import { seed } from '../../sandbox/seed';
import { useService } from './service';

const service = useService();

const GET_MANY = { resource: 'webhookLog', operation: 'getAll' };

const keptIds = (): string[] =>
	service.business.logs
		.all()
		.map(({ id }) => id)
		.reverse();

const getIds = async (parameters: INodeParameters): Promise<unknown[]> => {
	const { json, error } = await service.run({ ...GET_MANY, ...parameters });
	expect(error).toBeUndefined();
	return json.map(({ id }) => id);
};

const pages = (): unknown[] => service.sent().map(({ query }) => query);

describe('Return All', () => {
	test.each([
		[0, 1],
		[1, 1],
		[99, 1],
		[100, 1],
		[101, 2],
		[250, 3],
	])('returns all of %i entries, newest first, in %i pages', async (count, pageCount) => {
		seed(service.business, { webhookLogs: count });

		const ids = await getIds({ returnAll: true });

		expect(ids).toEqual(keptIds());
		expect(pages()).toEqual(
			Array.from({ length: pageCount }, (_, index) => ({ page: String(index + 1), limit: '100' })),
		);
	});

	test('returns each log entry once although new ones arrive', async () => {
		seed(service.business, { webhookLogs: 250 });
		const before = keptIds();
		const { logs } = service.business;
		const all = logs.all.bind(logs);
		jest.spyOn(logs, 'all').mockImplementation(() => {
			const now = [...all()];
			seed(service.business, { webhookLogs: 7 });
			return now;
		});

		const ids = await getIds({ returnAll: true });

		expect(new Set(ids).size).toBe(ids.length);
		expect(ids).toEqual(expect.arrayContaining(before));
	});

	test.each([
		['without pagination', undefined],
		['with pagination that cannot be read', { totalPages: 'many' }],
	])('stops after a page that is not full, %s', async (_, pagination) => {
		const entry = (number: number) => ({ id: `log-${number}` });
		const page = (from: number, count: number) => ({
			logs: Array.from({ length: count }, (__, index) => entry(from + index)),
			...(pagination && { pagination }),
		});
		const match = { path: '/v2/webhooks/logs' };
		await service.sandbox.admin.addFault({ match, fault: { type: 'json', body: page(0, 100) } });
		await service.sandbox.admin.addFault({ match, fault: { type: 'json', body: page(100, 20) } });

		const ids = await getIds({ returnAll: true });

		expect(ids).toHaveLength(120);
		expect(pages()).toHaveLength(2);
	});

	test('stops at an empty page, whatever the pagination says', async () => {
		await service.sandbox.admin.addFault({
			match: { path: '/v2/webhooks/logs' },
			times: 'always',
			fault: { type: 'json', body: { logs: [], pagination: { page: 1, totalPages: 9 } } },
		});

		expect(await getIds({ returnAll: true })).toEqual([]);
		expect(pages()).toHaveLength(1);
	});

	test('stops if the service repeats the same page', async () => {
		await service.sandbox.admin.addFault({
			match: { path: '/v2/webhooks/logs' },
			// Limited, so that the test ends even if the node does not stop.
			times: 20,
			fault: {
				type: 'json',
				body: {
					logs: Array.from({ length: 100 }, (_, index) => ({ id: `log-${index}` })),
					pagination: { page: 1 },
				},
			},
		});

		expect(await getIds({ returnAll: true })).toHaveLength(100);
		expect(pages().length).toBeLessThan(15);
	});
});

describe('Limit', () => {
	beforeEach(() => seed(service.business, { webhookLogs: 250 }));

	test.each([
		[1, [{ page: '1', limit: '1' }]],
		[50, [{ page: '1', limit: '50' }]],
		[100, [{ page: '1', limit: '100' }]],
		[
			101,
			[
				{ page: '1', limit: '100' },
				{ page: '2', limit: '100' },
			],
		],
	])('requests %i entries, in pages of at most 100', async (limit, queries) => {
		expect(await getIds({ limit })).toEqual(keptIds().slice(0, limit));
		expect(pages()).toEqual(queries);
	});

	test('returns all entries if Limit is larger', async () => {
		expect(await getIds({ limit: 1000 })).toEqual(keptIds());
	});
});

describe('filters', () => {
	beforeEach(() => seed(service.business, { webhooks: 2, webhookLogs: 120 }));

	test.each(['ERROR', 'SUCCESS'])('returns only deliveries with the status %s', async (status) => {
		const { json } = await service.run({ ...GET_MANY, returnAll: true, filters: { status } });

		expect(json).toHaveLength(60);
		expect(new Set(json.map((log) => log.status))).toEqual(new Set([status]));
	});

	test('returns only deliveries to one webhook, on every page', async () => {
		const [first, second] = service.business.webhooks.keys();

		expect(await getIds({ returnAll: true, filters: { webhookId: first } })).toHaveLength(120);
		expect(pages()).toEqual([
			{ page: '1', limit: '100', webhookId: first },
			{ page: '2', limit: '100', webhookId: first },
		]);
		expect(await getIds({ returnAll: true, filters: { webhookId: second } })).toEqual([]);
	});
});
