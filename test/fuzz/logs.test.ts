import * as fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { readLogPages } from '../logs/readLogPages';
import { ServiceError } from '../../nodes/service/errors';
import type { Service } from '../../nodes/service/transport';
import { holds } from './holds';

/** What happens to the log between two pages. */
interface Change {
	/** The number of new entries. */
	arrive: number;
	/** Entries that leave, by their place at that time. */
	leave: number[];
}

const PAGE = 100;
const FIRST = Date.parse('2026-11-21T00:00:00Z');

const entryOf = (number: number): IDataObject => ({
	id: `log-${number}`,
	createdAt: new Date(FIRST + number * 1000).toISOString(),
	payload: { status: 'completed_transaction', details: { transactionId: `transaction-${number}` } },
});

/** The service’s log, the newest entry first, which changes after every page that it returns. */
class Log {
	entries: IDataObject[] = [];

	/** Entries that were there the whole time. */
	present = new Set<unknown>();

	requests = 0;

	private next = 0;

	constructor(
		size: number,
		private readonly changes: Change[],
		private readonly withPagination = true,
		private readonly newestFirst = true,
	) {
		this.arrive(size);
		this.present = new Set(this.entries.map(({ id }) => id));
	}

	arrive(count: number): void {
		for (let number = 0; number < count; number++) {
			const entry = entryOf(this.next++);
			if (this.newestFirst) this.entries.unshift(entry);
			else this.entries.push(entry);
		}
	}

	page(page: number, limit: number): IDataObject {
		this.requests += 1;
		const total = this.entries.length;
		const logs = this.entries.slice((page - 1) * limit, page * limit);
		const { arrive = 0, leave = [] } = this.changes.shift() ?? {};
		for (const place of leave) {
			const [gone] = this.entries.splice(place % (this.entries.length + 1), 1);
			this.present.delete(gone?.id);
		}
		this.arrive(arrive);
		const pagination = { page, limit, total, totalPages: Math.ceil(total / limit) };
		return { logs, ...(this.withPagination && { pagination }) };
	}

	service(): Service {
		const request = async ({ query }: { query: IDataObject }) =>
			this.page(Number(query.page), Number(query.limit));
		return { request } as unknown as Service;
	}
}

const places = (most: number) => fc.array(fc.nat(5_000), { maxLength: most });

/** A page takes the service less time than a hundred deliveries, except for an occasional burst. */
const arrivals = fc.oneof(
	{ weight: 6, arbitrary: fc.nat(PAGE - 1) },
	{ weight: 1, arbitrary: fc.nat(700) },
);

/** Without a total, a page without a new entry is the end: fewer arrive than a page has. */
const growing = fc.array(
	fc.nat(PAGE - 1).map((arrive): Change => ({ arrive, leave: [] })),
	{ maxLength: 25 },
);

const changing = fc.array(
	fc.record({
		arrive: fc.oneof(fc.constant(0), arrivals),
		leave: fc.oneof(fc.constant<number[]>([]), places(5), places(250)),
	}),
	{ maxLength: 25 },
);

const size = fc.oneof(fc.nat(450), fc.nat(2_000));

async function readAll(log: Log, options?: Parameters<typeof readLogPages>[2]) {
	const ids: unknown[] = [];
	for await (const { id } of readLogPages(log.service(), {}, options)) ids.push(id);
	return ids;
}

/** The pages that a complete reader needs, and a limit for one that does not stop. */
const mostRequests = (start: number, changes: Change[]): number => {
	const all = changes.reduce((sum, { arrive }) => sum + arrive, start);
	// Going back costs a page for each page’s worth that left, and the page that showed it.
	return 10 + 2 * Math.ceil(all / PAGE) + 2 * changes.length;
};

function expectComplete(ids: unknown[], log: Log): void {
	expect(new Set(ids).size).toBe(ids.length);
	const given = new Set(ids);
	expect([...log.present].filter((id) => !given.has(id))).toEqual([]);
}

holds(
	'logs: returns each entry once while others arrive and leave, and stops',
	fc.asyncProperty(size, changing, async (start, changes) => {
		const log = new Log(start, [...changes]);
		expectComplete(await readAll(log), log);
		expect(log.requests).toBeLessThanOrEqual(mostRequests(start, changes));
	}),
	0.5,
);

holds(
	'logs: loses nothing without pagination while entries arrive',
	fc.asyncProperty(size, growing, fc.boolean(), async (start, changes, newestFirst) => {
		const log = new Log(start, [...changes], false, newestFirst);
		expectComplete(await readAll(log), log);
		expect(log.requests).toBeLessThanOrEqual(mostRequests(start, changes));
	}),
	0.5,
);

holds(
	'logs: loses nothing since a given time',
	fc.asyncProperty(
		size,
		changing,
		fc.nat(2_000),
		fc.boolean(),
		async (start, all, number, newestFirst) => {
			const since = FIRST + number * 1000;
			// With the oldest first, entries that leave anywhere but at the beginning can't be noticed if others arrive.
			const first = ({ leave, arrive }: Change) => ({ arrive, leave: leave.map(() => 0) });
			const changes = newestFirst ? all : all.map(first);
			const log = new Log(start, [...changes], true, newestFirst);
			const ids = await readAll(log, { since });
			for (const id of log.present) {
				if (Number(String(id).slice(4)) < number) log.present.delete(id);
			}
			expectComplete(ids, log);
		},
	),
	0.5,
);

holds(
	'logs: returns as many entries as a limit says, with as few pages as needed',
	fc.asyncProperty(size, fc.integer({ min: 1, max: 500 }), async (start, wanted) => {
		const log = new Log(start, []);
		const ids = await readAll(log, { max: wanted });
		expect(ids).toEqual(log.entries.slice(0, wanted).map(({ id }) => id));
		expect(log.requests).toBeLessThanOrEqual(
			Math.max(1, Math.ceil(wanted / Math.min(PAGE, wanted))),
		);
	}),
	0.5,
);

/** Responses that no service should give. */
const oddAnswer = fc.record(
	{
		logs: fc.array(
			fc.oneof(
				fc.jsonValue(),
				fc.nat(300).map(entryOf),
				fc.record({ id: fc.jsonValue(), createdAt: fc.jsonValue(), payload: fc.jsonValue() }),
			),
			{ maxLength: 100 },
		),
		pagination: fc.oneof(
			fc.jsonValue(),
			fc.record({ total: fc.jsonValue(), totalPages: fc.jsonValue() }),
			fc.record({ total: fc.nat(1000), totalPages: fc.nat(20) }),
		),
	},
	{ requiredKeys: ['logs'] },
);

/** Whether an entry has an ID by which it is recognized. */
const isNamed = (id: unknown) => id !== undefined && id !== '' && typeof id !== 'object';

holds(
	'logs: stops reading a service that repeats unusual responses',
	fc.asyncProperty(fc.array(oddAnswer, { minLength: 1, maxLength: 4 }), async (answers) => {
		let requests = 0;
		const request = async () => {
			requests += 1;
			return answers[requests % answers.length];
		};
		const ids: unknown[] = [];
		const work = async () => {
			for await (const { id } of readLogPages({ request } as unknown as Service, {})) {
				ids.push(id);
				if (!isNamed(id) && ids.length > 5_000) break;
			}
		};
		await work().catch((error: unknown) => expect(error).toBeInstanceOf(ServiceError));
		// As many as there may be pages, and as many again because pages are read again while the total shrinks.
		expect(requests).toBeLessThanOrEqual(20_000);
		const named = ids.filter(isNamed);
		expect(new Set(named).size).toBe(named.length);
	}),
	0.2,
);
