import type { IDataObject } from 'n8n-workflow';

import { EVENT } from '../../../shared/events';
import { listIn } from '../../../shared/operation';
import type { OutputShape } from '../../../shared/outputShape';
import type { Service } from '../../../shared/transport';

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

/** So many entries may have arrived between two pages; a service that repeats itself has an end. */
const MOST_PAGES_WITHOUT_NEWS = 5;

/** Filters of the service (section 4.12). */
export interface LogFilters {
	status?: string;
	webhookId?: string;
}

/**
 * Pages through the delivery logs (section 4.12: `GET /v2/webhooks/logs`), one page in memory at a
 * time. Entries that the service moved to the next page while paging, because newer ones arrived,
 * are given once.
 *
 * @param wanted ends the paging after so many entries; a smaller number asks for smaller pages
 * @param since ends the paging at older entries (milliseconds since 1970), but only where the
 *   service gives the newest first: its order is not documented
 */
export async function* webhookLogs(
	service: Service,
	filters: LogFilters,
	{ wanted = Infinity, since }: { wanted?: number; since?: number } = {},
): AsyncGenerator<IDataObject> {
	const limit = Math.min(PAGE_SIZE, wanted);
	let previous = new Set<unknown>();
	let given = 0;
	let pagesWithoutNews = 0;
	for (let page = 1; ; page++) {
		const answer = await service.request<IDataObject>({
			method: 'GET',
			path: '/v2/webhooks/logs',
			query: { page, limit, ...filters },
		});
		const logs = listIn(answer, 'logs');
		const current = new Set<unknown>();
		const givenBefore = given;
		for (const log of logs) {
			if (log.id !== undefined) {
				current.add(log.id);
				if (previous.has(log.id)) continue;
			}
			yield log;
			if (++given >= wanted) return;
		}
		previous = current;
		pagesWithoutNews = given === givenBefore ? pagesWithoutNews + 1 : 0;
		if (pagesWithoutNews === MOST_PAGES_WITHOUT_NEWS) return;
		if (logs.length === 0 || isLastPage(answer.pagination, page, logs.length, limit)) return;
		if (since !== undefined && endsBefore(logs, since)) return;
	}
}

/** Without readable pagination, a page that is not full is taken for the last. */
function isLastPage(pagination: unknown, page: number, count: number, limit: number): boolean {
	const totalPages = Number((pagination as IDataObject | null | undefined)?.totalPages);
	return Number.isFinite(totalPages) && totalPages > 0 ? page >= totalPages : count < limit;
}

/** Whether a page goes from newer to older entries and has arrived at ones before `since`. */
function endsBefore(logs: IDataObject[], since: number): boolean {
	const times = logs.map(({ createdAt }) => Date.parse(String(createdAt)));
	const newestFirst = times.every((time, index) => index === 0 || time <= times[index - 1]);
	return newestFirst && times[times.length - 1] < since;
}
