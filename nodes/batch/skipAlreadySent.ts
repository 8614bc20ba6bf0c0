import type { Intent, Known } from '../ledger/idempotencyStore';
import { type BatchContext, rejectBatch, type Stage } from './batchContext';
import { duplicateKey, materialDigest } from './duplicates';
import { userMessage } from './messages';
import type { BatchOptions } from './options';
import {
	finish,
	type FinishedPayment,
	type OpenPayment,
	type Row,
	type UnpaidResult,
} from './payment';
import { earlierResult, stillUnknownResult } from './results';

/**
 * The stage that finishes payments whose reference another execution of this node sent. It asks the
 * idempotency store only if the answer matters before the first request; sending asks it anyway.
 */
export const skipAlreadySent: Stage = async (batch, open, all) => {
	const { endpoint, options, state, store, rejection, known } = batch;
	const isNeeded =
		endpoint.fromResults !== undefined ||
		options.dryRun ||
		options.checkBalance ||
		options.ifAlreadySent === 'stop' ||
		options.accountChanges === 'reject' ||
		options.countToPayAgain !== undefined;
	if (!store || rejection) return open;

	const asked = open.filter(({ row }) => !row.errors.length);
	if (!isNeeded && !(await mayExceedDailyLimit(batch, asked))) return open;
	try {
		const found = await store.lookUp(asked.map(({ row }) => intentOf(batch, row)));
		const skipped: FinishedPayment[] = [];
		for (const payment of asked) {
			const { row } = payment;
			const one = found.get(row.idempotencyKey);
			if (!one) continue;
			known.set(row, one);
			if (one.earlier !== 'none' && !mayPayAgain(options, row, one))
				skipped.push(finish(payment, sentEarlier(batch, row, one)));
		}
		const { countToPayAgain: expected } = options;
		const again = asked.filter(({ row }) => {
			const one = known.get(row);
			return one && one.earlier !== 'none' && mayPayAgain(options, row, one);
		});
		const count = again.length + state.countPaidAgain();
		if (expected !== undefined && expected !== count)
			rejectBatch(batch, userMessage('payAgainCountDiffers', { expected, count }));
		const isAnySent =
			skipped.length > 0 || all.some(({ result }) => result?.outcome === 'alreadySent');
		if (options.ifAlreadySent === 'stop' && isAnySent)
			rejectBatch(batch, userMessage('referencesAlreadySent'));
		return skipped;
	} catch (error) {
		rejectBatch(batch, userMessage('storeUnreadable', { reason: (error as Error).message }));
		return open;
	}
};

/** The result of a row that was sent under its reference before, and is not paid again. */
export function sentEarlier(
	{ options, state }: BatchContext,
	row: Row,
	known: Known,
): UnpaidResult {
	// A person who retries an execution has its unknown payments paid again only once.
	return state.get(row.idempotencyKey)
		? stillUnknownResult(row)
		: earlierResult(row, options, known);
}

/**
 * Looks up rows of which several may have the same reference, with different values.
 *
 * @returns nothing of rows that n8n could not look up
 */
export async function lookUpRows(
	batch: BatchContext,
	rowsToFind: Row[],
): Promise<ReadonlyMap<Row, Known>> {
	const { store } = batch;
	const found = new Map<Row, Known>();
	let waiting = rowsToFind;
	while (store && waiting.length > 0) {
		const once = new Map<string, Row>();
		for (const row of waiting) {
			if (!once.has(row.idempotencyKey)) once.set(row.idempotencyKey, row);
		}
		const rows = [...once.values()];
		const intents = rows.map((row) => intentOf(batch, row));
		const known = await store.lookUp(intents).catch(() => undefined);
		if (!known) break;
		for (const row of rows) {
			const one = known.get(row.idempotencyKey);
			if (one) found.set(row, one);
		}
		waiting = waiting.filter((row) => once.get(row.idempotencyKey) !== row);
	}
	return found;
}

/** Whether the rows fit in what is left today only if some were already sent. To ask for all of them takes long. */
async function mayExceedDailyLimit(
	{ dailyLimit }: BatchContext,
	asked: OpenPayment[],
): Promise<boolean> {
	const above = await dailyLimit?.aboveLimit(asked.map(({ row }) => row));
	return above?.code === 'aboveDailyLimit';
}

/** What a row leaves in the idempotency store. Computed once: several stages ask, and its digests take time. */
export function intentOf({ endpoint, options, intents }: BatchContext, row: Row): Intent {
	const computed = intents.get(row);
	if (computed) return computed;
	const payee = endpoint.payee?.(row.values);
	const intent: Intent = {
		key: row.idempotencyKey,
		digest: materialDigest(endpoint, row),
		duplicateKey: duplicateKey(endpoint, row),
		...(payee &&
			endpoint.hasAccounts &&
			options.accountChanges !== 'off' && { payee: { id: payee.id, account: payee.account } }),
	};
	intents.set(row, intent);
	return intent;
}

/**
 * Finishes payments that are held back. Those that an earlier attempt of this execution sent, or another
 * execution, are reported as such: nobody must take them for unpaid.
 *
 * @param finishUnsent finishes the others
 */
export async function finishHeld(
	batch: BatchContext,
	held: OpenPayment[],
	finishUnsent: (payment: OpenPayment) => FinishedPayment,
): Promise<FinishedPayment[]> {
	const { state, options } = batch;
	const asked = held.map(({ row }) => row).filter((row) => row.idempotencyKey !== '');
	const found = await lookUpRows(batch, asked);
	return held.map((payment) => {
		const { row } = payment;
		if (!row.errors.length && state.get(row.idempotencyKey))
			return finish(payment, stillUnknownResult(row));
		const one = found.get(row);
		return one && one.earlier !== 'none'
			? finish(payment, earlierResult(row, options, one))
			: finishUnsent(payment);
	});
}

/**
 * Whether the user asked to pay this reference again. A request acts once: `reference #2` asks for a second time,
 * so that an entry which is left in the option does not pay again in each run.
 */
export function mayPayAgain(
	{
		referencesToPayAgain,
		countToPayAgain,
	}: Pick<BatchOptions, 'referencesToPayAgain' | 'countToPayAgain'>,
	row: Row,
	{ timesPaidAgain }: Pick<Known, 'timesPaidAgain'> = { timesPaidAgain: 0 },
): boolean {
	if (row.errors.length) return false;
	if (countToPayAgain !== undefined) return timesPaidAgain === 0;
	const times = referencesToPayAgain.get(row.idempotencyKey);
	return times !== undefined && times > timesPaidAgain;
}
