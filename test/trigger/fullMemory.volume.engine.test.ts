import { randomUUID } from 'node:crypto';
import { type IDataObject } from 'n8n-workflow';

import { envelope } from '../../nodes/PartnerPaymentsTrigger/emit';
import { look, type WindowEvent } from '../../nodes/PartnerPaymentsTrigger/look';
import { eventKey } from '../../nodes/logs/event';
import { useService } from '../engine/service';
import { eventItem, eventPayload, names, TestTrigger } from './trigger';

const service = useService();

let trigger: TestTrigger;
beforeEach(() => {
	trigger = new TestTrigger(service);
});

/** An event that was logged before the memory begins, if that is full. */
const old = (name: string, payload?: IDataObject) => {
	const item = eventItem(name, undefined, payload);
	return { json: { ...item.json, loggedAt: '1970-01-01T00:00:00.000Z' } };
};

describe('more events than the trigger remembers', () => {
	const HOUR_MS = 3_600_000;
	let now = Date.parse('2026-11-27T12:00:00Z');

	beforeEach(() => jest.spyOn(Date, 'now').mockImplementation(() => now));
	afterEach(() => jest.restoreAllMocks());

	const pass = (hours: number) => (now += hours * HOUR_MS);

	interface Logged {
		name: string;
		at: number;
	}

	/** Events that are delivered now. They are logged at the same time. */
	async function deliver(count: number, name: string): Promise<Logged[]> {
		const events = Array.from({ length: count }, (_, number) => ({
			name: `${name} ${number}`,
			at: now,
		}));
		for (let from = 0; from < count; from += 4_000) {
			const items = events
				.slice(from, from + 4_000)
				.map(({ name: one }) => eventItem(one, `of ${name}`));
			expect((await trigger.execute(items, 'webhook')).json).toHaveLength(items.length);
		}
		return events;
	}

	/** Looks of a process that knows no event, until nothing is left: what they emit and report. */
	async function looks(events: Logged[]) {
		const known = new Set<string>();
		const emitted: unknown[] = [];
		const reports: string[] = [];
		for (let isPart = true; isPart;) {
			const found = events.map(({ name, at }): WindowEvent => {
				const payload = eventPayload(name);
				const last = { createdAt: new Date(at).toISOString() };
				return { key: eventKey(payload), time: at, payload, isDelivered: true, last };
			});
			const one = look(found, known, now, { start: -Infinity, isBatched: false, isFull: true });
			const id = randomUUID();
			const items = one.piece.map(({ payload, last, time }) =>
				envelope(payload, id, {
					loggedAt: last.createdAt as string,
					wasHandled: time < now - 24 * HOUR_MS,
				}),
			);
			const { json, error } = await trigger.execute(items);
			emitted.push(...names(json));
			if (error) reports.push(error.message);
			else for (const { key } of one.piece) known.add(key);
			({ isPart } = one);
			isPart ||= error !== undefined;
		}
		return { emitted, reports };
	}

	test('come out once, across hourly looks and a restart: what a full memory of 15,000 may have forgotten is reported once', async () => {
		const morning = await deliver(60, 'morning');
		pass(0.5);
		const flood = await deliver(15_500, 'flood');
		pass(0.4);
		const all = [...morning, ...flood];

		const hourly = await looks(all);
		expect(hourly.emitted).toEqual([]);
		const counts = hourly.reports.map((report) => Number(/: (\d+), logged/.exec(report)?.[1]));
		expect(counts.reduce((sum, count) => sum + count)).toBe(15_560);
		expect(counts).toHaveLength(4);
		// n8n starts again.
		pass(1);
		expect(await looks(all)).toEqual({ emitted: [], reports: [] });
	}, 120_000);

	test('hide no older event that a look missed, and report none that was delivered before the memory begins', async () => {
		const morning = await deliver(1, 'morning');
		const flood = await deliver(15_500, 'flood');
		pass(2);
		const last = await deliver(1, 'last');
		const answered = { name: 'answered', at: now };
		// n8n is down for long.
		pass(30);
		const found = await looks([...morning, ...flood.slice(0, 10), ...last, answered]);
		expect(found).toEqual({ emitted: ['answered'], reports: [] });
	}, 120_000);

	test('do not keep a full memory from emitting what was missed later', async () => {
		const flood = await deliver(16_000, 'flood');
		pass(1);
		const later = await deliver(10, 'later');
		pass(2.5);
		const missed = [{ name: 'missed', at: now }];
		expect(await looks([...later, ...missed])).toEqual({
			emitted: ['missed'],
			reports: [expect.stringMatching(/^Events may .*: 10, logged/)],
		});
		expect((await looks(flood)).emitted).toEqual([]);

		// For months, nothing happens.
		pass(24 * 200);
		expect(await looks([{ name: 'much later', at: now }])).toEqual({
			emitted: ['much later'],
			reports: [],
		});
	}, 120_000);

	test('are all emitted if 9,000 were answered before the first look', async () => {
		const delivered = await deliver(60, 'delivered');
		const missed = Array.from({ length: 9_000 }, (_, number) => ({
			name: `missed ${number}`,
			at: now,
		}));
		const { emitted, reports } = await looks([...delivered, ...missed]);
		expect(reports).toEqual([]);
		expect(new Set(emitted).size).toBe(9_000);
		expect(emitted).toHaveLength(9_000);
	}, 120_000);

	test('are reported before other events of the same look, which another execution emits', async () => {
		await deliver(11_000, 'flood');
		const names = Array.from({ length: 53 }, (_, number) => `${number}`);
		const events = () => [
			old('nameless', { details: {}, timestamp: 'now' }),
			...names.map((name) => old(name)),
			eventItem('new'),
		];
		const { error, json } = await trigger.execute(events());
		expect(json).toEqual([]);
		expect(error?.message).toMatch(/^Events may .*: 54, logged from 1970-/);
		expect(error?.description).toMatch(
			/Replay Events.* Transactions: \(no ID\), id-of-0, .*id-of-48 and 4 more$/,
		);
		expect(await trigger.emitted(events())).toEqual(['new']);
	}, 120_000);
});
