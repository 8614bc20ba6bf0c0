import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { listedNames } from '../../../fields/validators';
import { parameterReaders, plainValue } from '../../../fields/parameters';
import { idempotencyKey, normalizeText, normalizeWord } from '../../../fields/text';
import { pick } from '../../../fields/form';
import { paymentResult } from '../../../report/paymentResult';
import { isObject } from '../../../service/json';
import {
	type EditorMessage,
	fail,
	labelled,
	ok,
	type Result,
	userMessage,
} from '../../../messages/userMessage';
import { firstTime } from '../../../logs/payload';
import { toOperationError } from '../../../service/errors';

/** Outcomes of rows that may have been created. If the logs have the row, it was created. */
export const UNKNOWN_OUTCOMES = ['unknown', 'alreadySent'];

/** Outcomes of rows that created nothing. */
export const NEVER_CREATED = ['rejected', 'notSent'];

/** These, and the outcome of a dry run, whose row may still be sent. */
export const NOT_CREATED = [...NEVER_CREATED, 'ready'];

/** The outcome of a row that was not sent, although an earlier payment has its reference. */
export const CONFLICT = 'conflict';

/** The fields of a failed payment that replace columns of the input: the columns may say what was not sent. */
const MONEY_FIELDS = [
	'payee',
	'amount',
	'currency',
	'paidTo',
	'row',
	'toFund',
	'isOtherPayment',
	'isFundingUnknown',
];

/** What to look up: a reference, a transaction ID, or both. A text that can be either is used as both. */
export interface Lookup {
	reference: string;
	transactionId: string;
	/** Shown as reference and transaction ID if the logs have none. */
	own: { reference: string; transactionId: string };
	/** The outcome of the row in the output of a payment operation; otherwise empty. */
	outcome: string;
	/** The message of the payment; otherwise empty. */
	message: string;
	/** The row's columns, which the output keeps. */
	columns: IDataObject;
	/** When it was sent or had its first status (milliseconds since 1970), if the row says it. */
	startedAt?: number;
}

/**
 * Reads what each item looks up. An item that fails has n8n's error in its place, not a `Result`: the
 * error of an expression has more than a message.
 *
 * @throws the first error, if On Error is set to stop: the logs are then not read
 */
export function readItems(context: IExecuteFunctions): Array<Lookup[] | Error> {
	const isField = context.getNodeParameter('findBy', 0, 'input') === 'field';
	const readers = parameterReaders(context, ['referenceOrId']);
	const readItem = (json: IDataObject, itemIndex: number): Result<Lookup[], EditorMessage> => {
		const row = readRow(json);
		return isField
			? readNames(row, plainValue(readers(itemIndex)('referenceOrId')))
			: validateRow(row);
	};
	const items = context.getInputData().map(({ json }, itemIndex): Lookup[] | Error => {
		try {
			const item = readItem(json, itemIndex);
			return item.ok ? item.value : toOperationError(context, item.error, itemIndex);
		} catch (error) {
			return error as Error;
		}
	});
	const failed = items.find((item) => item instanceof Error);
	if (failed instanceof Error && !context.continueOnFail()) throw failed;
	return items;
}

const LABEL = 'Reference or Transaction ID';

/** What a field names: one keeps the columns of its row, each of several is its own row. */
function readNames(row: Lookup, raw: unknown): Result<Lookup[], EditorMessage> {
	if (isObject(raw)) {
		const error = userMessage('partNotText', { part: 'the expression', kind: 'an object' });
		return fail(labelled(LABEL, error));
	}
	const names = new Map(listedNames(raw).map((name) => [idempotencyKey(name), name]));
	if (names.size === 0) {
		return fail(userMessage('parameterRequired', { label: LABEL }));
	}
	return ok(
		[...names.values()].map((name) => {
			const { transactionId, reference, own } = row;
			const named = { reference: name, transactionId: name };
			if (names.size > 1) {
				const alone = { reference: name, transactionId: '' };
				return { ...named, own: alone, outcome: '', message: '', columns: {} };
			}
			const shown = { reference: reference || name, transactionId };
			return { ...row, ...named, own: transactionId === '' ? shown : own };
		}),
	);
}

/** The normalized names of the columns. The first one with a value counts. */
const ID_COLUMNS = ['transactionid'];
const REFERENCE_COLUMNS = ['externalreference', 'referenceid', 'reference', 'referencia'];

/**
 * The result of a payment operation in an item; otherwise empty. An error of Get Status has its own message:
 * `paymentMessage` stays that of the payment.
 */
export function paymentIn(json: IDataObject): IDataObject {
	const result = paymentResult(json);
	return result ? { ...result, paymentMessage: result.paymentMessage ?? result.message } : {};
}

/** Reads a row of a payment operation or of another source. */
export function readRow(json: IDataObject): Lookup {
	const columns = { ...json };
	delete columns.error;
	const payment = paymentIn(json);
	const isPayment = 'outcome' in payment;
	const byColumn = new Map<string, string>();
	for (const [name, value] of Object.entries({ ...columns, ...payment })) {
		const text = textOf(value);
		if (text !== '') byColumn.set(normalizeWord(name), text);
	}
	const first = (names: string[]) =>
		names.map((name) => byColumn.get(name)).find((text) => text !== undefined) ?? '';
	const transactionId = first(ID_COLUMNS);
	// A payment's `reference` was sent. A column of the file with another name may be something else.
	const reference = first(isPayment ? [...REFERENCE_COLUMNS].reverse() : REFERENCE_COLUMNS);
	// Outdated by the lookup.
	const others = { ...columns, ...pick(payment, MONEY_FIELDS) };
	delete others.code;
	delete others.hint;
	return {
		transactionId,
		reference,
		own: { reference, transactionId },
		outcome: textOf(payment.outcome),
		message: textOf(payment.paymentMessage),
		columns: isPayment ? others : columns,
		startedAt: startOf(json, byColumn.get('sentat')),
	};
}

/** The output of Get Status has a history. */
function startOf({ history }: IDataObject, sentAt: string | undefined): number | undefined {
	const states = Array.isArray(history) ? history.filter(isObject) : [];
	const times = [firstTime([sentAt]), ...states.map(({ at }) => firstTime([at]))];
	const known = times.filter((time) => time !== undefined);
	return known.length > 0 ? Math.min(...known) : undefined;
}

/** Rejects a row that names nothing. A payment's row without a reference is accepted: it was never sent. */
function validateRow(row: Lookup): Result<Lookup[], EditorMessage> {
	const { outcome, reference, transactionId } = row;
	return reference === '' && transactionId === '' && !NOT_CREATED.includes(outcome)
		? fail(userMessage('itemWithoutReference'))
		: ok([row]);
}

function textOf(value: unknown): string {
	return typeof value === 'string' || typeof value === 'number' ? normalizeText(String(value)) : '';
}
