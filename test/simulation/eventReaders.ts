import type { IDataObject } from 'n8n-workflow';

import { resultOf, type LogRow } from './deliveryLogs';
import type { EventService } from './eventService';
import { BEGINNING } from './package';
import { FINAL, markIn, type Transaction, type TransactionEvent } from './transactionEvents';
import type { Installation, Trigger } from './trigger';

/*
 * People who read the delivery logs: Get Status, Replay Events, and Get Many of Webhook Log. Each of them has to see each
 * entry that was there all the time, and none of them twice, although entries come, leave and move.
 */

const DAY_MS = 86_400_000;

/** Dates this close to the start of a period may be on either side: a service may write whole seconds. */
const BLUR_MS = 2_000;

/** A first event that is logged this much after a later one is none. */
const OUT_OF_ORDER_MS = 30 * 60_000 - BLUR_MS;

/** Pages that show that the log is sorted as a whole. */
const PROBES = 2;

/** What a reader may be judged by. */
export interface Conditions {
	/** Whether requests may fail. */
	mayFail: boolean;
	/** Whether entries come or leave meanwhile in a way that no reader can notice. */
	isHidden: boolean;
	/** Whether entries come or leave meanwhile. */
	isMoving: boolean;
	/** The number of entries of a full page. */
	pageSize: number;
}

/** Whether the result and the date of an entry are certain. */
const isRegular = ({ oddity }: LogRow): boolean =>
	oddity === undefined || ['late', 'no id', 'payload as text', 'small letters'].includes(oddity);

const idOf = ({ fields }: LogRow): unknown => (fields as IDataObject | null)?.id;

/** The readers of an installation of n8n, and the invariants that they violated. */
export class LogReaders {
	readonly violations: string[] = [];

	constructor(
		private readonly service: EventService,
		private readonly home: Installation,
		private readonly conditions: Conditions,
	) {}

	/** @returns how many final statuses the webhooks cover; undefined if it failed */
	async getStatus(
		trigger: Trigger,
		transactions: readonly Transaction[],
	): Promise<number | undefined> {
		const { service, conditions } = this;
		const before = service.visibleRows();
		const { changes: changesBefore } = service;
		const coveredBefore = service.coveredStatuses();
		const references = transactions.map(({ reference }) => reference);
		const since = BEGINNING - 31 * DAY_MS;
		const found = await this.judged('Get Status', 1, async () =>
			this.home.lookUp(trigger, references, since),
		);
		if (!found) return undefined;
		const logged = this.eventsOf(before);
		for (const [index, transaction] of transactions.entries()) {
			const own = logged.filter((event) => event.transaction === transaction);
			this.isStatus(transaction, own, found.statuses[index]);
		}
		const covered = FINAL.filter((status) => coveredBefore.includes(status));
		// A webhook may be switched off and on again meanwhile.
		const isStable =
			service.changes === changesBefore &&
			service.coveredStatuses().join() === coveredBefore.join();
		if (isStable && found.covered.join() !== covered.join() && !conditions.isHidden) {
			this.violations.push(`Get Status said that “${found.covered.join(', ')}” is covered`);
		}
		return covered.length;
	}

	/** Webhook Log > Get Many, of all entries or of one result. */
	async getMany(trigger: Trigger, status?: 'ERROR'): Promise<void> {
		const before = this.service.visibleRows();
		const delivered = new Set(before.filter((row) => resultOf(row) === 'SUCCESS').map(idOf));
		const failed = before.filter((row) => resultOf(row) === 'ERROR');
		const parameters = { returnAll: true, filters: { ...(status && { status }) } };
		const items = await this.judged('Get Many', 0, async () =>
			this.home.operate(trigger, 'getManyLogs', parameters),
		);
		if (!items) return;
		const ids = items.flatMap(({ id }) => (id === undefined || id === '' ? [] : [id]));
		if (new Set(ids).size < ids.length) this.violations.push('Get Many returned an entry twice');
		if (this.conditions.isHidden) return;
		if (status !== undefined) {
			if (ids.some((id) => delivered.has(id))) {
				this.violations.push(`Get Many returned entries that are not ${status}`);
			}
			// The entry of a delivery that is tried again and arrives leaves those of errors, and moves others.
			if (failed.some((row) => resultOf(row) !== status)) return;
		}
		const wanted = this.stayed(before).filter(
			(row) => row.event && (status === undefined || (isRegular(row) && resultOf(row) === status)),
		);
		const given = new Set(ids);
		for (const row of wanted) {
			const id = idOf(row);
			if (id === undefined ? this.hasUnnamed(items, row) : given.has(id)) continue;
			this.violations.push(`Get Many left out an entry of ${row.event?.mark}`);
		}
	}

	private hasUnnamed(items: IDataObject[], { event }: LogRow): boolean {
		return items.some((item) => item.id === undefined && markIn(item) === event?.mark);
	}

