import type { IDataObject, INodeExecutionData, NodeOperationError } from 'n8n-workflow';

import { pick } from '../fields/form';
import { grouped } from '../fields/grouped';
import { withCents } from '../fields/money';
import { capitalized } from '../fields/text';
import { sumsToFund, type ToFund } from '../report/toFund';
import { describeTarget, type Environment, type Target } from '../service/baseUrl';
import { toOperationError } from '../service/errors';
import { type UserMessage, inLanguage, userMessage } from '../messages/userMessage';
import { MAX_ENTRIES } from '../ledger/storedEntries';
import { cellsOfItem, isCancelled, type BatchContext } from './batchContext';
import type { MoneyEndpoint } from './endpoint';
import type { Flag } from './flags';
import { flagsOf } from './decide';
import { payableRows } from './limits';
import { paysAgain, type BatchOptions } from './options';
import { isFailure, type FinishedPayment, type Outcome } from './payment';
import { itemName, paidFields, rowName, rowNumber, type PaidFields } from './rowName';
import { summarize, type Summary } from './summary';
import { formatAmount, totalsOf } from './totals';

/** How many rows that never left n8n the error lists: nobody has to reconcile them. */
const MAX_UNSENT_LINES = 1_000;

/** How many rows a message in n8n's log holds. Further rows follow in further messages. */
const LINES_PER_MESSAGE = 200;

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

/** What the fields of a row depend on. */
type ReportContext = Pick<BatchContext, 'endpoint'> & { options: Pick<BatchOptions, 'language'> };

/** The stable fields of a row, the same for every endpoint and every outcome. */
function rowFields(
	{ endpoint, options: { language } }: ReportContext,
	{ row, result }: FinishedPayment,
): IDataObject {
	const { outcome, code, reference, transactionId = '', status = '' } = result;
	const { message } = inLanguage(result, language);
	const isOther = result.isOtherPayment === true;
	const fund = toFund(endpoint, { row, result });
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
		...(fund ? { toFund: fund } : isFundingUnknown(endpoint, { row, result }) && FUNDING_UNKNOWN),
		...endpoint.fromResults?.rowFields(row.values),
	};
}

const NO_MONEY: PaidFields = { payee: '', amount: '', currency: '', paidTo: '' };

/** The crypto that a created payment waits for. */
function toFund(endpoint: MoneyEndpoint, { row, result }: FinishedPayment): ToFund | undefined {
	return result.item && endpoint.funding?.toFund(row.values, result.item.json);
}

const FUNDING_UNKNOWN = { isFundingUnknown: true };

/** Outcomes of payments that may exist, and of which no answer says what they wait for. */
const WITHOUT_ANSWER: readonly Outcome[] = ['created', 'unknown', 'alreadySent'];

/** Whether a payment that may exist waits for crypto, and nobody here knows how much. */
function isFundingUnknown(endpoint: MoneyEndpoint, { row, result }: FinishedPayment): boolean {
	return (
		WITHOUT_ANSWER.includes(result.outcome) &&
		result.isOtherPayment !== true &&
		endpoint.funding?.isNeeded(row.values) === true
	);
}

/** A row as one flat object: the same fields, and what to do. */
function flatFields(context: ReportContext, payment: FinishedPayment): IDataObject {
	const { httpStatus, failure } = payment.result;
	const { hint } = inLanguage(payment.result, context.options.language);
	return {
		...rowFields(context, payment),
		...(hint !== undefined && { hint }),
		...(httpStatus !== undefined && { httpStatus }),
		...(failure && { failure }),
	};
}

/**
 * The last stage: gives the output items, warns in the editor, and fails the execution if a row failed and On
 * Error is set to stop.
 *
 * @param startedAt milliseconds since 1970
 * @throws NodeOperationError with every row's outcome
 */
