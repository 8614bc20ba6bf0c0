import type { IDataObject, ITriggerFunctions } from 'n8n-workflow';

import { LookbackWindow } from '../../nodes/PartnerPaymentsTrigger/window';
import { ServiceError } from '../../nodes/service/errors';
import type { Service } from '../../nodes/service/transport';
import { event, minutesAgo, NOW, serviceWith, WEBHOOK } from '../operations/context';

const DAY_MS = 24 * 3_600_000;

const context = { getWorkflowStaticData: () => ({}) } as unknown as ITriggerFunctions;
const filter = { events: [], transactionTypes: [] };

/** A service with so many log entries a day, the newest first, that fails from a page on. */
class Logs {
	pages = 0;

	constructor(
		private readonly perDay: number,
		private readonly days: number,
		private readonly failsFrom = Infinity,
	) {}

	readonly request = async ({ query }: { query: IDataObject }): Promise<unknown> => {
		const [page, limit] = [Number(query.page), Number(query.limit)];
		this.pages++;
		if (page >= this.failsFrom) throw new ServiceError({ code: 'x', message: 'Too far back' });
		const total = this.perDay * this.days;
		const size = Math.max(0, Math.min(limit, total - (page - 1) * limit));
		const logs = Array.from({ length: size }, (_, index) => this.entry((page - 1) * limit + index));
		return { logs, pagination: { page, limit, total, totalPages: Math.ceil(total / limit) } };
	};

	/** Only every thousandth was not delivered. */
	private entry(number: number): IDataObject {
		const at = new Date(Date.now() - ((number + 0.5) * DAY_MS) / this.perDay).toISOString();
		const details = { transactionId: `T-${number}` };
		return {
			id: number,
			webhookId: 'one',
			status: number % 1_000 === 0 ? 'ERROR' : 'SUCCESS',
			createdAt: at,
			updatedAt: at,
			payload: { status: 'completed_transaction', details },
		};
	}
}

/** Counts the undelivered events that the first read of a day's window finds. */
async function firstRead(logs: Logs): Promise<{ missed: number; overdue: number }> {
	const window = new LookbackWindow(context, filter, DAY_MS, false);
	const { events, overdue } = await window.read(logs as unknown as Service, 'one', true);
	const count = (some: typeof events) => some.filter(({ isDelivered }) => !isDelivered).length;
	return { missed: count(events), overdue: count(overdue) };
}

beforeEach(() => jest.useFakeTimers({ now: NOW }));
afterEach(() => {
	jest.useRealTimers();
	jest.restoreAllMocks();
});

describe('the first read', () => {
	test('ends after 10,000 entries from before the window', async () => {
		const logs = new Logs(20_000, 60);
		expect(await firstRead(logs)).toEqual({ missed: 20, overdue: 10 });
		expect(logs.pages).toBe(300);
	});

	test('reports the missed events of the week before the window', async () => {
		const logs = new Logs(1_000, 30);
		expect(await firstRead(logs)).toEqual({ missed: 1, overdue: 7 });
		expect(logs.pages).toBe(81);
	});

	test('finds the missed events of the window although older pages cannot be read', async () => {
		expect(await firstRead(new Logs(1_000, 30, 45))).toEqual({ missed: 1, overdue: 4 });
	});

	test('fails if a page of the window cannot be read', async () => {
		await expect(firstRead(new Logs(1_000, 30, 10))).rejects.toThrow('Too far back');
	});
});

const MINUTE_MS = 60_000;
const HOUR = 60;
const DAY = 24 * HOUR;

/** An attempt to deliver the event of a transaction, so many minutes ago. */
const attempt = (id: string, minutes: number, more: IDataObject = {}): IDataObject => ({
	...event(`r-${id}`, id, 'completed', minutes),
	status: 'ERROR',
	...more,
});

const keyOf = (id: string, word = 'completed') => `partnerPayments:${id}:${word}_transaction`;

