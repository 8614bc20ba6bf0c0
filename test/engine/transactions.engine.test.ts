/* eslint-disable @n8n/community-nodes/no-restricted-globals -- runs outside n8n */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { seed } from '../../sandbox/seed';
import { useQuickSleep } from './quickSleep';
import { aWebhook, addLog, BANK_MINIMAL, CRYPTO, REFERENCE, UNKNOWN_ID } from './samples';
import { stopClock, untilDone } from '../trigger/trigger';
import { useService } from './service';

const service = useService({ deliveryRetries: 0 });

const MINUTE_MS = 60_000;

const GET_STATUS = { resource: 'transaction', operation: 'getStatus' };
const GET_MANY = { resource: 'transaction', operation: 'getAll', returnAll: true };

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

	test.each<[string, IDataObject]>([
		[
			'alreadySent',
			{ outcome: 'alreadySent', code: 'alreadySent', reference: REFERENCE, hint: 'Look it up.' },
		],
		['unknown, with its fields', { outcome: 'unknown', reference: REFERENCE }],
		[
			'unknown, of the error output',
			{
				external_reference: 'of the file',
				error: { outcome: 'unknown', reference: REFERENCE, transactionId: '', hint: 'Look' },
				message: 'The service did not answer in time',
			},
		],
	])('reconciles a row that is %s: a logged payment is created', async (_, row) => {
		await aWebhook(service);
		log(event(REFERENCE, 'T-1', 'processing_transaction'));

		const { json } = await getStatus([row]);

		expect(json).toMatchObject([
			{
				outcome: 'created',
				transactionId: 'T-1',
				reference: REFERENCE,
				status: 'processing_transaction',
				isFinal: false,
				message: expect.stringMatching(/^now processing_transaction No active webhook covers /),
			},
		]);
		expect(json[0]).not.toHaveProperty('hint');
		expect(json[0]).not.toHaveProperty('code');
		expect(json[0]).not.toHaveProperty('error');
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

	test('says that the account has no webhook, and does not wait', async () => {
		const { json } = await getStatus([{ outcome: 'created', reference: REFERENCE }], {
			options: { waitMinutes: 60 },
		});

		expect(json).toMatchObject([
			{ status: 'notFound', message: expect.stringMatching(/^This account has no webhook/) },
		]);
	});

	test('names the outcome of rows that were never sent', async () => {
		const { json } = await getStatus([
			{ outcome: 'rejected', reference: REFERENCE },
			{ outcome: 'notSent', reference: '' },
			{ outcome: 'ready', reference: REFERENCE },
		]);

		expect(json).toMatchObject([
			{ status: 'notFound', message: expect.stringContaining('its outcome is rejected') },
			{ status: 'notFound', message: expect.stringContaining('its outcome is notSent') },
			{ status: 'notFound', message: expect.stringContaining('its outcome is ready') },
		]);
		// A row of a dry run may still be sent.
		expect(json.map(({ isFinal }) => isFinal)).toEqual([true, true, false]);
	});
});

