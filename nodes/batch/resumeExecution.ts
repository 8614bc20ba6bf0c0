import { idempotencyKey } from '../fields/text';
import { digest } from '../ledger/executionState';
import type { BatchContext, Stage } from './batchContext';
import { materialDigest } from './duplicates';
import { finish, type PaymentResult, type Row } from './payment';
import {
	createdResult,
	referenceChangedResult,
	sentForOtherItemResult,
	stillUnknownResult,
	valuesChangedResult,
} from './results';
import { mayPayAgain } from './skipAlreadySent';

/**
 * The stage that finishes what an earlier attempt of this execution sent (Retry On Fail, "Retry execution",
 * an earlier run of a loop). It comes before all validation: a balance that these payments have lowered, or
 * an option that was changed since, must not make them look as if they had not been sent.
 */
export const resumeExecution: Stage = async (batch, open) =>
	await Promise.all(
		open.map(async (payment) => {
			const result = await earlierResult(batch, payment.row);
			return result ? finish(payment, result) : payment;
		}),
	);

async function earlierResult(
	{ context, endpoint, state, options }: BatchContext,
	row: Row,
): Promise<PaymentResult | undefined> {
	const own = state.sentFor(row.itemIndex);
	if (!own) {
		const other = row.errors.length ? undefined : state.get(row.idempotencyKey);
		if (!other) return undefined;
		if (other.material !== materialDigest(endpoint, row))
			return valuesChangedResult(endpoint, other);
		return other.outcome === 'created'
			? sentForOtherItemResult(endpoint, row, other)
			: stillUnknownResult(row);
	}
	if (idempotencyKey(own.reference) !== row.idempotencyKey)
		return referenceChangedResult(endpoint, own);
	if (own.requestDigest !== digest(row.body)) return valuesChangedResult(endpoint, own);
	if (own.outcome === 'created' && own.answer)
		return await createdResult(context, endpoint, row, own.answer);
	const isRetriedByHand = own.executionId !== context.getExecutionId();
	return isRetriedByHand && mayPayAgain(options, row) ? undefined : stillUnknownResult(row);
}