/** The window of a trigger, an hour long if not told, and the IDs of what it reads of such logs. */
function windowOf({
	minutes = HOUR,
	since = undefined as number | undefined,
	isBatched = false,
	events = [] as string[],
	transactionTypes = [] as string[],
} = {}) {
	const own = {
		getWorkflowStaticData: () => ({ since: since && NOW - since * MINUTE_MS }),
	} as unknown as ITriggerFunctions;
	const window = new LookbackWindow(
		own,
		{ events, transactionTypes },
		minutes * MINUTE_MS,
		isBatched,
	);
	const read = async (logs: IDataObject[], isFull = true) => {
		const { service, asked } = serviceWith(logs);
		const contents = await window.read(service, WEBHOOK, isFull);
		const ids = (found: typeof contents.events) => found.map(({ key }) => key.split(':')[1]);
		return {
			...contents,
			found: ids(contents.events),
			before: ids(contents.overdue),
			queries: asked.map(({ query }) => query),
		};
	};
	const readFailed = async (logs: IDataObject[]) => {
		const { service, asked } = serviceWith(logs);
		const failed = await window.readFailed(service, WEBHOOK);
		return { failed, queries: asked.map(({ query }) => query) };
	};
	return { window, read, readFailed };
}

/** Lets minutes pass. */
const pass = (minutes: number) => jest.setSystemTime(Date.now() + minutes * MINUTE_MS);

describe('a read of the window', () => {
	test('finds each event once, with its first and its last attempt, the oldest first', async () => {
		const logs = [
			attempt('T-1', 10, { status: 'SUCCESS' }),
			attempt('T-2', 20),
			attempt('T-1', 30),
			attempt('T-1', 40, { status: 'error' }),
		];
		for (const some of [logs, logs.toReversed()]) {
			const { events, overdue, unreadable, failure, queries } = await windowOf().read(some);
			expect(events).toMatchObject([
				{ key: keyOf('T-1'), time: NOW - 40 * MINUTE_MS, isDelivered: true, last: logs[0] },
				{ key: keyOf('T-2'), time: NOW - 20 * MINUTE_MS, isDelivered: false, last: logs[1] },
			]);
			expect(events[1].payload).toEqual(logs[1].payload);
			expect([overdue, unreadable, failure]).toEqual([[], 0, undefined]);
			expect(queries[0]).toEqual({ page: 1, limit: 100, webhookId: WEBHOOK });
		}
	});

	test('finds only the events that pass the filter', async () => {
		const logs = [
			attempt('T-1', 10),
			{ ...event('r', 'T-2', 'failed', 20), status: 'ERROR' },
			{ ...event('r', 'T-3', 'completed', 30, { transactionType: 'withdrawal_crypto' }) },
		];
		const { read } = windowOf({
			events: ['completed_transaction'],
			transactionTypes: ['withdrawal_ach'],
		});
		expect((await read(logs)).found).toEqual(['T-1']);
	});

	test.each([
		[false, 1],
		[true, 3],
	])(
		'counts entries without an event that a poll emits (batched: %p)',
		async (isBatched, count) => {
			const empty = (minutes: number, more: IDataObject = {}) =>
				attempt('x', minutes, { payload: 'x', ...more });
			const logs = [
				empty(10),
				empty(11, { status: 'SUCCESS' }),
				empty(12, { status: 'success' }),
				attempt('T-1', 13),
				// From before all that is read.
				empty(8 * DAY),
			];
			const { unreadable, found } = await windowOf({ isBatched }).read(logs);
			expect([unreadable, found]).toEqual([count, ['T-1']]);
		},
	);

	test('knows the newest entry, but no date that is still to come', async () => {
		const { window, read } = windowOf();
		expect([window.isUnread, window.newest]).toEqual([true, -Infinity]);
		await read([]);
		expect([window.isUnread, window.newest]).toEqual([false, -Infinity]);
		await read([attempt('T-1', -5), attempt('T-2', 0), attempt('T-3', 10)]);
		expect(window.newest).toBe(NOW);
		await read([attempt('T-3', 10)]);
		expect(window.newest).toBe(NOW);
	});

	test('begins where the window does, and finds what is older the first time alone', async () => {
		const { read } = windowOf();
		const logs = [59, 60, 61, 7 * DAY + 60, 7 * DAY + 61].map((minutes) =>
			attempt(`T-${minutes}`, minutes),
		);
		const first = await read(logs);
		expect([first.before, first.found]).toEqual([
			['T-10140', 'T-61'],
			['T-60', 'T-59'],
		]);
		const second = await read(logs);
		expect([second.before, second.found]).toEqual([[], ['T-60', 'T-59']]);
	});

	test('finds nothing from before the node had its webhook', async () => {
		const { read } = windowOf({ since: 30 });
		const logs = [29, 30, 31, 90].map((minutes) => attempt(`T-${minutes}`, minutes));
		for (const isFull of [true, true, false]) {
			const { before, found } = await read(logs, isFull);
			expect([before, found]).toEqual([[], ['T-30', 'T-29']]);
		}
	});

	test('that is not full finds what is up to two hours older than the newest known entry', async () => {
		const { read } = windowOf({ minutes: DAY });
		const logs = [10, 130, 131].map((minutes) => attempt(`T-${minutes}`, minutes));
		// The first is full in any case.
		expect((await read(logs, false)).found).toEqual(['T-131', 'T-130', 'T-10']);
		pass(15);
		expect((await read([attempt('T-new', 5), ...logs], false)).found).toEqual([
			'T-130',
			'T-10',
			'T-new',
		]);
		expect((await read([attempt('T-new', 5), ...logs], false)).found).toEqual(['T-10', 'T-new']);
		expect((await read(logs, true)).found).toEqual(['T-131', 'T-130', 'T-10']);
	});

	test('that is not full goes no further than the window', async () => {
		const { read } = windowOf();
		const logs = [10, 60, 61].map((minutes) => attempt(`T-${minutes}`, minutes));
		await read(logs);
		expect((await read(logs, false)).found).toEqual(['T-60', 'T-10']);
	});
});

