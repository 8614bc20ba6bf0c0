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
import type { Told } from '../service/messages';
import { Service } from '../service/transport';
import { DELIVERED, FAILED } from '../service/vocabulary';
import { eventKey, isWanted, readFilter, type EventFilter } from './event';
import { handOver, problemItem } from './giveOut';
import { ownRegistration, type Registration } from './keptRegistration';
import { payloadIn, timeOf, writtenAt } from './logEntry';
import { readLogPages, type LogFilters } from './logPages';
import { tell } from './messages';
import { repair, upkeepOf, type Upkeep } from './upkeep';

/** How often the service's logs are read, as cron expressions. The seconds spread the triggers over a minute. */
const SCHEDULES: Record<string, (second: number) => string> = {
	everyMinute: (second) => `${second} * * * * *`,
	every5Minutes: (second) => `${second} */5 * * * *`,
	every15Minutes: (second) => `${second} */15 * * * *`,
	everyHour: (second) => `${second} ${second} * * * *`,
};

/** How many events of the window are looked at. It is less than a trigger remembers, so it knows all it gave out. */
const MAX_EVENTS_OF_WINDOW = 20_000;

/** How many executions of missed events run at once. */
const MAX_UNDER_WAY = 10;

/** After this time an execution no longer makes the others wait, though it is still running. */
const PATIENCE_MS = 30_000;

const HOUR_MS = 3_600_000;

/** How often the events that were delivered to n8n are looked at as well: every hour, where a turn may be early. */
const FULL_LOOK_MS = HOUR_MS - 60_000;

/** An event that was delivered less than this ago may still be on its way through n8n. */
const ON_ITS_WAY_MS = 10 * 60_000;

/** So long after a failed attempt the service may still try again. Under load most failed attempts are only late. */
const TRIED_AGAIN_MS = 20_000;

/** By then n8n has given up a publication: after 84 seconds (`workflow-publication-outbox-consumer.js` of n8n). */
const PUBLICATION_MS = 90_000;

/** How much further back a trigger looks at its start, only to report what came while nobody looked. */
const OVERDUE_MS = 7 * 24 * HOUR_MS;

/** An event of the window. */
interface Logged {
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
export async function catchUp(context: ITriggerFunctions): Promise<ITriggerResponse> {
	const schedule = SCHEDULES[String(context.getNodeParameter('catchUp', 'every5Minutes'))];
	if (schedule === undefined || context.getMode() === 'manual') return {};
	const turns = new CatchUp(context);
	const { id } = context.getNode();
	const second = createHash('sha256').update(id).digest()[0] % 60;
	context.helpers.registerCron(
		{
			expression: schedule(second) as Parameters<
				typeof context.helpers.registerCron
			>[0]['expression'],
		},
		() => void turns.look(),
	);
	void turns.look();
	return { closeFunction: async () => turns.end() };
}

/** A trigger from its publication until it ends: its turns, and what they have handed over. */
class CatchUp {
	// Read once: n8n can evaluate expressions only while it activates the trigger, not when it calls on
	// schedule (`releaseIsolate` in `workflow-trigger-activator.js` of n8n).
	private readonly filter: EventFilter;

	private readonly upkeep: Upkeep;

	private readonly isTogether: boolean;

	private readonly windowMs: number;

	/** The keys of the events that this object has handed over, while they are in the window. */
	private readonly handedOver = new Set<string>();

	private readonly missed: Logged[] = [];

	private underWay = 0;

	private isLooking = false;

	private isEnded = false;

	/** Whether the logs have not been read yet. */
	private isFirst = true;

	private lastFullLook = -Infinity;

	private readonly startedAt = Date.now();

	/** What was wrong with the logs when they were last read whole. */
	private finding?: Told;

	/** The problem that was told last; empty when all is well again. */
	private told = '';

	constructor(private readonly context: ITriggerFunctions) {
		this.filter = readFilter((name, fallback) => context.getNodeParameter(name, fallback));
		this.upkeep = upkeepOf(context);
		this.isTogether = context.getNodeParameter('startWorkflow', 'each') === 'together';
		const options = context.getNodeParameter('options', {}) as { lookBackHours?: number };
		const hours = Number(options.lookBackHours);
		this.windowMs = (hours > 0 ? hours : 24) * HOUR_MS;
	}

