import type { IDataObject } from 'n8n-workflow';

import { rethrow, toServiceError } from '../service/errors';
import { isObject } from '../service/json';
import { withoutTrailing } from '../service/outsideText';
import { entriesIn, isNamed, textIn } from '../service/responses';
import type { Service } from '../service/transport';
import { ownerIn, secretHash, secretIn } from './callbackSecret';

/** Section 4.12. */
export const WEBHOOKS_PATH = '/v2/webhooks';

/** The status in which the service sends events: the only one that it documents (section 2.3). */
export const ACTIVE = 'ACTIVE';

/** A registered webhook, from either of its two documented forms (section 2.7). */
export interface RegisteredWebhook {
	id: string;
	address: string;
	events: string[];
	status: string;
	description: string;
	/** When it was last changed, or else created (ISO 8601). */
	changedAt?: string;
}

/** The webhooks of the account (section 4.12: `GET /v2/webhooks`). The service may list only some. */
export async function listWebhooks(service: Service): Promise<RegisteredWebhook[]> {
	const answer = await service.request({ method: 'GET', path: WEBHOOKS_PATH });
	const list = isObject(answer) ? Object.values(answer).find(Array.isArray) : answer;
	return entriesIn(list ?? answer).map(readWebhook);
}

/**
 * A webhook by its ID (section 4.12: `GET /v2/webhooks/{id}`).
 *
 * @returns undefined if the service does not know it, or can't retrieve webhooks
 */
async function getWebhook(service: Service, id: string): Promise<RegisteredWebhook | undefined> {
	const path = `${WEBHOOKS_PATH}/${encodeURIComponent(id)}`;
	try {
		const answer = await service.request({ method: 'GET', path });
		return isObject(answer) ? { ...readWebhook(answer), id } : undefined;
	} catch (error) {
		const { status = 0, isOutage, isLogin } = toServiceError(error);
		return isOutage || isLogin || status < 400 ? rethrow(error) : undefined;
	}
}

/**
 * Reads a webhook in its list form (`callbalckUrl`, as the service spells it, with events as an object) or
 * in its create and update form (`url`, with events as a list).
 */
export function readWebhook(webhook: IDataObject): RegisteredWebhook {
	const { events } = webhook;
	const names = Array.isArray(events)
		? events
		: (events as { transaction?: unknown } | null | undefined)?.transaction;
	const text = (key: string) => textIn(webhook, key);
	return {
		id: text('id') ?? '',
		address: text('callbalckUrl') ?? text('callbackUrl') ?? text('url') ?? '',
		events: Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [],
		status: text('status') ?? '',
		description: text('description') ?? '',
		changedAt: text('updatedAt') ?? text('createdAt'),
	};
}

/**
 * Changes a webhook (section 4.12: `PATCH /v2/webhooks/{id}`). Send the whole body: the interface doesn't say
 * which fields may be left out.
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

/** The body of a create or update request. */
export function webhookBody({
	address,
	description,
	status,
	events,
}: Omit<RegisteredWebhook, 'id'>): IDataObject {
	return { url: address, description, status, events: { transaction: events } };
}

/** How a node may know its webhook. */
export interface KnownWebhook {
	/** The ID that the service gave it. */
	webhookId?: string;
	secretHash?: string;
	/** Its callback address, without the secret. */
	address?: string;
}

/**
 * Finds the webhook of a node: the one with the known ID at the node's path, or else one of the list that names the
 * node as its owner, or has its secret and names no owner. It never returns the webhook of another node, even a removed
 * one.
 *
 * @returns of several an active one; undefined if there is none
 * @throws ServiceError if the service is unavailable
 */
export async function findWebhook(
	service: Service,
	owner: string,
	known: KnownWebhook,
): Promise<RegisteredWebhook | undefined> {
	const isOwn = (webhook: RegisteredWebhook): boolean => {
		const secret = secretIn(webhook.address);
		const named = ownerIn(webhook.address);
		// At another path it may be somebody else's. A service may hide it.
		const isHidden = !URL.canParse(webhook.address);
		const isThere =
			isHidden || nodePath(webhook.address) === nodePath(known.address ?? webhook.address);
		const isKnown = webhook.id !== '' && webhook.id === known.webhookId && isThere;
		const hasSecret = secret !== undefined && secretHash(secret) === known.secretHash;
		return named === owner || (named === undefined && (isKnown || hasSecret));
	};
	const byId = known.webhookId ? await getWebhook(service, known.webhookId) : undefined;
	if (byId && isOwn(byId)) return byId;
	const own = (await listWebhooks(service)).filter(isOwn);
	return own.find(({ status }) => isNamed(status, ACTIVE)) ?? own[0];
}

/** The end of a callback address, by which n8n knows the node. What is before it changes if n8n moves. */
const nodePath = (address: string): string =>
	new URL(address).pathname.split('/').filter(Boolean).slice(-2).join('/');

/** The names of what differs from the desired webhook and matters. A service may write names in other letters. */
export function drift(found: RegisteredWebhook, desired: Omit<RegisteredWebhook, 'id'>): string[] {
	const isSame = {
		address: isSameAddress(found.address, desired.address),
		status: isNamed(found.status, desired.status),
		events: !lacksEvents(found, desired) && !lacksEvents(desired, found),
	};
	return Object.entries(isSame).flatMap(([name, same]) => (same ? [] : [name]));
}

/** Whether a webhook lacks an event that another one has: the service logs no event that isn't registered. */
export function lacksEvents(
	{ events }: Pick<RegisteredWebhook, 'events'>,
	wanted: Pick<RegisteredWebhook, 'events'>,
): boolean {
	return wanted.events.some((event) => !events.some((name) => isNamed(name, event)));
}

/** A service may add a slash to the path. */
function isSameAddress(a: string, b: string): boolean {
	const normalized = (text: string) => {
		const { origin, pathname, search } = new URL(text);
		return `${origin}${withoutTrailing(pathname, '/')}${search}`;
	};
	return URL.canParse(a) && URL.canParse(b) ? normalized(a) === normalized(b) : a === b;
}