describe('entries that appear later than they are dated', () => {
	test('make the window longer, by the longest delay', async () => {
		const { window, read } = windowOf();
		await read([attempt('T-1', 100)]);
		expect(window.lagMs).toBe(0);
		pass(10);
		const logs = [attempt('T-2', 50), attempt('T-1', 100)];
		expect((await read(logs)).found).toEqual(['T-2']);
		expect(window.lagMs).toBe(50 * MINUTE_MS);
		// Now the window is that much longer.
		expect((await read(logs)).found).toEqual(['T-1', 'T-2']);
		await read([attempt('T-3', -9), ...logs]);
		expect(window.lagMs).toBe(50 * MINUTE_MS);
	});

	test('do not make it longer if there is nothing new, or if it came after the last read', async () => {
		const { window, read } = windowOf();
		await read([attempt('T-1', 20)]);
		pass(10);
		await read([attempt('T-1', 20)]);
		await read([attempt('T-2', 30), attempt('T-1', 20)]);
		expect(window.lagMs).toBe(0);
		pass(10);
		await read([attempt('T-3', -15), attempt('T-1', 20)]);
		expect(window.lagMs).toBe(0);
	});

	test('are found, whatever their dates, if they are newer than all known ones', async () => {
		const known = [attempt('T-1', 300)];
		const logs = [attempt('T-2', 200), ...known];
		const { read } = windowOf();
		await read(known);
		expect((await read(logs, false)).found).toEqual(['T-2']);

		const other = windowOf({ since: 250 });
		await other.read(known);
		expect((await other.read(logs, false)).found).toEqual(['T-2']);

		const later = windowOf({ since: 150 });
		await later.read(known);
		expect((await later.read(logs, false)).found).toEqual([]);
	});

	test('are not new if they are as old as the newest known one', async () => {
		const { read } = windowOf();
		await read([attempt('T-1', 300)]);
		expect((await read([attempt('T-2', 300), attempt('T-1', 300)], false)).found).toEqual([]);
	});
});

