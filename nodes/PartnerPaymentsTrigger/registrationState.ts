import type { IHookFunctions, ITriggerFunctions, IWebhookFunctions } from 'n8n-workflow';

import { shortHash } from '../service/secrets';
import { ownerIn } from '../logs/callbackSecret';

/**
 * The registration state, in the workflow's static data. That isn't encrypted, so it has only hashes of
 * secrets. Only the hooks write it: n8n saves it after them (`workflow-trigger-activator.js` of n8n), and
 * not reliably after anything else.
 */
export interface RegistrationState {
	webhookId?: string;
	/** The callback address, without the secret. */
	address?: string;
	secretHash?: string;
	apiKeyHash?: string;
	/** The desired registration that is known to be active, as JSON. */
	active?: string;
	/** When the hooks last checked the registration (milliseconds since 1970). */
	registeredAt?: number;
	/** Whether it is the webhook of a test. n8n's `delete` can't see that (`test-webhooks.js` of n8n). */
	isTest?: boolean;
}

/** The state under this node's name. It may belong to another node. */
export function readState(
	context: IHookFunctions | ITriggerFunctions | IWebhookFunctions,
): RegistrationState {
	return context.getWorkflowStaticData('node') as RegistrationState;
}

/**
 * This node's state, to read. It is empty if the state under its name belongs to another node: a removed node of
 * the same name, or the same node on the n8n that exported the workflow.
 */
export function readOwnState(context: IHookFunctions | ITriggerFunctions): RegistrationState {
	const state = readState(context);
	return isOwn(context, state) ? state : {};
}

/** This node's state, to change. It is emptied first if it belongs to another node. */
export function claimState(context: IHookFunctions): RegistrationState {
	const state = readState(context);
	if (!isOwn(context, state)) {
		for (const name of Object.keys(state)) delete state[name as keyof RegistrationState];
	}
	return state;
}

function isOwn(
	context: IHookFunctions | ITriggerFunctions,
	{ address = '', isTest }: RegistrationState,
): boolean {
	const owner = ownerIn(address);
	return owner === undefined || owner === ownerId(context, isTest);
}

/**
 * Identifies the owner of a webhook: this node of this workflow on this n8n. An export that is published
 * elsewhere, a copied workflow and a test of the same node are other owners.
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
