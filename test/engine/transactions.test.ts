/* eslint-disable @n8n/community-nodes/no-restricted-globals -- runs beside n8n, not in it */
import { randomUUID } from 'node:crypto';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { seed } from '../../sandbox/seed';
import { aWebhook, BANK_MINIMAL, CRYPTO, REFERENCE, UNKNOWN_ID } from './samples';
import { useService } from './service';

const service = useService({ deliveryRetries: 0 });

const GET_STATUS = { resource: 'transaction', operation: 'getStatus' };
const GET_MANY = { resource: 'transaction', operation: 'getAll', returnAll: true };

const at = (minute: number): string => new Date(Date.UTC(2026, 10, 21, 8, minute)).toISOString();

/** An entry in the service's logs. */
function log(payload: unknown, createdAt: unknown = at(0)): void {
	service.business.logs.add({
		id: randomUUID(),
		webhookId: UNKNOWN_ID,
		name: 'Test',
		webhookUrl: 'http://127.0.0.1:9/callback',
		status: 'SUCCESS',
		payload,
		statusCode: 200,
		duration: 1,
		retries: 0,
		createdAt: createdAt as string,
		updatedAt: createdAt as string,
	});
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

describe('Get Status behind a payout', () => {
	test('tells what became of it, with the columns of the row', async () => {
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
	])('settles a row that is %s: seen is created', async (_, row) => {
		log(event(REFERENCE, 'T-1', 'processing_transaction'));

		const { json } = await getStatus([row]);

		expect(json).toMatchObject([
			{
				outcome: 'created',
				transactionId: 'T-1',
				reference: REFERENCE,
				status: 'processing_transaction',
				isFinal: false,
				message: 'now processing_transaction',
			},
		]);
		expect(json[0]).not.toHaveProperty('hint');
		expect(json[0]).not.toHaveProperty('code');
		expect(json[0]).not.toHaveProperty('error');
	});

	test('leaves a row in doubt that the logs do not know, and says why that proves nothing', async () => {
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

	test('says first that there is no webhook, and does not wait then', async () => {
		const { json } = await getStatus([{ outcome: 'created', reference: REFERENCE }], {
			options: { waitMinutes: 60 },
		});

		expect(json).toMatchObject([
			{ status: 'notFound', message: expect.stringMatching(/^This account has no webhook/) },
		]);
	});

	test('knows of rows that were never sent', async () => {
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
		// A row of a dry run is yet to be sent.
		expect(json.map(({ isFinal }) => isFinal)).toEqual([true, true, false]);
	});
});

describe('Get Status finds', () => {
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
	])('%s', async (_, row, parameters) => {
		const findBy = 'referenceOrId' in parameters ? 'field' : 'input';

		const { json } = await getStatus([row], { findBy, ...parameters });

		expect(json).toMatchObject([{ transactionId: 'T-7', status: 'completed_transaction' }]);
		for (const [column, value] of Object.entries(row)) {
			if (column !== 'reference') expect(json[0][column]).toBe(value);
		}
	});

	test('a list, each of its entries once', async () => {
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

	test('both transactions of one reference, and guesses nothing', async () => {
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

	test('two final states, and says so', async () => {
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

	test('another transaction than the row names, and says so', async () => {
		const { json } = await getStatus([{ reference: 'Invoice 7', transactionId: 'T-1' }]);

		expect(json).toMatchObject([
			{
				transactionId: 'T-7',
				message: expect.stringMatching(/^The logs do not have transaction T-1, but another/),
			},
		]);
	});

	test('a transaction of a row that was refused, and says so', async () => {
		const { json } = await getStatus([{ outcome: 'rejected', reference: 'Invoice 7' }]);

		expect(json).toMatchObject([
			{
				outcome: 'rejected',
				status: 'completed_transaction',
				message: expect.stringMatching(/^The outcome of this row is rejected, but the logs/),
			},
		]);
	});
});

describe('odd logs', () => {
	test('are passed over and counted', async () => {
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

describe('an item that names nothing', () => {
	const items = [{ reference: REFERENCE }, { name: 'Ana' }];

	beforeEach(() => log(event(REFERENCE, 'T-1', 'completed_transaction')));

	test('stops the node before anything is read', async () => {
		const { error } = await getStatus(items);

		expect(error?.message).toBe('[Item 1] The item has neither a reference nor a transaction ID');
		expect(service.sent()).toEqual([]);
	});

	test('becomes an item with an error where the node goes on', async () => {
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
	])('%j is refused', async (parameters, message) => {
		const { error } = await getStatus([{ reference: REFERENCE }], parameters);

		expect(error?.message).toMatch(message);
		expect(service.sent()).toEqual([]);
	});
});

describe('a service that does not answer as it should', () => {
	test.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
		'is told for each item, %s',
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

			const told = outputs[onError === 'continueErrorOutput' ? 1 : 0];
			expect(told.map(({ json }) => json.message)).toEqual([
				expect.stringMatching(/^\[Item 0\] The service could not complete the request/),
				expect.stringMatching(/^\[Item 1\] The service could not complete the request/),
			]);
			expect(logRequests()).toBe(1);
		},
	);
});

describe('Wait Until Final', () => {
	const waiting = { options: { waitMinutes: 10 } };

	test('reads again, and ends at once when all are final', async () => {
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

	test('does not begin where all are final, or never will be', async () => {
		await aWebhook(service);
		log(event('a', 'T-1', 'completed_transaction'));

		const { json } = await getStatus(
			[{ reference: 'a' }, { outcome: 'rejected', reference: 'b' }],
			waiting,
		);

		expect(json).toHaveLength(2);
		expect(logRequests()).toBe(2);
	});

	test('gives what is known when the time is over, also while the service is away', async () => {
		log(event('a', 'T-1', 'pending_transaction'));
		const running = getStatus([{ reference: 'a' }], { options: { waitMinutes: 0.01 } });
		while (logRequests() < 2) await new Promise((resolve) => setTimeout(resolve, 5));
		await service.sandbox.admin.addFault({
			match: { path: '/v2/webhooks/logs' },
			times: 'always',
			fault: { type: 'status', status: 503 },
		});

		const result = await running;

		expect(result.json).toMatchObject([{ status: 'pending_transaction', isFinal: false }]);
		expect(hints(result)).toEqual([
			expect.stringMatching(/^The logs could not be read again \(The service could not complete/),
		]);
	});

	test('ends at once when the execution is cancelled', async () => {
		log(event('a', 'T-1', 'pending_transaction'));
		let cancel = (): void => {};
		const started = Date.now();
		const running = getStatus([{ reference: 'a' }], waiting, {
			onStart: (execution) => {
				cancel = () => execution.cancel();
			},
		});
		while (logRequests() < 2) await new Promise((resolve) => setTimeout(resolve, 5));
		cancel();
		await running;

		expect(Date.now() - started).toBeLessThan(20_000);
		expect(logRequests()).toBeLessThan(5);
	});
});

describe('Get Many', () => {
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
	])('filters by %s, the newest change first', async (_, filters, ids) => {
		expect(await idsOf(filters)).toEqual(ids);
	});

	test('tells amount and currency', async () => {
		const details = { transactionId: 'T-3', amount: '12.5', asset: 'BOB' };
		log(event('c', 'T-3', 'completed_transaction', 40, { details }), at(40));

		const { json } = await service.run({ ...GET_MANY, filters: { from: at(20) } });

		expect(json.map(({ amount, asset }) => [amount, asset])).toEqual([
			['12.5', 'BOB'],
			['', ''],
		]);
	});

	test('gives so many as Limit says, after filtering', async () => {
		const filters = { status: ['completed_transaction', 'failed_transaction'] };

		expect(await idsOf(filters, { returnAll: false, limit: 1 })).toEqual(['T-2']);
	});

	test('refuses what is no date', async () => {
		const { error } = await service.run({ ...GET_MANY, filters: { from: '={{ "monday" }}' } });

		expect(error?.message).toBe('[Item 0] From must be a date and time');
	});
});

describe('many rows and many entries', () => {
	test('10,000 rows against 30,000 entries are one reading', async () => {
		seed(service.business, { webhookLogs: 30_000 });
		const items = Array.from({ length: 10_000 }, (_, index) => ({
			outcome: 'created',
			reference: `seeded-${index * 3 + 1}`,
		}));

		const { json } = await getStatus(items);

		expect(json).toHaveLength(10_000);
		expect(json.every(({ status }) => status === 'completed_transaction')).toBe(true);
		// The pages, and once more to make sure that none has moved.
		expect(service.sent()).toHaveLength(600);
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
	])('keeps %j', async (filters, minutes) => {
		expect(await idsOf(filters)).toEqual(minutes.map(at));
	});

	test('finds it on any page, and no more than Limit', async () => {
		expect(await idsOf({ reference: 'Invoice 7' }, { returnAll: false, limit: 2 })).toEqual(
			[4, 3].map(at),
		);
	});
});

test('events that name only the reference belong to the transaction of the row', async () => {
	log({ ...event('a', '', 'completed_transaction'), details: {} });

	const { json } = await getStatus([{ transactionId: 'T-1', reference: 'a' }]);

	expect(json).toMatchObject([
		{ transactionId: 'T-1', status: 'completed_transaction', message: '' },
	]);
});

test('a crypto deposit, which has no reference, keeps that of its row', async () => {
	log({
		status: 'completed_transaction',
		transactionType: 'deposit_crypto',
		timestamp: at(1),
		details: { transactionId: 'T-1', walletId: CRYPTO.walletId },
	});

	const { json } = await getStatus([{ transactionId: 'T-1', reference: 'order 42' }]);

	expect(json).toMatchObject([{ reference: 'order 42', status: 'completed_transaction' }]);
});
