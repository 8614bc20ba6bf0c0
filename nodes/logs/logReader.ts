import type { IDataObject } from 'n8n-workflow';

import { ServiceError } from '../service/errors';
import { userMessage } from '../messages/userMessage';
import { isObject } from '../service/json';
import { isNamed, listIn } from '../service/responses';
import type { Service } from '../service/transport';
import { entryDate, resultOf } from './logEntry';
import { firstTime } from './payload';

/*
 * How the delivery logs are read (section 4.12). Their order isn't documented, and they change meanwhile.
 *
 * | the log                           | reading                                                         |
 * | --------------------------------- | --------------------------------------------------------------- |
 * | lists the newest entries first    | may end at `since`: at a page of which half is older            |
 * | has another order, or no dates    | ends with its last page                                         |
 * | is without pagination             | ends with an empty page, or the third that is the same          |
 * | has got shorter since the page before | goes back by as much                                        |
 * | has another order, and its first entry has left | begins again, twice at most                       |
 *
 * Two probes decide whether the newest entries come first: the last page has to be older than the first, the one in
 * the middle has to lie between them, and each of their entries needs a date. They are sent when reading could end, so most readings need none.
 */

/** Section 8: the most entries of a page. */
const PAGE_SIZE = 100;

/** A page that is the same as the one before once may have moved: as many entries have come as it has. */
const MAX_REPEATS = 2;

/** A million entries. A service without an end stops here. */
const MAX_PAGES = 10_000;

/** Some pages are read again. */
const MAX_REQUESTS = 2 * MAX_PAGES;

/** How often the pages are read from the first one, even if entries keep leaving it. */
const MAX_PASSES = 3;

/** To read so few pages completely costs no more than the probes. */
const FEW_PAGES = 3;

/** How many entries are recognized if another page has them again, so that memory stays bounded. */
const MAX_KNOWN = 100_000;

/** How far a service's clock may be behind: a day, and some time without events. */
const MAX_LAG_MS = 26 * 3_600_000;

/** The dates by which logs may be sorted. The time of an event doesn't decide where its entry is. */
const SORT_FIELDS = ['createdAt', 'updatedAt'] as const;

type SortField = (typeof SORT_FIELDS)[number];

/** Filters of the service (section 4.12). */
export interface LogFilters {
	status?: string;
	webhookId?: string;
}

/** How much to read. */
export interface LogRange {
	/** The most entries to read; below 100, it makes the pages smaller, too. */
	max?: number;
	/** Where reading may end (milliseconds since 1970). A function if what was read decides. */
	since?: number | (() => number);
	/** What a person changes to read less, as the form names it: a lookback window by default. */
	setting?: string;
	/** Whether no request is sent again after a failure. */
	isOnce?: boolean;
	/** `sortedBy` of an earlier reader, to do without probes. */
	sortedBy?: SortField | null;
}

interface Page {
	/** What the page lists. Rows that are no objects are no entries. */
	rows: unknown[];
	logs: IDataObject[];
	/** How many entries the log has; NaN if unknown. */
	total: number;
	/** The number of the last page; undefined if unknown. */
	last: number | undefined;
}

/**
 * One reading of the delivery logs, with one page in memory at a time. Requests wait for a rate limit and are repeated
 * after an outage (see `ReadBackoff`).
 */
export class LogReader {
	/** How many entries it has returned. */
	count = 0;

	/** When the newest entry was logged, on the service's clock (milliseconds since 1970); -Infinity if unknown. */
	newest = -Infinity;

	/** By which date the newest entries come first; null if they don't; undefined if that isn't known. */
	sortedBy?: SortField | null;

	/** Whether another order was seen. All entries are then read, whatever is looked for. */
	isUnordered = false;

	private requests = 0;

	private readonly known = new Set<unknown>();

	private readonly limit: number;

	/** The first page, and the one that was read last. */
	private first?: Page;

	private current?: Page;

	/** Pages that were read ahead, by number. */
	private readonly ahead = new Map<number, Page>();

	/** How many entries the first page has: a service may ignore the limit. */
	private pageSize = 0;

	constructor(
		private readonly service: Service,
		private readonly filters: LogFilters,
		private readonly range: LogRange = {},
	) {
		this.limit = Math.min(PAGE_SIZE, range.max ?? PAGE_SIZE);
		this.sortedBy = range.sortedBy;
	}

	/** Whether the newest entries are known to come first: what was not read yet is older. */
	async isNewestFirst(): Promise<boolean> {
		const { first, current } = this;
		if (this.sortedBy !== undefined || !first || !current) return Boolean(this.sortedBy);
		const { last = 0 } = current;
		if (last <= FEW_PAGES) return false;
		const probes: Page[] = [];
		for (const number of [Math.ceil(last / 2), last]) {
			const page = await this.read(number);
			this.ahead.set(number, page);
			probes.push(page);
		}
		this.sortedBy = sortFieldOf([first, ...probes]);
		this.isUnordered = this.sortedBy === null;
		return !this.isUnordered;
	}

