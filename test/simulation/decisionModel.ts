import type { IDataObject } from 'n8n-workflow';

import {
	ambiguousIn,
	ANSWERS,
	answerTo,
	answerToPayee,
	bodyOf,
	DAY_MS,
	documentOf,
	givenReference,
	identityOf,
	isDuplicate,
	isSameMoney,
	LOG_DAYS,
	type Row,
	type Settings,
	total,
} from './decisionScenarios';
import type { Figures, ScenarioRun, Started } from './decisions';
import type { Execution, Reported } from './n8n';
import { referenceIn, type Asked, type FaultName, type Payment } from './service';

/** How many days back duplicates are found for certain, and after how many they never count. */
const DUPLICATE_DAYS = { certain: 3, never: 6 };

/** A request that the service keeps rejecting is given up after so many. */
const MOST_TRIES = 20;

/** After so many rejected requests in a row, nothing more is sent. */
const MOST_IN_A_ROW = 7;

/** A payment that a node has sent and that may exist. */
interface Sent {
	node: number;
	identity: string;
	row: Row;
	/** When it was sent (milliseconds of the scenario). */
	at: number;
	execution: Execution;
}

/** Checks the invariants of a scenario that has ended. */
export class Invariants {
	readonly found: string[] = [];

	/** What nodes have sent and what may exist, by the moment of the execution that is judged. */
	private readonly sent: Sent[] = [];

	/** The reference of each identity, and the other way round. */
	private readonly references = new Map<string, string>();

	private readonly identities = new Map<string, string>();

	readonly settings: Settings;

	constructor(
		private readonly scenarioRun: ScenarioRun,
		private readonly figures: Figures,
	) {
		this.settings = scenarioRun.scenario.settings;
	}

	checkInvariants(): string[] {
		for (const started of this.scenarioRun.started) {
			this.found.push(...started.execution.violations);
			this.rightReferences(started);
			this.rightRequests(started);
			this.rightTimes(started);
			for (const number of started.rows.keys()) {
				if (started.execution.status === 'error' && number > started.execution.stored.run) break;
				new RunModel(this, started, number, this.figures).judge();
			}
		}
		return this.found;
	}

	/** The same payment has the same reference in each execution, and another payment has another one. */
	private rightReferences({ execution, rows, batch }: Started): void {
		const list = rows.flat();
		for (const { item, reference, code } of execution.reported) {
			// A retried row with another payee is reported with the reference that was sent for it.
			if (reference === '' || code === 'referenceChanged') continue;
			const identity = identityOf(list[item], batch, this.settings);
			const key = reference.toLowerCase();
			const known = this.references.get(identity) ?? key;
			if (known !== key) this.found.push(`${identity} has the references ${known} and ${key}`);
			const other = this.identities.get(key) ?? identity;
			if (other !== identity)
				this.found.push(`${key} is the reference of ${identity} and ${other}`);
			this.references.set(identity, key);
			this.identities.set(key, identity);
		}
	}

	private rightRequests(started: Started): void {
		const { execution, rows, isDry } = started;
		const list = rows.flat();
		for (const { body } of this.askedBy(execution)) {
			if (isDry) this.found.push(`${execution.id} is a dry run and sent a payment`);
			const own = execution.reported.filter(
				({ reference }) => reference.toLowerCase() === referenceIn(body).toLowerCase(),
			);
			const text = JSON.stringify(body);
			const isOwn = ({ item, reference }: Reported) =>
				JSON.stringify(bodyOf(list[item], reference)) === text;
			if (!own.some(isOwn)) this.found.push(`${execution.id} sent what no row has: ${text}`);
		}
	}

