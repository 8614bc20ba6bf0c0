import type { IDataObject } from 'n8n-workflow';

import { eventItem, eventKey, matchesFilter, readFilter } from '../../nodes/logs/event';
import { payloadIn, entryTime, entryDate } from '../../nodes/logs/logEntry';
import { firstTime, readPayload } from '../../nodes/logs/payload';

const COMPLETED = 'completed_transaction';

describe('event keys', () => {
	test.each<[string, IDataObject]>([
		['its documented fields', { status: COMPLETED, details: { transactionId: 'T-1' } }],
		['the other spelling', { status: COMPLETED, details: { transaction_id: 'T-1' } }],
		['an ID at the top', { status: COMPLETED, transactionId: 'T-1' }],
		['an ID at the top, in the other spelling', { status: COMPLETED, transaction_id: 'T-1' }],
		['another name of the status', { transactionStatus: COMPLETED, transactionId: 'T-1' }],
		['a status in its details', { details: { status: COMPLETED, transactionId: 'T-1' } }],
		[
			'the ID of its details',
			{ status: COMPLETED, transactionId: 'x', details: { transactionId: 'T-1' } },
		],
		[
			'an ID that is not empty',
			{ status: COMPLETED, transactionId: 'T-1', details: { transactionId: '' } },
		],
		[
			'an ID that is a text',
			{ status: COMPLETED, transactionId: 'T-1', details: { transactionId: 7 } },
		],
	])('identifies an event by %s', (_, payload) => {
		expect(readPayload(payload).transactionId).toBe('T-1');
		expect(eventKey(payload)).toBe(`partnerPayments:T-1:${COMPLETED}`);
	});

	test.each<[string, IDataObject]>([
		['an ID', { status: COMPLETED, a: 1, b: [{ c: 1, d: null }] }],
		['a status', { transactionId: 'T-1', a: 1, b: [{ c: 1, d: null }] }],
		['a status that is a text', { status: [7], transactionId: 'T-1', b: [{ c: 1, d: null }] }],
		[
			'an ID of a usual length',
			{ status: COMPLETED, transactionId: 'T'.repeat(1_001), b: [{ c: 1, d: null }] },
		],
	])('identifies an event by its content without %s', (_, payload) => {
		const key = eventKey(payload);
		expect(key).toMatch(/^partnerPayments:[0-9a-f]{64}$/);
		const turned = Object.fromEntries(Object.entries(payload).reverse()) as IDataObject;
		expect(eventKey({ ...turned, b: [{ d: null, c: 1 }] })).toBe(key);
		expect(eventKey({ ...payload, b: [{ c: 2, d: null }] })).not.toBe(key);
	});

	test('tells apart IDs that differ in their letters, unless they are UUIDs', () => {
		const keys = ['Ab', 'aB'].map((transactionId) =>
			eventKey({ transactionId, status: COMPLETED }),
		);
		expect(keys[0]).not.toBe(keys[1]);
	});

	test('takes the `id` of a transaction for its ID, but no other', () => {
		const id = 'T-1';
		expect(readPayload({ data: { transaction: { id } } }).transactionId).toBe(id);
		expect(readPayload({ transactions: [{ id }] }).transactionId).toBe(id);
		expect(readPayload({ id, data: { id }, details: { id } }).transactionId).toBeUndefined();
		expect(
			readPayload({ transaction: { id: 'x' }, details: { transactionId: id } }).transactionId,
		).toBe(id);
	});

	test('identifies an event by a hash if its words are ambiguous', () => {
		const keys = [
			{ transactionId: 'a:b', status: 'c' },
			{ transactionId: 'a', status: 'b:c' },
			{ transactionId: 'a b', status: 'c' },
			{ transactionId: 'é', status: 'c' },
		].map(eventKey);
		expect(new Set(keys).size).toBe(4);
		for (const key of keys) expect(key).toMatch(/^partnerPayments:[0-9a-f]{64}$/);
	});
});

