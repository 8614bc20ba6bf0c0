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
	moneyProperties,
	type BatchOptions,
} from './form';
import { Ledger } from './ledger';
import { badRow, type RowResult } from './outcome';
import {
	badRowsError,
	dryRunItem,
	nothingSentError,
	type Refusal,
	stoppedError,
	summary,
	toOutput,
} from './report';
import { readRows, type Row } from './rows';
import { sendRows } from './send';

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

	let batch: Batch;
	try {
		batch = await prepare(context, endpoint);
	} catch (error) {
		if (!goesOn) throw new NodeOperationError(context.getNode(), error as Error);
		const message = `Nothing was sent. ${(error as Error).message}`;
		return context
			.getInputData()
			.map((_, itemIndex) =>
				toOutput(context, { outcome: 'notSent', reference: '', message }, itemIndex, false),
			);
	}
	const { options, rows, good, notices, refusal, service } = batch;
	if (good.length < rows.length && !goesOn) throw badRowsError(context, rows, notices);
	if (refusal && !goesOn) throw nothingSentError(context, refusal);
	for (const message of notices) context.addExecutionHints({ message, type: 'warning' });

	const includeInput = options.includeInput === true;
	if (options.dryRun === true && !refusal) {
		return rows.map((row) => dryRunOutput(context, endpoint, row, includeInput));
	}

	let sent: RowResult[];
	if (refusal || !service) sent = good.map((row) => notSent(row, refusal?.message ?? ''));
	else {
		sent = await sendRows(context, endpoint, service, new Ledger(context), good, {
			concurrency: within(options.concurrency, 1, MAX_CONCURRENCY, DEFAULT_CONCURRENCY),
			requestsPerSecond: within(options.requestsPerSecond, 0, Infinity, 0),
			stopOnFault: !goesOn,
			resendUnknown: options.resendUnknown === true,
		});
		reportCancel(context, good, sent);
		if (!goesOn && sent.some(({ outcome }) => outcome !== 'created')) {
			throw stoppedError(context, good, sent);
		}
	}
	const results = merge(rows, sent);
	context.addExecutionHints({ message: summary(endpoint, rows, results, Date.now() - started) });
	return results.map((result, itemIndex) => toOutput(context, result, itemIndex, includeInput));
}

/** A batch before sending. */
interface Batch {
	options: BatchOptions;
	rows: Row[];
	/** The rows without problems. */
	good: Row[];
	notices: string[];
	/** Why the whole batch is not sent. */
	refusal?: Refusal;
	service?: Service;
}

/** Reads and checks everything. Only the login and the balances may cost a request here. */
async function prepare(context: IExecuteFunctions, endpoint: MoneyEndpoint): Promise<Batch> {
	const options = batchOptions(context);
	const { rows, notices } = await readRows(context, endpoint, options);
	const good = rows.filter(({ problems }) => problems.length === 0);
	const batch = { options, rows, good, notices };
	if (good.length < rows.length && !context.continueOnFail()) return batch;

	const mismatch = unexpected(endpoint, options, rows);
	if (mismatch !== undefined) {
		return {
			...batch,
			refusal: {
				message: `Nothing was sent. ${mismatch}`,
				description: 'Compare the input with what you expected, or correct the option.',
			},
		};
	}
	if (options.dryRun === true && options.checkBalance !== true) return batch;
	try {
		const service = await Service.connect(context, {
			timeoutSeconds: within(options.timeout, 1, MOST_SECONDS, DEFAULT_TIMEOUT_SECONDS),
		});
		const shortfall =
			options.checkBalance === true ? await balanceShortfall(endpoint, service, good) : undefined;
		if (shortfall === undefined) return { ...batch, service };
		return {
			...batch,
			refusal: {
				message: `Nothing was sent. ${shortfall}`,
				description: 'Top up the balance, or pay fewer items.',
			},
		};
	} catch (error) {
		return {
			...batch,
			refusal: {
				message: `Nothing was sent. ${(error as Error).message}`,
				description: error instanceof ServiceError ? (error.advice ?? '') : '',
			},
		};
	}
}

function dryRunOutput(
	context: IExecuteFunctions,
	endpoint: MoneyEndpoint,
	row: Row,
	includeInput: boolean,
): INodeExecutionData {
	const { itemIndex, reference, problems } = row;
	if (problems.length) {
		return toOutput(context, badRow(reference, problems), itemIndex, includeInput);
	}
	const input = includeInput ? context.getInputData()[itemIndex].json : {};
	return { json: dryRunItem(endpoint, row, input), pairedItem: { item: itemIndex } };
}

function notSent({ reference }: Row, message: string): RowResult {
	return { outcome: 'notSent', reference, message };
}

/** The results of all rows in input order: bad rows among those that were sent. */
function merge(rows: Row[], sent: RowResult[]): RowResult[] {
	const remaining = sent.values();
	return rows.map((row) =>
		row.problems.length
			? badRow(row.reference, row.problems)
			: (remaining.next().value ?? notSent(row, 'Not sent')),
	);
}

/**
 * n8n drops the output of a node whose execution was cancelled, so what was under way is told in
 * its log: the references that nobody may pay again without looking.
 */
function reportCancel(context: IExecuteFunctions, rows: Row[], results: RowResult[]): void {
	if (context.getExecutionCancelSignal()?.aborted !== true) return;
	const error = stoppedError(context, rows, results);
	context.logger.warn(`Partner Payments: the execution was cancelled. ${error.message}`, {
		rows: error.context.rows,
	});
}

function within(value: unknown, least: number, most: number, otherwise: number): number {
	const number = value === undefined || value === '' ? otherwise : Number(value);
	return Number.isFinite(number) ? Math.min(most, Math.max(least, number)) : otherwise;
}