	/**
	 * Reads the entries that pass the filters: those of each page, each once, even if they move to other pages meanwhile.
	 *
	 * @throws ServiceError if a request fails, or the pages don't end
	 */
	async *pages(): AsyncGenerator<IDataObject[]> {
		const { max = Infinity, since = -Infinity, setting = 'Lookback Window' } = this.range;
		const start = typeof since === 'number' ? () => since : since;
		let passes = 1;
		let repeats = 0;
		let number = 1;
		while (number <= MAX_PAGES && this.requests < MAX_REQUESTS) {
			const before = this.current;
			const page = await this.page(number);
			const news = page.logs.filter((log) => this.isNew(log));
			const wanted = news.filter((log) => this.isWanted(log)).slice(0, max - this.count);
			this.count += wanted.length;
			yield wanted;
			if (this.count >= max) return;
			repeats = isRepeated(page, before) ? repeats + 1 : 0;
			// A service that has no pages sends the first one each time: if that has changed, it has pages.
			if (repeats === MAX_REPEATS && (await this.hasNewFirst())) repeats = 0;
			const lost = (before?.total ?? NaN) - page.total;
			if (lost > 0 && number > 1) {
				// What moved to earlier pages is read before anything else is decided.
				number = Math.max(1, number - Math.ceil(lost / this.limit));
			} else if (
				page.rows.length === 0 ||
				number >= (page.last ?? Infinity) ||
				repeats === MAX_REPEATS
			) {
				if (number === 1 || passes++ === MAX_PASSES || !(await this.hasMoved())) return;
				number = 1;
			} else {
				if (await this.hasPassed(start())) return;
				number++;
			}
		}
		throw new ServiceError(userMessage('tooManyLogPages', { pages: MAX_PAGES, setting }));
	}

	/** Whether all entries since a time were read: half of the page, so that an odd date decides nothing. */
	async hasPassed(time: number): Promise<boolean> {
		const isOld = (field: SortField) => middle(datesOf(this.current, field)) < time - this.lagMs;
		if (!SORT_FIELDS.some(isOld) || !(await this.isNewestFirst())) return false;
		return isOld(this.sortedBy as SortField);
	}

	/**
	 * How old the newest entry is, if the service's clock may be behind by that much. What happened within a
	 * period may then have dates that are older by this.
	 */
	private get lagMs(): number {
		const age = Date.now() - this.newest;
		return age > 0 && age < MAX_LAG_MS ? age : 0;
	}

	/** At the end: whether entries have left at the beginning, as the oldest do. Others have then moved unseen. */
	private async hasMoved(): Promise<boolean> {
		this.isUnordered ||= this.goesUp();
		return this.isUnordered && (await this.hasNewFirst());
	}

	/** Whether the first page begins with another entry than when it was read. */
	private async hasNewFirst(): Promise<boolean> {
		const now = await this.read(1);
		this.ahead.set(1, now);
		return idOf(now.logs[0]) !== idOf(this.first?.logs[0]);
	}

	/** Whether the current page is newer than the first, and by no date older. */
	private goesUp(): boolean {
		const steps = SORT_FIELDS.map(
			(field) => middle(datesOf(this.current, field)) - middle(datesOf(this.first, field)),
		);
		return steps.some((step) => step > 0) && !steps.some((step) => step < 0);
	}

	/** The next page of a reading. One that was read ahead is as good, if no entry came or left since. */
	private async page(number: number): Promise<Page> {
		const ahead = this.ahead.get(number);
		this.ahead.delete(number);
		const isSame = ahead && (number === 1 || ahead.total === this.current?.total);
		const page = isSame ? ahead : await this.read(number);
		// An entry has left or come, and the next total may be the old one.
		if (page.total !== this.current?.total) this.ahead.clear();
		if (number === 1) this.first = page;
		this.current = page;
		return page;
	}

	private async read(page: number): Promise<Page> {
		this.requests++;
		const answer: unknown = await this.service.request({
			method: 'GET',
			path: '/v2/webhooks/logs',
			query: { page, limit: this.limit, ...this.filters },
			isContinued: this.requests > 1,
			isOnce: this.range.isOnce,
		});
		const rows = listIn(answer, 'logs');
		const logs = rows.filter(isObject);
		for (const log of logs) this.newest = Math.max(this.newest, entryDate(log) || -Infinity);
		const pagination = isObject(answer) ? answer.pagination : undefined;
		const total = numberIn(pagination, 'total');
		if (page === 1) this.pageSize = rows.length;
		// If the service counts pages of another size than it returns, the total says how many there are.
		const counts = [numberIn(pagination, 'totalPages'), total / this.pageSize];
		const last = Math.ceil(Math.max(...counts.filter((count) => count > 0)));
		return { rows, logs, total, last: last > 0 ? last : undefined };
	}

	private isNew(log: IDataObject): boolean {
		const id = idOf(log);
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
}

/** What identifies an entry: its ID, or else all that it has. */
function idOf(log: IDataObject = {}): unknown {
	const { id } = log;
	const isId = typeof id === 'number' || (typeof id === 'string' && id !== '');
	return isId ? id : JSON.stringify(log);
}

/** Whether a service without pagination has sent a page again. */
function isRepeated({ rows, last }: Page, before: Page | undefined): boolean {
	return last === undefined && JSON.stringify(rows) === JSON.stringify(before?.rows);
}

/**
 * The date by which pages get older and older, without overlap; null if there is none. An entry without that date may
 * belong anywhere, so a page that has one proves no order.
 */
function sortFieldOf(pages: Page[]): SortField | null {
	const isSorted = (field: SortField) => {
		const dates = pages.map((page) => datesOf(page, field));
		return dates.every(
			(own, index) =>
				own.length === pages[index].rows.length &&
				(index === 0 || own[own.length - 1] < dates[index - 1][0]),
		);
	};
	return SORT_FIELDS.find(isSorted) ?? null;
}

/** The dates of a page, the oldest first. */
function datesOf(page: Page | undefined, field: SortField): number[] {
	const dates = page?.logs.flatMap((log) => firstTime([log[field]]) ?? []) ?? [];
	return dates.sort((a, b) => a - b);
}

/** NaN if there is none. */
const middle = (dates: number[]): number => dates[Math.floor(dates.length / 2)] ?? NaN;

/** NaN if there is none. */
function numberIn(pagination: unknown, key: string): number {
	const value = isObject(pagination) ? pagination[key] : undefined;
	return typeof value === 'number' || typeof value === 'string' ? Number(value || NaN) : NaN;
}
