import { createHash, randomUUID } from 'node:crypto';
import type {
	IDataObject,
	INodeExecutionData,
	IRun,
	ITriggerFunctions,
	ITriggerResponse,
} from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { toServiceError } from '../service/errors';
import type { UserMessage } from '../service/messages';
import { Service } from '../service/transport';
import { LOG_SUCCESS, LOG_ERROR } from '../service/enums';
import { eventKey, isWanted, readFilter, type EventFilter } from '../webhooks/event';
import { envelope, alarmItem } from './emit';
import { readOwnState, type RegistrationState } from './registrationState';
import { payloadIn, entryTime, entryDate } from '../webhooks/logEntry';
import { readLogPages, type LogFilters } from '../webhooks/logPages';
import { userMessage } from '../webhooks/messages';
import { repair, desiredWebhook, type DesiredWebhook } from './repair';

/** How often the service's logs are read, as cron expressions. The seconds spread the triggers over a minute. */
const SCHEDULES: Record<string, (second: number) => string> = {
	everyMinute: (second) => `${second} * * * * *`,
	every5Minutes: (second) => `${second} */5 * * * *`,
	every15Minutes: (second) => `${second} */15 * * * *`,
	everyHour: (second) => `${second} ${second} * * * *`,
};

/** How many events of the window are looked at. It is less than a trigger remembers, so it knows all it gave out. */
const MAX_EVENTS_IN_WINDOW = 20_000;

/** How many executions of missed events run at once. */
const MAX_IN_FLIGHT = 10;

/** After this time an execution no longer makes the others wait, though it is still running. */
const MAX_WAIT_MS = 30_000;

const HOUR_MS = 3_600_000;

/** How often the events that were delivered to n8n are looked at as well: every hour, where a turn may be early. */
const FULL_READ_MS = HOUR_MS - 60_000;

/** An event that was delivered less than this ago may still be on its way through n8n. */
const IN_FLIGHT_MS = 10 * 60_000;

/** So long after a failed attempt the service may still try again. Under load most failed attempts are only late. */
const REDELIVERY_MS = 20_000;

/** By then n8n has given up a publication: after 84 seconds (`workflow-publication-outbox-consumer.js` of n8n). */
const PUBLICATION_MS = 90_000;

/** How much further back a trigger looks at its start, only to report what came while nobody looked. */
const OVERDUE_WINDOW_MS = 7 * 24 * HOUR_MS;

/** An event of the window. */
interface WindowEvent {
	key: string;
	/** When the first attempt was logged, in milliseconds since 1970. */
	time: number;
	payload: IDataObject;
	/** Whether any attempt was answered as received. */
	isDelivered: boolean;
	/** The entry of the newest attempt. */
	last: IDataObject;
}

/**
 * The trigger's `trigger`: reads the service's logs on a schedule, for the events that did not arrive,
 * and hands them over to `execute`, which decides which of them are new. It stores nothing, not even how
 * far it has read: each time the whole window is looked at, so that a wrong clock hides no event.
 */
export async function poll(context: ITriggerFunctions): Promise<ITriggerResponse> {
	const schedule =
		SCHEDULES[String(context.getNodeParameter('checkForMissedEvents', 'every5Minutes'))];
	if (schedule === undefined || context.getMode() === 'manual') return {};
	const turns = new Poller(context);
	const { id } = context.getNode();
	const second = createHash('sha256').update(id).digest()[0] % 60;
	context.helpers.registerCron(
		{
			expression: schedule(second) as Parameters<
				typeof context.helpers.registerCron
			>[0]['expression'],
		},
		() => void turns.run(),
	);
	void turns.run();
	return { closeFunction: async () => turns.end() };
}

/** A trigger from its publication until it ends: its turns, and what they have handed over. */
class Poller {
	// Read once: n8n can evaluate expressions only while it activates the trigger, not when it calls on
	// schedule (`releaseIsolate` in `workflow-trigger-activator.js` of n8n).
	private readonly filter: EventFilter;

	private readonly desired: DesiredWebhook;

	private readonly isBatched: boolean;

	private readonly windowMs: number;

	/** The keys of the events that this object has handed over, while they are in the window. */
	private readonly emitted = new Set<string>();

	private readonly missed: WindowEvent[] = [];

	private inFlight = 0;

	private isPolling = false;

	private isEnded = false;

