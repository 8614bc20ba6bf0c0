import type { IHookFunctions, ITriggerFunctions, IWebhookFunctions } from 'n8n-workflow';

import type { UserMessage } from '../service/messages';
import type { Service } from '../service/transport';
import { knownSecretIn, usesSecret, type Verification } from '../webhooks/callbackSecret';
import { ownerId, readOwnState } from './registrationState';
import { userMessage } from '../webhooks/messages';
import {
	ACTIVE,
	callbackOf,
	drift,
	findOwnWebhook,
	listWebhooks,
	patchWebhook,
	webhookBody,
} from '../webhooks/webhooks';

/** How the webhook should be, apart from its address: read when the workflow is published. */
export interface DesiredWebhook {
	events: string[];
	description: string;
	verification: Verification;
}

/** The header in which the service sends the API key, in lower case. */
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

/**
 * Looks at the registration from time to time, and repairs what somebody has switched off or changed.
 *
 * @param isPublished whether the trigger still is: what its end has switched off is not switched on again
 * @returns the webhook, if it is known, and what only a person can repair
 * @throws ServiceError when the service cannot be asked, or refuses
 */
export async function repair(
	context: ITriggerFunctions,
	service: Service,
	{ events, description, verification }: DesiredWebhook,
	isPublished: () => boolean,
): Promise<{ webhookId?: string; problem?: UserMessage }> {
	const kept = readOwnState(context);
	const found = findOwnWebhook(await listWebhooks(service), ownerId(context), kept, kept.address);
	if (!found) {
		const { webhookId } = kept;
		return { webhookId, problem: userMessage('webhookMissing') };
	}
	const { id: webhookId } = found;
	const secret = knownSecretIn(found.address, kept.secretHash);
	if (usesSecret(verification) && secret === undefined) {
		return { webhookId, problem: userMessage('secretLost') };
	}
	const address = callbackOf(kept.address ?? found.address, secret);
	const as = { address, description, status: ACTIVE, events };
	const changed = drift(found, as);
	if (changed.length > 0 && isPublished()) {
		await patchWebhook(service, webhookId, webhookBody(as));
		const node = context.getNode().name;
		context.logger.info(
			userMessage('webhookRepaired', { node, changes: changed.join(', ') }).message,
		);
	}
	return { webhookId };
}
