import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { referenceKey } from '../fields/text';
import { digest, type ExecutionMemory, type SentPayment } from '../memory/executionMemory';
import type { SentReferences } from '../memory/sentReferences';
import type { MoneyEndpoint } from './endpoint';
import { tell } from './messages';
import type { BatchOptions } from './options';
import {
	end,
	rowName,
	type CreatedPayment,
	type NotPaid,
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
export function settleFromExecution(
	context: IExecuteFunctions,
	endpoint: MoneyEndpoint,
	memory: ExecutionMemory,
	options: BatchOptions,
): Stage {
	const resultOf = async (row: Row): Promise<Result | undefined> => {
		const own = memory.sentFor(row.itemIndex);
		if (!own) {
			const other = row.problems.length ? undefined : memory.get(row.key);
			if (other && other.request !== digest(row.body)) return withOtherValues(endpoint, other);
			return other && sentByAnotherItem(endpoint, row, other);
		}
		if (referenceKey(own.reference) !== row.key) return underAnotherReference(endpoint, own);
		if (own.request !== digest(row.body)) return withOtherValues(endpoint, own);
		if (own.outcome === 'created' && own.answer) {
			return await createdResult(context, endpoint, row, own.answer);
		}
		const isRetriedByHand = own.executionId !== context.getExecutionId();
		return isRetriedByHand && maySendAgain(options, row) ? undefined : heldBack(row);
	};
	return async (open) =>
		await Promise.all(
			open.map(async (payment) => {
				const result = await resultOf(payment.row);
				return result ? end(payment, result) : payment;
			}),
		);
}

/** Ends the payments whose reference another execution of this node sent, without sending any. */
export function settleFromMemory(sent: SentReferences, options: BatchOptions): Stage {
	return async (open) => {
		const asked = open.filter(({ row }) => !row.problems.length && !maySendAgain(options, row));
		const known = await sent.lookUp(asked.map(({ row }) => row.key));
		return open.map((payment) =>
			known.has(payment.row.key) && asked.includes(payment)
				? end(payment, sentBefore(payment.row, options))
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
export async function sentEarlier(
	held: Row[],
	memory: ExecutionMemory,
	sent: SentReferences | undefined,
	options: BatchOptions,
): Promise<(row: Row) => NotPaid | undefined> {
	const keys = new Set(held.map(({ key }) => key));
	keys.delete('');
	const known = keys.size ? await sent?.lookUp([...keys]).catch(() => undefined) : undefined;
	return (row) => {
		if (!row.problems.length && memory.get(row.key)) return heldBack(row);
		return known?.has(row.key) ? sentBefore(row, options) : undefined;
	};
}

/** Whether a person has made sure that the reference may be sent a second time. */
export function maySendAgain({ sendAgain }: BatchOptions, { key, problems }: Row): boolean {
	if (problems.length) return false;
	if (sendAgain.length === 1 && sendAgain[0] === '*') return true;
	return sendAgain.some((reference) => referenceKey(reference) === key);
}

export function sentBefore({ reference }: Row, options: BatchOptions): NotPaid {
	const isStopped = options.sentBefore === 'stop';
	return {
		reference,
		...tell(isStopped ? 'stoppedAsSentBefore' : 'sentBefore'),
		...(isStopped && { cause: 'refusal' as const }),
	};
}

/** A row that the service created, with its output item. */
export async function createdResult(
	context: IExecuteFunctions,
	{ created, toItem }: MoneyEndpoint,
	{ reference, itemIndex }: Row,
	answer: IDataObject,
): Promise<CreatedPayment> {
	const facts = created(answer) ?? { transactionId: '', status: '', message: '' };
	try {
		const item = (await toItem?.(context, answer, itemIndex, reference)) ?? { json: answer };
		return { outcome: 'created', reference, created: facts, item: withoutError(item) };
	} catch (error) {
		// It was created, whatever became of its file.
		const { code, message } = tell('fileNotStored', { reason: (error as Error).message });
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
function sentByAnotherItem(
	endpoint: MoneyEndpoint,
	{ reference }: Row,
	sent: SentPayment,
): NotPaid {
	const { run, item } = sent;
	const facts = factsOf(endpoint, sent);
	return {
		reference,
		...facts,
		...tell('sentInThisExecution', {
			transaction:
				facts.transactionId === undefined ? '' : ` as transaction ${facts.transactionId}`,
			row: rowName(item),
			run: run + 1,
		}),
	};
}

/** The reference changes from try to try, so nobody can know whether the present item was paid. */
function underAnotherReference(endpoint: MoneyEndpoint, sent: SentPayment): NotPaid {
	const facts = factsOf(endpoint, sent);
	return {
		...facts,
		...tell('otherReferenceBefore', { reference: sent.reference, created: createdAs(facts) }),
		reference: sent.reference,
	};
}

/**
 * The reference was sent in this execution with other values: another payment by mistake, or the
 * same one with a value that changes from try to try (a time, a random number).
 */
function withOtherValues(endpoint: MoneyEndpoint, sent: SentPayment): NotPaid {
	const facts = factsOf(endpoint, sent);
	return {
		reference: sent.reference,
		...facts,
		...tell('otherValuesBefore', { created: createdAs(facts) }),
	};
}

/** A row that may have been created by an earlier attempt, and is not sent again. */
function heldBack({ reference }: Row): NotPaid {
	return { reference, ...tell('heldBack') };
}

function factsOf(
	{ created }: MoneyEndpoint,
	{ answer }: SentPayment,
): Pick<NotPaid, 'transactionId' | 'status'> {
	const facts = answer && created(answer);
	return facts ? { transactionId: facts.transactionId, status: facts.status } : {};
}

function createdAs({ transactionId }: Pick<NotPaid, 'transactionId'>): string {
	return transactionId === undefined ? '' : `, which created transaction ${transactionId}`;
}
