import type { IDataObject } from 'n8n-workflow';

import type { OutputShape } from '../fields/outputShape';
import { isObject, listIn } from '../service/answers';
import { ServiceError } from '../service/errors';
import type { Service } from '../service/transport';
import { EVENT } from './event';

/** Section 2.8. */
export const LOG: OutputShape = {
	id: 'string',
	webhookId: 'string',
	name: 'string',
	webhookUrl: 'string',
	status: 'string',
	payload: EVENT,
	statusCode: 'integer',
	duration: 'number',
	retries: 'integer',
	createdAt: 'string',
	updatedAt: 'string',
};

/** Section 8: the most entries the service gives in one page. */
const PAGE_SIZE = 100;

/** A service that repeats itself has an end. As many pages again may bring nothing new as arrived. */
const MAX_PAGES_WITHOUT_NEWS = 10;

/** A million entries: a service that never comes to an end has one here. */
const MAX_PAGES = 10_000;

/** Filters of the service (section 4.12). */
export interface LogFilters {
	status?: string;
	webhookId?: string;
}

/**
 * Pages through the delivery logs (section 4.12: `GET /v2/webhooks/logs`), one page in memory at a
 * time. While paging, entries may arrive (the others move to later pages: each is still given once)
 * or leave (the others move to earlier pages, which are then read again).
 *
 * @param wanted ends the paging after so many entries; a smaller number asks for smaller pages
 * @param since ends the paging at older entries (milliseconds since 1970), but only where the
 *   service gives the newest first: its order is not documented
 * @throws ServiceError when there is no end
 */
export async function* webhookLogs(
	service: Service,
	filters: LogFilters,
	{ wanted = Infinity, since }: { wanted?: number; since?: number } = {},
): AsyncGenerator<IDataObject> {
	const limit = Math.min(PAGE_SIZE, wanted);
	const seen = new Set<unknown>();
	let given = 0;
	let pagesWithoutNews = 0;
	let patience = MAX_PAGES_WITHOUT_NEWS;
	let total = NaN;
	let page = 1;
	/** What was given before the pages were last begun with, and whether new entries come last. */
	let givenBeforePages = 0;
	let isOldestFirst = false;
	const goBack = (to: number) => {
		// Pages that were read before may bring nothing new.
		pagesWithoutNews = to - page;
		page = to;
	};
	for (let requests = 0; requests < MAX_PAGES; requests++) {
		const answer = await service.request<IDataObject>({
			method: 'GET',
			path: '/v2/webhooks/logs',
			query: { page, limit, ...filters },
		});
		const logs = listIn(answer, 'logs').filter(isObject);
		const givenBefore = given;
		for (const log of logs) {
			if (log.id !== undefined && seen.has(log.id)) continue;
			if (log.id !== undefined) seen.add(log.id);
			yield log;
			if (++given >= wanted) return;
		}
		const { pagination } = answer;
		const totalBefore = total;
		total = numberIn(pagination, 'total');
		if (total > totalBefore) patience += (total - totalBefore) / limit;
		if (total < totalBefore && page > 1) {
			goBack(Math.max(1, page - Math.ceil((totalBefore - total) / limit)));
			continue;
		}
		pagesWithoutNews = given === givenBefore ? pagesWithoutNews + 1 : 0;
		if (since !== undefined && endsBefore(logs, since)) return;
		isOldestFirst ||= goesUp(logs.map(writtenAt));
		const isEnd =
			pagesWithoutNews >= patience ||
			logs.length === 0 ||
			isLastPage(pagination, page, logs.length, limit);
		if (!isEnd) {
			page++;
		} else if (isOldestFirst && page > 1 && given > givenBeforePages) {
			// As many may have come at the end as left at the beginning, which no total tells.
			givenBeforePages = given;
			goBack(1);
		} else {
			return;
		}
	}
	throw new ServiceError(`The service gives more than ${MAX_PAGES} pages of webhook logs`, {
		outcome: 'rejected',
		advice: 'Ask for fewer with Limit, or for a shorter period.',
	});
}

/** Without readable pagination, a page that is not full is taken for the last. */
function isLastPage(pagination: unknown, page: number, count: number, limit: number): boolean {
	const totalPages = numberIn(pagination, 'totalPages');
	return totalPages > 0 ? page >= totalPages : count < limit;
}

/** NaN where there is none. */
function numberIn(pagination: unknown, key: string): number {
	const value = isObject(pagination) ? pagination[key] : undefined;
	return typeof value === 'number' || typeof value === 'string' ? Number(value || NaN) : NaN;
}

/** Whether a page goes from newer to older entries and has arrived at ones before `since`. */
function endsBefore(logs: IDataObject[], since: number): boolean {
	const times = logs.map(writtenAt);
	return isDescending(times) && times[times.length - 1] < since;
}

function isDescending(times: number[]): boolean {
	return times.every((time, index) => index === 0 || time <= times[index - 1]);
}

function goesUp(times: number[]): boolean {
	return times[0] < times[times.length - 1] && isDescending([...times].reverse());
}

/** When an entry was written, in milliseconds since 1970; one that does not tell counts as new. */
export function timeOf(log: IDataObject): number {
	const time = writtenAt(log);
	return Number.isNaN(time) ? Date.now() : time;
}

/** The same, and NaN where it cannot be read. */
export function writtenAt({ createdAt, updatedAt, payload }: IDataObject): number {
	return (
		firstTime([createdAt, updatedAt, isObject(payload) ? payload.timestamp : undefined]) ?? NaN
	);
}

/** The first of some values that is the text of a date and time, in milliseconds since 1970. */
export function firstTime(values: unknown[]): number | undefined {
	return values
		.map((value) => (typeof value === 'string' ? Date.parse(value) : NaN))
		.find((time) => !Number.isNaN(time));
}

/** The event of an entry: an object, or the JSON text of one; undefined when there is none. */
export function payloadIn({ payload }: IDataObject): IDataObject | undefined {
	if (typeof payload !== 'string') return isObject(payload) ? payload : undefined;
	try {
		const parsed: unknown = JSON.parse(payload);
		return isObject(parsed) ? parsed : undefined;
	} catch {
		return undefined;
	}
}
