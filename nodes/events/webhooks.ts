import type { IDataObject } from 'n8n-workflow';

import { isObject, listIn } from '../service/answers';
import type { Service } from '../service/transport';

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

/** The webhooks of the account (section 4.12: `GET /v2/webhooks`). */
export async function listWebhooks(service: Service): Promise<RegisteredWebhook[]> {
	const list = listIn(await service.request({ method: 'GET', path: WEBHOOKS_PATH }));
	return list.filter(isObject).map(readWebhook);
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

/**
 * Changes a webhook (section 4.12: `PATCH /v2/webhooks/{id}`, with the whole body: which fields may be
 * left out is not shown).
 */
export async function patchWebhook(
	service: Service,
	id: string,
	body: IDataObject,
): Promise<unknown> {
	return await service.request({
		method: 'PATCH',
		path: `${WEBHOOKS_PATH}/${encodeURIComponent(id)}`,
		body,
	});
}

/** The body of create and update. */
export function webhookBody({
	address,
	description,
	status,
	events,
}: Omit<RegisteredWebhook, 'id'>): IDataObject {
	return { url: address, description, status, events: { transaction: events } };
}

/** Whether two addresses are the same but for their query and a slash at the end of their path. */
export function sameAddress(a: string, b: string): boolean {
	if (!URL.canParse(a) || !URL.canParse(b)) return false;
	const [first, second] = [new URL(a), new URL(b)];
	const path = ({ pathname }: URL) => pathname.replace(/\/+$/, '');
	return first.origin === second.origin && path(first) === path(second);
}
