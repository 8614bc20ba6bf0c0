import type { ServiceError } from '../../nodes/service/errors';
import {
	createdIn,
	entriesIn,
	isNamed,
	listIn,
	objectIn,
	objectsIn,
	textIn,
} from '../../nodes/service/responses';
import {
	hasMovedOn,
	statusKind,
	statusText,
	worstStatus,
} from '../../nodes/service/transactionStatus';

const withCode = (code: string): ServiceError =>
	expect.objectContaining({ code }) as unknown as ServiceError;

describe('a list in a response', () => {
	test('a list in a response is the response itself, or one of its properties', () => {
		expect(listIn([1])).toEqual([1]);
		expect(listIn([1], 'wallets')).toEqual([1]);
		expect(listIn({ wallets: [2] }, 'wallets')).toEqual([2]);
	});

	test.each<[unknown, string | undefined]>([
		[{ wallets: [] }, undefined],
		[{ wallets: {} }, 'wallets'],
		['text', 'wallets'],
		[null, 'wallets'],
		[undefined, 'wallets'],
	])('a list in a response is missing in %j', (response, key) => {
		const missing = withCode('responseWithoutList');
		expect(() => listIn(response, key)).toThrow(missing);
		expect(() => entriesIn(response, key)).toThrow(missing);
	});

	test('gives its objects, and is no list if it has entries but no object', () => {
		expect(entriesIn([])).toEqual([]);
		expect(entriesIn([null])).toEqual([]);
		expect(entriesIn({ logs: [null, { a: 1 }, 'x', [2]] }, 'logs')).toEqual([{ a: 1 }]);
		expect(() => entriesIn(['x', null])).toThrow(withCode('responseWithoutList'));
	});

	test('a list in a response may be a single object where one was created', () => {
		expect(objectsIn([{ a: 1 }, null, 'x'])).toEqual([{ a: 1 }]);
		expect(objectsIn({ a: 1 })).toEqual([{ a: 1 }]);
		expect(objectsIn(undefined)).toEqual([]);
	});
});

test('rejects what is no object where a response has to be one', () => {
	expect(objectIn({ a: 1 })).toEqual({ a: 1 });
	for (const response of ['<html>', null, [], 5, undefined]) {
		expect(() => objectIn(response)).toThrow(withCode('responseWithoutObject'));
	}
});

test('reads only texts that are not empty from a response', () => {
	const response = { a: 'x', b: '', c: 5 };
	expect(['a', 'b', 'c', 'd'].map((key) => textIn(response, key))).toEqual([
		'x',
		undefined,
		undefined,
		undefined,
	]);
	expect([null, undefined].map((nothing) => textIn(nothing, 'a'))).toEqual([undefined, undefined]);
});

test('compares a name in any letter case, and nothing that is no text', () => {
	expect(
		['Active', 'ACTIVE', 'inactive', 5, null].map((value) => isNamed(value, 'active')),
	).toEqual([true, true, false, false, false]);
});

describe('the created transaction', () => {
	test.each<[unknown, string, string]>([
		[{ status: 'a', message: 'b' }, 'a', 'b'],
		[[{ status: 'completed_transaction' }, { status: 'FAILED', message: 'No' }], 'FAILED', 'No'],
		[[{ status: 'completed_transaction' }, { status: 'other' }], 'other', ''],
		[[{ status: 'pending_transaction' }, {}], 'pending_transaction', ''],
		[[{}, 'x'], '', ''],
		[undefined, '', ''],
	])('the created transaction has the worst status of %j', (transactions, status, message) => {
		expect(createdIn('t1', transactions)).toEqual({ transactionId: 't1', status, message });
	});

	test('the created transaction does not exist without its ID', () => {
		expect(createdIn(undefined, [{ status: 'a' }])).toBeUndefined();
	});
});

describe('a status', () => {
	test.each([
		['completed_transaction', 'alive', true],
		['Completed', 'alive', true],
		[' PROCESSING-transaction ', 'alive', true],
		['pending transaction', 'alive', false],
		['pending', 'alive', false],
		['', 'alive', false],
		['transaction_completed', 'undocumented', false],
		['on  blockchain', 'undocumented', false],
		['on hold', 'undocumented', false],
		['expired_transaction', 'failed', true],
		['time - out', 'failed', true],
		['devuelto', 'failed', true],
		[`${' '.repeat(93)}reject`, 'failed', true],
		[`${' '.repeat(94)}refund`, 'failed', true],
		[`${'x'.repeat(95)}refund`, 'undocumented', false],
	])('says whether a transaction pays, and whether it waits: %j', (status, kind, isMoving) => {
		expect(statusKind(status)).toBe(kind);
		expect(hasMovedOn(status)).toBe(isMoving);
	});

	test('a status is a short text, whatever the service sends', () => {
		expect([undefined, null, 'a', 5, false, { a: 1 }].map(statusText)).toEqual([
			'',
			'',
			'a',
			'5',
			'false',
			'{"a":1}',
		]);
		expect(statusText('a'.repeat(101))).toBe('a'.repeat(100));
	});

	test('a status is worse the less it pays, and the first counts of several that are equal', () => {
		const all = ['pending', 'other', 'rejected', 'failed'].map((status) => ({ status }));

		expect(worstStatus(all)).toBe(all[2]);
		expect(worstStatus(all.slice(0, 2))).toBe(all[1]);
		expect(worstStatus(all.slice(0, 1))).toBe(all[0]);
		expect(worstStatus([])).toBeUndefined();
	});
});
