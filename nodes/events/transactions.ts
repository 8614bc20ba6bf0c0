import type { IDataObject } from 'n8n-workflow';

import { referenceKey, sameText } from '../fields/text';
import { isObject } from '../service/answers';
import type { Service } from '../service/transport';
import { TRANSACTION_EVENTS, TRANSACTION_TYPES } from '../service/vocabulary';
import { firstTime, payloadIn, timeOf } from './logEntry';
import { readLogPages } from './logPages';

/** A transaction as the logs tell of it. */
export interface Transaction extends Worth {
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

/** What a transaction is about, as its newest event tells that tells an amount. */
export interface Worth {
	/** Empty where no event tells it. */
	amount: string;
	/** Empty where none tells it beside the amount, and where one tells several. */
	asset: string;
}

/** A state, and when a transaction came to it. */
export interface State {
	status: string;
	at: string;
}

/** What to keep of the logs: keys of references and transaction IDs (see `referenceKey`). */
export interface Wanted {
	references: ReadonlySet<string>;
	transactionIds: ReadonlySet<string>;
}

/** Section 3.1: the states that nothing is documented to come after, and those on the way to them. */
const FINAL = [
	'completed_transaction',
	'reject_transaction',
	'failed_transaction',
	'expired_transaction',
];
const UNDER_WAY = ['pending_transaction', 'processing_transaction'];

function isFinalStatus(status: string): boolean {
	return FINAL.includes(status);
}

const KNOWN_STATUSES = TRANSACTION_EVENTS.map(({ value }) => value);
const KNOWN_TYPES = TRANSACTION_TYPES.map(({ value }) => value);

/** The names under which the interface has a reference and a transaction ID, in whatever request or answer. */
const REFERENCE_NAMES = ['externalReference', 'external_reference', 'referenceId', 'reference_id'];
const ID_NAMES = ['transactionId', 'transaction_id'];

/** The names of an amount and of its currency: only section 6.1's `amount` and `asset` are documented. */
const AMOUNT_NAMES = ['amount', 'fiatAmount'];
const ASSET_NAMES = ['asset', 'currency', 'currency_type', 'currencyType', 'fiatCurrency'];

/** Where they may be, beside the top level: only section 6.1's `details` is documented. */
const PARTS = ['details', 'data', 'transaction', 'transactions'];

/** Which transaction a payload is about, by every name that it has. */
export function namesIn(payload: IDataObject): {
	transactionId: string | undefined;
	references: string[];
} {
	const [top, ...inner] = partsOf(payload);
	return {
		transactionId: textsIn([...inner, top], ID_NAMES)[0],
		references: textsIn([top, ...inner], REFERENCE_NAMES),
	};
}

/** The payload, what is in its parts, and what is in theirs. */
function partsOf(payload: IDataObject): IDataObject[] {
	const below = (part: IDataObject): IDataObject[] =>
		PARTS.map((name) => part[name])
			// A list of several would be about several transactions.
			.map((value) => (Array.isArray(value) && value.length === 1 ? (value[0] as unknown) : value))
			.filter(isObject);
	const inner = below(payload);
	return [payload, ...inner, ...inner.flatMap(below)];
}

/** The texts under some names, by part and then by name. */
function textsIn(parts: IDataObject[], names: string[]): string[] {
	return parts.flatMap((part) =>
		names
			.map((name) => part[name])
			.map((value) => (typeof value === 'number' ? String(value) : value))
			.filter((value): value is string => typeof value === 'string')
			.map(sameText)
			.filter((text) => text !== ''),
	);
}

const NO_WORTH: Worth = { amount: '', asset: '' };

/** An amount and the currency beside it. Of two currencies neither is taken. */
function worthIn(parts: IDataObject[]): Worth {
	for (const part of parts) {
		const [amount] = textsIn([part], AMOUNT_NAMES);
		const [asset, ...others] = new Set(textsIn([part], ASSET_NAMES));
		if (amount !== undefined) return { amount, asset: others.length ? '' : (asset ?? '') };
	}
	return NO_WORTH;
}

/** An event, as far as it matters here. */
interface Event extends Worth {
	transactionId: string | undefined;
	references: string[];
	transactionType: string;
	status: string;
	/** Milliseconds since 1970: the event's own time, or else that of the entry. */
	time: number;
	isOwnTime: boolean;
	message: string;
	transactionHash: string;
}

/** @returns nothing for an entry that does not tell which transaction came to which state, and when */
function readEvent(log: IDataObject): Event | undefined {
	const payload = payloadIn(log);
	if (payload === undefined) return undefined;
	const parts = partsOf(payload);
	const [top, ...inner] = parts;
	const { transactionId, references } = namesIn(payload);
	const statuses = textsIn(parts, ['status', 'transactionStatus', 'transaction_status', 'event']);
	const status = statuses.find((text) => KNOWN_STATUSES.includes(text)) ?? statuses[0];
	const ownTime = firstTime(parts.map(({ timestamp }) => timestamp));
	const time = ownTime ?? firstTime([log.createdAt, log.updatedAt]);
	if (status === undefined || time === undefined) return undefined;
	if (transactionId === undefined && references.length === 0) return undefined;
	return {
		transactionId,
		references,
		transactionType:
			textsIn(parts, ['transactionType', 'transaction_type'])[0] ??
			textsIn(parts, ['type']).find((text) => KNOWN_TYPES.includes(text)) ??
			'',
		status,
		time,
		isOwnTime: ownTime !== undefined,
		message: textsIn([...inner, top], ['message'])[0] ?? '',
		transactionHash: textsIn([...inner, top], ['transactionHash', 'transaction_hash'])[0] ?? '',
		...worthIn([...inner, top]),
	};
}

type LoggedState = Worth &
	Pick<Event, 'status' | 'time' | 'isOwnTime' | 'message' | 'transactionHash'>;

/** A transaction while its events are gathered. Nothing in it depends on the order in which they come. */
interface Draft {
	transactionId: string;
	reference: string;
	references: Set<string>;
	transactionType: string;
	states: Map<string, LoggedState>;
}

/** Of two texts of the same thing, the one that is there; of two that are, always the same one. */
function eitherText(a: string, b: string): string {
	if (a === '' || b === '') return a || b;
	return a < b ? a : b;
}

/** The same for what a transaction is about: rather the one that tells more. */
function eitherWorth(a: Worth, b: Worth): Worth {
	const told = ({ amount, asset }: Worth) => Number(amount !== '') + Number(asset !== '');
	if (told(a) !== told(b)) return told(a) > told(b) ? a : b;
	return `${a.amount} ${a.asset}` < `${b.amount} ${b.asset}` ? a : b;
}

/** Of two events of the same state, its first: attempts to deliver it are logged later and later. */
function merged(a: LoggedState, b: LoggedState): LoggedState {
	const isFirst = a.isOwnTime === b.isOwnTime ? a.time <= b.time : a.isOwnTime;
	const { time, isOwnTime } = isFirst ? a : b;
	const { amount, asset } = eitherWorth(a, b);
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
type Told = 'new' | 'known' | 'nothing';

/**
 * The transactions that log entries tell of, whichever order the entries come in. An event is known by
 * transaction and state: however often it was sent, and to however many webhooks, it counts once.
 */
export class TransactionBook {
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
	constructor(private readonly wanted?: Wanted) {}

	add(log: IDataObject): Told {
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
		transactionId,
		reference,
	}: {
		transactionId?: string;
		reference?: string;
	}): Transaction[] {
		const ids = new Set(reference === undefined ? [] : this.idsOf.get(reference));
		const alone =
			reference !== undefined && ids.size !== 1 ? this.withoutId.get(reference) : undefined;
		if (transactionId !== undefined) ids.add(transactionId);
		const drafts = [...ids].map((id) => this.byId.get(id)).filter((draft) => draft !== undefined);
		return [
			...drafts.map((draft) => this.view(draft)),
			...(alone ? [toTransaction(alone)] : []),
		].sort(byTime);
	}

	private isWanted({ transactionId, references }: Event): boolean {
		if (!this.wanted) return true;
		const id = transactionId === undefined ? undefined : referenceKey(transactionId);
		return (
			// Once a reference has led to a transaction, all its events are wanted: not each may name it.
			(id !== undefined && (this.byId.has(id) || this.wanted.transactionIds.has(id))) ||
			references.some((reference) => this.wanted?.references.has(referenceKey(reference)))
		);
	}

	private draftFor({ transactionId, references }: Event): Draft {
		const drafts = transactionId === undefined ? this.withoutId : this.byId;
		const key = referenceKey(transactionId ?? references[0]);
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
	private addReferences(draft: Draft, { references }: Event): boolean {
		let isNew = false;
		if (references.length) draft.reference = eitherText(draft.reference, references[0]);
		for (const reference of references.map(referenceKey)) {
			isNew ||= !draft.references.has(reference);
			draft.references.add(reference);
			if (draft.transactionId === '') continue;
			const ids = this.idsOf.get(reference) ?? new Set();
			this.idsOf.set(reference, ids.add(referenceKey(draft.transactionId)));
		}
		return isNew;
	}

	/** A transaction together with the events that name only its reference, where that is no other's. */
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

function stateOf(event: Event): LoggedState {
	const { status, time, isOwnTime, message, transactionHash, amount, asset } = event;
	return { status, time, isOwnTime, message, transactionHash, amount, asset };
}

const byTime = (a: Transaction, b: Transaction): number =>
	b.since.localeCompare(a.since) || a.transactionId.localeCompare(b.transactionId);

/** States at the same moment: as a transaction goes through them. */
const PLACES = [UNDER_WAY[0], UNDER_WAY[1], undefined, ...FINAL];

const placeOf = (status: string): number =>
	PLACES.includes(status) ? PLACES.indexOf(status) : PLACES.indexOf(undefined);

function toTransaction({ transactionId, reference, transactionType, states }: Draft): Transaction {
	const inOrder = [...states.values()].sort(
		(a, b) =>
			a.time - b.time || placeOf(a.status) - placeOf(b.status) || (a.status < b.status ? -1 : 1),
	);
	const hasEnded = inOrder.some(({ status }) => isFinalStatus(status));
	// A final state stays, whatever time an event on the way to it has. One that is not documented may
	// be a way out of it, such as a reversal.
	const newest = inOrder.findLast(({ status }) => !hasEnded || !UNDER_WAY.includes(status));
	const history = inOrder.map(toState);
	const { amount, asset } = inOrder.findLast((state) => state.amount !== '') ?? NO_WORTH;
	return {
		transactionId,
		reference,
		transactionType,
		status: newest?.status ?? '',
		isFinal: isFinalStatus(newest?.status ?? ''),
		since: newest ? toState(newest).at : '',
		message: newest?.message ?? '',
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
 * So often the pages are gone through. What arrives or leaves meanwhile moves entries from page to
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
	book: TransactionBook,
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
			newest = Math.max(newest ?? -Infinity, timeOf(log));
		}
		book.passedOver = Math.max(book.passedOver, passedOver);
		if (!isNew) break;
	}
	return newest;
}