export async function report(
	batch: BatchContext,
	payments: FinishedPayment[],
	startedAt: number,
): Promise<INodeExecutionData[]> {
	const { context, endpoint, options, continueOnFail, service } = batch;
	const target = service?.target;
	const isFailed = !continueOnFail && payments.some(isFailure);
	const milliseconds = Date.now() - startedAt;
	const summary =
		options.dryRun && !isFailed
			? summarize(batch, payableRows(batch), payments, target)
			: undefined;
	const items = isFailed
		? []
		: await toItems(batch, payments, { environment: target?.environment, summary });
	// Stopped by now: nobody sees the items.
	if (isCancelled(batch)) {
		for (const message of cancellationLog(payments, target)) context.logger.warn(message);
	}
	for (const message of [...batch.hints, ...ledgerHints(batch), ...flagHints(batch, payments)]) {
		context.addExecutionHints({ message, type: 'warning' });
	}
	// Right after installation it means nothing, so it is no warning.
	if (batch.ledger?.entries.isEmpty)
		context.addExecutionHints({ message: userMessage('storeEmpty').message, type: 'info' });
	if (isFailed) throw batchError(batch, payments, target);
	const message = [
		summaryHint(endpoint, payments, options.dryRun, target, milliseconds),
		...(batch.costs ?? []).map(({ text }) => `cost ${text}`),
	].join('; ');
	context.addExecutionHints({ message });
	return items;
}

/** Two executions of a workflow wait for each other for moments. A longer wait has a reason that a person can remove. */
const LONG_WAIT_MS = 10_000;

/** Warnings about the ledger. */
function ledgerHints({ options, ledger }: BatchContext): string[] {
	const { dropped = 0, longestWait = 0 } = ledger?.entries ?? {};
	return [
		...(dropped > 0 ? [userMessage('storeFull', { max: MAX_ENTRIES, dropped })] : []),
		...(longestWait > LONG_WAIT_MS
			? [userMessage('lockWait', { seconds: Math.round(longestWait / 1000) })]
			: []),
		...(paysAgain(options) ? [userMessage('payAgainIsOn')] : []),
	].map(({ message }) => message);
}

/** Warnings about rows that a person should look at, although they were paid or are ready. */
function flagHints(batch: BatchContext, payments: FinishedPayment[]): string[] {
	const { facts, options } = batch;
	const flagged = (flag: Flag) =>
		payments
			.filter(({ result }) => ['created', 'unknown', 'ready'].includes(result.outcome))
			.filter(({ row }) => flagsOf(facts.get(row) ?? {}, options).includes(flag))
			.map(({ row }) => rowName(batch.endpoint, row));
	const hint = (code: 'duplicatesReported' | 'accountChangesReported', rows: string[]) =>
		rows.length ? [userMessage(code, { rows: shortList(rows) }).message] : [];
	return [
		...hint('duplicatesReported', flagged('duplicate')),
		...hint('accountChangesReported', flagged('account')),
	];
}

/** How many rows a hint names. */
const MAX_NAMED_ROWS = 20;

