import type { NodeOperationError } from 'n8n-workflow';

import { grouped } from '../fields/grouped';
import { withCents } from '../fields/money';
import { capitalized } from '../fields/text';
import { validationErrorText } from '../fields/validateFields';
import { sumsToFund } from '../report/toFund';
import { describeTarget, type Target } from '../service/baseUrl';
import { toOperationError } from '../service/errors';
import { type EditorMessage, userMessage } from '../messages/userMessage';
import { type BatchContext } from './batchContext';
import type { MoneyEndpoint } from './endpoint';
import { isFailure, type FinishedPayment, type Outcome } from './payment';
import { itemName, rowName } from './rowName';
import { formatAmount, totalsOf } from './totals';
import { flatFields, isFundingUnknown, toFund, type ReportContext } from './items';

/** How many rows that never left n8n the error lists: nobody has to reconcile them. */
const MAX_UNSENT_LINES = 1_000;

/** How many rows a message in n8n's log holds. Further rows follow in further messages. */
const LINES_PER_MESSAGE = 200;

/**
 * The error of a batch that stopped. Its title is one line: the row that needs attention most with its outcome, or how
 * much is wrong. The description has the counts, why and what to do, and every other row that may have been paid, however
 * many there are.
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
	const { code, message, hint, itemIndex, inTitle, failure } =
		listed === invalid && payments.length > 1
			? {
					...userMessage('rowsInvalid', { bad: invalid.length, count: payments.length }),
					itemIndex: invalid[0].row.itemIndex,
				}
			: listed === invalid && values > 1 && !isTool
				? { ...userMessage('rowInvalid', { values }), itemIndex: payments[0].row.itemIndex }
				: mainMessage(endpoint, payments, nothingSent);
	const [title, ...furtherLines] = message.split('\n');
	const hints = [...furtherLines, ...(hint ? [hint] : [])];
	const inText = listed.filter(
		(payment) =>
			payment !== inTitle && (wasSent(payment) || payment.result.cause !== 'batchRejected'),
	);
	const line = (payment: FinishedPayment) => linesOf(endpoint, payment);
	const description = [
		[
			headline(payments, target),
			...fundingText(endpoint, payments).map((text) => `${capitalized(text)}.`),
		].join(' '),
		...hints.map(escaped),
		...htmlList(lines(inText, line)),
	].join('\n');
	const error = toOperationError(context, {
		code,
		// An AI agent sees the title alone (`handleNodeExecutionError` in `workflow-execute.js` of n8n-core).
		message: isTool ? [title, ...hints].join('\n') : title,
		hint: description,
		failure,
	});
	error.context.itemIndex = itemIndex;
	error.context.rows = listed.map((payment) => ({
		item: payment.row.itemIndex,
		...flatFields(batch, payment),
	}));
	return error;
}

/** Why the batch stopped. If that is a row, the lines are who it is for, why, and the reference, and the list omits it. */
function mainMessage(
	endpoint: MoneyEndpoint,
	payments: FinishedPayment[],
	nothingSent: boolean,
): EditorMessage & { itemIndex?: number; inTitle?: FinishedPayment } {
	const inTitle = mostUrgent(payments);
	const { row, result } = inTitle;
	const { code = '', message: reason, hint, failure } = result;
	if (result.cause === 'batchRejected') {
		const { message } = userMessage(nothingSent ? 'nothingSent' : 'nothingMoreSent', { reason });
		return { code, message, hint, failure };
	}
	const { itemIndex, errors } = row;
	const name = capitalized(rowName(endpoint, row));
	if (result.cause === 'invalidRow' && errors.length === 1) {
		const [error] = errors;
		const message = `${name}: ${validationErrorText({ ...error, hint: undefined })}`;
		return { code, message, hint: error.hint, itemIndex, inTitle };
	}
	const { reference, outcome } = result;
	const lines = [
		...(outcome === 'notSent'
			? linesOf(endpoint, { row, result: { ...result, reference: '' } })
			: // What the service says can be long.
				[`${name}, ${outcomeLabel(outcome)}`, reason.endsWith('.') ? reason : `${reason}.`]),
		...(reference === '' || result.cause === 'invalidRow' ? [] : [`Reference ${reference}.`]),
	];
	return { code, message: lines.join('\n'), hint, itemIndex, inTitle, failure };
}

/** The editor shows the description of an error as HTML, in which a line break is a blank. */
function htmlList(texts: string[]): string[] {
	return texts.length ? ['<ul>', ...texts.map((text) => `<li>${escaped(text)}</li>`), '</ul>'] : [];
}

function escaped(text: string): string {
	return text.replaceAll('<', '&lt;');
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
