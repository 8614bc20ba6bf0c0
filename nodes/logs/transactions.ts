import type { IDataObject } from 'n8n-workflow';

import { idempotencyKey } from '../fields/text';
import { FINAL_STATUSES, PENDING_STATUSES } from '../service/enums';
import type { Service } from '../service/transport';
import { readEvent, type LoggedEvent } from './logEntry';
import { LogReader, type LogRange } from './logPages';
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

/** The transactions to read, by references and transaction IDs (see `idempotencyKey`). */
interface TransactionFilter {
	references: ReadonlySet<string>;
	transactionIds: ReadonlySet<string>;
}

function isFinalStatus(status: string): boolean {
	return FINAL_STATUSES.includes(status);
}

type LoggedState = AmountAndAsset &
	Pick<LoggedEvent, 'status' | 'time' | 'isOwnTime' | 'message' | 'transactionHash'>;

/** A transaction while its events are read. It doesn't depend on their order. */
interface Draft {
	transactionId: string;
	reference: string;
	references: Set<string>;
	transactionType: string;
	states: Map<string, LoggedState>;
}

function emptyDraft(): Draft {
	return {
		transactionId: '',
		reference: '',
		references: new Set(),
		transactionType: '',
		states: new Map(),
	};
}

/** The text that isn't empty. Of two texts it is always the same one, in any order. */
function eitherText(a: string, b: string): string {
	if (a === '' || b === '') return a || b;
	return a < b ? a : b;
}

/** The same for amounts: one with an asset is preferred. */
function eitherAmount(a: AmountAndAsset, b: AmountAndAsset): AmountAndAsset {
	const known = ({ amount, asset }: AmountAndAsset) => Number(amount !== '') + Number(asset !== '');
	if (known(a) !== known(b)) return known(a) > known(b) ? a : b;
	return `${a.amount} ${a.asset}` < `${b.amount} ${b.asset}` ? a : b;
}

/** Merges two events of the same status. The time of the first counts: each attempt to deliver it is logged. */
function merged(a: LoggedState, b: LoggedState): LoggedState {
	const isFirst = a.isOwnTime === b.isOwnTime ? a.time <= b.time : a.isOwnTime;
	const { amount, asset } = eitherAmount(a, b);
	return {
		...(isFirst ? a : b),
		message: eitherText(a.message, b.message),
		transactionHash: eitherText(a.transactionHash, b.transactionHash),
		amount,
		asset,
	};
}

/** How many transactions are kept aside (see `TransactionIndex`), so that memory stays bounded. */
const MAX_ASIDE = 20_000;

/**
 * The transactions of log entries, which may come in any order. Transaction and status identify an event: it
 * counts once, even if it was delivered several times or to several webhooks.
 */
export class TransactionIndex {
	/** The number of entries without a payload, transaction, status or date. */
	unreadable = 0;

	private readonly byId = new Map<string, Draft>();

	/** By reference: events that have no transaction ID. */
	private readonly withoutId = new Map<string, Draft>();

	/** By reference: the transaction IDs that it occurs with. */
	private readonly idsOf = new Map<string, Set<string>>();

	/**
	 * By ID: other transactions, of which no event had a reference. Not all events have it, so a later entry may show
	 * that one of them is wanted.
	 */
	private readonly aside = new Map<string, Draft>();

	/** Whether `aside` was too small. */
	private hasForgotten = false;

	/** Whether a transaction turned out to be wanted after `aside` may have lost events of it: read the logs again. */
	isIncomplete = false;

	/** @param filter leaves out other transactions, to save memory; none by default */
	constructor(private readonly filter?: TransactionFilter) {}

	/** Call it before the logs are read again. */
	restart(): void {
		this.aside.clear();
		this.hasForgotten = this.isIncomplete = false;
	}

	/** @returns whether the entry can be read */
	add(log: IDataObject): boolean {
		const event = readEvent(log);
		if (event === undefined) return false;
		if (this.matchesFilter(event)) this.addTo(this.draftFor(event), event);
		else if (event.references.length === 0) this.setAside(event);
		return true;
	}

	private addTo(draft: Draft, event: LoggedEvent): void {
		const known = draft.states.get(event.status);
		draft.transactionId = eitherText(draft.transactionId, event.transactionId ?? '');
		draft.transactionType = eitherText(draft.transactionType, event.transactionType);
		draft.states.set(event.status, known ? merged(known, event) : event);
		this.addReferences(draft, event);
	}

	private setAside(event: LoggedEvent): void {
		const id = idempotencyKey(event.transactionId ?? '');
		const draft = this.aside.get(id) ?? emptyDraft();
		this.aside.set(id, draft);
		this.addTo(draft, event);
		if (this.aside.size <= MAX_ASIDE) return;
		this.aside.delete(this.aside.keys().next().value ?? '');
		this.hasForgotten = true;
	}

	/** All transactions, the last changed one first. */
	all(): Transaction[] {
		const alone = [...this.withoutId].filter(
			([reference]) => this.idsOf.get(reference)?.size !== 1,
		);
		return [
			...[...this.byId.values()].map((draft) => this.view(draft)),
			...alone.map(([, draft]) => toTransaction(draft)),
		].sort(byTime);
	}

