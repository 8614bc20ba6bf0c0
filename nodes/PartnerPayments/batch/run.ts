import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { ServiceError } from '../../shared/errors';
import type { Operation } from '../../shared/operation';
import { DEFAULT_TIMEOUT_SECONDS, Service } from '../../shared/transport';
import { balanceShortfall, unexpected } from './controls';
import type { MoneyEndpoint } from './endpoint';
import {
	batchOptions,
	DEFAULT_CONCURRENCY,
	MAX_CONCURRENCY,
	isSimplified,
	moneyProperties,
	type BatchOptions,
} from './form';
import { Ledger } from './ledger';
import { badRow, LOOK_UP, ROW_FIELDS, type RowResult } from './outcome';
import {
	badRowsError,
	cancelReport,
	dryRunItem,
	inputColumns,
	nothingSentError,
	type OutputContent,
	type Refusal,
	stoppedError,
	summary,
	toOutput,
} from './report';
import { readRows, type Row } from './rows';
import { sendRows } from './send';
import { heldBack, settleKnownRows } from './settle';

/** An hour: longer than any service, shorter than what a timer can hold. */
const MOST_SECONDS = 3_600;

/**
 * The operation for an endpoint that moves money. Every such operation goes through here, so what
 * this folder promises holds for all of them: all rows are checked before the first is sent, a
 * payment is never sent twice, and every row ends in an outcome that is reported.
 */
export function moneyOperation(endpoint: MoneyEndpoint): Operation {
	const { value, name, action, description } = endpoint;
	return {
		value,
		name,
		action,
		description,
		properties: moneyProperties(endpoint),
		output: { ...endpoint.answer, ...ROW_FIELDS },
		async execute() {
			return await runBatch(this, endpoint);
		},
	};
}

async function runBatch(
	context: IExecuteFunctions,
	endpoint: MoneyEndpoint,
): Promise<INodeExecutionData[]> {
	const started = Date.now();
	// Never throw when this is set: n8n would hand on the input items as if they had been paid.
	const goesOn = context.continueOnFail();
	const ledger = new Ledger(context);
	// At once: a retry may come before the node has ended.
	const keep = () => ledger.keepForRetry();
	context.getExecutionCancelSignal()?.addEventListener('abort', keep, { once: true });

	let batch: Batch;
	try {
		batch = await prepare(context, endpoint, ledger);
	} catch (error) {
		if (!goesOn) throw new NodeOperationError(context.getNode(), error as Error);
		const result = unreadable(error as Error, ledger);
		return context
			.getInputData()
			.map((_, itemIndex) => toOutput(context, result, itemIndex, { includeInput: false }));
	}
	const { options, rows, notices, settled, good, refusal, service } = batch;
	const isBad = (row: Row) => row.problems.length > 0 && !settled.has(row);

	const isKnown = (row: Row) => ledger.get(endpoint.path, row.reference) !== undefined;
	if (!goesOn && !rows.some(isKnown)) {
		if (rows.some(isBad)) throw badRowsError(context, rows, notices);
		if (refusal) throw nothingSentError(context, refusal);
	}
	for (const message of notices) context.addExecutionHints({ message, type: 'warning' });

	const content: OutputContent = {
		includeInput: options.includeInput === true,
		answerFields: isSimplified(context) ? endpoint.simplified : undefined,
	};
	const isHeldUp = refusal !== undefined || (!goesOn && rows.some(isBad));
	const isDryRun = options.dryRun === true && !isHeldUp;
	let sent: RowResult[] = [];
	if (service && !isHeldUp && !isDryRun) {
		sent = await sendRows(context, endpoint, service, ledger, good, {
			concurrency: within(options.concurrency, 1, MAX_CONCURRENCY, DEFAULT_CONCURRENCY),
			requestsPerSecond: within(options.requestsPerSecond, 0, Infinity, 0),
			stopOnFault: !goesOn,
		});
	}

	const sentBy = new Map(good.map((row, index) => [row, sent[index]]));
	const results = rows.map(
		(row): RowResult =>
			settled.get(row) ??
			sentBy.get(row) ??
			(row.problems.length
				? badRow(row.reference, row.problems)
				: isKnown(row)
					? heldBack(row)
					: notSent(row, refusal?.message ?? 'Not sent, because other items break a rule')),
	);
	reportCancel(context, rows, results, ledger);
	if (isDryRun) {
		return rows.map((row, itemIndex) =>
			settled.has(row) || row.problems.length
				? toOutput(context, results[itemIndex], itemIndex, content)
				: dryRunOutput(context, endpoint, row, content),
		);
	}
	if (!goesOn && results.some(({ outcome }) => outcome !== 'created')) {
		throw stoppedError(context, rows, results);
	}
	context.addExecutionHints({ message: summary(endpoint, rows, results, Date.now() - started) });
	return results.map((result, itemIndex) => toOutput(context, result, itemIndex, content));
}

