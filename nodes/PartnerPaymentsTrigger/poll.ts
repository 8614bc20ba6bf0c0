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
import { DAY_MS, HOUR_MS } from '../service/time';
import { Service } from '../service/transport';
import { rethrow } from '../ledger/workflowLock';
import { readFilter, type EventFilter } from '../logs/event';
import { isDelivered } from '../logs/logEntry';
import { Alarms, raiseForAccount } from './alarms';
import { nodeOf } from './deduplication';
import { deliveryAlarm, DELIVERY_ALARMS, isArriving, newestAttempt } from './deliveries';
import { envelope, type Doubt } from './emit';
import { KnownEvents, knownEvents, look, type LookRules, type WindowEvent } from './look';
import { userMessage } from './messages';
import { readOwnState, type RegistrationState } from './registrationState';
import { desiredWebhook, RegistrationCheck } from './repair';
import { Schedule } from './schedule';
import { readWindow, type WindowContents } from './window';

/** The minutes of cron expressions; empty for one minute of the hour that differs from trigger to trigger. */
const MINUTES: Record<string, string> = {
	everyMinute: '*',
	every5Minutes: '*/5',
	every15Minutes: '*/15',
	everyHour: '',
};

/** How often a look covers the whole window, and delivered events, too. A minute less, as looks may be early. */
const FULL_LOOK_MS = HOUR_MS - 60_000;

/**
 * Other looks read only entries that are at most this much older than the newest known one. The next full look finds
 * entries that the service logs later than this.
 */
const OVERLAP_MS = 2 * HOUR_MS;

/** How far back the first look reads to report events that are older than the window. */
const OVERDUE_MS = 7 * DAY_MS;

/** n8n gives up a publication before this, after 84 seconds (`workflow-publication-outbox-consumer.js` of n8n). */
const PUBLICATION_MS = 90_000;

/** In the first seconds of a publication, n8n may not know the secret yet that the service already sends. */
const FIRST_DELIVERIES_MS = 30_000;

/** An outage is reported after this. Most are over by then. */
const MAX_OUTAGE_MS = 90_000;
const OUTAGE_PAUSE_MS = 20_000;

/**
 * The trigger's `trigger`: looks at the delivery logs on a schedule and starts executions with missed events.
 * `execute` decides which of them are new. Nothing is stored, not even how far was read: each full look covers the
 * whole window, so a wrong clock hides no event.
 */
export async function poll(context: ITriggerFunctions): Promise<ITriggerResponse> {
	const interval = String(context.getNodeParameter('checkForMissedEvents', 'every5Minutes'));
	const minutes = MINUTES[interval];
	if (minutes === undefined || context.getMode() === 'manual') return {};
	const schedule: Schedule = new Schedule(async () => await poller.run());
	const poller = new Poller(context, schedule.signal);
	const key = nodeOf(context);
	schedules.set(key, schedule);
	knownEvents.set(key, poller.known);
	const { id } = context.getNode();
	// Spreads the triggers over a minute.
	const second = String(createHash('sha256').update(id).digest()[0] % 60);
	const expression = `${second} ${minutes || second} * * * *`;
	context.helpers.registerCron(
		{ expression: expression as Cron['expression'] },
		() => void schedule.run(),
	);
	void schedule.run();
	const closeFunction = async () => {
		schedule.end();
		if (schedules.get(key) !== schedule) return;
		schedules.delete(key);
		knownEvents.delete(key);
	};
	return { closeFunction };
}

/** The looks of the published triggers of this process, by workflow and node. */
const schedules = new Map<string, Schedule>();

/** n8n was too busy for a delivery, so the trigger looks earlier than scheduled, if it looks in this process. */
export function pollSoon(context: IWebhookFunctions): void {
	void schedules.get(nodeOf(context))?.runSoon();
}

/** How far the looks of a trigger have come. Times are milliseconds since 1970. */
interface Progress {
	startedAt: number;
	/** When the last full look began. */
	lastFull: number;
	/** The date of the newest entry by the service's clock: now, and at the first look. */
	newest: number;
	firstNewest?: number;
	/** The date of the newest attempt, if it arrived. */
	arrivedAt: number;
	sortedBy?: WindowContents['sortedBy'];
}

/** The looks of a trigger, from its publication to its end. */
class Poller {
	readonly known = new KnownEvents();

	private readonly rules: Omit<LookRules, 'isFull'> & { filter: EventFilter };

	private readonly registration: RegistrationCheck;

	private readonly alarms: Alarms;

	private readonly progress: Progress = {
		startedAt: Date.now(),
		lastFull: -Infinity,
		newest: -Infinity,
		arrivedAt: -Infinity,
	};

	// Parameters are read once: n8n evaluates expressions only while it activates the trigger, not on schedule
	// (`releaseIsolate` in `workflow-trigger-activator.js` of n8n).
	constructor(
		private readonly context: ITriggerFunctions,
		private readonly signal: AbortSignal,
	) {
		const options = context.getNodeParameter('options', {}) as { lookbackHours?: number };
		const hours = Number(options.lookbackHours);
		this.rules = {
			windowMs: (hours > 0 ? hours : 24) * HOUR_MS,
			isBatched: context.getNodeParameter('startWorkflow', 'eachEvent') === 'allNewEvents',
			filter: readFilter((name, fallback) => context.getNodeParameter(name, fallback)),
		};
		this.registration = new RegistrationCheck(context, desiredWebhook(context));
		this.alarms = new Alarms(async (items) => signal.aborted || (await this.emit(items)));
	}