	/**
	 * The transactions with a transaction ID or a reference, the last changed one first. There are several if the
	 * reference belongs to several.
	 */
	find({
		transactionId = '',
		reference = '',
	}: {
		transactionId?: string;
		reference?: string;
	}): Transaction[] {
		const key = idempotencyKey(reference);
		const ids = new Set(this.idsOf.get(key));
		const alone = ids.size === 1 ? undefined : this.withoutId.get(key);
		ids.add(idempotencyKey(transactionId));
		const drafts = [...ids].flatMap((id) => this.byId.get(id) ?? []);
		return [
			...drafts.map((draft) => this.view(draft)),
			...(alone ? [toTransaction(alone)] : []),
		].sort(byTime);
	}

	private matchesFilter({ transactionId, references }: LoggedEvent): boolean {
		const { filter } = this;
		if (!filter) return true;
		const id = transactionId === undefined ? undefined : idempotencyKey(transactionId);
		return (
			// Once a reference has led to a transaction, all its events match: not all may have the reference.
			(id !== undefined && (this.byId.has(id) || filter.transactionIds.has(id))) ||
			references.some((reference) => filter.references.has(idempotencyKey(reference)))
		);
	}

	private draftFor({ transactionId, references }: LoggedEvent): Draft {
		const drafts = transactionId === undefined ? this.withoutId : this.byId;
		const key = idempotencyKey(transactionId ?? references[0]);
		const known = drafts.get(key);
		if (known) return known;
		this.isIncomplete ||= this.hasForgotten;
		const draft = this.aside.get(key) ?? emptyDraft();
		this.aside.delete(key);
		drafts.set(key, draft);
		return draft;
	}

	private addReferences(draft: Draft, { references }: LoggedEvent): void {
		if (references.length) draft.reference = eitherText(draft.reference, references[0]);
		for (const reference of references.map(idempotencyKey)) {
			draft.references.add(reference);
			if (draft.transactionId === '') continue;
			const ids = this.idsOf.get(reference) ?? new Set();
			this.idsOf.set(reference, ids.add(idempotencyKey(draft.transactionId)));
		}
	}

	/** A transaction, with the events that have only its reference if no other transaction has that reference. */
	private view(draft: Draft): Transaction {
		const states = new Map(draft.states);
		for (const reference of draft.references) {
			const more = this.idsOf.get(reference)?.size === 1 && this.withoutId.get(reference);
			for (const state of more ? more.states.values() : []) {
				const known = states.get(state.status);
				states.set(state.status, known ? merged(known, state) : state);
			}
		}
		return toTransaction({ ...draft, states });
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

function toTransaction({ transactionId, reference, transactionType, states }: Draft): Transaction {
	const inOrder = [...states.values()].sort(
		(a, b) =>
			a.time - b.time || placeOf(a.status) - placeOf(b.status) || (a.status < b.status ? -1 : 1),
	);
	const hasEnded = inOrder.some(({ status }) => isFinalStatus(status));
	// A final status stays, whatever the time of a pending one. A status that isn't documented, such as a
	// reversal, may follow it. There is always a newest one, because each draft has a status.
	const newest = inOrder.findLast(
		({ status }) => !hasEnded || !PENDING_STATUSES.includes(status),
	) as LoggedState;
	const history = inOrder.map(toState);
	const { amount, asset } = inOrder.findLast((state) => state.amount !== '') ?? NO_AMOUNT;
	return {
		transactionId,
		reference,
		transactionType,
		status: newest.status,
		isFinal: isFinalStatus(newest.status),
		since: toState(newest).at,
		message: newest.message,
		transactionHash:
			inOrder.findLast((state) => state.transactionHash !== '')?.transactionHash ?? '',
		amount,
		asset,
		history,
		finalStates: history.filter(({ status }) => isFinalStatus(status)),
	};
}

function toState({ status, time }: LoggedState): State {
	return { status, at: new Date(time).toISOString() };
}

/** How many times the logs are read at most, to complete the transactions that the first pass found. */
const MAX_PASSES = 3;

/** How far back payments are looked up unless it is known when they were made: more than a month's payroll. */
export const LOOKBACK_DAYS = 31;

/** What to read of the logs. */
export interface ReadOptions extends Pick<LogRange, 'since' | 'setting'> {
	/** Asked after each page if the newest entries come first: whether reading ends, because all is known. */
	isEnough?: () => boolean;
}

/** What a reading of the logs covered. */
export interface Reading {
	/** When the newest entry was logged (milliseconds since 1970); undefined if there is none. */
	newest: number | undefined;
	/** How many entries were read. */
	count: number;
	/** Whether all entries were read, because the newest don't come first. */
	isUnordered: boolean;
}

/**
 * Reads the delivery logs into an index.
 *
 * @throws ServiceError if the logs can't be read
 */
export async function readLogs(
	service: Service,
	index: TransactionIndex,
	{ isEnough = () => false, ...range }: ReadOptions = {},
): Promise<Reading> {
	for (let pass = 1; ; pass++) {
		if (pass > 1) index.restart();
		let unreadable = 0;
		const reader = new LogReader(service, {}, range);
		for await (const logs of reader.pages()) {
			for (const log of logs) if (!index.add(log)) unreadable++;
			if (Date.now() > service.endsAt || (reader.isNewestFirst && isEnough())) break;
		}
		index.unreadable = Math.max(index.unreadable, unreadable);
		if (index.isIncomplete && pass < MAX_PASSES) continue;
		const { newest, count, isUnordered } = reader;
		return { newest: Number.isFinite(newest) ? newest : undefined, count, isUnordered };
	}
}
