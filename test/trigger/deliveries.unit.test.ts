import type { IDataObject } from 'n8n-workflow';

import { isDelivered } from '../../nodes/logs/logEntry';
import { deliveryAlarm } from '../../nodes/PartnerPaymentsTrigger/deliveries';

const [SENT, ARRIVED] = ['SENT', 'success'].map((status) => ({ status, statusCode: 200 }));
const [REJECTED, NOT_FOUND, BUSY] = [401, 404, 503].map((statusCode) => ({
	status: 'ERROR',
	statusCode,
}));
const NO_ANSWER = { status: 'ERROR' };
const FUTURE = { ...ARRIVED, createdAt: new Date(Date.now() + 400 * 86_400_000).toISOString() };

const times = (count: number, entry: IDataObject) =>
	Array.from({ length: count }, (): IDataObject => entry);

/** One attempt a minute, each of another event. */
test.each<[string, IDataObject[], string | undefined]>([
	['the last three were rejected', [ARRIVED, ...times(3, REJECTED)], 'deliveriesRejected'],
	['two were rejected', [ARRIVED, ...times(2, REJECTED)], undefined],
	['the newest of three was rejected', [BUSY, BUSY, REJECTED], 'deliveriesRejected'],
	['one in between arrived', [...times(3, REJECTED), ARRIVED, REJECTED], undefined],
	['one is dated in the future', [...times(3, REJECTED), FUTURE], 'deliveriesRejected'],
	['none got an answer for an hour', times(61, NO_ANSWER), 'deliveriesDoNotArrive'],
	['none got an answer for less', times(60, NO_ANSWER), undefined],
	['a later one arrived', [...times(61, NOT_FOUND), ARRIVED], undefined],
	[
		'the result is undocumented and the status 404',
		times(61, { ...SENT, statusCode: 404 }),
		'deliveriesDoNotArrive',
	],
	['the result is undocumented and the status 200', times(61, SENT), undefined],
	['one has arrived within an hour', [ARRIVED, ...times(59, BUSY)], undefined],
	['none has arrived for an hour', [ARRIVED, ...times(60, BUSY)], 'deliveriesDoNotArrive'],
	[
		'all are from before the first look',
		times(3, { ...REJECTED, createdAt: '2026-01-01' }),
		undefined,
	],
])('what deliveries say if %s', (_, entries, alarm) => {
	const now = Date.now();
	const events = entries.map((entry, index) => {
		const time = now - (entries.length - index) * 60_000;
		const last = { createdAt: new Date(time).toISOString(), ...entry };
		return { key: `${index}`, time, payload: {}, isDelivered: isDelivered(last), last };
	});
	// The newest attempt may be of the oldest event.
	events.reverse();
	const since = now - 120 * 60_000;
	expect(deliveryAlarm(events, since, 'https://n8n.example.com/webhook/path')?.code).toBe(alarm);
});
