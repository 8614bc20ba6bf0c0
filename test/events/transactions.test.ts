import type { IDataObject } from 'n8n-workflow';

import { readLogs, TransactionIndex } from '../../nodes/webhooks/transactions';
import type { Service } from '../../nodes/service/transport';
import { identifiersIn } from '../../nodes/webhooks/loggedEvent';

const at = (minute: number): string => new Date(Date.UTC(2026, 10, 21, 8, minute)).toISOString();

let entries = 0;

/** An entry of the logs with an event of section 6.1. */
function entry(
	status: string,
	minute: number,
	{ id = 'T-1', reference = 'R-1', logged = minute, more = {} as IDataObject } = {},
): IDataObject {
	return {
		id: `log-${entries++}`,
		createdAt: at(logged),
		payload: {
			...(reference !== '' && { externalReference: reference }),
			status,
			transactionType: 'withdrawal_crypto',
			timestamp: at(minute),
			details: {
				message: `is ${status}`,
				...(id !== '' && { transactionId: id }),
				...more,
			},
		},
	};
}

function bookOf(...logs: IDataObject[]): TransactionIndex {
	const book = new TransactionIndex();
	for (const log of logs) book.add(log);
	return book;
}

describe('a transaction', () => {
	test('is in its newest state, with its history', () => {
		const [transaction, ...others] = bookOf(
			entry('completed_transaction', 3, { more: { transactionHash: '0xabc' } }),
			entry('processing_transaction', 2),
			entry('pending_transaction', 1),
		).all();

		expect(others).toEqual([]);
		expect(transaction).toMatchObject({
			transactionId: 'T-1',
			reference: 'R-1',
			transactionType: 'withdrawal_crypto',
			status: 'completed_transaction',
			isFinal: true,
			since: at(3),
			message: 'is completed_transaction',
			transactionHash: '0xabc',
			history: [
				{ status: 'pending_transaction', at: at(1) },
				{ status: 'processing_transaction', at: at(2) },
				{ status: 'completed_transaction', at: at(3) },
			],
		});
	});

	test('has each state once, from its first time, however often it was delivered', () => {
		const retried = [1, 5, 9].map((logged) => {
			const log = entry('pending_transaction', 1, { logged });
			delete (log.payload as IDataObject).timestamp;
			return log;
		});

		expect(bookOf(...retried.reverse()).all()).toMatchObject([
			{ history: [{ status: 'pending_transaction', at: at(1) }] },
		]);
	});

	test.each([
		['is logged late', entry('processing_transaction', 1, { logged: 9 })],
		['has a later time', entry('processing_transaction', 9)],
	])('stays final when an earlier state %s', (_, late) => {
		expect(bookOf(late, entry('completed_transaction', 3)).all()).toMatchObject([
			{ status: 'completed_transaction', isFinal: true, since: at(3) },
		]);
	});

	test('is about what its newest event tells, in whatever order the events come', () => {
		const events = [
			entry('pending_transaction', 1, { more: { amount: '1', asset: 'USDC' } }),
			entry('processing_transaction', 2, { more: { amount: '2' } }),
			entry('processing_transaction', 2, { more: { amount: '3', asset: 'USDT' } }),
			entry('completed_transaction', 3),
		];

		for (const logs of [events, [...events].reverse()]) {
			expect(bookOf(...logs).all()).toMatchObject([{ amount: '3', asset: 'USDT' }]);
		}
	});

	test('leaves a final state for one that is not documented and comes later', () => {
		const logs = [entry('completed_transaction', 3), entry('reversed_transaction', 9)];

		expect(bookOf(...logs).all()).toMatchObject([
			{ status: 'reversed_transaction', isFinal: false },
		]);
	});

	test('with two final states has the newer one, and both are told', () => {
		const logs = [
			entry('failed_transaction', 9),
			entry('completed_transaction', 3),
			entry('pending_transaction', 1),
		];

		expect(bookOf(...logs).all()).toMatchObject([
			{
				status: 'failed_transaction',
				isFinal: true,
				finalStates: [
					{ status: 'completed_transaction', at: at(3) },
					{ status: 'failed_transaction', at: at(9) },
				],
			},
		]);
	});

	test('at one moment goes through its states as they follow each other', () => {
		const logs = ['completed_transaction', 'pending_transaction', 'processing_transaction'].map(
			(status) => entry(status, 1),
		);

		const [{ history, status }] = bookOf(...logs).all();

		expect(status).toBe('completed_transaction');
		expect(history.map((state) => state.status)).toEqual([
			'pending_transaction',
			'processing_transaction',
			'completed_transaction',
		]);
	});

	test('at one moment goes through states that are not documented in their own order', () => {
		const logs = [
			'b_transaction',
			'pending_transaction',
			'a_transaction',
			'failed_transaction',
		].map((status) => entry(status, 1));

		for (const some of [logs, [...logs].reverse()]) {
			const [{ history, status }] = bookOf(...some).all();
			expect(status).toBe('failed_transaction');
			expect(history.map((state) => state.status)).toEqual([
				'pending_transaction',
				'a_transaction',
				'b_transaction',
				'failed_transaction',
			]);
		}
	});

	test('is told by both of two events of one state, in whatever order they come', () => {
		const early = entry('completed_transaction', 1, { more: { message: 'b', amount: '1' } });
		const late = entry('completed_transaction', 2, {
			more: { message: 'a', transactionHash: '0xabc', amount: '2' },
		});
		const untold = entry('completed_transaction', 0, { more: { message: '' } });
		delete (untold.payload as IDataObject).timestamp;

		for (const logs of [
			[early, late, untold],
			[untold, late, early],
		]) {
			expect(bookOf(...logs).all()).toMatchObject([
				{
					// Its own time counts, and not when a delivery of it was logged.
					since: at(1),
					message: 'a',
					transactionHash: '0xabc',
					amount: '1',
					asset: '',
					history: [{ status: 'completed_transaction', at: at(1) }],
				},
			]);
		}
	});

	test('is named in one way, whichever of two spellings comes first', () => {
		const logs = [
			entry('pending_transaction', 1, { id: 't-1', reference: 'r-1' }),
			entry('completed_transaction', 2, { id: 'T-1', reference: 'R-1' }),
		];
		(logs[0].payload as IDataObject).transactionType = '';

		for (const some of [logs, [...logs].reverse()]) {
			expect(bookOf(...some).all()).toMatchObject([
				{ transactionId: 'T-1', reference: 'R-1', transactionType: 'withdrawal_crypto' },
			]);
		}
	});

	test('without a reference has none', () => {
		const [transaction] = bookOf(entry('pending_transaction', 1, { reference: '' })).all();

		expect(transaction).toMatchObject({ transactionId: 'T-1', reference: '' });
	});

	test('has the hash and the worth of the newest state that tells them', () => {
		const logs = [
			entry('pending_transaction', 1, { more: { transactionHash: '0x1', amount: '1' } }),
			entry('processing_transaction', 2, { more: { transactionHash: '0x2', amount: '2' } }),
			entry('completed_transaction', 3),
		];

		expect(bookOf(...logs).all()).toMatchObject([{ transactionHash: '0x2', amount: '2' }]);
		expect(bookOf(logs[2]).all()).toMatchObject([{ transactionHash: '', amount: '', asset: '' }]);
	});

	test('is found by its ID, by its reference or by both, once', () => {
		const book = bookOf(
			entry('pending_transaction', 1),
			entry('pending_transaction', 2, { id: 'T-2', reference: 'R-2' }),
			entry('pending_transaction', 2, { id: 'T-0', reference: 'R-2' }),
		);
		const found = (names: Parameters<TransactionIndex['find']>[0]) =>
			book.find(names).map(({ transactionId }) => transactionId);

		expect(found({ transactionId: 't-1' })).toEqual(['T-1']);
		expect(found({ reference: 'r-1' })).toEqual(['T-1']);
		expect(found({ transactionId: 't-1', reference: 'r-1' })).toEqual(['T-1']);
		expect(found({ transactionId: 't-1', reference: 'r-2' })).toEqual(['T-0', 'T-2', 'T-1']);
		expect(found({ transactionId: 't-9', reference: 'r-9' })).toEqual([]);
		expect(found({})).toEqual([]);
	});

	test('is found where events name its reference alone, once', () => {
		const book = bookOf(
			entry('pending_transaction', 1),
			entry('completed_transaction', 2, { id: '' }),
			entry('pending_transaction', 1, { id: '', reference: 'R-2' }),
		);
		const found = (names: Parameters<TransactionIndex['find']>[0]) =>
			book.find(names).map(({ transactionId, status }) => [transactionId, status]);

		expect(found({ reference: 'r-1' })).toEqual([['T-1', 'completed_transaction']]);
		expect(found({ reference: 'r-2' })).toEqual([['', 'pending_transaction']]);
		expect(found({ transactionId: 't-1', reference: 'r-2' })).toEqual([
			['T-1', 'completed_transaction'],
			['', 'pending_transaction'],
		]);
	});

	test('is news where it is new, in a new state or under a new reference', () => {
		const book = new TransactionIndex();
		const told = [
			entry('pending_transaction', 1),
			entry('pending_transaction', 1),
			entry('completed_transaction', 1),
			entry('completed_transaction', 1, { reference: 'R-9' }),
			entry('completed_transaction', 1, { reference: 'R-9' }),
			entry('completed_transaction', 1, { reference: '' }),
		].map((log) => book.add(log));

		expect(told).toEqual(['new', 'known', 'new', 'new', 'known', 'known']);
	});

	test('gets the events that name its reference alone, where that is no other’s', () => {
		const alone = entry('completed_transaction', 3, { id: '' });
		const one = bookOf(alone, entry('pending_transaction', 1));
		const two = bookOf(
			alone,
			entry('pending_transaction', 1),
			entry('pending_transaction', 2, { id: 'T-2' }),
		);

		expect(one.all()).toMatchObject([{ transactionId: 'T-1', status: 'completed_transaction' }]);
		expect(
			two.find({ reference: 'r-1' }).map((found) => [found.transactionId, found.status]),
		).toEqual([
			['', 'completed_transaction'],
			['T-2', 'pending_transaction'],
			['T-1', 'pending_transaction'],
		]);
		expect(two.all()).toHaveLength(3);
	});
});

