import { createHash, randomUUID } from 'node:crypto';
import type {
	Cron,
	INodeExecutionData,
	IRun,
	ITriggerFunctions,
	ITriggerResponse,
	IWebhookFunctions,
} from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { toServiceError } from '../service/errors';
import type { UserMessage } from '../service/messages';
import { HOUR_MS } from '../service/time';
import type { Service } from '../service/transport';
import { rethrow } from '../ledger/workflowLock';
import { readFilter } from '../logs/event';
import { entryDate } from '../logs/logEntry';
import { firstTime } from '../logs/payload';
import { Alarms } from './alarms';
import { MAX_EVENTS, MAX_EVENTS_IN_WINDOW, nodeOf } from './deduplication';
import { deliveryAlarm, DELIVERY_ALARMS, isArriving, newestAttempt } from './deliveries';
import { envelope } from './emit';
import { userMessage } from './messages';
import { readOwnState, type RegistrationState } from './registrationState';
import { desiredWebhook, RegistrationCheck } from './repair';
import { forgetCredentials, withSharedCredential } from './sharedCredentials';
import { byTime, LookbackWindow, type WindowEvent } from './window';

/** The minutes of cron expressions; empty for one minute of the hour that differs from trigger to trigger. */
const MINUTES: Record<string, string> = {
	everyMinute: '*',
	every5Minutes: '*/5',
	every15Minutes: '*/15',
	everyHour: '',
};

/** How many executions of missed events run in parallel. */
const MAX_IN_FLIGHT = 10;

/** If a poll finds more missed events than this, they share one execution: n8n can't run thousands at once. */
const MAX_ALONE = 100;

/** The others wait no longer than this for an execution. */
const MAX_WAIT_MS = 30_000;

/** How often a poll also checks the events that were delivered: once an hour. A minute less, as polls may be early. */
const FULL_READ_MS = HOUR_MS - 60_000;

/** An event that was delivered less than this ago may still be in flight within n8n. */
const IN_FLIGHT_MS = 10 * 60_000;

/** For this long after a failed attempt, the service may try again. Under load most failed attempts are only late. */
const REDELIVERY_MS = 20_000;

/** n8n gives up a publication before this, after 84 seconds (`workflow-publication-outbox-consumer.js` of n8n). */
const PUBLICATION_MS = 90_000;

/** In the first seconds of a publication, n8n may not know the secret yet that the service already sends. */
const FIRST_DELIVERIES_MS = 30_000;

/** An outage is reported after this. Most are over by then. */
const MAX_OUTAGE_MS = 90_000;
const OUTAGE_PAUSE_MS = 20_000;

/** How long a poll that n8n was too busy for waits: the first deferred events may be emitted then. */
const BUSY_MS = REDELIVERY_MS + 10_000;

/**
 * The trigger's `trigger`: reads the delivery logs on a schedule and starts executions with missed events.
 * `execute` decides which of them are new. A poll stores nothing, not even how far it has read: each full read
 * covers the whole window, so a wrong clock hides no event.
 */
export async function poll(context: ITriggerFunctions): Promise<ITriggerResponse> {
	const interval = String(context.getNodeParameter('checkForMissedEvents', 'every5Minutes'));
	const minutes = MINUTES[interval];
	if (minutes === undefined || context.getMode() === 'manual') return {};
	const poller = new Poller(context);
	const key = nodeOf(context);
	pollers.set(key, poller);
	const { id } = context.getNode();
	// Spreads the triggers over a minute.
	const second = String(createHash('sha256').update(id).digest()[0] % 60);
	const expression = `${second} ${minutes || second} * * * *`;
	context.helpers.registerCron(
		{ expression: expression as Cron['expression'] },
		() => void poller.run(),
	);
	void poller.run();
	const closeFunction = async () => {
		poller.end();
		if (pollers.get(key) === poller) pollers.delete(key);
		if (pollers.size === 0) forgetCredentials();
	};
	return { closeFunction };
}

/** The polls of the published triggers of this process, by workflow and node. */
const pollers = new Map<string, Poller>();

/** n8n was too busy for a delivery, so the trigger polls earlier than scheduled, if it polls in this process. */
export function pollSoon(context: IWebhookFunctions): void {
	void pollers.get(nodeOf(context))?.runSoon();
}

/** The polls of a trigger, from its publication to its end. */
class Poller {
	// Read once: n8n evaluates expressions only while it activates the trigger, not on schedule
	// (`releaseIsolate` in `workflow-trigger-activator.js` of n8n).
	private readonly isBatched: boolean;