	/** Requests start no faster, and no more of them at once, than the user has set; a 429 is waited for. */
	private rightTimes({ execution, run }: Started): void {
		const asked = this.askedBy(execution);
		const says = (what: string) => this.found.push(`${execution.id} ${what}`);
		const { requestsPerSecond, concurrency } = this.settings;
		const { latency } = this.scenarioRun.scenario.service;
		const isFirst = asked[0] === this.scenarioRun.service.asked[0];
		for (const [index, { at, body }] of asked.entries()) {
			const [before, last] = [asked[index - 1], asked.slice(0, index)];
			// The first execution also logs in, which takes its time.
			if (
				requestsPerSecond > 0 &&
				before &&
				!isFirst &&
				at - before.at < 1000 / requestsPerSecond - 1
			)
				says(`sent two requests within ${at - before.at} ms`);
			// From its arrival until its answer is there, a request takes twice the latency.
			const open = last.filter((one) => one.at + 2 * latency > at).length;
			if (concurrency !== undefined && open >= concurrency && !isFirst)
				says(`had ${open + 1} requests in flight`);
			const same = last.filter((one) => referenceIn(one.body) === referenceIn(body));
			if (same.length === 0) continue;
			const fault = (ANSWERS[answerTo(body, run)].faults as FaultName[])[same.length - 1];
			if (!fault?.startsWith('429')) says(`sent ${referenceIn(body)} again after ${fault}`);
			const wait = fault === '429, in two seconds' ? 2_000 : 0;
			if (at - same[same.length - 1].at < wait) says(`sent ${referenceIn(body)} again too soon`);
			if (same.length >= MOST_TRIES) says(`sent ${referenceIn(body)} ${same.length + 1} times`);
		}
	}

	askedBy({ id }: Execution): Asked[] {
		return this.scenarioRun.service.asked.filter(({ origin }) => origin === id);
	}

	/** The payments that the logs name: with their amounts, if the logs have them, and whether they have failed. */
	loggedOf(reference: string, at: number): Array<{ payment: Payment; hasFailed: boolean }> {
		return this.scenarioRun.logs.entries
			.filter(
				(entry) =>
					entry.payment.reference === reference &&
					entry.visibleFrom < at &&
					entry.at > at - (LOG_DAYS - 1) * DAY_MS,
			)
			.map(({ payment, status }) => ({ payment, hasFailed: status === 'failed_transaction' }));
	}

	get logsHaveAmounts(): boolean {
		return this.scenarioRun.scenario.service.logs.amounts === 'fiat';
	}

	referenceOf(identity: string): string | undefined {
		return this.references.get(identity);
	}

	/** What a node has sent. */
	sentBy(node: number): Sent[] {
		return this.sent.filter((one) => one.node === node);
	}

	note(sent: Sent): void {
		this.sent.push(sent);
	}

	existing(id: string | undefined): Payment | undefined {
		return this.scenarioRun.service.payments.find((payment) => payment.id === id);
	}
}

/** What must become of a row. */
interface Verdict {
	/** The outcomes that the guides allow. */
	outcomes: string[];
	/** The codes that say why, if there is one reason or several. */
	codes?: string[];
}

type Certainty = 'yes' | 'maybe' | 'no';

/** Whether one or the other is the case. */
const surest = (...all: Certainty[]): Certainty =>
	(['yes', 'maybe'] as const).find((one) => all.includes(one)) ?? 'no';

/** Reasons not to send anything: those that apply, and those that the guides allow. */
interface Reasons {
	certain: string[];
	possible: string[];
}

const REFUSED = ['rejected', 'notSent'];

/** What the model says of a run of a node, from what nodes have sent before. */
class RunModel {
	private readonly rows: Row[];

	/** The index of its first row among the items of all runs. */
	private readonly first: number;

	private readonly settings: Settings;

	private readonly now: number;

	private readonly ambiguous: ReadonlySet<Row>;

	constructor(
		private readonly past: Invariants,
		private readonly started: Started,
		number: number,
		private readonly figures: Figures,
	) {
		this.rows = started.rows[number];
		this.first = started.execution.itemsBefore(number);
		this.settings = past.settings;
		this.now = started.execution.startedAt;
		this.ambiguous = ambiguousIn(this.rows, this.settings);
	}

