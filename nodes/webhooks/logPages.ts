import type { IDataObject } from 'n8n-workflow';

import { isObject, listIn } from '../service/responses';
import { ServiceError } from '../service/errors';
import { userMessage } from '../service/messages';
import type { Service } from '../service/transport';
import { entryDate } from './logEntry';

/** Section 8: the most entries the service gives in one page. */
const PAGE_SIZE = 100;

/**
 * After so many pages in a row that bring nothing new, reading ends: the service repeats itself. A page more
 * is allowed for each page's worth of entries that arrive meanwhile.
 */
const MAX_PAGES_WITHOUT_NEWS = 10;

/** How many times the pages are read from the first on, however much arrives meanwhile. */
const MAX_PASSES = 3;

/** A million entries: a service that never comes to an end has one here. */
const MAX_PAGES = 10_000;

/** Filters of the service (section 4.12). */
export interface LogFilters {
	status?: string;
	webhookId?: string;
}

/**
 * Reads the pages of the delivery logs (section 4.12: `GET /v2/webhooks/logs`), one in memory at a time.
 *
 * @param wanted ends the reading after so many entries; a smaller number asks for smaller pages
 * @param since ends the reading at older entries (milliseconds since 1970), but only where the
 *   service gives the newest first: its order is not documented
 * @returns the entries, each once, also where they move from page to page meanwhile
 * @throws ServiceError when there is no end
 */
export async function* readLogPages(
	service: Service,
	filters: LogFilters,
	{ wanted = Infinity, since = -Infinity }: { wanted?: number; since?: number } = {},
): AsyncGenerator<IDataObject> {
	const limit = Math.min(PAGE_SIZE, wanted);
	const paging = new Paging(limit, since);
	const seen = new Set<unknown>();
	let given = 0;
	let page: number | undefined = 1;
	for (let requests = 0; requests < MAX_PAGES; requests++) {
		const answer: unknown = await service.request({
			method: 'GET',
			path: '/v2/webhooks/logs',
			query: { page, limit, ...filters },
		});
		const rows = listIn(answer, 'logs');
		const logs = rows.filter(isObject);
		const givenBefore = given;
		for (const log of logs) {
			if (log.id !== undefined && seen.has(log.id)) continue;
			seen.add(log.id);
			yield log;
			if (++given >= wanted) return;
		}
		const pagination = isObject(answer) ? answer.pagination : undefined;
		page = paging.after(page, {
			logs,
			size: rows.length,
			pagination,
			hasNews: given > givenBefore,
		});
		if (page === undefined) return;
	}
	throw new ServiceError(userMessage('tooManyLogPages', { pages: MAX_PAGES }));
}

/** A page as it was read. */
interface Page {
	logs: IDataObject[];
	/** How many entries it has, also such as are no objects. */
	size: number;
	pagination: unknown;
	/** Whether it has entries that no page before it had. */
	hasNews: boolean;
}

/**
 * Which page to read next. While the pages are read, entries may arrive, and move the others to later
 * pages, or leave, and move them to earlier pages, which then have to be read again.
 */
class Paging {
	private total = NaN;

	private pagesWithoutNews = 0;

	private maxPagesWithoutNews = MAX_PAGES_WITHOUT_NEWS;

	/** Whether new entries come last. */
	private isOldestFirst = false;

	/** Whether anything was new since the first page was last begun with. */
	private hadNews = false;

	private passes = 1;

	constructor(
		private readonly limit: number,
		private readonly since: number,
	) {}

	/** @returns the number of the page that follows; undefined when there is none to read */
	after(number: number, page: Page): number | undefined {
		this.hadNews ||= page.hasNews;
		const grown = this.growth(page.pagination);
		if (grown > 0) this.maxPagesWithoutNews += grown / this.limit;
		if (grown < 0 && number > 1) {
			return this.rewind(number, Math.max(1, number - Math.ceil(-grown / this.limit)));
		}
		this.pagesWithoutNews = page.hasNews ? 0 : this.pagesWithoutNews + 1;
		// What an event says of its time tells nothing of the place of its entry.
		const times = page.logs.map(({ createdAt }) => entryDate({ createdAt }));
		if (endsBefore(times, this.since)) return undefined;
		this.isOldestFirst ||= goesUp(times);
		const isEnd =
			this.pagesWithoutNews >= this.maxPagesWithoutNews || isLastPage(number, page, this.limit);
		if (!isEnd) return number + 1;
		// As many may have come at the end as left at the beginning, which no total tells.
		if (!this.isOldestFirst || number === 1 || !this.hadNews) return undefined;
		if (this.passes++ === MAX_PASSES) return undefined;
		this.hadNews = false;
		return this.rewind(number, 1);
	}

	/** By how many entries the log has grown since the page before; NaN where that is not told. */
	private growth(pagination: unknown): number {
		const before = this.total;
		this.total = numberIn(pagination, 'total');
		return this.total - before;
	}

	/** Pages that were read before may bring nothing new. */
	private rewind(from: number, to: number): number {
		this.pagesWithoutNews = to - from;
		return to;
	}
}

/** Without readable pagination, a page that is not full is taken for the last. */
function isLastPage(number: number, { size, pagination }: Page, limit: number): boolean {
	if (size === 0) return true;
	const totalPages = numberIn(pagination, 'totalPages');
	return totalPages > 0 ? number >= totalPages : size < limit;
}

/** NaN where there is none. */
function numberIn(pagination: unknown, key: string): number {
	const value = isObject(pagination) ? pagination[key] : undefined;
	return typeof value === 'number' || typeof value === 'string' ? Number(value || NaN) : NaN;
}

/** Whether a page goes from newer to older entries and has arrived at ones before `since`. */
function endsBefore(times: number[], since: number): boolean {
	// Entries of the same moment go neither way, and neither do they with one odd entry among them.
	const isOrder = new Set(times).size > 2;
	return isOrder && isDescending(times) && times[times.length - 1] < since;
}

function isDescending(times: number[]): boolean {
	return times.every((time, index) => index === 0 || time <= times[index - 1]);
}

function goesUp(times: number[]): boolean {
	return times[0] < times[times.length - 1] && isDescending([...times].reverse());
}
