import type { IDataObject } from 'n8n-workflow';

/*
 * The events of transactions as a service may send them: documented statuses and others, payloads of the documented
 * shape and of likely ones, identifiers in capitals.
 */

/** The documented statuses. */
export const STATUSES = [
	'completed_transaction',
	'failed_transaction',
	'pending_transaction',
	'processing_transaction',
	'reject_transaction',
	'expired_transaction',
] as const;

/** Statuses that a service may have, too. No trigger can choose them, and none leaves them out. */
export const OTHER_STATUSES = ['reversed_transaction', 'On hold'] as const;

/** The documented statuses that do not change any more, as Get Status lists them. */
export const FINAL: string[] = [
	'completed_transaction',
	'reject_transaction',
	'failed_transaction',
	'expired_transaction',
];

/** The types of transactions: documented ones, another one, and none. */
export const TYPES = [
	'withdrawal_crypto',
	'deposit_crypto',
	'withdrawal_ach',
	'withdrawal_card',
	'',
] as const;

export const isDocumented = (status: string): boolean =>
	(STATUSES as readonly string[]).includes(status);

/** A transaction, of which each status is an event. */
export interface Transaction {
	id: string;
	reference: string;
	type: string;
	statuses: string[];
}

/** A change of a transaction, which the service sends to webhooks. */
export interface TransactionEvent {
	/** Its transaction and status as n8n's log names them; without a colon if the log names something else. */
	name: string;
	/** A text that no other event has, somewhere in its payload. */
	mark: string;
	status: string;
	transaction: Transaction;
	/** Whether its payload has the identifier of the transaction. Without one, the content identifies the event. */
	isNamed: boolean;
	/** Whether its payload has the reference of the transaction. */
	hasReference: boolean;
	/** When it happened, by the service's clock (milliseconds since 1970). */
	date: number;
	payload: IDataObject;
	/** The same event in other letters or with its fields in another order. */
	respelled: IDataObject;
}

/** The text that only the event of a payload has. */
export function markIn(payload: IDataObject): string | undefined {
	return /event-\d+\./.exec(JSON.stringify(payload))?.[0];
}

/** What an event is made of. */
interface Parts {
	transaction: Transaction;
	status: string;
	mark: string;
	/** Nothing if its payload has no identifier. */
	id: string | undefined;
	timestamp: string | number;
}

const typed = (name: string, { type }: Transaction): IDataObject =>
	type === '' ? {} : { [name]: type };

const named = (name: string, id: string | undefined): IDataObject =>
	id === undefined ? {} : { [name]: id };

/** The payload of section 6.1. */
const documented = ({ transaction, status, mark, id, timestamp }: Parts): IDataObject => ({
	externalReference: transaction.reference,
	status,
	...typed('transactionType', transaction),
	timestamp,
	details: { amount: '1.00', asset: 'USDC', message: mark, ...named('transactionId', id) },
});

/** Likely payloads of what is not documented. In all of them, the first documented status is that of the event. */
const SHAPES: Array<(parts: Parts) => IDataObject> = [
	documented,
	// Section 6.2.
	(parts) => {
		const { details, ...payload } = documented(parts);
		delete payload.externalReference;
		return { ...payload, details: { ...(details as IDataObject), walletId: 'wallet' } };
	},
	// An envelope, whose name is the status.
	({ transaction, status, mark, id, timestamp }) => ({
		event: status,
		timestamp,
		data: {
			external_reference: transaction.reference,
			...typed('transaction_type', transaction),
			...named('transaction_id', id),
			message: mark,
		},
	}),
	// Like the answer to a bank payout.
	({ transaction, status, mark, id, timestamp }) => ({
		external_reference: transaction.reference,
		...typed('transaction_type', transaction),
		timestamp,
		transactions: [{ ...named('transaction_id', id), status, message: mark }],
	}),
	// An envelope with a name of its own, and a list.
	({ transaction, status, mark, id, timestamp }) => ({
		...(isDocumented(status) && { event: 'transaction.updated', status: 'success' }),
		timestamp,
		data: {
			externalReference: transaction.reference,
			...typed('transactionType', transaction),
			transaction: { ...(id !== undefined && { id }), status, message: mark },
		},
	}),
	// The details have a status as well, which is not that of the event.
	(parts) => {
		const payload = documented(parts);
		if (!isDocumented(parts.status)) return payload;
		const other = parts.status === STATUSES[3] ? STATUSES[2] : STATUSES[3];
		return { ...payload, details: { ...(payload.details as IDataObject), status: other } };
	},
];

export const SHAPE_COUNT = SHAPES.length;

/** The shape without a reference. */
const WITHOUT_REFERENCE = 1;

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/** A UUID with letters. */
export function uuidOf(kind: string, number: number): string {
	return `${kind}-bbfd-4b2d-9b5d-${number.toString(16).padStart(12, '0')}`;
}

/** A payload with its fields in another order and, if they identify something, in capitals. */
function respell(value: unknown, isNamed: boolean): unknown {
	if (Array.isArray(value)) return value.map((one: unknown) => respell(one, isNamed));
	if (typeof value === 'object' && value !== null) {
		const entries = Object.entries(value).reverse();
		return Object.fromEntries(entries.map(([name, one]) => [name, respell(one, isNamed)]));
	}
	if (typeof value !== 'string' || !isNamed) return value;
	const isWord = isDocumented(value) || (value !== '' && TYPES.some((type) => type === value));
	return isWord || UUID.test(value) ? value.toUpperCase() : value;
}

/** @param shape any number */
export function eventOf(
	transaction: Transaction,
	status: string,
	number: number,
	{
		shape,
		isNamed,
		date,
		timestamp,
	}: { shape: number; isNamed: boolean; date: number; timestamp: string | number },
): TransactionEvent {
	const mark = `event-${number}.`;
	const id = isNamed ? transaction.id : undefined;
	// Without an identifier and a reference, nothing tells whose event it is.
	const form = shape % SHAPE_COUNT === WITHOUT_REFERENCE && !isNamed ? 0 : shape % SHAPE_COUNT;
	const payload = SHAPES[form]({ transaction, status, mark, id, timestamp });
	const isPlain = isNamed && /^\w+$/.test(status);
	return {
		name: isPlain ? `${transaction.id}:${status}` : mark,
		mark,
		status,
		transaction,
		isNamed,
		hasReference: form !== WITHOUT_REFERENCE,
		date,
		payload,
		respelled: respell(payload, isNamed) as IDataObject,
	};
}

/** How a service may write a moment (milliseconds since 1970). */
export const DATE_STYLES = {
	iso: (date: number) => new Date(date).toISOString(),
	east: (date: number) => new Date(date + 5.5 * 3_600_000).toISOString().replace('Z', '+05:30'),
	west: (date: number) => new Date(date - 4 * 3_600_000).toISOString().replace('Z', '-04:00'),
	/** It is UTC. */
	'no zone': (date: number) => new Date(date).toISOString().replace('T', ' ').replace('Z', ''),
	milliseconds: (date: number) => date,
	seconds: (date: number) => Math.floor(date / 1000),
	'text of seconds': (date: number) => String(date / 1000),
} satisfies Record<string, (date: number) => string | number>;

export type DateStyle = keyof typeof DATE_STYLES;
