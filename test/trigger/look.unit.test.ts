import type { IDataObject } from 'n8n-workflow';

import { look, readWindow } from '../../nodes/PartnerPaymentsTrigger/look';
import { eventKey } from '../../nodes/logs/event';
import type { Service } from '../../nodes/service/transport';
import { eventPayload, stopClock } from './trigger';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

beforeEach(stopClock);
afterEach(() => jest.useRealTimers());

/** An entry of the logs, so long ago. */
const entry = (name: string, ago: number, changes: IDataObject = {}): IDataObject => {
	const createdAt = new Date(Date.now() - ago).toISOString();
	const payload = eventPayload(name);
	return { status: 'ERROR', createdAt, updatedAt: createdAt, payload, ...changes };
};

const delivered = (name: string, ago: number, changes: IDataObject = {}): IDataObject =>
	entry(name, ago, { status: 'SUCCESS', ...changes });

const UNDATED = { createdAt: 'yesterday', updatedAt: null };

/** The events that a look passes to an execution. */
async function found(
	logs: IDataObject[],
	{ isFull = false, isBatched = false, known = [] as string[] } = {},
): Promise<string[]> {
	const service = { request: async () => ({ logs, pagination: { totalPages: 1 } }) };
	const filter = { events: ['completed_transaction'], transactionTypes: ['withdrawal_ach'] };
	const { events } = await readWindow(service as unknown as Service, 'webhook-1', filter, {});
	const keys = new Set(known.map((name) => eventKey(eventPayload(name))));
	const { piece } = look(events, keys, Date.now(), {
		start: Date.now() - 24 * HOUR_MS,
		isBatched,
		isFull,
	});
	return piece.map(({ payload }) => String(payload.externalReference));
}

type Options = Parameters<typeof found>[1];

test.each<[string, () => IDataObject[], string[], Options?]>([
	[
		'undelivered events, the oldest first, each once, by its first attempt',
		() => [
			entry('b', 3 * MINUTE_MS),
			entry('a', 4 * MINUTE_MS),
			entry('a', 2 * MINUTE_MS),
			entry('c', MINUTE_MS),
		],
		['a', 'b', 'c'],
	],
	['no event that the service tried 19 s ago', () => [entry('a', 20 * SECOND_MS - 1)], []],
	['an event that the service tried 20 s ago', () => [entry('a', 20 * SECOND_MS)], ['a']],
	[
		'no event whose later attempt was a moment ago, in the same entry or another one',
		() => [
			entry('a', HOUR_MS),
			entry('a', SECOND_MS),
			entry('b', HOUR_MS, { updatedAt: new Date(Date.now() - SECOND_MS).toISOString() }),
		],
		[],
	],
	[
		'no event that any attempt delivered, whatever the letters of its result',
		() => [
			delivered('a', MINUTE_MS),
			entry('a', 3 * MINUTE_MS),
			entry('b', MINUTE_MS),
			delivered('b', 3 * MINUTE_MS, { status: 'success' }),
			entry('c', 2 * MINUTE_MS),
		],
		['c'],
	],
	[
		'delivered events, too, if it is a full look',
		() => [
			delivered('a', HOUR_MS),
			delivered('future', -HOUR_MS),
			delivered('undated', 0, UNDATED),
			entry('d', MINUTE_MS),
		],
		['a', 'd', 'undated', 'future'],
		{ isFull: true },
	],
	[
		'delivered events, and those tried just now, if executions get all new events',
		() => [delivered('a', HOUR_MS), entry('b', 0)],
		['a', 'b'],
		{ isBatched: true },
	],
	[
		'no event from before the start',
		() => [entry('a', 25 * HOUR_MS), delivered('b', 25 * HOUR_MS), entry('c', 23 * HOUR_MS)],
		['c'],
		{ isFull: true },
	],
	[
		'no event that executions of this process have',
		() => [entry('a', HOUR_MS), entry('b', MINUTE_MS)],
		['b'],
		{ known: ['a'] },
	],
	[
		'only events that the filter includes and that can be read, of this webhook',
		() => [
			entry('failed', HOUR_MS, { payload: eventPayload('x', { status: 'failed_transaction' }) }),
			entry('crypto', HOUR_MS, { payload: eventPayload('x', { transactionType: 'deposit' }) }),
			entry('none', HOUR_MS, { payload: null }),
			entry('other', HOUR_MS, { webhookId: 'webhook-2' }),
			entry('a', HOUR_MS, { webhookId: 'webhook-1' }),
		],
		['a'],
	],
	[
		'undelivered events without a date, or with one in the future',
		() => [entry('future', -HOUR_MS), entry('undated', 0, UNDATED), entry('a', MINUTE_MS)],
		['a', 'undated', 'future'],
	],
])('a look has %s', async (_, logs, names, options = {}) => {
	expect(await found(logs(), options)).toEqual(names);
});
