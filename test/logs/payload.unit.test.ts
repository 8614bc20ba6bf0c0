import type { IDataObject } from 'n8n-workflow';

import { firstTime, readPayload } from '../../nodes/logs/payload';

const idIn = (payload: IDataObject) => readPayload(payload).transactionId;

/** An envelope in so many others. */
const nested = (depth: number, payload: IDataObject): IDataObject =>
	depth === 0 ? payload : { data: nested(depth - 1, payload) };

test('the ID of a transaction is a text, or a number if there is no text', () => {
	expect(idIn({ transactionId: 7 })).toBe('7');
	expect(idIn({ transactionId: 7, details: { transactionId: 'T' } })).toBe('T');
	expect(idIn({ details: { transactionId: 7 }, transaction: { id: 'T' } })).toBe('7');
	expect(idIn({ transactionId: true })).toBeUndefined();
	expect(idIn({ transactionId: 'x'.repeat(1_000) })).toBe('x'.repeat(1_000));
	expect(idIn({ transactionId: 'x'.repeat(1_001) })).toBeUndefined();
});

test('parts are read four deep', () => {
	expect(idIn(nested(4, { transactionId: 'T' }))).toBe('T');
	expect(idIn(nested(5, { transactionId: 'T' }))).toBeUndefined();
});

test.each<[unknown, string | undefined]>([
	['1000000000', '2001-09-09T01:46:40.000Z'],
	['1000000000000', '2001-09-09T01:46:40.000Z'],
	[1_000_000_000.5, '2001-09-09T01:46:40.500Z'],
	['2026-11-21 08:00', '2026-11-21T08:00:00.000Z'],
	['2026-11-21T08:00:00.25', '2026-11-21T08:00:00.250Z'],
	['2026-11-21T08:00:00-04:00', '2026-11-21T12:00:00.000Z'],
	[7, undefined],
	['soon', undefined],
	[['1000000000'], undefined],
	[null, undefined],
])('%j is the time %s', (value, time) => {
	const found = firstTime([value]);
	expect(found === undefined ? undefined : new Date(found).toISOString()).toBe(time);
});
