import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { fundingText } from '../report/reportRow';
import { showValue, validationErrorText, type ValidationError } from '../fields/validateFields';
import type { Values } from '../fields/validators';
import type { ServiceError } from '../service/errors';
import {
	type MessageValue,
	type UserMessage,
	afterColon,
	asWords,
	inEachLanguage,
	phrase,
	userMessage,
} from '../messages/userMessage';
import { statusKind } from '../service/transactionStatus';
import type { SentPayment } from '../ledger/executionState';
import type { Created, MoneyEndpoint } from './endpoint';
import type { Reason } from './decide';
import type { Facts } from './facts';
import type { BatchContext } from './batchContext';
import type { CreatedResult, PaymentResult, Row, UnpaidResult } from './payment';
import { rowWords } from './rowName';
import { canonicalAmount } from './totals';

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

/** The result of a row that is not sent, for the reason that `decide` gave. */
export async function resultOf(
	{ context, endpoint }: Pick<BatchContext, 'context' | 'endpoint'>,
	facts: Facts,
	reason: Reason,
): Promise<PaymentResult> {
	const { row, sentHere, ledger } = facts;
	const { reference } = row;
	switch (reason) {
		case 'createdHere':
			return await createdResult(context, endpoint, row, sentHere?.sent.answer ?? {});
		case 'referenceChanged':
		case 'valuesChanged':
		case 'sentInThisExecution':
			return sentHereResult(endpoint, facts, reason);
		case 'logged':
		case 'loggedAsFailed':
		case 'loggedWithOtherAmount':
			return loggedResult(facts, reason);
		case 'sentAccordingToInput': {
			const transactionId = facts.inputSays?.transactionId ?? '';
			return {
				reference,
				...(transactionId !== '' && { transactionId }),
				...userMessage(reason, { reference, transaction: asTransaction(transactionId) }),
				// The row may have been corrected since.
				isOtherPayment: true,
			};
		}
		case 'unknownInInput':
		case 'conflictInInput':
		case 'heldInInput':
			return invalidRow(row, [
				{
					field: 'Payment',
					...userMessage(reason, { reference: facts.inputSays?.reference ?? '' }),
				},
			]);
		case 'invalid':
			return invalidRow(row, facts.errors);
		case 'duplicatePayment':
			return invalidRow(row, [
				{ field: 'Payment', ...userMessage(reason, { row: facts.copyOf ?? '' }) },
			]);
		case 'duplicateOfEarlierExecution':
		case 'accountHeld':
		case 'payeeHeld':
			return { reference, ...userMessage(reason), cause: 'invalidRow' };
		case 'alreadyPaidAgain':
			return { reference, ...userMessage(reason, { reference, next: (ledger?.request ?? 0) + 1 }) };
		case 'stoppedAsAlreadySent':
			return { reference, ...userMessage(reason), cause: 'batchRejected' };
		case 'purposeDiffers': {
			const purpose = String(row.values[endpoint.purpose ?? ''] ?? '');
			return { reference, ...userMessage(reason, { purpose: showValue(purpose) }) };
		}
		case 'alreadySent':
			return ledger?.isByOthers
				? { reference, ...userMessage('alreadySentByOthers'), isOtherPayment: true }
				: { reference, ...userMessage(reason) };
		case 'conflict':
			return { reference, ...loggedFacts(facts), ...userMessage(reason) };
		default:
			return { reference, ...userMessage(reason) };
	}
}

/** A row that is invalid, or waits for a person: all its errors, under the code of the first. */
function invalidRow({ reference }: Row, errors: readonly ValidationError[]): UnpaidResult {
	return {
		outcome: 'notSent',
		code: errors[0]?.code ?? '',
		reference,
		message: errors.map((error) => validationErrorText(error)).join('\n'),
		hint: 'Nothing was sent for this item. Correct it and run it again.',
		es: { message: errors.map((error) => validationErrorText(error, 'es')).join('\n') },
		cause: 'invalidRow',
	};
}

function loggedFacts({ logged }: Facts): Pick<UnpaidResult, 'transactionId' | 'status'> {
	return logged ? { transactionId: logged.transactionId, status: logged.status } : {};
}

/**
 * A row that the service has logged. The logs do not say to which account it was paid, so only what this node has
 * recorded shows that it was sent with the values that the row has now.
 */
function loggedResult(
	{ row: { reference }, logged, ledger, errors }: Facts,
	reason: 'logged' | 'loggedAsFailed' | 'loggedWithOtherAmount',
): UnpaidResult {
	const { transactionId = '', status = '', amount = '', asset = '' } = logged ?? {};
	const facts = { reference, transactionId, status };
	const transaction = transactionId || phrase('withoutId');
	if (reason === 'loggedWithOtherAmount') {
		const values = { transaction, amount: `${canonicalAmount(amount) ?? amount} ${asset}` };
		return { ...facts, ...userMessage(reason, values) };
	}
	const isOwn =
		errors.length === 0 &&
		ledger !== undefined &&
		!['none', 'conflict'].includes(ledger.reads) &&
		!ledger.isByOthers;
	if (reason === 'loggedAsFailed')
		return { ...facts, ...userMessage(reason, { transaction, status }), isOtherPayment: !isOwn };
	return isOwn
		? { ...facts, ...userMessage('logged', { transaction, status }) }
		: {
				...facts,
				...userMessage('loggedUnverified', { transaction, status }),
				isOtherPayment: true,
			};
}

/** A row that was sent again, and still may or may not have been created by the attempt before. */
export function remainsUnknownResult(result: UnpaidResult): UnpaidResult {
	return { ...result, ...userMessage('remainsUnknown', { said: asWords(result) }) };
}

/**
 * A row of which this execution has sent something else: its reference for another item, or the item under another
 * reference or with other values. A value that changes between attempts (a time, a random number) does that, too.
 */
function sentHereResult(
	endpoint: MoneyEndpoint,
	{ row, sentHere }: Facts,
	reason: 'referenceChanged' | 'valuesChanged' | 'sentInThisExecution',
): UnpaidResult {
	if (!sentHere) return { reference: row.reference, ...userMessage('unknownNotResent') };
	const { sent } = sentHere;
	const facts = factsOf(endpoint, sent);
	const { reference } = sent;
	const created = createdAs(facts);
	if (reason === 'sentInThisExecution') {
		return {
			...facts,
			reference: row.reference,
			...userMessage(reason, {
				transaction: asTransaction(facts.transactionId),
				// Its request is the same, and so are payee and amount.
				row: rowWords(endpoint, { itemIndex: sent.item, values: row.values }),
				run: sent.run + 1,
			}),
		};
	}
	const message =
		reason === 'referenceChanged'
			? userMessage(reason, { reference, created })
			: userMessage(reason, { created });
	return { ...facts, ...message, reference, isOtherPayment: true };
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
