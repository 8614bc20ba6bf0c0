import type { IDataObject } from 'n8n-workflow';

import { ServiceError } from '../service/errors';
import { userMessage } from '../service/messages';
import { isObject } from '../service/json';
import { isNamed, listIn } from '../service/responses';
import type { Service } from '../service/transport';
import { entryDate, resultOf } from './logEntry';
import { JITTER_MS, LogOrder } from './logOrder';
import { firstTime } from './payload';

/** Section 8: the most entries of a page. */
const PAGE_SIZE = 100;

/**
 * Reading ends after this many pages in a row without a new entry: the service repeats itself. Each page's
 * worth of entries that arrive in the meantime allows one more.
 */
const MAX_STALE_PAGES = 10;

/** How many times the pages are read from the first one, even if entries keep leaving it. */
const MAX_PASSES = 3;

/** A million entries. A service without an end stops here. */
const MAX_PAGES = 10_000;

/** Some pages are read again. */
const MAX_REQUESTS = 2 * MAX_PAGES;

/** How many entries are recognized if another page has them again, so that memory stays bounded. */
const MAX_KNOWN = 100_000;

/** How many later pages are read to see whether the log is sorted as a whole. */
const SAMPLES = 3;

/** How far a service's clock may be behind: a day, and some time without events. */
const MAX_LAG_MS = 26 * 3_600_000;

/** Filters of the service (section 4.12). */
export interface LogFilters {
	status?: string;
	webhookId?: string;
}

/** How much to read. */
export interface LogRange {
	/** The most entries to read; below 100, it makes the pages smaller, too. */
	max?: number;
	/**
	 * Where reading may end (milliseconds since 1970). It ends there only if the newest entries come first: the
	 * service's order isn't documented. A function if what was read decides.
	 */
	since?: number | (() => number);
	/** What a person changes to read less, as the form names it: a lookback window by default. */
	setting?: string;
}

/**
 * Reads the delivery logs (section 4.12: `GET /v2/webhooks/logs`), with one page in memory at a time.
 *
 * @returns the entries, each once, even if they move to other pages in the meantime
 * @throws ServiceError if a request fails, or the pages don't end
 */
export async function* readLogPages(
	service: Service,
	filters: LogFilters,
	range: LogRange = {},
): AsyncGenerator<IDataObject> {
	for await (const logs of new LogReader(service, filters, range).pages()) yield* logs;
}

/**
 * One reading of the delivery logs. Requests wait for a rate limit and are repeated after an outage (see
 * `ReadBackoff`). Pages are read again only if entries have moved between them.
 */
export class LogReader {
	/** How many entries it has returned. */
	count = 0;

	/** When the newest entry was logged, on the service's clock (milliseconds since 1970); -Infinity if unknown. */
	newest = -Infinity;

	/** How many entries the service has that pass the filters, as the last page says; NaN if it doesn't. */
	total = NaN;

	private requests = 0;

	private readonly order = new LogOrder();

	private readonly known = new Set<unknown>();

	private readonly limit: number;

	/** How many entries the first page has: a service may ignore the limit. */
	private pageSize = 0;

	constructor(
		private readonly service: Service,
		private readonly filters: LogFilters,
		private readonly range: LogRange = {},
	) {
		this.limit = Math.min(PAGE_SIZE, range.max ?? PAGE_SIZE);
	}

	/** Whether the newest entries come first, as far as the pages read so far show. */
	get isNewestFirst(): boolean {
		return this.order.isNewestFirst;
	}

	/** Whether several pages were read and show another order. All are then read, whatever is looked for. */
	get isUnordered(): boolean {
		return this.requests > 1 && this.order.isBroken;
	}

	/**
	 * How old the newest entry is, if the service's clock may be behind by that much. What happened within a
	 * period may then have dates that are older by this.
	 */
	get lagMs(): number {
		const age = Date.now() - this.newest;
		return age > 0 && age < MAX_LAG_MS ? age : 0;
	}

	/** Whether all pages since a time (milliseconds since 1970) were read, if the newest entries come first. */
	hasPassed(time: number): boolean {
		return this.order.endsBefore(time - this.lagMs);
	}

	/** The new entries of each page that pass the filters. */
	async *pages(): AsyncGenerator<IDataObject[]> {
		const { max = Infinity, since = -Infinity, setting = 'Lookback Window' } = this.range;
		const start = typeof since === 'number' ? () => since : since;
		const paging = new Paging(this.limit, this.order);
		let isProven = this.filters.webhookId !== undefined;
		let number = 1;
		while (number <= MAX_PAGES && this.requests < MAX_REQUESTS) {
			const page: Page = await this.read(number);
			this.order.add(page.logs);
			const news = page.logs.filter((log) => this.isNew(log));
			const wanted = news.filter((log) => this.isWanted(log)).slice(0, max - this.count);
			this.count += wanted.length;
			yield wanted;
			if (this.count >= max) return;
			const next = paging.after(number, page, news.length > 0);
			if (next === undefined) return;
			const end = start();
			// Not where entries have moved: pages before this one are then read again.
			if (next > number && this.hasPassed(end)) {
				isProven ||= await this.isSortedFrom(number, page);
				if (isProven) return;
				this.order.isBroken = isProven = true;
			}
			number = next;
		}
		const isInVain = this.isUnordered && since !== -Infinity;
		const code = isInVain ? 'tooManyUnorderedLogPages' : 'tooManyLogPages';
		throw new ServiceError(userMessage(code, { pages: MAX_PAGES, setting }));
	}