	/** Compares what was reported of each row, and sent, with what the model says. Then notes what was sent. */
	judge(): void {
		const { execution } = this.started;
		const verdicts = this.verdicts();
		for (const [index, one] of this.rows.entries()) {
			const item = this.first + index;
			const verdict = verdicts.get(one) ?? { outcomes: [] };
			// An error need not list what did not leave n8n.
			const isListed =
				execution.status !== 'error' ||
				verdict.outcomes.every((each) => ['created', 'unknown'].includes(each));
			const reported = execution.reported.filter((each) => each.item === item);
			const [{ outcome, code } = { outcome: 'not reported', code: '' }] = reported.slice(-1);
			const isCodeRight = !verdict.codes || verdict.codes.includes(code ?? '');
			if (!isListed && reported.length === 0) continue;
			if (!verdict.outcomes.includes(outcome) || (!isCodeRight && REFUSED.includes(outcome))) {
				this.past.found.push(
					`${execution.id} reports item ${item} as ${outcome} (${code}), not as ${verdict.outcomes.join(' or ')} (${verdict.codes?.join(' or ') ?? 'any code'})`,
				);
			}
			this.noteFacts(one, reported[reported.length - 1]);
		}
	}

	/** What the service has received of a row must be what was reported of it. */
	private noteFacts(one: Row, reported: Reported | undefined): void {
		const { execution, node } = this.started;
		// A second row with the same reference is never sent.
		if (!reported?.reference || !this.isFirst(one)) return;
		const { outcome, reference, transactionId } = reported;
		const asked = this.past
			.askedBy(execution)
			.filter(({ body }) => referenceIn(body).toLowerCase() === reference.toLowerCase());
		const says = (what: string) => this.past.found.push(`${execution.id}: ${reference} ${what}`);
		if (outcome === 'created') {
			const made = this.past.existing(transactionId);
			if (
				!made ||
				JSON.stringify(made.body) !==
					JSON.stringify(bodyOf(one, String(made.body.external_reference)))
			)
				says(`is reported as ${transactionId}, which is not what the row says`);
		}
		if (asked.length === 0) return;
		if (!['created', 'unknown', ...REFUSED].includes(outcome)) says(`was sent and is ${outcome}`);
		if (REFUSED.includes(outcome)) return;
		this.past.note({
			node,
			identity: this.identityOf(one),
			row: one,
			at: asked[0].at,
			execution,
		});
	}

	private identityOf(one: Row): string {
		return identityOf(one, this.started.batch, this.settings);
	}

	private verdicts(): Map<Row, Verdict> {
		const finished = new Map<Row, Verdict>();
		for (const one of this.rows) {
			const verdict = this.finished(one);
			if (verdict) finished.set(one, verdict);
		}
		const open = this.rows.filter((one) => !finished.has(one));
		const invalid = open.filter((one) => this.errorIn(one));
		const valid = open.filter((one) => !invalid.includes(one));
		const verdicts = new Map<Row, Verdict>(finished);
		for (const one of invalid) {
			verdicts.set(one, { outcomes: [...REFUSED, ...this.outcomesIfSent(one)] });
			this.figures.invalid += 1;
		}
		this.figures.alreadySent += finished.size;
		const refused = this.refused(finished, invalid, valid);
		const usual = this.decideEach(valid);
		for (const one of valid) {
			const ifRefused: Verdict = {
				outcomes: ['notSent'],
				codes: [...refused.certain, ...refused.possible],
			};
			const otherwise = usual.get(one) ?? { outcomes: [] };
			if (refused.certain.length > 0) {
				verdicts.set(one, ifRefused);
				this.figures.batchRejected += 1;
			} else if (refused.possible.length > 0) {
				verdicts.set(one, { outcomes: ['notSent', ...otherwise.outcomes] });
				this.figures.open += 1;
			} else verdicts.set(one, otherwise);
		}
		return verdicts;
	}