	private readonly windowMs: number;

	private readonly window: LookbackWindow;

	private readonly registration: RegistrationCheck;

	private readonly alarms: Alarms;

	/** The keys of the events of the window that this object has emitted. */
	private readonly emitted = new Set<string>();

	/** Those of them that the last full read didn't find: if entries leave meanwhile, it may miss one. */
	private absent = new Set<string>();

	/** Missed events that wait for an execution. */
	private readonly missed: WindowEvent[] = [];

	/** How many events the window had at the last full read, with older ones that were reported. */
	private windowSize = 0;

	private inFlight = 0;

	private isPolling = false;

	private readonly ending = new AbortController();

	private willRunSoon = false;

	/** When n8n was too busy for a delivery (milliseconds since 1970). */
	private lastDeferral = -Infinity;

	private lastFullRead = -Infinity;

	private readonly startedAt = Date.now();

	/** The date of the newest entry at the first read, by the service's clock (milliseconds since 1970). */
	private firstNewest = -Infinity;

	constructor(private readonly context: ITriggerFunctions) {
		this.isBatched = context.getNodeParameter('startWorkflow', 'eachEvent') === 'allNewEvents';
		const options = context.getNodeParameter('options', {}) as { lookbackHours?: number };
		const hours = Number(options.lookbackHours);
		this.windowMs = (hours > 0 ? hours : 24) * HOUR_MS;
		const filter = readFilter((name, fallback) => context.getNodeParameter(name, fallback));
		this.window = new LookbackWindow(context, filter, this.windowMs, this.isBatched);
		this.registration = new RegistrationCheck(context, desiredWebhook(context));
		this.alarms = new Alarms(async (items) => this.isEnded || (await this.emit(items)));
	}

	private get isEnded(): boolean {
		return this.ending.signal.aborted;
	}

	end(): void {
		this.ending.abort();
		this.missed.length = 0;
	}

	/**
	 * Polls once. It never throws: nothing handles an error of n8n's schedule.
	 *
	 * @returns false if another poll is running
	 */
	async run(): Promise<boolean> {
		if (this.isPolling || this.isEnded) return false;
		this.isPolling = true;
		try {
			await this.pollPatiently();
			this.alarms.update('outage', undefined);
			this.alarms.update('failure', undefined);
		} catch (error) {
			// Each outage has another reason, and all of them end by themselves.
			this.alarms.update(toServiceError(error).isOutage ? 'outage' : 'failure', alarmFor(error));
		} finally {
			this.isPolling = false;
		}
		return true;
	}

	/** Polls when the deliveries until now may be emitted. */
	async runSoon(): Promise<void> {
		this.lastDeferral = Date.now();
		if (this.willRunSoon) return;
		this.willRunSoon = true;
		let polled = -Infinity;
		while (polled < this.lastDeferral && !this.isEnded) {
			await sleep(BUSY_MS);
			const started = Date.now();
			// A poll leaves deliveries out that the service has just tried.
			if (await this.run()) polled = started - REDELIVERY_MS;
		}
		this.willRunSoon = false;
	}

	/** Polls, and again if the service is unavailable. */
	private async pollPatiently(): Promise<void> {
		for (const endsAt = Date.now() + MAX_OUTAGE_MS; !this.isEnded; await sleep(OUTAGE_PAUSE_MS)) {
			try {
				const { signal } = this.ending;
				return await withSharedCredential(
					this.context,
					signal,
					async (service) => await this.pollOnce(service),
				);
			} catch (error) {
				const { isOutage, retryAfterMs = 0 } = toServiceError(error);
				if (!isOutage || Date.now() + retryAfterMs > endsAt) return rethrow(error as Error);
			}
		}
	}

	private async pollOnce(service: Service): Promise<void> {
		const state = readOwnState(this.context);
		let { webhookId } = state;
		let failure: unknown;
		if (!this.isBeingPublished(state)) {
			try {
				webhookId = await this.registration.check(service, () => !this.isEnded);
			} catch (error) {
				// The logs have the events, and may be available.
				failure = error;
			}
		}
		if (webhookId && !this.isEnded) await this.pollLogs(service, webhookId, state);
		this.alarms.update('registration', this.registration.alarm);
		if (failure !== undefined) throw failure;
	}

	/**
	 * On publication, n8n runs the hooks that register the webhook at the same time as `trigger`
	 * (`workflow-trigger-activator.js` of n8n). Until they are done, polls don't touch the webhook.
	 */
	private isBeingPublished({ registeredAt = 0 }: RegistrationState): boolean {
		return registeredAt < this.startedAt && Math.abs(Date.now() - this.startedAt) < PUBLICATION_MS;
	}