function shortList(rows: string[]): string {
	const more = rows.length - MAX_NAMED_ROWS;
	return `${rows.slice(0, MAX_NAMED_ROWS).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

interface SharedFields {
	environment?: Environment;
	summary?: Summary;
}

/** What the output items of a batch depend on. */
type ItemContext = Pick<BatchContext, 'context' | 'isTool' | 'yieldNow'> &
	ReportContext & { options: Pick<BatchOptions, 'includeInput' | 'output' | 'fieldsToInclude'> };

/**
 * The output items of a batch, paired with the input.
 *
 * @param shared what each item repeats: the environment, if the credential states it, and the summary of a dry run
 */
export async function toItems(
	batch: ItemContext,
	payments: FinishedPayment[],
	{ environment, summary }: SharedFields = {},
): Promise<INodeExecutionData[]> {
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
	batch: ItemContext,
	payment: FinishedPayment,
	shared: SharedFields,
): INodeExecutionData {
	const { context, options } = batch;
	const { row, result } = payment;
	const fields = rowFields(batch, payment);
	const input = options.includeInput ? inputColumns(batch, row.itemIndex) : {};
	// A value that could not be read stays as it is in the input, to be corrected there.
	const unread = result.cause === 'invalidRow' ? unreadFields(fields) : [];
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

/** What every choice of fields keeps: the outcome, what the payment waits for, and what a dry run found. */
const ALWAYS = [
	...['outcome', 'message', 'code', 'hint', 'reference'],
	...['toFund', 'isOtherPayment', 'isFundingUnknown', 'summary'],
];

/** The fields of a row that are left with Simplified: with two of the response, an item has ten. */
const SIMPLIFIED = ['payee', 'amount', 'currency', 'transactionId', 'status', 'request'];

/** The fields of an item, if not all. A model that reads it needs few. */
function chosenFields({ endpoint, options, isTool }: ItemContext): Set<string> | undefined {
	const mode = options.output ?? (isTool ? 'simplified' : 'raw');
	if (mode === 'raw') return undefined;
	return new Set([
		...ALWAYS,
		...(mode === 'simplified' ? [...SIMPLIFIED, ...endpoint.simplified] : options.fieldsToInclude),
	]);
}

/** Payee, amount and currency, if they are empty. */
function unreadFields(fields: IDataObject): string[] {
	return Object.keys(NO_MONEY).filter((name) => fields[name] === '');
}

/**
 * The columns of the input item, without an `error` that an earlier run left in them: n8n's Retry On Fail
 * (`checkFailure` in `workflow-execute.js` of n8n-core), and the next node, would take the row for one
 * that failed.
 */
function inputColumns(batch: ItemContext, itemIndex: number): IDataObject {
	const columns = { ...cellsOfItem(batch, itemIndex) };
	delete columns.error;
	// Of an earlier payment.
	delete columns.toFund;
	delete columns.isOtherPayment;
	delete columns.isFundingUnknown;
	return columns;
}

/**
 * The error of a batch that stopped: first the row that needs attention most, then every row that may have been
 * paid, however many there are.
 *
 * @param target where they were sent, if a credential could be read
 */
export function batchError(
	batch: Pick<BatchContext, 'context' | 'isTool'> & ReportContext,
	payments: FinishedPayment[],
	target: Target | undefined,
): NodeOperationError {
	const { context, endpoint, isTool } = batch;
	const nothingSent = !payments.some(({ result }) =>
		['created', 'unknown', 'rejected'].includes(result.outcome),
	);
	const invalid = payments.filter(({ result }) => result.cause === 'invalidRow');
	const listed = nothingSent && invalid.length ? invalid : payments;
	const values = payments[0].row.errors.length;
	const { code, message, itemIndex, failure } =
		listed === invalid && payments.length > 1
			? {
					...userMessage('rowsInvalid', { bad: invalid.length, count: payments.length }),
					itemIndex: invalid[0].row.itemIndex,
				}
			: listed === invalid && values > 1 && !isTool
				? { ...userMessage('rowInvalid', { values }), itemIndex: payments[0].row.itemIndex }
				: mainMessage(endpoint, payments, nothingSent);
	// The reason of a rejected batch need not be repeated for each row.
	const inText = listed.filter(
		(payment) => wasSent(payment) || payment.result.cause !== 'batchRejected',
	);
	const line = (payment: FinishedPayment) => linesOf(endpoint, payment);
	const hint = [
		[
			headline(payments, target),
			...fundingText(endpoint, payments).map((text) => `${capitalized(text)}.`),
		].join(' '),
		...htmlList(lines(inText, line)),
	].join('\n');
	const error = toOperationError(context, { code, message, hint, failure });
	error.context.itemIndex = itemIndex;
	error.context.rows = listed.map((payment) => ({
		item: payment.row.itemIndex,
		...flatFields(batch, payment),
	}));
	return error;
}

/**
 * The first line of the error. An AI agent that uses the node as a tool sees nothing else
 * (`handleNodeExecutionError` in `workflow-execute.js` of n8n-core).
 */
function mainMessage(
	endpoint: MoneyEndpoint,
	payments: FinishedPayment[],
	nothingSent: boolean,
): UserMessage & { itemIndex?: number } {
	const { row, result } = mostUrgent(payments);
	const { code = '', message: ownMessage, hint, failure } = result;
	const text = [sentence(ownMessage), ...(hint ? [hint] : [])].join(
		ownMessage.includes('\n') ? '\n' : ' ',
	);
	if (result.cause === 'batchRejected') {
		const { message } = userMessage(nothingSent ? 'nothingSent' : 'nothingMoreSent', {
			reason: text,
		});
		return { code, message, failure };
	}
	const counts = payments.length > 1 ? ` (${outcomeCounts(payments)})` : '';
	return {
		code,
		message: `${capitalized(rowName(endpoint, row))}${result.reference === '' || result.cause === 'invalidRow' ? '' : `, reference ${result.reference}`}: ${text}${counts}`,
		itemIndex: row.itemIndex,
		failure,
	};
}

/** The editor shows the description of an error as HTML, in which a line break is a blank. */
function htmlList(texts: string[]): string[] {
	return texts.length
		? ['<ul>', ...texts.map((text) => `<li>${text.replaceAll('<', '&lt;')}</li>`), '</ul>']
		: [];
}

/** The rows of a batch as lines, the most urgent first. Rows that may have been paid are never left out. */
function lines(
	payments: FinishedPayment[],
	linesOf: (payment: FinishedPayment) => string[],
): string[] {
	const byOutcome = grouped(payments, ({ result }) => result.outcome);
	const ordered = ORDER.flatMap((outcome) => byOutcome.get(outcome) ?? []);
	const sent = ordered.filter(wasSent);
	const others = ordered.filter((payment) => !wasSent(payment));
	const cut = others.length - MAX_UNSENT_LINES;
	return [
		...sent.flatMap(linesOf),
		...others.slice(0, MAX_UNSENT_LINES).flatMap(linesOf),
		...(cut > 0 ? [`… and ${cut} more rows that were not sent.`] : []),
	];
}

/** The order of rows in reports: those that may have to be reconciled come first. */
const ORDER: Outcome[] = [
	'unknown',
	'conflict',
	'rejected',
	'created',
	'alreadySent',
	'notSent',
	'ready',
];

/** Whether it may exist at the service. */
function wasSent({ result }: FinishedPayment): boolean {
	return ['created', 'alreadySent', 'conflict', 'unknown'].includes(result.outcome);
}

/** What all created payments together wait for, by asset and blockchain. */
function fundingText(endpoint: MoneyEndpoint, payments: FinishedPayment[]): string[] {
	const funds = payments.flatMap((payment) => toFund(endpoint, payment) ?? []);
	const texts = sumsToFund(funds).map(({ amount, asset, blockchain, unknownAmounts }) =>
		[
			`${amount === '' ? '?' : withCents(amount)} ${asset} on ${blockchain}`,
			...(unknownAmounts > 0 ? [`and ${unknownAmounts} without a known amount`] : []),
		].join(' '),
	);
	// Of what an earlier execution sent, another node may know them.
	const unknown = payments.filter(
		(payment) =>
			payment.result.outcome !== 'alreadySent' &&
			!toFund(endpoint, payment) &&
			isFundingUnknown(endpoint, payment),
	);
	return [
		...(texts.length > 0 ? [`to fund ${texts.join(', ')}`] : []),
		...(unknown.length > 0 ? [`funding details unknown of ${countOf(unknown, 'payment')}`] : []),
	];
}

/** The counts by outcome, and where the rows were sent. */
function headline(payments: FinishedPayment[], target: Target | undefined): string {
	const where = target ? ` ${describeTarget(target)}.` : '';
	return `${countOf(payments, 'row')}: ${outcomeCounts(payments)}.${where}`;
}

/**
 * Messages for n8n's log, the only record of what was paid when an execution is cancelled: n8n stores the
 * execution at that moment, without the node's output (`setupCancellation` in `workflow-execute.js` of
 * n8n-core). Split, so that none gets too long. Other people read the log, so it has references and codes alone.
 */
export function cancellationLog(payments: FinishedPayment[], target: Target | undefined): string[] {
	const sent = lines(payments.filter(wasSent), logLinesOf);
	const { message: head } = userMessage('executionCancelled', { rows: headline(payments, target) });
	const messages: string[] = [];
	for (let from = 0; from < sent.length; from += LINES_PER_MESSAGE) {
		const part = sent.slice(from, from + LINES_PER_MESSAGE);
		messages.push(
			[from === 0 ? head : 'Partner Payments: the cancelled execution, continued.', ...part].join(
				'\n',
			),
		);
	}
	return messages.length ? messages : [head];
}

/** Unknown, conflicting and rejected rows come before those that were not sent because of them. */
function mostUrgent(payments: FinishedPayment[]): FinishedPayment {
	const failures = payments.filter(isFailure);
	const of = (outcome: Outcome) => failures.find(({ result }) => result.outcome === outcome);
	return of('unknown') ?? of('conflict') ?? of('rejected') ?? failures[0];
}

/** A row that was sent, without a name, an amount, or what the service said. */
function logLinesOf({ row, result }: FinishedPayment): string[] {
	const name = capitalized(itemName(row.itemIndex));
	const detail = result.outcome === 'created' ? result.transactionId : result.code;
	return [`${name} ${result.reference} ${outcomeLabel(result.outcome)}: ${detail}`];
}

/** One line, or one for each error of an invalid row. */
function linesOf(endpoint: MoneyEndpoint, { row, result }: FinishedPayment): string[] {
	const name = capitalized(rowName(endpoint, row));
	if (result.cause === 'invalidRow') {
		const errors = result.message.split('\n');
		return errors.map((error) => `${name}: ${error}`);
	}
	const reference = result.reference === '' ? '' : `, reference ${result.reference}`;
	const start = `${name}${reference}, ${outcomeLabel(result.outcome)}`;
	const { outcome, code, message, transactionId } = result;
	if (outcome !== 'created') return [`${start}: ${message}`];
	return [`${start}: ${transactionId}${code === undefined ? '' : `. ${message}`}`];
}

/** The batch in one sentence, for the hint above the output. */
export function summaryHint(
	endpoint: MoneyEndpoint,
	payments: FinishedPayment[],
	isDryRun: boolean,
	target: Target | undefined,
	milliseconds: number,
): string {
	const counted = isDryRun ? 'ready' : 'created';
	const totals = [
		...totalsOf(
			endpoint,
			payments.flatMap(({ row, result }) => (result.outcome === counted ? row : [])),
		),
	].map(([currency, sum]) => `${formatAmount(sum)} ${currency}`);
	return [
		`${isDryRun ? 'Dry run, nothing was sent. ' : ''}${countOf(payments, 'item')}: ${outcomeCounts(payments)}`,
		...(totals.length ? [`total ${counted} ${totals.join(', ')}`] : []),
		...fundingText(endpoint, payments),
		...(target ? [describeTarget(target)] : []),
		`${(milliseconds / 1000).toFixed(1)} s`,
	].join('; ');
}

function countOf({ length }: FinishedPayment[], noun: string): string {
	return `${length} ${noun}${length === 1 ? '' : 's'}`;
}

/** The counts as text: `3 created, 1 rejected`. */
function outcomeCounts(payments: FinishedPayment[]): string {
	const counts = grouped(payments, ({ result }) => result.outcome);
	return (
		['created', 'ready', 'conflict', 'rejected', 'unknown', 'notSent', 'alreadySent'] as const
	)
		.filter((outcome) => counts.has(outcome))
		.map((outcome) => `${counts.get(outcome)?.length} ${outcomeLabel(outcome)}`)
		.join(', ');
}

function outcomeLabel(outcome: Outcome): string {
	return { notSent: 'not sent', alreadySent: 'already sent' }[outcome as string] ?? outcome;
}

function sentence(text: string): string {
	return '.!?…'.includes(text.slice(-1)) ? text : `${text}.`;
}