	/** Looks once. It never throws. */
	async run(): Promise<void> {
		let service: Service | undefined;
		try {
			for (const endsAt = Date.now() + MAX_OUTAGE_MS; ; await sleep(OUTAGE_PAUSE_MS)) {
				if (this.signal.aborted) return;
				try {
					service = await Service.connect(this.context, { signal: this.signal });
					await this.lookOnce(service);
					break;
				} catch (error) {
					const { isOutage, retryAfterMs = 0 } = toServiceError(error);
					if (!isOutage || Date.now() + retryAfterMs > endsAt) rethrow(error as Error);
				}
			}
			this.alarms.update('outage', undefined);
			this.alarms.update('failure', undefined);
			raiseForAccount(service.account, false);
		} catch (error) {
			const { isOutage, isLogin, status } = toServiceError(error);
			// What is wrong with an account is told by one of its triggers.
			const isAccount = isLogin && status === 401 && service !== undefined;
			if (isAccount && !raiseForAccount(service?.account ?? '', true)) return;
			// Each outage has another reason, and all of them end by themselves.
			this.alarms.update(isOutage ? 'outage' : 'failure', alarmFor(error));
		}
	}

	private async lookOnce(service: Service): Promise<void> {
		const state = readOwnState(this.context);
		let { webhookId } = state;
		let failure: unknown;
		if (!this.isBeingPublished(state)) {
			try {
				const isPublished = () => !this.signal.aborted;
				webhookId = await this.registration.check(service, isPublished, this.progress);
			} catch (error) {
				// The logs have the events, and may be available.
				failure = error;
			}
		}
		if (webhookId && !this.signal.aborted) await this.lookAt(service, webhookId, state);
		this.alarms.update('registration', this.registration.alarm);
		if (failure !== undefined) throw failure;
	}

	/**
	 * On publication, n8n runs the hooks that register the webhook at the same time as `trigger`
	 * (`workflow-trigger-activator.js` of n8n). Until they are done, looks don't touch the webhook.
	 */
	private isBeingPublished({ registeredAt = 0 }: RegistrationState): boolean {
		const { startedAt } = this.progress;
		return registeredAt < startedAt && Math.abs(Date.now() - startedAt) < PUBLICATION_MS;
	}

	private async lookAt(
		service: Service,
		webhookId: string,
		state: RegistrationState,
	): Promise<void> {
		const { rules, progress, known } = this;
		const { windowMs, filter } = rules;
		const now = Date.now();
		const isFirst = progress.lastFull === -Infinity;
		const isFull = now - progress.lastFull >= FULL_LOOK_MS;
		const start = now - windowMs;
		const ownSince = state.since ?? -Infinity;
		const deep = isFirst ? now - OVERDUE_MS : progress.lastFull - windowMs;
		const found = await readWindow(service, webhookId, {
			filter,
			ownSince,
			start,
			since: Math.max(
				isFull ? Math.min(start - windowMs, deep) : Math.max(start, progress.newest - OVERLAP_MS),
				ownSince,
			),
			isDeep: isFirst || progress.lastFull < start,
			sortedBy: isFull ? undefined : progress.sortedBy,
		});
		if (this.signal.aborted) return;
		const { events, failure } = found;
		known.see(found.logged, now, 2 * Math.max(windowMs, OVERDUE_MS));
		const { covered, uncovered, overdue, isPart } = look(events, known, now, { ...rules, isFull });
		void this.start(covered);
		void this.start(uncovered, 'uncovered');
		void this.start(overdue, 'overdue');

		progress.newest = Math.max(progress.newest, found.newest, newestAttempt(events));
		progress.firstNewest ??= progress.newest;
		progress.arrivedAt = isArriving(events, -Infinity) ? newestAttempt(events) : -Infinity;
		progress.sortedBy = found.sortedBy;
		if (failure) rethrow(failure as Error);
		// What waits is found by a full look.
		if (isPart) progress.lastFull = Math.min(progress.lastFull, now - FULL_LOOK_MS);
		else if (isFull) progress.lastFull = now;
		this.reportUnreadable(found, isFull);
		this.reportDeliveries(events, state);
	}

	/** Starts an execution with events. If n8n couldn't begin with it, the next look has them again. */
	private async start(events: WindowEvent[], doubt?: Doubt): Promise<void> {
		if (events.length === 0) return;
		this.known.handle(events.map(({ key }) => key));
		const id = randomUUID();
		const items = events.map(({ payload, time }) =>
			envelope(payload, id, { ...(doubt && { doubt }), loggedAt: time }),
		);
		if (!(await this.emit(items))) this.known.release(events);
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

	/** Reports entries that only a look can emit, if they have no event that can be read. */
	private reportUnreadable({ unreadable }: WindowContents, isFull: boolean): void {
		const { isBatched } = this.rules;
		const count = unreadable.filter((log) => isBatched || !isDelivered(log)).length;
		if (count > 0) this.alarms.update('unreadable', userMessage('entriesUnreadable', { count }));
		else if (isFull) this.alarms.update('unreadable', undefined);
	}

	/** Reports that deliveries don't arrive, once for each reason until one does. */
	private reportDeliveries(
		events: WindowEvent[],
		{ registeredAt = 0, address = '' }: RegistrationState,
	): void {
		const { firstNewest = -Infinity, startedAt } = this.progress;
		const since = Math.max(firstNewest, Math.max(startedAt, registeredAt) + FIRST_DELIVERIES_MS);
		if (isArriving(events, since)) {
			for (const code of DELIVERY_ALARMS) this.alarms.update(code, undefined);
			return;
		}
		const alarm = deliveryAlarm(events, since, address, this.registration);
		if (alarm && alarm.code !== this.registration.alarm?.code)
			this.alarms.update(alarm.code, alarm);
	}
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
