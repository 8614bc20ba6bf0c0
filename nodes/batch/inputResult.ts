import type { IDataObject } from 'n8n-workflow';

import { idempotencyKey, wordsOf } from '../fields/text';
import type { ValidationError } from '../fields/validateFields';
import { MAX_EXAMINED } from '../service/outsideText';
import { isObject, parseObject } from '../service/json';
import type { UserMessage } from '../service/messages';
import { cellsOfItem, rejectBatch, type BatchContext, type Stage } from './batchContext';
import { userMessage } from './messages';
import { finish, type Row } from './payment';
import { asTransaction } from './results';
import { paidFields } from './rowName';
import { finishHeld, mayPayAgain } from './skipAlreadySent';
import { canonicalAmount } from './totals';

/** What an input item says of an earlier payment: it has a result of ours, of this node or of another one. */
interface InputResult {
	outcome: unknown;
	code: unknown;
	reference: string;
	/** Empty if there is none. */
	transactionId: string;
	/** Whether it is a failure, which stands below `error`. */
	isFailure: boolean;
	isSameReference: boolean;
	/** Whether the payee is known and the same. */
	isSamePayee: boolean;
	/** Whether payee, amount and currency are known and the same. */
	isSameMoney: boolean;
	/** Whether one of them is known and not the same. */
	isOtherMoney: boolean;
	/** Whether it was sent with other values than its row had, or may have been. */
	isOtherPayment: boolean;
}

/** @returns undefined if it says nothing, as most items */
function inputResult(batch: BatchContext, row: Row): InputResult | undefined {
	const { endpoint } = batch;
	const json = cellsOfItem(batch, row.itemIndex);
	const failure = failureIn(json);
	const all = failure ?? json;
	if (all.outcome === undefined && all.code === undefined) return undefined;
	// A result of ours has no lists and objects here. Others may have no text, or be too deep to have one.
	const result = Object.fromEntries(
		Object.entries(all).filter(([, value]) => typeof value !== 'object'),
	);
	const own = paidFields(endpoint, row);
	const isSamePayee = compare(result.payee, own.payee, isSameName);
	const money = [
		isSamePayee,
		compare(result.currency, own.currency, isSameText),
		compare(canonicalAmount(result.amount), canonicalAmount(own.amount) ?? '', isSameText),
	];
	const reference = String(result.reference ?? '');
	return {
		outcome: result.outcome,
		code: result.code,
		reference,
		transactionId: String(result.transactionId ?? ''),
		isFailure: failure !== undefined,
		// No reference, payee or amount of ours is that long.
		isSameReference:
			reference.length <= MAX_EXAMINED && idempotencyKey(reference) === row.idempotencyKey,
		isSamePayee: isSamePayee === true,
		isSameMoney: money.every((isSame) => isSame === true),
		isOtherMoney: money.includes(false),
		isOtherPayment: String(result.isOtherPayment).toLowerCase() === 'true',
	};
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

/** @returns undefined if one of the two is not known */
function compare(
	known: unknown,
	value: string,
	isSame: (known: string, value: string) => boolean,
): boolean | undefined {
	return typeof known === 'string' && known !== '' && value !== ''
		? known.length <= MAX_EXAMINED && isSame(known, value)
		: undefined;
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

/**
 * The stage that finishes payments of which the input item says that they were sent: this node's store knows nothing
 * of what another node paid. Payee and amount have to be the same, because a chain of different operations may use
 * one reference: a deposit, and the payout of what it brought.
 */
export const skipReported: Stage = async (batch, open) => {
	const { options } = batch;
	const results = new Map(
		open.flatMap((payment) => {
			const { row } = payment;
			if (row.errors.length || mayPayAgain(options, row)) return [];
			const result = inputResult(batch, row);
			return result && isSent(result) ? [[row, result] as const] : [];
		}),
	);
	if (results.size === 0) return open;
	if (options.ifAlreadySent === 'stop') rejectBatch(batch, userMessage('referencesAlreadySent'));
	return await finishHeld(
		batch,
		open.filter(({ row }) => results.has(row)),
		(payment) => {
			const { reference } = payment.row;
			const id = results.get(payment.row)?.transactionId ?? '';
			const transaction = asTransaction(id);
			return finish(payment, {
				reference,
				...(id !== '' && { transactionId: id }),
				...userMessage('sentAccordingToInput', { reference, transaction }),
				// The row may have been corrected since.
				isOtherPayment: true,
			});
		},
	);
};

/** Whether the input item says that the reference was sent, and not only recorded. */
function wasSent({ outcome, transactionId }: InputResult): boolean {
	return outcome === 'created' ? transactionId !== '' : outcome === 'alreadySent';
}

function isSent(result: InputResult): boolean {
	const { outcome, isSameReference, isSameMoney, isOtherPayment } = result;
	if (!isSameReference || !wasSent(result)) return false;
	return isSameMoney || (outcome === 'alreadySent' && isOtherPayment);
}

/**
 * What is wrong with a row whose input item has a result of ours, such as one from the error output of another
 * payment node, and which may have been paid although this node's store knows nothing of it: its outcome is unknown,
 * an earlier payment has its reference, or it duplicates one. Only another payee or amount makes it another payment,
 * and under the same reference, only another payee.
 */
export function inputResultError(batch: BatchContext, row: Row): ValidationError[] {
	const { options } = batch;
	if (row.errors.length || mayPayAgain(options, row)) return [];
	const result = inputResult(batch, row);
	if (!result) return [];
	const { outcome, code, reference } = result;
	const error = (reason: UserMessage) => [{ field: 'Payment', ...reason }];
	if (outcome === 'unknown' && (result.isSameReference || !result.isOtherMoney))
		return error(userMessage('unknownOutcomeInInput', { reference }));
	const isCorrected = wasSent(result) && result.isSamePayee && !isSent(result);
	if ((outcome === 'conflict' || isCorrected) && result.isSameReference)
		return error(userMessage('conflictInInput', { reference }));
	// A file may keep the code of a row that was corrected since.
	const isDuplicate = result.isFailure && code === 'duplicateOfEarlierExecution';
	if (isDuplicate && options.duplicatePayments === 'reject' && !result.isOtherMoney)
		return error(userMessage('duplicateInInput'));
	return [];
}
