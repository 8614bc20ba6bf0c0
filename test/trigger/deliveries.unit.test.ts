import type { IDataObject } from 'n8n-workflow';

import { isDelivered } from '../../nodes/logs/logEntry';
import { deliveryAlarm } from '../../nodes/PartnerPaymentsTrigger/deliveries';

/** What is told of three deliveries to an address, that got no answer by default. */
const alarmFor = (host: string, entry: IDataObject = { status: 'ERROR' }): string | undefined =>
	alarmOf(host, [entry, entry, entry]);

/** What is told of deliveries to an address, one a minute. */
function alarmOf(host: string, entries: IDataObject[], sinceMinutes = 120): string | undefined {
	const now = Date.now();
	const events = entries.map((entry, index) => {
		const minutes = entries.length - index;
		const time = now - minutes * 60_000;
		const last = { createdAt: new Date(time).toISOString(), ...entry };
		return { key: `${minutes}`, time, payload: {}, isDelivered: isDelivered(last), last };
	});
	// The newest attempt may be of the oldest event.
	events.reverse();
	return deliveryAlarm(events, now - sinceMinutes * 60_000, `https://${host}/webhook/path`, '')
		?.code;
}

const ARRIVED = { status: 'success', statusCode: 200 };
const REJECTED = { status: 'ERROR', statusCode: 401 };
const NOT_FOUND = { status: 'ERROR', statusCode: 404 };
const FUTURE = { ...ARRIVED, createdAt: new Date(Date.now() + 400 * 86_400_000).toISOString() };

test.each<[string, IDataObject[], string | undefined]>([
	['the newest was rejected', [ARRIVED, REJECTED], 'deliveriesRejected'],
	['a later one arrived', [REJECTED, ARRIVED], undefined],
	['one in between arrived', [REJECTED, ARRIVED, REJECTED], 'deliveriesRejected'],
	['the newest is dated in the future', [FUTURE, REJECTED], 'deliveriesRejected'],
	['two were not found', [NOT_FOUND, NOT_FOUND], undefined],
	['three were not found', [NOT_FOUND, NOT_FOUND, NOT_FOUND], 'deliveriesDoNotArrive'],
	['three were not found, and one arrived', [NOT_FOUND, NOT_FOUND, NOT_FOUND, ARRIVED], undefined],
])('what deliveries say if %s', (_, entries, alarm) => {
	expect(alarmOf('n8n.example.com', entries)).toBe(alarm);
});

test('a rejected delivery from before the start says nothing', () => {
	expect(alarmOf('n8n.example.com', [REJECTED], 0.5)).toBeUndefined();
});

test('an answered delivery whose result has a name that is not documented has arrived', () => {
	expect(alarmFor('n8n.example.com', { status: 'SENT', statusCode: 200 })).toBeUndefined();
	expect(alarmFor('n8n.example.com', { status: 'SENT', statusCode: 404 })).toBeDefined();
	expect(alarmFor('n8n.example.com', { status: 'ERROR', statusCode: 200 })).toBeDefined();
});

test('such a delivery ends those in a row that did not arrive', () => {
	const [sent, failed] = [{ status: 'SENT', statusCode: 200 }, { status: 'ERROR' }];
	expect(alarmOf('n8n.example.com', [failed, sent, failed, failed])).toBeUndefined();
	// For an hour, n8n may be overloaded.
	expect(alarmOf('n8n.example.com', [sent, failed, failed, failed])).toBeUndefined();
	const hour = Array.from({ length: 60 }, () => failed);
	expect(alarmOf('n8n.example.com', [sent, ...hour])).toBe('deliveriesDoNotArrive');
});

test.each([
	[429, undefined],
	[500, undefined],
	[599, undefined],
	[404, 'deliveriesDoNotArrive'],
	[430, 'deliveriesDoNotArrive'],
	[499, 'deliveriesDoNotArrive'],
])('tells of three answers with status %i in a few minutes: %s', (statusCode, alarm) => {
	expect(alarmFor('n8n.example.com', { status: 'ERROR', statusCode })).toBe(alarm);
});

test('tells of an overload only after an hour of it', () => {
	const entry = { status: 'ERROR', statusCode: 503 };
	const minutes = (count: number) =>
		alarmOf(
			'n8n.example.com',
			Array.from({ length: count }, () => entry),
		);
	expect(minutes(60)).toBeUndefined();
	expect(minutes(61)).toBe('deliveriesDoNotArrive');
});

test('is quiet after a flood if deliveries arrived in the first seconds of the publication', () => {
	const [arrived, lost] = [
		{ status: 'SUCCESS', statusCode: 200 },
		{ status: 'ERROR', statusCode: null },
	];
	const entries = [arrived, lost, lost, lost, lost];
	expect(alarmOf('n8n.example.com', entries, 4.5)).toBeUndefined();
	expect(alarmOf('n8n.example.com', entries.slice(1), 4.5)).toBe('deliveriesDoNotArrive');
});