describe('a payload', () => {
	test.each<[string, IDataObject]>([
		['as it is documented', { externalReference: 'R', details: { transactionId: 'T' } }],
		['in the other spelling', { external_reference: 'R', transaction_id: 'T' }],
		['as a QR deposit has it', { referenceId: 'R', transactionId: 'T' }],
		['in data', { data: { reference_id: 'R', transaction_id: 'T' } }],
		['in details of data', { data: { details: { external_reference: 'R', transactionId: 'T' } } }],
		[
			'as a bank payout is answered',
			{ external_reference: 'R', transactions: [{ transaction_id: 'T' }] },
		],
		['with blanks around it', { externalReference: ' R\u00a0', details: { transactionId: 'T' } }],
	])('tells reference and transaction: %s', (_, payload) => {
		expect(identifiersIn(payload)).toEqual({ references: ['R'], transactionId: 'T' });
	});

	test.each<[string, IDataObject]>([
		['of a list of several transactions', { transactions: [{ transactionId: 'T' }, {}] }],
		['of what is no object', { details: 'T', data: ['T'], transactions: [['T']] }],
		['that is empty', { externalReference: '', transactionId: ' ' }],
		['that is neither text nor number', { externalReference: true, transactionId: { id: 'T' } }],
	])('tells no name %s', (_, payload) => {
		expect(identifiersIn(payload)).toEqual({ references: [], transactionId: undefined });
	});

	test('tells all its references, and the innermost transaction', () => {
		const payload = {
			externalReference: 'R',
			reference_id: 7,
			transactionId: 'outer',
			details: { external_reference: 'S', transaction_id: 'T' },
		};
		expect(identifiersIn(payload)).toEqual({ references: ['R', '7', 'S'], transactionId: 'T' });
	});

	test.each<[string, IDataObject, IDataObject]>([
		['its state', { status: 'x' }, { status: 'x' }],
		['its state, under another name', { transactionStatus: 'x' }, { status: 'x' }],
		['its state, in the other spelling', { transaction_status: 'x' }, { status: 'x' }],
		['its state as an event', { event: 'x' }, { status: 'x' }],
		[
			'of several states the one that is documented',
			{ status: 'ok', event: 'pending_transaction' },
			{ status: 'pending_transaction' },
		],
		['its type', { status: 'x', transactionType: 'y' }, { transactionType: 'y' }],
		[
			'its type, in the other spelling',
			{ status: 'x', transaction_type: 'y' },
			{ transactionType: 'y' },
		],
		[
			'its type under a common name, where it is documented',
			{ status: 'x', type: 'withdrawal_ach' },
			{ transactionType: 'withdrawal_ach' },
		],
		['no type that may be another', { status: 'x', type: 'y' }, { transactionType: '' }],
		['its hash', { status: 'x', transactionHash: '0x1' }, { transactionHash: '0x1' }],
		[
			'its hash, in the other spelling',
			{ status: 'x', transaction_hash: '0x1' },
			{ transactionHash: '0x1' },
		],
		['its message', { status: 'x', message: 'y' }, { message: 'y' }],
		[
			'the innermost message',
			{ status: 'x', message: 'y', details: { message: 'z' } },
			{ message: 'z' },
		],
	])('tells %s', (_, payload, told) => {
		const log = { id: 'log', createdAt: at(1), payload: { externalReference: 'R', ...payload } };
		expect(bookOf(log).all()).toMatchObject([told]);
	});

	test.each<[string, IDataObject, string[]]>([
		['in details', { details: { amount: '10.50', asset: 'USDC' } }, ['10.50', 'USDC']],
		['at the top', { amount: 10.5, currency_type: 'BOB' }, ['10.5', 'BOB']],
		['in data', { data: { fiatAmount: '7', fiatCurrency: 'USD' } }, ['7', 'USD']],
		['without a currency', { details: { amount: '1' }, asset: 'USDC' }, ['1', '']],
		['with two', { details: { amount: '1', asset: 'USDC', currency: 'BOB' } }, ['1', '']],
		['without an amount', { details: { asset: 'USDC' } }, ['', '']],
	])('tells amount and currency: %s', (_, more, [amount, asset]) => {
		const status = 'completed_transaction';
		const payload = { externalReference: 'R', status, timestamp: at(1), ...more };

		expect(bookOf({ id: 'log', payload }).all()).toMatchObject([{ amount, asset }]);
	});

	test('may be JSON text, and have its state inside', () => {
		const payload = JSON.stringify({
			event: 'transaction.updated',
			data: { referenceId: 42, transactionId: 'T', status: 'failed_transaction' },
		});

		expect(bookOf({ id: 'log', createdAt: at(1), payload }).all()).toMatchObject([
			{ reference: '42', transactionId: 'T', status: 'failed_transaction', since: at(1) },
		]);
	});

	test.each<[string, IDataObject]>([
		['without a payload', { createdAt: at(1) }],
		['with other text', { createdAt: at(1), payload: 'ok' }],
		['without a state', { createdAt: at(1), payload: { externalReference: 'R' } }],
		[
			'without a transaction',
			{ createdAt: at(1), payload: { status: 'completed_transaction', details: {} } },
		],
		[
			'without a date',
			{ payload: { externalReference: 'R', status: 'completed_transaction', timestamp: 'soon' } },
		],
	])('%s is passed over', (_, log) => {
		expect(new TransactionIndex().add({ id: 'log', ...log })).toBe('unreadable');
	});
});

