import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { ExecutionMemory } from '../memory/executionMemory';
import { MAX_REFERENCES, SentReferences } from '../memory/sentReferences';
import { toServiceError } from '../service/errors';
import { Service } from '../service/transport';
import { control, rowsToPay, wrongEnvironment } from './control';
import type { MoneyEndpoint } from './endpoint';
import { tell } from './messages';
import { readOptions, type BatchOptions } from './options';
import {
	end,
	endNotSent,
	hasEnded,
	isFault,
	isRefused,
	through,
	type EndedPayment,
	type Payment,
	type Refusal,
	type Stage,
} from './payment';
import { isTool, readBatch } from './read';
import { cancelReport, stopError, summary, toItems } from './report';
import { send, type SendContext } from './send';
import { settleFromExecution, settleFromMemory } from './settle';
import { summaryOf } from './figures';

/**
 * Pays the input items: one list of payments, through all stages - read, settle, control, send, report.
 * Whatever moves money goes through here, so what this folder promises holds for all of it: all rows are
 * checked before the first is sent, a reference is never sent twice, and every row ends in an outcome that
 * is reported.
 *
 * @returns the output items, paired with the input
 * @throws NodeOperationError with every row's outcome, when one is a fault and On Error is set to stop
 */
export async function pay(
	context: IExecuteFunctions,
	endpoint: MoneyEndpoint,
): Promise<INodeExecutionData[]> {
	if (context.getInputData().length === 0) return [];
	const started = Date.now();
	// Never throw when this is set: n8n would hand on the input items as if they had been paid
	// (`handleNodeExecutionError` in `workflow-execute.js` of n8n-core).
	const continueOnFail = context.continueOnFail();

	const { options, refusal: wrongOption } = readOptions(context, endpoint);
	const memory = new ExecutionMemory(context, endpoint.path);
	const batch = await readBatch(context, endpoint, memory, options);
	let payments: Payment[] = batch.payments;

	payments = await through(payments, settleFromExecution(context, endpoint, memory, options));
	const { service, refusal: noConnection } = await connect(context, options);
	const sent =
		service && options.rememberSent
			? new SentReferences(context, `${service.account} ${endpoint.path}`)
			: undefined;
	const refusedLogin = service && memory.refusedLogin(service.account);
	const target = service?.target;
	let refusal =
		wrongOption ??
		batch.refusal ??
		noConnection ??
		wrongEnvironment(options, target) ??
		refusedLogin;
	if (sent && !refusal) ({ payments, refusal } = await settleFirst(payments, sent, options));

	const { isToldApart } = batch;
	const agent = isTool(context) ? memory : undefined;
	payments = await through(
		payments,
		control({
			endpoint,
			options,
			payments,
			refusal,
			isToldApart,
			memory,
			agent,
			continueOnFail,
			service,
			sent,
		}),
	);
	if (options.dryRun) payments = await through(payments, asReady(endpoint));
	const ended = await sendOpen(payments, service, {
		context,
		endpoint,
		options,
		memory,
		agent,
		sent,
		stopOnFault: !continueOnFail,
	});

	const isCancelled = context.getExecutionCancelSignal()?.aborted === true;
	for (const message of isCancelled ? cancelReport(ended, target) : [])
		context.logger.warn(message);
	for (const message of [...batch.hints, ...memoryHints(options, sent)]) {
		context.addExecutionHints({ message, type: 'warning' });
	}
	if (!continueOnFail && ended.some(isFault)) throw stopError(context, ended, target);
	const message = summary(endpoint, ended, options.dryRun, target, Date.now() - started);
	context.addExecutionHints({ message });
	// A batch that was refused as a whole cannot be approved.
	const isOffered = options.dryRun && !ended.some(isRefused);
	return toItems(context, endpoint, ended, options, {
		...(isOffered && {
			summary: summaryOf(
				endpoint,
				rowsToPay({ endpoint, options, payments: ended, isToldApart }),
				ended,
				target,
			),
		}),
	});
}

/** The service, or why it cannot be used. A dry run does without it if there is none. */
async function connect(
	context: IExecuteFunctions,
	{ dryRun, checkBalance, onlyIn, timeoutSeconds }: BatchOptions,
): Promise<{ service?: Service; refusal?: Refusal }> {
	try {
		return { service: await Service.connect(context, { timeoutSeconds }) };
	} catch (error) {
		const { code, message, advice } = toServiceError(error);
		const refusal = { code, message, advice };
		return dryRun && !checkBalance && !onlyIn ? {} : { refusal };
	}
}

/** Looks up what was sent before, where that counts before the first request. */
async function settleFirst(
	payments: Payment[],
	sent: SentReferences,
	options: BatchOptions,
): Promise<{ payments: Payment[]; refusal?: Refusal }> {
	if (!options.dryRun && !options.checkBalance && options.sentBefore !== 'stop')
		return { payments };
	try {
		const settled = await through(payments, settleFromMemory(sent, options));
		const known = settled.filter(({ result }) => result?.outcome === 'sentBefore').length;
		return options.sentBefore === 'stop' && known > 0
			? { payments: settled, refusal: tell('referencesSentBefore') }
			: { payments: settled };
	} catch (error) {
		return {
			payments,
			refusal: tell('memoryUnreadable', { reason: (error as Error).message }),
		};
	}
}

function asReady({ path }: MoneyEndpoint): Stage {
	return async (open) =>
		open.map((payment) => {
			const { reference, body } = payment.row;
			const { code, message } = tell('dryRun');
			return end(payment, {
				outcome: 'ready',
				reference,
				code,
				message,
				request: { method: 'POST', path, body },
			});
		});
}

/** Sends the payments that are still open. After that every payment has ended. */
async function sendOpen(
	payments: Payment[],
	service: Service | undefined,
	parts: Omit<SendContext, 'service'>,
): Promise<EndedPayment[]> {
	const after = service
		? await through(payments, async (open) => await send(open, { ...parts, service }))
		: payments;
	return after.map((payment) =>
		hasEnded(payment) ? payment : endNotSent(payment, tell('notReached')),
	);
}

/** What the user should know of n8n's memory. */
function memoryHints(options: BatchOptions, sent: SentReferences | undefined): string[] {
	return [
		...(sent && !sent.isAvailable ? [tell('workflowNotSaved')] : []),
		...(sent && sent.dropped > 0
			? [tell('memoryFull', { max: MAX_REFERENCES, dropped: sent.dropped })]
			: []),
		...(options.sendAgain.length ? [tell('sendAgainIsOn')] : []),
	].map(({ message }) => message);
}
