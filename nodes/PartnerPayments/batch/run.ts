import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { ServiceError } from '../../shared/errors';
import type { Operation } from '../../shared/operation';
import { Service } from '../../shared/transport';
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
	stoppedError,
	summary,
	toOutput,
} from './report';
import { readRows, type Row } from './rows';
import { sendRows } from './send';

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
	const options = batchOptions(context);
	const includeInput = options.includeInput === true;

	const { rows, notices } = await readRows(context, endpoint, options);
	const good = rows.filter(({ problems }) => problems.length === 0);
	if (good.length < rows.length && !goesOn) throw badRowsError(context, rows, notices);

	const refusal = await refusalOf(context, endpoint, options, rows, good);
	if ('message' in refusal && !goesOn) {
		throw nothingSentError(context, refusal.message, refusal.description);
	}

	let sent: RowResult[];
	if ('message' in refusal) sent = good.map((row) => notSent(row, refusal.message));
	else if (options.dryRun === true) sent = [];
	else {
		sent = await sendRows(context, endpoint, refusal.service, new Ledger(context), good, {
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

	for (const message of notices) context.addExecutionHints({ message, type: 'warning' });
	const results = merge(rows, sent);
	if (options.dryRun === true && !('message' in refusal)) {
		return rows.map((row, itemIndex) =>
			row.problems.length
				? toOutput(context, badRow(row.reference, row.problems), itemIndex, includeInput)
				: {
						json: dryRunItem(
							endpoint,
							row,
							includeInput ? context.getInputData()[itemIndex].json : {},
						),
						pairedItem: { item: itemIndex },
					},
		);
	}
	context.addExecutionHints({ message: summary(endpoint, rows, results, Date.now() - started) });
	return results.map((result, itemIndex) => toOutput(context, result, itemIndex, includeInput));
}

/** The connection to send over, or why the whole batch is not sent. */
async function refusalOf(
	context: IExecuteFunctions,
	endpoint: MoneyEndpoint,
	options: BatchOptions,
	rows: Row[],
	good: Row[],
): Promise<{ service: Service } | { message: string; description: string }> {
	const mismatch = unexpected(endpoint, options, rows);
	if (mismatch !== undefined) {
		return {
			message: `Nothing was sent. ${mismatch}`,
			description: 'Compare the input with what you expected, or correct the option.',
		};
	}
	try {
		const service = await Service.connect(context);
		if (options.checkBalance !== true) return { service };
		const shortfall = await balanceShortfall(endpoint, service, good);
		if (shortfall === undefined) return { service };
		return {
			message: `Nothing was sent. ${shortfall}`,
			description: 'Top up the balance, or pay fewer items.',
		};
	} catch (error) {
		return {
			message: `Nothing was sent. ${(error as Error).message}`,
			description: error instanceof ServiceError ? (error.advice ?? '') : '',
		};
	}
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
