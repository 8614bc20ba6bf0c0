/* eslint-disable @n8n/community-nodes/no-restricted-globals -- runs outside n8n */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { seed } from '../../sandbox/seed';
import { useQuickSleep } from './quickSleep';
import { aWebhook, addLog, BANK_MINIMAL, REFERENCE } from './samples';
import { stopClock, untilDone } from '../trigger/trigger';
import { useService } from './service';

const service = useService({ deliveryRetries: 0 });

const MINUTE_MS = 60_000;

const GET_STATUS = { resource: 'transaction', operation: 'getStatus' };

const at = (minute: number): string => new Date(Date.UTC(2026, 10, 21, 8, minute)).toISOString();

/** An entry in the service’s logs. */
function log(payload: unknown, createdAt: unknown = at(0)): void {
	addLog(service, payload, createdAt as string);
}

function event(
	reference: string,
	transactionId: string,
	status: string,
	minute = 1,
	more: IDataObject = {},
): IDataObject {
	return {
		externalReference: reference,
		status,
		transactionType: 'withdrawal_ach',
		timestamp: at(minute),
		details: { message: `now ${status}`, transactionId },
		...more,
	};
}

const getStatus = async (
	items: IDataObject[],
	parameters: INodeParameters = {},
	options: Partial<Parameters<typeof service.run>[1]> = {},
) => await service.run({ ...GET_STATUS, ...parameters }, { items, ...options });

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

		const unread = await getStatus([...paid.json, other], {}, { onError: 'continueRegularOutput' });

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

	test('leaves an unlogged row unknown, and says that this proves nothing', async () => {
		await aWebhook(service);

		const { json } = await getStatus([{ outcome: 'unknown', reference: REFERENCE }]);

		expect(json).toMatchObject([
			{
				outcome: 'unknown',
				status: 'notFound',
				isFinal: false,
				reference: REFERENCE,
				transactionId: '',
				message: expect.stringMatching(
					/^The logs do not have it\. It may still have been created.*Ask the service/,
				),
				history: [],
			},
		]);
	});
});

describe('finding transactions', () => {
	beforeEach(() => {
		log(event('Invoice 7', 'T-7', 'completed_transaction', 3));
		log(event('Invoice 8', 'T-8', 'failed_transaction', 4));
	});

	test('returns both transactions of one reference', async () => {
		log(event('Invoice 7', 'T-9', 'failed_transaction', 5));

		const { outputs } = await getStatus([
			{ outcome: 'unknown', reference: 'Invoice 7', name: 'Ana' },
			{ reference: 'Invoice 8' },
		]);

		expect(outputs[0].map(({ json, pairedItem }) => [json.transactionId, pairedItem])).toEqual([
			['T-9', { item: 0 }],
			['T-7', { item: 0 }],
			['T-8', { item: 1 }],
		]);
		for (const { json } of outputs[0].slice(0, 2)) {
			expect(json).toMatchObject({
				name: 'Ana',
				message: expect.stringMatching(/^This reference belongs to 2 transactions \(T-9, T-7\)/),
			});
		}
	});
});

describe('whether all are final', () => {
	beforeEach(async () => {
		await aWebhook(service);
		log(event('a', 'T-1', 'completed_transaction'));
		log(event('b', 'T-2', 'processing_transaction'));
	});

	test.each<[string, IDataObject[], boolean]>([
		['all are', [{ reference: 'a' }], true],
		['one is not', [{ reference: 'a' }, { reference: 'b' }], false],
		['one is not in the logs', [{ reference: 'a' }, { reference: 'c' }], false],
		[
			'the others created nothing',
			[{ reference: 'a' }, { outcome: 'rejected', reference: 'c' }],
			true,
		],
		['one may still be sent', [{ reference: 'a' }, { outcome: 'ready', reference: 'c' }], false],
	])('tells on every item that %s', async (_, items, allFinal) => {
		const { json } = await getStatus(items);

		const [mayBecomeFinal] = json.map((row) => row.mayBecomeFinal);
		expect(json.map((row) => row.allFinal)).toEqual(items.map(() => allFinal));
		// A row that may still be sent is not waited for.
		expect(mayBecomeFinal).toBe(!allFinal && !items.some(({ outcome }) => outcome === 'ready'));
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
	expect(hints(result)).toEqual(['The service limits requests: the node waited 1 seconds for it.']);
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
		expect.stringMatching(
			/^The service limits requests: the node waited 1[678]\d seconds for it\.$/,
		),
	]);
}, 120_000);

