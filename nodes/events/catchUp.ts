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
import { ownRegistration } from './keptRegistration';
import { payloadIn, timeOf, writtenAt } from './logEntry';
import { readLogPages, type LogFilters } from './logPages';
import { tell } from './messages';
import { repair, upkeepOf, type Upkeep } from './upkeep';

/** How often the service's logs are read, in n8n's notation. The seconds are spread over the triggers. */
const SCHEDULES: Record<string, (second: number) => string> = {
	everyMinute: (second) => `${second} * * * * *`,
	every5Minutes: (second) => `${second} */5 * * * *`,
	every15Minutes: (second) => `${second} */15 * * * *`,
	everyHour: (second) => `${second} ${second} * * * *`,
};

/** So many events of the window are looked at, fewer than a trigger remembers: what has been given out is known. */
const MAX_EVENTS_OF_WINDOW = 20_000;

/** So many executions of missed events are under way at once. */
const MAX_UNDER_WAY = 10;

/** An execution that waits for something makes the others wait no longer than this. */
const PATIENCE_MS = 30_000;

const HOUR_MS = 3_600_000;

/** From time to time, what was delivered to n8n is looked at as well. */
const FULL_LOOK_MS = HOUR_MS;

/** What was delivered a moment ago is still on its way through n8n. */
const ON_ITS_WAY_MS = 10 * 60_000;

/** After a failed attempt the service may try again at once. Under load most attempts that fail are only late. */
const TRIED_AGAIN_MS = 20_000;

/** At its start a trigger looks so much further back, only to tell what came while nobody looked. */
const OVERDUE_MS = 7 * 24 * HOUR_MS;

/** An event of the window. */
interface Logged {
	key: string;
	/** Of the first attempt, in milliseconds since 1970. */
	time: number;
	payload: IDataObject;
	/** Whether any attempt was answered as received. */
	isDelivered: boolean;
	/** The entry of the newest attempt. */
	last: IDataObject;
}

/**
 * The trigger's `trigger`: reads the service's logs on a schedule, for the events that did not arrive,
 * and hands them over to `execute`. It keeps nothing but what is in this object: which events are new
 * is decided in `execute`, and the window is as long as ever, so that no clock makes it blind.
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

/** One publication of a trigger: its turns, one after the other, and what they have handed over. */
class CatchUp {
	// Read once: when n8n calls on schedule, it evaluates no expressions any more.
	private readonly filter: EventFilter;

	private readonly upkeep: Upkeep;

	private readonly isTogether: boolean;

	private readonly windowMs: number;

	/** By key: what this object has handed over, for as long as it is in the window. */
	private readonly handedOver = new Set<string>();

	private readonly missed: Logged[] = [];

	private underWay = 0;

	private isLooking = false;

	private isEnded = false;

	/** Until the logs were read. */
	private isFirst = true;

	private isJustPublished = true;

	private lastFullLook = -Infinity;

	private readonly startedAt = Date.now();

	private lastLook = this.startedAt;

	/** What was wrong with the logs when they were last read whole. */
	private finding?: Told;

	/** What was told last, until all is well again. */
	private told = '';

	constructor(private readonly context: ITriggerFunctions) {
		this.filter = readFilter((name, fallback) => context.getNodeParameter(name, fallback));
		this.upkeep = upkeepOf(context);
		this.isTogether = context.getNodeParameter('startWorkflow', 'each') === 'together';
		const options = context.getNodeParameter('options', {}) as { lookBackHours?: number };
		const hours = Number(options.lookBackHours ?? 24);
		this.windowMs = (hours > 0 ? hours : 24) * HOUR_MS;
	}

	end(): void {
		this.isEnded = true;
		this.missed.length = 0;
	}

	/** One turn. Never throws: n8n would have nobody to tell. */
	async look(): Promise<void> {
		if (this.isLooking || this.isEnded) return;
		this.isLooking = true;
		try {
			const problem = await this.turn();
			this.tell(problem);
			this.lastLook = Date.now();
			this.isFirst = false;
		} catch (error) {
			this.tell(problemOf(error));
		} finally {
			this.isLooking = false;
		}
	}

	private async turn(): Promise<Told | undefined> {
		// When it is published, n8n's hooks register the webhook at the same time.
		const { isJustPublished } = this;
		this.isJustPublished = false;
		const service = await Service.connect(this.context);
		const kept = ownRegistration(this.context);
		const { webhookId, problem } = isJustPublished
			? { ...kept, problem: undefined }
			: await repair(this.context, service, this.upkeep).catch((error: unknown) => ({
					webhookId: kept.webhookId,
					problem: problemOf(error),
				}));
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
		if (isFullLook) this.lastFullLook = now;
		this.finding = this.refusal(window) ?? this.gap(window.length);
		return problem ?? this.finding;
	}

	private readonly isOpen = ({ key }: Logged): boolean => !this.handedOver.has(key);

	/** The events that the trigger wants, the oldest first: each once. */
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

	/** Hands missed events over, each in an execution of its own, as others end. */
	private async pace(): Promise<void> {
		this.underWay++;
		for (let event = this.missed.shift(); event; event = this.missed.shift()) {
			await Promise.race([this.start([event]), sleep(PATIENCE_MS)]);
		}
		this.underWay--;
	}

	/** Resolves when the execution has ended, however it ended. What n8n could not begin with comes again. */
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

	/** What nobody looked for in time. Whether it was given out all the same, the memory knows. */
	private tellOverdue(events: Logged[]): void {
		const overdue = events
			.filter(({ isDelivered }) => this.isTogether || !isDelivered)
			.slice(-MAX_EVENTS_OF_WINDOW);
		if (overdue.length > 0) {
			const id = randomUUID();
			void this.emit(overdue.map(({ payload }) => handOver(payload, id, { isOverdue: true })));
		}
	}

	/** Tells it once, by an execution that fails: n8n shows nothing else to the person whose workflow it is. */
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

	/** Why deliveries do not come through, when it is this node that does not take them. */
	private refusal(events: Logged[]): Told | undefined {
		let newest: IDataObject | undefined;
		for (const { last } of events) if (!newest || timeOf(last) >= timeOf(newest)) newest = last;
		if (!newest || timeOf(newest) < this.startedAt) return undefined;
		if (newest.status === DELIVERED || Number(newest.statusCode) !== 401) return undefined;
		return tell('deliveriesRefused');
	}

	/** What the window does not reach. */
	private gap(count: number): Told | undefined {
		const hours = this.windowMs / HOUR_MS;
		if (Date.now() - this.lastLook > this.windowMs) {
			const since = new Date(this.lastLook).toISOString();
			return tell('logsNotReadInTime', { since, hours });
		}
		if (count > MAX_EVENTS_OF_WINDOW) {
			return tell('tooManyEvents', { hours, max: MAX_EVENTS_OF_WINDOW, count });
		}
		return undefined;
	}
}

/** Not where the date of the newest attempt cannot be read, or is in the future. */
function wasTriedWithin(milliseconds: number, { last }: Logged): boolean {
	const age = Date.now() - writtenAt(last);
	return age >= 0 && age < milliseconds;
}

/** Not where a worker was killed: n8n drops the execution, whether any node had run or not. */
function hasBegun({ status, data }: Partial<IRun>): boolean {
	return status !== 'error' || data?.resultData.lastNodeExecuted !== undefined;
}

function problemOf(error: unknown): Told {
	const { message: reason, advice = '' } = toServiceError(error);
	const told = tell('notCaughtUp', { reason, advice });
	return { ...told, advice: told.advice?.trim() };
}
