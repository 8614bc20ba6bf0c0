import type { IDataObject, ITriggerFunctions } from 'n8n-workflow';

import { LOG_ERROR } from '../service/enums';
import { DAY_MS, HOUR_MS } from '../service/time';
import type { Service } from '../service/transport';
import { rethrow } from '../ledger/workflowLock';
import { eventKey, matchesFilter, type EventFilter } from '../logs/event';
import { entryDate, entryTime, isDelivered, payloadIn } from '../logs/logEntry';
import { LogReader } from '../logs/logPages';
import { readOwnState } from './registrationState';

/** How much further back the first read goes, only to report events that are older than the window. */
const OVERDUE_WINDOW_MS = 7 * DAY_MS;

/** It ends after this many entries from before the window: they must not cost the window itself. */
const MAX_OVERDUE_ENTRIES = 10_000;

/**
 * Between full reads, only entries are read that are at most this much older than the newest known one. The next
 * full read finds entries that the service logs later than this.
 */
const OVERLAP_MS = 2 * HOUR_MS;

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

/** What a read found. */
export interface WindowContents {
	/** The events of the lookback window that pass the filter, each once, oldest first. */
	events: WindowEvent[];
	/** Those from before the window: only the first read looks for them. */
	overdue: WindowEvent[];
	/** How many entries that only a poll can emit have no event that can be read. */
	unreadable: number;
	/** Why not all from before the window could be read. The next read looks for them again. */
	failure: unknown;
}

/** What a read of the newest failed attempts found. */
interface FailedAttempts {
	/** The first page and the number of failed attempts, to compare. */
	view: string | undefined;
	/** The keys of their events that pass the filter. */
	keys: string[];
	/** How many of them have no event that can be read. */
	unreadable: number;
}

/** Reads the lookback window of a trigger's delivery logs. */
export class LookbackWindow {
	/** How much later than their dates entries appear (milliseconds). */
	lagMs = 0;

	/** When the last complete read began, and the date of the newest entry that was known then. */
	private known?: { at: number; newest: number };

	/** What the last read of failed attempts found, until a full read. */
	private failed?: FailedAttempts;

	constructor(
		private readonly context: ITriggerFunctions,
		private readonly filter: EventFilter,
		private readonly lengthMs: number,
		/** Whether only polls emit events, also those that were delivered. */
		private readonly isBatched: boolean,
	) {}

	/** Whether nothing has been read yet. */
	get isUnread(): boolean {
		return this.known === undefined;
	}

	/** The date of the newest entry, by the service's clock (milliseconds since 1970). */
	get newest(): number {
		return this.known?.newest ?? -Infinity;
	}

	/**
	 * @param isFull whether to read the whole window, instead of its newest part
	 * @throws ServiceError if the logs can't be read
	 */
	async read(service: Service, webhookId: string, isFull: boolean): Promise<WindowContents> {
		const now = Date.now();
		const { known } = this;
		const since = this.startOfRead(now, isFull);
		const windowStart = this.startAt(now);
		const byKey = new Map<string, WindowEvent>();
		let unreadable = 0;
		let newest = this.newest;
		let older = 0;
		let failure: unknown;
		const reader = new LogReader(
			service,
			{ webhookId },
			{ since: () => (older < MAX_OVERDUE_ENTRIES ? since : windowStart) },
		);
		try {
			for await (const logs of reader.pages()) {
				const dates = logs.map(entryDate).filter((date) => date <= now);
				newest = Math.max(newest, ...dates);
				older += dates.filter((date) => date < windowStart).length;
				unreadable += this.collect(byKey, logs, since);
			}
		} catch (error) {
			if (known || !reader.hasPassed(windowStart)) return rethrow(error as Error);
			failure = error;
		}
		// It appeared after the last complete read, so the difference to its date is at least this.
		if (known && newest > known.newest) this.lagMs = Math.max(this.lagMs, known.at - newest);
		if (!failure) this.known = { at: now, newest };
		if (isFull) this.failed = undefined;
		const all = [...byKey.values()].sort(byTime);
		const start = this.startAt(now);
		return {
			events: all.filter(({ time }) => time >= start),
			overdue: known ? [] : all.filter(({ time }) => time < start),
			unreadable,
			failure,
		};
	}

	/**
	 * Reads the failed attempts of the newest part, or only their first page if that and their number are the same
	 * as before. Only another full read then finds an entry for which another one has left.
	 *
	 * @throws ServiceError if the logs can't be read
	 */
	async readFailed(service: Service, webhookId: string): Promise<FailedAttempts> {
		const since = this.startOfRead(Date.now(), false);
		const reader = new LogReader(service, { webhookId, status: LOG_ERROR }, { since });
		const byKey = new Map<string, WindowEvent>();
		let unreadable = 0;
		let view: string | undefined;
		for await (const logs of reader.pages()) {
			view ??= JSON.stringify([reader.total, ...logs.map(({ id, updatedAt }) => [id, updatedAt])]);
			if (!Number.isNaN(reader.total) && view === this.failed?.view) return this.failed;
			unreadable += this.collect(byKey, logs, since);
		}
		this.failed = { view, keys: [...byKey.keys()], unreadable };
		return this.failed;
	}

	/** From when on events are this node's. */
	private get ownSince(): number {
		return readOwnState(this.context).since ?? -Infinity;
	}

	/** Where the window begins. */
	private startAt(now: number): number {
		return Math.max(now - this.lengthMs - this.lagMs, this.ownSince);
	}

	private startOfRead(now: number, isFull: boolean): number {
		const start = this.startAt(now);
		if (!this.known) return Math.max(start - OVERDUE_WINDOW_MS, this.ownSince);
		return isFull ? start : Math.max(start, this.known.newest - OVERLAP_MS);
	}

	/** @returns how many entries that only a poll can emit have no event that can be read */
	private collect(byKey: Map<string, WindowEvent>, logs: IDataObject[], since: number): number {
		const { known, ownSince } = this;
		let unreadable = 0;
		for (const log of logs) {
			const date = entryDate(log);
			const time = entryTime(log);
			// Whatever its date, an entry that is newer than all known ones is new.
			const isNew = known !== undefined && date > known.newest && date > ownSince;
			if (time < since && !isNew) continue;
			const payload = payloadIn(log);
			if (payload === undefined) {
				if (this.isBatched || !isDelivered(log)) unreadable++;
			} else if (matchesFilter(this.filter, payload)) collect(byKey, log, time, payload);
		}
		return unreadable;
	}
}

export function byTime(a: WindowEvent, b: WindowEvent): number {
	return a.time - b.time;
}

function collect(
	byKey: Map<string, WindowEvent>,
	log: IDataObject,
	time: number,
	payload: IDataObject,
): void {
	const key = eventKey(payload);
	const event = byKey.get(key) ?? { key, time, payload, isDelivered: false, last: log };
	event.isDelivered ||= isDelivered(log);
	event.time = Math.min(event.time, time);
	if (entryTime(log) > entryTime(event.last)) event.last = log;
	byKey.set(key, event);
}
