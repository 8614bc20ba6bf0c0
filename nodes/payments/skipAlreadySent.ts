import { idempotencyKey } from '../fields/text';
import { type BatchContext, rejectBatch, type Stage } from './batchContext';
import { userMessage } from './messages';
import type { BatchOptions } from './options';
import {
	finish,
	type FinishedPayment,
	type OpenPayment,
	type Row,
	type UnpaidResult,
} from './payment';
import { alreadySentResult, stillUnknownResult } from './results';

/**
 * The stage that finishes payments whose reference another execution of this node sent. It asks the
 * idempotency store only if the answer matters before the first request; sending asks it anyway.
 */
export const skipAlreadySent: Stage = async (batch, open, all) => {
	const { options, store, rejection } = batch;
	const isNeeded = options.dryRun || options.checkBalance || options.ifAlreadySent === 'stop';
	if (!store || rejection || !isNeeded) return open;

	const asked = open.filter(({ row }) => !row.errors.length && !mayPayAgain(options, row));
	try {
		const known = await store.lookUp(asked.map(({ row }) => row.idempotencyKey));
		const skipped = new Map(
			asked
				.filter(({ row }) => known.has(row.idempotencyKey))
				.map((payment) => [payment, finish(payment, alreadySentResult(payment.row, options))]),
		);
		const isAnySent =
			skipped.size > 0 || all.some(({ result }) => result?.outcome === 'alreadySent');
		if (options.ifAlreadySent === 'stop' && isAnySent)
			rejectBatch(batch, userMessage('referencesAlreadySent'));
		return open.map((payment) => skipped.get(payment) ?? payment);
	} catch (error) {
		rejectBatch(batch, userMessage('storeUnreadable', { reason: (error as Error).message }));
		return open;
	}
};

/**
 * Finishes payments that are held back. Those that an earlier attempt of this execution sent, or another
 * execution, are reported as such: nobody must take them for unpaid.
 *
 * @param finishUnsent finishes the others
 */
export async function finishHeld(
	{ state, store, options }: Pick<BatchContext, 'state' | 'store' | 'options'>,
	held: OpenPayment[],
	finishUnsent: (payment: OpenPayment) => FinishedPayment,
): Promise<FinishedPayment[]> {
	const keys = new Set(held.map(({ row }) => row.idempotencyKey));
	keys.delete('');
	const known = keys.size ? await store?.lookUp([...keys]).catch(() => undefined) : undefined;
	const earlierResult = (row: Row): UnpaidResult | undefined => {
		if (!row.errors.length && state.get(row.idempotencyKey)) return stillUnknownResult(row);
		return known?.has(row.idempotencyKey) ? alreadySentResult(row, options) : undefined;
	};
	return held.map((payment) => {
		const result = earlierResult(payment.row);
		return result ? finish(payment, result) : finishUnsent(payment);
	});
}

/** Whether the user asked to pay this reference again. */
export function mayPayAgain(
	{ referencesToPayAgain }: Pick<BatchOptions, 'referencesToPayAgain'>,
	row: Row,
): boolean {
	if (row.errors.length) return false;
	if (referencesToPayAgain.length === 1 && referencesToPayAgain[0] === '*') return true;
	return referencesToPayAgain.some((reference) => idempotencyKey(reference) === row.idempotencyKey);
}
