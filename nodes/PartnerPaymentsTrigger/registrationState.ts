import type { IHookFunctions, ITriggerFunctions, IWebhookFunctions } from 'n8n-workflow';

import { shortHash } from '../service/secrets';
import { ownerIn } from '../webhooks/callbackSecret';

/**
 * What this node keeps of its registration, in the workflow's static data. Of secrets only hashes, because
 * static data is not encrypted. Only the hooks write it: n8n saves it after them
 * (`workflow-trigger-activator.js` of n8n), and not surely after anything else.
 */
export interface RegistrationState {
	webhookId?: string;
	/** The callback address without its secret. */
	address?: string;
	secretHash?: string;
	apiKeyHash?: string;
	/** What was registered last, while it is known to be switched on. */
	active?: string;
	/** When the hooks last made or changed it (milliseconds since 1970). */
	registeredAt?: number;
	/** Since when its events are this node's (milliseconds since 1970), if it had another owner before. */
	since?: number;
	/** Made while listening for a test event. `delete` is not told (`test-webhooks.js` of n8n). */
	isTest?: boolean;
}

/** What is kept under this node's name, which may be another node's registration. */
export function readState(
	context: IHookFunctions | ITriggerFunctions | IWebhookFunctions,
): RegistrationState {
	return context.getWorkflowStaticData('node') as RegistrationState;
}

/**
 * The registration of this node, to read. A removed node of the same name may have left another one, or
 * an export of another n8n may have brought one along: nothing of that is this node's.
 */
export function readOwnState(context: IHookFunctions | ITriggerFunctions): RegistrationState {
	const kept = readState(context);
	return isOwn(context, kept) ? kept : {};
}

/** The registration of this node, to read and to change. If it is another node's, it is emptied. */
export function claimState(context: IHookFunctions): RegistrationState {
	const kept = readState(context);
	if (!isOwn(context, kept)) {
		for (const name of Object.keys(kept)) delete kept[name as keyof RegistrationState];
	}
	return kept;
}

function isOwn(
	context: IHookFunctions | ITriggerFunctions,
	{ address = '', isTest }: RegistrationState,
): boolean {
	const owner = ownerIn(address);
	return owner === undefined || owner === ownerId(context, isTest);
}

/**
 * By which the service's list shows whose webhook it is: this node's, of this workflow, on this n8n. An
 * export that is published elsewhere, a copied workflow and a test of the same node are other owners.
 */
export function ownerId(
	context: IHookFunctions | ITriggerFunctions,
	isTest = context.getMode() === 'manual',
): string {
	return shortHash([
		context.getInstanceId(),
		context.getWorkflow().id,
		context.getNode().id,
		isTest,
	]);
}