	/** Whether the logs have not been read yet. */
	private isFirst = true;

	private lastFullRead = -Infinity;

	private readonly startedAt = Date.now();

	/** What was wrong with the logs when they were last read whole. */
	private finding?: UserMessage;

	/** The problem that was told last; empty when all is well again. */
	private lastAlarm = '';

	constructor(private readonly context: ITriggerFunctions) {
		this.filter = readFilter((name, fallback) => context.getNodeParameter(name, fallback));
		this.desired = desiredWebhook(context);
		this.isBatched = context.getNodeParameter('startWorkflow', 'eachEvent') === 'allNewEvents';
		const options = context.getNodeParameter('options', {}) as { lookbackHours?: number };
		const hours = Number(options.lookbackHours);
		this.windowMs = (hours > 0 ? hours : 24) * HOUR_MS;
	}

	end(): void {
		this.isEnded = true;
		this.missed.length = 0;
	}

	/** One turn. It never throws, because n8n's schedule has nobody to tell. */
	async run(): Promise<void> {
		if (this.isPolling || this.isEnded) return;
		this.isPolling = true;
		try {
			const problem = await this.pollOnce();
			this.raiseAlarm(problem);
			this.isFirst = false;
		} catch (error) {
			this.raiseAlarm(alarmFor(error));
		} finally {
			this.isPolling = false;
		}
	}

	private async pollOnce(): Promise<UserMessage | undefined> {
		const service = await Service.connect(this.context);
		const kept = readOwnState(this.context);
		const { webhookId, problem } = this.isBeingPublished(kept)
			? { ...kept, problem: undefined }
			: await repair(this.context, service, this.desired, () => !this.isEnded).catch(
					(error: unknown) => ({ webhookId: kept.webhookId, problem: alarmFor(error) }),
				);
		if (!webhookId) return problem;
		const now = Date.now();
		const isFullLook = this.isBatched || now - this.lastFullRead >= FULL_READ_MS;
		const failed = { webhookId, status: LOG_ERROR };
		if (!isFullLook && !(await this.readLogs(service, failed)).some(this.isOpen)) {
			return problem ?? this.finding;
		}
		const events = await this.readLogs(service, { webhookId });
		if (this.isEnded) return problem;

		const since = now - this.windowMs;
		const window = events.filter(({ time }) => time >= since);
		const inWindow = new Set(window.map(({ key }) => key));
		for (const key of this.emitted) if (!inWindow.has(key)) this.emitted.delete(key);
		if (this.isFirst) this.reportOverdue(events.filter(({ time }) => time < since));
		this.emitMissed(window.slice(-MAX_EVENTS_IN_WINDOW), isFullLook);
		this.finding = this.rejectedDeliveries(window) ?? this.gap(window.length, now);
		if (isFullLook) this.lastFullRead = now;
		return problem ?? this.finding;
	}

	/**
	 * At publication n8n runs the hooks that register the webhook at the same time as `trigger`
	 * (`workflow-trigger-activator.js` of n8n). Until they have, a turn leaves the webhook to them.
	 */
	private isBeingPublished({ registeredAt = 0 }: RegistrationState): boolean {
		return registeredAt < this.startedAt && Math.abs(Date.now() - this.startedAt) < PUBLICATION_MS;
	}

	private readonly isOpen = ({ key }: WindowEvent): boolean => !this.emitted.has(key);

	/** The events that the trigger wants, each once and the oldest first. */
	private async readLogs(service: Service, filters: LogFilters): Promise<WindowEvent[]> {
		const { since: ownSince = 0 } = readOwnState(this.context);
		const furthest = Date.now() - this.windowMs - (this.isFirst ? OVERDUE_WINDOW_MS : 0);
		const since = Math.max(furthest, ownSince);
		const byKey = new Map<string, WindowEvent>();
		for await (const log of readLogPages(service, filters, { since })) {
			const payload = payloadIn(log);
			const time = entryTime(log);
			if (payload === undefined || time < since || !isWanted(this.filter, payload)) continue;
			const key = eventKey(payload);
			const known = byKey.get(key) ?? { key, time, payload, isDelivered: false, last: log };
			known.isDelivered ||= log.status === LOG_SUCCESS;
			known.time = Math.min(known.time, time);
			if (entryTime(log) > entryTime(known.last)) known.last = log;
			byKey.set(key, known);
		}
		return [...byKey.values()].sort((a, b) => a.time - b.time);
	}

