import type { IDataObject } from 'n8n-workflow';

import { HOUR_MS, MINUTE_MS } from './clock';
import type { ScenarioRun } from './events';
import type { Owed } from './eventService';
import { type EventCode } from './package';
import type { Execution, Life, Trigger } from './trigger';

/*
 * The alarms of a trigger, judged from what went wrong in the scenario: each has a reason and is true, none is raised twice
 * before its reason has ended, and none is missing.
 */

/** Why the service cannot be used for a while: nobody reaches it, it fails, or it rejects requests or logins. */
export type FailureKind = 'unreachable' | '503' | '403' | 'login';

/** A time in which the service cannot be used. */
export interface Failure {
	from: number;
	to: number;
	how: FailureKind;
	/** The triggers that may have been reading when it began: they wait longer. */
	busy: Trigger[];
}

/** After this, a poll that began while the service was not available has failed. */
const FAILED_MS = 4 * MINUTE_MS;

/** After this, a poll that began while all was well has ended. */
const ENDED_MS = 3 * MINUTE_MS;

/** For this long after a publication, a poll may have nothing to read. */
const PUBLISHED_MS = 2 * MINUTE_MS;

/** How long after its reason an alarm may come: a poll that waits reads on. A rejected login counts for an hour. */
const LATE_MS = 35 * MINUTE_MS;

/** The faults of a single request that the next attempt makes good. */
const TRANSIENT: unknown[] = [
	'reset before',
	'reset after',
	'429',
	'500',
	'500, done',
	'503',
	'broken answer',
];

/** How many times the pages of the logs are read if entries have moved. */
const MOST_PASSES = 3;

/** After so many requests without a fault, a poll has made good the fault before. */
const MANY_REQUESTS = 10;

/** Whether each fault is one of a single request, with enough successful ones after it. */
export function areSingle(faults: ReadonlyArray<string | null>): boolean {
	const places = faults.flatMap((fault, index) => (fault === null ? [] : [index]));
	return places.every((place, index) => {
		const next = places[index + 1] ?? places[0] + faults.length;
		return TRANSIENT.includes(faults[place]) && next - place > MANY_REQUESTS;
	});
}

export class AlarmInvariants {
	private readonly found: string[] = [];

	constructor(private readonly run: ScenarioRun) {}

	check(): string[] {
		for (const trigger of this.run.triggers) {
			for (const alarm of this.alarmsOf(trigger)) {
				const reason = this.reasonAgainst(trigger, alarm);
				if (reason) this.found.push(`${alarm.id} of ${trigger.name}: ${reason}: ${alarm.message}`);
			}
			this.areRaisedOnce(trigger);
			this.areFailuresReported(trigger);
		}
		return this.found;
	}

	/** The alarms of a trigger, without retries. */
	private alarmsOf(trigger: Trigger): Execution[] {
		return this.run
			.executionsOf(trigger)
			.filter((one) => one.root === one && one.code !== undefined && one.startedBy === 'trigger');
	}

	/** The deliveries of the webhooks whose logs a trigger reads. */
	private owedTo(trigger: Trigger): Owed[] {
		const another = this.run.misled.get(trigger);
		return this.run.service.owed.filter(
			({ webhook }) => webhook.creator === trigger.name || webhook === another,
		);
	}

	/** Why an alarm is wrong; undefined if it is right. */
	private reasonAgainst(trigger: Trigger, alarm: Execution): string | undefined {
		switch (alarm.code as EventCode) {
			case 'pollFailed':
				return this.couldFail(alarm.at) ? undefined : 'nothing has failed';
			case 'deliveriesRejected':
				return this.wasAnswered(trigger, alarm, 401, 1) ? undefined : 'no delivery got a 401';
			case 'deliveriesDoNotArrive':
				return this.wasAnswered(trigger, alarm, undefined, 3)
					? undefined
					: 'fewer than three events did not arrive';
			case 'eventsUndecidable':
				return this.run.scenario.n8n.smallMemory ? undefined : 'there are few events';
			case 'entriesUnreadable':
				return this.areUnreadable(alarm);
			default:
				return undefined;
		}
	}

	/** Whether something went wrong that a trigger does not make good by itself. */
	private couldFail(at: number): boolean {
		const { faults, loginFaults, requestsPerMinute, repairs } = this.run.scenario.service;
		return (
			!areSingle(faults) ||
			loginFaults.some((fault) => fault !== null) ||
			requestsPerMinute > 0 ||
			repairs !== 'kept' ||
			this.run.scenario.database.faults.some((fault) => fault !== null) ||
			this.run.failures.some(
				({ from, to, how }) => from <= at && at <= to + (how === 'login' ? HOUR_MS : LATE_MS),
			)
		);
	}

	/** Whether so many events were answered like this before an alarm; with any answer but a success if none is given. */
	private wasAnswered(
		trigger: Trigger,
		{ at: until }: Execution,
		wanted: number | undefined,
		count: number,
	): boolean {
		const failed = this.owedTo(trigger).filter(({ attempts }) =>
			attempts.some(
				({ at, code }) => at <= until && (wanted === undefined ? code !== 200 : code === wanted),
			),
		);
		return failed.length >= count;
	}