	end(): void {
		this.isEnded = true;
		this.missed.length = 0;
	}

	/** One turn. It never throws, because n8n's schedule has nobody to tell. */
	async look(): Promise<void> {
		if (this.isLooking || this.isEnded) return;
		this.isLooking = true;
		try {
			const problem = await this.turn();
			this.tell(problem);
			this.isFirst = false;
		} catch (error) {
			this.tell(problemOf(error));
		} finally {
			this.isLooking = false;
		}
	}

	private async turn(): Promise<Told | undefined> {
		const service = await Service.connect(this.context);
		const kept = ownRegistration(this.context);
		const { webhookId, problem } = this.isBeingPublished(kept)
			? { ...kept, problem: undefined }
			: await repair(this.context, service, this.upkeep, () => !this.isEnded).catch(
					(error: unknown) => ({ webhookId: kept.webhookId, problem: problemOf(error) }),
				);
		if (!webhookId) return problem;
		const now = Date.now();
		const isFullLook = this.isTogether || now - this.lastFullLook >= FULL_LOOK_MS;
		const failed = { webhookId, status: FAILED };
		if (!isFullLook && !(await this.readLogs(service, failed)).some(this.isOpen)) {
			return problem ?? this.finding;
		}
		const events = await this.readLogs(service, { webhookId });
		if (this.isEnded) return problem;

		const since = now - this.windowMs;
		const window = events.filter(({ time }) => time >= since);
		const inWindow = new Set(window.map(({ key }) => key));
		for (const key of this.handedOver) if (!inWindow.has(key)) this.handedOver.delete(key);
		if (this.isFirst) this.tellOverdue(events.filter(({ time }) => time < since));
		this.giveOut(window.slice(-MAX_EVENTS_OF_WINDOW), isFullLook);
		this.finding = this.refusal(window) ?? this.gap(window.length, now);
		if (isFullLook) this.lastFullLook = now;
		return problem ?? this.finding;
	}

	/**
	 * At publication n8n runs the hooks that register the webhook at the same time as `trigger`
	 * (`workflow-trigger-activator.js` of n8n). Until they have, a turn leaves the webhook to them.
	 */
	private isBeingPublished({ registeredAt = 0 }: Registration): boolean {
		return registeredAt < this.startedAt && Math.abs(Date.now() - this.startedAt) < PUBLICATION_MS;
	}

	private readonly isOpen = ({ key }: Logged): boolean => !this.handedOver.has(key);

	/** The events that the trigger wants, each once and the oldest first. */
	private async readLogs(service: Service, filters: LogFilters): Promise<Logged[]> {
		const { since: ownSince = 0 } = ownRegistration(this.context);
		const furthest = Date.now() - this.windowMs - (this.isFirst ? OVERDUE_MS : 0);
		const since = Math.max(furthest, ownSince);
		const byKey = new Map<string, Logged>();
		for await (const log of readLogPages(service, filters, { since })) {
			const payload = payloadIn(log);
			const time = timeOf(log);
			if (payload === undefined || time < since || !isWanted(this.filter, payload)) continue;
			const key = eventKey(payload);
			const known = byKey.get(key) ?? { key, time, payload, isDelivered: false, last: log };
			known.isDelivered ||= log.status === DELIVERED;
			known.time = Math.min(known.time, time);
			if (timeOf(log) > timeOf(known.last)) known.last = log;
			byKey.set(key, known);
		}
		return [...byKey.values()].sort((a, b) => a.time - b.time);
	}

	private giveOut(events: Logged[], isFullLook: boolean): void {
		const mayBeOnItsWay = !this.isFirst && !this.isTogether;
		const together: Logged[] = [];
		for (const event of events.filter(this.isOpen)) {
			if (!this.isTogether && !event.isDelivered) {
				if (!this.isFirst && wasTriedWithin(TRIED_AGAIN_MS, event)) continue;
				this.missed.push(event);
			} else {
				if (!isFullLook || (mayBeOnItsWay && wasTriedWithin(ON_ITS_WAY_MS, event))) continue;
				together.push(event);
			}
			this.handedOver.add(event.key);
		}
		if (together.length > 0) void this.start(together);
		while (this.underWay < MAX_UNDER_WAY && this.missed.length > 0) void this.pace();
	}

