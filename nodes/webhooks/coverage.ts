import { FINAL_STATUSES } from '../service/enums';
import type { Service } from '../service/transport';
import { ACTIVE, hasStatus, listWebhooks } from './webhooks';

/** Which final statuses the account's webhooks cover: the service logs no others. */
export interface Coverage {
	/** Whether the account has a webhook, be it active or not. */
	hasWebhook: boolean;
	/** The final statuses that an active webhook covers, and since when it is unchanged (ISO 8601; empty if unknown). */
	covered: Array<{ status: string; since: string }>;
	/** The final statuses that no active webhook covers. */
	missing: string[];
}

/** Reads the account's webhooks (section 4.12: `GET /v2/webhooks`). */
export async function readCoverage(service: Service): Promise<Coverage> {
	const webhooks = await listWebhooks(service);
	const active = webhooks.filter((webhook) => hasStatus(webhook, ACTIVE));
	const covering = (event: string) => active.filter(({ events }) => events.includes(event));
	const isCovered = (status: string) => covering(status).length > 0;
	return {
		hasWebhook: webhooks.length > 0,
		covered: FINAL_STATUSES.filter(isCovered).map((status) => {
			const dates = covering(status).map(({ changedAt = '' }) => changedAt);
			return { status, since: dates.filter((date) => date !== '').sort()[0] ?? '' };
		}),
		missing: FINAL_STATUSES.filter((status) => !isCovered(status)),
	};
}
