import { idempotencyKey, normalizeText } from '../fields/text';
import type { ValidationError } from '../fields/validateFields';
import { MAX_EXAMINED } from '../service/outsideText';
import { isObject } from '../service/responses';
import type { UserMessage } from '../service/messages';
import { cellsOfItem, rejectBatch, type BatchContext, type Stage } from './batchContext';
import { userMessage } from './messages';
import { finish, type Row } from './payment';
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
	const isFailure = isObject(json.error);
	const result = isObject(json.error) ? json.error : json;
	if (result.outcome === undefined && result.code === undefined) return undefined;
	const own = paidFields(endpoint, row);
	const pairs: Array<[unknown, string]> = [
		[result.payee, own.payee],
		[result.currency, own.currency],
		[canonicalAmount(result.amount), canonicalAmount(own.amount) ?? ''],
	];
	const reference = String(result.reference ?? '');
	return {
		outcome: result.outcome,
		code: result.code,
		reference,
		transactionId: String(result.transactionId ?? ''),
		isFailure,
		// No reference, payee or amount of ours is that long.
		isSameReference:
			reference.length <= MAX_EXAMINED && idempotencyKey(reference) === row.idempotencyKey,
		isSameMoney: pairs.every(([known, value]) => isKnown(known, value) && !differs(known, value)),
		isOtherMoney: pairs.some(([known, value]) => isKnown(known, value) && differs(known, value)),
		isOtherPayment: String(result.isOtherPayment).toLowerCase() === 'true',
	};
}

function isKnown(known: unknown, value: string): known is string {
	return typeof known === 'string' && known !== '' && value !== '';
}

/** Between two nodes, a file may have changed blanks and capitals. */
function differs(known: string, value: string): boolean {
	return (
		known.length > MAX_EXAMINED ||
		normalizeText(known).toLowerCase() !== normalizeText(value).toLowerCase()
	);
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
	const finished = await finishHeld(
		batch,
		open.filter(({ row }) => results.has(row)),
		(payment) => {
			const { reference } = payment.row;
			const id = results.get(payment.row)?.transactionId ?? '';
			const transaction = id === '' ? '' : ` as transaction ${id}`;
			return finish(payment, {
				reference,
				...(id !== '' && { transactionId: id }),
				...userMessage('sentAccordingToInput', { reference, transaction }),
				// The row may have been corrected since.
				isOtherPayment: true,
			});
		},
	);
	const byRow = new Map(finished.map((payment) => [payment.row, payment]));
	return open.map((payment) => byRow.get(payment.row) ?? payment);
};

function isSent({
	outcome,
	transactionId,
	isSameReference,
	isSameMoney,
	isOtherPayment,
}: InputResult): boolean {
	if (!isSameReference) return false;
	if (outcome === 'created') return transactionId !== '' && isSameMoney;
	return outcome === 'alreadySent' && (isSameMoney || isOtherPayment);
}

/**
 * What is wrong with a row whose input item has a failure of ours, such as one from the error output of another
 * payment node, and which may have been paid although this node's store knows nothing of it: its outcome is unknown,
 * an earlier payment has its reference, or it duplicates one. Only another payee or amount makes it another payment.
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
	if (outcome === 'conflict' && result.isSameReference)
		return error(userMessage('conflictInInput', { reference }));
	// A file may keep the code of a row that was corrected since.
	const isDuplicate = result.isFailure && code === 'duplicateOfEarlierExecution';
	if (isDuplicate && options.duplicatePayments === 'reject' && !result.isOtherMoney)
		return error(userMessage('duplicateInInput'));
	return [];
}
