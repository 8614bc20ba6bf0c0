import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { fundingText } from '../report/reportRow';
import { showValue, validationErrorText, type ValidationError } from '../fields/validateFields';
import type { Values } from '../fields/validators';
import type { ServiceError } from '../service/errors';
import {
	type Language,
	type UserMessage,
	afterColon,
	asWords,
	inEachLanguage,
	phrase,
	userMessage,
} from '../messages/userMessage';
import { statusKind } from '../service/transactionStatus';
import type { Created } from '../service/responses';
import type { MoneyEndpoint } from './endpoint';
import { isErrorOfRow, type Reason } from './decide';
import type { Facts } from './facts';
import type { BatchContext } from './batchContext';
import type { PaymentResult, Row } from './payment';
import { rowWords } from './rowName';
import { canonicalAmount } from './totals';

/** A row that the service created, with its answer. */
export async function createdResult(
	context: IExecuteFunctions,
	{ created, toItem, funding }: MoneyEndpoint,
	{ reference, itemIndex, values }: Row,
	answer: IDataObject,
): Promise<PaymentResult> {
	const facts = created(answer) ?? { transactionId: '', status: '', message: '' };
	const result = { outcome: 'created' as const, reference, ...facts };
	try {
		const item = (await toItem?.(context, answer, itemIndex, reference)) ?? { json: answer };
		return {
			...result,
			...openQuestion(funding, values, answer, facts),
			item: withoutError(item),
		};
	} catch (error) {
		// The payment exists, even if its file could not be stored.
		const { code, message, es } = userMessage('fileNotStored', {
			reason: (error as Error).message,
		});
		return { ...result, code, message, es, item: withoutError({ json: answer }) };
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
	if (!fund && funding?.asset(values) === undefined) return undefined;
	if (!fund) return userMessage('fundingDetailsUnknown');
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
export function failureResult(reference: string, error: ServiceError): PaymentResult {
	const { outcome, code, message, hint, es, status: httpStatus, failure } = error;
	const result = { outcome, code, reference, message, hint, es, httpStatus, failure };
	if (outcome !== 'unknown') return result;
	const lookUp = phrase('lookUp');
	return { ...result, hint: lookUp.en, es: { ...es, hint: lookUp.es } };
}

/** The result of a row that is not sent, for the reason that `decide` gave. */
export async function resultOf(
	{ context, endpoint }: Pick<BatchContext, 'context' | 'endpoint'>,
	facts: Facts,
	reason: Reason,
): Promise<PaymentResult> {
	const { row, sentHere } = facts;
	if (reason === 'createdHere')
		return await createdResult(context, endpoint, row, sentHere?.sent.answer ?? {});
	if (reason === 'invalid') return invalidRow(row, facts.errors);
	const values = valuesOf(endpoint, facts);
	if (isErrorOfRow(reason))
		return invalidRow(row, [{ field: 'Payment', ...userMessage(reason, values) }]);
	const message = userMessage(reason, values);
	const isOther = isOtherPayment(facts, reason, message.outcome);
	const said =
		isOther && reason === 'logged'
			? userMessage('loggedUnverified', values)
			: facts.ledger?.isByOthers && reason === 'alreadySent'
				? userMessage('alreadySentByOthers')
				: message;
	// A person can have it paid again only if it is valid.
	const invalid = ['unknown', 'conflict'].includes(message.outcome) ? facts.errors : [];
	return {
		reference: reason === 'referenceChanged' ? values.reference : row.reference,
		...transactionOf(endpoint, facts, reason),
		...said,
		message: [said.message, ...errorTexts(invalid)].join('\n'),
		es: { ...said.es, message: [said.es.message, ...errorTexts(invalid, 'es')].join('\n') },
		...(isOther && { isOtherPayment: true }),
		// A person may let it go.
		...(message.outcome === 'notSent' && { cause: 'invalidRow' }),
	};
}

/**
 * Whether what was sent had other values than the row has now, or nobody knows that it had the same. The logs and the input
 * do not say to which account it was paid.
 */
function isOtherPayment(
	{ row, sentHere, ledger }: Facts,
	reason: Reason,
	outcome: PaymentResult['outcome'],
): boolean {
	if (reason === 'referenceChanged') return true;
	if (outcome !== 'alreadySent' && reason !== 'loggedAsFailed') return outcome === 'conflict';
	const isRecorded = ledger !== undefined && !['none', 'conflict'].includes(ledger.reads);
	return row.errors.length > 0 || !(sentHere || (isRecorded && !ledger.isByOthers));
}

/** What fills the messages of all reasons. */
function valuesOf(
	endpoint: MoneyEndpoint,
	{ row, sentHere, ledger, logged, inputSays, copyOf }: Facts,
) {
	const { values, itemIndex, reference } = row;
	const { sent } = sentHere ?? {};
	const answered = sent?.answer && endpoint.created(sent.answer);
	const id = sent ? (answered?.transactionId ?? '') : (inputSays?.transactionId ?? '');
	return {
		reference: sent?.reference ?? inputSays?.reference ?? reference,
		again: `${reference} #${(ledger?.request ?? 0) + 1}`,
		asTransaction: id === '' ? '' : phrase('asTransaction', { id }),
		created: answered ? phrase('createdTransaction', { id }) : '',
		transaction: logged?.transactionId || phrase('withoutId'),
		status: logged?.status ?? '',
		amount: `${canonicalAmount(logged?.amount) ?? logged?.amount ?? ''} ${logged?.asset ?? ''}`,
		// Its request is the same, and so are payee and amount.
		row: copyOf ?? rowWords(endpoint, { itemIndex: sent?.item ?? itemIndex, values }),
		run: (sent?.run ?? 0) + 1,
		purpose: showValue(String(values[endpoint.purpose ?? ''] ?? '')),
	};
}

/** The transaction of the payment that stands, as far as this execution, the logs or the input name it. */
function transactionOf(
	{ created }: MoneyEndpoint,
	{ sentHere, logged, inputSays }: Facts,
	reason: Reason,
): Pick<PaymentResult, 'transactionId' | 'status'> {
	const answer = sentHere?.sent.answer;
	// One that failed is an earlier attempt, unless that is the reason.
	const isLast = reason === 'loggedAsFailed' || statusKind(logged?.status ?? '') !== 'failed';
	const known = answer ? created(answer) : isLast ? logged : undefined;
	if (known) return { transactionId: known.transactionId, status: known.status };
	const { transactionId = '' } = inputSays ?? {};
	return reason === 'sentAccordingToInput' && transactionId !== '' ? { transactionId } : {};
}

/** A row that is invalid, or waits for a person: all its errors, under the code of the first. */
function invalidRow({ reference }: Row, errors: readonly ValidationError[]): PaymentResult {
	return {
		outcome: 'notSent',
		code: errors[0]?.code ?? '',
		reference,
		message: errorTexts(errors).join('\n'),
		hint: 'Nothing was sent for this item. Correct it and run it again.',
		es: { message: errorTexts(errors, 'es').join('\n') },
		cause: 'invalidRow',
	};
}

const errorTexts = (errors: readonly ValidationError[], language?: Language): string[] =>
	errors.map((error) => validationErrorText(error, language));

/** A row that was sent again, and still may or may not have been created by the attempt before. */
export function remainsUnknownResult(result: PaymentResult): PaymentResult {
	return { ...result, ...userMessage('remainsUnknown', { said: asWords(result) }) };
}
