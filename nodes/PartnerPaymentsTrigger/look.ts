import type { IDataObject } from 'n8n-workflow';

import { entryDate } from '../logs/logEntry';
import { firstTime } from '../logs/payload';
import { MAX_AT_ONCE, MAX_EVENTS } from './deduplication';

/** An event in the delivery logs. */
export interface WindowEvent {
	key: string;
	/** When its first attempt was logged (milliseconds since 1970). */
	time: number;
	payload: IDataObject;
	/** Whether any attempt succeeded. */
	isDelivered: boolean;
	/** The log entry of the newest attempt. */
	last: IDataObject;
}

/** How many events a look hands over to an execution. Others wait for the next look. */
export const MAX_PIECE = 4_000;

/**
 * A full memory surely has an event if fewer others than this were logged since one lookback window before it: events
 * that are handled late push out newer ones, but none is handled later than the window allows. Reported events and
 * claims that were removed have pushed out some.
 */
export const COVERED_EVENTS = MAX_EVENTS - MAX_PIECE - MAX_AT_ONCE / 2;

/** For this long after a failed attempt, the service may try again. Under load most failed attempts are only late. */
export const REDELIVERY_MS = 20_000;

/** The rules of a look. */
export interface LookRules {
	/** The length of the lookback window in milliseconds. */
	windowMs: number;
	/** Whether only looks emit events, also those that were delivered. */
	isBatched: boolean;
	/** Whether to check events that were delivered, too: n8n may have lost them. */
	isFull: boolean;
}

/** What a look hands over, each part to an execution, the oldest first. */
export interface Look {
	/** Events of the window that the memory decides. */
	covered: WindowEvent[];
	/** Events of the window that it decides only if it has never been full. Otherwise they are reported. */
	uncovered: WindowEvent[];
	/** Events from before the window, which are reported unless they were emitted. */
	overdue: WindowEvent[];
	/** Whether other events wait for the next look. */
	isPart: boolean;
}

/**
 * The rule of every look: the open events of the window, the oldest first.
 *
 * @param events of the delivery logs, the oldest first
 * @param now milliseconds since 1970
 */
export function look(
	events: WindowEvent[],
	memory: Pick<KnownEvents, 'isHandled' | 'loggedSince'>,
	now: number,
	{ windowMs, isBatched, isFull }: LookRules,
): Look {
	const open = events.filter((event) => {
		if (memory.isHandled(event.key)) return false;
		if (isBatched) return true;
		return event.isDelivered ? isFull : !wasTriedWithin(REDELIVERY_MS, event, now);
	});
	const current = open.filter(({ time }) => time >= now - windowMs);
	const isCovered = ({ time }: WindowEvent) => memory.loggedSince(time - windowMs) < COVERED_EVENTS;
	const covered = current.filter(isCovered);
	const uncovered = current.filter((event) => !isCovered(event));
	const overdue = open.filter(
		({ time, isDelivered }) => time < now - windowMs && (isBatched || !isDelivered),
	);
	return {
		covered: covered.slice(0, MAX_PIECE),
		uncovered: uncovered.slice(0, MAX_PIECE),
		overdue: overdue.slice(0, MAX_PIECE),
		isPart: [covered, uncovered, overdue].some(({ length }) => length > MAX_PIECE),
	};
}

/**
 * Whether the newest attempt is younger than this; false if its date can't be read or is in the future. An entry that
 * counts attempts has the date of the first.
 */
function wasTriedWithin(milliseconds: number, { last }: WindowEvent, now: number): boolean {
	const age = now - Math.max(entryDate(last), firstTime([last.updatedAt]) ?? -Infinity);
	return age >= 0 && age < milliseconds;
}

interface KnownEvent {
	/** When it was logged, and when it was seen last (milliseconds since 1970). */
	time: number;
	seenAt: number;
	/** Whether an execution has it, or had it. */
	isHandled: boolean;
}

/** The events that a trigger has seen since this process published it. */
export class KnownEvents {
	private readonly events = new Map<string, KnownEvent>();

	isHandled(key: string): boolean {
		return this.events.get(key)?.isHandled === true;
	}

	/** How many events were logged since a time (milliseconds since 1970), as far as they were read. */
	loggedSince(since: number): number {
		if (this.events.size < COVERED_EVENTS) return this.events.size;
		let count = 0;
		for (const { time } of this.events.values()) if (time >= since) count++;
		return count;
	}

	/** @param keepMs how long an event is known after it was seen last */
	see(events: Array<Pick<WindowEvent, 'key' | 'time'>>, now: number, keepMs: number): void {
		for (const { key, time } of events) {
			const { isHandled = false } = this.events.get(key) ?? {};
			this.events.set(key, { time, seenAt: now, isHandled });
		}
		for (const [key, { seenAt }] of this.events) if (seenAt < now - keepMs) this.events.delete(key);
	}

	/** Executions have these events. */
	handle(keys: string[], now = Date.now()): void {
		for (const key of keys) {
			const { time = now, seenAt = now } = this.events.get(key) ?? {};
			this.events.set(key, { time, seenAt, isHandled: true });
		}
	}

	/** An execution didn't begin: the next look has its events again. */
	release(events: WindowEvent[]): void {
		for (const { key, time } of events) {
			this.events.set(key, { time, seenAt: Date.now(), isHandled: false });
		}
	}
}

/**
 * By workflow and node: what the published triggers of this process know. An execution in the same process adds what
 * it took.
 */
export const knownEvents = new Map<string, KnownEvents>();
