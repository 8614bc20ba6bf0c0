import type { IDataObject } from 'n8n-workflow';

import type { Service } from '../service/transport';
import { eventKey, matchesFilter, type EventFilter } from '../logs/event';
import { entryDate, entryTime, isDelivered, payloadIn } from '../logs/logEntry';
import { LogReader, type LogRange } from '../logs/logReader';
import type { WindowEvent } from './look';

/** What to read. All times are milliseconds since 1970. */
interface WindowRange extends Pick<LogRange, 'sortedBy'> {
	filter: EventFilter;
	/** How far to read. */
	since: number;
	/** Older entries belong to another node. */
	ownSince: number;
}

/** What a look found. */
export interface WindowContents extends Pick<LogReader, 'sortedBy'> {
	/** The events that pass the filter, each once, the oldest first. */
	events: WindowEvent[];
	/** Entries that have no event that can be read. */
	unreadable: IDataObject[];
	/** The date of the newest entry that isn't in the future, by the service's clock (milliseconds since 1970). */
	newest: number;
}

/**
 * Reads a trigger's delivery logs.
 *
 * @throws ServiceError if they can't be read
 */
export async function readWindow(
	service: Service,
	webhookId: string,
	{ filter, since, ownSince, sortedBy }: WindowRange,
): Promise<WindowContents> {
	const now = Date.now();
	const byKey = new Map<string, WindowEvent>();
	const unreadable: IDataObject[] = [];
	let newest = -Infinity;
	const range = { since: Math.max(since, ownSince), sortedBy };
	const reader = new LogReader(service, { webhookId }, range);
	for await (const logs of reader.pages()) {
		for (const log of logs) {
			const date = entryDate(log);
			if (date <= now) newest = Math.max(newest, date);
			if (date < ownSince) continue;
			const payload = payloadIn(log);
			if (!payload) unreadable.push(log);
			else if (matchesFilter(filter, payload)) collect(byKey, log, payload);
		}
	}
	const events = [...byKey.values()].sort((a, b) => a.time - b.time);
	return { events, unreadable, newest, sortedBy: reader.sortedBy };
}

function collect(byKey: Map<string, WindowEvent>, log: IDataObject, payload: IDataObject): void {
	const key = eventKey(payload);
	const time = entryTime(log);
	const event = byKey.get(key) ?? { key, time, payload, isDelivered: false, last: log };
	event.isDelivered ||= isDelivered(log);
	event.time = Math.min(event.time, time);
	if (time > entryTime(event.last)) event.last = log;
	byKey.set(key, event);
}