	private areUnreadable({ message }: Execution): string | undefined {
		const said = Number(/\d+/.exec(message)?.[0]);
		// Those that have left may have been there.
		const { scenario, service } = this.run;
		if (scenario.service.changes.some((change) => change !== null && change !== 'arrives')) {
			return undefined;
		}
		const entries = service
			.visibleRows()
			.flatMap(({ isPadding, fields }) => (isPadding && isObject(fields) ? fields : []));
		// One without an identifier counts each time that its page is read.
		const again =
			entries.filter((entry) => (entry as IDataObject).id === '').length * (MOST_PASSES - 1);
		const all = entries.length + again;
		return said >= 1 && said <= all ? undefined : `at most ${all} entries have no event`;
	}

	private livesOf(trigger: Trigger): Life[] {
		return this.run.installationOf(trigger).lives.filter((life) => life.trigger === trigger);
	}

	/** An alarm that has not ended is not raised again. */
	private areRaisedOnce(trigger: Trigger): void {
		for (const life of this.livesOf(trigger)) {
			if (life.isShared) continue;
			const alarms = this.alarmsOf(trigger).filter(({ at }) => life.from <= at && at < life.to);
			for (const [index, alarm] of alarms.entries()) {
				const next = alarms.slice(index + 1).find(({ code }) => code === alarm.code);
				// An execution that n8n lost was raised again.
				if (!next || alarm.status !== 'error') continue;
				if (!this.hasEnded(trigger, alarm, next)) {
					this.found.push(`${next.id} of ${trigger.name} repeats ${alarm.id}: ${alarm.message}`);
				}
			}
		}
	}

	private hasEnded(trigger: Trigger, { code, at }: Execution, { at: until }: Execution): boolean {
		const { changes } = this.run.scenario.service;
		switch (code as EventCode) {
			case 'webhookMissing':
				// Its list may have been wrong, or it was changed back.
				return this.run.hasFaults;
			case 'deliveriesRejected':
			case 'deliveriesDoNotArrive':
				return this.owedTo(trigger).some(({ attempts }) =>
					attempts.some((one) => one.code === 200 && one.at < until && one.at > at - HOUR_MS),
				);
			case 'entriesUnreadable':
				// Not each read reaches undated entries from before the window, and one of another webhook's logs ends with it.
				if (this.run.scenario.service.rowsBefore > 0 || this.run.misled.has(trigger)) return true;
				return changes.some((change) => change !== null && change !== 'arrives');
			default:
				return true;
		}
	}

	/** A failure that lasts is reported once, by a poll that began in it: an outage by the second. */
	private areFailuresReported(trigger: Trigger): void {
		const { service, database } = this.run.scenario;
		const hasOther =
			[service.faults, service.loginFaults, database.faults].some((all) =>
				all.some((fault) => fault !== null),
			) ||
			service.requestsPerMinute > 0 ||
			service.repairs !== 'kept';
		if (hasOther) return;
		for (const [index, failure] of this.run.failures.entries()) {
			const before = this.run.failures[index - 1]?.to ?? -Infinity;
			if (failure.busy.includes(trigger)) continue;
			for (const life of this.livesOf(trigger)) this.isReported(life, failure, before);
		}
	}

	private isReported(life: Life, { from, to, how }: Failure, before: number): void {
		const { trigger, polls, isShared } = life;
		const [start, end] = [Math.max(from, life.from), Math.min(to, life.to)];
		const pollsWithin = (since: number, until: number) =>
			polls.filter((at) => since <= at && at <= until).length;
		const failing = pollsWithin(Math.max(start, life.from + PUBLISHED_MS), end - FAILED_MS);
		if (isShared || failing < (how === 'unreachable' || how === '503' ? 2 : 1)) return;
		// The alarm of the failure before has ended.
		if (before > life.from && pollsWithin(before, from - ENDED_MS) === 0) return;
		const all = this.run
			.executionsOf(trigger)
			// What begins when this life ends is of the next one.
			.filter((one) => one.root === one && start <= one.at && one.at <= end && one.at < life.to);
		// What n8n lost is raised again, unless it had reported it by then.
		const isLost = ({ status }: Execution) => status === 'dropped';
		const reports = all.filter((one) => one.code === 'pollFailed' && !isLost(one)).length;
		// Those that never ran may have been it.
		const unknown = all.filter(
			(one) => isLost(one) || (one.code === undefined && one.given === undefined),
		);
		// One trigger reports a rejected login for all that log in with its account: those of its n8n.
		const byAnother =
			how === 'login' &&
			this.run
				.installationOf(trigger)
				.executions.some(({ code, at }) => code === 'pollFailed' && from <= at && at <= end);
		if (reports === 1 || (reports === 0 && (unknown.length > 0 || byAnother))) return;
		const seconds = Math.round((end - start) / 1000);
		this.found.push(
			`${trigger.name} reported ${reports} times, not once, that the service failed (${how}) for ${seconds} s`,
		);
	}
}

function isObject(value: unknown): boolean {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}
