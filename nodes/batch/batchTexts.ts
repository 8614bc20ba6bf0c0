import type { NodeOperationError } from 'n8n-workflow';

import { grouped } from '../fields/grouped';
import { capitalized } from '../fields/text';
import { moneyWithCurrency } from '../report/language';
import { OUTCOMES } from '../report/paymentResult';
import { describeTarget } from '../service/baseUrl';
import { toOperationError } from '../service/errors';
import { type EditorMessage, userMessage } from '../messages/userMessage';
import { type BatchContext } from './batchContext';
import type { MoneyEndpoint } from './endpoint';
import type { FinishedPayment } from './facts';
import { isBatchRejected, isFailure, type Outcome } from './payment';
import { itemName, rowName } from './rowName';
import { totalsOf } from './totals';
import { flatFields } from './items';

/** How many rows that never left n8n the error lists: nobody has to reconcile them. */
const MAX_UNSENT_LINES = 1_000;

/**
 * The error of a batch that stopped. Its title is one line: the row that needs attention most, or how much is wrong. The
 * description has the counts, what to do, and every row that may have been paid, however many there are.
 */
export function batchError(batch: BatchContext, payments: FinishedPayment[]): NodeOperationError {
	const { context, endpoint } = batch;
	const nothingSent = !payments.some(({ result }) =>
		['created', 'unknown', 'rejected'].includes(result.outcome),
	);
	const invalid = payments.filter(({ result }) => result.cause === 'invalidRow');
	const listed = nothingSent && invalid.length ? invalid : payments;
	const { itemIndex, ...main } =
		listed === invalid && payments.length > 1
			? {
					...userMessage('rowsInvalid', { bad: invalid.length, count: payments.length }),
					itemIndex: invalid[0].row.itemIndex,
				}
			: mainMessage(endpoint, payments, nothingSent);
	const [title, ...furtherLines] = main.message.split('\n');
	const hint = [
		headline(batch, payments),
		...[...furtherLines, main.hint ?? []].flat().map(escaped),
		...htmlList(lines(endpoint, listed)),
	].join('\n');
	const error = toOperationError(context, { ...main, message: title, hint });
	error.context.itemIndex = itemIndex;
	error.context.rows = listed.map((payment) => ({
		item: payment.row.itemIndex,
		...flatFields(batch, payment),
	}));
	return error;
}

/** Why the batch stopped, as the row that needs attention most says it. The list has its reference. */
function mainMessage(
	endpoint: MoneyEndpoint,
	payments: FinishedPayment[],
	nothingSent: boolean,
): EditorMessage & { itemIndex?: number } {
	// Those that were not sent because of others come last.
	const [{ row, result }] = inOrder(payments.filter(isFailure));
	const { code = '', message: reason, hint, failure } = result;
	if (result.cause === 'batchRejected') {
		const { message } = userMessage(nothingSent ? 'nothingSent' : 'nothingMoreSent', { reason });
		return { code, message, hint, failure };
	}
	const [message] = linesOf(endpoint, { row, result: { ...result, reference: '' } });
	return { code, message, hint, failure, itemIndex: row.itemIndex };
}

/** The editor shows the description of an error as HTML, in which a line break is a blank. */
function htmlList(texts: string[]): string[] {
	return texts.length ? ['<ul>', ...texts.map((text) => `<li>${escaped(text)}</li>`), '</ul>'] : [];
}

function escaped(text: string): string {
	return text.replaceAll('<', '&lt;');
}

/** The rows of a batch as lines, the most urgent first. Rows that may have been paid are never left out. */
function lines(endpoint: MoneyEndpoint, payments: FinishedPayment[]): string[] {
	const ordered = inOrder(payments);
	const others = ordered.filter((one) => !wasSent(one) && !isBatchRejected(one));
	const cut = others.length - MAX_UNSENT_LINES;
	return [
		...[...ordered.filter(wasSent), ...others.slice(0, MAX_UNSENT_LINES)].flatMap((payment) =>
			linesOf(endpoint, payment),
		),
		...(cut > 0 ? [`… and ${cut} more that were not sent.`] : []),
	];
}

/** Payments in the order of reports. */
function inOrder(payments: FinishedPayment[]): FinishedPayment[] {
	const byOutcome = grouped(payments, ({ result }) => result.outcome);
	return OUTCOMES.flatMap((outcome) => byOutcome.get(outcome) ?? []);
}

/** Whether it may exist at the service. */
function wasSent({ result }: FinishedPayment): boolean {
	return ['created', 'alreadySent', 'conflict', 'unknown'].includes(result.outcome);
}

/** The counts by outcome, and where the rows were sent. */
function headline({ service }: BatchContext, payments: FinishedPayment[]): string {
	const where = service ? ` ${describeTarget(service.target)}.` : '';
	return `${countOf(payments, 'row')}: ${outcomeCounts(payments)}.${where}`;
}

/**
 * Messages for n8n's log, the only record of what was paid when an execution is cancelled: n8n stores the
 * execution at that moment, without the node's output (`setupCancellation` in `workflow-execute.js` of
 * n8n-core). One for each payment, so that none gets too long. Other people read the log, so it has references and codes
 * alone.
 */
export function cancellationLog(batch: BatchContext, payments: FinishedPayment[]): string[] {
	const { message } = userMessage('executionCancelled', { rows: headline(batch, payments) });
	return [message, ...inOrder(payments.filter(wasSent)).map(logLine)];
}

/** A row that was sent, without a name, an amount, or what the service said. */
function logLine({ row, result }: FinishedPayment): string {
	const name = itemName(row.itemIndex);
	const detail = result.outcome === 'created' ? result.transactionId : result.code;
	return `Partner Payments: ${name} ${result.reference} ${outcomeLabel(result.outcome)}: ${detail}`;
}

/** One line, or one for each error of an invalid row. */
function linesOf(
	endpoint: MoneyEndpoint,
	{ row, result }: Pick<FinishedPayment, 'row' | 'result'>,
): string[] {
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
	{ options: { dryRun }, service }: BatchContext,
	payments: FinishedPayment[],
): string {
	const counted = dryRun ? 'ready' : 'created';
	const totals = [...totalsOf(payments.filter(({ result }) => result.outcome === counted))].map(
		([currency, total]) => moneyWithCurrency(total, currency, 'en'),
	);
	return [
		`${dryRun ? 'Dry run, nothing was sent. ' : ''}${countOf(payments, 'item')}: ${outcomeCounts(payments)}`,
		...(totals.length ? [`total ${counted} ${totals.join(', ')}`] : []),
		...(service ? [describeTarget(service.target)] : []),
	].join('; ');
}

function countOf({ length }: FinishedPayment[], noun: string): string {
	return `${length} ${noun}${length === 1 ? '' : 's'}`;
}

/** The counts as text: `1 rejected, 3 created`. */
function outcomeCounts(payments: FinishedPayment[]): string {
	const counts = grouped(inOrder(payments), ({ result }) => result.outcome);
	return [...counts]
		.map(([outcome, { length }]) => `${length} ${outcomeLabel(outcome)}`)
		.join(', ');
}

function outcomeLabel(outcome: Outcome): string {
	return { notSent: 'not sent', alreadySent: 'already sent' }[outcome as string] ?? outcome;
}
