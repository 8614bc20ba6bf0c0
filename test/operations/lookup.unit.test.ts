import type { IDataObject, INodeParameters } from 'n8n-workflow';

import {
	paymentIn,
	readItems,
	readRow,
	type Lookup,
} from '../../nodes/PartnerPayments/resources/transaction/lookup';
import { nodeWith } from './context';

const read = (
	parameters: INodeParameters,
	items: IDataObject[] = [{}],
	continueOnFail = true,
): Array<Lookup[] | Error> => readItems(nodeWith(parameters, items, { continueOnFail }));

/** The only item, as what is looked up or as the message of its error. */
function only(parameters: INodeParameters, item: IDataObject = {}): Lookup[] | string {
	const [one] = read(parameters, [item]);
	return one instanceof Error ? one.message : one;
}

const PAYMENT = { outcome: 'created', reference: 'r-1', transactionId: 'T-1', message: 'Sent' };

describe('a row of another source', () => {
	test.each<[IDataObject, string, string]>([
		[{ reference: ' order  7 ' }, 'order 7', ''],
		[{ reference: 7 }, '7', ''],
		[{ Referencia: 'r' }, 'r', ''],
		[{ 'Reference ID': 'r' }, 'r', ''],
		[{ external_reference: 'r', transaction_id: 'T' }, 'r', 'T'],
		[{ transactionId: 'T' }, '', 'T'],
		[{ reference: 'b', externalReference: 'a' }, 'a', ''],
		[{ referencia: 'd', reference: 'c', referenceId: 'b' }, 'b', ''],
		[{ externalReference: ' ', reference: 'c' }, 'c', ''],
		[{ reference: true, transactionId: { id: 'T' } }, '', ''],
		[{ reference: null }, '', ''],
		// Not the row's own, but that of an error.
		[{ error: { reference: 'r', message: 'failed' } }, '', ''],
	])(
		'%j is looked up by its reference %j and transaction ID %j',
		(row, reference, transactionId) => {
			expect(readRow(row)).toMatchObject({
				reference,
				transactionId,
				own: { reference, transactionId },
				outcome: '',
				message: '',
			});
		},
	);

	test('keeps all columns but the error of an earlier look', () => {
		const row = { reference: 'r', code: 'A-7', hint: 'x', message: 'hello' };
		expect(readRow({ ...row, error: { message: 'not read' } }).columns).toEqual(row);
	});

	test('is not changed', () => {
		const row = { ...PAYMENT, code: 'created', hint: 'x', error: {} };
		const before = { ...row };
		readRow(row);
		expect(row).toEqual(before);
	});
});

describe('the result of a payment', () => {
	test('is looked up by what was sent, not by another column of the file', () => {
		const row = { ...PAYMENT, external_reference: 'a', referenceId: 'b' };
		expect(readRow(row)).toMatchObject({ reference: 'r-1', transactionId: 'T-1' });
		expect(
			readRow({ outcome: 'created', external_reference: 'a', referenceId: 'b' }),
		).toMatchObject({ reference: 'b' });
	});

	test('in an error counts more than the columns next to it', () => {
		const error = { ...PAYMENT, outcome: 'unknown', amount: '5', payee: 'Ana', toFund: '' };
		const row = readRow({
			reference: 'other',
			transactionId: 'T-2',
			amount: '9',
			city: 'La Paz',
			error,
		});
		expect(row).toMatchObject({ reference: 'r-1', transactionId: 'T-1', outcome: 'unknown' });
		expect(row.columns).toEqual({
			reference: 'other',
			transactionId: 'T-2',
			amount: '5',
			city: 'La Paz',
			payee: 'Ana',
			toFund: '',
		});
	});

	test('loses its code and its hint, which the lookup outdates', () => {
		expect(readRow({ ...PAYMENT, code: 'c', hint: 'Look it up', city: 'La Paz' }).columns).toEqual({
			...PAYMENT,
			city: 'La Paz',
		});
	});

	test('keeps its own message in later looks', () => {
		expect(readRow(PAYMENT).message).toBe('Sent');
		expect(readRow({ ...PAYMENT, paymentMessage: 'First' }).message).toBe('First');
		expect(paymentIn({ error: { ...PAYMENT, paymentMessage: 'First' }, message: 'x' })).toEqual({
			...PAYMENT,
			paymentMessage: 'First',
		});
		expect(paymentIn(PAYMENT)).toEqual({ ...PAYMENT, paymentMessage: 'Sent' });
		expect(paymentIn({ reference: 'r-1', message: 'x' })).toEqual({});
	});

	test.each<[IDataObject, string | undefined]>([
		[{}, undefined],
		[{ sentAt: '2026-11-20T08:00:00Z' }, '2026-11-20T08:00:00.000Z'],
		[{ 'Sent at': '2026-11-20T08:00:00Z' }, '2026-11-20T08:00:00.000Z'],
		[{ sentAt: 'yesterday' }, undefined],
		[{ history: 'none' }, undefined],
		[{ history: [] }, undefined],
		[{ history: [null, 'pending', { at: 'soon' }] }, undefined],
		[
			{ history: [{ at: '2026-11-20T09:00:00Z' }, { at: '2026-11-20T07:00:00Z' }] },
			'2026-11-20T07:00:00.000Z',
		],
		[
			{ sentAt: '2026-11-20T08:00:00Z', history: [{ at: '2026-11-20T09:00:00Z' }] },
			'2026-11-20T08:00:00.000Z',
		],
		[
			{ sentAt: '2026-11-20T08:00:00Z', history: [{ at: '2026-11-20T07:00:00Z' }, {}] },
			'2026-11-20T07:00:00.000Z',
		],
	])('with %j began at %s', (row, began) => {
		const { startedAt } = readRow({ ...PAYMENT, ...row });
		expect(startedAt === undefined ? undefined : new Date(startedAt).toISOString()).toBe(began);
	});
});

