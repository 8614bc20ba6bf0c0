import { createHash } from 'node:crypto';
import type { Cron, ITriggerFunctions, ITriggerResponse, IWebhookFunctions } from 'n8n-workflow';

import { toServiceError } from '../service/errors';
import { userMessage } from '../messages/userMessage';
import { DAY_MS, HOUR_MS } from '../service/time';
import { Service } from '../service/transport';
import { readFilter, type EventFilter } from '../logs/event';
import { isDelivered } from '../logs/logEntry';
import { Alarms, reporters } from './alarms';
import { nodeOf } from './deduplication';
import { arrivedAt, deliveryAlarm, DELIVERY_ALARMS } from './deliveries';
import { Executions } from './executions';
import { look, readWindow, type WindowContents, type WindowEvent } from './look';
import { readOwnState } from './registration';
import { RegistrationCheck } from './repair';
import { published, Schedule } from './schedule';

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

/** A full look reads at most this far back from the one before: looks since then have had what is older. */
const MAX_REREAD_MS = DAY_MS;

/** How far back the first look reads: a week. */
const LOOKBACK_HOURS = 168;

/** n8n gives up a publication before this, after 84 seconds (`workflow-publication-outbox-consumer.js` of n8n). */
const PUBLICATION_MS = 90_000;

/**
 * The trigger's `trigger`: looks at the delivery logs on a schedule and starts executions with missed events.
 * `execute` decides which of them are new. Nothing is stored, not even how far was read: each full look covers the
 * whole window, so a wrong clock hides no event.
 */
export async function poll(context: ITriggerFunctions): Promise<ITriggerResponse> {
	const interval = String(context.getNodeParameter('checkForMissedEvents', 'every5Minutes'));
	const minutes = MINUTES[interval];
	if (minutes === undefined || context.getMode() === 'manual') return {};
	const executions = new Executions(context, () => schedule.runAgain());
	const poller = new Poller(context, executions);
	const schedule = new Schedule(async (signal) => await poller.run(signal));
	const key = nodeOf(context);
	published.set(key, { schedule, known: executions.known });
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
		poller.end();
		if (published.get(key)?.schedule === schedule) published.delete(key);
	};
	return { closeFunction };
}

/** n8n was too busy for a delivery, so the trigger looks earlier than scheduled, if it looks in this process. */
export function pollSoon(context: IWebhookFunctions): void {
	void published.get(nodeOf(context))?.schedule.runSoon();
}

/** What the last look found. Times are milliseconds since 1970. */
interface LastLook extends Pick<WindowContents, 'newest' | 'sortedBy'> {
	/** When the last full look began. */
	fullAt: number;
	/** The date of the newest entry at the first look, by the service's clock. */
	firstNewest?: number;
	/** The date of the newest attempt, if it arrived. */
	arrivedAt: number;
	/** Whether it ended in an outage of the service. */
	isOutage: boolean;
}

/** The looks of a trigger, from its publication to its end. */
class Poller {
	private readonly rules: {
		/** The length of the lookback window in milliseconds. */
		windowMs: number;
		isBatched: boolean;
		filter: EventFilter;
		startedAt: number;
	};

	private readonly registration: RegistrationCheck;

	private readonly alarms = new Alarms(async (alarm) => await this.executions.report(alarm));

	private last: LastLook = {
		fullAt: -Infinity,
		newest: -Infinity,
		arrivedAt: -Infinity,
		isOutage: false,
	};

	// Parameters are read once: n8n evaluates expressions only while it activates the trigger, not on schedule
	// (`releaseIsolate` in `workflow-trigger-activator.js` of n8n).
	constructor(
		private readonly context: ITriggerFunctions,
		private readonly executions: Executions,
	) {
		const options = context.getNodeParameter('options', {}) as { lookbackHours?: number };
		const hours = Number(options.lookbackHours);
		this.rules = {
			windowMs: (hours > 0 ? hours : LOOKBACK_HOURS) * HOUR_MS,
			isBatched: context.getNodeParameter('startWorkflow', 'eachEvent') === 'allNewEvents',
			startedAt: Date.now(),
			filter: readFilter((name, fallback) => context.getNodeParameter(name, fallback)),
		};
		this.registration = new RegistrationCheck(context);
	}