	private async read(page: number): Promise<Page> {
		this.requests++;
		const answer: unknown = await this.service.request({
			method: 'GET',
			path: '/v2/webhooks/logs',
			query: { page, limit: this.limit, ...this.filters },
			isContinued: this.requests > 1,
		});
		const rows = listIn(answer, 'logs');
		const logs = rows.filter(isObject);
		const dates = logs.map(entryDate).filter((date) => !Number.isNaN(date));
		this.newest = Math.max(this.newest, ...dates);
		const pagination = isObject(answer) ? answer.pagination : undefined;
		this.total = numberIn(pagination, 'total');
		const size = rows.length;
		if (page === 1) this.pageSize = size;
		// If the service counts pages of another size than it returns, the total says how many there are.
		const counts = [numberIn(pagination, 'totalPages'), this.total / this.pageSize];
		const last = Math.ceil(Math.max(...counts.filter((count) => count > 0)));
		return { logs, size, total: this.total, last: last > 0 ? last : undefined };
	}

	private isNew({ id }: IDataObject): boolean {
		if ((id ?? '') === '') return true;
		if (this.known.has(id)) return false;
		this.known.add(id);
		if (this.known.size > MAX_KNOWN) this.known.delete(this.known.values().next().value);
		return true;
	}

	/** Whether an entry passes the filters: a service may ignore them. */
	private isWanted(log: IDataObject): boolean {
		const { status, webhookId } = this.filters;
		const isOther = (value: unknown, wanted: string | undefined) =>
			wanted !== undefined && typeof value === 'string' && !isNamed(value, wanted);
		return !isOther(resultOf(log), status) && !isOther(log.webhookId, webhookId);
	}

	/**
	 * Whether some later pages are older and older, too. If not, the order was not that of the whole log: it may be
	 * sorted by webhook first.
	 */
	private async isSortedFrom(number: number, { logs, last = number }: Page): Promise<boolean> {
		let oldest = Math.min(...logs.map(lastChange));
		for (let share = 1, at = number; share <= SAMPLES; share++) {
			const next = number + Math.round(((last - number) * share) / SAMPLES);
			if (!(next > at)) continue;
			at = next;
			const sample = await this.read(next);
			if (sample.logs.some((log) => timeOf(log.createdAt) > oldest + JITTER_MS)) return false;
			oldest = Math.min(oldest, ...sample.logs.map(lastChange));
		}
		return true;
	}
}

/** When an entry was written or changed (milliseconds since 1970); Infinity if unknown. */
function lastChange({ createdAt, updatedAt }: IDataObject): number {
	const times = [createdAt, updatedAt].map(timeOf).filter((time) => !Number.isNaN(time));
	return times.length > 0 ? Math.max(...times) : Infinity;
}

function timeOf(date: unknown): number {
	return firstTime([date]) ?? NaN;
}

interface Page {
	logs: IDataObject[];
	/** How many entries it has, including those that aren't objects. */
	size: number;
	/** How many entries the log has; NaN if unknown. */
	total: number;
	/** The number of the last page; undefined if unknown. */
	last: number | undefined;
}

/**
 * Decides which page to read next. While pages are read, new entries may move others to later pages. Entries
 * that are deleted move others to earlier pages, which must then be read again.
 */
class Paging {
	private total = NaN;

	private stalePages = 0;

	private maxStalePages = MAX_STALE_PAGES;

	/** The identifier of the first entry of the first page. */
	private first: unknown;

	/** Whether the first page is read again, to see whether its first entry is still the same. */
	private isCheck = false;

	private passes = 1;

	constructor(
		private readonly limit: number,
		private readonly order: LogOrder,
	) {}

	/** @returns the number of the page to read after this one; undefined at the end */
	after(number: number, page: Page, hasNew: boolean): number | undefined {
		const { isCheck, first } = this;
		this.isCheck = false;
		if (number === 1) this.first = page.logs[0]?.id;
		const grown = page.total - this.total;
		this.total = page.total;
		if (grown > 0) this.maxStalePages += grown / this.limit;
		if (grown < 0 && number > 1) {
			return this.rewind(number, Math.max(1, number - Math.ceil(-grown / this.limit)));
		}
		if (isCheck && (first === this.first || ++this.passes > MAX_PASSES)) return undefined;
		this.stalePages = hasNew ? 0 : this.stalePages + 1;
		const isEnd = this.stalePages >= this.maxStalePages || isLastPage(number, page, this.limit);
		if (!isEnd) return number + 1;
		// Otherwise the total stays the same if as many entries arrive at the end as leave at the beginning.
		if (!this.order.isBroken || number === 1) return undefined;
		this.isCheck = true;
		return this.rewind(number, 1);
	}

	/** Pages that were already read may have nothing new: they don't count as stale. */
	private rewind(from: number, to: number): number {
		this.stalePages = to - from;
		this.order.restart();
		return to;
	}
}

/** Without readable pagination, a page that isn't full is the last. */
function isLastPage(number: number, { size, last }: Page, limit: number): boolean {
	return size === 0 || (last === undefined ? size < limit : number >= last);
}

/** NaN if there is none. */
function numberIn(pagination: unknown, key: string): number {
	const value = isObject(pagination) ? pagination[key] : undefined;
	return typeof value === 'number' || typeof value === 'string' ? Number(value || NaN) : NaN;
}
