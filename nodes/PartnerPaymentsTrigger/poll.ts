import { createHash, randomUUID } from 'node:crypto';
import type {
	Cron,
	IDataObject,
	INodeExecutionData,
	IRun,
	ITriggerFunctions,
	ITriggerResponse,
} from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { LOG_ERROR, LOG_SUCCESS } from '../service/enums';
import { toServiceError } from '../service/errors';
import type { UserMessage } from '../service/messages';
import { Service } from '../service/transport';
import { eventKey, matchesFilter, readFilter, type EventFilter } from '../webhooks/event';
import { entryDate, entryTime, payloadIn } from '../webhooks/logEntry';
import { readLogPages, type LogFilters } from '../webhooks/logPages';
import { alarmItem, envelope } from './emit';
import { userMessage } from './messages';
import { readOwnState, type RegistrationState } from './registrationState';
import { desiredWebhook, repair, type DesiredWebhook } from './repair';

/** The minutes of cron expressions; empty for one minute of the hour that differs from trigger to trigger. */
const MINUTES: Record<string, string> = {
	everyMinute: '*',
	every5Minutes: '*/5',
	every15Minutes: '*/15',
	everyHour: '',
};

/** How many events of the window a poll checks: fewer than a trigger remembers, so it emits none of them twice. */
const MAX_EVENTS_IN_WINDOW = 20_000;

/** How many executions of missed events run in parallel. */
const MAX_IN_FLIGHT = 10;

/** The others wait no longer than this for an execution. */
const MAX_WAIT_MS = 30_000;

const HOUR_MS = 3_600_000;

/** How often a poll also checks the events that were delivered: once an hour. A minute less, as polls may be early. */
const FULL_READ_MS = HOUR_MS - 60_000;

/** An event that was delivered less than this ago may still be in flight within n8n. */
const IN_FLIGHT_MS = 10 * 60_000;

/** For this long after a failed attempt, the service may try again. Under load most failed attempts are only late. */
const REDELIVERY_MS = 20_000;

/** n8n gives up a publication before this, after 84 seconds (`workflow-publication-outbox-consumer.js` of n8n). */
const PUBLICATION_MS = 90_000;

/** How much further back the first poll reads, only to report events that are older than the window. */
const OVERDUE_WINDOW_MS = 7 * 24 * HOUR_MS;

/** An event in the delivery logs. */
interface WindowEvent {
	key: string;
	/** When its first attempt was logged (milliseconds since 1970). */
	time: number;
	payload: IDataObject;
	/** Whether any attempt succeeded. */
	isDelivered: boolean;
	/** The log entry of the newest attempt. */
	last: IDataObject;
}

/**
 * The trigger's `trigger`: reads the delivery logs on a schedule and starts executions with missed events.
 * `execute` decides which of them are new. A poll stores nothing, not even how far it has read: each one
 * checks the whole window, so a wrong clock hides no event.
 */
export async function poll(context: ITriggerFunctions): Promise<ITriggerResponse> {
	const interval = String(context.getNodeParameter('checkForMissedEvents', 'every5Minutes'));
	const minutes = MINUTES[interval];
	if (minutes === undefined || context.getMode() === 'manual') return {};
	const poller = new Poller(context);
	const { id } = context.getNode();
	// Spreads the triggers over a minute.
	const second = String(createHash('sha256').update(id).digest()[0] % 60);
	const expression = `${second} ${minutes || second} * * * *`;
	context.helpers.registerCron(
		{ expression: expression as Cron['expression'] },
		() => void poller.run(),
	);
	void poller.run();
	return { closeFunction: async () => poller.end() };
}

/** The polls of a trigger, from its publication to its end. */
class Poller {
	// Read once: n8n evaluates expressions only while it activates the trigger, not on schedule
	// (`releaseIsolate` in `workflow-trigger-activator.js` of n8n).
	private readonly filter: EventFilter;

	private readonly desired: DesiredWebhook;

	private readonly isBatched: boolean;

	private readonly windowMs: number;

	/** The keys of the events of the window that this object has emitted. */
	private readonly emitted = new Set<string>();

	/** Missed events that wait for an execution. */
	private readonly missed: WindowEvent[] = [];

	private inFlight = 0;

	private isPolling = false;

	private readonly ending = new AbortController();

	/** Whether no poll has succeeded yet. */
	private isFirst = true;

	private lastFullRead = -Infinity;

	private readonly startedAt = Date.now();

	/** The alarm of the last full read of the logs. */
	private logAlarm?: UserMessage;

	/** The text of the alarm that was raised last; empty after a poll without one. */
	private lastAlarm = '';

