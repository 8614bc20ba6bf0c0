import type { IDataObject } from 'n8n-workflow';

import { normalizeText } from '../fields/text';
import { isObject } from '../service/responses';
import { TRANSACTION_EVENTS, TRANSACTION_TYPES } from '../service/enums';
import { firstTime, payloadIn } from './logEntry';

const KNOWN_STATUSES = TRANSACTION_EVENTS.map(({ value }) => value);
const KNOWN_TYPES = TRANSACTION_TYPES.map(({ value }) => value);

/** What a transaction is about, as its newest event tells that tells an amount. */
export interface AmountAndAsset {
	/** Empty where no event tells it. */
	amount: string;
	/** Empty where no event has it beside the amount, and where one has several. */
	asset: string;
}

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
			.map(normalizeText)
			.filter((text) => text !== ''),
	);
}

export const NO_AMOUNT: AmountAndAsset = { amount: '', asset: '' };

/** An amount and the currency beside it. Of two currencies neither is taken. */
function amountIn(parts: IDataObject[]): AmountAndAsset {
	for (const part of parts) {
		const [amount] = textsIn([part], AMOUNT_NAMES);
		const [asset, ...others] = new Set(textsIn([part], ASSET_NAMES));
		if (amount !== undefined) return { amount, asset: others.length ? '' : (asset ?? '') };
	}
	return NO_AMOUNT;
}

/** What an event of the log tells of a transaction. */
export interface LoggedEvent extends AmountAndAsset {
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
export function readEvent(log: IDataObject): LoggedEvent | undefined {
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
		...amountIn([...inner, top]),
	};
}
