import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { withNames } from '../fields/field';
import { showValue } from '../fields/validateFields';
import { describeTarget, environmentName, type Target } from '../service/baseUrl';
import { toServiceError } from '../service/errors';
import {
	type EditorMessage,
	forPage,
	type UserMessage,
	userMessage,
} from '../messages/userMessage';
import { Service } from '../service/transport';
import { ExecutionState } from '../ledger/executionState';
import { Ledger } from '../ledger/ledger';
import { StoredEntries } from '../ledger/storedEntries';
import { DailyLimit } from './dailyLimit';
import type { MoneyEndpoint } from './endpoint';
import { parseOptions, type BatchOptions } from './options';
import { yieldRegularly } from './yieldRegularly';

/** What all stages of a batch share. */
export interface BatchContext {
	readonly context: IExecuteFunctions;
	readonly endpoint: MoneyEndpoint;
	readonly options: BatchOptions;
	/** With On Error set to continue, invalid rows do not keep valid ones from being sent. */
	readonly continueOnFail: boolean;
	/** Whether an AI agent calls the node as a tool. */
	readonly isTool: boolean;
	/** What this execution has sent. */
	readonly state: ExecutionState;
	/** Why nothing more of the batch may be sent. The first reason stays: see `rejectBatch`. */
	rejection?: UserMessage;
	/** Whether references are generated from a Batch ID, so that another node makes the same. */
	isGenerated: boolean;
	/** Whether the delivery logs have been read. */
	areLogsRead: boolean;
	/** The purpose of all rows, if there are two or more. It then distinguishes no payment from another. */
	sharedPurpose?: string;
	/** Why no further row is sent, of those that the rejection of the batch does not concern. */
	stopped?: UserMessage;
	/** Warnings for the editor. */
	readonly hints: EditorMessage[];
	/** To be awaited between rows: lets other work of the process go first from time to time. */
	readonly yieldNow: () => Promise<void>;
	/** Missing if no credential could be read. */
	service?: Service;
	/** What earlier executions sent. Missing if the user chose not to remember it, or n8n stores nothing here. */
	ledger?: Ledger;
	/** Missing if the user set none, or if no credential could be read. */
	dailyLimit?: DailyLimit;
}

/** Starts a batch with its options. A wrong option rejects it. */
export function startBatch(context: IExecuteFunctions, endpoint: MoneyEndpoint): BatchContext {
	const { options, error } = parseOptions(context, endpoint);
	const asTool = isTool(context);
	// An agent reads no hint. After an error, a model may try a payment again under a reference that it makes up.
	if (asTool && options.duplicatePayments === 'report') options.duplicatePayments = 'reject';
	const cancelSignal = context.getExecutionCancelSignal();
	return {
		context,
		endpoint: {
			...endpoint,
			fields: endpoint.fields.map((field) => withNames(field, options.bankNames)),
		},
		options,
		// Never throw when this is set: n8n would pass on the input items as if they had been paid
		// (`handleNodeExecutionError` in `workflow-execute.js` of n8n-core).
		// An agent gets nothing of an error, or only its first line, so every row of a tool has an item.
		continueOnFail: context.continueOnFail() || asTool,
		isTool: asTool,
		state: new ExecutionState(context, endpoint.path),
		rejection: error ?? forgetfulRun(context, endpoint, options),
		isGenerated: false,
		areLogsRead: false,
		hints: [],
		// After cancelling, n8n stores the execution within moments.
		yieldNow: yieldRegularly(() => cancelSignal?.aborted === true),
	};
}

/**
 * Why a run that pays is rejected: it cannot remember what it pays, so the next one would pay it again. n8n has no ID for
 * a workflow that was not saved, and for a tool of its agents. For a node that its assistant runs, it makes a workflow of
 * that node alone, and deletes it (`execute-node.service.js` of n8n 2.41.1).
 *
 * @returns undefined if it can remember, or has nothing to: a dry run, and deposits, which pay nothing out
 */
function forgetfulRun(
	context: IExecuteFunctions,
	{ paysOut }: MoneyEndpoint,
	{ dryRun }: BatchOptions,
): UserMessage | undefined {
	if (dryRun || !paysOut) return undefined;
	const { id = '', name, active } = context.getWorkflow();
	const { name: node, type } = context.getNode();
	// A workflow that a person has saved may have one node, too. Only all of this together is n8n's.
	const isOfAssistant =
		!active &&
		context.getMode() === 'manual' &&
		node === 'Node' &&
		name === `Execute node ${type}` &&
		context.getParentNodes(node).length + context.getChildNodes(node).length === 0;
	return id === '' || isOfAssistant ? forPage(userMessage('runForgets')) : undefined;
}

/** Opens the service and the ledger, or rejects the batch. A dry run can do without a credential. */
export async function connect(batch: BatchContext): Promise<void> {
	const { context, endpoint, options } = batch;
	try {
		batch.service = await Service.connect(context, { timeoutSeconds: options.timeout });
	} catch (error) {
		const { dryRun, checkBalance, requiredEnvironment } = options;
		if (!dryRun || checkBalance || requiredEnvironment) rejectBatch(batch, toServiceError(error));
		return;
	}
	const { account, target } = batch.service;
	const entries = new StoredEntries(context);
	if (options.rememberSent && entries.isAvailable) {
		batch.ledger = new Ledger(entries, {
			// None of our accounts funds what another one has funded.
			scope: `${endpoint.fromResults ? '' : account} ${endpoint.path}`,
			// A payment is a duplicate whichever of our accounts made it. Money of a sandbox is other money, but to state
			// later that it is production changes nothing.
			payeeScope: `${target.environment === 'sandbox' ? 'sandbox' : ''} ${endpoint.path}`,
			duplicateWindowDays: options.duplicateWindow,
		});
	}
	if (options.dailyLimit) batch.dailyLimit = new DailyLimit(batch, entries, options.dailyLimit);
	rejectBatch(batch, wrongEnvironment(options, target));
}

/** The columns of an input item. */
export function cellsOfItem(
	{ context }: Pick<BatchContext, 'context'>,
	itemIndex: number,
): IDataObject {
	return context.getInputData()[itemIndex].json;
}

/** Rejects all payments that are still open, unless the batch has been rejected already. */
export function rejectBatch(batch: BatchContext, reason: EditorMessage | undefined): void {
	batch.rejection ??= reason && forPage(reason);
}

/** Why the credential is not the one that Required Environment asks for; undefined if it is. */
export function wrongEnvironment(
	{ requiredEnvironment }: BatchOptions,
	target: Target,
): EditorMessage | undefined {
	if (!requiredEnvironment || target.environment === requiredEnvironment) return undefined;
	return userMessage('wrongEnvironment', {
		wanted: environmentName(requiredEnvironment),
		credential: showValue(target.credential),
		target: describeTarget(target),
	});
}

/**
 * Whether an AI agent calls the node as a tool. n8n then runs it under another type (`ai-tools.js` of
 * n8n) or reports it in the context (`isToolExecution` in `execute-context.js` of n8n-core).
 */
export function isTool(context: IExecuteFunctions): boolean {
	return context.getNode().type.endsWith('Tool') || context.isToolExecution?.() === true;
}

/** Whether the user has stopped the execution. */
export function isCancelled({ context }: Pick<BatchContext, 'context'>): boolean {
	return context.getExecutionCancelSignal()?.aborted === true;
}

/** Why nothing more is sent; undefined if it may be. */
export function whyStopped(batch: BatchContext): UserMessage | undefined {
	const { rejection, stopped } = batch;
	return rejection ?? stopped ?? (isCancelled(batch) ? userMessage('cancelled') : undefined);
}
