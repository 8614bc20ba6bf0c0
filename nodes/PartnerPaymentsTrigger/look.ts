import type { IDataObject } from 'n8n-workflow';

import { entryDate } from '../logs/logEntry';
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

/** How many events a look passes to an execution. */
export const MAX_PIECE = 4_000;

/** For this long after a failed attempt, the service may try again. Under load most failed attempts are only late. */
export const REDELIVERY_MS = 20_000;

/** The rules of a trigger's looks. Times are milliseconds since 1970. */
export interface LookRules {
	/** The length of the lookback window in milliseconds. */
	windowMs: number;
	/** Whether only looks emit events, also those that were delivered. */
	isBatched: boolean;
}

/** What a look passes to an execution, the oldest first. */
export interface Look {
	piece: Array<WindowEvent & { isOverdue: boolean }>;
	/** Whether others are left. The next look follows when the execution has ended. */
	isPart: boolean;
}

/**
 * The rule of every look: the open events, the oldest first. The execution decides which of them are new, and reports
 * those that are older than the window.
 *
 * @param events of the delivery logs, the oldest first
 * @param known the keys of events that executions of this process have
 * @param isFull whether to check events that were delivered, too: n8n may have lost them
 */
export function look(
	events: WindowEvent[],
	known: Pick<ReadonlyMap<string, unknown>, 'has'>,
	now: number,
	{ windowMs, isBatched }: LookRules,
	isFull: boolean,
): Look {
	const open = events
		.map((event) => ({ ...event, isOverdue: event.time < now - windowMs }))
		.filter((event) => {
			if (known.has(event.key)) return false;
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

/** By workflow and node: the keys of the events that executions of this process have, and since when. */
export const knownEvents = new Map<string, Map<string, number>>();