	/** What becomes of a row that was sent before, in whatever way; undefined if it was not. */
	private finished(one: Row): Verdict | undefined {
		const { started, past } = this;
		const own = this.sentInLineage();
		const item = this.first + this.rows.indexOf(one);
		const before = own.get(item);
		if (before) {
			const isSame =
				isSameMoney(before.row, one) &&
				before.row.purpose === one.purpose &&
				this.identityOf(before.row) === this.identityOf(one) &&
				!this.isUnreadable(one) &&
				this.isFirst(one);
			return { outcomes: isSame ? [before.outcome] : ['conflict', 'unknown'] };
		}
		if (this.isUnreadable(one) || !this.isFirst(one)) return undefined;
		const identity = this.identityOf(one);
		if ([...own.values()].some(({ row }) => this.identityOf(row) === identity))
			return { outcomes: ['conflict', 'alreadySent', 'unknown'] };
		const sent = past.sentBy(started.node).find((each) => each.identity === identity);
		const isSame = sent && isSameMoney(sent.row, one);
		const logged = this.loggedAs(one, sent);
		if (logged) return { outcomes: logged };
		return sent && { outcomes: [isSame ? 'alreadySent' : 'conflict'] };
	}

	/** What becomes of a row whose reference the logs have. */
	private loggedAs(one: Row, sent: Sent | undefined): string[] | undefined {
		if (!this.started.run.checkDeliveryLogs) return undefined;
		const reference = this.past.referenceOf(this.identityOf(one));
		const logged = reference === undefined ? [] : this.past.loggedOf(reference, this.now);
		if (logged.length === 0) return undefined;
		const alive = logged.filter(({ hasFailed }) => !hasFailed);
		if (alive.length === 0) return ['conflict'];
		if (sent && !isSameMoney(sent.row, one)) return ['conflict'];
		if (!this.past.logsHaveAmounts) return ['alreadySent'];
		const amounts = alive.map(({ payment }) => (payment.body.transaction as IDataObject).amount);
		return [
			...(amounts.some((amount) => amount === one.cents / 100) ? ['alreadySent'] : []),
			...(amounts.some((amount) => amount !== one.cents / 100) ? ['conflict'] : []),
		];
	}

	/** What the executions that this one retries have sent, by item. */
	private sentInLineage(): Map<number, { row: Row; outcome: string }> {
		const found = new Map<number, { row: Row; outcome: string }>();
		for (let from = this.started.from; from; from = from.from) {
			const { execution } = from;
			const list = from.rows.flat();
			for (const sent of this.past
				.sentBy(from.node)
				.filter((each) => each.execution === execution)) {
				const item = list.indexOf(sent.row);
				const outcome = execution.reported.findLast((each) => each.item === item)?.outcome ?? '';
				if (!found.has(item)) found.set(item, { row: sent.row, outcome });
			}
		}
		return found;
	}

	private isUnreadable(one: Row): boolean {
		return one.isBad || this.ambiguous.has(one);
	}

	/** Whether no earlier row has its reference. */
	private isFirst(one: Row): boolean {
		const identity = this.identityOf(one);
		return this.rows.find((each) => this.identityOf(each) === identity) === one;
	}

	/** Whether a row is rejected in any case. */
	private errorIn(one: Row): boolean {
		const { limit: value = 0, run } = this.started;
		if (this.isUnreadable(one) || !this.isFirst(one)) return true;
		if (run.limit.is === 'maximumAmount' && one.cents > value) return true;
		return this.settings.duplicatePayments === 'reject' && this.isCopy(one);
	}

	/** Whether an earlier row is the same payment under another reference. */
	private isCopy(one: Row): boolean {
		const before = this.rows.slice(0, this.rows.indexOf(one));
		return before.some(
			(each) => !this.isUnreadable(each) && this.isFirst(each) && isDuplicate(each, one),
		);
	}

	/** An invalid row whose reference was sent may be reported as such. */
	private outcomesIfSent(one: Row): string[] {
		const identity = this.identityOf(one);
		const isSent = this.past.sentBy(this.started.node).some((each) => each.identity === identity);
		return isSent ? ['alreadySent', 'conflict', 'unknown'] : [];
	}

