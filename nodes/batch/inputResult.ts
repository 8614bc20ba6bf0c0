import type { IDataObject } from 'n8n-workflow';

import { idempotencyKey, isBlank, trimmed, wordsOf } from '../fields/text';
import { MAX_EXAMINED, startOf } from '../service/outsideText';
import { isObject, parseObject } from '../service/json';
import { cellsOfItem, type BatchContext } from './batchContext';
import type { InputResult, Match } from './facts';
import type { Row } from './payment';
import { paidFields } from './rowName';
import { canonicalAmount } from './totals';

/** @returns undefined if it says nothing, as most items */
export function inputResult(batch: BatchContext, row: Row): InputResult | undefined {
	const { endpoint } = batch;
	const json = named(cellsOfItem(batch, row.itemIndex));
	const failure = failureIn(json);
	const all = failure ? named(failure) : json;
	if (all.outcome === undefined && all.code === undefined) return undefined;
	// A result of ours has no lists and objects here. Others may have no text, or be too deep to have one.
	const result = Object.fromEntries(
		Object.entries(all).filter(([, value]) => typeof value !== 'object'),
	);
	const says = saidBy(result, failure !== undefined);
	if (says === undefined) return undefined;
	const own = paidFields(endpoint, row);
	const payee = compare(result.payee, own.payee, isSameName);
	const money = [
		payee,
		compare(result.currency, own.currency, isSameText),
		compare(canonicalAmount(result.amount), canonicalAmount(own.amount) ?? '', isSameText),
	];
	const reference = String(result.reference ?? '');
	const isSameReference =
		// No reference, payee or amount of ours is that long.
		row.idempotencyKey !== '' &&
		reference.length <= MAX_EXAMINED &&
		idempotencyKey(reference) === row.idempotencyKey;
	// The input of a funding is the result of a payout, which is another payment.
	if (endpoint.fromResults && !isSameReference) return undefined;
	return {
		// An endpoint that names nobody cannot tell its own results from those of deposits.
		says: says === 'sent' && endpoint.payee && !endpoint.payeeName ? 'duplicate' : says,
		reference,
		transactionId: String(result.transactionid ?? ''),
		isSameReference,
		payee,
		// What differs counts most, then what is not known.
		money: (['other', 'unknown'] as const).find((one) => money.includes(one)) ?? 'same',
		isOtherPayment: String(result.isotherpayment).toLowerCase() === 'true',
	};
}

/** What the codes of rows say that wait for a person. */
const HELD = new Map<string, InputResult['says']>([
	['accountHeld', 'held'],
	['payeeHeld', 'held'],
	['duplicateOfEarlierExecution', 'duplicate'],
]);

/** @param isFailure whether it stands below `error`, where a code is ours */
function saidBy(
	{ outcome, code, transactionid }: IDataObject,
	isFailure: boolean,
): InputResult['says'] | undefined {
	const said = idempotencyKey(String(outcome));
	if (said === 'alreadysent' || (said === 'created' && !isBlank(String(transactionid ?? ''))))
		return 'sent';
	if (said === 'unknown' || said === 'conflict') return said;
	return isFailure ? HELD.get(trimmed(String(code))) : undefined;
}

/** The name before those of the columns that n8n makes of a failure if it writes it into a file. */
export const FAILURE_COLUMN = 'error.';

/** The failure in an item, as the node returns it, or as a file or a sheet has it. */
function failureIn(json: IDataObject): IDataObject | undefined {
	if (isObject(json.error) || typeof json.error === 'string') return parseObject(json.error);
	const columns = Object.keys(json).filter((name) => name.startsWith(FAILURE_COLUMN));
	return columns.length === 0
		? undefined
		: Object.fromEntries(columns.map((name) => [name.slice(FAILURE_COLUMN.length), json[name]]));
}

/** Also under their names in lower case and without blanks: between two nodes, a person may have renamed them. */
function named(json: IDataObject): IDataObject {
	const all = { ...json };
	for (const [name, value] of Object.entries(json))
		all[startOf(name).replace(/\s+/g, '').toLowerCase()] ??= value;
	return all;
}

function compare(
	known: unknown,
	value: string,
	isSame: (known: string, value: string) => boolean,
): Match {
	if (typeof known !== 'string' || known === '' || value === '') return 'unknown';
	return known.length <= MAX_EXAMINED && isSame(known, value) ? 'same' : 'other';
}

/** Between two nodes, a file may have changed blanks and capitals. */
function isSameText(known: string, value: string): boolean {
	return idempotencyKey(known) === idempotencyKey(value);
}

/**
 * Whether two names may be of the same payee: all words of one are in the other. A person may have corrected accents,
 * the order of the names, or a surname that was missing.
 */
function isSameName(known: string, value: string): boolean {
	const [fewer, more] = [known, value]
		.map((name) => new Set(wordsOf(name.toLowerCase())))
		.sort((a, b) => a.size - b.size);
	return [...fewer].every((word) => more.has(word));
}
