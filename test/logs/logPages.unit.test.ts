import type { IDataObject } from 'n8n-workflow';

import { readLogPages, type LogFilters } from '../../nodes/logs/logPages';
import type { Service } from '../../nodes/service/transport';

/** More than any test requests that ends as it should. */
const TOO_MANY_REQUESTS = 60;

interface Reading {
	/** The names of the entries, in order. */
	names: unknown[];
	/** The page numbers of the requests. */
	pages: unknown[];
	queries: IDataObject[];
}

/** Reads the logs of a service whose responses depend on the page and on the number of earlier requests. */
async function read(
	answer: (page: number, before: number) => unknown,
	options: { max?: number; since?: number } = {},
	filters: LogFilters = {},
): Promise<Reading> {
	const queries: IDataObject[] = [];
	const request = async ({ query, ...rest }: { query: IDataObject }) => {
		const isContinued = queries.length > 0;
		expect(rest).toEqual({ method: 'GET', path: '/v2/webhooks/logs', isContinued });
		if (queries.length === TOO_MANY_REQUESTS) throw new Error('It does not end');
		queries.push(query);
		return answer(Number(query.page), queries.length - 1);
	};
	const names: unknown[] = [];
	for await (const { name } of readLogPages({ request } as unknown as Service, filters, options)) {
		names.push(name);
	}
	return { names, pages: queries.map(({ page }) => page), queries };
}

/** Entries with separate IDs at the same time. */
const entries = (from: number, count: number): IDataObject[] =>
	Array.from({ length: count }, (_, index) => ({ id: from + index, name: from + index }));

/** An entry of a minute. */
const at = (minute: number): IDataObject => ({
	id: `at ${minute}`,
	name: minute,
	createdAt: new Date(minute * 60_000).toISOString(),
});

const minutes = (...all: number[]): IDataObject[] => all.map(at);

/** Dates that an entry may have instead of its usual one. */
const eventAt = (minute: number): IDataObject => ({ payload: { timestamp: at(minute).createdAt } });
const updatedAt = (minute: number): IDataObject => ({ updatedAt: at(minute).createdAt });

const since = 10 * 60_000;

describe('requests', () => {
	test('sends page, size and filters', async () => {
		const filters = { status: 'ERROR', webhookId: 'one' };
		const { queries } = await read(() => [], {}, filters);
		expect(queries).toEqual([{ page: 1, limit: 100, ...filters }]);
	});

	test.each([
		[7, 7],
		[100, 100],
		[101, 100],
	])('reads %i entries in pages of %i', async (wanted, limit) => {
		const { names, queries } = await read((page) => entries(page * 1_000, limit), { max: wanted });
		expect(names).toHaveLength(wanted);
		for (const query of queries) expect(query.limit).toBe(limit);
		expect(queries).toHaveLength(Math.ceil(wanted / limit));
	});
});

describe('entries', () => {
	test('returns an entry once, on however many pages it is', async () => {
		const { names } = await read((page) => entries(page === 1 ? 0 : 50, page === 1 ? 100 : 99));
		expect(names).toEqual(Array.from({ length: 149 }, (_, index) => index));
	});

	test.each([undefined, null, ''])(
		'returns an entry without an identifier each time: %j',
		async (id) => {
			const { names } = await read(() => [
				{ id, name: 'a' },
				{ id, name: 'a' },
			]);
			expect(names).toEqual(['a', 'a']);
		},
	);

	test.each<[LogFilters, unknown[]]>([
		[{ webhookId: 'ONE' }, ['a', 'b', 'd', 'e']],
		[{ status: 'ERROR' }, ['a', 'c', 'd', 'e']],
	])(
		'skips entries that do not pass the filters %j if the service ignores them',
		async (filters, all) => {
			const logs = [
				{ name: 'a', webhookId: 'one', status: 'ERROR' },
				{ name: 'b', webhookId: 'One', status: 'SUCCESS' },
				{ name: 'c', webhookId: 'two', status: 'ERROR' },
				{ name: 'd', status: 'TRIED' },
				{ name: 'e', webhookId: null },
				{ name: 'f', webhookId: 'two', status: 'success' },
			];
			expect((await read(() => logs, {}, filters)).names).toEqual(all);
		},
	);

	test('skips an entry that is no object, but counts it in the size of its page', async () => {
		const { names, pages } = await read((page) =>
			page === 1 ? [null, 'text', ...entries(0, 98)] : entries(200, 1),
		);
		expect(names).toHaveLength(99);
		expect(pages).toEqual([1, 2]);
	});
});