	/** Why none of the valid rows is sent. */
	private refused(finished: Map<Row, Verdict>, invalid: Row[], valid: Row[]): Reasons {
		const { started, settings } = this;
		const certain: string[] = [];
		const possible: string[] = [];
		const decide = (code: string, isCertain: boolean, isPossible = isCertain) => {
			if (isCertain) certain.push(code);
			else if (isPossible) possible.push(code);
		};
		const stops = settings.onError === 'stopWorkflow';
		if (stops && invalid.length > 0) certain.push('otherItemsInvalid');
		// A row that was sent may also be invalid by now.
		const isDoubtful = [...finished.keys()].some((one) => this.errorIn(one));
		decide('otherItemsInvalid', false, stops && isDoubtful);
		const isStopped = settings.ifAlreadySent === 'stop';
		decide('referencesAlreadySent', false, isStopped && finished.size > 0 && !!started.from);
		decide('referencesAlreadySent', isStopped && finished.size > 0 && !started.from);
		if (certain.includes('otherItemsInvalid')) return { certain, possible };

		const { limit: value = 0, run, approved, node } = started;
		const { is } = run.limit;
		const held = valid.map((one) => this.isHeld(one));
		const least = total(valid.filter((_, index) => held[index] === 'no'));
		const most = total(valid.filter((_, index) => held[index] !== 'yes'));
		const all = this.rows.filter((one) => !this.ambiguous.has(one));
		const decideTotal = this.ambiguous.size > 0 && ['expectedTotal', 'maximumTotal'].includes(is);
		decide('totalUnknown', decideTotal);
		if (settings.accountChanges === 'reject') {
			const news = valid.map((one) => this.isAccountNew(one));
			decide('accountsChanged', news.includes('yes'), news.includes('maybe'));
		}
		if (is === 'expectedCount') decide('unexpectedCount', value !== this.rows.length);
		if (is === 'expectedTotal') {
			const totals = [total(all), total(this.rows.filter((one) => !this.errorIn(one)))];
			decide(
				'unexpectedTotal',
				!totals.includes(value),
				totals.some((each) => each !== value),
			);
		}
		if (is === 'maximumTotal') {
			const others = total(this.sentInOtherRuns());
			decide('aboveMaximumTotal', least + others > value, total(all) + others > value);
		}
		if (approved) {
			const code = this.approvalProblem(approved);
			if (code !== undefined) certain.push(code);
		}
		if (settings.dailyLimit > 0) {
			const today = Math.floor(this.now / DAY_MS);
			const spent = total(
				this.past
					.sentBy(node)
					.flatMap(({ at, row: one }) => (Math.floor(at / DAY_MS) === today ? one : [])),
			);
			decide(
				'aboveDailyLimit',
				spent + least > settings.dailyLimit,
				spent + most > settings.dailyLimit,
			);
		}
		if (is === 'balance') decide('balanceTooLow', least > value, total(valid) > value);
		return { certain, possible };
	}

	private sentInOtherRuns(): Row[] {
		const { execution, node } = this.started;
		return this.past
			.sentBy(node)
			.flatMap((sent) =>
				sent.execution === execution && !this.rows.includes(sent.row) ? sent.row : [],
			);
	}

	/** Why what was approved is not what is paid; undefined if it is. */
	private approvalProblem({
		rows,
		environment,
	}: {
		rows: Row[];
		environment: string;
	}): string | undefined {
		const { environment: now } = this.started;
		const [then, have] = [this.payable(rows), this.payable(this.rows)];
		if (environment !== now || then.length !== have.length || total(then) !== total(have))
			return 'approvalOfOtherPayments';
		// A given reference is sent as it is spelled.
		const referenceOf = (one: Row) =>
			this.settings.references === 'given'
				? givenReference(one, this.started.batch)
				: this.identityOf(one);
		const textOf = (list: Row[]) =>
			list
				.map((one) =>
					JSON.stringify([referenceOf(one), documentOf(one), one.account, one.cents, one.purpose]),
				)
				.sort()
				.join();
		return textOf(then) === textOf(have) ? undefined : 'approvalOfOtherContent';
	}

