import type { IDataObject } from 'n8n-workflow';

import { readLogs, TransactionBook } from '../../nodes/events/transactions';
import type { Service } from '../../nodes/service/transport';
import { namesIn } from '../../nodes/events/loggedEvent';

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

function bookOf(...logs: IDataObject[]): TransactionBook {
	const book = new TransactionBook();
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
		const logs = [entry('failed_transaction', 9), entry('completed_transaction', 3)];

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
		expect(namesIn(payload)).toEqual({ references: ['R'], transactionId: 'T' });
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
		expect(new TransactionBook().add({ id: 'log', ...log })).toBe('nothing');
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
		const book = new TransactionBook();

		await readLogs(service, book);

		expect(book.all()).toHaveLength(250);
		expect(queries).toHaveLength(9);
	});

	test('has an end where each pass finds something', async () => {
		const { service, queries } = serviceOf((_, requests) => [
			entry('pending_transaction', 1, { id: `T-${requests}` }),
		]);

		await readLogs(service, new TransactionBook());

		expect(queries.length).toBeLessThan(10);
	});

	test('for some keeps these alone, with what only their transaction ID tells', async () => {
		const logs = [
			entry('completed_transaction', 3, { reference: '' }),
			entry('pending_transaction', 1, { reference: ' r-1' }),
			entry('pending_transaction', 1, { id: 'T-2', reference: 'R-2' }),
		];
		const { service } = serviceOf((page) => (page === 1 ? logs : []));
		const book = new TransactionBook({
			references: new Set(['r-1']),
			transactionIds: new Set(),
		});

		await readLogs(service, book);

		expect(book.all()).toMatchObject([{ transactionId: 'T-1', status: 'completed_transaction' }]);
	});

	test('counts what it passed over once, however often it reads', async () => {
		const logs = [entry('pending_transaction', 1), { id: 'odd' }, { id: 'odder' }];
		const { service } = serviceOf((page) => (page === 1 ? logs : []));
		const book = new TransactionBook();

		await readLogs(service, book);

		expect(book.passedOver).toBe(2);
	});
});
