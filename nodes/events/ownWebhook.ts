import { ownerIn, secretHash, secretIn, withSecret } from './callbackSecret';
import type { Registration } from './keptRegistration';
import { ACTIVE, sameAddress, type RegisteredWebhook } from './webhooks';

/**
 * The webhook of this node: the one that names it as its owner, or that calls its address, or, where
 * the address names no owner, that has its secret. Never one of another node, also not of one that was
 * removed.
 */
export function findOwn(
	webhooks: RegisteredWebhook[],
	owner: string,
	kept: Registration,
	address = '',
): RegisteredWebhook | undefined {
	const own = webhooks.filter((webhook) => {
		const named = ownerIn(webhook.address);
		const secret = secretIn(webhook.address);
		return (
			named === owner ||
			sameAddress(webhook.address, address) ||
			(named === undefined && secret !== undefined && secretHash(secret) === kept.secretHash)
		);
	});
	return (
		own.find(({ id }) => id === kept.webhookId) ??
		own.find(({ status }) => status === ACTIVE) ??
		own[0]
	);
}

/** In which respects a webhook is not as it should be. */
export function differences(
	found: RegisteredWebhook,
	as: Pick<RegisteredWebhook, 'address' | 'status' | 'events' | 'description'>,
): string[] {
	const isSet = new Set([...found.events, ...as.events]).size === as.events.length;
	return [
		...(isSameCallback(found.address, as.address) ? [] : ['address']),
		...(found.status === as.status ? [] : ['status']),
		...(isSet && found.events.length === as.events.length ? [] : ['events']),
		...(found.description === as.description ? [] : ['description']),
	];
}

/** The service may write an address in another way than it was given. */
function isSameCallback(a: string, b: string): boolean {
	return sameAddress(a, b) && secretIn(a) === secretIn(b) && ownerIn(a) === ownerIn(b);
}

/** What the service calls. */
export function callbackOf(address: string, secret: string | undefined): string {
	return secret === undefined ? address : withSecret(address, secret);
}
