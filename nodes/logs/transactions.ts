import type { IDataObject } from 'n8n-workflow';

import { idempotencyKey } from '../fields/text';
import { FINAL_STATUSES, PENDING_STATUSES } from '../service/enums';
import type { Service } from '../service/transport';
import { readEvent, type LoggedEvent } from './logEntry';
import { LogReader, type LogRange } from './logReader';
import { NO_AMOUNT, type AmountAndAsset } from './payload';

/** A transaction, according to the delivery logs. */
export interface Transaction extends AmountAndAsset {
	/** Empty if its events have none. */
	transactionId: string;
	/** Empty if its events have none, as for a crypto deposit (section 6.2). */
	reference: string;
	transactionType: string;
	/** Its newest status, as the service names it. */
	status: string;
	isFinal: boolean;
	/** Since when it has this status (ISO 8601). */
	since: string;
	/** The service's message for this status. */
	message: string;
	transactionHash: string;
	/** Its statuses, oldest first. */
	history: State[];
	/** If there are several, the logs contradict themselves. */
	finalStates: State[];
}

/** A status, and since when a transaction had it (ISO 8601). */
interface State {
	status: string;
	at: string;
}

/** What identifies a transaction: its reference, its ID, or both. Empty if unknown. */
export interface TransactionName {
	reference: string;
	transactionId: string;
}

/** The transactions to read, by references and transaction IDs (see `idempotencyKey`). */
interface TransactionFilter {
	references: ReadonlySet<string>;
	transactionIds: ReadonlySet<string>;
}

/** The text that isn't empty. Of two texts it is always the same one, in any order. */
function eitherText(a: string, b: string): string {
	if (a === '' || b === '') return a || b;
	return a < b ? a : b;
}

/** The same for amounts: one with an asset is preferred. */
function eitherAmount(a: AmountAndAsset, b: AmountAndAsset): AmountAndAsset {
	const known = ({ amount, asset }: AmountAndAsset) => Number(amount !== '') + Number(asset !== '');
	const isFirst =
		known(a) === known(b)
			? `${a.amount} ${a.asset}` < `${b.amount} ${b.asset}`
			: known(a) > known(b);
	const { amount, asset } = isFirst ? a : b;
	return { amount, asset };
}

/** Merges two events of the same status. The time of the first counts: each attempt to deliver it is logged. */
function merged(a: LoggedEvent | undefined, b: LoggedEvent): LoggedEvent {
	if (!a) return b;
	const isFirst = a.isOwnTime === b.isOwnTime ? a.time <= b.time : a.isOwnTime;
	const first = eitherText(a.references[0] ?? '', b.references[0] ?? '');
	return {
		...(isFirst ? a : b),
		...eitherAmount(a, b),
		transactionId: eitherText(a.transactionId ?? '', b.transactionId ?? ''),
		transactionType: eitherText(a.transactionType, b.transactionType),
		references: [...new Set([first, ...a.references, ...b.references])].filter(Boolean),
		message: eitherText(a.message, b.message),
		transactionHash: eitherText(a.transactionHash, b.transactionHash),
	};
}

/** Events of one transaction, by status: it has each status once. */
type Events = Map<string, LoggedEvent>;

/**
 * The events of log entries, which may come in any order, and the transactions that they make up. Transaction and
 * status identify an event: it counts once, even if it was delivered several times or to several webhooks.
 */
export class TransactionIndex {
	/** The number of entries without a payload, transaction, status or date. */
	unreadable = 0;

	private readonly byId = new Map<string, Events>();

	/** By reference: events that have no transaction ID. */
	private readonly withoutId = new Map<string, Events>();

	/** By reference: the transaction IDs that it occurs with. */
	private readonly idsOf = new Map<string, Set<string>>();

	/**
	 * @param filter leaves out events of other references, to save memory; none by default. Not all events have a
	 *   reference, so a later entry may show that such an event is wanted
	 */
	constructor(private readonly filter?: TransactionFilter) {}

	/** @returns whether the entry can be read */
	add(log: IDataObject): boolean {
		const event = readEvent(log);
		if (event === undefined) return false;
		const { transactionId, references } = event;
		if (!this.isWanted(event)) return true;
		const id = idempotencyKey(transactionId ?? '');
		for (const reference of transactionId === undefined ? [] : references) {
			const key = idempotencyKey(reference);
			this.idsOf.set(key, (this.idsOf.get(key) ?? new Set()).add(id));
		}
		const all = transactionId === undefined ? this.withoutId : this.byId;
		const key = transactionId === undefined ? idempotencyKey(references[0]) : id;
		const events: Events = all.get(key) ?? new Map<string, LoggedEvent>();
		all.set(key, events.set(event.status, merged(events.get(event.status), event)));
		return true;
	}

	/** All transactions, the last changed one first. */
	all(): Transaction[] {
		const alone = [...this.withoutId].filter(
			([reference]) => this.idsOf.get(reference)?.size !== 1,
		);
		return [
			...[...this.byId.values()].map((events) => this.transactionOf(events)),
			...alone.map(([, events]) => toTransaction([...events.values()])),
		].sort(byTime);
	}