	/** The rows of a file that are valid, also those that were sent already. */
	private payable(rows: Row[]): Row[] {
		const model = new RunModel(this.past, { ...this.started, rows: [rows] }, 0, this.figures);
		return rows.filter((one) => !model.errorIn(one));
	}

	/** Whether a valid row is held back, because of what the node has sent before. An approval allows it. */
	private isHeld(one: Row): Certainty {
		if (this.started.approved) return 'no';
		return surest(
			this.settings.duplicatePayments === 'reject' ? this.isDuplicateOfEarlier(one) : 'no',
			this.settings.accountChanges === 'hold' ? this.isAccountNew(one) : 'no',
		);
	}

	private isDuplicateOfEarlier(one: Row): Certainty {
		const identity = this.identityOf(one);
		const lineage: Execution[] = [];
		for (let from: Started | undefined = this.started; from; from = from.from)
			lineage.push(from.execution);
		const ages = this.past
			.sentBy(this.started.node)
			.filter((sent) => sent.identity !== identity && isDuplicate(sent.row, one))
			.map(({ at, execution }) => ({
				days: (this.now - at) / DAY_MS,
				isOwn: lineage.includes(execution),
			}));
		if (ages.some(({ days, isOwn }) => days <= DUPLICATE_DAYS.certain && !isOwn)) return 'yes';
		return ages.some(({ days }) => days < DUPLICATE_DAYS.never) ? 'maybe' : 'no';
	}

	private isAccountNew(one: Row): Certainty {
		const known = new Set(
			this.past
				.sentBy(this.started.node)
				.flatMap(({ row: sent }) => (sent.payee === one.payee ? sent.account : [])),
		);
		if (known.has(one.account)) return 'no';
		if (known.size > 0) return 'yes';
		// Another row of the file may be recorded first.
		return this.rows.some((each) => each.payee === one.payee && each.account !== one.account)
			? 'maybe'
			: 'no';
	}

	/** What becomes of each valid row, if nothing is against the batch. */
	private decideEach(valid: Row[]): Map<Row, Verdict> {
		if (this.started.isDry) return new Map(valid.map((one) => [one, { outcomes: ['ready'] }]));
		const answerOf = (one: Row): { faults: FaultName[]; outcomes: string[] } =>
			ANSWERS[answerToPayee(one.payee, this.started.run)];
		const tooMany = (one: Row) => answerOf(one).faults.filter((fault) => fault.startsWith('429'));
		// Those of several rows may follow each other.
		const isLimited = valid.flatMap(tooMany).length >= MOST_IN_A_ROW;
		const outcomesOf = (one: Row): string[] => [
			...answerOf(one).outcomes,
			...(isLimited && tooMany(one).length > 0 ? ['rejected'] : []),
		];
		const isFailing = (one: Row) => !outcomesOf(one).includes('created');
		const stops = this.settings.onError === 'stopWorkflow';
		const isInOrder = this.settings.concurrency === 1;
		// Of requests that are in flight at once, any may be the first to fail.
		let isOver: Certainty =
			isLimited || (stops && !isInOrder && valid.some(isFailing)) ? 'maybe' : 'no';
		const verdicts = new Map<Row, Verdict>();
		for (const one of valid) {
			const isUnsent = surest(this.isHeld(one), isOver);
			verdicts.set(one, {
				outcomes: [
					...(isUnsent === 'yes' ? [] : outcomesOf(one)),
					...(isUnsent === 'no' ? [] : ['notSent']),
				],
			});
			this.figures[isUnsent === 'yes' ? 'held' : 'sent'] += 1;
			if (stops && isInOrder && isFailing(one) && isUnsent !== 'yes')
				isOver = isUnsent === 'no' ? 'yes' : 'maybe';
		}
		return verdicts;
	}
}
