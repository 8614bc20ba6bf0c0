import type { IDataObject } from 'n8n-workflow';

import type { UserMessage } from '../service/messages';
import { matches } from '../service/outsideText';
import { DAY_MS, HOUR_MS } from '../service/time';
import { entryDate, isDelivered, resultOf } from '../logs/logEntry';
import { userMessage } from './messages';
import type { WindowEvent } from './look';

/** So many events in a row that no attempt delivered are no accident. */
const MANY_UNDELIVERED = 3;

/** While a delivery arrived less than this ago, others fail because n8n, a proxy or the service is overloaded. */
const MAX_OVERLOAD_MS = HOUR_MS;

/** What n8n or a proxy answers while it is overloaded or restarts. */
const isTemporary = (status: number): boolean => status === 429 || status >= 500;

/** NaN without a readable date: such an attempt may be old, so it shows nothing. */
const triedAt = ({ last }: WindowEvent): number => entryDate(last);

/** A service's clock may be ahead, but not by more than this: such an entry would seem the newest for ever. */
const MAX_LEAD_MS = DAY_MS;

/** @param since by the service's clock (milliseconds since 1970) */
function latest(events: WindowEvent[], since: number): WindowEvent[] {
	const until = Date.now() + MAX_LEAD_MS;
	return events
		.filter((event) => triedAt(event) > since && triedAt(event) < until)
		.sort((a, b) => triedAt(a) - triedAt(b));
}

/** When the newest attempt was made (by the service's clock, milliseconds since 1970); -Infinity if there is none. */
export function newestAttempt(events: WindowEvent[]): number {
	const newest = latest(events, -Infinity).at(-1);
	return newest === undefined ? -Infinity : triedAt(newest);
}

/** Whether an attempt arrived. If its result isn't a documented one, the answer that it got counts. */
function hasArrived(log: IDataObject): boolean {
	const isAnswered = Math.floor(Number(log.statusCode) / 100) === 2;
	return isDelivered(log) || (isAnswered && resultOf(log) === undefined);
}

/** Whether the newest attempt since then arrived. */
export function isArriving(events: WindowEvent[], since: number): boolean {
	const newest = latest(events, since).at(-1);
	return newest !== undefined && hasArrived(newest.last);
}

/** The codes of `deliveryAlarm`. */
export const DELIVERY_ALARMS = [
	'deliveriesRejected',
	'apiKeyRejected',
	'secretLost',
	'deliveriesDoNotArrive',
	'addressIsLocal',
] as const;

type DeliveryAlarm = UserMessage & { code: (typeof DELIVERY_ALARMS)[number] };

/**
 * The alarm that no delivery arrives, if so.
 *
 * @param since ignores earlier attempts (by the service's clock, milliseconds since 1970)
 * @param address the trigger's callback address, without its secret
 * @param isSecretShown whether the webhook at the service has the secret, as far as it shows
 * @param header in which the service has to send the API key; empty without one
 */
export function deliveryAlarm(
	events: WindowEvent[],
	since: number,
	address: string,
	{ isSecretShown, header }: { isSecretShown: boolean; header: string },
): DeliveryAlarm | undefined {
	const all = latest(events, since);
	const last = all.at(-1)?.last;
	if (last === undefined || hasArrived(last)) return undefined;
	const status = Number(last.statusCode ?? 0);
	if (status === 401) {
		if (!isSecretShown) return userMessage('secretLost');
		return header ? userMessage('apiKeyRejected', { header }) : userMessage('deliveriesRejected');
	}
	const arrived = all.findLastIndex((event) => event.isDelivered || hasArrived(event.last));
	const failed = all.slice(arrived + 1);
	if (failed.length < MANY_UNDELIVERED) return undefined;
	const quietSince =
		arrived >= 0 ? triedAt(all[arrived]) : isTemporary(status) ? triedAt(failed[0]) : -Infinity;
	if (entryDate(last) - quietSince < MAX_OVERLOAD_MS) return undefined;
	const { origin = '', pathname = '' } = URL.canParse(address) ? new URL(address) : {};
	return userMessage(isLocal(address) ? 'addressIsLocal' : 'deliveriesDoNotArrive', {
		count: MANY_UNDELIVERED,
		answer: status > 0 ? `status ${status}` : 'no answer',
		address: `${origin}${pathname}`,
	});
}

/** Hosts that machines elsewhere don't reach. */
const LOCAL =
	/^(?:localhost|0\.0\.0\.0|\[::1\])$|\.(?:localhost|local|internal)$|^(?:127|10|192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01]))\./;

function isLocal(address: string): boolean {
	return URL.canParse(address) && matches(LOCAL, new URL(address).hostname);
}