describe('Find By Input Columns', () => {
	test.each<[IDataObject, boolean]>([
		[{ reference: 'r' }, true],
		[{ transactionId: 'T' }, true],
		[{ outcome: 'rejected' }, true],
		[{ outcome: 'notSent' }, true],
		[{ outcome: 'ready' }, true],
		[{ outcome: 'created' }, false],
		[{ outcome: 'unknown', reference: '' }, false],
		[{ name: 'Ana' }, false],
	])('of %j accepts a row that names a transaction or created none: %p', (item, isAccepted) => {
		const found = only({ findBy: 'input' }, item);
		if (isAccepted) expect(found).toEqual([readRow(item)]);
		else expect(found).toContain('The item has neither a reference nor a transaction ID');
	});

	test('is the default', () => {
		expect(only({}, { reference: 'r' })).toMatchObject([{ reference: 'r', transactionId: '' }]);
	});
});

describe('Find By Field Below', () => {
	const byBill = { findBy: 'field', referenceOrId: '={{ $json.bill }}' };

	test('looks one text up as both, and keeps what the row says of itself', () => {
		const item = { bill: ' b  7', reference: 'r', transactionId: 'T', outcome: 'unknown' };
		expect(only(byBill, item)).toEqual([
			{ ...readRow(item), reference: 'b 7', transactionId: 'b 7' },
		]);
		expect(only(byBill, { bill: 'b', transactionId: 'T' })).toMatchObject([
			{ reference: 'b', own: { reference: '', transactionId: 'T' } },
		]);
		expect(only(byBill, { bill: 7, reference: 'r' })).toMatchObject([
			{ reference: '7', transactionId: '7', own: { reference: 'r', transactionId: '' } },
		]);
		expect(only(byBill, { bill: 'b' })).toMatchObject([
			{ reference: 'b', own: { reference: 'b', transactionId: '' }, columns: { bill: 'b' } },
		]);
	});

	test.each<[unknown, RegExp]>([
		[undefined, /Reference or Transaction ID is required/],
		[null, /Reference or Transaction ID is required/],
		[' ', /Reference or Transaction ID is required/],
		[{ a: 1 }, /Reference or Transaction ID must be text, but the expression gives an object/],
		[[], /is required/],
	])('rejects %j', (bill, message) => {
		expect(only(byBill, { bill } as IDataObject)).toMatch(message);
	});
});

describe('several names in the field', () => {
	test('are each looked up once, without the columns of the item', () => {
		const list = { findBy: 'field', referenceOrId: 'a\n b  c \nA\n\n' };
		const entry = (reference: string) => ({
			reference,
			transactionId: reference,
			own: { reference, transactionId: '' },
			outcome: '',
			message: '',
			columns: {},
		});
		expect(only(list, { reference: 'r' })).toEqual([entry('A'), entry('b c')]);
	});

	test('may be a list of each item', () => {
		const found = read({ findBy: 'field', referenceOrId: '={{ $json.all }}' }, [
			{ all: ['a', 'b'] },
			{ all: 'c' },
		]);
		expect(found).toMatchObject([[{ reference: 'a' }, { reference: 'b' }], [{ reference: 'c' }]]);
	});
});

test('stops at the first item that fails, or gives each its error', () => {
	const items = [{ reference: 'r' }, { name: 'a' }, { name: 'b' }];
	expect(() => read({}, items, false)).toThrow('[Item 1] The item has neither');
	expect(read({}, items)).toEqual([
		[readRow(items[0])],
		expect.objectContaining({ message: expect.stringContaining('[Item 1]') }),
		expect.objectContaining({ message: expect.stringContaining('[Item 2]') }),
	]);
});

test('returns the error of an expression in its place', () => {
	const failing = { findBy: 'field', referenceOrId: "={{ $('No such node').item.json.a }}" };
	const [found] = read(failing);
	expect(found).toBeInstanceOf(Error);
	expect((found as Error).message).not.toMatch(/required/);
	expect(() => read(failing, [{}], false)).toThrow((found as Error).message);
});
