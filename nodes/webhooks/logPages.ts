import type { IDataObject } from 'n8n-workflow';

import { ServiceError } from '../service/errors';
import { userMessage } from '../service/messages';
import { isObject, listIn } from '../service/responses';
import type { Service } from '../service/transport';
import { entryDate } from './logEntry';

/** Section 8: the most entries of a page. */
const PAGE_SIZE = 100;

/**
 * Reading ends after this many pages in a row without a new entry: the service repeats itself. Each page's
 * worth of entries that arrive in the meantime allows one more.
 */
const MAX_STALE_PAGES = 10;

/** How many times the pages are read from the first one, even if entries keep arriving. */
const MAX_PASSES = 3;

/** A million entries. A service without an end stops here. */
const MAX_PAGES = 10_000;

/** Filters of the service (section 4.12). */
export interface LogFilters {
	status?: string;
	webhookId?: string;
}

/**
 * Reads the delivery logs (section 4.12: `GET /v2/webhooks/logs`), with one page in memory at a time.
 *
 * @param max the most entries to read; below 100, it makes the pages smaller, too
 * @param since where reading may end (milliseconds since 1970). It ends there only if the newest entries come
 *   first: the service's order isn't documented.
 * @returns the entries, each once, even if they move to other pages in the meantime
 * @throws ServiceError if a request fails, or the pages don't end
 */
export async function* readLogPages(
	service: Service,
	filters: LogFilters,
	{ max = Infinity, since = -Infinity }: { max?: number; since?: number } = {},
): AsyncGenerator<IDataObject> {
	const limit = Math.min(PAGE_SIZE, max);
	const paging = new Paging(limit, since);
	const seen = new Set<unknown>();
	let count = 0;
	let page: number | undefined = 1;
	for (let requests = 0; requests < MAX_PAGES; requests++) {
		const answer: unknown = await service.request({
			method: 'GET',
			path: '/v2/webhooks/logs',
			query: { page, limit, ...filters },
		});
		const rows = listIn(answer, 'logs');
		const logs = rows.filter(isObject);
		const countBefore = count;
		for (const log of logs) {
			if (log.id !== undefined && seen.has(log.id)) continue;
			seen.add(log.id);
			yield log;
			if (++count >= max) return;
		}
		const pagination = isObject(answer) ? answer.pagination : undefined;
		page = paging.after(page, {
			logs,
			size: rows.length,
			pagination,
			hasNew: count > countBefore,
		});
		if (page === undefined) return;
	}
	throw new ServiceError(userMessage('tooManyLogPages', { pages: MAX_PAGES }));
}

interface Page {
	logs: IDataObject[];
	/** How many entries it has, including those that aren't objects. */
	size: number;
	pagination: unknown;
	/** Whether it has entries that no earlier page had. */
	hasNew: boolean;
}

/**
 * Decides which page to read next. While pages are read, new entries may move others to later pages. Entries
 * that are deleted move others to earlier pages, which must then be read again.
 */
class Paging {
	private total = NaN;

	private stalePages = 0;

	private maxStalePages = MAX_STALE_PAGES;

	/** Whether new entries come last. */
	private isOldestFirst = false;

	/** Whether this pass has found a new entry. */
	private hadNew = false;

	private passes = 1;

	constructor(
		private readonly limit: number,
		private readonly since: number,
	) {}

	/** @returns the number of the page to read after this one; undefined at the end */
	after(number: number, page: Page): number | undefined {
		this.hadNew ||= page.hasNew;
		const grown = this.growth(page.pagination);
		if (grown > 0) this.maxStalePages += grown / this.limit;
		if (grown < 0 && number > 1) {
			return this.rewind(number, Math.max(1, number - Math.ceil(-grown / this.limit)));
		}
		this.stalePages = page.hasNew ? 0 : this.stalePages + 1;
		// The time of an event doesn't decide where its entry is.
		const times = page.logs.map(({ createdAt }) => entryDate({ createdAt }));
		if (endsBefore(times, this.since)) return undefined;
		this.isOldestFirst ||= isAscending(times);
		const isEnd = this.stalePages >= this.maxStalePages || isLastPage(number, page, this.limit);
		if (!isEnd) return number + 1;
		// The total stays the same if as many entries arrive at the end as leave at the beginning.
		if (!this.isOldestFirst || number === 1 || !this.hadNew) return undefined;
		if (this.passes++ === MAX_PASSES) return undefined;
		this.hadNew = false;
		return this.rewind(number, 1);
	}

	/** By how many entries the logs have grown since the page before; NaN if the service doesn't say. */
	private growth(pagination: unknown): number {
		const before = this.total;
		this.total = numberIn(pagination, 'total');
		return this.total - before;
	}

	/** Pages that were already read may have nothing new: they don't count as stale. */
	private rewind(from: number, to: number): number {
		this.stalePages = to - from;
		return to;
	}
}

/** Without readable pagination, a page that isn't full is the last. */
function isLastPage(number: number, { size, pagination }: Page, limit: number): boolean {
	if (size === 0) return true;
	const totalPages = numberIn(pagination, 'totalPages');
	return totalPages > 0 ? number >= totalPages : size < limit;
}

/** NaN if there is none. */
function numberIn(pagination: unknown, key: string): number {
	const value = isObject(pagination) ? pagination[key] : undefined;
	return typeof value === 'number' || typeof value === 'string' ? Number(value || NaN) : NaN;
}

/** Whether the entries of a page get older and end before `since`. */
function endsBefore(times: number[], since: number): boolean {
	// Fewer than three different times show no order.
	const isOrder = new Set(times).size > 2;
	return isOrder && isDescending(times) && times[times.length - 1] < since;
}

function isDescending(times: number[]): boolean {
	return times.every((time, index) => index === 0 || time <= times[index - 1]);
}

function isAscending(times: number[]): boolean {
	return times[0] < times[times.length - 1] && isDescending([...times].reverse());
}