	/**
	 * The transactions with a transaction ID or a reference, the last changed one first. There are several if the
	 * reference belongs to several.
	 */
	find({ transactionId = '', reference = '' }: Partial<TransactionName>): Transaction[] {
		const key = idempotencyKey(reference);
		const ids = new Set(this.idsOf.get(key));
		const alone = ids.size === 1 ? undefined : this.withoutId.get(key);
		ids.add(idempotencyKey(transactionId));
		return [
			...[...ids]
				.flatMap((id) => this.byId.get(id) ?? [])
				.map((events) => this.transactionOf(events)),
			...(alone ? [toTransaction([...alone.values()])] : []),
		].sort(byTime);
	}

	private isWanted({ transactionId, references }: LoggedEvent): boolean {
		const { filter } = this;
		if (!filter || references.length === 0) return true;
		const id = idempotencyKey(transactionId ?? '');
		return (
			// Once a reference has led to a transaction, all its events count: not all may have the reference.
			this.byId.has(id) ||
			filter.transactionIds.has(id) ||
			references.map(idempotencyKey).some((key) => filter.references.has(key))
		);
	}

	/** A transaction, with the events that have only its reference if no other transaction has that reference. */
	private transactionOf(events: Events): Transaction {
		const all = new Map(events);
		for (const { references } of events.values()) {
			for (const reference of references.map(idempotencyKey)) {
				const isOnly = this.idsOf.get(reference)?.size === 1;
				for (const event of (isOnly && this.withoutId.get(reference)?.values()) || [])
					all.set(event.status, merged(all.get(event.status), event));
			}
		}
		return toTransaction([...all.values()]);
	}
}

const byTime = (a: Transaction, b: Transaction): number =>
	b.since.localeCompare(a.since) ||
	a.transactionId.localeCompare(b.transactionId) ||
	a.reference.localeCompare(b.reference);

/** The order of statuses with the same time. Undefined is any status that isn't documented. */
const PLACES = [...PENDING_STATUSES, undefined, ...FINAL_STATUSES];

const placeOf = (status: string): number =>
	PLACES.includes(status) ? PLACES.indexOf(status) : PLACES.indexOf(undefined);

function toTransaction(events: LoggedEvent[]): Transaction {
	const inOrder = [...events].sort(
		(a, b) =>
			a.time - b.time || placeOf(a.status) - placeOf(b.status) || (a.status < b.status ? -1 : 1),
	);
	const either = (textOf: (event: LoggedEvent) => string) => events.map(textOf).reduce(eitherText);
	const hasEnded = inOrder.some(({ status }) => FINAL_STATUSES.includes(status));
	// A final status stays, whatever the time of a pending one. A status that isn't documented, such as a
	// reversal, may follow it. There is always a newest one, because there is an event.
	const newest = inOrder.findLast(
		({ status }) => !hasEnded || !PENDING_STATUSES.includes(status),
	) as LoggedEvent;
	const history = inOrder.map(toState);
	const { amount, asset } = inOrder.findLast((state) => state.amount !== '') ?? NO_AMOUNT;
	return {
		transactionId: either(({ transactionId }) => transactionId ?? ''),
		reference: either(({ references }) => references[0] ?? ''),
		transactionType: either(({ transactionType }) => transactionType),
		status: newest.status,
		isFinal: FINAL_STATUSES.includes(newest.status),
		since: toState(newest).at,
		message: newest.message,
		transactionHash:
			inOrder.findLast((state) => state.transactionHash !== '')?.transactionHash ?? '',
		amount,
		asset,
		history,
		finalStates: history.filter(({ status }) => FINAL_STATUSES.includes(status)),
	};
}

function toState({ status, time }: LoggedEvent): State {
	return { status, at: new Date(time).toISOString() };
}

/** How far back payments are looked up unless it is known when they were made: more than a month's payroll. */
export const LOOKBACK_DAYS = 31;

/** What to read of the logs. */
export interface ReadOptions extends Pick<LogRange, 'since' | 'max' | 'setting' | 'isOnce'> {
	/** Asked after each page if the newest entries come first: whether reading ends, because all is known. */
	isEnough?: () => boolean;
}

/** What a reading of the logs covered. */
export type Reading = Pick<LogReader, 'newest' | 'count' | 'isUnordered'>;

/**
 * Reads the delivery logs into an index.
 *
 * @throws ServiceError if the logs can't be read
 */
export async function readLogs(
	service: Service,
	index: TransactionIndex,
	{ isEnough, ...range }: ReadOptions = {},
): Promise<Reading> {
	let unreadable = 0;
	const reader = new LogReader(service, {}, range);
	for await (const logs of reader.pages()) {
		for (const log of logs) if (!index.add(log)) unreadable++;
		if (Date.now() > service.endsAt) break;
		if (!reader.isUnordered && isEnough?.() && (await reader.isNewestFirst())) break;
	}
	index.unreadable = Math.max(index.unreadable, unreadable);
	const { newest, count, isUnordered } = reader;
	return { newest, count, isUnordered };
}
