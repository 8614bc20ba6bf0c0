import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { problemText } from '../../shared/fields';
import { decimalPlaces } from '../../shared/money';
import { pick } from '../../shared/simplify';
import type { MoneyEndpoint } from './endpoint';
import { totalsOf } from './controls';
import { countsText, errorDetails, rowFields, type RowResult } from './outcome';
import type { Row } from './rows';

/** A text of more lines than this is no longer read; the rest is in the error's `context.rows`. */
const MOST_LINES = 1_000;

const COUNTED_FROM_0 = 'Items are counted from 0, as n8n does: Item 0 is the first row.';

/** What an output item has beside the outcome of its row. */
export interface OutputContent {
	includeInput: boolean;
	/** Fields of the service's answer to keep; all of them unless given. */
	answerFields?: string[];
}

/** The output item of a row. */
export function toOutput(
	context: IExecuteFunctions,
	result: RowResult,
	itemIndex: number,
	{ includeInput, answerFields }: OutputContent,
): INodeExecutionData {
	const pairedItem = { item: itemIndex };
	const input = includeInput ? inputColumns(context, itemIndex) : {};
	if (result.outcome === 'created') {
		const { json } = result.item;
		const answer = answerFields ? pick(json, answerFields) : json;
		return {
			...result.item,
			json: { ...input, ...answer, ...rowFields(result) },
			pairedItem,
		};
	}
	const error = errorDetails(result);
	if (context.getNode().onError === 'continueErrorOutput') {
		// Only `error` and `message`: with any other key n8n takes the item for a success. n8n itself
		// adds the columns of the input item.
		return { json: { error, message: result.message }, pairedItem };
	}
	return { json: { ...input, ...rowFields(result), error }, pairedItem };
}

/**
 * The columns of the input item. An `error` that an earlier run left in them stays behind: the next
 * node, and n8n's Retry On Fail, would take the row for one that did not succeed.
 */
export function inputColumns(context: IExecuteFunctions, itemIndex: number): IDataObject {
	const { error, ...columns } = context.getInputData()[itemIndex].json;
	return columns;
}

/** The error that lists every bad row, when nothing was sent because of them. */
export function badRowsError(
	context: IExecuteFunctions,
	rows: Row[],
	notices: string[],
): NodeOperationError {
	const bad = rows.filter(({ problems }) => problems.length);
	const lines = bad.map(
		({ itemIndex, problems }) => `[Item ${itemIndex}] ${problems.map(problemText).join(' ')}`,
	);
	const message =
		rows.length === 1
			? `${lines[0]} Nothing was sent.`
			: `${bad.length} of ${rows.length} items cannot be sent as they are, so nothing was sent`;
	const error = new NodeOperationError(context.getNode(), message, {
		itemIndex: bad[0].itemIndex,
		description: [
			...(rows.length === 1 ? [] : [...shortened(lines), COUNTED_FROM_0]),
			...notices,
		].join('\n'),
	});
	error.context.rows = bad.map(({ itemIndex, reference, problems }) => ({
		item: itemIndex,
		outcome: 'notSent',
		reference,
		problems,
	}));
	return error;
}

/** Why nothing of a whole batch was sent: a control, or no connection. */
export interface Refusal {
	message: string;
	description: string;
}

export function nothingSentError(
	context: IExecuteFunctions,
	{ message, description }: Refusal,
): NodeOperationError {
	return new NodeOperationError(context.getNode(), message, { description });
}

/** The error after a batch that stopped: the counts, and every reference with its outcome. */
export function stoppedError(
	context: IExecuteFunctions,
	rows: Row[],
	results: RowResult[],
): NodeOperationError {
	const position = firstToTell(results);
	const first = results[position];
	const { itemIndex } = rows[position];
	const message = first.outcome === 'created' ? '' : first.message;
	const advice = first.outcome === 'created' ? undefined : first.advice;
	const error = new NodeOperationError(
		context.getNode(),
		`[Item ${itemIndex}] ${message} (${countsText(results)})`,
		{
			itemIndex,
			description: [
				...(advice === undefined ? [] : [advice]),
				`Of ${results.length} items: ${countsText(results)}.`,
				...shortened(results.map((result, index) => rowLine(rows[index].itemIndex, result))),
				COUNTED_FROM_0,
			].join('\n'),
		},
	);
	error.context.rows = results.map((result, index) => ({
		item: rows[index].itemIndex,
		...rowFields(result),
	}));
	return error;
}

/** For n8n's log: the rows of a cancelled batch, in the message itself, which is all that it shows. */
export function cancelReport(rows: Row[], results: RowResult[]): string {
	const lines = results.map((result, index) => rowLine(rows[index].itemIndex, result));
	return [
		`Partner Payments: the execution was cancelled. Of ${results.length} items: ${countsText(results)}.`,
		...shortened(lines),
	].join('\n');
}

/** What went unknown or was refused comes before what was merely not sent because of it. */
function firstToTell(results: RowResult[]): number {
	for (const outcome of ['unknown', 'rejected', 'notSent']) {
		const position = results.findIndex((result) => result.outcome === outcome);
		if (position !== -1) return position;
	}
	return 0;
}

function rowLine(itemIndex: number, result: RowResult): string {
	const detail = result.outcome === 'created' ? result.created.transactionId : result.message;
	return `[Item ${itemIndex}] ${result.reference} ${result.outcome === 'notSent' ? 'not sent' : result.outcome}: ${detail}`;
}

function shortened(lines: string[]): string[] {
	if (lines.length <= MOST_LINES) return lines;
	return [...lines.slice(0, MOST_LINES), `… and ${lines.length - MOST_LINES} more items.`];
}

/** The batch in one sentence, for the hint above the output. */
export function summary(
	endpoint: MoneyEndpoint,
	rows: Row[],
	results: RowResult[],
	milliseconds: number,
): string {
	const created = rows.filter((_, index) => results[index].outcome === 'created');
	const totals = [...totalsOf(endpoint, created)].map(
		([currency, sum]) => `${inCents(sum)} ${currency}`,
	);
	return [
		`${results.length} ${results.length === 1 ? 'item' : 'items'}: ${countsText(results)}`,
		...(totals.length ? [`total created ${totals.join(', ')}`] : []),
		`${(milliseconds / 1000).toFixed(1)} s`,
	].join('; ');
}

/** `1250.5` as people write it: `1250.50`. */
function inCents(amount: string): string {
	return decimalPlaces(amount) === 1 ? `${amount}0` : amount;
}

/** A dry run's item: the request as it would be sent. */
export function dryRunItem(endpoint: MoneyEndpoint, row: Row, input: IDataObject): IDataObject {
	return {
		...input,
		outcome: 'notSent',
		reference: row.reference,
		transactionId: '',
		status: '',
		message: 'Dry run: this request was not sent',
		request: { method: 'POST', path: endpoint.path, body: row.body },
	};
}