describe('a read that fails', () => {
	const failing = new Logs(1_000, 30, 45);

	test('before the window is complete says why, and the next one looks for the rest again', async () => {
		const window = new LookbackWindow(context, filter, DAY_MS, false);
		const first = await window.read(failing as unknown as Service, 'one', true);
		expect(first.failure).toMatchObject({ message: 'Too far back' });
		expect(window.isUnread).toBe(true);
		const whole = new Logs(1_000, 30);
		const second = await window.read(whole as unknown as Service, 'one', true);
		expect(second.overdue.length).toBeGreaterThan(first.overdue.length);
		expect(second.failure).toBeUndefined();
		expect(window.isUnread).toBe(false);
	});

	test('after a complete one has no result', async () => {
		const window = new LookbackWindow(context, filter, 10 * DAY_MS, false);
		await window.read(new Logs(100, 30) as unknown as Service, 'one', true);
		const { newest } = window;
		pass(HOUR);
		await expect(window.read(failing as unknown as Service, 'one', true)).rejects.toThrow(
			'Too far back',
		);
		expect(window.newest).toBe(newest);
	});
});

describe('a read of failed attempts', () => {
	const LOGS = [attempt('T-1', 10), attempt('T-2', 20), attempt('T-2', 30)];

	test('finds the events that pass the filter, and counts entries without one', async () => {
		const { readFailed } = windowOf({ events: ['completed_transaction'] });
		const logs = [
			...LOGS,
			attempt('T-3', 31, { status: 'SUCCESS' }),
			{ ...event('r', 'T-4', 'pending', 32), status: 'ERROR' },
			attempt('x', 33, { payload: 'x' }),
		];
		const { failed, queries } = await readFailed(logs);
		expect(failed).toMatchObject({ keys: [keyOf('T-1'), keyOf('T-2')], unreadable: 1 });
		expect(queries).toEqual([{ page: 1, limit: 100, webhookId: WEBHOOK, status: 'ERROR' }]);
	});

	test('finds those that are up to two hours older than the newest known entry', async () => {
		const { read, readFailed } = windowOf({ minutes: DAY });
		const logs = [10, 130, 131].map((minutes) => attempt(`T-${minutes}`, minutes));
		expect((await readFailed(logs)).failed.keys).toHaveLength(3);
		await read(logs);
		expect((await readFailed(logs)).failed.keys).toEqual([keyOf('T-10'), keyOf('T-130')]);
	});

	const many = Array.from({ length: 250 }, (_, index) => attempt(`T-${index}`, index / 10));

	test('reads one page if nothing has changed, until a full read', async () => {
		const { read, readFailed } = windowOf();
		const first = await readFailed(many);
		expect(first.queries).toHaveLength(3);
		const second = await readFailed(many);
		expect(second.queries).toHaveLength(1);
		expect(second.failed).toBe(first.failed);
		await read(many);
		expect((await readFailed(many)).queries).toHaveLength(3);
		await read(many, false);
		expect((await readFailed(many)).queries).toHaveLength(1);
	});

	test.each<[string, IDataObject[]]>([
		['another entry', [{ ...many[0], id: 'another' }, ...many.slice(1)]],
		['a change of an entry', [{ ...many[0], updatedAt: minutesAgo(0) }, ...many.slice(1)]],
		['fewer entries', many.slice(0, -1)],
	])('reads all after %s', async (_, logs) => {
		const { readFailed } = windowOf();
		const first = await readFailed(many);
		const second = await readFailed(logs);
		expect(second.queries).toHaveLength(3);
		expect(second.failed).not.toBe(first.failed);
	});

	test('reads all if the service does not say how many there are', async () => {
		const { window } = windowOf();
		let pages = 0;
		const request = async ({ query }: { query: IDataObject }) => {
			pages++;
			return await Promise.resolve(many.slice((Number(query.page) - 1) * 100).slice(0, 100));
		};
		const service = { request } as unknown as Service;
		await window.readFailed(service, WEBHOOK);
		await window.readFailed(service, WEBHOOK);
		expect(pages).toBe(6);
	});

	test('begins anew if there is none any more', async () => {
		const { readFailed } = windowOf();
		await readFailed(LOGS);
		expect((await readFailed([])).failed).toMatchObject({ keys: [], unreadable: 0 });
	});
});
