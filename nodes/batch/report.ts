import type { INodeExecutionData } from 'n8n-workflow';

import { type EditorMessage, showHint, userMessage } from '../messages/userMessage';
import { MAX_ENTRIES } from '../ledger/storedEntries';
import { isCancelled, type BatchContext } from './batchContext';
import type { Flag } from './flags';
import { flagsOf } from './decide';
import type { FinishedPayment } from './facts';
import { isFailure } from './payment';
import { rowName } from './rowName';
import { summarize } from './summary';
import { batchError, cancellationLog, summaryHint } from './batchTexts';
import { toItems } from './items';

/**
 * The last stage: gives the output items, warns in the editor, and fails the execution if a row failed and On
 * Error is set to stop.
 *
 * @throws NodeOperationError with every row's outcome
 */
export async function report(
	batch: BatchContext,
	payments: FinishedPayment[],
): Promise<INodeExecutionData[]> {
	const { context, options, continueOnFail } = batch;
	const isFailed = !continueOnFail && payments.some(isFailure);
	const summary = options.dryRun && !isFailed ? await summarize(batch, payments) : undefined;
	const items = isFailed ? [] : await toItems(batch, payments, summary);
	// Stopped by now: nobody sees the items.
	if (isCancelled(batch)) {
		for (const message of cancellationLog(batch, payments)) context.logger.warn(message);
	}
	for (const hint of [...batch.hints, ...ledgerHints(batch), ...flagHints(batch, payments)])
		showHint(context, hint);
	if (!isFailed) context.addExecutionHints({ message: summaryHint(batch, payments) });
	// Right after installation it means nothing, so it is no warning.
	if (batch.ledger?.entries.isEmpty) showHint(context, userMessage('storeEmpty'), 'info');
	if (isFailed) throw batchError(batch, payments);
	return items;
}

/** Two executions of a workflow wait for each other for moments. A longer wait has a reason that a person can remove. */
const LONG_WAIT_MS = 10_000;

/** Warnings about the ledger. */
function ledgerHints({ options, ledger }: BatchContext): EditorMessage[] {
	const { dropped = 0, longestWait = 0 } = ledger?.entries ?? {};
	return [
		...(dropped > 0 ? [userMessage('storeFull', { max: MAX_ENTRIES, dropped })] : []),
		...(longestWait > LONG_WAIT_MS
			? [userMessage('lockWait', { seconds: Math.round(longestWait / 1000) })]
			: []),
		...(options.ifAlreadySent !== 'skip' ? [userMessage('payAgainIsOn')] : []),
	];
}

/** Warnings about rows that a person should look at, although they were paid or are ready. */
function flagHints(batch: BatchContext, payments: FinishedPayment[]): EditorMessage[] {
	const hint = (code: 'duplicatesReported' | 'accountChangesReported', flag: Flag) => {
		const rows = payments
			.filter(({ result }) => ['created', 'unknown', 'ready'].includes(result.outcome))
			.filter((payment) => flagsOf(payment, batch.options).includes(flag))
			.map(({ row }) => rowName(batch.endpoint, row));
		return rows.length ? [userMessage(code, { rows: shortList(rows) })] : [];
	};
	return [...hint('duplicatesReported', 'duplicate'), ...hint('accountChangesReported', 'account')];
}

/** How many rows a hint names. */
const MAX_NAMED_ROWS = 20;

function shortList(rows: string[]): string {
	const more = rows.length - MAX_NAMED_ROWS;
	return `${rows.slice(0, MAX_NAMED_ROWS).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
