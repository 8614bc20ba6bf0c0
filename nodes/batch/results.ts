import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { fundingText } from '../report/reportRow';
import type { Values } from '../fields/validators';
import type { ServiceError } from '../service/errors';
import {
	type MessageValue,
	type UserMessage,
	afterColon,
	asWords,
	inEachLanguage,
	phrase,
} from '../service/messages';
import { statusKind } from '../service/transactionStatus';
import type { SentPayment } from '../ledger/executionState';
import type { Known } from '../ledger/idempotencyStore';
import type { Created, MoneyEndpoint } from './endpoint';
import { userMessage } from './messages';
import { paysAgain, type BatchOptions } from './options';
import type { CreatedResult, Row, UnpaidResult } from './payment';
import { rowWords } from './rowName';

/** A row that the service created, with its output item. */
export async function createdResult(
	context: IExecuteFunctions,
	{ created, toItem, funding }: MoneyEndpoint,
	{ reference, itemIndex, values }: Row,
	answer: IDataObject,
): Promise<CreatedResult> {
	const facts = created(answer) ?? { transactionId: '', status: '', message: '' };
	try {
		const item = (await toItem?.(context, answer, itemIndex, reference)) ?? { json: answer };
		const finished = { outcome: 'created' as const, reference, item: withoutError(item) };
		const open = openQuestion(funding, values, answer, facts);
		if (!open) return { ...finished, created: facts };
		const { code, message, hint, es } = open;
		return { ...finished, code, hint, created: { ...facts, message, es } };
	} catch (error) {
		// The payment exists, even if its file could not be stored.
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

/** What somebody still has to do about a created payment; undefined if nothing. */
function openQuestion(
	funding: MoneyEndpoint['funding'],
	values: Values,
	answer: IDataObject,
	{ status, message }: Created,
): UserMessage | undefined {
	if (statusKind(status) === 'undocumented') {
		return userMessage('undocumentedStatus', { status, said: afterColon(message) });
	}
	const fund = funding?.toFund(values, answer);
	if (!fund) return funding?.isNeeded(values) ? userMessage('fundingDetailsUnknown') : undefined;
	return userMessage('waitsForFunding', {
		funding: inEachLanguage((language) => fundingText({ ...fund, address: '' }, language)),
	});
}

/**
 * An item without the field `error`: n8n takes any item that has one for a failure (`checkFailure` and
 * `handleNodeErrorOutput` in `workflow-execute.js` of n8n-core).
 */
function withoutError<T extends { json: IDataObject }>(item: T): T {
	const json = { ...item.json };
	delete json.error;
	return { ...item, json };
}

/** A row whose request failed. */
export function failureResult(reference: string, error: ServiceError): UnpaidResult {
	const lookUp = phrase('lookUp');
	const isUnknown = error.outcome === 'unknown';
	return {
		outcome: error.outcome,
		code: error.code,
		reference,
		message: error.message,
		hint: isUnknown ? lookUp.en : error.hint,
		es: error.es && (isUnknown ? { ...error.es, hint: lookUp.es } : error.es),
		httpStatus: error.status,
		failure: error.failure,
	};
}

/** A row whose reference another execution of this node sent. */
export function earlierResult(
	{ reference }: Row,
	options: BatchOptions,
	{ earlier, timesPaidAgain }: Pick<Known, 'earlier' | 'timesPaidAgain'>,
): UnpaidResult {
	if (earlier === 'other') return { reference, ...userMessage('conflict') };
	if (earlier === 'unclear') return { reference, ...userMessage('sentUnclear') };
	if (options.ifAlreadySent === 'stop') {
		return { reference, ...userMessage('stoppedAsAlreadySent'), cause: 'batchRejected' };
	}
	return {
		reference,
		...(timesPaidAgain > 0 && paysAgain(options)
			? userMessage('alreadyPaidAgain', { reference, next: timesPaidAgain + 1 })
			: userMessage('alreadySent')),
	};
}

/** A row that may have been created by an earlier attempt, and is not sent again. */
export function stillUnknownResult({ reference }: Row): UnpaidResult {
	return { reference, ...userMessage('unknownNotResent') };
}

/** A row that was sent again, and still may or may not have been created by the attempt before. */
export function remainsUnknownResult(result: UnpaidResult): UnpaidResult {
	return { ...result, ...userMessage('remainsUnknown', { said: asWords(result) }) };
}

/** A row whose reference this execution sent for another item: the same reference is the same payment. */
export function sentForOtherItemResult(
	endpoint: MoneyEndpoint,
	{ reference, values }: Row,
	sent: SentPayment,
): UnpaidResult {
	const { run, item } = sent;
	const facts = factsOf(endpoint, sent);
	return {
		reference,
		...facts,
		...userMessage('sentInThisExecution', {
			transaction: asTransaction(facts.transactionId),
			// Its request is the same, and so are payee and amount.
			row: rowWords(endpoint, { itemIndex: item, values }),
			run: run + 1,
		}),
	};
}

/** A row whose reference changes between attempts, so nobody can know whether it was paid. */
export function referenceChangedResult(endpoint: MoneyEndpoint, sent: SentPayment): UnpaidResult {
	const facts = factsOf(endpoint, sent);
	return {
		...facts,
		...userMessage('referenceChanged', { reference: sent.reference, created: createdAs(facts) }),
		reference: sent.reference,
		isOtherPayment: true,
	};
}

/**
 * A row whose reference this execution sent with other values: another payment by mistake, or the
 * same one with a value that changes between attempts (a time, a random number).
 */
export function valuesChangedResult(endpoint: MoneyEndpoint, sent: SentPayment): UnpaidResult {
	const facts = factsOf(endpoint, sent);
	return {
		reference: sent.reference,
		...facts,
		...userMessage('valuesChanged', { created: createdAs(facts) }),
		isOtherPayment: true,
	};
}

function factsOf(
	{ created }: MoneyEndpoint,
	{ answer }: SentPayment,
): Pick<UnpaidResult, 'transactionId' | 'status'> {
	const facts = answer && created(answer);
	return facts ? { transactionId: facts.transactionId, status: facts.status } : {};
}

function createdAs({ transactionId }: Pick<UnpaidResult, 'transactionId'>): MessageValue {
	return transactionId === undefined ? '' : phrase('createdTransaction', { id: transactionId });
}

/** The transaction in a message, if it is known. */
export function asTransaction(id = ''): MessageValue {
	return id === '' ? '' : phrase('asTransaction', { id });
}
