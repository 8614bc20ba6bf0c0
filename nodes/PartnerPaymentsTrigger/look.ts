import type { IDataObject } from 'n8n-workflow';

import { DAY_MS } from '../service/time';
import type { Service } from '../service/transport';
import { eventKey, matchesFilter, type EventFilter } from '../logs/event';
import { entryDate, entryTime, isDelivered, payloadIn } from '../logs/logEntry';
import { LogReader, type LogRange } from '../logs/logReader';
import { firstTime } from '../logs/payload';

/** An event in the delivery logs. */
export interface WindowEvent {
	key: string;
	/** When its first attempt was logged (milliseconds since 1970); now if no date of it can be read. */
	time: number;
	payload: IDataObject;
	/** Whether any attempt succeeded. */
	isDelivered: boolean;
	/** The log entry of the newest attempt. */
	last: IDataObject;
}

/** A service's clock may be ahead, but not by more than this: such an entry would seem the newest for ever. */
export const MAX_LEAD_MS = DAY_MS;

/** What the delivery logs have. */
export interface WindowContents extends Pick<LogReader, 'sortedBy'> {
	/** The events that pass the filter, each once, the oldest first. */
	events: WindowEvent[];
	/** Entries that have no event that can be read. */
	unreadable: IDataObject[];
	/** The date of the newest entry, by the service's clock (milliseconds since 1970). */
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
	filter: EventFilter,
	range: LogRange,
): Promise<WindowContents> {
	const until = Date.now() + MAX_LEAD_MS;
	const byKey = new Map<string, WindowEvent>();
	const unreadable: IDataObject[] = [];
	let newest = -Infinity;
	const reader = new LogReader(service, { webhookId }, range);
	for await (const logs of reader.pages()) {
		for (const log of logs) {
			const date = entryDate(log);
			if (date < until) newest = Math.max(newest, date);
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

/** How many events a look passes to an execution. */
export const MAX_PIECE = 4_000;

/** For this long after a failed attempt, the service may try again. Under load most failed attempts are only late. */
export const REDELIVERY_MS = 20_000;

/** What a look passes to an execution, the oldest first. */
export interface Look {
	piece: WindowEvent[];
	/** Whether others are left. The next look follows when the execution has ended. */
	isPart: boolean;
}

/**
 * The rule of every look: the open events, the oldest first. The execution decides which of them are new.
 *
 * @param events of the delivery logs, the oldest first
 * @param known the keys of events that executions of this process have
 * @param start leaves out earlier events (milliseconds since 1970): an earlier look had them, or they are too old
 * @param isBatched whether only looks emit events, also those that were delivered
 * @param isFull whether to check events that were delivered, too: n8n may have lost them
 */
export function look(
	events: WindowEvent[],
	known: Pick<ReadonlyMap<string, unknown>, 'has'>,
	now: number,
	{ start, isBatched, isFull }: { start: number; isBatched: boolean; isFull: boolean },
): Look {
	const open = events.filter((event) => {
		if (event.time < start || known.has(event.key)) return false;
		if (isBatched) return true;
		return event.isDelivered ? isFull : !wasTriedWithin(REDELIVERY_MS, event, now);
	});
	return { piece: open.slice(0, MAX_PIECE), isPart: open.length > MAX_PIECE };
}

/**
 * Whether the newest attempt is younger than this; false if its date can't be read or is in the future. An entry that
 * counts attempts has the date of the first.
 */
function wasTriedWithin(milliseconds: number, { last }: WindowEvent, now: number): boolean {
	const age = now - Math.max(entryDate(last), firstTime([last.updatedAt]) ?? -Infinity);
	return age >= 0 && age < milliseconds;
}