	private readonly isOpen = ({ key }: WindowEvent): boolean => !this.emitted.has(key);

	private async pollLogs(
		service: Service,
		webhookId: string,
		state: RegistrationState,
	): Promise<void> {
		const now = Date.now();
		const isFirst = this.window.isUnread;
		const isFull = isFirst || this.isBatched || now - this.lastFullRead >= FULL_READ_MS;
		if (!isFull && !this.registration.isUndecided) {
			const { keys, unreadable } = await this.window.readFailed(service, webhookId);
			this.reportUnreadable(unreadable, isFull);
			if (keys.every((key) => this.emitted.has(key))) return;
		}
		const found = await this.window.read(service, webhookId, isFull);
		const { events, overdue, unreadable, failure } = found;
		if (this.isEnded) return;

		const gap = this.gapAlarm(now);
		const newest = Math.max(this.window.newest, newestAttempt(events));
		if (isFirst) this.firstNewest = newest;
		if (isFull) {
			this.lastFullRead = now;
			this.windowSize = events.length;
			const inLogs = new Set([...events, ...overdue].map(({ key }) => key));
			const absent = [...this.emitted].filter((key) => !inLogs.has(key));
			for (const key of absent) if (this.absent.has(key)) this.emitted.delete(key);
			this.absent = new Set(absent);
		}
		if (isFirst) this.emitFirst(events.filter(this.isOpen), overdue.filter(this.isOpen));
		else this.emitMissed(events, isFull);
		if (failure) throw failure;
		this.registration.decide(newest, (since) => isArriving(events, since));
		this.reportUnreadable(unreadable, isFull);
		this.reportDeliveries(events, state);
		this.alarms.update('lag', this.lagAlarm());
		if (!isFull) return;
		this.alarms.update('gap', gap);
		this.alarms.update('size', this.sizeAlarm(events.length));
	}

	/**
	 * Emits the events of the window in one execution: most are known, but only `execute` can tell. If there are very
	 * many, the next checks emit undelivered ones that are left. If the trigger itself fails, which is how it reports
	 * overdue events, it has not emitted the others.
	 */
	private emitFirst(all: WindowEvent[], overdue: WindowEvent[]): void {
		const undelivered = all.filter(({ isDelivered }) => !isDelivered).slice(-MAX_EVENTS_IN_WINDOW);
		const delivered = all.filter(({ isDelivered }) => isDelivered);
		for (const { key } of delivered) this.emitted.add(key);
		const room = MAX_EVENTS_IN_WINDOW - undelivered.length;
		const events = [...undelivered, ...delivered.slice(Math.max(0, delivered.length - room))].sort(
			byTime,
		);
		const untold = overdue
			.filter(({ isDelivered }) => this.isBatched || !isDelivered)
			.slice(-(MAX_EVENTS - MAX_EVENTS_IN_WINDOW));
		this.windowSize += untold.length;
		for (const { key } of [...events, ...untold]) this.emitted.add(key);
		if (events.length + untold.length > 0) void this.start(events, untold);
	}

