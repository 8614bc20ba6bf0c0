import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { pick } from '../fields/form';
import { capitalized } from '../fields/text';
import { type ToFund } from '../report/toFund';
import { inLanguage } from '../messages/userMessage';
import { cellsOfItem, type BatchContext } from './batchContext';
import type { MoneyEndpoint } from './endpoint';
import type { FinishedPayment } from './facts';
import { isFailure, type Outcome } from './payment';
import { paidFields, rowName, rowNumber, type PaidFields } from './rowName';
import { type Summary } from './summary';

/** The names of the fields that `rowFields` gives. */
export const ROW_FIELDS = {
	outcome: 'string',
	payee: 'string',
	amount: 'string',
	currency: 'string',
	message: 'string',
	reference: 'string',
	transactionId: 'string',
	status: 'string',
	paidTo: 'string',
	row: 'integer',
	environment: 'string',
} as const;

/** What a row that waits for crypto has in addition. */
export const FUNDING_FIELDS = {
	code: 'string',
	hint: 'string',
	toFund: { amount: 'string', asset: 'string', blockchain: 'string', address: 'string' },
} as const;

/** The stable fields of a row, the same for every endpoint and every outcome. */
function rowFields(
	{ endpoint, options: { language } }: BatchContext,
	payment: FinishedPayment,
): IDataObject {
	const { row, result } = payment;
	const { outcome, code, reference, transactionId = '', status = '' } = result;
	const { message } = inLanguage(result, language);
	const isOther = result.isOtherPayment === true;
	const fund = toFund(endpoint, payment);
	// What its row says was not paid then, so it stands in the message alone: no sum and no report can take it for paid.
	const { paidTo, ...paid } = isOther ? NO_MONEY : paidFields(endpoint, row);
	return {
		outcome,
		...paid,
		message: isOther ? `${capitalized(rowName(endpoint, row, language))}: ${message}` : message,
		// A row that was created has no code to branch on.
		...(code !== undefined && { code }),
		reference,
		transactionId,
		status,
		paidTo,
		row: rowNumber(row),
		...(isOther && { isOtherPayment: true }),
		...(fund
			? { toFund: fund }
			: isFundingUnknown(endpoint, payment) && { isFundingUnknown: true }),
		...endpoint.fromResults?.rowFields(row.values),
	};
}

const NO_MONEY: PaidFields = { payee: '', amount: '', currency: '', paidTo: '' };

/** The crypto that a created payment waits for. */
function toFund(endpoint: MoneyEndpoint, { row, result }: FinishedPayment): ToFund | undefined {
	return result.item && endpoint.funding?.toFund(row.values, result.item.json);
}

/** Outcomes of payments that may exist, and of which no answer says what they wait for. */
const WITHOUT_ANSWER: readonly Outcome[] = ['created', 'unknown', 'alreadySent'];

/** Whether a payment that may exist waits for crypto, and nobody here knows how much. */
function isFundingUnknown(endpoint: MoneyEndpoint, { row, result }: FinishedPayment): boolean {
	return (
		WITHOUT_ANSWER.includes(result.outcome) &&
		result.isOtherPayment !== true &&
		endpoint.funding?.asset(row.values) !== undefined
	);
}

/** A row as one flat object: the same fields, and what to do. */
export function flatFields(batch: BatchContext, payment: FinishedPayment): IDataObject {
	const { httpStatus, failure } = payment.result;
	const { hint } = inLanguage(payment.result, batch.options.language);
	return {
		...rowFields(batch, payment),
		...(hint !== undefined && { hint }),
		...(httpStatus !== undefined && { httpStatus }),
		...(failure && { failure }),
	};
}

/**
 * The output items of a batch, paired with the input.
 *
 * @param summary what each item of a dry run repeats
 */
