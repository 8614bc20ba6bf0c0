import type { IHookFunctions, ITriggerFunctions } from 'n8n-workflow';

import type { Service } from '../service/transport';
import { secretHash, secretIn, usesSecret, type Verification } from './callbackSecret';
import type { Problem } from './giveOut';
import { ownerOf, ownRegistration } from './keptRegistration';
import { callbackOf, differences, findOwn } from './ownWebhook';
import { ACTIVE, listWebhooks, patchWebhook, webhookBody } from './webhooks';

/** How the webhook shall be, whatever its address: read when the workflow is published. */
export interface Upkeep {
	events: string[];
	description: string;
	verification: Verification;
}

export function upkeepOf(context: IHookFunctions | ITriggerFunctions): Upkeep {
	const { description = '' } = context.getNodeParameter('options', {}) as { description?: string };
	return {
		description: description.trim() || `n8n: ${context.getWorkflow().name ?? 'workflow'}`,
		events: context.getNodeParameter('events', []) as string[],
		verification: context.getNodeParameter('verification', 'callbackSecret') as Verification,
	};
}

/** The advice where a new secret is needed: only a publication can keep one. */
export const PUBLISH_ANEW =
	'Unpublish the workflow and publish it again (n8n 1: switch it off and on), which registers it anew. Until then Catch Up gives out what the service logs.';

/**
 * Looks at the registration from time to time, and repairs what somebody has switched off or changed.
 *
 * @returns the webhook, if it is known, and what only a person can repair
 * @throws ServiceError when the service cannot be asked, or refuses
 */
export async function repair(
	context: ITriggerFunctions,
	service: Service,
	{ events, description, verification }: Upkeep,
): Promise<{ webhookId?: string; problem?: Problem }> {
	const kept = ownRegistration(context);
	const found = findOwn(await listWebhooks(service), ownerOf(context), kept, kept.address);
	if (!found) {
		const { webhookId } = kept;
		const message = 'The webhook is not registered at the service any more';
		return { webhookId, problem: { message, advice: PUBLISH_ANEW } };
	}
	const { id: webhookId } = found;
	const secret = secretIn(found.address);
	const isLost =
		usesSecret(verification) &&
		(secret === undefined ||
			(kept.secretHash !== undefined && kept.secretHash !== secretHash(secret)));
	if (isLost) {
		const message =
			'The secret of the webhook is lost: somebody has changed its address at the service';
		return { webhookId, problem: { message, advice: PUBLISH_ANEW } };
	}
	const address = callbackOf(kept.address ?? found.address, secret);
	const as = { address, description, status: ACTIVE, events };
	const changed = differences(found, as);
	if (changed.length > 0) {
		await patchWebhook(service, webhookId, webhookBody(as));
		context.logger.info(
			`Partner Payments Trigger: repaired the webhook of "${context.getNode().name}" at the service: ${changed.join(', ')}`,
		);
	}
	return { webhookId };
}
