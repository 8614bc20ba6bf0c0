import type { IDataObject } from 'n8n-workflow';

import type { OutputShape } from '../fields/form';
import { normalizeText } from '../fields/text';
import { TRANSACTION_EVENTS, TRANSACTION_TYPES } from '../service/enums';
import { isObject } from '../service/responses';
import { EVENT } from './event';

/** Section 2.8. */
export const LOG: OutputShape = {
	id: 'string',
	webhookId: 'string',
	name: 'string',
	webhookUrl: 'string',
	status: 'string',
	payload: EVENT,
	statusCode: 'integer',
	duration: 'number',
	retries: 'integer',
	createdAt: 'string',
	updatedAt: 'string',
};

/** When an entry was written (milliseconds since 1970); now if it has no readable date. */
export function entryTime(log: IDataObject): number {
	const time = entryDate(log);
	return Number.isNaN(time) ? Date.now() : time;
}

/** The same, but NaN without a readable date. */
export function entryDate({ createdAt, updatedAt, payload }: IDataObject): number {
	return (
		firstTime([createdAt, updatedAt, isObject(payload) ? payload.timestamp : undefined]) ?? NaN
	);
}

/** The first value that is a text with a date (milliseconds since 1970). */
export function firstTime(values: unknown[]): number | undefined {
	return values
		.map((value) => (typeof value === 'string' ? Date.parse(value) : NaN))
		.find((time) => !Number.isNaN(time));
}

/** The event of an entry, which is an object or its JSON text; undefined if there is none. */
export function payloadIn({ payload }: IDataObject): IDataObject | undefined {
	if (typeof payload !== 'string') return isObject(payload) ? payload : undefined;
	try {
		const parsed: unknown = JSON.parse(payload);
		return isObject(parsed) ? parsed : undefined;
	} catch {
		return undefined;
	}
}

const KNOWN_STATUSES = TRANSACTION_EVENTS.map(({ value }) => value);
const KNOWN_TYPES = TRANSACTION_TYPES.map(({ value }) => value);

/** The amount of a transaction, from its newest event that has one. */
export interface AmountAndAsset {
	/** Empty if no event has it. */
	amount: string;
	/** Empty if the event doesn't have it next to the amount, or has several. */
	asset: string;
}

/** The fields that have a reference or a transaction ID in any request or response of the interface. */
const REFERENCE_FIELDS = ['externalReference', 'external_reference', 'referenceId', 'reference_id'];
const ID_FIELDS = ['transactionId', 'transaction_id'];

/** The fields that may have an amount or its currency. Only `amount` and `asset` are documented (section 6.1). */
const AMOUNT_FIELDS = ['amount', 'fiatAmount'];
const ASSET_FIELDS = ['asset', 'currency', 'currency_type', 'currencyType', 'fiatCurrency'];

/** Where these fields may be, in addition to the top level. Only `details` is documented (section 6.1). */
const PARTS = ['details', 'data', 'transaction', 'transactions'];

/** The identifiers of the transaction that a payload is about. */
export function identifiersIn(payload: IDataObject): {
	transactionId: string | undefined;
	references: string[];
} {
	const [top, ...inner] = partsOf(payload);
	return {
		transactionId: textsIn([...inner, top], ID_FIELDS)[0],
		references: textsIn([top, ...inner], REFERENCE_FIELDS),
	};
}

/** The payload, its parts, and their parts. */
function partsOf(payload: IDataObject): IDataObject[] {
	const below = (part: IDataObject): IDataObject[] =>
		PARTS.map((name) => part[name])
			// A list with several entries would be about several transactions.
			.map((value) => (Array.isArray(value) && value.length === 1 ? (value[0] as unknown) : value))
			.filter(isObject);
	const inner = below(payload);
	return [payload, ...inner, ...inner.flatMap(below)];
}

/** The texts of some fields, by part and then by field. */
function textsIn(parts: IDataObject[], fields: string[]): string[] {
	return parts.flatMap((part) =>
		fields
			.map((field) => part[field])
			.map((value) => (typeof value === 'number' ? String(value) : value))
			.filter((value): value is string => typeof value === 'string')
			.map(normalizeText)
			.filter((text) => text !== ''),
	);
}

export const NO_AMOUNT: AmountAndAsset = { amount: '', asset: '' };

/** The first amount, with the currency next to it; without one if there are several. */
function amountIn(parts: IDataObject[]): AmountAndAsset {
	for (const part of parts) {
		const [amount] = textsIn([part], AMOUNT_FIELDS);
		const [asset, ...others] = new Set(textsIn([part], ASSET_FIELDS));
		if (amount !== undefined) return { amount, asset: others.length ? '' : (asset ?? '') };
	}
	return NO_AMOUNT;
}

/** What an event in the delivery logs says about a transaction. */
export interface LoggedEvent extends AmountAndAsset {
	transactionId: string | undefined;
	references: string[];
	transactionType: string;
	status: string;
	/** The time of the event, or else of its log entry (milliseconds since 1970). */
	time: number;
	/** Whether it is the time of the event. */
	isOwnTime: boolean;
	message: string;
	transactionHash: string;
}

/** @returns undefined for an entry without a transaction, a status or a time */
export function readEvent(log: IDataObject): LoggedEvent | undefined {
	const payload = payloadIn(log);
	if (payload === undefined) return undefined;
	const parts = partsOf(payload);
	const [top, ...inner] = parts;
	const { transactionId, references } = identifiersIn(payload);
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
		...amountIn([...inner, top]),
	};
}
