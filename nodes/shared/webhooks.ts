import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { listIn } from './operation';
import type { Service } from './transport';

/** Section 4.12. */
export const WEBHOOKS_PATH = '/v2/webhooks';

/** The status in which the service sends events: the only one that it documents (section 2.3). */
export const ACTIVE = 'ACTIVE';

/** A registered webhook, whichever of its two documented forms it came in (section 2.7). */
export interface RegisteredWebhook {
	id: string;
	address: string;
	events: string[];
	status: string;
	description: string;
}

/** A webhook that a trigger of the workflow registered. */
export interface TriggerWebhook {
	webhookId: string;
	address: string;
	/** The trigger is deactivated, or not in the workflow any more. */
	isUnused?: boolean;
}

/** Where all nodes of the workflow can read which webhooks belong to its triggers, by node. */
export interface TriggerWebhooks {
	partnerPaymentsWebhooks?: Record<string, TriggerWebhook>;
}

/** The webhooks that the workflow's triggers registered, by node: to read only. In queue mode n8n 2 gives a worker none. */
export function triggerWebhooks(context: IExecuteFunctions): Record<string, TriggerWebhook> {
	const { partnerPaymentsWebhooks = {} } = context.getWorkflowStaticData(
		'global',
	) as TriggerWebhooks;
	return partnerPaymentsWebhooks;
}

/** The webhooks of the account (section 4.12: `GET /v2/webhooks`). */
export async function listWebhooks(service: Service): Promise<RegisteredWebhook[]> {
	const list = listIn(await service.request({ method: 'GET', path: WEBHOOKS_PATH }));
	return list.map(readWebhook);
}

/**
 * Reads a webhook in its list form (`callbalckUrl`, as the service spells it, and events as an
 * object) or its create and update form (`url`, and events as a list).
 */
export function readWebhook(webhook: IDataObject): RegisteredWebhook {
	const { events } = webhook;
	const names = Array.isArray(events)
		? events
		: (events as { transaction?: unknown } | null | undefined)?.transaction;
	return {
		id: text(webhook.id),
		address: text(webhook.callbalckUrl) || text(webhook.callbackUrl) || text(webhook.url),
		events: Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [],
		status: text(webhook.status),
		description: text(webhook.description),
	};
}

function text(value: unknown): string {
	return typeof value === 'string' ? value : '';
}

/** Whether two addresses are the same but for their query, which may hold a secret. */
export function sameAddress(a: string, b: string): boolean {
	if (!URL.canParse(a) || !URL.canParse(b)) return false;
	const [first, second] = [new URL(a), new URL(b)];
	return first.origin === second.origin && first.pathname === second.pathname;
}
