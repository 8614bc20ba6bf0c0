import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { askLedger } from './askLedger';
import { type BatchContext, connect, isCancelled, startBatch, whyStopped } from './batchContext';
import { decide, flagsOf, isOpen } from './decide';
import type { MoneyEndpoint } from './endpoint';
import type { Facts, FinishedPayment } from './facts';
import { gather } from './gather';
import { checkLimits } from './limits';
import { asWords, inEachLanguage, TEXTS, userMessage } from '../messages/userMessage';
import { parseRows } from './parseRows';
import { notSentResult, type PaymentResult } from './payment';
import { report } from './report';
import { resultOf } from './results';
import { send } from './send';

/**
 * Pays the input items: parse, gather the facts, decide, check the limits, claim and send, report. Whatever moves money
 * goes through here, so the guarantees of this folder hold for all of it: all rows are validated before the
 * first is sent, no reference is sent twice, and every row has an outcome that is reported.
 *
 * @returns the output items, paired with the input
 * @throws NodeOperationError with every row's outcome, if one is a failure and On Error is set to stop
 */
export async function runBatch(
	context: IExecuteFunctions,
	endpoint: MoneyEndpoint,
): Promise<INodeExecutionData[]> {
	if (context.getInputData().length === 0) return [];

	const batch = startBatch(context, endpoint);
	const rows = await parseRows(batch);
	await connect(batch);
	const all = await gather(batch, rows);
	await checkLimits(batch, all);
	const open = all.filter((facts) => isOpen(facts, batch.options));
	if (!whyStopped(batch) && !batch.options.dryRun) await send(batch, open);
	const ended = await finishAll(batch, all);
	const unreleased = batch.ledger?.unreleased ?? new Set();
	const finished = (batch.options.dryRun ? ended : reportAllSent(ended)).map((payment) =>
		reportUnreleased(payment, unreleased),
	);
	for (const { row, result } of finished) {
		if (batch.isGenerated && result.outcome === 'alreadySent' && !batch.options.dryRun)
			batch.state.skip(row.idempotencyKey, row.itemIndex);
	}
	return await report(batch, finished);
}

/** If nothing is paid because all was already sent, the first row reports it: agents and forms may read no other. */
function reportAllSent(payments: FinishedPayment[]): FinishedPayment[] {
	const [first, ...others] = payments;
	const { result } = first;
	const isAllSent = payments.every((one) => one.result.outcome === 'alreadySent');
	if (!isAllSent || others.length === 0) return payments;
	const said = asWords(result);
	const { message, es } = userMessage('allAlreadySent', { count: payments.length, said });
	return [{ ...first, result: { ...result, message, es: { ...result.es, ...es } } }, ...others];
}

/** A row that was not created counts as sent if its claim could not be released, and reports it. */
function reportUnreleased(
	payment: FinishedPayment,
	unreleased: ReadonlySet<string>,
): FinishedPayment {
	const { row, result } = payment;
	const isOver = result.outcome === 'rejected' || result.outcome === 'notSent';
	if (!isOver || !unreleased.has(row.idempotencyKey)) return payment;
	const { reference } = result;
	const { message, hint, es } = userMessage('countsAsSent', { reference, said: asWords(result) });
	return { ...payment, result: { ...result, message, hint, es } };
}

/** Gives every row a result: those that were sent have theirs, and of the others the ledger is asked what it knows. */
export async function finishAll(batch: BatchContext, all: Facts[]): Promise<FinishedPayment[]> {
	const { rejection, stopped, options } = batch;
	const isReady = options.dryRun && !rejection && !stopped;
	const why = whyStopped(batch) ?? userMessage('notReached');
	// Nobody must take a row for unpaid that an earlier execution has sent. After cancelling, there is no time.
	if ((rejection ?? stopped) && !isCancelled(batch))
		await askLedger(
			batch,
			all.filter(({ result }) => !result),
		);
	const finished: FinishedPayment[] = [];
	for (const facts of all) {
		await batch.yieldNow();
		// What nobody carries out changes nothing.
		const undone = { ...facts, request: 0, absent: undefined };
		const decision = decide(isReady ? facts : undone, options);
		const resultNow = () => {
			if (typeof decision !== 'number') return resultOf(batch, facts, decision);
			if (isReady) return readyResult(batch, facts);
			return notSentResult(facts.row, why, rejection && 'batchRejected');
		};
		finished.push({ ...facts, result: facts.result ?? (await resultNow()) });
	}
	return finished;
}

/** A row of a dry run that would be sent, with its request. */
function readyResult({ endpoint, options }: BatchContext, facts: Facts): PaymentResult {
	const [flag] = flagsOf(facts, options);
	const { code, message, es } =
		flag === undefined
			? userMessage('dryRun')
			: userMessage('dryRunFlagged', {
					flag: inEachLanguage((language) => TEXTS[language].approval[flag]),
				});
	const { reference, body } = facts.row;
	const request = { method: 'POST', path: endpoint.path, body };
	return { outcome: 'ready', reference, code, message, es, request };
}
