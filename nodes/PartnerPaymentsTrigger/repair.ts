import type { IHookFunctions, ITriggerFunctions, IWebhookFunctions } from 'n8n-workflow';

import type { UserMessage } from '../service/messages';
import type { Service } from '../service/transport';
import { knownSecretIn, usesSecret, type Verification } from '../webhooks/callbackSecret';
import {
	ACTIVE,
	callbackUrl,
	drift,
	findOwnWebhook,
	listWebhooks,
	patchWebhook,
	type RegisteredWebhook,
	webhookBody,
} from '../webhooks/webhooks';
import { userMessage } from './messages';
import { ownerId, readOwnState, type RegistrationState } from './registrationState';

/** What the trigger's parameters ask of its webhook. n8n evaluates them on publication. */
export interface DesiredWebhook {
	events: string[];
	description: string;
	verification: Verification;
}

/** The same with the callback address, which has no secret yet. */
export interface DesiredRegistration extends DesiredWebhook {
	address: string;
}

/** What proves that a delivery comes from the service. The service never shows the API key. */
export interface Secrets {
	/** Undefined to have none in the address. */
	secret?: string;
	/** Undefined to keep the one that the service has. */
	apiKey?: string;
}

/** The name of the header in which the service sends the API key, in lower case. */
export function apiKeyHeader(
	context: IHookFunctions | ITriggerFunctions | IWebhookFunctions,
): string {
	return String(context.getNodeParameter('options.verificationHeader', '')).trim().toLowerCase();
}

export function desiredWebhook(context: IHookFunctions | ITriggerFunctions): DesiredWebhook {
	const { description = '' } = context.getNodeParameter('options', {}) as { description?: string };
	return {
		description: description.trim() || `n8n: ${context.getWorkflow().name ?? ''}`,
		events: context.getNodeParameter('events', []) as string[],
		verification: context.getNodeParameter(
			'options.verification',
			'callbackSecret',
		) as Verification,
	};
}

/** The webhook that the service should have. */
export function targetWebhook(
	{ address, description, events }: Omit<DesiredRegistration, 'verification'>,
	{ secret }: Secrets,
): Omit<RegisteredWebhook, 'id'> {
	return { address: callbackUrl(address, secret), description, status: ACTIVE, events };
}

/** Lists the account's webhooks and returns the owner's; undefined if there is none. */
export async function findWebhook(
	service: Service,
	owner: string,
	state: RegistrationState,
): Promise<RegisteredWebhook | undefined> {
	return findOwnWebhook(await listWebhooks(service), owner, state, state.address);
}

/**
 * Makes a registered webhook the desired one, if it has drifted or gets a new API key.
 *
 * @returns the names of what had drifted
 * @throws ServiceError if the service is unavailable or rejects the change
 */
export async function reconcile(
	service: Service,
	found: RegisteredWebhook,
	desired: Omit<DesiredRegistration, 'verification'>,
	secrets: Secrets,
): Promise<string[]> {
	const { apiKey } = secrets;
	const target = targetWebhook(desired, secrets);
	const changes = drift(found, target);
	if (apiKey !== undefined || changes.length > 0) {
		await patchWebhook(service, found.id, { ...webhookBody(target), apiKey });
	}
	return changes;
}

/**
 * Checks the registration between publications, and repairs it.
 *
 * @param isPublished whether the trigger is still published: once it isn't, nothing is repaired
 * @returns the ID of the webhook, if it is known, and the alarm for what only a person can repair
 * @throws ServiceError if the service is unavailable or rejects the request
 */
export async function repair(
	context: ITriggerFunctions,
	service: Service,
	desired: DesiredWebhook,
	isPublished: () => boolean,
): Promise<{ webhookId?: string; alarm?: UserMessage }> {
	const state = readOwnState(context);
	const found = await findWebhook(service, ownerId(context), state);
	if (!found) return { webhookId: state.webhookId, alarm: userMessage('webhookMissing') };
	const { id: webhookId } = found;
	const secret = knownSecretIn(found.address, state.secretHash);
	if (usesSecret(desired.verification) && secret === undefined) {
		return { webhookId, alarm: userMessage('secretLost') };
	}
	if (!isPublished()) return { webhookId };
	const address = state.address ?? found.address;
	const changes = await reconcile(service, found, { ...desired, address }, { secret });
	if (changes.length > 0) {
		const node = context.getNode().name;
		context.logger.info(
			userMessage('webhookRepaired', { node, changes: changes.join(', ') }).message,
		);
	}
	return { webhookId };
}
