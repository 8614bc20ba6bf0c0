import type { IDataObject } from 'n8n-workflow';

import {
	cellsOf,
	fundingText,
	fundsText,
	readRows,
	rowNumberIn,
} from '../../nodes/report/reportRow';

const FUNDS = { amount: '36.5', asset: 'USDC', blockchain: 'Polygon', address: '0xabc' };

/** What a payment leaves. */
const paid = (outcome: string, more: IDataObject = {}): IDataObject => ({
	outcome,
	payee: 'Ana Rojas',
	amount: '900',
	currency: 'BOB',
	paidTo: '1001 00123',
	reference: 'r',
	message: 'why',
	...more,
});

/** The same after Get Status. */
const lookedUp = (outcome: string, status: string, more: IDataObject = {}): IDataObject =>
	paid(outcome, { status, isFinal: false, since: '2026-11-24', ...more });

const verdictsOf = (...items: IDataObject[]) =>
	readRows(items, 'en').map(({ verdict, verdictText }) => [verdict, verdictText]);

describe('the verdict of a row', () => {
	test.each<[IDataObject, string, string]>([
		// Without the values of a payment, nothing says that they are others.
		[{ status: 'completed_transaction', isOtherPayment: true }, 'arrived', 'Arrived'],
		[{ status: 'notFound' }, 'unknown', 'Not known: the logs do not have it'],
		[{}, 'unknown', 'Not known: the item is not the result of a payment'],
		// Only the logs contradict a row that was not created.
		[paid('rejected', { status: 'completed_transaction' }), 'rejected', 'Rejected: why'],
		[lookedUp('rejected', 'notFound'), 'rejected', 'Rejected: why'],
		[lookedUp('notSent', ''), 'notSent', 'Not paid: why'],
		[lookedUp('notSent', 'x', { paymentMessage: 'first' }), 'unclear', expect.anything() as never],
		[paid('notSent', { paymentMessage: 'first' }), 'notSent', 'Not paid: first'],
		[paid('created', { isFundingUnknown: true }), 'fundingUnknown', expect.anything() as never],
		[paid('created', { isFundingUnknown: 'true' }), 'created', 'Created'],
		[
			lookedUp('created', 'processing_transaction', { isFundingUnknown: true, toFund: FUNDS }),
			'onItsWay',
			'On its way',
		],
		[
			lookedUp('created', 'pending_transaction', { toFund: FUNDS }),
			'waitsForFunds',
			'Created, waits for crypto: 36.50 USDC',
		],
		[paid('alreadySent', { isFundingUnknown: true }), 'alreadySent', 'Sent in an earlier run'],
		[paid('alreadySent', { toFund: FUNDS }), 'alreadySent', 'Sent in an earlier run'],
		[
			paid('alreadySent', { status: 'processing_transaction' }),
			'alreadySent',
			'Sent in an earlier run',
		],
		[paid('created', { status: 'processing_transaction' }), 'created', 'Created'],
		[paid('created', { status: '' }), 'created', 'Created'],
		[lookedUp('created', ''), 'unconfirmed', 'Sent, arrival not known'],
		[
			lookedUp('created', 'failed_transaction', { message: '' }),
			'failed',
			'Did not arrive: the transaction failed',
		],
		[
			lookedUp('created', 'refunded', { message: 'sent back' }),
			'failed',
			'Did not arrive: refunded. sent back',
		],
		// One final status after pending ones is none too many.
		[
			lookedUp('created', 'completed_transaction', {
				history: [
					null,
					'failed_transaction',
					{ status: 'pending_transaction' },
					{ status: 'completed_transaction' },
					{ status: 'completed_transaction' },
				],
			}),
			'arrived',
			'Arrived',
		],
		[lookedUp('created', 'completed_transaction', { history: 'none' }), 'arrived', 'Arrived'],
	])('with %j is %s', (item, verdict, text) => {
		expect(verdictsOf(item)).toEqual([[verdict, text]]);
	});
});