	private emitMissed(events: WindowEvent[], isFullLook: boolean): void {
		const mayBeOnItsWay = !this.isFirst && !this.isBatched;
		const together: WindowEvent[] = [];
		for (const event of events.filter(this.isOpen)) {
			if (!this.isBatched && !event.isDelivered) {
				if (!this.isFirst && wasTriedWithin(REDELIVERY_MS, event)) continue;
				this.missed.push(event);
			} else {
				if (!isFullLook || (mayBeOnItsWay && wasTriedWithin(IN_FLIGHT_MS, event))) continue;
				together.push(event);
			}
			this.emitted.add(event.key);
		}
		if (together.length > 0) void this.start(together);
		while (this.inFlight < MAX_IN_FLIGHT && this.missed.length > 0) void this.emitQueued();
	}

	/** Hands over missed events one after the other, each in an execution of its own. */
	private async emitQueued(): Promise<void> {
		this.inFlight++;
		for (let event = this.missed.shift(); event; event = this.missed.shift()) {
			await Promise.race([this.start([event]), sleep(MAX_WAIT_MS)]);
		}
		this.inFlight--;
	}

	/**
	 * Starts an execution with events, and resolves when it has ended, however it ended. If n8n could not
	 * begin with it, the events are handed over again at a later turn.
	 */
	private async start(events: WindowEvent[]): Promise<void> {
		const id = randomUUID();
		const isBegun = await this.emit(events.map(({ payload }) => envelope(payload, id)));
		if (!isBegun) for (const { key } of events) this.emitted.delete(key);
	}

	/** @returns whether n8n has begun with the execution */
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

	/** Reports events that nobody looked for in time. `execute` leaves out those that were given out. */
	private reportOverdue(events: WindowEvent[]): void {
		const overdue = events
			.filter(({ isDelivered }) => this.isBatched || !isDelivered)
			.slice(-MAX_EVENTS_IN_WINDOW);
		if (overdue.length > 0) {
			const id = randomUUID();
			void this.emit(overdue.map(({ payload }) => envelope(payload, id, { isOverdue: true })));
		}
	}

	/** Tells a problem once, by an execution that fails: the workflow's owner sees nothing else in n8n. */
	private raiseAlarm(problem: UserMessage | undefined): void {
		if (this.isEnded) return;
		const text = problem?.message ?? '';
		if (problem && text !== this.lastAlarm) {
			void this.emit([alarmItem(problem)]).then((isBegun) => {
				if (!isBegun && this.lastAlarm === text) this.lastAlarm = '';
			});
		}
		this.lastAlarm = text;
	}

	/** The problem that this node refuses deliveries; undefined when it is not known to. */
	private rejectedDeliveries(events: WindowEvent[]): UserMessage | undefined {
		let newest: IDataObject | undefined;
		for (const { last } of events)
			if (!newest || entryTime(last) >= entryTime(newest)) newest = last;
		if (!newest || entryTime(newest) < this.startedAt) return undefined;
		if (newest.status === LOG_SUCCESS || Number(newest.statusCode) !== 401) return undefined;
		return userMessage('deliveriesRejected');
	}

	/** The problem that events may be missing because the window does not reach them. */
	private gap(count: number, now: number): UserMessage | undefined {
		const hours = this.windowMs / HOUR_MS;
		const last = Math.max(this.lastFullRead, this.startedAt);
		// What may have been on its way then was left for now.
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

/** Whether the newest attempt was so short ago. If its date cannot be read or is in the future, it was not. */
function wasTriedWithin(milliseconds: number, { last }: WindowEvent): boolean {
	const age = Date.now() - entryDate(last);
	return age >= 0 && age < milliseconds;
}

/**
 * Whether n8n began with the execution. Where a worker was killed it counts as not begun, whichever nodes
 * had run: n8n then gives an error that names none (`processError` in `workflow-runner.js` of n8n).
 */
function hasBegun({ status, data }: Partial<IRun>): boolean {
	return status !== 'error' || data?.resultData.lastNodeExecuted !== undefined;
}

function alarmFor(error: unknown): UserMessage {
	const { message: reason, hint = '' } = toServiceError(error);
	const told = userMessage('pollFailed', { reason, hint });
	return { ...told, hint: told.hint?.trim() };
}
