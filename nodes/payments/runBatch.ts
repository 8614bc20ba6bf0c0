import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { ExecutionState } from '../state/executionState';
import { MAX_REFERENCES, IdempotencyStore } from '../state/idempotencyStore';
import { toServiceError } from '../service/errors';
import { Service } from '../service/transport';
import { validateBatch, payableRows, wrongEnvironment } from './validateBatch';
import type { MoneyEndpoint } from './endpoint';
import { userMessage } from './messages';
import { parseOptions, type BatchOptions } from './options';
import {
	finish,
	finishNotSent,
	isFinished,
	isFailure,
	isBatchRejected,
	runStage,
	type FinishedPayment,
	type Payment,
	type Refusal,
	type Stage,
} from './payment';
import { isTool, parseRows } from './parseRows';
import { cancellationLog, batchError, summaryHint, toItems } from './report';
import { send, type SendContext } from './send';
import { resumeExecution, skipAlreadySent } from './alreadySent';
import { summarize } from './fingerprint';

/**
 * Pays the input items: one list of payments, through all stages - read, settle, control, send, report.
 * Whatever moves money goes through here, so what this folder promises holds for all of it: all rows are
 * checked before the first is sent, a reference is never sent twice, and every row ends in an outcome that
 * is reported.
 *
 * @returns the output items, paired with the input
 * @throws NodeOperationError with every row's outcome, when one is a fault and On Error is set to stop
 */
export async function runBatch(
	context: IExecuteFunctions,
	endpoint: MoneyEndpoint,
): Promise<INodeExecutionData[]> {
	if (context.getInputData().length === 0) return [];
	const started = Date.now();
	// Never throw when this is set: n8n would hand on the input items as if they had been paid
	// (`handleNodeExecutionError` in `workflow-execute.js` of n8n-core).
	const continueOnFail = context.continueOnFail();

	const { options, error: wrongOption } = parseOptions(context, endpoint);
	const memory = new ExecutionState(context, endpoint.path);
	const batch = await parseRows(context, endpoint, memory, options);
	let payments: Payment[] = batch.payments;

	payments = await runStage(payments, resumeExecution(context, endpoint, memory, options));
	const { service, refusal: noConnection } = await connect(context, options);
	const sent =
		service && options.rememberSent
			? new IdempotencyStore(context, `${service.account} ${endpoint.path}`)
			: undefined;
	const refusedLogin = service && memory.rejectedLogin(service.account);
	const target = service?.target;
	let refusal =
		wrongOption ??
		batch.refusal ??
		noConnection ??
		wrongEnvironment(options, target) ??
		refusedLogin;
	if (sent && !refusal) ({ payments, refusal } = await settleFirst(payments, sent, options));

	const { hasUniqueKeys } = batch;
	const agent = isTool(context) ? memory : undefined;
	payments = await runStage(
		payments,
		validateBatch({
			endpoint,
			options,
			payments,
			refusal,
			hasUniqueKeys,
			memory,
			agent,
			continueOnFail,
			service,
			sent,
		}),
	);
	if (options.dryRun) payments = await runStage(payments, asReady(endpoint));
	const ended = await sendUnfinished(payments, service, {
		context,
		endpoint,
		options,
		memory,
		agent,
		sent,
		stopOnFault: !continueOnFail,
	});

	const isCancelled = context.getExecutionCancelSignal()?.aborted === true;
	for (const message of isCancelled ? cancellationLog(ended, target) : [])
		context.logger.warn(message);
	for (const message of [...batch.hints, ...stateHints(options, sent)]) {
		context.addExecutionHints({ message, type: 'warning' });
	}
	if (!continueOnFail && ended.some(isFailure)) throw batchError(context, ended, target);
	const message = summaryHint(endpoint, ended, options.dryRun, target, Date.now() - started);
	context.addExecutionHints({ message });
	// A batch that was refused as a whole cannot be approved.
	const isOffered = options.dryRun && !ended.some(isBatchRejected);
	return toItems(context, endpoint, ended, options, {
		...(isOffered && {
			summary: summarize(
				endpoint,
				payableRows({ endpoint, options, payments: ended, hasUniqueKeys }),
				ended,
				target,
			),
		}),
	});
}

/** The service, or why it cannot be used. A dry run does without it if there is none. */
async function connect(
	context: IExecuteFunctions,
	{ dryRun, checkBalance, requiredEnvironment, timeout }: BatchOptions,
): Promise<{ service?: Service; refusal?: Refusal }> {
	try {
		return { service: await Service.connect(context, { timeoutSeconds: timeout }) };
	} catch (error) {
		const { code, message, hint } = toServiceError(error);
		const refusal = { code, message, hint };
		return dryRun && !checkBalance && !requiredEnvironment ? {} : { refusal };
	}
}

/** Looks up what was sent before, where that counts before the first request. */
async function settleFirst(
	payments: Payment[],
	sent: IdempotencyStore,
	options: BatchOptions,
): Promise<{ payments: Payment[]; refusal?: Refusal }> {
	if (!options.dryRun && !options.checkBalance && options.ifAlreadySent !== 'stop')
		return { payments };
	try {
		const settled = await runStage(payments, skipAlreadySent(sent, options));
		const known = settled.filter(({ result }) => result?.outcome === 'alreadySent').length;
		return options.ifAlreadySent === 'stop' && known > 0
			? { payments: settled, refusal: userMessage('referencesAlreadySent') }
			: { payments: settled };
	} catch (error) {
		return {
			payments,
			refusal: userMessage('storeUnreadable', { reason: (error as Error).message }),
		};
	}
}

function asReady({ path }: MoneyEndpoint): Stage {
	return async (open) =>
		open.map((payment) => {
			const { reference, body } = payment.row;
			const { code, message } = userMessage('dryRun');
			return finish(payment, {
				outcome: 'ready',
				reference,
				code,
				message,
				request: { method: 'POST', path, body },
			});
		});
}

/** Sends the payments that are still open. After that every payment has ended. */
async function sendUnfinished(
	payments: Payment[],
	service: Service | undefined,
	parts: Omit<SendContext, 'service'>,
): Promise<FinishedPayment[]> {
	const after = service
		? await runStage(payments, async (open) => await send(open, { ...parts, service }))
		: payments;
	return after.map((payment) =>
		isFinished(payment) ? payment : finishNotSent(payment, userMessage('notReached')),
	);
}

/** What the user should know of n8n's memory. */
function stateHints(options: BatchOptions, sent: IdempotencyStore | undefined): string[] {
	return [
		...(sent && !sent.isAvailable ? [userMessage('workflowNotSaved')] : []),
		...(sent && sent.dropped > 0
			? [userMessage('storeFull', { max: MAX_REFERENCES, dropped: sent.dropped })]
			: []),
		...(options.referencesToPayAgain.length ? [userMessage('payAgainIsOn')] : []),
	].map(({ message }) => message);
}
