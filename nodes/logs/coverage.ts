import { FINAL_STATUSES, TRANSACTION_EVENTS } from '../service/enums';
import type { Service } from '../service/transport';
import { isNamed } from '../service/responses';
import { ACTIVE, listWebhooks, type RegisteredWebhook } from './webhooks';

/** What the account's webhooks cover: the service logs nothing else. */
export interface Coverage {
	/** Whether the account has a webhook, be it active or not. */
	hasWebhook: boolean;
	/** The final statuses that no webhook covers. */
	missing: string[];
}

const isActive = ({ status }: RegisteredWebhook): boolean => isNamed(status, ACTIVE);

/** Reads the account's webhooks (section 4.12: `GET /v2/webhooks`). */
export async function readCoverage(service: Service): Promise<Coverage> {
	const webhooks = await listWebhooks(service);
	const on = webhooks.filter(isActive);
	return {
		hasWebhook: webhooks.length > 0,
		missing: FINAL_STATUSES.filter((status) => !on.some(({ events }) => events.includes(status))),
	};
}

/**
 * Since when a webhook that is certainly active has covered all events (section 4.12: `GET /v2/webhooks`).
 *
 * @returns milliseconds since 1970; Infinity if none does, or nobody knows
 */
export async function coversAllSince(service: Service): Promise<number> {
	const times = (await listWebhooks(service))
		.filter(isActive)
		.filter(({ events }) => TRANSACTION_EVENTS.every(({ value }) => events.includes(value)))
		.map(({ changedAt }) => Date.parse(changedAt ?? ''));
	return Math.min(Infinity, ...times.filter(Number.isFinite));
}
