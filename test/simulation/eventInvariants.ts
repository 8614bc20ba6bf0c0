/* eslint-disable @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { isDeepStrictEqual } from 'node:util';
import type { IDataObject } from 'n8n-workflow';

import type { Owed } from './eventService';
import { type EventCode, BEGINNING } from './package';
import type { ScenarioRun } from './events';
import { HOUR_MS, MINUTE_MS } from './clock';
import { isDocumented, markIn, type TransactionEvent } from './transactionEvents';
import type { Execution, Trigger } from './trigger';

/*
 * What a user of the trigger may expect, judged from what the scenario knows: what happened at the service, and what n8n's
 * executions, its log and the service show afterwards.
 */

/** Longer than any request or restart takes. */
export const IDLE_MS = 5 * MINUTE_MS;

/** How many events a look hands over if pages are small. */
export const MAX_PIECE = 6;

/** The code of executions that report events. */
const UNDECIDABLE: EventCode = 'eventsUndecidable';

const WEBHOOK_MISSING: EventCode = 'webhookMissing';

/** Figures over all scenarios. */
export class Figures {
	executions = 0;

	events = 0;

	owed = 0;

	kills = 0;

	retried = 0;

	webhooks = 0;

	/** Requests that the service rejected because they were too many. */
	rateLimited = 0;

	/** Starts of n8n while the service could not be reached. */
	startsInOutage = 0;

	/** Starts of n8n after which it found events that nobody had delivered to it. */
	startsWithMissed = 0;

	/** How often somebody asked for the status of all payments, and how often a final status was not covered. */
	lookedUp = 0;

	uncovered = 0;

	/** Events that a killed worker was handling. n8n's log names them, and a person replays them. */
	needHand = 0;

	/** Events that were reported because a full memory could not decide them. */
	undecidable = 0;

	/** Events that were older than the lookback window before a poll could find them. */
	tooOld = 0;

	/** The most requests that a trigger sent at rest, as a share of what it may send. */
	shareAtRest = 0;

	/** Scenarios in the case of docs/reliability.md without the lock, and events that were handled twice in them. */
	scenariosWithWindow = 0;

	handledTwiceInWindow = 0;
}

/** Checks the invariants of a scenario that has ended. */
export class Invariants {
	private readonly found: string[] = [];

	constructor(
		private readonly scenarioRun: ScenarioRun,
		private readonly figures: Figures,
	) {}

	checkInvariants(): string[] {
		const { service, triggers, installations, violations } = this.scenarioRun;
		if (this.isWindow) this.figures.scenariosWithWindow += 1;
		this.found.push(...violations, ...service.trespasses);
		for (const home of installations) this.found.push(...home.violations);
		for (const trigger of triggers) {
			this.isRegistered(trigger);
			this.isMissingIfReported(trigger);
			this.isTrue(trigger);
			this.onceEach(trigger);
			this.startsNothingInVain(trigger);
		}
		for (const owed of service.owed) this.isHandled(owed);
		return this.found;
	}

	/** The case of docs/reliability.md without the lock: Remove Duplicates in the workflow, and more than one worker. */
	private get isWindow(): boolean {
		const { removeDuplicates, isQueue } = this.scenarioRun.scenario.n8n;
		return removeDuplicates && isQueue;
	}

	private isRegistered(trigger: Trigger): void {
		for (const kind of [trigger.name, `${trigger.name} test`]) {
			const own = this.scenarioRun.service.webhooks.filter(
				({ creator, isTakenAway }) => creator === kind && !isTakenAway,
			);
			if (own.length > 1) this.found.push(`${kind} has ${own.length} webhooks`);
		}
		const faults = this.scenarioRun.faultsOf(trigger);
		if (faults.length > 0) {
			this.found.push(`at the end, ${trigger.name}: the ${faults.join(', the ')}`);
		}
	}

	/** A webhook that nobody has touched is never reported as missing, also while n8n registers it. */
	private isMissingIfReported(trigger: Trigger): void {
		const { mayMissWebhook } = this.scenarioRun;
		const isReported = this.scenarioRun
			.executionsOf(trigger)
			.some(({ code }) => code === WEBHOOK_MISSING);
		if (isReported && !mayMissWebhook.has(trigger)) {
			this.found.push(`${trigger.name} reported that its webhook is missing, but it was not`);
		}
	}

	/** A trigger emits only events that happened and that it wants. */
	private isTrue(trigger: Trigger): void {
		const { verifyDeliveries } = this.scenarioRun.settingsOf(trigger);
		const sent = new Set(
			this.scenarioRun.service.owed
				.filter(({ webhook }) => webhook.creator === trigger.name)
				.map(({ event }) => event),
		);
		for (const { id, given = [] } of this.scenarioRun.executionsOf(trigger)) {
			for (const payload of given) {
				const event = this.eventOf(payload);
				if (payload.isForged === true && !verifyDeliveries) continue;
				if (!event || !isSame(event, payload)) {
					this.found.push(`${id} emitted an event that never happened: ${JSON.stringify(payload)}`);
				} else if (!this.wants(trigger, event)) {
					this.found.push(`${id} emitted ${event.name}, which ${trigger.name} does not want`);
				} else if (!sent.has(event) && !this.scenarioRun.misled.has(trigger)) {
					this.found.push(`${id} emitted ${event.name} of the webhook of somebody else`);
				}
			}
		}
	}