	/** Hands over missed events one after the other, each in an execution of its own. */
	private async pace(): Promise<void> {
		this.underWay++;
		for (let event = this.missed.shift(); event; event = this.missed.shift()) {
			await Promise.race([this.start([event]), sleep(PATIENCE_MS)]);
		}
		this.underWay--;
	}

	/**
	 * Starts an execution with events, and resolves when it has ended, however it ended. If n8n could not
	 * begin with it, the events are handed over again at a later turn.
	 */
	private async start(events: Logged[]): Promise<void> {
		const id = randomUUID();
		const isBegun = await this.emit(events.map(({ payload }) => handOver(payload, id)));
		if (!isBegun) for (const { key } of events) this.handedOver.delete(key);
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
			this.context.logger.warn(tell('notStarted', { node, reason }).message);
			return false;
		}
	}

	/** Reports events that nobody looked for in time. `execute` leaves out those that were given out. */
	private tellOverdue(events: Logged[]): void {
		const overdue = events
			.filter(({ isDelivered }) => this.isTogether || !isDelivered)
			.slice(-MAX_EVENTS_OF_WINDOW);
		if (overdue.length > 0) {
			const id = randomUUID();
			void this.emit(overdue.map(({ payload }) => handOver(payload, id, { isOverdue: true })));
		}
	}

	/** Tells a problem once, by an execution that fails: the workflow's owner sees nothing else in n8n. */
	private tell(problem: Told | undefined): void {
		if (this.isEnded) return;
		const text = problem?.message ?? '';
		if (problem && text !== this.told) {
			void this.emit([problemItem(problem)]).then((isBegun) => {
				if (!isBegun && this.told === text) this.told = '';
			});
		}
		this.told = text;
	}

	/** The problem that this node refuses deliveries; undefined when it is not known to. */
	private refusal(events: Logged[]): Told | undefined {
		let newest: IDataObject | undefined;
		for (const { last } of events) if (!newest || timeOf(last) >= timeOf(newest)) newest = last;
		if (!newest || timeOf(newest) < this.startedAt) return undefined;
		if (newest.status === DELIVERED || Number(newest.statusCode) !== 401) return undefined;
		return tell('deliveriesRefused');
	}

	/** The problem that events may be missing because the window does not reach them. */
	private gap(count: number, now: number): Told | undefined {
		const hours = this.windowMs / HOUR_MS;
		const last = Math.max(this.lastFullLook, this.startedAt);
		// What may have been on its way then was left for now.
		if (now - last + (this.isTogether ? 0 : ON_ITS_WAY_MS) > this.windowMs) {
			const since = new Date(last).toISOString();
			return tell('logsNotReadInTime', { since, hours });
		}
		if (count > MAX_EVENTS_OF_WINDOW) {
			return tell('tooManyEvents', { hours, max: MAX_EVENTS_OF_WINDOW, count });
		}
		return undefined;
	}
}

/** Whether the newest attempt was so short ago. If its date cannot be read or is in the future, it was not. */
function wasTriedWithin(milliseconds: number, { last }: Logged): boolean {
	const age = Date.now() - writtenAt(last);
	return age >= 0 && age < milliseconds;
}

/**
 * Whether n8n began with the execution. Where a worker was killed it counts as not begun, whichever nodes
 * had run: n8n then gives an error that names none (`processError` in `workflow-runner.js` of n8n).
 */
function hasBegun({ status, data }: Partial<IRun>): boolean {
	return status !== 'error' || data?.resultData.lastNodeExecuted !== undefined;
}

function problemOf(error: unknown): Told {
	const { message: reason, advice = '' } = toServiceError(error);
	const told = tell('notCaughtUp', { reason, advice });
	return { ...told, advice: told.advice?.trim() };
}
