/* eslint-disable @n8n/community-nodes/no-restricted-globals -- runs outside n8n */
import type { IDataObject } from 'n8n-workflow';

import { seed } from '../../sandbox/seed';
import { aWebhook, BANK_MINIMAL } from './samples';
import { stopClock } from '../trigger/trigger';
import { useService } from './service';

const service = useService({ deliveryRetries: 0 });

const MINUTE_MS = 60_000;

const GET_STATUS = { resource: 'transaction', operation: 'getStatus' };

const getStatus = async (
	items: IDataObject[],
	options: Partial<Parameters<typeof service.run>[1]> = {},
) => await service.run(GET_STATUS, { items, ...options });

const logRequests = () => service.sent().filter(({ path }) => path === '/v2/webhooks/logs').length;

const hints = ({ run }: Awaited<ReturnType<typeof service.run>>): string[] =>
	(run.data.resultData.runData['Partner Payments']?.at(-1)?.hints ?? []).map(
		({ message }) => message,
	);

describe('Get Status after a payout', () => {
	test('keeps a payment whose status cannot be read, for a report and for another look', async () => {
		await aWebhook(service);
		const paid = await service.run(BANK_MINIMAL, { items: [{}] });
		await service.sandbox.admin.setStatus(
			String(paid.json[0].transactionId),
			'completed_transaction',
		);
		await service.sandbox.admin.drain();
		await service.sandbox.admin.addFault({
			match: { path: '/v2/webhooks/logs' },
			times: 'always',
			fault: { type: 'status', status: 403 },
		});
		const other = { name: 'a row of another source', reference: 'Invoice 7' };

		const unread = await getStatus([...paid.json, other], { onError: 'continueRegularOutput' });

		const { outcome, payee, amount, currency, reference, transactionId } = paid.json[0];
		expect(unread.json).toEqual([
			{
				error: expect.objectContaining({
					...{ outcome, payee, amount, currency, reference, transactionId },
					httpCode: '403',
					message: expect.stringMatching(/./),
				}),
				message: expect.stringMatching(/./),
			},
			{
				error: expect.not.objectContaining({ reference: 'Invoice 7' }),
				message: expect.anything(),
			},
		]);

		await service.sandbox.admin.clearFaults();
		const read = await getStatus([unread.json[0]]);

		expect(read.json).toMatchObject([
			{ outcome, payee, amount, currency, reference, status: 'completed_transaction' },
		]);
	});

	test('adds the status of a payment to the columns of its row', async () => {
		await aWebhook(service);
		const paid = await service.run(
			{ ...BANK_MINIMAL, options: { includeInput: true } },
			{
				items: [{ name: 'María José' }],
			},
		);
		await service.sandbox.admin.setStatus(
			String(paid.json[0].transactionId),
			'completed_transaction',
		);
		await service.sandbox.admin.drain();

		const { json, outputs } = await getStatus(paid.json);

		expect(json).toEqual([
			{
				...paid.json[0],
				name: 'María José',
				outcome: 'created',
				status: 'completed_transaction',
				isFinal: true,
				since: expect.stringMatching(/^20\d\d-.*Z$/),
				message: expect.stringContaining('changed to status completed_transaction'),
				transactionHash: '',
				history: [{ status: 'completed_transaction', at: json[0].since }],
				allFinal: true,
				mayBecomeFinal: false,
			},
		]);
		expect(outputs[0][0].pairedItem).toEqual({ item: 0 });
	});
});

test('waits for a rate limit, goes on at its page, and says how long it waited', async () => {
	seed(service.business, { webhookLogs: 250 });
	await service.sandbox.admin.addFault({
		match: { path: '/v2/webhooks/logs' },
		skip: 1,
		fault: { type: 'status', status: 429, retryAfter: 1 },
	});

	const result = await getStatus([{ reference: 'seeded-1' }]);

	expect(result.json).toMatchObject([{ status: 'completed_transaction' }]);
	expect(service.sent().map(({ query }) => (query as IDataObject).page)).toEqual([
		'1',
		'2',
		'2',
		'3',
	]);
	expect(hints(result)).toEqual(['The service limits requests: the node waited 1 s for it.']);
});

test('reads 20,000 entries for 3,000 rows at 60 requests a minute, and says how long it waited', async () => {
	seed(service.business, { webhookLogs: 20_000 });
	service.sandbox.core.change({ requestsPerMinute: 60 });
	const items = Array.from({ length: 3_000 }, (_, index) => ({
		reference: `seeded-${index * 6 + 1}`,
	}));
	stopClock();
	const running = getStatus(items);
	let isDone = false;
	void running.finally(() => (isDone = true));
	const rejected = () => service.sandbox.core.traffic.counters().byStatus[429] ?? 0;
	for (let waits = 0; !isDone;) {
		await new Promise((resolve) => setImmediate(resolve));
		const isWaiting = rejected() > waits;
		if (isWaiting) waits++;
		await jest.advanceTimersByTimeAsync(isWaiting ? MINUTE_MS : 1);
	}
	jest.useRealTimers();
	const { json, run } = await running;

	expect(json).toHaveLength(3_000);
	expect(json.every(({ isFinal }) => isFinal)).toBe(true);
	// A login, 200 pages, and one more request for each of three waits.
	expect(logRequests()).toBe(203);
	expect(hints({ run } as Awaited<typeof running>)).toEqual([
		expect.stringMatching(/^The service limits requests: the node waited 1[678]\d s for it\.$/),
	]);
}, 120_000);