	private eventOf(payload: IDataObject): TransactionEvent | undefined {
		const mark = markIn(payload);
		return this.scenarioRun.events.find((one) => one.mark === mark);
	}

	/** A trigger emits an event in one execution only. Its retries count as the same execution. */
	private onceEach(trigger: Trigger): void {
		const roots = new Map<string, Set<Execution>>();
		const retried = new Set<Execution>();
		for (const execution of this.scenarioRun.executionsOf(trigger)) {
			const { id, given = [], root } = execution;
			if (execution !== root) retried.add(root);
			const names = given.map((payload) => markIn(payload) ?? String(payload.externalReference));
			if (new Set(names).size < names.length) {
				this.found.push(`${id} emitted an event twice: ${names.join(', ')}`);
			}
			for (const name of names) roots.set(name, (roots.get(name) ?? new Set()).add(root));
		}
		for (const [name, takers] of roots) {
			// One that is killed while it asks may take an event that another one has.
			if (takers.size - [...takers].filter((one) => retried.has(one)).length < 2) continue;
			if (this.isWindow && this.mayBeOverwritten([...takers])) {
				this.figures.handledTwiceInWindow += takers.size - 1;
			} else {
				const ids = [...takers].map(({ id }) => id).join(', ');
				this.found.push(`${trigger.name} emitted ${name} ${takers.size} times: ${ids}`);
			}
		}
	}

	/**
	 * A delivery that a filter leaves out starts nothing. A check starts no execution with an event that an earlier check
	 * has emitted, nor with events that were delivered, unless n8n may have lost them, which is looked for once an hour.
	 */
	private startsNothingInVain(trigger: Trigger): void {
		const { scenario, installationOf } = this.scenarioRun;
		const home = installationOf.call(this.scenarioRun, trigger);
		const all = this.scenarioRun.executionsOf(trigger).filter((one) => one.root === one);
		for (const { id, startedBy, items } of all) {
			const event = this.eventOf((items[0]?.json.payload ?? {}) as IDataObject);
			if (startedBy === 'webhook' && event && !this.wants(trigger, event)) {
				this.found.push(`${id} started with ${event.mark}, which ${trigger.name} does not want`);
			}
		}
		if (scenario.database.faults.some((fault) => fault !== null)) return;
		for (const life of home.lives.filter((one) => one.trigger === trigger && !one.isShared)) {
			const own = all.filter(
				({ startedBy, emittedAt: at }) =>
					startedBy === 'trigger' && life.from <= at && at < life.to,
			);
			// If a short window grows with the difference between the clocks, it has earlier events again. One that reads
			// the logs of another webhook at first may get an event from there before its own logs have it.
			const isShort = this.scenarioRun.settingsOf(trigger).lookbackHours < 24;
			if (!isShort && !this.scenarioRun.misled.has(trigger)) this.emitsOnce(trigger, own);
			this.emitsMissedOnly(trigger, own);
		}
	}

	private emitsOnce(trigger: Trigger, executions: Execution[]): void {
		const known = new Map<string, Execution>();
		for (const execution of executions) {
			for (const { json } of execution.items) {
				const mark = markIn((json.payload ?? {}) as IDataObject);
				if (mark === undefined) continue;
				const earlier = known.get(mark);
				known.set(mark, execution);
				// What n8n lost, or what failed with a report of others, comes again.
				const isEmitted =
					earlier?.given !== undefined && ['success', 'error'].includes(earlier.status);
				if (isEmitted && earlier !== execution) {
					this.found.push(
						`${execution.id} of ${trigger.name} starts with ${mark}, as ${earlier.id} did`,
					);
				}
			}
		}
	}