describe('unavailable logs', () => {
	useQuickSleep();

	test.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
		'reports unreadable logs for each item (%s)',
		async (onError) => {
			await service.sandbox.admin.addFault({
				match: { path: '/v2/webhooks/logs' },
				times: 'always',
				fault: { type: 'status', status: 500 },
			});

			const { outputs } = await getStatus(
				[{ reference: 'a' }, { reference: 'b' }],
				{},
				{ onError },
			);

			const failed = outputs[onError === 'continueErrorOutput' ? 1 : 0];
			expect(failed.map(({ json }) => json.message)).toEqual([
				expect.stringMatching(/^\[Item 0\] The service could not complete the request/),
				expect.stringMatching(/^\[Item 1\] The service could not complete the request/),
			]);
			// Once for both items, and three times again.
			expect(logRequests()).toBe(4);
		},
	);
});

describe('Wait Until Final', () => {
	const waiting = { options: { waitMinutes: 10 } };

	afterEach(() => jest.useRealTimers());

	test('reads again, and ends as soon as all transactions are final', async () => {
		await aWebhook(service);
		log(event('a', 'T-1', 'completed_transaction'), at(1));
		log(event('b', 'T-2', 'pending_transaction'), at(1));
		const started = Date.now();
		setTimeout(() => log(event('b', 'T-2', 'completed_transaction', 5), at(5)), 500);

		const { json } = await getStatus([{ reference: 'a' }, { reference: 'b' }], waiting);

		expect(json).toMatchObject([
			{ transactionId: 'T-1', isFinal: true },
			{ transactionId: 'T-2', isFinal: true },
		]);
		expect(Date.now() - started).toBeLessThan(20_000);
	});

	test('counts what it waits for a rate limit, and returns what is known', async () => {
		await aWebhook(service);
		log(event('a', 'T-1', 'pending_transaction'));
		await service.sandbox.admin.addFault({
			match: { path: '/v2/webhooks/logs' },
			skip: 2,
			times: 'always',
			fault: { type: 'status', status: 429, retryAfter: 700 },
		});
		stopClock();
		const startedAt = Date.now();

		const result = await untilDone(
			getStatus([{ reference: 'a' }], { options: { waitMinutes: 30 } }),
			50,
		);

		const minutes = (Date.now() - startedAt) / MINUTE_MS;
		expect(minutes).toBeGreaterThan(29);
		expect(minutes).toBeLessThan(31);
		expect(result.json).toMatchObject([{ status: 'pending_transaction', isFinal: false }]);
		expect(hints(result)).toEqual(
			expect.arrayContaining([
				expect.stringMatching(/^The logs could not be read again \(The service is receiving too/),
				'The service limits requests: the node waited 1400 seconds for it.',
			]),
		);
	}, 60_000);

	test('stops waiting at once if the execution is cancelled', async () => {
		await aWebhook(service);
		log(event('a', 'T-1', 'pending_transaction'));
		let cancel = (): void => {};
		const started = Date.now();
		const running = getStatus([{ reference: 'a' }], waiting, {
			onStart: (execution) => {
				cancel = () => execution.cancel();
			},
		});
		while (logRequests() < 1) await new Promise((resolve) => setTimeout(resolve, 5));
		cancel();
		await running;

		expect(Date.now() - started).toBeLessThan(20_000);
		expect(logRequests()).toBeLessThan(5);
	});
});