	/**
	 * Looks once. It never throws. Most outages end before the next look, so only the second in a row is reported.
	 *
	 * @param signal ends it once the trigger is no longer published
	 */
	async run(signal: AbortSignal): Promise<void> {
		const { isOutage: wasOutage } = this.last;
		let service: Service | undefined;
		try {
			service = await Service.connect(this.context, { signal });
			await this.lookOnce(service, signal);
			this.last.isOutage = false;
			this.alarms.update('outage', undefined);
			this.alarms.update('rejection', undefined);
			reporters.delete(service.account);
		} catch (error) {
			if (signal.aborted) return;
			const { isOutage, isLogin, status, message: reason, hint = '' } = toServiceError(error);
			this.last.isOutage = isOutage;
			if (isLogin && status === 401 && service) {
				if (!reporters.has(service.account)) reporters.set(service.account, this.alarms);
				if (reporters.get(service.account) !== this.alarms) return;
			}
			if (isOutage && !wasOutage) return;
			const alarm = userMessage('pollFailed', { reason, hint });
			// An outage ends by itself, so it must not hide a rejection that doesn't.
			const condition = isOutage ? 'outage' : 'rejection';
			this.alarms.update(condition, { ...alarm, hint: alarm.hint?.trim() });
		}
	}

	/** Leaves it to another trigger of the account to report a rejected login. */
	end(): void {
		for (const [account, alarms] of reporters)
			if (alarms === this.alarms) reporters.delete(account);
	}

	private async lookOnce(service: Service, signal: AbortSignal): Promise<void> {
		let { webhookId } = readOwnState(this.context);
		let failure: unknown;
		// On publication, n8n runs the hooks that register the webhook at the same time as `trigger`
		// (`workflow-trigger-activator.js` of n8n). Until they are done, looks don't touch the webhook.
		const isBeingPublished = Math.abs(Date.now() - this.rules.startedAt) < PUBLICATION_MS;
		if (!isBeingPublished) {
			// If it fails: the logs have the events, and may be available.
			const check = this.registration.check(service, signal, this.last);
			webhookId = (await check.catch((error: unknown) => void (failure = error))) ?? webhookId;
		}
		if (webhookId && !signal.aborted) await this.lookAt(service, signal, webhookId);
		if (signal.aborted) return;
		this.alarms.update('registration', this.registration.alarm);
		if (failure !== undefined) throw failure;
	}

	private async lookAt(service: Service, signal: AbortSignal, webhookId: string): Promise<void> {
		const { rules, last, executions } = this;
		const { windowMs, filter, isBatched } = rules;
		const now = Date.now();
		const isFull = now - last.fullAt >= FULL_LOOK_MS;
		const start =
			last.fullAt === -Infinity
				? rules.startedAt - windowMs
				: last.fullAt - Math.min(windowMs, MAX_REREAD_MS);
		const found = await readWindow(service, webhookId, filter, {
			since: isFull ? start : last.newest - OVERLAP_MS,
			sortedBy: isFull ? undefined : last.sortedBy,
		});
		if (signal.aborted) return;
		const { events } = found;
		const next = look(events, executions.known, now, { start, isBatched, isFull });
		void executions.start(next);
		executions.forget(start - DAY_MS);
		const newest = Math.max(last.newest, found.newest);
		this.last = {
			// What waits is found by a full look.
			fullAt: next.isPart ? Math.min(last.fullAt, now - FULL_LOOK_MS) : isFull ? now : last.fullAt,
			newest,
			firstNewest: last.firstNewest ?? newest,
			arrivedAt: arrivedAt(events),
			sortedBy: found.sortedBy,
			isOutage: last.isOutage,
		};
		this.reportUnreadable(found, isFull);
		this.reportDeliveries(events);
	}

	/** Reports entries that only a look can emit, if they have no event that can be read. */
	private reportUnreadable({ unreadable }: WindowContents, isFull: boolean): void {
		const { isBatched } = this.rules;
		const count = unreadable.filter((log) => isBatched || !isDelivered(log)).length;
		if (count > 0) this.alarms.update('unreadable', userMessage('entriesUnreadable', { count }));
		else if (isFull) this.alarms.update('unreadable', undefined);
	}

	/** Reports that deliveries don't arrive, once for each reason until one does. */
	private reportDeliveries(events: WindowEvent[]): void {
		const { firstNewest = -Infinity } = this.last;
		if (this.last.arrivedAt > firstNewest) {
			for (const code of DELIVERY_ALARMS) this.alarms.update(code, undefined);
			return;
		}
		const { address = '' } = readOwnState(this.context);
		const alarm = deliveryAlarm(events, firstNewest, address);
		// A lost secret is reported by itself.
		const isLost = this.registration.alarm?.code === 'secretLost';
		if (alarm && !(isLost && alarm.code === 'deliveriesRejected'))
			this.alarms.update(alarm.code, alarm);
	}
}
