import type { IDataObject } from 'n8n-workflow';

import { type UserMessage, userMessage } from '../messages/userMessage';
import { HOUR_MS } from '../service/time';
import { entryDate, isDelivered, resultOf } from '../logs/logEntry';
import { MAX_LEAD_MS, type WindowEvent } from './look';

/** So many events in a row that no attempt delivered are no accident. */
const MANY_UNDELIVERED = 3;

/** While a delivery arrived less than this ago, others fail because n8n, a proxy or the service is overloaded. */
const MAX_OVERLOAD_MS = HOUR_MS;

/** What n8n or a proxy answers while it is overloaded or restarts. */
const isTemporary = (status: number): boolean => status === 429 || status >= 500;

/** NaN without a readable date: such an attempt may be old, so it shows nothing. */
const triedAt = ({ last }: WindowEvent): number => entryDate(last);

/** @param since by the service's clock (milliseconds since 1970) */
function latest(events: WindowEvent[], since: number): WindowEvent[] {
	const until = Date.now() + MAX_LEAD_MS;
	return events
		.filter((event) => triedAt(event) > since && triedAt(event) < until)
		.sort((a, b) => triedAt(a) - triedAt(b));
}

/** Whether an attempt arrived. If its result isn't a documented one, the answer that it got counts. */
function hasArrived(log: IDataObject): boolean {
	const isAnswered = Math.floor(Number(log.statusCode) / 100) === 2;
	return isDelivered(log) || (isAnswered && resultOf(log) === undefined);
}

/** When the newest attempt was made (by the service's clock, milliseconds since 1970), if it arrived; otherwise -Infinity. */
export function arrivedAt(events: WindowEvent[]): number {
	const newest = latest(events, -Infinity).at(-1);
	return newest !== undefined && hasArrived(newest.last) ? triedAt(newest) : -Infinity;
}

/** The codes of `deliveryAlarm`. */
export const DELIVERY_ALARMS = [
	'deliveriesRejected',
	'apiKeyRejected',
	'deliveriesDoNotArrive',
] as const;

type DeliveryAlarm = UserMessage & { code: (typeof DELIVERY_ALARMS)[number] };

/**
 * The alarm that no delivery arrives, if so.
 *
 * @param since ignores earlier failures (by the service's clock, milliseconds since 1970)
 * @param address the trigger's callback address, without its secret
 * @param header in which the service has to send the API key; empty without one
 */
export function deliveryAlarm(
	events: WindowEvent[],
	since: number,
	address: string,
	header: string,
): DeliveryAlarm | undefined {
	const all = latest(events, -Infinity);
	const arrived = all.findLast((event) => event.isDelivered || hasArrived(event.last));
	const failed = latest(events, since).slice(-MANY_UNDELIVERED);
	const last = failed.at(-1)?.last;
	if (last === undefined) return undefined;
	const status = Number(last.statusCode ?? 0);
	if (status === 401) {
		return header ? userMessage('apiKeyRejected', { header }) : userMessage('deliveriesRejected');
	}
	if (failed.length < MANY_UNDELIVERED || failed.includes(arrived as WindowEvent)) return undefined;
	const quietSince = arrived
		? triedAt(arrived)
		: isTemporary(status)
			? triedAt(latest(events, since)[0])
			: -Infinity;
	if (entryDate(last) - quietSince < MAX_OVERLOAD_MS) return undefined;
	const { origin = '', pathname = '' } = URL.canParse(address) ? new URL(address) : {};
	return userMessage('deliveriesDoNotArrive', {
		count: MANY_UNDELIVERED,
		answer: status > 0 ? `status ${status}` : 'no answer',
		address: `${origin}${pathname}`,
	});
}