export async function toItems(
	batch: BatchContext,
	payments: FinishedPayment[],
	summary?: Summary,
): Promise<INodeExecutionData[]> {
	const environment = batch.service?.target.environment;
	const shared = { ...(environment !== undefined && { environment }), ...(summary && { summary }) };
	const items: INodeExecutionData[] = [];
	for (const payment of payments) {
		await batch.yieldNow();
		items.push({
			...toItem(batch, payment, shared),
			pairedItem: { item: payment.row.itemIndex },
		});
	}
	return items;
}

function toItem(
	batch: BatchContext,
	payment: FinishedPayment,
	shared: IDataObject,
): INodeExecutionData {
	const { context, options } = batch;
	const { row, result } = payment;
	const fields = rowFields(batch, payment);
	const input = options.includeInput ? inputColumns(batch, row.itemIndex) : {};
	// A value that could not be read stays as it is in the input, to be corrected there.
	const unread =
		result.cause === 'invalidRow'
			? Object.keys(NO_MONEY).filter((name) => fields[name] === '')
			: [];
	// A row that failed is reported whole: what to do about it must not depend on a choice of fields.
	const chosen = isFailure(payment) ? undefined : chosenFields(batch);
	/** Own fields come first, to be seen first in a table, and again last, so that no column replaces them. */
	const json = (more: IDataObject) => {
		const own = { ...more, ...shared };
		const all = { ...fields, ...own, ...input, ...own, ...fields, ...pick(input, unread) };
		if (!chosen) return all;
		// No column stands in for a field that was not chosen: the next node would take it for what was sent.
		const isShown = (name: string) =>
			chosen.has(name) || !(Object.hasOwn(fields, name) || Object.hasOwn(own, name));
		return pick(all, Object.keys(all).filter(isShown));
	};
	if (!isFailure(payment)) {
		const { hint } = inLanguage(result, options.language);
		const { item, request } = result;
		const own = { ...(hint !== undefined && { hint }), ...(request && { request }), ...item?.json };
		return { ...item, json: json(own) };
	}
	const error = flatFields(batch, payment);
	// A model reads the item.
	if (batch.isTool) return { json: json(error) };
	if (context.getNode().onError === 'continueErrorOutput') {
		// Only `error` and `message`: n8n takes an item with other keys for a success. It adds the columns
		// of the input item itself (`handleNodeErrorOutput` in `workflow-execute.js` of n8n-core).
		return { json: { error, message: error.message } };
	}
	return { json: json({ error }) };
}

/**
 * What every choice of fields keeps: the outcome, what shows the next payment node that this was paid, what the payment
 * waits for, and what a dry run found.
 */
const ALWAYS = [
	...['outcome', 'message', 'code', 'hint'],
	...['reference', 'payee', 'amount', 'currency', 'transactionId'],
	...['toFund', 'isOtherPayment', 'isFundingUnknown', 'summary'],
];

/** The fields of a row that are left with Simplified: with two of the response, an item has ten. */
const SIMPLIFIED = ['status', 'request'];

/** The fields of an item, if not all. A model that reads it needs few. */
function chosenFields({ endpoint, options, isTool }: BatchContext): Set<string> | undefined {
	const mode = options.output ?? (isTool ? 'simplified' : 'raw');
	if (mode === 'raw') return undefined;
	return new Set([
		...ALWAYS,
		...(mode === 'simplified' ? [...SIMPLIFIED, ...endpoint.simplified] : options.fieldsToInclude),
	]);
}

/**
 * The columns of the input item, without an `error` that an earlier run left in them: n8n's Retry On Fail
 * (`checkFailure` in `workflow-execute.js` of n8n-core), and the next node, would take the row for one
 * that failed.
 */
function inputColumns(batch: BatchContext, itemIndex: number): IDataObject {
	const columns = { ...cellsOfItem(batch, itemIndex) };
	delete columns.error;
	// Of an earlier payment.
	delete columns.toFund;
	delete columns.isOtherPayment;
	delete columns.isFundingUnknown;
	return columns;
}
