import { FINAL_STATUSES, TRANSACTION_EVENTS } from '../service/enums';
import { statusText } from '../service/transactionStatus';
import type { Service } from '../service/transport';
import { ACTIVE, hasStatus, listWebhooks, type RegisteredWebhook } from './webhooks';

/** Which final statuses the account's webhooks cover: the service logs no others. */
export interface Coverage {
	/** Whether the account has a webhook, be it active or not. */
	hasWebhook: boolean;
	/** The final statuses that a webhook covers, with a note in parentheses: since when it is unchanged, or its unknown status. */
	covered: Array<{ status: string; note: string }>;
	/** The final statuses that no webhook covers. */
	missing: string[];
}

/** How the words for off begin, such as INACTIVE, DISABLED or DELETED. */
const OFF = ['in', 'dis', 'de'];

const isActive = (webhook: RegisteredWebhook): boolean => hasStatus(webhook, ACTIVE);

const mayBeActive = ({ status }: RegisteredWebhook): boolean =>
	!OFF.some((word) => status.toLowerCase().startsWith(word));

/**
 * Reads the account's webhooks (section 4.12: `GET /v2/webhooks`).
 *
 * @param isCertain leaves out webhooks of an unknown status, which may be active or not
 */
export async function readCoverage(service: Service, isCertain = false): Promise<Coverage> {
	const webhooks = await listWebhooks(service);
	const on = webhooks.filter(isCertain ? isActive : mayBeActive);
	const covering = (event: string) => on.filter(({ events }) => events.includes(event));
	return {
		hasWebhook: webhooks.length > 0,
		covered: FINAL_STATUSES.flatMap((status) => {
			const all = covering(status);
			return all.length > 0 ? [{ status, note: noteOn(all) }] : [];
		}),
		missing: FINAL_STATUSES.filter((status) => covering(status).length === 0),
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

function noteOn(webhooks: RegisteredWebhook[]): string {
	const active = webhooks.filter(isActive);
	if (active.length === 0)
		return ` (webhook status ${statusText(webhooks[0].status) || 'unknown'})`;
	const [since] = active.flatMap(({ changedAt }) => changedAt || []).sort();
	return since ? ` (unchanged since ${since})` : '';
}