describe('a row', () => {
	test('has what was sent, and since when it has its status if somebody looked it up', () => {
		expect(readRows([lookedUp('created', 'processing_transaction', { row: '7' })], 'en')).toEqual([
			{
				itemIndex: 0,
				verdict: 'onItsWay',
				verdictText: 'On its way',
				payee: 'Ana Rojas',
				amount: '900',
				currency: 'BOB',
				paidTo: '1001 00123',
				row: 7,
				since: '2026-11-24',
				status: 'processing_transaction',
				outcome: 'created',
				transactionId: '',
				reference: 'r',
				message: 'why',
				isLookupFailed: false,
			},
		]);
		expect(readRows([paid('created', { since: 'x' })], 'en')[0].since).toBe('');
	});

	test('has no values of an item that is not the result of a payment', () => {
		const item = { ...lookedUp('', 'completed_transaction'), outcome: undefined };
		expect(readRows([item as IDataObject], 'en')[0]).toMatchObject({
			...{ payee: '', amount: '', currency: '', paidTo: '', outcome: '' },
		});
	});

	test('says what it waits for only while it waits', () => {
		const [waits, moves] = readRows(
			[
				paid('created', { toFund: JSON.stringify(FUNDS) }),
				lookedUp('created', 'completed_transaction', { toFund: FUNDS, reference: 'q' }),
			],
			'en',
		);
		expect(waits.toFund).toEqual(FUNDS);
		expect(moves).not.toHaveProperty('toFund');
	});

	test.each<[unknown, number | undefined]>([
		[7, 7],
		['7', 7],
		[' 12 ', 12],
		['1234567', 1_234_567],
		['12345678', undefined],
		['0', undefined],
		['07', undefined],
		['x7', undefined],
		['7x', undefined],
		['7.5', undefined],
		[-7, undefined],
		[true, undefined],
		[undefined, undefined],
	])('with the number %j is row %p', (value, number) => {
		expect(rowNumberIn(value)).toBe(number);
	});

	test('is in the order of the file if all have their numbers', () => {
		const order = (...numbers: unknown[]) =>
			readRows(
				numbers.map((row) => paid('rejected', { row } as IDataObject)),
				'en',
			).map(({ itemIndex }) => itemIndex);
		expect(order(3, 1, 2)).toEqual([1, 2, 0]);
		expect(order(3, undefined, 2)).toEqual([0, 1, 2]);
	});

	test('has cells of text', () => {
		const [row] = readRows([paid('created', { toFund: FUNDS, row: 7 })], 'es');
		expect(cellsOf(row, 'es')).toMatchObject({
			verdict: 'Creado, espera cripto: 36,50 USDC',
			amount: '900.00',
			toFund: '36,50 USDC en Polygon a 0xabc',
			row: '7',
		});
		expect(cellsOf(readRows([{}], 'en')[0], 'en')).toMatchObject({
			...{ amount: '', toFund: '', row: '' },
		});
	});
});

describe('rows with the same reference', () => {
	const one = (outcome: string, transactionId: string, more: IDataObject = {}) =>
		paid(outcome, { transactionId, ...more });

	const verdicts = (...items: IDataObject[]) => verdictsOf(...items).map(([verdict]) => verdict);

	test.each<[string[], string[][]]>([
		// The one that was paid comes first.
		[
			['created', 'repeated'],
			[
				['created', 't'],
				['alreadySent', 't'],
			],
		],
		[
			['repeated', 'created'],
			[
				['alreadySent', 't'],
				['created', 't'],
			],
		],
		[
			['repeated', 'alreadySent'],
			[
				['created', ''],
				['alreadySent', 't'],
			],
		],
		[
			['repeated', 'created'],
			[
				['alreadySent', ''],
				['created', ''],
			],
		],
		[
			['created', 'repeated', 'repeated'],
			[
				['created', 't'],
				['created', ''],
				['created', 't'],
			],
		],
		[
			['twice', 'twice'],
			[
				['created', 't'],
				['created', 'u'],
			],
		],
		[
			['twice', 'repeated', 'twice'],
			[
				['created', 't'],
				['created', ''],
				['created', 'u'],
			],
		],
		[
			['created', 'rejected'],
			[
				['created', 't'],
				['rejected', 'u'],
			],
		],
	])('are %j', (expected, rows) => {
		expect(verdicts(...rows.map(([outcome, id]) => one(outcome, id)))).toEqual(expected);
	});

	test('are none without one', () => {
		const without = { reference: '' };
		expect(verdicts(one('created', 't', without), one('created', 't', without))).toEqual([
			...['created', 'created'],
		]);
	});

	test('say which row was paid, if its number is known, and count no amount twice', () => {
		const text = (...numbers: Array<number | undefined>) =>
			readRows(
				numbers.map((row) => one('created', 't', { row })),
				'en',
			).map(({ verdictText, amount }) => [verdictText, amount])[1];
		expect(text(4, 5)).toEqual(['Not paid again: the same payment as row 4', '']);
		expect(text(undefined, 5)).toEqual(['Not paid again: the same payment as row ?', '']);
	});
});

describe('crypto to send', () => {
	test.each([
		[{}, '36.50 USDC', '36.50 USDC on Polygon to 0xabc'],
		[{ amount: '' }, '? USDC', '? USDC on Polygon to 0xabc'],
		[{ asset: '' }, '36.50', '36.50 on Polygon to 0xabc'],
		[{ blockchain: '' }, '36.50 USDC', '36.50 USDC to 0xabc'],
		[{ address: '' }, '36.50 USDC', '36.50 USDC on Polygon'],
	])('with %j is %s', (more, short, long) => {
		expect(fundsText({ ...FUNDS, ...more }, 'en')).toBe(short);
		expect(fundingText({ ...FUNDS, ...more }, 'en')).toBe(long);
	});
});