describe('reading', () => {
	/** A service whose pages change as the test says. */
	const serviceOf = (page: (number: number, requests: number) => IDataObject[]) => {
		const queries: unknown[] = [];
		const request = async ({ query }: { query: IDataObject }) => {
			queries.push(query);
			return { logs: page(Number(query.page), queries.length) };
		};
		return { service: { request } as unknown as Service, queries };
	};

	test('is done again until it adds nothing, and finds what a page moved out of sight', async () => {
		const logs = Array.from({ length: 250 }, (_, index) =>
			entry('pending_transaction', 1, { id: `T-${index}`, reference: `R-${index}` }),
		);
		// In the first pass an entry of the second page is not seen: it moves up meanwhile.
		const { service, queries } = serviceOf((page, requests) =>
			logs.filter((_, index) => requests > 3 || index !== 150).slice((page - 1) * 100, page * 100),
		);
		const book = new TransactionIndex();

		await readLogs(service, book);

		expect(book.all()).toHaveLength(250);
		expect(queries).toHaveLength(9);
	});

	test('tells when the newest entry was logged', async () => {
		const logs = [2, 9, 4].map((logged) => entry('pending_transaction', 1, { logged }));
		const { service } = serviceOf((page) => (page === 1 ? logs : []));

		expect(await readLogs(service, new TransactionIndex())).toBe(Date.parse(at(9)));
		expect(await readLogs(serviceOf(() => []).service, new TransactionIndex())).toBeUndefined();
	});

	test('has an end where each pass finds something', async () => {
		const { service, queries } = serviceOf((_, requests) => [
			entry('pending_transaction', 1, { id: `T-${requests}` }),
		]);

		await readLogs(service, new TransactionIndex());

		expect(queries).toHaveLength(3);
	});

	test('for some keeps these alone, with what only their transaction ID tells', async () => {
		const logs = [
			entry('completed_transaction', 3, { reference: '' }),
			entry('pending_transaction', 1, { reference: ' r-1' }),
			entry('pending_transaction', 1, { id: 'T-2', reference: 'R-2' }),
		];
		const { service } = serviceOf((page) => (page === 1 ? logs : []));
		const book = new TransactionIndex({
			references: new Set(['r-1']),
			transactionIds: new Set(),
		});

		await readLogs(service, book);

		expect(book.all()).toMatchObject([{ transactionId: 'T-1', status: 'completed_transaction' }]);
	});

	test('counts what it passed over once, however often it reads', async () => {
		const logs = [entry('pending_transaction', 1), { id: 'odd' }, { id: 'odder' }];
		const { service, queries } = serviceOf((page) => (page === 1 ? logs : []));
		const book = new TransactionIndex();

		await readLogs(service, book);

		expect(queries).toHaveLength(2);
		expect(book.unreadable).toBe(2);
	});

	test('ends at what is too old', async () => {
		const logs = (page: number) =>
			Array.from({ length: 100 }, (_, index) =>
				entry('pending_transaction', 500 - page * 100 - index, { id: `T-${page}-${index}` }),
			);
		const { service, queries } = serviceOf(logs);

		await readLogs(service, new TransactionIndex(), Date.parse(at(205)));

		expect(queries.slice(0, 2)).toMatchObject([{ page: 1 }, { page: 2 }]);
		expect(queries[2]).toMatchObject({ page: 1 });
	});
});
