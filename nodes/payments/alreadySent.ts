import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { idempotencyKey } from '../fields/text';
import { digest, type ExecutionState, type SentPayment } from '../state/executionState';
import type { IdempotencyStore } from '../state/idempotencyStore';
import type { MoneyEndpoint } from './endpoint';
import { userMessage } from './messages';
import type { BatchOptions } from './options';
import {
	finish,
	rowName,
	type CreatedResult,
	type UnpaidResult,
	type Result,
	type Row,
	type Stage,
} from './payment';

/**
 * Ends the payments that an earlier attempt of this execution sent (Retry On Fail, "Retry execution",
 * an earlier run of a loop), with what became of them. They come before every control: a balance that
 * they have lowered, or an option that was changed since, must not make them look as if they had not
 * been sent.
 */
export function resumeExecution(
	context: IExecuteFunctions,
	endpoint: MoneyEndpoint,
	memory: ExecutionState,
	options: BatchOptions,
): Stage {
	const resultOf = async (row: Row): Promise<Result | undefined> => {
		const own = memory.sentFor(row.itemIndex);
		if (!own) {
			const other = row.errors.length ? undefined : memory.get(row.idempotencyKey);
			if (other && other.requestDigest !== digest(row.body))
				return otherValuesResult(endpoint, other);
			return other && sentByOtherItemResult(endpoint, row, other);
		}
		if (idempotencyKey(own.reference) !== row.idempotencyKey)
			return otherReferenceResult(endpoint, own);
		if (own.requestDigest !== digest(row.body)) return otherValuesResult(endpoint, own);
		if (own.outcome === 'created' && own.answer) {
			return await createdResult(context, endpoint, row, own.answer);
		}
		const isRetriedByHand = own.executionId !== context.getExecutionId();
		return isRetriedByHand && mayPayAgain(options, row) ? undefined : stillUnknownResult(row);
	};
	return async (open) =>
		await Promise.all(
			open.map(async (payment) => {
				const result = await resultOf(payment.row);
				return result ? finish(payment, result) : payment;
			}),
		);
}

/** Ends the payments whose reference another execution of this node sent, without sending any. */
export function skipAlreadySent(sent: IdempotencyStore, options: BatchOptions): Stage {
	return async (open) => {
		const asked = open.filter(({ row }) => !row.errors.length && !mayPayAgain(options, row));
		const known = await sent.lookUp(asked.map(({ row }) => row.idempotencyKey));
		return open.map((payment) =>
			known.has(payment.row.idempotencyKey) && asked.includes(payment)
				? finish(payment, alreadySentResult(payment.row, options))
				: payment,
		);
	};
}

/**
 * Tells which of the rows that are not sent now an earlier attempt of this execution sent, or another execution: nobody
 * must take these for unpaid.
 *
 * @param sent left out where it cannot be asked
 * @returns gives the end of such a row, and nothing for another one
 */
export async function lookUpAlreadySent(
	held: Row[],
	memory: ExecutionState,
	sent: IdempotencyStore | undefined,
	options: BatchOptions,
): Promise<(row: Row) => UnpaidResult | undefined> {
	const keys = new Set(held.map(({ idempotencyKey: key }) => key));
	keys.delete('');
	const known = keys.size ? await sent?.lookUp([...keys]).catch(() => undefined) : undefined;
	return (row) => {
		if (!row.errors.length && memory.get(row.idempotencyKey)) return stillUnknownResult(row);
		return known?.has(row.idempotencyKey) ? alreadySentResult(row, options) : undefined;
	};
}

/** Whether a person has made sure that the reference may be sent a second time. */
export function mayPayAgain(
	{ referencesToPayAgain: sendAgain }: BatchOptions,
	{ idempotencyKey: key, errors }: Row,
): boolean {
	if (errors.length) return false;
	if (sendAgain.length === 1 && sendAgain[0] === '*') return true;
	return sendAgain.some((reference) => idempotencyKey(reference) === key);
}

export function alreadySentResult({ reference }: Row, options: BatchOptions): UnpaidResult {
	const isStopped = options.ifAlreadySent === 'stop';
	return {
		reference,
		...userMessage(isStopped ? 'stoppedAsAlreadySent' : 'alreadySent'),
		...(isStopped && { cause: 'refusal' as const }),
	};
}

/** A row that the service created, with its output item. */
export async function createdResult(
	context: IExecuteFunctions,
	{ created, toItem }: MoneyEndpoint,
	{ reference, itemIndex }: Row,
	answer: IDataObject,
): Promise<CreatedResult> {
	const facts = created(answer) ?? { transactionId: '', status: '', message: '' };
	try {
		const item = (await toItem?.(context, answer, itemIndex, reference)) ?? { json: answer };
		return { outcome: 'created', reference, created: facts, item: withoutError(item) };
	} catch (error) {
		// It was created, whatever became of its file.
		const { code, message } = userMessage('fileNotStored', { reason: (error as Error).message });
		return {
			outcome: 'created',
			code,
			reference,
			created: { ...facts, message },
			item: withoutError({ json: answer }),
		};
	}
}

/**
 * An item without the field `error`: whatever is in that, n8n takes it for a failure (`checkFailure` and
 * `handleNodeErrorOutput` in `workflow-execute.js` of n8n-core).
 */
function withoutError<T extends { json: IDataObject }>(item: T): T {
	const json = { ...item.json };
	delete json.error;
	return { ...item, json };
}

/** The same reference for two items of an execution is the same payment. */
function sentByOtherItemResult(
	endpoint: MoneyEndpoint,
	{ reference }: Row,
	sent: SentPayment,
): UnpaidResult {
	const { run, item } = sent;
	const facts = factsOf(endpoint, sent);
	return {
		reference,
		...facts,
		...userMessage('sentInThisExecution', {
			transaction:
				facts.transactionId === undefined ? '' : ` as transaction ${facts.transactionId}`,
			row: rowName(item),
			run: run + 1,
		}),
	};
}

/** The reference changes from try to try, so nobody can know whether the present item was paid. */
function otherReferenceResult(endpoint: MoneyEndpoint, sent: SentPayment): UnpaidResult {
	const facts = factsOf(endpoint, sent);
	return {
		...facts,
		...userMessage('referenceChanged', { reference: sent.reference, created: createdAs(facts) }),
		reference: sent.reference,
	};
}

/**
 * The reference was sent in this execution with other values: another payment by mistake, or the
 * same one with a value that changes from try to try (a time, a random number).
 */
function otherValuesResult(endpoint: MoneyEndpoint, sent: SentPayment): UnpaidResult {
	const facts = factsOf(endpoint, sent);
	return {
		reference: sent.reference,
		...facts,
		...userMessage('valuesChanged', { created: createdAs(facts) }),
	};
}

/** A row that may have been created by an earlier attempt, and is not sent again. */
function stillUnknownResult({ reference }: Row): UnpaidResult {
	return { reference, ...userMessage('unknownNotResent') };
}

function factsOf(
	{ created }: MoneyEndpoint,
	{ answer }: SentPayment,
): Pick<UnpaidResult, 'transactionId' | 'status'> {
	const facts = answer && created(answer);
	return facts ? { transactionId: facts.transactionId, status: facts.status } : {};
}

function createdAs({ transactionId }: Pick<UnpaidResult, 'transactionId'>): string {
	return transactionId === undefined ? '' : `, which created transaction ${transactionId}`;
}
