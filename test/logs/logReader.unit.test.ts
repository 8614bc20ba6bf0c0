import type { IDataObject } from 'n8n-workflow';

import type { LogFilters, LogRange } from '../../nodes/logs/logReader';
import type { Service } from '../../nodes/service/transport';
import { readLogPages } from './readLogPages';

/** More than any test requests that ends as it should. */
const TOO_MANY_REQUESTS = 70;

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
	options: LogRange = {},
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

/** The date of an event. */
const eventAt = (minute: number): IDataObject => ({ payload: { timestamp: at(minute).createdAt } });

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

	test.each([undefined, null, '', {}])(
		'knows an entry without an identifier by all that it has: %j',
		async (id) => {
			const { names } = await read(() => [
				{ id, name: 'a' },
				{ id, name: 'b' },
				{ id, name: 'a' },
			]);
			expect(names).toEqual(['a', 'b']);
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
			page === 1
				? { logs: [null, 'text', ...entries(0, 98)], pagination: { total: 101 } }
				: entries(200, 1),
		);
		expect(names).toHaveLength(99);
		expect(pages).toEqual([1, 2, 3, 4, 1]);
	});
});

describe('the last page', () => {
	test.each<[string, unknown, number]>([
		['as many pages as there are', { totalPages: 3 }, 3],
		['as many, as a text', { totalPages: '3' }, 3],
		['none, until an empty page', undefined, 5],
		['nothing that can be read', { totalPages: 'many' }, 5],
		['an empty text', { totalPages: '' }, 5],
		['none at all', { totalPages: 0 }, 5],
		['an object', { totalPages: { count: 1 } }, 5],
		['no object', 'three', 5],
	])('finds the last page with a pagination of %s', async (_, pagination, last) => {
		// Half pages: a service may have smaller ones than it was asked for.
		const { pages } = await read((page) => ({
			logs: entries(page * 1_000, page < 5 ? 50 : 0),
			pagination,
		}));
		expect(pages).toHaveLength(last);
	});

	test('goes on after pages that are the same because as many entries came as a page has', async () => {
		let come = -1;
		const { names } = await read((page) => {
			come = Math.min(come + 1, 2);
			const place = page - 1 - come;
			return place < 0 ? entries(-1_000 * place, 100) : entries(100 * place, [100, 50, 0][place]);
		});
		expect(names).toHaveLength(150);
	});

	test('ends without pagination at the third page that is the same, not at one without entries', async () => {
		const { names, pages } = await read(() => entries(0, 100));
		expect(names).toHaveLength(100);
		expect(pages).toEqual([1, 2, 3, 1]);

		const strange = [['text', 'text'], [null], entries(0, 2), ['text'], entries(0, 3), []];
		const reading = await read((page) => strange[page - 1]);
		expect(reading.names).toEqual([0, 1, 2]);
		expect(reading.pages).toHaveLength(6);
	});

	test('reads on without pagination if a page has moved because as many entries have come as it has', async () => {
		const { names } = await read((page, before) => {
			const log = entries(0, before < 2 ? 300 : 400).reverse();
			return log.slice((page - 1) * 100, page * 100);
		});
		expect(names).toHaveLength(300);
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

describe('services without an end', () => {
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
});

describe('the order', () => {
	/** A log of 60 pages, ten entries each, an entry a minute: `minuteOf` says which is at a place. */
	const log =
		(minuteOf: (place: number) => number, fields: (minute: number) => IDataObject = () => ({})) =>
		(page: number) => ({
			logs: Array.from({ length: page > 60 ? 0 : 10 }, (_, index) => {
				const minute = minuteOf((page - 1) * 10 + index);
				return { ...at(minute), ...fields(minute) };
			}),
			pagination: { total: 600, totalPages: 60 },
		});
	const newestFirst = (place: number) => 600 - place;
	const noDate = { createdAt: undefined };

	test.each<[string, (page: number) => unknown, number[]]>([
		['the newest entries come first', log(newestFirst), [1, 2, 3, 30, 60]],
		[
			'entries are out of order within a page',
			log((place) => 600 - (place - (place % 10) + ((place * 7) % 10))),
			[1, 2, 3, 30, 60],
		],
		[
			'the newest updates come first',
			log(newestFirst, (minute) => ({
				createdAt: at(minute % 9).createdAt,
				updatedAt: at(minute).createdAt,
			})),
			// Their first dates seem old at once.
			[1, 30, 60, 2, 3],
		],
		[
			'some dates are odd',
			log((place) => ({ 5: 9_000, 12: 1, 14: 9_000 })[place] ?? 600 - place),
			[1, 2, 3, 30, 60],
		],
	])('stops at old entries if %s', async (_, answer, expected) => {
		const { pages, names } = await read(answer, { since: 577 * 60_000 });
		expect(pages).toEqual(expected);
		for (let minute = 577; minute <= 600; minute++)
			if (![595, 588, 586].includes(minute)) expect(names).toContain(minute);
	});

	test.each<[string, (page: number) => unknown]>([
		['the oldest come first', log((place) => place)],
		['there is no order', log((place) => (place * 7_919) % 600)],
		['the log is sorted by webhook first', log((place) => 600 - ((place * 2) % 601))],
		['there are no dates', log(newestFirst, () => noDate)],
		[
			'the oldest come first, and most of the newest have no date',
			log(
				(place) => place,
				(minute) =>
					minute > 7 && minute < 597 ? noDate : { createdAt: at(600 - minute).createdAt },
			),
		],
		['one of the newest has no date', log(newestFirst, (minute) => (minute === 595 ? noDate : {}))],
		['their events have times', log(newestFirst, (minute) => ({ ...noDate, ...eventAt(minute) }))],
		[
			'all are of one moment',
			(page) => ({
				logs: entries(page * 10, 10).map((entry) => ({ ...at(1), ...entry })),
				pagination: { total: 600, totalPages: 60 },
			}),
		],
	])('reads all if %s', async (_, answer) => {
		const { pages } = await read(answer, { since: 9_999 * 60_000 });
		expect(new Set(pages).size).toBe(60);
		// The probes are not read again, but the first page is, to see whether entries have left.
		expect(pages.length).toBeLessThanOrEqual(61);
	});

	test('reads a page again that it has read ahead, if an entry has left and another one has come', async () => {
		const changed = (page: number, before: number) => ({
			logs: minutes(
				...Array.from({ length: 10 }, (_, index) => {
					const place = (page - 1) * 10 + index;
					return before > 9 && place >= 150 ? place + 1 : place;
				}),
			),
			pagination: { total: before === 10 ? 599 : 600, totalPages: 60 },
		});
		const { names } = await read(changed, { since: 9_999 * 60_000 });
		expect(names).toContain(300);
	});

	test('needs no probes if an earlier reading has sent them', async () => {
		const { pages } = await read(log(newestFirst), { since: 577 * 60_000, sortedBy: 'createdAt' });
		expect(pages).toEqual([1, 2, 3]);
	});

	test('reads further back if the service’s clock is behind, but not if nothing has happened', async () => {
		const count = async (now: number) => {
			jest.useFakeTimers({ now: now * 60_000 });
			const range = { since: (now - 60) * 60_000, sortedBy: 'createdAt' } as const;
			const reading = await read(
				log((place) => 5_000 - place * 10),
				range,
			);
			jest.useRealTimers();
			return reading.pages.length;
		};
		expect(await count(5_000)).toBe(2);
		expect(await count(5_000 + 24 * 60)).toBe(2);
		expect(await count(5_000 + 30 * 60)).toBe(1);
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
		[9, [1, 2, 3, 1, 2, 3, 1, 2, 3]],
	])('reads it again if its first entry has left (%i times)', async (moved, wanted) => {
		expect((await read(moving(moved))).pages).toEqual(wanted);
	});

	test('reads a log of one page once', async () => {
		const answer = { logs: minutes(1, 2, 3), pagination: { total: 3 } };
		expect((await read(() => answer)).pages).toEqual([1]);
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
