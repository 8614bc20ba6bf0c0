import type { IDataObject } from 'n8n-workflow';

import { idempotencyKey } from '../fields/text';
import type { Service } from '../service/transport';
import { FINAL_STATUSES, PENDING_STATUSES } from '../service/enums';
import { entryTime } from './logEntry';
import { NO_AMOUNT, readEvent, type LoggedEvent, type AmountAndAsset } from './loggedEvent';
import { readLogPages } from './logPages';

/** A transaction as the logs tell of it. */
export interface Transaction extends AmountAndAsset {
	/** Empty where its events name none. */
	transactionId: string;
	/** Empty where its events name none: a crypto deposit has none (section 6.2). */
	reference: string;
	transactionType: string;
	/** Its newest state, in the service's own words. */
	status: string;
	isFinal: boolean;
	/** When it came to this state, as an ISO 8601 text. */
	since: string;
	/** What the service said of this state. */
	message: string;
	transactionHash: string;
	/** Its states in the order of their own time. */
	history: State[];
	/** More than one of them means that the logs contradict themselves. */
	finalStates: State[];
}

/** A state, and when a transaction came to it. */
interface State {
	status: string;
	at: string;
}

/** Which transactions to keep of the logs: keys of references and transaction IDs (see `referenceKey`). */
interface TransactionFilter {
	references: ReadonlySet<string>;
	transactionIds: ReadonlySet<string>;
}

function isFinalStatus(status: string): boolean {
	return FINAL_STATUSES.includes(status);
}

type LoggedState = AmountAndAsset &
	Pick<LoggedEvent, 'status' | 'time' | 'isOwnTime' | 'message' | 'transactionHash'>;

/** A transaction while its events are gathered. Nothing in it depends on the order in which they come. */
interface Draft {
	transactionId: string;
	reference: string;
	references: Set<string>;
	transactionType: string;
	states: Map<string, LoggedState>;
}

/** One of two texts for the same thing: the one that is not empty; of two, always the same one. */
function eitherText(a: string, b: string): string {
	if (a === '' || b === '') return a || b;
	return a < b ? a : b;
}

/** The same for what a transaction is about: the one that tells more is preferred. */
function eitherAmount(a: AmountAndAsset, b: AmountAndAsset): AmountAndAsset {
	const told = ({ amount, asset }: AmountAndAsset) => Number(amount !== '') + Number(asset !== '');
	if (told(a) !== told(b)) return told(a) > told(b) ? a : b;
	return `${a.amount} ${a.asset}` < `${b.amount} ${b.asset}` ? a : b;
}

/** Of two events of the same state, its first: attempts to deliver it are logged later and later. */
function merged(a: LoggedState, b: LoggedState): LoggedState {
	const isFirst = a.isOwnTime === b.isOwnTime ? a.time <= b.time : a.isOwnTime;
	const { time, isOwnTime } = isFirst ? a : b;
	const { amount, asset } = eitherAmount(a, b);
	return {
		status: a.status,
		time,
		isOwnTime,
		message: eitherText(a.message, b.message),
		transactionHash: eitherText(a.transactionHash, b.transactionHash),
		amount,
		asset,
	};
}

/** What became of an entry: it told something new, nothing new (or nothing that is wanted), or nothing at all. */
type Addition = 'new' | 'known' | 'nothing';

/**
 * The transactions that log entries tell of, whichever order the entries come in. An event is known by
 * transaction and state: however often it was sent, and to however many webhooks, it counts once.
 */
export class TransactionIndex {
	/** Entries without a payload, transaction, state or date, which tell nothing. */
	passedOver = 0;

	private readonly byId = new Map<string, Draft>();

	/** By reference: events that name no transaction ID. */
	private readonly withoutId = new Map<string, Draft>();

	/** Keys of the transaction IDs that go with a reference. */
	private readonly idsOf = new Map<string, Set<string>>();

	/**
	 * @param wanted keeps memory small: everything else is left out; left out itself, all is kept
	 */
	constructor(private readonly wanted?: TransactionFilter) {}

	add(log: IDataObject): Addition {
		const event = readEvent(log);
		if (event === undefined) return 'nothing';
		if (!this.isWanted(event)) return 'known';
		const draft = this.draftFor(event);
		const known = draft.states.get(event.status);
		const leadsFurther = this.addReferences(draft, event);
		draft.transactionType = eitherText(draft.transactionType, event.transactionType);
		draft.states.set(event.status, known ? merged(known, event) : stateOf(event));
		return known === undefined || leadsFurther ? 'new' : 'known';
	}