	constructor(private readonly context: ITriggerFunctions) {
		this.filter = readFilter((name, fallback) => context.getNodeParameter(name, fallback));
		this.desired = desiredWebhook(context);
		this.isBatched = context.getNodeParameter('startWorkflow', 'eachEvent') === 'allNewEvents';
		const options = context.getNodeParameter('options', {}) as { lookbackHours?: number };
		const hours = Number(options.lookbackHours);
		this.windowMs = (hours > 0 ? hours : 24) * HOUR_MS;
	}

	private get isEnded(): boolean {
		return this.ending.signal.aborted;
	}

	end(): void {
		this.ending.abort();
		this.missed.length = 0;
	}

	/** Polls once. It never throws: nothing handles an error of n8n's schedule. */
	async run(): Promise<void> {
		if (this.isPolling || this.isEnded) return;
		this.isPolling = true;
		try {
			const alarm = await this.pollOnce();
			this.raiseAlarm(alarm);
			this.isFirst = false;
		} catch (error) {
			this.raiseAlarm(alarmFor(error));
		} finally {
			this.isPolling = false;
		}
	}

	private async pollOnce(): Promise<UserMessage | undefined> {
		const service = await Service.connect(this.context, { signal: this.ending.signal });
		const state = readOwnState(this.context);
		const { webhookId, alarm } = this.isBeingPublished(state)
			? { ...state, alarm: undefined }
			: await repair(this.context, service, this.desired, () => !this.isEnded).catch(
					(error: unknown) => ({ webhookId: state.webhookId, alarm: alarmFor(error) }),
				);
		if (!webhookId) return alarm;
		const now = Date.now();
		const isFullRead = this.isBatched || now - this.lastFullRead >= FULL_READ_MS;
		const failed = { webhookId, status: LOG_ERROR };
		if (!isFullRead && !(await this.readLogs(service, failed)).some(this.isOpen)) {
			return alarm ?? this.logAlarm;
		}
		const events = await this.readLogs(service, { webhookId });
		if (this.isEnded) return alarm;

		const since = now - this.windowMs;
		const window = events.filter(({ time }) => time >= since);
		const inWindow = new Set(window.map(({ key }) => key));
		for (const key of this.emitted) if (!inWindow.has(key)) this.emitted.delete(key);
		if (this.isFirst) this.reportOverdue(events.filter(({ time }) => time < since));
		this.emitMissed(window.slice(-MAX_EVENTS_IN_WINDOW), isFullRead);
		this.logAlarm = this.rejectionAlarm(window) ?? this.gapAlarm(window.length, now);
		if (isFullRead) this.lastFullRead = now;
		return alarm ?? this.logAlarm;
	}

	/**
	 * On publication, n8n runs the hooks that register the webhook at the same time as `trigger`
	 * (`workflow-trigger-activator.js` of n8n). Until they are done, polls don't touch the webhook.
	 */
	private isBeingPublished({ registeredAt = 0 }: RegistrationState): boolean {
		return registeredAt < this.startedAt && Math.abs(Date.now() - this.startedAt) < PUBLICATION_MS;
	}

	private readonly isOpen = ({ key }: WindowEvent): boolean => !this.emitted.has(key);

	/** The events that pass the filter, each once, oldest first. */
	private async readLogs(service: Service, filters: LogFilters): Promise<WindowEvent[]> {
		const { since: ownSince = 0 } = readOwnState(this.context);
		const furthest = Date.now() - this.windowMs - (this.isFirst ? OVERDUE_WINDOW_MS : 0);
		const since = Math.max(furthest, ownSince);
		const byKey = new Map<string, WindowEvent>();
		for await (const log of readLogPages(service, filters, { since })) {
			const payload = payloadIn(log);
			const time = entryTime(log);
			if (payload === undefined || time < since || !matchesFilter(this.filter, payload)) continue;
			const key = eventKey(payload);
			const known = byKey.get(key) ?? { key, time, payload, isDelivered: false, last: log };
			known.isDelivered ||= log.status === LOG_SUCCESS;
			known.time = Math.min(known.time, time);
			if (entryTime(log) > entryTime(known.last)) known.last = log;
			byKey.set(key, known);
		}
		return [...byKey.values()].sort((a, b) => a.time - b.time);
	}

	/** Emits undelivered events in an execution each, and the others of a full read together. */
	private emitMissed(events: WindowEvent[], isFullRead: boolean): void {
		const mayBeInFlight = !this.isFirst && !this.isBatched;
		const together: WindowEvent[] = [];
		for (const event of events.filter(this.isOpen)) {
			if (!this.isBatched && !event.isDelivered) {
				if (!this.isFirst && wasTriedWithin(REDELIVERY_MS, event)) continue;
				this.missed.push(event);
			} else {
				if (!isFullRead || (mayBeInFlight && wasTriedWithin(IN_FLIGHT_MS, event))) continue;
				together.push(event);
			}
			this.emitted.add(event.key);
		}
		if (together.length > 0) void this.start(together);
		while (this.inFlight < MAX_IN_FLIGHT && this.missed.length > 0) void this.emitQueued();
	}

