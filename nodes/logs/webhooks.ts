import type { IDataObject } from 'n8n-workflow';

import { withoutTrailing } from '../service/outsideText';
import { entriesIn, isNamed } from '../service/responses';
import type { Service } from '../service/transport';
import { ownerIn, secretHash, secretIn, withSecret } from './callbackSecret';

/** Section 4.12. */
export const WEBHOOKS_PATH = '/v2/webhooks';

/** The status in which the service sends events: the only one that it documents (section 2.3). */
export const ACTIVE = 'ACTIVE';

/** Whether a webhook has this status: a service may write it in other letters. */
export function hasStatus({ status }: { status: string }, wanted: string): boolean {
	return isNamed(status, wanted);
}

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

/** The webhooks of the account (section 4.12: `GET /v2/webhooks`). */
export async function listWebhooks(service: Service): Promise<RegisteredWebhook[]> {
	const list = entriesIn(await service.request({ method: 'GET', path: WEBHOOKS_PATH }));
	return list.map(readWebhook);
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
	return {
		id: textOrEmpty(webhook.id),
		address:
			textOrEmpty(webhook.callbalckUrl) ||
			textOrEmpty(webhook.callbackUrl) ||
			textOrEmpty(webhook.url),
		events: Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [],
		status: textOrEmpty(webhook.status),
		description: textOrEmpty(webhook.description),
		changedAt: textOrEmpty(webhook.updatedAt) || textOrEmpty(webhook.createdAt),
	};
}

function textOrEmpty(value: unknown): string {
	return typeof value === 'string' ? value : '';
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

/** Whether two addresses are the same apart from their query and slashes at the end of the path. */
function isSameAddress(a: string, b: string): boolean {
	if (!URL.canParse(a) || !URL.canParse(b)) return false;
	const [first, second] = [new URL(a), new URL(b)];
	const path = ({ pathname }: URL) => withoutTrailing(decoded(pathname), '/');
	return first.origin === second.origin && path(first) === path(second);
}

/** A path without percent encoding, which services write in different ways. */
function decoded(path: string): string {
	try {
		return decodeURIComponent(path);
	} catch {
		return path;
	}
}

/** None of them is in an address of n8n. */
const MASKS = ['*', '…', '...', '•', '[', '<', 'xxx'];

/** Whether the service masks an address, or leaves it out of its list. */
export function isHidden(address: string): boolean {
	return !URL.canParse(address) || MASKS.some((mask) => address.includes(mask));
}

/** How a node may know its webhook. */
export interface KnownWebhook {
	/** The ID that the service gave it. */
	webhookId?: string;
	secretHash?: string;
}

/**
 * Finds the webhook of a node: one that names the node as its owner, or calls its address, or has its secret
 * if the address names no owner. If the address is hidden, its ID counts. It never returns the webhook of another
 * node, even a removed one.
 *
 * @param address the node's callback address
 * @returns of several the known one, or else an active one
 */
export function findOwnWebhook(
	webhooks: RegisteredWebhook[],
	owner: string,
	known: KnownWebhook,
	address = '',
): RegisteredWebhook | undefined {
	const own = webhooks.filter((webhook) => {
		const namedOwner = ownerIn(webhook.address);
		const secret = secretIn(webhook.address);
		return (
			namedOwner === owner ||
			isSameAddress(webhook.address, address) ||
			(namedOwner === undefined &&
				(isHidden(webhook.address)
					? webhook.id !== '' && webhook.id === known.webhookId
					: secret !== undefined && secretHash(secret) === known.secretHash))
		);
	});
	return (
		own.find(({ id }) => id === known.webhookId) ??
		own.find((webhook) => hasStatus(webhook, ACTIVE)) ??
		own[0]
	);
}

/** The names of what differs from the desired webhook. */
export function drift(found: RegisteredWebhook, desired: Omit<RegisteredWebhook, 'id'>): string[] {
	const { address, status, events, description } = desired;
	const isSame = {
		address: isSameCallback(found.address, address),
		status: hasStatus(found, status),
		events:
			found.events.length === events.length &&
			events.every((event) => found.events.includes(event)),
		description: isShortened(found.description.trim(), description.trim()),
	};
	return Object.entries(isSame).flatMap(([name, same]) => (same ? [] : [name]));
}

/** Whether two texts are the same, or the service has shortened one. */
function isShortened(short: string, text: string): boolean {
	return (short !== '' && text.startsWith(short)) || short === text;
}

/** The service may write an address differently than we sent it. */
function isSameCallback(a: string, b: string): boolean {
	return isSameAddress(a, b) && secretIn(a) === secretIn(b) && ownerIn(a) === ownerIn(b);
}

/** The address that the service calls. */
export function callbackUrl(address: string, secret: string | undefined): string {
	return secret === undefined ? address : withSecret(address, secret);
}