/** A batch before sending. */
interface Batch {
	options: BatchOptions;
	rows: Row[];
	notices: string[];
	/** Rows that an earlier attempt of this execution sent. */
	settled: Map<Row, RowResult>;
	/** Rows to send: without problems, and not settled. */
	good: Row[];
	/** Why none of them is sent. */
	refusal?: Refusal;
	service?: Service;
}

/** Reads and checks everything. Only the login and the balances may cost a request here. */
async function prepare(
	context: IExecuteFunctions,
	endpoint: MoneyEndpoint,
	ledger: Ledger,
): Promise<Batch> {
	const options = batchOptions(context);
	const { rows, notices } = await readRows(context, endpoint, options);
	const settled = await settleKnownRows(
		context,
		endpoint,
		ledger,
		rows,
		options.resendUnknown === true,
	);
	const pending = rows.filter((row) => !settled.has(row));
	const good = pending.filter(({ problems }) => problems.length === 0);
	const batch = { options, rows, notices, settled, good };
	if (good.length === 0 || (good.length < pending.length && !context.continueOnFail()))
		return batch;

	const refuse = (reason: string, description: string) => ({
		...batch,
		refusal: {
			message: `Nothing ${ledger.isEmpty ? '' : 'more '}was sent. ${reason}`,
			description,
		},
	});
	const mismatch = unexpected(endpoint, options, rows);
	if (mismatch !== undefined) {
		return refuse(mismatch, 'Compare the input with what you expected, or correct the option.');
	}
	if (options.dryRun === true && options.checkBalance !== true) return batch;
	try {
		const service = await Service.connect(context, {
			timeoutSeconds: within(options.timeout, 1, MOST_SECONDS, DEFAULT_TIMEOUT_SECONDS),
		});
		const shortfall =
			options.checkBalance === true ? await balanceShortfall(endpoint, service, good) : undefined;
		return shortfall === undefined
			? { ...batch, service }
			: refuse(shortfall, 'Top up the balance, or pay fewer items.');
	} catch (error) {
		const advice = error instanceof ServiceError ? error.advice : undefined;
		return refuse((error as Error).message, advice ?? '');
	}
}

/** For every item, when the batch could not even be read. */
function unreadable({ message }: Error, ledger: Ledger): RowResult {
	if (ledger.isEmpty) {
		return { outcome: 'notSent', reference: '', message: `Nothing was sent. ${message}` };
	}
	return {
		outcome: 'unknown',
		reference: '',
		message: `Nothing more was sent. ${message}`,
		advice: `An earlier attempt of this execution sent payments. ${LOOK_UP}`,
	};
}

function dryRunOutput(
	context: IExecuteFunctions,
	endpoint: MoneyEndpoint,
	row: Row,
	content: OutputContent,
): INodeExecutionData {
	const { itemIndex, reference, problems } = row;
	if (problems.length) {
		return toOutput(context, badRow(reference, problems), itemIndex, content);
	}
	const input = content.includeInput ? inputColumns(context, itemIndex) : {};
	return { json: dryRunItem(endpoint, row, input), pairedItem: { item: itemIndex } };
}

function notSent({ reference }: Row, message: string): RowResult {
	return { outcome: 'notSent', reference, message };
}

/**
 * n8n drops the output of a node whose execution was cancelled, so its log is the only place that
 * tells what was created, and what nobody may pay again without looking.
 */
function reportCancel(
	context: IExecuteFunctions,
	rows: Row[],
	results: RowResult[],
	ledger: Ledger,
): void {
	if (context.getExecutionCancelSignal()?.aborted !== true) return;
	ledger.keepForRetry();
	context.logger.warn(cancelReport(rows, results));
}

function within(value: unknown, least: number, most: number, otherwise: number): number {
	const number = value === undefined || value === '' ? otherwise : Number(value);
	return Number.isFinite(number) ? Math.min(most, Math.max(least, number)) : otherwise;
}