	/** The first execution with events has all those of the window. */
	private emitsMissedOnly(trigger: Trigger, executions: Execution[]): void {
		const { service, settingsOf, scenario } = this.scenarioRun;
		if (settingsOf.call(this.scenarioRun, trigger).startWorkflow === 'allNewEvents') return;
		const odd = new Set(
			service.visibleRows().flatMap(({ oddity, event }) => (oddity && event ? [event] : [])),
		);
		const owed = service.owed.filter(({ webhook }) => webhook.creator === trigger.name);
		const isDelivered = (event: TransactionEvent | undefined, at: number) => {
			const own = owed.filter((one) => one.event === event);
			const attempts = own.flatMap((one) => one.attempts);
			return (
				event !== undefined &&
				!odd.has(event) &&
				attempts.length > 0 &&
				attempts.every(({ code, at: answered }) => code === 200 && answered < at)
			);
		};
		const [, ...later] = executions.filter(({ items }) => items[0]?.json.payload !== undefined);
		const late = later.filter(({ at, items }) =>
			items.every(({ json }) => isDelivered(this.eventOf((json.payload ?? {}) as IDataObject), at)),
		);
		for (const [index, { id, at }] of late.entries()) {
			const before = late[index - 1]?.at ?? -Infinity;
			// A check that waits for the service emits late.
			const waits = scenario.service.requestsPerMinute > 0 || this.scenarioRun.hasFaults;
			const between = HOUR_MS - (waits ? 15 : 2) * MINUTE_MS;
			// A look leaves others to the next one.
			const isRest =
				(scenario.n8n.smallPages || scenario.n8n.smallMemory) &&
				executions.some(
					(one) => one.at < at && at - one.at < HOUR_MS && one.items.length >= MAX_PIECE,
				);
			// An execution has the others if one has reported some.
			const isSecond = executions.some(
				({ code = '', endedAt }) =>
					code === UNDECIDABLE && endedAt <= at && at - endedAt < MINUTE_MS,
			);
			if (isRest || isSecond) continue;
			if (at - before < between) {
				this.found.push(
					`${id} of ${trigger.name} starts with delivered events as if they were missed`,
				);
			}
		}
	}

	/** Without the lock, only executions that run at the same moment in several processes overwrite each other's claims. */
	private mayBeOverwritten(takers: Execution[]): boolean {
		const { workflow } = takers[0].trigger;
		const all = this.scenarioRun.installations
			.flatMap(({ executions }) => executions)
			.filter((one) => one.trigger.workflow === workflow);
		return all.some(
			(one) =>
				takers.includes(one.root) &&
				all.some(
					(other) =>
						other.process !== one.process && other.at <= one.endedAt && one.at <= other.endedAt,
				),
		);
	}

	/** What nobody knows is not left out: a status that is not documented, and an event without a type. */
	private wants(trigger: Trigger, { status, transaction: { type } }: TransactionEvent): boolean {
		const { events } = this.scenarioRun.settingsOf(trigger);
		const types = this.scenarioRun.typesOf(trigger);
		return (
			(!isDocumented(status) || events.includes('all') || events.includes(status)) &&
			(types.length === 0 || type === '' || types.includes(type))
		);
	}

	/** An event that the service owed a trigger is handled, or n8n's log names it. */
	private isHandled(owed: Owed): void {
		const { event, webhook, at } = owed;
		const trigger = this.scenarioRun.triggers.find(({ name }) => name === webhook.creator);
		if (!trigger || !this.wants(trigger, event)) return;
		// No trigger reads its logs any more.
		if (webhook.isTakenAway) return;
		this.figures.owed += 1;
		const executions = this.scenarioRun.executionsOf(trigger);
		const isOf = (payload: IDataObject) => markIn(payload) === event.mark;
		if (executions.some(({ given, isHandled }) => isHandled && given?.some(isOf))) return;
		// The name of an event without an identifier is made from its content.
		const name = event.name.includes(':') ? event.name : '';
		const isNamed = executions.some(
			({ status, log, items }) =>
				status === 'dropped' &&
				log.some((line) => line.includes(name)) &&
				items.some(({ json }) => isOf(json.payload as IDataObject)),
		);
		const isReported = executions.some(
			({ code, message, items }) =>
				code === UNDECIDABLE &&
				(isNamedIn(message, event) || message.includes('(no ID)')) &&
				items.some(({ json }) => isOf(json.payload as IDataObject)),
		);
		if (isNamed) this.figures.needHand += 1;
		else if (isReported) this.figures.undecidable += 1;
		else if (this.isTooOld(trigger, owed)) this.figures.tooOld += 1;
		else {
			this.found.push(`${trigger.name} never handled ${event.name}, which happened after ${at} ms`);
		}
	}

	/** Whether it was older than the lookback window before the first poll in which nothing failed. */
	private isTooOld(trigger: Trigger, { date, isDelivered }: Owed): boolean {
		const { calmFrom, scenario } = this.scenarioRun;
		const { lookbackHours, startWorkflow } = this.scenarioRun.settingsOf(trigger);
		const isSeenAtOnce = startWorkflow === 'allNewEvents' || !isDelivered;
		const within = isSeenAtOnce ? 0 : HOUR_MS;
		const looked =
			BEGINNING +
			calmFrom +
			scenario.n8n.offset +
			this.scenarioRun.periodOf(trigger) +
			within +
			2 * IDLE_MS;
		return date < looked - lookbackHours * HOUR_MS;
	}
}

/** Whether a message names the transaction of an event, in whatever letters its log entry has the ID. */
export function isNamedIn(message: string, { transaction }: TransactionEvent): boolean {
	return message.toLowerCase().includes(transaction.id.toLowerCase());
}

function isSame({ payload, respelled }: TransactionEvent, other: IDataObject): boolean {
	return isDeepStrictEqual(payload, other) || isDeepStrictEqual(respelled, other);
}
