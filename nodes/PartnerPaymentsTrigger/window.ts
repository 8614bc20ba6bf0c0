import type { IDataObject, ITriggerFunctions } from 'n8n-workflow';

import { LOG_ERROR, LOG_SUCCESS } from '../service/enums';
import type { Service } from '../service/transport';
import { eventKey, matchesFilter, type EventFilter } from '../webhooks/event';
import { entryDate, entryTime, payloadIn } from '../webhooks/logEntry';
import { readLogPages } from '../webhooks/logPages';
import { readOwnState } from './registrationState';

export const HOUR_MS = 3_600_000;

/** How much further back the first read goes, only to report events that are older than the window. */
const OVERDUE_WINDOW_MS = 7 * 24 * HOUR_MS;

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
	/** How many undelivered entries have no event that can be read. */
	unreadable: number;
}

/** Reads the lookback window of a trigger's delivery logs. */
export class LookbackWindow {
	/** How much later than their dates entries appear (milliseconds). */
	lagMs = 0;

	/** When the last complete read began, and the date of the newest entry that was known then. */
	private known?: { at: number; newest: number };

	constructor(
		private readonly context: ITriggerFunctions,
		private readonly filter: EventFilter,
		private readonly lengthMs: number,
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
	async read(
		service: Service,
		webhookId: string,
		{ isFull, isFailedOnly = false }: { isFull: boolean; isFailedOnly?: boolean },
	): Promise<WindowContents> {
		const now = Date.now();
		const { known } = this;
		const { since: ownSince = -Infinity } = readOwnState(this.context);
		const start = () => Math.max(now - this.lengthMs - this.lagMs, ownSince);
		const furthest = known ? start() : Math.max(start() - OVERDUE_WINDOW_MS, ownSince);
		const since = isFull || !known ? furthest : Math.max(furthest, known.newest - OVERLAP_MS);
		const filters = { webhookId, ...(isFailedOnly && { status: LOG_ERROR }) };

		const byKey = new Map<string, WindowEvent>();
		let unreadable = 0;
		let newest = this.newest;
		for await (const log of readLogPages(service, filters, { since })) {
			const date = entryDate(log);
			const time = entryTime(log);
			if (date <= now) newest = Math.max(newest, date);
			// Whatever its date, an entry that is newer than all known ones is new.
			const isNew = known !== undefined && date > known.newest && date > ownSince;
			if (time < since && !isNew) continue;
			const payload = payloadIn(log);
			if (payload === undefined) {
				if (log.status === LOG_ERROR) unreadable++;
				continue;
			}
			if (matchesFilter(this.filter, payload)) collect(byKey, log, time, payload);
		}
		// It appeared after the last complete read, so the difference to its date is at least this.
		if (known && newest > known.newest) this.lagMs = Math.max(this.lagMs, known.at - newest);
		if (!isFailedOnly) this.known = { at: now, newest };
		const all = [...byKey.values()].sort((a, b) => a.time - b.time);
		return {
			events: all.filter(({ time }) => time >= start()),
			overdue: known ? [] : all.filter(({ time }) => time < start()),
			unreadable,
		};
	}
}

function collect(
	byKey: Map<string, WindowEvent>,
	log: IDataObject,
	time: number,
	payload: IDataObject,
): void {
	const key = eventKey(payload);
	const event = byKey.get(key) ?? { key, time, payload, isDelivered: false, last: log };
	event.isDelivered ||= log.status === LOG_SUCCESS;
	event.time = Math.min(event.time, time);
	if (entryTime(log) > entryTime(event.last)) event.last = log;
	byKey.set(key, event);
}