describe('finding transactions', () => {
	beforeEach(() => {
		log(event('Invoice 7', 'T-7', 'completed_transaction', 3));
		log(event('Invoice 8', 'T-8', 'failed_transaction', 4));
	});

	test.each<[string, IDataObject, INodeParameters]>([
		['a reference column', { reference: ' invoice 7' }, {}],
		['a column in the service’s spelling', { 'External Reference': 'Invoice 7' }, {}],
		['a transaction column', { transaction_id: 'T-7' }, {}],
		['a field with a reference', { bill: 'INVOICE 7' }, { referenceOrId: '={{ $json.bill }}' }],
		['a field with an ID', { bill: 'T-7' }, { referenceOrId: '={{ $json.bill }}' }],
	])('finds a transaction by %s', async (_, row, parameters) => {
		const findBy = 'referenceOrId' in parameters ? 'field' : 'input';

		const { json } = await getStatus([row], { findBy, ...parameters });

		expect(json).toMatchObject([{ transactionId: 'T-7', status: 'completed_transaction' }]);
		for (const [column, value] of Object.entries(row)) {
			if (column !== 'reference') expect(json[0][column]).toBe(value);
		}
	});

	test('finds each entry of a list once', async () => {
		const { outputs } = await getStatus([{ own: 1 }], {
			findBy: 'list',
			referencesOrIds: `Invoice 7\nT-8\n${UNKNOWN_ID} ${UNKNOWN_ID}\n\ninvoice 7`,
		});

		expect(outputs[0].map(({ json }) => [json.reference, json.status])).toEqual([
			['Invoice 7', 'completed_transaction'],
			['Invoice 8', 'failed_transaction'],
			[UNKNOWN_ID, 'notFound'],
		]);
		expect(outputs[0].every(({ pairedItem }) => (pairedItem as { item: number }).item === 0)).toBe(
			true,
		);
		expect(outputs[0][0].json).not.toHaveProperty('own');
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

	test('reports more than one final status', async () => {
		log(event('Invoice 7', 'T-7', 'reject_transaction', 9));

		const { json } = await getStatus([{ reference: 'Invoice 7' }]);

		expect(json).toMatchObject([
			{
				status: 'reject_transaction',
				isFinal: true,
				message: `The logs have more than one final status: completed_transaction (${at(3)}), reject_transaction (${at(9)}). Ask the service which one is valid. now reject_transaction`,
			},
		]);
	});

	test('reports a transaction other than the one that the row names', async () => {
		const { json } = await getStatus([{ reference: 'Invoice 7', transactionId: 'T-1' }]);

		expect(json).toMatchObject([
			{
				transactionId: 'T-7',
				message: expect.stringMatching(/^The logs do not have transaction T-1, but another/),
			},
		]);
	});

	test.each<[string, IDataObject]>([
		['on the regular output', { outcome: 'conflict', payee: '', amount: '', currency: '' }],
		[
			'on the error output',
			{
				amount: '950',
				error: { outcome: 'conflict', reference: 'Invoice 7', payee: '', amount: '', currency: '' },
			},
		],
	])('shows no values of a conflicting row as those of the earlier payment, %s', async (_, row) => {
		const { json } = await getStatus([{ external_reference: 'Invoice 7', ...row }]);

		expect(json).toMatchObject([
			{
				outcome: 'conflict',
				status: 'completed_transaction',
				amount: '',
				message: expect.stringMatching(/^This is the earlier payment with this reference\./),
			},
		]);
	});

	test.each(['rejected', 'notSent', 'ready'])(
		'reports a transaction of a row that is %s',
		async (outcome) => {
			const { json } = await getStatus([{ outcome, reference: 'Invoice 7' }]);

			const words = `The outcome of this row is ${outcome}, but the logs have a transaction`;
			expect(json).toMatchObject([
				{ outcome, status: 'completed_transaction', message: expect.stringContaining(words) },
			]);
		},
	);
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

	test('keeps the number of items in a loop, also if a reference belongs to two transactions', async () => {
		log(event('b', 'T-3', 'processing_transaction'));
		let items: IDataObject[] = [{ outcome: 'created', reference: 'b' }, { reference: 'a' }];
		for (let round = 0; round < 3; round++) ({ json: items } = await getStatus(items));

		expect(items.map(({ transactionId }) => transactionId)).toEqual(['T-2', 'T-3', 'T-1']);
		expect(items[0].message).toMatch(/^This reference belongs to 2 transactions/);

		log(event('b', 'T-3', 'completed_transaction', 5));
		log(event('b', 'T-2', 'failed_transaction', 6));
		({ json: items } = await getStatus(items));

		expect(items.map(({ status, allFinal }) => [status, allFinal])).toEqual([
			['failed_transaction', true],
			['completed_transaction', true],
			['completed_transaction', true],
		]);
	});
});

describe('what the webhooks cover', () => {
	const webhook = async (events: string[], status = 'ACTIVE') => {
		const id = await aWebhook(service);
		const found = service.business.webhooks.get(id);
		if (found) Object.assign(found, { events, status, updatedAt: at(7), createdAt: at(2) });
	};

	const FINAL = [
		'completed_transaction',
		'reject_transaction',
		'failed_transaction',
		'expired_transaction',
	];

	test.each<[string, () => Promise<void>, string, string]>([
		[
			'Processing alone is covered',
			async () => await webhook(['processing_transaction']),
			'No active webhook covers a final status',
			'cover: nothing. Not covered, so never logged: completed_transaction, reject',
		],
		[
			'all webhooks are switched off',
			async () => await webhook(FINAL, 'INACTIVE'),
			'No active webhook covers a final status',
			'cover: nothing.',
		],
		[
			'the status of all webhooks is Disabled',
			async () => await webhook(FINAL, 'Disabled'),
			'No active webhook covers a final status',
			'cover: nothing.',
		],
	])('says if %s, and does not wait', async (_, prepare, message, hint) => {
		await prepare();
		log(event('a', 'T-1', 'processing_transaction'));

		const result = await getStatus([{ reference: 'a' }], { options: { waitMinutes: 10 } });

		expect(result.json).toMatchObject([
			{ allFinal: false, mayBecomeFinal: false, message: expect.stringContaining(message) },
		]);
		expect(hints(result)).toEqual([expect.stringContaining(hint)]);
		expect(logRequests()).toBe(1);
	});

	test('says which final statuses are covered, and since when', async () => {
		await webhook(['completed_transaction', 'failed_transaction'], 'active');
		log(event('a', 'T-1', 'processing_transaction'));

		const result = await getStatus([{ reference: 'a' }]);

		expect(result.json).toMatchObject([
			{
				message: expect.stringMatching(
					/^now processing_transaction No active webhook covers reject_transaction, expired_transaction: /,
				),
			},
		]);
		expect(hints(result)).toEqual([
			`Some transactions are not final. The active webhooks of this account cover: completed_transaction (unchanged since ${at(7)}), failed_transaction (unchanged since ${at(7)}). Not covered, so never logged: reject_transaction, expired_transaction.`,
		]);
	});

	test.each<[string | undefined, string]>([
		['ENABLED', 'ENABLED'],
		['', 'unknown'],
		[undefined, 'unknown'],
	])('waits if the only webhook has the status %p, which may be on', async (status, shown) => {
		await webhook(['completed_transaction'], status);
		for (const one of service.business.webhooks.values()) Object.assign(one, { status });
		log(event('a', 'T-1', 'processing_transaction'));

		const result = await getStatus([{ reference: 'a' }]);

		expect(result.json).toMatchObject([
			{ mayBecomeFinal: true, message: expect.not.stringContaining('covers completed') },
		]);
		expect(hints(result)).toEqual([
			expect.stringContaining(`cover: completed_transaction (webhook status ${shown}). Not`),
		]);
	});

	test('counts a webhook of an unknown status only for what no active one covers', async () => {
		await webhook(['completed_transaction', 'failed_transaction'], 'ENABLED');
		await webhook(['completed_transaction']);
		log(event('a', 'T-1', 'processing_transaction'));

		const result = await getStatus([{ reference: 'a' }]);

		expect(hints(result)).toEqual([
			expect.stringContaining(
				`cover: completed_transaction (unchanged since ${at(7)}), failed_transaction (webhook status ENABLED). Not`,
			),
		]);
	});

	test('says nothing of a final transaction, and does not ask', async () => {
		log(event('a', 'T-1', 'completed_transaction'));

		const result = await getStatus([{ reference: 'a' }]);

		expect(result.json).toMatchObject([{ message: 'now completed_transaction' }]);
		expect(hints(result)).toEqual([]);
		expect(service.sent()).toHaveLength(1);
	});

	test('adds no warning to a transaction under way if all final statuses are covered', async () => {
		await webhook(FINAL);
		log(event('a', 'T-1', 'processing_transaction'));

		const result = await getStatus([{ reference: 'a' }]);

		expect(result.json).toMatchObject([{ message: 'now processing_transaction' }]);
		expect(hints(result)).toEqual([
			expect.stringMatching(/Not covered, so never logged: nothing\.$/),
		]);
	});
});

describe('how far back the logs are read', () => {
	/** One entry a minute, completed, the newest first: `seeded-1` is the oldest. */
	beforeEach(() => seed(service.business, { webhookLogs: 6_000 }));

	const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

	test.each<[string, IDataObject, INodeParameters, number]>([
		// One page, five for the first events, and no webhooks.
		['it is final', { reference: 'seeded-5990' }, {}, 6],
		['it is not found', { reference: 'x' }, {}, 60],
		// 2,880 entries, and three later pages show the order.
		['a window is set', { reference: 'x' }, { options: { lookbackDays: 2 } }, 32],
		['the row says when it was sent', { reference: 'x', sentAt: minutesAgo(340) }, {}, 8],
		[
			'the row has a history',
			{ reference: 'x', history: [{ status: 'pending_transaction', at: minutesAgo(140) }] },
			{},
			6,
		],
	])(
		'reads no further than necessary if %s',
		async (_, row, parameters, pages) => {
			const { json, error } = await getStatus([row], parameters);

			expect(error).toBeUndefined();
			expect(json).toHaveLength(1);
			expect(logRequests()).toBe(pages);
		},
		60_000,
	);

	test('reads all, and says so, if the newest entries do not come first', async () => {
		const all = service.business.logs.all().toReversed();
		jest.spyOn(service.business.logs, 'all').mockReturnValue(all);
		const result = await getStatus([{ reference: 'seeded-5990' }]);

		expect(result.json).toMatchObject([{ status: 'completed_transaction' }]);
		// The first page twice, to see whether entries have moved.
		expect(logRequests()).toBe(61);
		expect(hints(result)).toEqual([
			'The service does not list the newest log entries first, so all of them were read (6000).',
		]);
	}, 60_000);

	test.each(['0', '-1', 'month'])('rejects the window %j', async (lookbackDays) => {
		const { error } = await getStatus([{ reference: 'x' }], {
			options: { lookbackDays: `={{ "${lookbackDays}" }}` },
		});

		expect(error?.message).toMatch(/Lookback Window \(Days\) must be a number above 0/);
		expect(service.sent()).toEqual([]);
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

describe('unreadable log entries', () => {
	test('skips and counts unreadable log entries', async () => {
		log(event(REFERENCE, 'T-1', 'completed_transaction'));
		log(undefined);
		log('text');
		log({ status: 'completed_transaction' });
		log({ externalReference: REFERENCE, status: 'failed_transaction' }, 'soon');

		for (const parameters of [{ ...GET_STATUS, findBy: 'input' }, GET_MANY]) {
			const result = await service.run(parameters, { items: [{ reference: REFERENCE }] });

			expect(result.json).toMatchObject([{ status: 'completed_transaction' }]);
			expect(hints(result)).toEqual([
				'4 log entries were skipped: they have no transaction, status or date.',
			]);
		}
	});
});

describe('items without a reference or transaction ID', () => {
	const items = [{ reference: REFERENCE }, { name: 'Ana' }];

	beforeEach(() => log(event(REFERENCE, 'T-1', 'completed_transaction')));

	test('stops before it reads the logs if an item names no transaction', async () => {
		const { error } = await getStatus(items);

		expect(error?.message).toBe('[Item 1] The item has neither a reference nor a transaction ID');
		expect(service.sent()).toEqual([]);
	});

	test('returns an error for an item that names no transaction if it continues', async () => {
		const { outputs } = await getStatus(items, {}, { onError: 'continueErrorOutput' });

		expect(outputs[0]).toMatchObject([{ json: { transactionId: 'T-1' } }]);
		expect(outputs[1]).toMatchObject([
			{ json: { name: 'Ana', message: expect.stringMatching(/^\[Item 1\] The item has neither/) } },
		]);
	});

	test.each<[INodeParameters, RegExp]>([
		[
			{ findBy: 'field', referenceOrId: '={{ $json.none }}' },
			/Reference or Transaction ID is required/,
		],
		[{ findBy: 'field', referenceOrId: '={{ $json }}' }, /must be text/],
		[{ findBy: 'list', referencesOrIds: ' \n' }, /References or Transaction IDs is required/],
		[{ options: { waitMinutes: -1 } }, /Wait Until Final \(Minutes\) must be a number/],
		[
			{ options: { waitMinutes: '={{ "soon" }}' } },
			/Wait Until Final \(Minutes\) must be a number/,
		],
	])('rejects the parameters %j', async (parameters, message) => {
		const { error } = await getStatus([{ reference: REFERENCE }], parameters);

		expect(error?.message).toMatch(message);
		expect(service.sent()).toEqual([]);
	});
});

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

	test('does not wait if all transactions are final or will never be', async () => {
		await aWebhook(service);
		log(event('a', 'T-1', 'completed_transaction'));

		const { json } = await getStatus(
			[{ reference: 'a' }, { outcome: 'rejected', reference: 'b' }],
			waiting,
		);

		expect(json).toHaveLength(2);
		expect(logRequests()).toBe(1);
	});

	test('does not wait for rows that were never created', async () => {
		await aWebhook(service);

		const { json } = await getStatus(
			['rejected', 'notSent', 'ready'].map((outcome) => ({ outcome, reference: outcome })),
			waiting,
		);

		expect(json.map(({ status }) => status)).toEqual(['notFound', 'notFound', 'notFound']);
		expect(logRequests()).toBe(1);
	});

	test('waits at most 30 minutes, and says so', async () => {
		log(event('a', 'T-1', 'completed_transaction'));

		const result = await getStatus([{ reference: 'a' }], { options: { waitMinutes: 31 } });

		expect(result.json).toMatchObject([{ isFinal: true }]);
		expect(hints(result)).toEqual([
			expect.stringMatching(
				/^Wait Until Final waits at most 30 minutes.*mayBecomeFinal is not false\.$/,
			),
		]);
	});

	test('returns what is known after the waiting time, even during an outage', async () => {
		await aWebhook(service);
		log(event('a', 'T-1', 'pending_transaction'));
		const running = getStatus([{ reference: 'a' }], { options: { waitMinutes: 0.01 } });
		while (logRequests() < 1) await new Promise((resolve) => setTimeout(resolve, 5));
		await service.sandbox.admin.addFault({
			match: { path: '/v2/webhooks/logs' },
			times: 'always',
			fault: { type: 'status', status: 503 },
		});

		const result = await running;

		expect(result.json).toMatchObject([{ status: 'pending_transaction', isFinal: false }]);
		expect(hints(result).slice(0, 1)).toEqual([
			expect.stringMatching(/^The logs could not be read again \(The service could not complete/),
		]);
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

	test('ends in time although it reads many pages', async () => {
		await aWebhook(service);
		log(event('a', 'T-1', 'pending_transaction'));
		stopClock();
		const startedAt = Date.now();
		const running = getStatus([{ reference: 'a' }], { options: { waitMinutes: 2 } });
		while (logRequests() < 1) await new Promise((resolve) => setImmediate(resolve));
		// The oldest entries first, at 60 requests a minute: each look would take more than ten minutes.
		seed(service.business, { webhookLogs: 70_000 });
		const all = service.business.logs.all().toReversed();
		jest.spyOn(service.business.logs, 'all').mockReturnValue(all);
		service.sandbox.core.change({ requestsPerMinute: 60 });
		const { json } = await untilDone(running, 50);

		expect((Date.now() - startedAt) / MINUTE_MS).toBeLessThan(3);
		expect(json).toMatchObject([{ status: 'pending_transaction', isFinal: false }]);
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

describe('Transaction > Get Many', () => {
	beforeEach(() => {
		log(event('a', 'T-1', 'pending_transaction', 1), at(1));
		log(event('a', 'T-1', 'completed_transaction', 10), at(10));
		log(
			event('b', 'T-2', 'failed_transaction', 20, { transactionType: 'withdrawal_crypto' }),
			at(20),
		);
		log(event('c', 'T-3', 'pending_transaction', 30), at(30));
	});

	const idsOf = async (filters: INodeParameters, more: INodeParameters = {}) => {
		const { json, error } = await service.run({ ...GET_MANY, ...more, filters });
		expect(error).toBeUndefined();
		return json.map(({ transactionId }) => transactionId);
	};

	test.each<[string, INodeParameters, string[]]>([
		['nothing', {}, ['T-3', 'T-2', 'T-1']],
		['a status', { status: ['pending_transaction'] }, ['T-3']],
		['two statuses', { status: ['completed_transaction', 'failed_transaction'] }, ['T-2', 'T-1']],
		['a type', { transactionType: ['withdrawal_crypto'] }, ['T-2']],
		['a beginning', { from: at(20) }, ['T-3', 'T-2']],
		['an end', { to: at(20) }, ['T-1']],
		['a period', { from: at(10), to: at(30) }, ['T-2', 'T-1']],
	])('filters by %s, and sorts by the newest change', async (_, filters, ids) => {
		expect(await idsOf(filters)).toEqual(ids);
	});

	test('returns amount and currency', async () => {
		const details = { transactionId: 'T-3', amount: '12.5', asset: 'BOB' };
		log(event('c', 'T-3', 'completed_transaction', 40, { details }), at(40));

		const { json } = await service.run({ ...GET_MANY, filters: { from: at(20) } });

		expect(json.map(({ amount, asset }) => [amount, asset])).toEqual([
			['12.5', 'BOB'],
			['', ''],
		]);
	});

	test('returns as many transactions as Limit says, after filtering', async () => {
		const filters = { status: ['completed_transaction', 'failed_transaction'] };

		expect(await idsOf(filters, { returnAll: false, limit: 1 })).toEqual(['T-2']);
	});

	// One entry a minute, each of another transaction, the newest first. Three later pages show the order.
	test.each([
		[6_000, 50, 2 + 3],
		[6_000, 150, 4 + 3],
		[900, 1_000, 9],
	])('reads of %i entries no more than %i transactions need', async (webhookLogs, limit, pages) => {
		service.business.logs.clear();
		seed(service.business, { webhookLogs });

		const { json } = await service.run({ ...GET_MANY, returnAll: false, limit });

		expect(json).toHaveLength(Math.min(limit, webhookLogs));
		expect(json[0].reference).toBe(`seeded-${webhookLogs}`);
		expect(logRequests()).toBe(pages);
	});

	test('reads everything for a few transactions if the newest entries do not come first', async () => {
		service.business.logs.clear();
		seed(service.business, { webhookLogs: 1_000 });
		const all = service.business.logs.all().toReversed();
		jest.spyOn(service.business.logs, 'all').mockReturnValue(all);

		const { json } = await service.run({ ...GET_MANY, returnAll: false, limit: 2 });

		expect(json.map(({ reference }) => reference)).toEqual(['seeded-1000', 'seeded-999']);
	});

	test('rejects an invalid date', async () => {
		const { error } = await service.run({ ...GET_MANY, filters: { from: '={{ "monday" }}' } });

		expect(error?.message).toBe('[Item 0] From must be a date and time');
	});
});

describe('large inputs', () => {
	test('reads 30,000 entries once for 10,000 rows', async () => {
		seed(service.business, { webhookLogs: 30_000 });
		const items = Array.from({ length: 10_000 }, (_, index) => ({
			outcome: 'created',
			reference: `seeded-${index * 3 + 1}`,
		}));

		const { json } = await getStatus(items);

		expect(json).toHaveLength(10_000);
		expect(json.every(({ status }) => status === 'completed_transaction')).toBe(true);
		expect(service.sent()).toHaveLength(300);
	}, 120_000);
});

describe('Webhook Log > Get Many', () => {
	const idsOf = async (filters: INodeParameters, more: INodeParameters = {}) => {
		const { json } = await service.run({
			resource: 'webhookLog',
			operation: 'getAll',
			returnAll: true,
			filters,
			...more,
		});
		return json.map(({ payload }) => (payload as IDataObject).timestamp);
	};

	beforeEach(() => {
		log(event('Invoice 7', 'T-7', 'pending_transaction', 1));
		log(event('Invoice 7', 'T-7', 'completed_transaction', 2));
		log(event('Invoice 7', 'T-8', 'completed_transaction', 3));
		log({ data: { external_reference: 'Invoice 7' }, timestamp: at(4) });
		log(undefined);
		seed(service.business, { webhookLogs: 150 });
	});

	test.each<[INodeParameters, number[]]>([
		[{ reference: 'invoice 7' }, [4, 3, 2, 1]],
		[{ transactionId: 'T-7' }, [2, 1]],
		[{ reference: 'Invoice 7', transactionId: 'T-8' }, [3]],
		[{ reference: 'Invoice 9' }, []],
	])('returns only entries that match %j', async (filters, minutes) => {
		expect(await idsOf(filters)).toEqual(minutes.map(at));
	});

	test('finds entries on any page, up to Limit', async () => {
		expect(await idsOf({ reference: 'Invoice 7' }, { returnAll: false, limit: 2 })).toEqual(
			[4, 3].map(at),
		);
	});
});

test('assigns events that name only the reference to the transaction of the row', async () => {
	log({ ...event('a', '', 'completed_transaction'), details: {} });

	const { json } = await getStatus([{ transactionId: 'T-1', reference: 'a' }]);

	expect(json).toMatchObject([
		{ transactionId: 'T-1', status: 'completed_transaction', message: '' },
	]);
});

test('keeps the reference of the row for a crypto deposit, which has none', async () => {
	log({
		status: 'completed_transaction',
		transactionType: 'deposit_crypto',
		timestamp: at(1),
		details: { transactionId: 'T-1', walletId: CRYPTO.walletId },
	});

	const { json } = await getStatus([{ transactionId: 'T-1', reference: 'order 42' }]);

	expect(json).toMatchObject([{ reference: 'order 42', status: 'completed_transaction' }]);
});
