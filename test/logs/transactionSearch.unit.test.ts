import type { IDataObject } from 'n8n-workflow';

import { Service, type RequestContext } from '../../nodes/service/transport';
import { LogReader } from '../../nodes/logs/logReader';
import { TransactionSearch } from '../../nodes/logs/transactionSearch';
import { NODE } from '../engine/node';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const NOW = Date.parse('2026-11-21T08:00:00Z');
const LOGIN = { baseUrl: 'https://service.example/api', email: 'ana@example.com', password: 'one' };

beforeEach(() => jest.useFakeTimers({ now: NOW }));
afterEach(() => jest.useRealTimers());

/** A log that is made up while it is read, because a million entries are slow to store. */
interface Log {
	total: number;
	/** The entry at a place, from 0. */
	entry: (place: number) => IDataObject;
}

/** An event of each of the places' transactions. The newest entries come first, a thousand an hour. */
const entryAt = (place: number, status = 'completed_transaction', age = place): IDataObject => {
	const createdAt = new Date(NOW - age * 3_600).toISOString();
	return {
		id: `log-${place}`,
		createdAt,
		payload: {
			externalReference: `R-${place}`,
			status,
			timestamp: createdAt,
			details: { transactionId: `T-${place}` },
		},
	};
};

const pageOf = ({ total, entry }: Log, page: number) => ({
	logs: Array.from({ length: Math.max(0, Math.min(100, total - (page - 1) * 100)) }, (_, index) =>
		entry((page - 1) * 100 + index),
	),
	pagination: { total, totalPages: Math.ceil(total / 100) },
});

const MILLION: Log = { total: 1_000_000, entry: (place) => entryAt(place) };

function serviceOf(log: Log) {
	const pages: number[] = [];
	const request = async ({ query }: { query: IDataObject }) => {
		pages.push(Number(query.page));
		return pageOf(log, Number(query.page));
	};
	return { service: { request } as unknown as Service, pages };
}

const named = (...places: number[]) =>
	places.map((place) => ({ reference: `r-${place}`, transactionId: '' }));

const MONTH = NOW - 31 * 24 * HOUR_MS;

test.each([0, 500, 999])(
	'finds a reference of the last hour among a million entries in a few pages (place %i)',
	async (place) => {
		const { service, pages } = serviceOf(MILLION);
		const search = new TransactionSearch(named(place));

		const reading = await search.read(service, { since: MONTH });

		expect(search.find(named(place)[0])).toMatchObject([
			{ transactionId: `T-${place}`, isFinal: true },
		]);
		expect(pages.length).toBeLessThanOrEqual(place < 100 ? 6 : 15);
		expect(reading.isUnordered).toBe(false);
	},
);

test('reads on until all that is awaited is final', async () => {
	const { service, pages } = serviceOf(MILLION);
	const search = new TransactionSearch(named(50, 2_050, 3));

	await search.read(service, { since: MONTH });

	expect(pages).toHaveLength(26);
});

test('reads on while one of two transactions with the reference is not final', async () => {
	const { service, pages } = serviceOf({
		...MILLION,
		entry: (place) => {
			const entry = entryAt(place, place === 1 ? 'processing_transaction' : undefined);
			if (place === 1) Object.assign(entry.payload as IDataObject, { externalReference: 'R-0' });
			return entry;
		},
	});
	const search = new TransactionSearch(named(0));

	await search.read(service, { since: NOW - 24 * HOUR_MS });

	// 24,000 entries, and two probes.
	expect(pages).toHaveLength(243);
});

test('ends at once if the first events are known, too', async () => {
	const { service, pages } = serviceOf({
		...MILLION,
		entry: (place) => {
			const number = Math.floor(place / 300) * 100 + (place % 100);
			const status = place % 300 < 100 ? 'completed_transaction' : 'pending_transaction';
			return { ...entryAt(number, status, place), id: `log-${place}` };
		},
	});
	const search = new TransactionSearch(named(7));

	await search.read(service, { since: MONTH });

	expect(pages).toEqual([1, 2, 5_000, 10_000]);
	expect(search.find(named(7)[0])[0].history).toHaveLength(2);
});

// The first events are at the places 1,000 higher; half an hour is 500 entries more, and there are two probes.
test.each([
	{ places: [7, 500], expected: 23 },
	{ places: [900, 7], expected: 27 },
])(
	'reads no further than half an hour before the first event of what is not final ($places)',
	async ({ places, expected }) => {
		const { service, pages } = serviceOf({
			...MILLION,
			entry: (place) => {
				const [number, status] =
					place < 1_000
						? [place, 'processing_transaction']
						: [place - 1_000, 'pending_transaction'];
				return { ...entryAt(number, status, place), id: `log-${place}` };
			},
		});
		const names = named(...places);
		const search = new TransactionSearch(names);

		await search.read(service, { since: MONTH });

		for (const name of names) {
			expect(search.find(name)).toMatchObject([
				{ isFinal: false, status: 'processing_transaction', history: [{}, {}] },
			]);
		}
		expect(pages).toHaveLength(expected);
	},
);

