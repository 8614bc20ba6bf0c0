import type { BatchContext } from './batchContext';
import { isFinished, type OpenPayment, type Payment } from './payment';

/**
 * A step of a batch. It takes the open payments and finishes some or all of them.
 *
 * @param all the payments of the whole batch, for limits and totals
 */
export type Stage = (
	batch: BatchContext,
	open: OpenPayment[],
	all: readonly Payment[],
) => Promise<Payment[]>;

/**
 * Takes payments through a stage, which can finish open payments only.
 *
 * @returns all payments, in their order
 */
export async function runStage(
	batch: BatchContext,
	payments: Payment[],
	stage: Stage,
): Promise<Payment[]> {
	const open = payments.filter((payment): payment is OpenPayment => !isFinished(payment));
	if (open.length === 0) return payments;
	const after = new Map(
		(await stage(batch, open, payments)).map((payment) => [payment.row, payment]),
	);
	return payments.map((payment) =>
		isFinished(payment) ? payment : (after.get(payment.row) ?? payment),
	);
}