describe('the last page', () => {
	test.each<[string, unknown, number]>([
		['as many pages as there are', { totalPages: 3 }, 3],
		['as many, as a text', { totalPages: '3' }, 3],
		['none, and pages are full', undefined, 4],
		['nothing that can be read', { totalPages: 'many' }, 4],
		['an empty text', { totalPages: '' }, 4],
		['none at all', { totalPages: 0 }, 4],
		['an object', { totalPages: { count: 1 } }, 4],
		['no object', 'three', 4],
	])('finds the last page with a pagination of %s', async (_, pagination, last) => {
		const { pages } = await read((page) => ({
			logs: entries(page * 1_000, page < 4 ? 100 : 99),
			pagination,
		}));
		expect(pages).toHaveLength(last);
	});

	test('reads beyond a page that is not full if the pagination has more pages', async () => {
		const { pages } = await read((page) => ({
			logs: entries(page * 1_000, 1),
			pagination: { totalPages: 3 },
		}));
		expect(pages).toEqual([1, 2, 3]);
	});

	test.each<[string, (total: number) => unknown]>([
		['the total', (total) => ({ total })],
		['pages of the size that was asked for', (total) => ({ total, totalPages: total / 100 })],
		['pages of its own size', (total) => ({ total, totalPages: total / 20, limit: 20 })],
	])('reads all pages of a service with smaller ones that counts %s', async (_, pagination) => {
		const { names, pages } = await read((page) => ({
			logs: entries((page - 1) * 20, page > 10 ? 0 : 20),
			pagination: pagination(200),
		}));
		expect(names).toHaveLength(200);
		expect(pages).toHaveLength(10);
	});

	test('reads all entries of a service that returns all at once', async () => {
		const { names, pages } = await read(() => ({
			logs: entries(0, 250),
			pagination: { total: 250, totalPages: 3 },
		}));
		expect(names).toHaveLength(250);
		expect(pages).toHaveLength(3);
	});

	test('stops at an empty page, whatever the pagination says', async () => {
		const { pages } = await read((page) => ({
			logs: page === 1 ? entries(0, 100) : [],
			pagination: { totalPages: 9 },
		}));
		expect(pages).toEqual([1, 2]);
	});
});

describe('repeating services', () => {
	test('stops after ten pages without anything new', async () => {
		const { names, pages } = await read(() => entries(0, 100));
		expect(names).toHaveLength(100);
		expect(pages).toHaveLength(11);
	});

	test('reads ten more pages after anything new', async () => {
		const { pages } = await read((page) => entries(page === 6 ? 1_000 : 0, 100));
		expect(pages).toHaveLength(16);
	});

	test.each([
		[100, 12],
		[150, 13],
		[0, 11],
	])('meets %i new entries meanwhile with %i requests', async (grown, count) => {
		const { pages } = await read((page) => ({
			logs: entries(0, 100),
			pagination: { total: page < 3 ? 5_000 : 5_000 + grown },
		}));
		expect(pages).toHaveLength(count);
	});

	test('fails at a service that always has something new', async () => {
		let requests = 0;
		const service = {
			request: async () => ({
				logs: entries(requests++, 1),
				pagination: { totalPages: 10 ** 9 },
			}),
		};
		const reading = async () => {
			for await (const log of readLogPages(service as unknown as Service, {})) void log;
		};
		await expect(reading()).rejects.toMatchObject({
			code: 'tooManyLogPages',
			message: expect.stringContaining('10000') as string,
		});
		expect(requests).toBe(10_000);
	});
});

