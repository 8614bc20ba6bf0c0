import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { Values } from '../fields/validators';
import type { ValidationError } from '../fields/validateFields';
import type { UserMessage } from '../messages/userMessage';
import type { OUTCOMES } from '../report/paymentResult';

/** One input item, parsed and validated. */
export interface Row {
	readonly itemIndex: number;
	/** Its row in the file, from 1, if Read Payment File says it. */
	readonly number?: number;
	/** Empty if it could not be read. */
	readonly reference: string;
	/** The form of the reference under which two references are the same. */
	readonly idempotencyKey: string;
	readonly values: Values;
	readonly body: IDataObject;
	/** What is wrong with it: such a row is not sent. */
	readonly errors: readonly ValidationError[];
}

/**
 * The outcome of a row:
 * - `created`: the service created the transaction
 * - `rejected`: the service declined it; it is safe to correct it and pay it
 * - `unknown`: the service may have created it; only a person can have it paid again
 * - `notSent`: it did not leave n8n
 * - `alreadySent`: an answer or the delivery logs proved that its reference was created with the same money
 * - `conflict`: its reference was sent with other values; the earlier payment stands
 * - `ready`: a dry run; it would be sent
 */
export type Outcome = (typeof OUTCOMES)[number];

/** How a payment ended, with the message for people. It has no code if it was created, and nothing is left to say. */
export interface PaymentResult extends Partial<Omit<UserMessage, 'outcome' | 'message'>> {
	outcome: Outcome;
	reference: string;
	message: string;
	/** The transaction, if the service named one. */
	transactionId?: string;
	/** Its status, as the service says it. */
	status?: string;
	/** The service's answer, of a payment that this execution created. */
	item?: INodeExecutionData;
	/** What a dry run would send. */
	request?: IDataObject;
	httpStatus?: number;
	/** Whether the reference was sent with other values than the row has now, or may have been. */
	isOtherPayment?: boolean;
	/** Why a row was not sent: it is invalid itself, or the whole batch was rejected. */
	cause?: 'invalidRow' | 'batchRejected';
}

/** The result of a payment that never left n8n. */
export function notSentResult(
	{ reference }: Row,
	{ code, message, hint, es, failure }: UserMessage,
	cause?: PaymentResult['cause'],
): PaymentResult {
	return { outcome: 'notSent', code, reference, message, hint, es, failure, cause };
}

/** Whether somebody has to look at the payment. With On Error set to stop, the batch fails. */
export function isFailure({ result }: { result: PaymentResult }): boolean {
	return ['rejected', 'unknown', 'notSent', 'conflict'].includes(result.outcome);
}

/** Whether it was not sent because the whole batch was rejected. */
export function isBatchRejected({ result }: { result: PaymentResult }): boolean {
	return result.cause === 'batchRejected';
}
