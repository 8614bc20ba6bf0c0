import type { IDataObject } from 'n8n-workflow';

import { listIn } from '../../../shared/operation';
import type { Service } from '../../../shared/transport';

/** Section 8: the most entries the service gives in one page. */
const PAGE_SIZE = 100;

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
 */
export async function* webhookLogs(
	service: Service,
	filters: LogFilters,
	wanted = Infinity,
): AsyncGenerator<IDataObject> {
	const limit = Math.min(PAGE_SIZE, wanted);
	let previous = new Set<unknown>();
	let given = 0;
	for (let page = 1; ; page++) {
		const answer = await service.request<IDataObject>({
			method: 'GET',
			path: '/v2/webhooks/logs',
			query: { page, limit, ...filters },
		});
		const logs = listIn(answer, 'logs');
		const current = new Set<unknown>();
		for (const log of logs) {
			if (log.id !== undefined) {
				current.add(log.id);
				if (previous.has(log.id)) continue;
			}
			yield log;
			if (++given >= wanted) return;
		}
		previous = current;
		if (logs.length === 0 || isLastPage(answer.pagination, page, logs.length, limit)) return;
	}
}

/** Without readable pagination, a page that is not full is taken for the last. */
function isLastPage(pagination: unknown, page: number, count: number, limit: number): boolean {
	const totalPages = Number((pagination as IDataObject | null | undefined)?.totalPages);
	return Number.isFinite(totalPages) && totalPages > 0 ? page >= totalPages : count < limit;
}