describe('entries that leave meanwhile', () => {
	/** Pages of a log that loses some entries before a page is requested for the first time. */
	const losing = (lost: number, beforePage: number, totalPages = 6) => {
		let total = totalPages * 100;
		let isLost = false;
		return (page: number) => {
			if (page === beforePage && !isLost) {
				isLost = true;
				total -= lost;
			}
			const from = (page - 1) * 100 + (isLost ? lost : 0);
			return {
				logs: entries(from, Math.max(0, Math.min(100, totalPages * 100 - from))),
				pagination: { total, totalPages: Math.ceil(total / 100) },
			};
		};
	};

	test.each([
		[1, 4, [1, 2, 3, 4, 3, 4, 5, 6]],
		[100, 4, [1, 2, 3, 4, 3, 4, 5]],
		[150, 4, [1, 2, 3, 4, 2, 3, 4, 5]],
		[500, 3, [1, 2, 3, 1]],
	])('finds the loss of %i entries at page %i and reads earlier pages again', async (...all) => {
		const [lost, beforePage, wanted] = all;
		const { names, pages } = await read(losing(lost, beforePage));
		expect(pages).toEqual(wanted);
		expect(new Set(names).size).toBe(names.length);
		// The lost entries were on pages already read, or are gone.
		for (let name = lost; name < 600; name++) expect(names).toContain(name);
	});

	test('does not read the first page again if only it lost entries', async () => {
		const totals = [600, 600, 100, 50];
		const { pages } = await read((page, before) => ({
			logs: entries(page * 1_000, 100),
			pagination: { total: totals[before], totalPages: before < 3 ? 6 : 1 },
		}));
		expect(pages).toEqual([1, 2, 3, 1]);
	});

	test('keeps its patience with pages that it read before', async () => {
		// From page 13 back to page 2: eleven pages without anything new, then something new.
		const { names } = await read((page, before) => ({
			logs: before > 12 && page > 12 ? entries(page * 1_000, 100) : entries(page * 100, 100),
			pagination: { total: before < 12 ? 2_500 : 1_400, totalPages: 14 },
		}));
		expect(names).toContain(14_099);
	});
});