describe('Simplify', () => {
	const flat = (payload: IDataObject) => eventItem(payload, true).json;

	test('moves details to the top level', () => {
		expect(flat({ a: 1, details: { b: 2 }, c: 3 })).toEqual({ a: 1, c: 3, b: 2 });
	});

	test('keeps both fields if a name is taken', () => {
		expect(flat({ a: 1, details: { a: 2, details_a: 3 } })).toEqual({
			a: 1,
			details_a: 3,
			details_details_a: 2,
		});
		expect(flat({ a: 1, details_a: 0, details: { a: 2, details_a: 3 } })).toEqual({
			a: 1,
			details_a: 0,
			details_details_a: 2,
			details_details_details_a: 3,
		});
	});

	test.each([undefined, null, 'text', [1]])(
		'leaves an event unchanged if its details are %p',
		(details) => {
			expect(flat({ a: 1, details })).toEqual({ a: 1, details });
		},
	);
});

describe('filters', () => {
	const filterOf = (filters: IDataObject, events: string[] = []) =>
		readFilter((name, fallback) => ({ filters, events })[name] ?? fallback);

	test('reads the filters of the form', () => {
		expect(filterOf({}, ['a'])).toEqual({ events: ['a'], transactionTypes: [] });
		expect(filterOf({ transactionTypes: ['a'] })).toEqual({ events: [], transactionTypes: ['a'] });
		expect(readFilter((_, fallback) => fallback)).toEqual({ events: [], transactionTypes: [] });
	});

	test('reads All Events as every event that the service knows', () => {
		const { events } = readFilter((name, fallback) => (name === 'events' ? ['all'] : fallback));
		expect(events).toHaveLength(6);
		expect(events).not.toContain('all');
	});

	test.each<[boolean, string[], string[], IDataObject]>([
		[true, [], [], {}],
		[true, [COMPLETED], [], { status: COMPLETED }],
		[false, ['failed_transaction'], [], { status: COMPLETED }],
		[true, [], [], { status: COMPLETED }],
		[true, ['failed_transaction'], [], { status: 'frozen_transaction' }],
		[true, ['failed_transaction'], [], { status: 7 }],
		[false, ['failed_transaction'], [], { details: { status: COMPLETED } }],
		[true, [], ['deposit'], { transactionType: 'deposit' }],
		[false, [], ['deposit'], { transactionType: 'withdrawal' }],
		[true, [], ['deposit'], {}],
		[true, [], ['deposit'], { transactionType: [7] }],
		[true, [], ['7'], { transactionType: 7 }],
		[false, [COMPLETED], ['deposit'], { status: COMPLETED, transactionType: 'withdrawal' }],
	])('decides %p for %p, types %p and payload %p', (wanted, events, transactionTypes, payload) => {
		expect(matchesFilter({ events, transactionTypes }, payload)).toBe(wanted);
	});
});

describe('log entries', () => {
	const minute = (number: number) => new Date(number * 60_000).toISOString();

	test.each<[string, IDataObject, number]>([
		['the date of its creation', { createdAt: minute(1), updatedAt: minute(2) }, 1],
		['only a readable update', { createdAt: 'soon', updatedAt: minute(2) }, 2],
		['only a readable event', { createdAt: 7, payload: { timestamp: minute(3) } }, 3],
		['no date', { payload: 'text' }, NaN],
		['no readable date', { createdAt: 'soon', payload: { timestamp: 0 } }, NaN],
	])('reads the time of an entry with %s', (_, log, time) => {
		expect(entryDate(log)).toBe(time * 60_000);
	});

	test('treats an entry without a time as new', () => {
		jest.useFakeTimers({ now: 42 });
		expect(entryTime({})).toBe(42);
		expect(entryTime({ createdAt: minute(1) })).toBe(60_000);
		jest.useRealTimers();
	});

	test('returns the first readable time', () => {
		expect(firstTime([undefined, 60_000, 'soon', minute(2), minute(1)])).toBe(120_000);
		expect(firstTime([])).toBeUndefined();
	});

	test.each<[unknown, IDataObject | undefined]>([
		[{ a: 1 }, { a: 1 }],
		['{"a":1}', { a: 1 }],
		['[1]', undefined],
		['"{}"', undefined],
		['{', undefined],
		['', undefined],
		[[1], undefined],
		[null, undefined],
		[undefined, undefined],
	])('reads from %p the event %p', (payload, event) => {
		expect(payloadIn({ payload } as IDataObject)).toEqual(event);
	});
});