	/** All transactions, the newest change first. */
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
	 * The transactions of a transaction ID and a reference (their keys), the newest change first. More
	 * than one where the reference belongs to several.
	 */
	find({
		transactionId = '',
		reference = '',
	}: {
		transactionId?: string;
		reference?: string;
	}): Transaction[] {
		const ids = new Set(this.idsOf.get(reference));
		const alone = ids.size === 1 ? undefined : this.withoutId.get(reference);
		const drafts = [...ids.add(transactionId)].flatMap((id) => this.byId.get(id) ?? []);
		return [
			...drafts.map((draft) => this.view(draft)),
			...(alone ? [toTransaction(alone)] : []),
		].sort(byTime);
	}

	private isWanted({ transactionId, references }: LoggedEvent): boolean {
		if (!this.wanted) return true;
		const id = transactionId === undefined ? undefined : idempotencyKey(transactionId);
		return (
			// Once a reference has led to a transaction, all its events are wanted: not each may name it.
			(id !== undefined && (this.byId.has(id) || this.wanted.transactionIds.has(id))) ||
			references.some((reference) => this.wanted?.references.has(idempotencyKey(reference)))
		);
	}

	private draftFor({ transactionId, references }: LoggedEvent): Draft {
		const drafts = transactionId === undefined ? this.withoutId : this.byId;
		const key = idempotencyKey(transactionId ?? references[0]);
		let draft = drafts.get(key);
		if (!draft) {
			draft = {
				transactionId: transactionId ?? '',
				reference: '',
				references: new Set(),
				transactionType: '',
				states: new Map(),
			};
			drafts.set(key, draft);
		}
		draft.transactionId = eitherText(draft.transactionId, transactionId ?? '');
		return draft;
	}

	/** @returns whether one of them was not known */
	private addReferences(draft: Draft, { references }: LoggedEvent): boolean {
		let isNew = false;
		if (references.length) draft.reference = eitherText(draft.reference, references[0]);
		for (const reference of references.map(idempotencyKey)) {
			isNew ||= !draft.references.has(reference);
			draft.references.add(reference);
			if (draft.transactionId === '') continue;
			const ids = this.idsOf.get(reference) ?? new Set();
			this.idsOf.set(reference, ids.add(idempotencyKey(draft.transactionId)));
		}
		return isNew;
	}

	/** A transaction with the events that name only its reference, if no other transaction has that reference. */
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

function stateOf(event: LoggedEvent): LoggedState {
	const { status, time, isOwnTime, message, transactionHash, amount, asset } = event;
	return { status, time, isOwnTime, message, transactionHash, amount, asset };
}

const byTime = (a: Transaction, b: Transaction): number =>
	b.since.localeCompare(a.since) || a.transactionId.localeCompare(b.transactionId);

/** The order of states at the same moment: the order in which a transaction goes through them. */
const PLACES = [...PENDING_STATUSES, undefined, ...FINAL_STATUSES];

const placeOf = (status: string): number =>
	PLACES.includes(status) ? PLACES.indexOf(status) : PLACES.indexOf(undefined);

function toTransaction({ transactionId, reference, transactionType, states }: Draft): Transaction {
	const inOrder = [...states.values()].sort(
		(a, b) =>
			a.time - b.time || placeOf(a.status) - placeOf(b.status) || (a.status < b.status ? -1 : 1),
	);
	const hasEnded = inOrder.some(({ status }) => isFinalStatus(status));
	// A final state stays, whatever time an event of an earlier state has. A state that is not documented
	// may come after it, such as a reversal. There always is one: each draft has a state.
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

/**
 * How many times the pages are read at most. What arrives or leaves meanwhile moves entries from page to
 * page, and an event may name less than a later page tells of its transaction.
 */
const MAX_PASSES = 3;

/**
 * Reads the logs (section 4.12: `GET /v2/webhooks/logs`) into a book: again and again, until a pass adds
 * nothing to it.
 *
 * @param since leaves out what was logged before, in milliseconds since 1970
 * @returns when the newest entry was logged; undefined when there is none
 */
export async function readLogs(
	service: Service,
	book: TransactionIndex,
	since?: number,
): Promise<number | undefined> {
	let newest: number | undefined;
	for (let pass = 0; pass < MAX_PASSES; pass++) {
		let isNew = false;
		let passedOver = 0;
		for await (const log of readLogPages(service, {}, { since })) {
			const told = book.add(log);
			isNew ||= told === 'new';
			if (told === 'nothing') passedOver++;
			newest = Math.max(newest ?? -Infinity, entryTime(log));
		}
		book.passedOver = Math.max(book.passedOver, passedOver);
		if (!isNew) break;
	}
	return newest;
}