describe('old entries', () => {
	test('stops at entries that are too old if the newest come first', async () => {
		const { names, pages } = await read(
			(page) => ({ logs: page === 1 ? minutes(12, 11, 9) : [], pagination: { totalPages: 5 } }),
			{ since },
		);
		expect(names).toEqual([12, 11, 9]);
		// Some later pages show that the order is of the whole log.
		expect(pages).toEqual([1, 2, 4, 5]);
	});

	test('stops at once if only one webhook is read', async () => {
		const { pages } = await read(
			(page) => ({
				logs: minutes(...(page === 1 ? [12, 11, 9] : [8])),
				pagination: { totalPages: 5 },
			}),
			{ since },
			{ webhookId: 'one' },
		);
		expect(pages).toEqual([1]);
	});

	test('reads on if a later page is new: the log is sorted by something else first', async () => {
		const { names, pages } = await read(
			(page) => ({
				logs: [minutes(32, 31, 9), minutes(8, 7, 6), minutes(30, 29, 28)][page - 1],
				pagination: { totalPages: 3 },
			}),
			{ since },
		);
		expect(names).toEqual([32, 31, 9, 8, 7, 6, 30, 29, 28]);
		expect(pages).toEqual([1, 2, 3, 2, 3, 1]);
	});

	test('stops although entries that were written at the same time are out of order', async () => {
		const logs = [minutes(60, 58, 59, 57, 55, 56), minutes(50, 49, 51, 4, 2, 3), minutes(1)];
		const { pages, names } = await read(
			(page) => ({ logs: logs[page - 1], pagination: { totalPages: 3 } }),
			{
				since,
			},
		);
		expect(pages).toEqual([1, 2, 3]);
		expect(names).not.toContain(1);
	});

	test('stops at old updates if the log is sorted by them', async () => {
		const updated = (minute: number, created: number): IDataObject => ({
			...at(created),
			...updatedAt(minute),
		});
		const { pages } = await read(
			(page) => ({
				logs: [updated(12, 1), updated(11, 11), updated(9, 2), updated(8, 7)],
				pagination: { totalPages: page + 1 },
			}),
			{ since },
			{ webhookId: 'one' },
		);
		expect(pages).toEqual([1]);
	});

	test('reads further back if the service’s clock is behind, but not if nothing has happened', async () => {
		const count = async (now: number) => {
			jest.useFakeTimers({ now: now * 60_000 });
			const reading = await read(
				(page) => ({
					logs: minutes(...[0, 1, 2, 3, 4].map((minute) => 5_000 - page * 60 - minute * 10)),
					pagination: { totalPages: 60 },
				}),
				{ since: (now - 60) * 60_000 },
				{ webhookId: 'one' },
			);
			jest.useRealTimers();
			return reading.pages.length;
		};
		expect(await count(4_940)).toBe(2);
		expect(await count(4_940 + 24 * 60)).toBe(2);
		expect(await count(4_940 + 30 * 60)).toBe(1);
	});

	test.each<[string, IDataObject[]]>([
		['the last is just new enough', minutes(12, 11, 10)],
		['the oldest come first', minutes(7, 8, 9)],
		['there is no order', minutes(12, 8, 9)],
		['there is no order, at the end', minutes(12, 13, 9)],
		['all are of the same moment', [at(9), { ...at(9), id: 'other' }]],
		['all but one are of the same moment', [at(11), at(9), { ...at(9), id: 'other' }]],
		['one has no date', [at(12), { id: 'odd' }, at(9)]],
		['their events have times', [at(12), { id: 'a', ...eventAt(9) }, { id: 'b', ...eventAt(8) }]],
		['one has the date of its update alone', [at(12), at(11), { id: 'a', ...updatedAt(9) }]],
	])('continues after an old entry if %s', async (_, logs) => {
		const { pages } = await read(
			(page) => ({ logs: page === 1 ? logs : [], pagination: { totalPages: 5 } }),
			{ since },
		);
		expect(pages.slice(0, 2)).toEqual([1, 2]);
	});
});

describe('logs with the oldest entries first', () => {
	/** Three pages, the oldest entries first. In some passes an entry leaves at the beginning, and one arrives. */
	const moving = (passes: number) => {
		let moved = 0;
		return (page: number) => {
			if (page === 3 && moved < passes) moved++;
			return {
				logs: minutes(...[0, 1, 2].map((minute) => page * 30 + (minute + moved) * 10)),
				pagination: { totalPages: 3, total: 9 },
			};
		};
	};

	test.each([
		[0, [1, 2, 3, 1]],
		[1, [1, 2, 3, 1, 2, 3, 1]],
		[9, [1, 2, 3, 1, 2, 3, 1, 2, 3, 1]],
	])('reads it again if its first entry has left (%i times)', async (moved, wanted) => {
		expect((await read(moving(moved))).pages).toEqual(wanted);
	});

	test('reads a log of one page once', async () => {
		expect((await read(() => minutes(1, 2, 3))).pages).toEqual([1]);
	});

	test.each<[string, (page: number) => IDataObject[]]>([
		['the newest come first', (page) => minutes(99 - page * 10, 98 - page * 10)],
		['their dates are too close', (page) => minutes(page % 2, (page + 1) % 2, 2)],
		['they are of one moment', (page) => [{ ...at(1), id: page }]],
	])('reads a log once if %s', async (_, logs) => {
		const { pages } = await read((page) => ({ logs: logs(page), pagination: { totalPages: 3 } }));
		expect(pages).toEqual([1, 2, 3]);
	});
});
