import type { IDataObject } from 'n8n-workflow';

import { type EditorMessage, userMessage } from '../messages/userMessage';
import { HOUR_MS } from '../service/time';
import { entryDate, isDelivered, resultOf } from '../logs/logEntry';
import { MAX_LEAD_MS, type WindowEvent } from './look';

/** So many events in a row that no attempt delivered are no accident. */
const MANY_UNDELIVERED = 3;

/** While a delivery arrived less than this ago, others fail because n8n, a proxy or the service is overloaded. */
const MAX_OVERLOAD_MS = HOUR_MS;

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
export const DELIVERY_ALARMS = ['deliveriesRejected', 'deliveriesDoNotArrive'] as const;

type DeliveryAlarm = EditorMessage & { code: (typeof DELIVERY_ALARMS)[number] };

/**
 * The alarm that no delivery arrives, if the newest events all failed: at once if n8n rejected the newest one, else if
 * none arrived for an hour before it.
 *
 * @param since ignores earlier failures (by the service's clock, milliseconds since 1970)
 * @param address the trigger's callback address, without its secret
 */
export function deliveryAlarm(
	events: WindowEvent[],
	since: number,
	address: string,
): DeliveryAlarm | undefined {
	const isArrived = (event: WindowEvent) => event.isDelivered || hasArrived(event.last);
	const all = latest(events, since);
	const failed = all.slice(-MANY_UNDELIVERED);
	if (failed.length < MANY_UNDELIVERED || failed.some(isArrived)) return undefined;
	const { last } = failed[MANY_UNDELIVERED - 1];
	const status = Number(last.statusCode ?? 0);
	if (status === 401) return userMessage('deliveriesRejected');
	const quietSince = triedAt(latest(events, -Infinity).findLast(isArrived) ?? all[0]);
	if (entryDate(last) - quietSince < MAX_OVERLOAD_MS) return undefined;
	const { origin = '', pathname = '' } = URL.canParse(address) ? new URL(address) : {};
	return userMessage('deliveriesDoNotArrive', {
		count: MANY_UNDELIVERED,
		answer: status > 0 ? `status ${status}` : 'no answer',
		address: `${origin}${pathname}`,
	});
}