	/** Emits undelivered events in an execution each, unless there are many, and the others of a full read together. */
	private emitMissed(events: WindowEvent[], isFull: boolean): void {
		const alone: WindowEvent[] = [];
		const together: WindowEvent[] = [];
		for (const event of events.filter(this.isOpen)) {
			if (alone.length + together.length === MAX_EVENTS_IN_WINDOW) break;
			if (!this.isBatched && !event.isDelivered) {
				if (wasTriedWithin(REDELIVERY_MS, event)) continue;
				alone.push(event);
			} else {
				if (!isFull || (!this.isBatched && wasTriedWithin(IN_FLIGHT_MS, event))) continue;
				together.push(event);
			}
			this.emitted.add(event.key);
			if (!isFull) this.windowSize++;
		}
		if (alone.length > MAX_ALONE) together.push(...alone.splice(0));
		if (together.length > 0) void this.start(together);
		this.missed.push(...alone);
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
	private async start(events: WindowEvent[], overdue: WindowEvent[] = []): Promise<void> {
		const id = randomUUID();
		// An old size could be too small for the events that were delivered meanwhile.
		const isFresh = Date.now() - this.lastFullRead < MAX_WAIT_MS;
		const flags = isFresh ? { windowSize: this.windowSize } : {};
		const run = await this.emitRun([
			...overdue.map(({ payload }) => envelope(payload, id, { ...flags, isOverdue: true })),
			...events.map(({ payload }) => envelope(payload, id, flags)),
		]);
		if (!run || !hasBegun(run)) for (const { key } of events) this.emitted.delete(key);
		else if (overdue.length > 0 && events.length > 0 && hasFailedIn(run, this.nodeName)) {
			if (!this.isEnded) await this.start(events);
		}
	}

	private get nodeName(): string {
		return this.context.getNode().name;
	}

	/** @returns whether n8n began with the execution, once that has ended */
	private async emit(items: INodeExecutionData[]): Promise<boolean> {
		const run = await this.emitRun(items);
		return run !== undefined && hasBegun(run);
	}

	private async emitRun(items: INodeExecutionData[]): Promise<Partial<IRun> | undefined> {
		const done = this.context.helpers.createDeferredPromise<IRun>();
		try {
			this.context.emit([items], undefined, done);
			return await done.promise;
		} catch (error) {
			const reason = (error as Error).message;
			const { message } = userMessage('executionNotStarted', { node: this.nodeName, reason });
			this.context.logger.warn(message);
			return undefined;
		}
	}

	private reportUnreadable(count: number, isFull: boolean): void {
		if (count > 0) this.alarms.update('unreadable', userMessage('entriesUnreadable', { count }));
		else if (isFull) this.alarms.update('unreadable', undefined);
	}

	/** Reports that deliveries don't arrive, once for each reason until one does. */
	private reportDeliveries(
		events: WindowEvent[],
		{ registeredAt = 0, address = '' }: RegistrationState,
	): void {
		const since = Math.max(
			this.firstNewest,
			Math.max(this.startedAt, registeredAt) + FIRST_DELIVERIES_MS - this.window.lagMs,
		);
		if (isArriving(events, since)) {
			for (const code of DELIVERY_ALARMS) this.alarms.update(code, undefined);
			return;
		}
		const alarm = deliveryAlarm(events, since, address, this.registration.isSecretShown);
		if (alarm && alarm.code !== this.registration.alarm?.code)
			this.alarms.update(alarm.code, alarm);
	}

	/** The alarm that entries appear so late that the window may not reach them after a restart, if so. */
	private lagAlarm(): UserMessage | undefined {
		const { lagMs } = this.window;
		if (lagMs < this.windowMs / 2) return undefined;
		const [hours, needed] = [lagMs, lagMs + this.windowMs].map((ms) => Math.round(ms / HOUR_MS));
		return userMessage('entriesDatedLate', { hours, needed });
	}

	/** The alarm that the polls were too far apart for the window, if so. */
	private gapAlarm(now: number): UserMessage | undefined {
		const last = Math.max(this.lastFullRead, this.startedAt);
		// Events that may have been in flight then were left for this poll.
		if (now - last + (this.isBatched ? 0 : IN_FLIGHT_MS) <= this.windowMs) return undefined;
		const since = new Date(last).toISOString();
		return userMessage('logsReadTooLate', { since, hours: this.windowMs / HOUR_MS });
	}

	/** The alarm that the window has more events than a poll can check, if so. */
	private sizeAlarm(count: number): UserMessage | undefined {
		if (count <= MAX_EVENTS_IN_WINDOW) return undefined;
		const hours = this.windowMs / HOUR_MS;
		return userMessage('tooManyEvents', { hours, max: MAX_EVENTS_IN_WINDOW, count });
	}
}

/**
 * Whether the newest attempt is younger than this; false if its date can't be read or is in the future. An entry that
 * counts attempts has the date of the first.
 */
function wasTriedWithin(milliseconds: number, { last }: WindowEvent): boolean {
	const age = Date.now() - Math.max(entryDate(last), firstTime([last.updatedAt]) ?? -Infinity);
	return age >= 0 && age < milliseconds;
}

/**
 * Whether n8n began with an execution. If a worker was killed, it counts as not begun, even if nodes had run:
 * n8n's error then names none (`processError` in `workflow-runner.js` of n8n).
 */
function hasBegun({ status, data }: Partial<IRun>): boolean {
	return status !== 'error' || data?.resultData.lastNodeExecuted !== undefined;
}

/** Whether an execution has ended with an error of this node. */
function hasFailedIn({ status, data }: Partial<IRun>, node: string): boolean {
	return status === 'error' && data?.resultData.lastNodeExecuted === node;
}

function alarmFor(error: unknown): UserMessage {
	const { message: reason, hint = '' } = toServiceError(error);
	const alarm = userMessage('pollFailed', { reason, hint });
	return { ...alarm, hint: alarm.hint?.trim() };
}
