import type { IDataObject } from 'n8n-workflow';

import { normalizeText } from '../fields/text';
import { TRANSACTION_EVENTS, TRANSACTION_TYPES } from '../service/enums';
import { matches, MAX_EXAMINED, startOf } from '../service/outsideText';
import { isObject } from '../service/json';

/** The amount of a transaction, from its newest event that has one. */
export interface AmountAndAsset {
	/** Empty if no event has it. */
	amount: string;
	/** Empty if the event doesn't have it next to the amount, or has several. */
	asset: string;
}

/** What the payload of an event says about a transaction. Texts are empty if it doesn't say it. */
export interface EventFacts extends AmountAndAsset {
	transactionId: string | undefined;
	references: string[];
	transactionType: string;
	status: string | undefined;
	/** When it happened (milliseconds since 1970). */
	time: number | undefined;
	message: string;
	transactionHash: string;
}

/**
 * Where fields may be, in addition to the top level. Only `details` is documented (section 6.1), and only for crypto
 * transactions: payloads of bank and QR transactions aren't described.
 */
const PARTS = ['details', 'data', 'payload', 'event', 'transaction', 'transactions'];

/** The parts whose `id` can only be that of the transaction. */
const TRANSACTION_PARTS = ['transaction', 'transactions'];

/** How deep parts are: an envelope may have data with a transaction with details. */
const MAX_DEPTH = 4;

/** The names of a field, in any request, response or event of the interface, or likely in an event that isn't described. */
const REFERENCE_FIELDS = ['externalReference', 'external_reference', 'referenceId', 'reference_id'];
const ID_FIELDS = ['transactionId', 'transaction_id'];
const STATUS_FIELDS = [
	'status',
	'transactionStatus',
	'transaction_status',
	'event',
	'eventType',
	'event_type',
];
const TYPE_FIELDS = ['transactionType', 'transaction_type'];
const HASH_FIELDS = ['transactionHash', 'transaction_hash'];
const AMOUNT_FIELDS = ['amount', 'fiatAmount'];
const ASSET_FIELDS = ['asset', 'currency', 'currency_type', 'currencyType', 'fiatCurrency'];

/** The statuses that are documented, as the service names events. */
export const KNOWN_STATUSES = TRANSACTION_EVENTS.map(({ value }) => value);
const KNOWN_TYPES = TRANSACTION_TYPES.map(({ value }) => value);

export const NO_AMOUNT: AmountAndAsset = { amount: '', asset: '' };

/** Reads a payload: the trigger, Replay Events and Get Status understand the same shapes of it. */
export function readPayload(payload: IDataObject): EventFacts {
	const parts = partsOf(payload);
	const [top, ...inner] = parts;
	const insideOut = [...inner, top];
	const statuses = textsIn(parts, [...STATUS_FIELDS, 'type']);
	const status = statuses.map(lowerCase).find((text) => KNOWN_STATUSES.includes(text));
	return {
		transactionId: idIn(insideOut),
		references: textsIn(parts, REFERENCE_FIELDS),
		transactionType:
			textsIn(parts, TYPE_FIELDS)[0] ??
			textsIn(parts, ['type']).find((text) => KNOWN_TYPES.includes(lowerCase(text))) ??
			'',
		status: status ?? textsIn(parts, STATUS_FIELDS)[0],
		time: firstTime(parts.map(({ timestamp }) => timestamp)),
		message: textsIn(insideOut, ['message'])[0] ?? '',
		transactionHash: textsIn(insideOut, HASH_FIELDS)[0] ?? '',
		...amountIn(insideOut),
	};
}

/** The form in which documented words are compared: a service may write them in other letters. */
export const lowerCase = (text: string): string => text.toLowerCase();

/** The first value that is a date (milliseconds since 1970). */
export function firstTime(values: unknown[]): number | undefined {
	return values.map(toTime).find((time) => !Number.isNaN(time));
}

/** Seconds or milliseconds since 1970, of a date from 2001 on. */
const EPOCH = /^(?:\d{10}|\d{13})(?:\.\d{1,9})?$/;

/** Section 2 documents texts. A service may send numbers instead. NaN if it is no date. */
function toTime(value: unknown): number {
	if (typeof value !== 'string' && typeof value !== 'number') return NaN;
	const text = startOf(String(value)).trim();
	if (!matches(EPOCH, text)) return typeof value === 'string' ? parseDate(text) : NaN;
	const number = Number(text);
	return number < 1e12 ? number * 1000 : number;
}

/** A date and time without a time zone. */
const WITHOUT_ZONE = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)$/;

/** Dates without a time zone are taken as UTC, not as the time of the machine that n8n runs on. */
function parseDate(value: string): number {
	const [, day, time] = WITHOUT_ZONE.exec(value) ?? [];
	return day === undefined ? Date.parse(value) : Date.parse(`${day}T${time}Z`);
}

/** The payload, its parts, their parts, and so on. */
function partsOf(payload: IDataObject): IDataObject[] {
	const parts = [payload];
	for (let level = parts, depth = 1; level.length > 0 && depth <= MAX_DEPTH; depth++) {
		level = level.flatMap((part) => partsIn(part, PARTS));
		parts.push(...level);
	}
	return parts;
}

function partsIn(part: IDataObject, names: string[]): IDataObject[] {
	return (
		names
			.map((name) => part[name])
			// A list with several entries would be about several transactions.
			.map((value) => (Array.isArray(value) && value.length === 1 ? (value[0] as unknown) : value))
			.filter(isObject)
	);
}

/** The texts of some fields, by part and then by field. */
function textsIn(parts: IDataObject[], fields: string[]): string[] {
	return toTexts(valuesIn(parts, fields));
}

function valuesIn(parts: IDataObject[], fields: string[]): unknown[] {
	return parts.flatMap((part) => fields.map((field) => part[field]));
}

function toTexts(values: unknown[]): string[] {
	return values
		.map((value) => (typeof value === 'number' ? String(value) : value))
		.filter((value): value is string => typeof value === 'string')
		.map((value) => normalizeText(startOf(value)))
		.filter((text) => text !== '');
}

/** A transaction ID is a text (section 2.6); a number only if there is no text. A cut one would identify nothing. */
function idIn(parts: IDataObject[]): string | undefined {
	const transactions = parts.flatMap((part) => partsIn(part, TRANSACTION_PARTS));
	return wholeIdIn(valuesIn(parts, ID_FIELDS)) ?? wholeIdIn(valuesIn(transactions, ['id']));
}

function wholeIdIn(ids: unknown[]): string | undefined {
	const texts = ids.filter((id) => typeof id === 'string' && id.length <= MAX_EXAMINED);
	const numbers = ids.filter((id) => typeof id === 'number');
	return toTexts([...texts, ...numbers])[0];
}

/** The first amount, with the currency next to it; without one if there are several. */
function amountIn(parts: IDataObject[]): AmountAndAsset {
	for (const part of parts) {
		const [amount] = textsIn([part], AMOUNT_FIELDS);
		const [asset, ...others] = new Set(textsIn([part], ASSET_FIELDS));
		if (amount !== undefined) return { amount, asset: others.length ? '' : (asset ?? '') };
	}
	return NO_AMOUNT;
}