test('reads to the end of the period for a reference that is not there', async () => {
	const { service, pages } = serviceOf(MILLION);

	await new TransactionSearch(named(-1)).read(service, { since: NOW - 24 * HOUR_MS });

	// 24,000 entries, and two probes.
	expect(pages).toHaveLength(243);
});

test.each<[string, (place: number, total: number) => IDataObject]>([
	['oldest first', (place, total) => entryAt(total - 1 - place)],
	['in no order', (place, total) => entryAt((place * 7_919) % total)],
	['by webhook', (place, total) => entryAt((place * 2) % total, undefined, (place * 2) % total)],
])('reads a log %s completely, and says so', async (_, entry) => {
	const total = 5_001;
	const { service, pages } = serviceOf({ total, entry: (place) => entry(place, total) });
	const search = new TransactionSearch(named(1, 3_000));

	const reading = await search.read(service, { since: NOW - HOUR_MS });

	expect(new Set(pages).size).toBe(51);
	expect(pages.length).toBeLessThanOrEqual(54);
	expect(reading).toMatchObject({ count: total, isUnordered: true });
	expect(search.find(named(1)[0])).toHaveLength(1);
	expect(search.find(named(3_000)[0])).toHaveLength(1);
});

test('gives the status of 2,000 rows among 20,000 entries with 201 requests at most', async () => {
	const total = 20_000;
	for (const isNewestFirst of [true, false]) {
		const { service, pages } = serviceOf({
			total,
			entry: (place) => entryAt(isNewestFirst ? place : total - 1 - place),
		});
		const places = Array.from({ length: 2_000 }, (_, index) => index * 10);
		const search = new TransactionSearch(named(...places));

		await search.read(service, { since: MONTH });

		expect(named(...places).every((name) => search.find(name)[0]?.isFinal)).toBe(true);
		expect(pages.length).toBeLessThanOrEqual(201);
	}
});

describe('a service that accepts 60 requests a minute', () => {
	const TOTAL = 20_000;

	/** @returns a service, and how many requests it rejected */
	async function paced() {
		const accepted: number[] = [];
		let rejected = 0;
		const httpRequestWithAuthentication = async (_: string, { qs }: { qs: IDataObject }) => {
			const recent = accepted.filter((time) => time > Date.now() - MINUTE_MS);
			if (recent.length >= 60) {
				rejected++;
				const seconds = Math.ceil((recent[0] + MINUTE_MS - Date.now()) / 1000);
				const headers = { 'retry-after': String(seconds) };
				throw Object.assign(new Error(), { response: { status: 429, headers, data: '' } });
			}
			accepted.push(Date.now());
			const log = { total: TOTAL, entry: (place: number) => entryAt(place) };
			return { body: pageOf(log, Number(qs.page)), statusCode: 200, headers: {} };
		};
		const service = await Service.connect({
			getNode: () => NODE,
			getCredentials: async () => LOGIN,
			getExecutionCancelSignal: () => undefined,
			getMode: () => 'trigger',
			helpers: { httpRequestWithAuthentication },
		} as unknown as RequestContext);
		return { service, accepted, rejected: () => rejected };
	}

	async function finish<T>(work: Promise<T>): Promise<T> {
		let isDone = false;
		void work.finally(() => (isDone = true));
		while (!isDone) await jest.advanceTimersByTimeAsync(1_000);
		return await work;
	}

	test('is read completely, each page once, and the wait is known', async () => {
		const { service, accepted, rejected } = await paced();
		const ids = new Set<unknown>();
		const read = async () => {
			for await (const logs of new LogReader(service, {}).pages()) {
				for (const { id } of logs) ids.add(id);
			}
		};
		await finish(read());

		expect(ids.size).toBe(TOTAL);
		expect(accepted).toHaveLength(200);
		expect(rejected()).toBe(3);
		expect(service.waitedMs).toBe(3 * MINUTE_MS);
	});

	test('gives the status of 3,000 rows', async () => {
		const { service, accepted } = await paced();
		const places = Array.from({ length: 3_000 }, (_, index) => index * 6);
		const search = new TransactionSearch(named(...places));

		await finish(search.read(service, { since: MONTH }));

		expect(named(...places).every((name) => search.find(name)[0]?.isFinal)).toBe(true);
		expect(accepted.length).toBeLessThanOrEqual(200);
		expect(service.waitedMs).toBeGreaterThan(2 * MINUTE_MS);
	});
});
