import type { IDataObject } from 'n8n-workflow';

import type { Service } from '../service/transport';
import { rethrow } from '../ledger/workflowLock';
import { eventKey, matchesFilter, type EventFilter } from '../logs/event';
import { entryDate, entryTime, isDelivered, payloadIn } from '../logs/logEntry';
import { LogReader, type LogRange } from '../logs/logReader';
import { COVERED_EVENTS, type WindowEvent } from './look';

/** What to read. All times are milliseconds since 1970. */
interface WindowRange extends Pick<LogRange, 'sortedBy'> {
	filter: EventFilter;
	/** Where the lookback window begins. */
	start: number;
	/** How far to read: before the window, only while few enough events were read to tell what the memory covers. */
	since: number;
	/** Whether to read that far although the log is too short for that to matter. */
	isDeep: boolean;
	/** Older entries belong to another node. */
	ownSince: number;
}

/** What a look found. */
export interface WindowContents extends Pick<LogReader, 'sortedBy'> {
	/** The events that pass the filter, each once, the oldest first; also such as are older than the window. */
	events: WindowEvent[];
	/** All events that the memory may have, whatever the filter was. */
	logged: Array<Pick<WindowEvent, 'key' | 'time'>>;
	/** Entries that have no event that can be read. */
	unreadable: IDataObject[];
	/** The date of the newest entry that isn't in the future, by the service's clock (milliseconds since 1970). */
	newest: number;
	/** Why not all from before the window could be read. */
	failure: unknown;
}

/**
 * Reads a trigger's delivery logs.
 *
 * @throws ServiceError if the lookback window can't be read
 */
export async function readWindow(
	service: Service,
	webhookId: string,
	{ filter, start, since, isDeep, ownSince, sortedBy }: WindowRange,
): Promise<WindowContents> {
	const now = Date.now();
	const byKey = new Map<string, WindowEvent>();
	const unreadable: IDataObject[] = [];
	let newest = -Infinity;
	let failure: unknown;
	const isShort = () => !isDeep && reader.total < COVERED_EVENTS;
	const end = () =>
		isShort() || byKey.size >= COVERED_EVENTS ? Math.max(since, start, ownSince) : since;
	const reader = new LogReader(service, { webhookId }, { since: end, sortedBy });
	try {
		for await (const logs of reader.pages()) {
			for (const log of logs) {
				const date = entryDate(log);
				if (date <= now) newest = Math.max(newest, date);
				if (date < ownSince) continue;
				const payload = payloadIn(log);
				if (!payload) unreadable.push(log);
				else collect(byKey, log, payload);
			}
		}
	} catch (error) {
		if (!(await reader.hasPassed(start).catch(() => false))) return rethrow(error as Error);
		failure = error;
	}
	const logged = [...byKey.values()].sort((a, b) => a.time - b.time);
	const events = logged.filter(({ payload }) => matchesFilter(filter, payload));
	return { events, logged, unreadable, newest, failure, sortedBy: reader.sortedBy };
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
