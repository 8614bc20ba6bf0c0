import type { IDataObject } from 'n8n-workflow';

import { isObject, listIn } from '../service/responses';
import type { Service } from '../service/transport';
import { ownerIn, secretHash, secretIn, withSecret } from './callbackSecret';

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
function isSameAddress(a: string, b: string): boolean {
	if (!URL.canParse(a) || !URL.canParse(b)) return false;
	const [first, second] = [new URL(a), new URL(b)];
	const path = ({ pathname }: URL) => pathname.replace(/\/+$/, '');
	return first.origin === second.origin && path(first) === path(second);
}

/** How a node may have known its webhook before. */
export interface KnownWebhook {
	webhookId?: string;
	secretHash?: string;
}

/**
 * The webhook of this node: the one that names it as its owner, or that calls its address, or, where
 * the address names no owner, that has its secret. Never one of another node, also not of one that was
 * removed.
 */
export function findOwnWebhook(
	webhooks: RegisteredWebhook[],
	owner: string,
	kept: KnownWebhook,
	address = '',
): RegisteredWebhook | undefined {
	const own = webhooks.filter((webhook) => {
		const named = ownerIn(webhook.address);
		const secret = secretIn(webhook.address);
		return (
			named === owner ||
			isSameAddress(webhook.address, address) ||
			(named === undefined && secret !== undefined && secretHash(secret) === kept.secretHash)
		);
	});
	return (
		own.find(({ id }) => id === kept.webhookId) ??
		own.find(({ status }) => status === ACTIVE) ??
		own[0]
	);
}

/** The names of what is not as it should be in a webhook. */
export function drift(
	found: RegisteredWebhook,
	as: Pick<RegisteredWebhook, 'address' | 'status' | 'events' | 'description'>,
): string[] {
	const isEach = as.events.every((event) => found.events.includes(event));
	return [
		...(isSameCallback(found.address, as.address) ? [] : ['address']),
		...(found.status === as.status ? [] : ['status']),
		...(isEach && found.events.length === as.events.length ? [] : ['events']),
		...(found.description === as.description ? [] : ['description']),
	];
}

/** The service may write an address in another way than it was given. */
function isSameCallback(a: string, b: string): boolean {
	return isSameAddress(a, b) && secretIn(a) === secretIn(b) && ownerIn(a) === ownerIn(b);
}

/** What the service calls. */
export function callbackOf(address: string, secret: string | undefined): string {
	return secret === undefined ? address : withSecret(address, secret);
}
