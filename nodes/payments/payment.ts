import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { Values } from '../fields/validators';
import type { ValidationError } from '../fields/validateFields';
import type { FailureOutcome } from '../service/messages';
import type { Created } from './endpoint';

/** One input item, read and checked. */
export interface Row {
	readonly itemIndex: number;
	/** Empty when it could not be read. */
	readonly reference: string;
	/** The form of the reference under which two references are the same. */
	readonly idempotencyKey: string;
	readonly values: Values;
	readonly body: IDataObject;
	/** What is wrong with it: such a row is not sent. */
	readonly errors: readonly ValidationError[];
}

/**
 * What became of a row:
 * - `created`: the service created the transaction
 * - `rejected`: the service said no: safe to correct and send again
 * - `unknown`: it may have been created; it is never sent again on its own
 * - `notSent`: it did not leave n8n
 * - `alreadySent`: another execution of this node sent its reference, so it was not sent again
 * - `ready`: it would be sent, if this were no dry run
 */
export type Outcome = 'created' | 'ready' | 'alreadySent' | FailureOutcome;

/** The end of a payment. */
export type Result =
	| CreatedResult
	| { outcome: 'ready'; code: string; reference: string; message: string; request: IDataObject }
	| UnpaidResult;

/** The end of a payment that the service created. */
export interface CreatedResult {
	outcome: 'created';
	/** Given where there is something to say all the same. */
	code?: string;
	reference: string;
	created: Created;
	item: INodeExecutionData;
}

/** The end of a payment that this execution did not create. */
export interface UnpaidResult {
	outcome: 'alreadySent' | FailureOutcome;
	/** The message's code in its catalogue. */
	code: string;
	reference: string;
	message: string;
	hint?: string;
	/** What the service said of the transaction, where it said something. */
	transactionId?: string;
	status?: string;
	httpStatus?: number;
	/** Why a row was not sent: it breaks a rule itself, or the whole batch was refused. */
	cause?: 'badRow' | 'refusal';
}

/** A payment on its way through the stages. */
export type Payment = OpenPayment | FinishedPayment;

export interface OpenPayment {
	readonly row: Row;
	readonly result?: undefined;
}

export interface FinishedPayment {
	readonly row: Row;
	readonly result: Result;
}

/** A step of a batch: it gets the payments that are open, and ends some of them or all. */
export type Stage = (open: OpenPayment[]) => Promise<Payment[]>;

/**
 * Takes payments through a stage. What has ended is not shown to it, so no stage can change how an
 * earlier one ended a payment.
 *
 * @returns all payments, in their order
 */
export async function runStage(payments: Payment[], stage: Stage): Promise<Payment[]> {
	const open = payments.filter((payment): payment is OpenPayment => !isFinished(payment));
	if (open.length === 0) return payments;
	const after = new Map((await stage(open)).map((payment) => [payment.row, payment]));
	return payments.map((payment) =>
		isFinished(payment) ? payment : (after.get(payment.row) ?? payment),
	);
}

export function isFinished(payment: Payment): payment is FinishedPayment {
	return payment.result !== undefined;
}

export function finish({ row }: OpenPayment, result: Result): FinishedPayment {
	return { row, result };
}

/** Ends a payment that never left n8n. */
export function finishNotSent(
	payment: OpenPayment,
	{ code, message, hint }: Pick<UnpaidResult, 'code' | 'message' | 'hint'>,
	cause?: UnpaidResult['cause'],
): FinishedPayment {
	const { reference } = payment.row;
	return finish(payment, {
		outcome: 'notSent',
		code,
		reference,
		message,
		...(hint !== undefined && { hint }),
		...(cause && { cause }),
	});
}

/** Whether somebody has to look at how the payment ended. With On Error set to stop, the batch fails for it. */
export function isFailure({ result }: FinishedPayment): boolean {
	if (result.outcome === 'alreadySent') return result.cause === 'refusal';
	return ['rejected', 'unknown', 'notSent'].includes(result.outcome);
}

/** Whether it ended because the whole batch was refused. */
export function isBatchRejected({ result }: FinishedPayment): boolean {
	return 'cause' in result && result.cause === 'refusal';
}

/** Why nothing of a whole batch is sent, and what to do. */
export type Refusal = Pick<UnpaidResult, 'code' | 'message' | 'hint'>;

/** A row as people count them, and as n8n does. */
export function rowName(itemIndex: number): string {
	return `row ${itemIndex + 1} (item ${itemIndex})`;
}