describe('one reading of payloads', () => {
	const T = '1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed';
	const [external_reference, transaction_id] = ['order-42', T];

	/** Payloads that a bank payout may have: the service doesn't describe them. */
	const shapes = (status: string): Array<[string, IDataObject]> => [
		[
			'as crypto payouts',
			{
				externalReference: 'order-42',
				status,
				transactionType: 'withdrawal_ach',
				details: { transactionId: T },
			},
		],
		[
			'as the answer of a bank payout',
			{
				external_reference,
				type: 'withdrawal_ach',
				transactions: [{ transaction_id, status }],
			},
		],
		[
			'in snake case',
			{ external_reference, transaction_id, transaction_type: 'withdrawal_ach', status },
		],
		[
			'in an envelope',
			{ event: status, data: { external_reference, transaction_id, type: 'withdrawal_ach' } },
		],
		[
			'in an envelope with a common name',
			{
				event: 'transaction.updated',
				payload: { transaction: { external_reference, transaction_id, status } },
			},
		],
		[
			'in an envelope whose event is an object',
			{
				event: {
					type: status,
					data: { external_reference, transaction_id, type: 'withdrawal_ach' },
				},
			},
		],
		[
			'with all parts around it',
			{
				event: { payload: { data: { transaction: { id: T, status, type: 'withdrawal_ach' } } } },
			},
		],
		[
			'in capital letters',
			{
				status: status.toUpperCase(),
				transactionType: 'WITHDRAWAL_ACH',
				details: { transactionId: T.toUpperCase() },
			},
		],
		['without a type', { referenceId: 'order-42', transactionId: T, event_type: status }],
	];

	test.each(shapes(COMPLETED))('passes and identifies an event: %s', (_, payload) => {
		const filter = { events: [COMPLETED], transactionTypes: ['withdrawal_ach'] };
		expect(matchesFilter(filter, payload)).toBe(true);
		expect(eventKey(payload)).toBe(`partnerPayments:${T}:${COMPLETED}`);
		expect(eventKey({ ...payload, timestamp: '2026-11-21T08:00:00Z' })).toBe(eventKey(payload));
	});

	test.each(shapes('processing_transaction'))('filters out another status: %s', (_, payload) => {
		expect(matchesFilter({ events: [COMPLETED], transactionTypes: [] }, payload)).toBe(false);
	});

	test.each(
		shapes(COMPLETED).filter(([name]) => name !== 'without a type' && !name.includes('common')),
	)('filters out another type: %s', (_, payload) => {
		const filter = { events: [], transactionTypes: ['withdrawal_crypto'] };
		expect(matchesFilter(filter, payload)).toBe(false);
	});
});

test.each<[string, IDataObject]>([
	['its reference', { externalReference: 'order-42' }],
	['its hash', { details: { transactionHash: '0xabc' } }],
])('an event without a transaction ID is known by %s, whatever the attempt', (_, named) => {
	const attempt = (number: number) =>
		eventKey({
			...named,
			status: COMPLETED,
			timestamp: `2026-11-21T08:0${number}:00Z`,
			attempt: number,
		});
	expect(attempt(2)).toBe(attempt(1));
	expect(eventKey({ ...named, status: 'failed_transaction' })).not.toBe(attempt(1));
});

describe('dates as numbers', () => {
	test.each([
		[1_795_248_000, '2026-11-21T08:00:00Z'],
		[1_795_248_000.5, '2026-11-21T08:00:00.500Z'],
		[1_795_248_000_123, '2026-11-21T08:00:00.123Z'],
		['1795248000', '2026-11-21T08:00:00Z'],
		[' 1795248000123 ', '2026-11-21T08:00:00.123Z'],
	])('reads %p as seconds or milliseconds since 1970', (value, time) => {
		expect(firstTime([value])).toBe(Date.parse(time));
	});

	test.each([0, 7, -1_795_248_000, 17_952_480_001, NaN, Infinity])(
		'reads no date in %p',
		(value) => {
			expect(firstTime([value])).toBeUndefined();
		},
	);
});

describe('dates without a time zone', () => {
	test.each([
		['2026-11-21T08:00:00', '2026-11-21T08:00:00Z'],
		['2026-11-21 08:00', '2026-11-21T08:00:00Z'],
		[' 2026-11-21 08:00:00.123456 ', '2026-11-21T08:00:00.123Z'],
		['2026-11-21T08:00:00-04:00', '2026-11-21T12:00:00Z'],
		['2026-11-21', '2026-11-21T00:00:00Z'],
	])('takes %p as UTC', (text, time) => {
		expect(firstTime([text])).toBe(Date.parse(time));
	});
});
