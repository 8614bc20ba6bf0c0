import type { IDataObject } from 'n8n-workflow';

import { readLogs, TransactionIndex } from '../../nodes/logs/transactions';
import type { Service } from '../../nodes/service/transport';
import { readPayload } from '../../nodes/logs/payload';

const at = (minute: number): string => new Date(Date.UTC(2026, 10, 21, 8, minute)).toISOString();

let entries = 0;

/** A log entry with an event of section 6.1. */
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

function indexOf(...logs: IDataObject[]): TransactionIndex {
	const index = new TransactionIndex();
	for (const log of logs) index.add(log);
	return index;
}

describe('transactions from log entries', () => {
	test('returns the newest state of a transaction with its history', () => {
		const [transaction, ...others] = indexOf(
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

	test('lists each state once, with its first time, however often it was delivered', () => {
		const retried = [1, 5, 9].map((logged) => {
			const log = entry('pending_transaction', 1, { logged });
			delete (log.payload as IDataObject).timestamp;
			return log;
		});

		expect(indexOf(...retried.reverse()).all()).toMatchObject([
			{ history: [{ status: 'pending_transaction', at: at(1) }] },
		]);
	});

	test.each([
		['is logged late', entry('processing_transaction', 1, { logged: 9 })],
		['has a later time', entry('processing_transaction', 9)],
	])('keeps a final state if an earlier state %s', (_, late) => {
		expect(indexOf(late, entry('completed_transaction', 3)).all()).toMatchObject([
			{ status: 'completed_transaction', isFinal: true, since: at(3) },
		]);
	});

	test('takes amount and currency from the newest event, in any order of events', () => {
		const events = [
			entry('pending_transaction', 1, { more: { amount: '1', asset: 'USDC' } }),
			entry('processing_transaction', 2, { more: { amount: '2' } }),
			entry('processing_transaction', 2, { more: { amount: '3', asset: 'USDT' } }),
			entry('completed_transaction', 3),
		];

		for (const logs of [events, [...events].reverse()]) {
			expect(indexOf(...logs).all()).toMatchObject([{ amount: '3', asset: 'USDT' }]);
		}
	});

	test('leaves a final state if an undocumented one follows', () => {
		const logs = [entry('completed_transaction', 3), entry('reversed_transaction', 9)];

		expect(indexOf(...logs).all()).toMatchObject([
			{ status: 'reversed_transaction', isFinal: false },
		]);
	});

	test('returns the newer of two final states, and lists both', () => {
		const logs = [
			entry('failed_transaction', 9),
			entry('completed_transaction', 3),
			entry('pending_transaction', 1),
		];

		expect(indexOf(...logs).all()).toMatchObject([
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

	test('sorts states of the same moment in their usual order', () => {
		const logs = ['completed_transaction', 'pending_transaction', 'processing_transaction'].map(
			(status) => entry(status, 1),
		);

		const [{ history, status }] = indexOf(...logs).all();

		expect(status).toBe('completed_transaction');
		expect(history.map((state) => state.status)).toEqual([
			'pending_transaction',
			'processing_transaction',
			'completed_transaction',
		]);
	});

	test('sorts undocumented states of the same moment by name', () => {
		const logs = [
			'b_transaction',
			'pending_transaction',
			'a_transaction',
			'failed_transaction',
		].map((status) => entry(status, 1));

		for (const some of [logs, [...logs].reverse()]) {
			const [{ history, status }] = indexOf(...some).all();
			expect(status).toBe('failed_transaction');
			expect(history.map((state) => state.status)).toEqual([
				'pending_transaction',
				'a_transaction',
				'b_transaction',
				'failed_transaction',
			]);
		}
	});

	test('merges two events of one state, in any order of events', () => {
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
			expect(indexOf(...logs).all()).toMatchObject([
				{
					// The time of the event counts, not when a delivery was logged.
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

	test('uses the newer spelling of names, in any order of events', () => {
		const logs = [
			entry('pending_transaction', 1, { id: 't-1', reference: 'r-1' }),
			entry('completed_transaction', 2, { id: 'T-1', reference: 'R-1' }),
		];
		(logs[0].payload as IDataObject).transactionType = '';

		for (const some of [logs, [...logs].reverse()]) {
			expect(indexOf(...some).all()).toMatchObject([
				{ transactionId: 'T-1', reference: 'R-1', transactionType: 'withdrawal_crypto' },
			]);
		}
	});

	test('returns a transaction without a reference', () => {
		const [transaction] = indexOf(entry('pending_transaction', 1, { reference: '' })).all();

		expect(transaction).toMatchObject({ transactionId: 'T-1', reference: '' });
	});

	test('takes hash and amount from the newest state that has them', () => {
		const logs = [
			entry('pending_transaction', 1, { more: { transactionHash: '0x1', amount: '1' } }),
			entry('processing_transaction', 2, { more: { transactionHash: '0x2', amount: '2' } }),
			entry('completed_transaction', 3),
		];

		expect(indexOf(...logs).all()).toMatchObject([{ transactionHash: '0x2', amount: '2' }]);
		expect(indexOf(logs[2]).all()).toMatchObject([{ transactionHash: '', amount: '', asset: '' }]);
	});

	test('finds a transaction once by its ID, its reference or both', () => {
		const index = indexOf(
			entry('pending_transaction', 1),
			entry('pending_transaction', 2, { id: 'T-2', reference: 'R-2' }),
			entry('pending_transaction', 2, { id: 'T-0', reference: 'R-2' }),
		);
		const found = (names: Parameters<TransactionIndex['find']>[0]) =>
			index.find(names).map(({ transactionId }) => transactionId);

		expect(found({ transactionId: 't-1' })).toEqual(['T-1']);
		expect(found({ reference: 'r-1' })).toEqual(['T-1']);
		expect(found({ transactionId: 't-1', reference: 'r-1' })).toEqual(['T-1']);
		expect(found({ transactionId: 't-1', reference: 'r-2' })).toEqual(['T-0', 'T-2', 'T-1']);
		expect(found({ transactionId: 't-9', reference: 'r-9' })).toEqual([]);
		expect(found({})).toEqual([]);
	});

	test('finds a transaction once if events name only its reference', () => {
		const index = indexOf(
			entry('pending_transaction', 1),
			entry('completed_transaction', 2, { id: '' }),
			entry('pending_transaction', 1, { id: '', reference: 'R-2' }),
		);
		const found = (names: Parameters<TransactionIndex['find']>[0]) =>
			index.find(names).map(({ transactionId, status }) => [transactionId, status]);

		expect(found({ reference: 'r-1' })).toEqual([['T-1', 'completed_transaction']]);
		expect(found({ reference: 'r-2' })).toEqual([['', 'pending_transaction']]);
		expect(found({ transactionId: 't-1', reference: 'r-2' })).toEqual([
			['T-1', 'completed_transaction'],
			['', 'pending_transaction'],
		]);
	});

	test('assigns events that name only a reference to its only transaction', () => {
		const alone = entry('completed_transaction', 3, { id: '' });
		const one = indexOf(alone, entry('pending_transaction', 1));
		const two = indexOf(
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

describe('payloads', () => {
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
	])('reads reference and transaction: %s', (_, payload) => {
		expect(readPayload(payload)).toMatchObject({ references: ['R'], transactionId: 'T' });
	});

	test.each<[string, IDataObject]>([
		['of a list of several transactions', { transactions: [{ transactionId: 'T' }, {}] }],
		['of what is no object', { details: 'T', data: ['T'], transactions: [['T']] }],
		['that is empty', { externalReference: '', transactionId: ' ' }],
		['that is neither text nor number', { externalReference: true, transactionId: { id: 'T' } }],
	])('reads no name %s', (_, payload) => {
		expect(readPayload(payload)).toMatchObject({ references: [], transactionId: undefined });
	});

	test('reads all references and the innermost transaction', () => {
		const payload = {
			externalReference: 'R',
			reference_id: 7,
			transactionId: 'outer',
			details: { external_reference: 'S', transaction_id: 'T' },
		};
		expect(readPayload(payload)).toMatchObject({ references: ['R', '7', 'S'], transactionId: 'T' });
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
	])('reads %s', (_, payload, news) => {
		const log = { id: 'log', createdAt: at(1), payload: { externalReference: 'R', ...payload } };
		expect(indexOf(log).all()).toMatchObject([news]);
	});

	test.each<[string, IDataObject, string[]]>([
		['in details', { details: { amount: '10.50', asset: 'USDC' } }, ['10.50', 'USDC']],
		['at the top', { amount: 10.5, currency_type: 'BOB' }, ['10.5', 'BOB']],
		['in data', { data: { fiatAmount: '7', fiatCurrency: 'USD' } }, ['7', 'USD']],
		['without a currency', { details: { amount: '1' }, asset: 'USDC' }, ['1', '']],
		['with two', { details: { amount: '1', asset: 'USDC', currency: 'BOB' } }, ['1', '']],
		['without an amount', { details: { asset: 'USDC' } }, ['', '']],
	])('reads amount and currency: %s', (_, more, [amount, asset]) => {
		const status = 'completed_transaction';
		const payload = { externalReference: 'R', status, timestamp: at(1), ...more };

		expect(indexOf({ id: 'log', payload }).all()).toMatchObject([{ amount, asset }]);
	});

	test('reads a payload of JSON text with its state inside', () => {
		const payload = JSON.stringify({
			event: 'transaction.updated',
			data: { referenceId: 42, transactionId: 'T', status: 'failed_transaction' },
		});

		expect(indexOf({ id: 'log', createdAt: at(1), payload }).all()).toMatchObject([
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
	])('skips an entry %s', (_, log) => {
		expect(new TransactionIndex().add({ id: 'log', ...log })).toBe(false);
	});
});

describe('reading the logs', () => {
	/** A service whose pages change as the test says. */
	const serviceOf = (page: (number: number, requests: number) => IDataObject[]) => {
		const queries: unknown[] = [];
		const request = async ({ query }: { query: IDataObject }) => {
			queries.push(query);
			return { logs: page(Number(query.page), queries.length) };
		};
		return { service: { request } as unknown as Service, queries };
	};

	test('returns the time of the newest entry', async () => {
		const logs = [2, 9, 4].map((logged) => entry('pending_transaction', 1, { logged }));
		const { service } = serviceOf((page) => (page === 1 ? logs : []));

		expect((await readLogs(service, new TransactionIndex())).newest).toBe(Date.parse(at(9)));
		const empty = await readLogs(serviceOf(() => []).service, new TransactionIndex());
		expect(empty.newest).toBe(-Infinity);
	});

	/** A hundred entries, the newest first, or in the order of the minutes. */
	const hundred = (page: number, isNewestFirst: boolean) =>
		Array.from({ length: 100 }, (_, index) => {
			const number = page * 100 + index;
			const minute = isNewestFirst ? 5_000 - number : number;
			const names = { id: `T-${number}`, reference: `R-${number}` };
			return { ...entry('completed_transaction', minute, names), id: number };
		});

	test.each([
		[true, [1, 2, 3, 4, 10, 19]],
		// The probes are not read again, but the first page is, to see whether entries have left.
		[false, [1, 2, 3, 4, 10, 19, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17, 18, 1]],
	])(
		'ends when enough is known only if the newest come first (%p)',
		async (isNewestFirst, wanted) => {
			const pages: number[] = [];
			const request = async ({ query }: { query: { page: number } }) => {
				pages.push(query.page);
				const pagination = { total: 1_900, totalPages: 19 };
				return { logs: hundred(query.page, isNewestFirst), pagination };
			};
			const isEnough = () => pages.length >= 4;

			const reading = await readLogs({ request } as unknown as Service, new TransactionIndex(), {
				isEnough,
			});

			expect(pages).toEqual(wanted);
			expect(reading.isUnordered).toBe(!isNewestFirst);
		},
	);

	test('keeps only the wanted transactions, including events that name only their ID', async () => {
		const logs = [
			entry('completed_transaction', 3, { reference: '' }),
			entry('pending_transaction', 1, { reference: ' r-1' }),
			entry('pending_transaction', 1, { id: 'T-2', reference: 'R-2' }),
		];
		const { service } = serviceOf((page) => (page === 1 ? logs : []));
		const index = new TransactionIndex({
			references: new Set(['r-1']),
			transactionIds: new Set(),
		});

		await readLogs(service, index);

		expect(index.all()).toMatchObject([{ transactionId: 'T-1', status: 'completed_transaction' }]);
	});

	test('counts skipped entries once, however often it reads', async () => {
		const logs = [entry('pending_transaction', 1), { id: 'odd' }, { id: 'odder' }];
		const { service, queries } = serviceOf((page) => (page === 1 ? logs : []));
		const index = new TransactionIndex();

		await readLogs(service, index);
		await readLogs(service, index);

		expect(queries).toHaveLength(4);
		expect(index.unreadable).toBe(2);
	});
});