	/** Replay Events, of a period. */
	async replayPeriod(trigger: Trigger, from: number): Promise<void> {
		const before = this.service.visibleRows();
		const parameters = { replayBy: 'period', from: new Date(from).toISOString() };
		const items = await this.judged('Replay Events', 0, async () =>
			this.home.operate(trigger, 'replay', parameters),
		);
		if (!items) return;
		const dateOf = ({ createdAt = NaN }: LogRow) => createdAt;
		// A few entries without an order may look like the newest first, and end the reading.
		const isGuess = this.conditions.pageSize < 100 && this.service.behaviour.order === 'none';
		const rows = isGuess ? [] : this.stayed(before).filter(isRegular);
		this.isReplayed(
			items,
			rows.filter((row) => dateOf(row) > from + BLUR_MS),
			({ event }) =>
				this.service
					.visibleRows()
					.every((row) => row.event !== event || (isRegular(row) && dateOf(row) < from - BLUR_MS)),
		);
	}

	/** Replay Events, of some transactions, by their references and identifiers in other letters. */
	async replayTransactions(trigger: Trigger, transactions: readonly Transaction[]): Promise<void> {
		const before = this.service.visibleRows();
		const names = transactions.flatMap(({ reference, id }) => [reference.toUpperCase(), id]);
		const parameters = { replayBy: 'transactions', transactions: names.join(', ') };
		const items = await this.judged('Replay Events', 0, async () =>
			this.home.operate(trigger, 'replay', parameters),
		);
		if (!items) return;
		const isWanted = ({ event }: LogRow) =>
			event !== undefined && transactions.includes(event.transaction);
		this.isReplayed(items, this.stayed(before).filter(isWanted), (row) => !isWanted(row));
	}

	private isReplayed(
		items: IDataObject[],
		wanted: LogRow[],
		isOther: (row: LogRow) => boolean,
	): void {
		const marks = items.map(markIn);
		const given = new Set(marks);
		if (given.size < marks.length) this.violations.push('Replay Events returned an event twice');
		const other = this.service.visibleRows().find((row) => row.event && isOther(row));
		if (other && given.has(other.event?.mark)) {
			this.violations.push(`Replay Events returned ${other.event?.mark}, which is not wanted`);
		}
		if (this.conditions.isHidden) return;
		const missing = wanted.find(({ event }) => event && !given.has(event.mark));
		if (missing) this.violations.push(`Replay Events left out ${missing.event?.mark}`);
	}

	/** Does something, and judges whether it fails, or asks for more pages than there are. */
	private async judged<T>(
		name: string,
		others: number,
		work: () => Promise<T | undefined>,
	): Promise<T | undefined> {
		const { mayFail, isMoving, pageSize } = this.conditions;
		const { requests } = this.service;
		requests.delete('a person');
		let result: T | undefined;
		try {
			result = await work();
		} catch (error) {
			if (!mayFail) this.violations.push(`${name} failed: ${String(error)}`);
		}
		// If there is no order, the first page is read again. Without counts, a page that has nothing new is the end.
		const again = PROBES + 2;
		const entries = this.service.visibleRows().length;
		const most = Math.floor(entries / pageSize) + 1 + again + others;
		const sent = requests.get('a person') ?? 0;
		if (!mayFail && !isMoving && sent > most) {
			this.violations.push(`${name} sent ${sent} requests for ${entries} entries, not ${most}`);
		}
		return result;
	}

	/** The entries that are there still. */
	private stayed(before: LogRow[]): LogRow[] {
		const now = new Set(this.service.visibleRows());
		return before.filter((row) => now.has(row));
	}

	private eventsOf(rows: LogRow[]): TransactionEvent[] {
		return [...new Set(this.stayed(rows).flatMap(({ event }) => event ?? []))];
	}

	/** The status of a transaction is one that it has, and no longer a pending one if a final one is logged. */
	private isStatus(transaction: Transaction, logged: TransactionEvent[], found: string[]): void {
		const says = (expected: string) =>
			this.violations.push(
				`Get Status found “${found.join(', ')}” for ${transaction.reference}, which is ${expected}`,
			);
		if (found.some((status) => !transaction.statuses.includes(status))) {
			return void says(transaction.statuses.join(' or '));
		}
		if (this.conditions.isHidden) return;
		const isFound = logged.every(({ hasReference }) => hasReference);
		const isLinked =
			logged.every(({ isNamed }) => isNamed) && logged.some(({ hasReference }) => hasReference);
		if (logged.length === 0 || !(isFound || isLinked)) return;
		// Get Status reads no further back than half an hour before the first event of a transaction.
		const first = logged.filter(({ status }) => status === 'pending_transaction');
		const isLate = (event: TransactionEvent) =>
			logged.some(({ date }) => date < event.date - OUT_OF_ORDER_MS);
		if (first.some(isLate)) return;
		const final = logged.filter(({ status }) => FINAL.includes(status));
		const other = logged.filter(
			({ status }) => status !== 'pending_transaction' && status !== 'processing_transaction',
		);
		const newest = Math.max(...logged.map(({ date }) => date));
		const possible =
			final.length > 0 ? other : logged.filter(({ date }) => date > newest - BLUR_MS);
		// It may have another one by now.
		const isOlder = transaction.statuses.length > logged.length;
		const isRight = found.length === 1 && possible.some(({ status }) => status === found[0]);
		if (!isRight && !(isOlder && found.length === 1)) {
			says(possible.map(({ status }) => status).join(' or '));
		}
	}
}
