import { createHash } from 'node:crypto';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { OutputShape } from '../fields/form';
import { isObject } from '../service/responses';
import { TRANSACTION_EVENTS } from '../service/enums';

/** Section 6.1, which 6.2 differs from in `externalReference` and `details.walletId`. */
export const EVENT: OutputShape = {
	externalReference: 'string',
	status: 'string',
	transactionType: 'string',
	timestamp: 'string',
	details: {
		amount: 'string',
		asset: 'string',
		blockchain: 'string',
		transactionHash: 'string',
		message: 'string',
		transactionId: 'string',
	},
};

/**
 * The output item of an event (section 6): the payload as it came, or flattened. A workflow cannot
 * tell whether it came by a delivery, by catching up or by a replay.
 */
export function eventItem(payload: IDataObject, simplify: boolean): INodeExecutionData {
	return { json: simplify ? flatten(payload) : payload };
}

/** The fields of `details` beside the others; where a name is taken, `details_` comes before it. */
function flatten(payload: IDataObject): IDataObject {
	const { details, ...rest } = payload;
	if (!isObject(details)) return payload;
	const names = new Set([...Object.keys(rest), ...Object.keys(details)]);
	const free = (name: string): string => (names.has(name) ? free(`details_${name}`) : name);
	// From entries: assigning to a field named `__proto__` would change the object itself.
	return Object.fromEntries([
		...Object.entries(rest),
		...Object.entries(details).map(([name, value]): [string, typeof value] => {
			if (!Object.hasOwn(rest, name)) return [name, value];
			const other = free(`details_${name}`);
			names.add(other);
			return [other, value];
		}),
	]);
}

/**
 * What an event is recognised by: transaction and status. The same transaction comes once in each
 * status, however often it is delivered. Without a transaction identifier the content decides.
 */
export function eventKey(payload: IDataObject): string {
	const transactionId = transactionIdOf(payload);
	const status = statusOf(payload);
	if (transactionId === undefined || typeof status !== 'string') {
		return `partnerPayments:${sha256(canonicalJson(payload))}`;
	}
	return PLAIN.test(transactionId) && PLAIN.test(status)
		? `partnerPayments:${transactionId}:${status}`
		: `partnerPayments:${sha256(JSON.stringify([transactionId, status]))}`;
}

/** The transaction that an event is about, if it names one. */
export function transactionIdOf(payload: IDataObject): string | undefined {
	const details = isObject(payload.details) ? payload.details : {};
	return [
		details.transactionId,
		details.transaction_id,
		payload.transactionId,
		payload.transaction_id,
	].find((id): id is string => typeof id === 'string' && id !== '');
}

function statusOf(payload: IDataObject): unknown {
	const details = isObject(payload.details) ? payload.details : {};
	return payload.status ?? payload.transactionStatus ?? details.status;
}

/** Which events a trigger wants. */
export interface EventFilter {
	/** Names of events; none for all. */
	events: string[];
	/** Types of transactions; none for all. */
	transactionTypes: string[];
}

const KNOWN_EVENTS = new Set(TRANSACTION_EVENTS.map(({ value }) => value));

/**
 * Reads the filter from the trigger's form.
 *
 * @param parameter reads a parameter: n8n's contexts have different signatures for it
 */
export function readFilter(parameter: (name: string, fallback: unknown) => unknown): EventFilter {
	const { transactionTypes = [], otherTransactionTypes = '' } = parameter('filters', {}) as {
		transactionTypes?: string[];
		otherTransactionTypes?: string;
	};
	const others = String(otherTransactionTypes).split(',');
	return {
		events: parameter('events', []) as string[],
		transactionTypes: [...transactionTypes, ...others.map((type) => type.trim())].filter(
			(type) => type !== '',
		),
	};
}

/** Whether a filter lets an event through. One with a status that is not documented passes. */
export function isWanted({ events, transactionTypes }: EventFilter, payload: IDataObject): boolean {
	const status = statusOf(payload);
	const isKnown = KNOWN_EVENTS.has(status as string);
	if (isKnown && events.length > 0 && !events.includes(status as string)) return false;
	return (
		transactionTypes.length === 0 || transactionTypes.includes(payload.transactionType as string)
	);
}

/** Texts that can be joined in a key without becoming ambiguous. */
const PLAIN = /^[\w-]+$/;

function sha256(text: string): string {
	return createHash('sha256').update(text).digest('hex');
}

/** JSON with sorted keys, so that the order in which a sender writes them does not matter. */
function canonicalJson(value: unknown): string {
	return JSON.stringify(value, (_, entry: unknown) =>
		isObject(entry)
			? Object.fromEntries(Object.entries(entry).sort(([a], [b]) => (a < b ? -1 : 1)))
			: entry,
	);
}