	/** Emits the waiting events one after the other. */
	private async emitQueued(): Promise<void> {
		this.inFlight++;
		for (let event = this.missed.shift(); event; event = this.missed.shift()) {
			await Promise.race([this.start([event]), sleep(MAX_WAIT_MS)]);
		}
		this.inFlight--;
	}

	/**
	 * Starts an execution with events, and waits until it ends. If n8n couldn't begin with it, a later poll
	 * emits the events again.
	 */
	private async start(events: WindowEvent[]): Promise<void> {
		const isBegun = await this.emitEvents(events);
		if (!isBegun) for (const { key } of events) this.emitted.delete(key);
	}

	private async emitEvents(events: WindowEvent[], flags?: { isOverdue: true }): Promise<boolean> {
		const id = randomUUID();
		return await this.emit(events.map(({ payload }) => envelope(payload, id, flags)));
	}

	/** @returns whether n8n began with the execution, once that has ended */
	private async emit(items: INodeExecutionData[]): Promise<boolean> {
		const done = this.context.helpers.createDeferredPromise<IRun>();
		try {
			this.context.emit([items], undefined, done);
			return hasBegun(await done.promise);
		} catch (error) {
			const node = this.context.getNode().name;
			const reason = (error as Error).message;
			this.context.logger.warn(userMessage('executionNotStarted', { node, reason }).message);
			return false;
		}
	}

	/** Reports events that are older than the window. `execute` leaves out those that were emitted. */
	private reportOverdue(events: WindowEvent[]): void {
		const overdue = events
			.filter(({ isDelivered }) => this.isBatched || !isDelivered)
			.slice(-MAX_EVENTS_IN_WINDOW);
		if (overdue.length > 0) void this.emitEvents(overdue, { isOverdue: true });
	}

	/** Reports an alarm once, by an execution that fails: the workflow's owner sees nothing else in n8n. */
	private raiseAlarm(alarm: UserMessage | undefined): void {
		if (this.isEnded) return;
		const text = alarm?.message ?? '';
		if (alarm && text !== this.lastAlarm) {
			void this.emit([alarmItem(alarm)]).then((isBegun) => {
				if (!isBegun && this.lastAlarm === text) this.lastAlarm = '';
			});
		}
		this.lastAlarm = text;
	}

	/** The alarm that this node rejects deliveries, if it rejected the newest one. */
	private rejectionAlarm(events: WindowEvent[]): UserMessage | undefined {
		const newest = events
			.map(({ last }) => last)
			.sort((a, b) => entryTime(a) - entryTime(b))
			.at(-1);
		if (!newest || entryTime(newest) < this.startedAt) return undefined;
		if (newest.status === LOG_SUCCESS || Number(newest.statusCode) !== 401) return undefined;
		return userMessage('deliveriesRejected');
	}

	/** The alarm that the window doesn't reach all events, if so. */
	private gapAlarm(count: number, now: number): UserMessage | undefined {
		const hours = this.windowMs / HOUR_MS;
		const last = Math.max(this.lastFullRead, this.startedAt);
		// Events that may have been in flight then were left for this poll.
		if (now - last + (this.isBatched ? 0 : IN_FLIGHT_MS) > this.windowMs) {
			const since = new Date(last).toISOString();
			return userMessage('logsReadTooLate', { since, hours });
		}
		if (count > MAX_EVENTS_IN_WINDOW) {
			return userMessage('tooManyEvents', { hours, max: MAX_EVENTS_IN_WINDOW, count });
		}
		return undefined;
	}
}

/** Whether the newest attempt is younger than this; false if its date can't be read or is in the future. */
function wasTriedWithin(milliseconds: number, { last }: WindowEvent): boolean {
	const age = Date.now() - entryDate(last);
	return age >= 0 && age < milliseconds;
}

/**
 * Whether n8n began with an execution. If a worker was killed, it counts as not begun, even if nodes had run:
 * n8n's error then names none (`processError` in `workflow-runner.js` of n8n).
 */
function hasBegun({ status, data }: Partial<IRun>): boolean {
	return status !== 'error' || data?.resultData.lastNodeExecuted !== undefined;
}

function alarmFor(error: unknown): UserMessage {
	const { message: reason, hint = '' } = toServiceError(error);
	const alarm = userMessage('pollFailed', { reason, hint });
	return { ...alarm, hint: alarm.hint?.trim() };
}
