import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { connect, runStage, type Stage, startBatch } from './batchContext';
import type { MoneyEndpoint } from './endpoint';
import { flagsOf } from './heldBack';
import { skipReported } from './inputResult';
import { userMessage } from './messages';
import { finish, finishNotSent, isFinished, type FinishedPayment, type Payment } from './payment';
import { parseRows } from './parseRows';
import { report } from './report';
import { resumeExecution } from './resumeExecution';
import { send } from './send';
import { skipAlreadySent } from './skipAlreadySent';
import { skipLogged } from './skipLogged';
import { validateBatch } from './validateBatch';

/**
 * Pays the input items: one list of payments, one context, one stage after the other. Whatever moves money
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
	const startedAt = Date.now();

	const batch = startBatch(context, endpoint);
	let payments: Payment[] = await parseRows(batch);
	await connect(batch);
	for (const stage of [
		resumeExecution,
		skipLogged,
		skipAlreadySent,
		skipReported,
		validateBatch,
		markReady,
		send,
	])
		payments = await runStage(batch, payments, stage);

	const finished = payments.map(finishUnreached);
	for (const { row, result } of finished) {
		const { idempotencyKey: key, itemIndex, cells } = row;
		if (cells !== undefined && result.outcome === 'alreadySent' && !batch.options.dryRun)
			batch.state.skip(key, itemIndex, cells);
	}
	return await report(batch, finished, startedAt);
}

/** The stage that ends a dry run: shows the request of every payment that would be sent. */
const markReady: Stage = async (batch, open) => {
	const { endpoint, options, known } = batch;
	if (!options.dryRun) return open;
	return open.map((payment) => {
		const [flag] = flagsOf(batch, known.get(payment.row));
		const { code, message, es } = userMessage(
			flag === undefined ? 'dryRun' : flag === 'duplicate' ? 'dryRunDuplicate' : 'dryRunAccount',
		);
		const { reference, body } = payment.row;
		const request = { method: 'POST', path: endpoint.path, body };
		return finish(payment, { outcome: 'ready', reference, code, message, es, request });
	});
};

function finishUnreached(payment: Payment): FinishedPayment {
	return isFinished(payment) ? payment : finishNotSent(payment, userMessage('notReached'));
}
