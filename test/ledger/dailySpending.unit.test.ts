import fc from 'fast-check';

import { DailySpending, MAX_UNITS, type Spending } from '../../nodes/ledger/dailySpending';
import { runsOr, SEED } from '../random';
import { KillableItems } from './killable';

const RUNS = runsOr(100);

const LIMITS = new Map([
	['BOB', 1_000n],
	['USD', 500n],
]);

const LA_PAZ = 'America/La_Paz';

beforeEach(() => {
	jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'], now: at('2026-11-23T12:00') });
});

afterEach(() => {
	jest.useRealTimers();
});

/** A moment in La Paz. */
function at(local: string): Date {
	return new Date(`${local}:00-04:00`);
}

/** An execution of the node, in a process that may be killed after some queries. */
function execution(items: KillableItems, queries?: number, timeZone = LA_PAZ): DailySpending {
	return new DailySpending(items.newProcess(queries), LIMITS, timeZone);
}

const bob = (units: number): Spending => ({ currency: 'BOB', units: BigInt(units) });

const payments = (spending: Spending[]): Map<string, Spending> =>
	new Map(spending.map((one, index) => [`payment ${index}`, one]));

/** What counts today, by currency. */
async function used(items: KillableItems): Promise<Record<string, number | undefined>> {
	const result: Record<string, number | undefined> = {};
	for (const currency of LIMITS.keys()) {
		const above = await execution(items).check([{ currency, units: MAX_UNITS }]);
		result[currency] = above?.used === undefined ? undefined : Number(above.used);
	}
	return result;
}

describe('daily spending', () => {
	it('counts over all executions, each currency apart', async () => {
		const items = new KillableItems();
		await execution(items).reserve(payments([bob(300), bob(200), { currency: 'USD', units: 7n }]));
		await execution(items).reserve(payments([bob(100)]));
		expect(await used(items)).toEqual({ BOB: 600, USD: 7 });
	});

	it('lets amounts reach the limit, and none go above it', async () => {
		const items = new KillableItems();
		expect(await execution(items).reserve(payments([bob(600)]))).toBeUndefined();
		expect(await execution(items).reserve(payments([bob(200), bob(201)]))).toEqual({
			currency: 'BOB',
			units: 401n,
			used: 600n,
			limit: 1_000n,
		});
		expect(await used(items)).toEqual({ BOB: 600, USD: 0 });
		expect(await execution(items).reserve(payments([bob(200), bob(200)]))).toBeUndefined();
		expect(await execution(items).reserve(payments([bob(1)]))).toMatchObject({ used: 1_000n });
	});

	it('reserves nothing if one currency does not fit', async () => {
		const items = new KillableItems();
		const above = await execution(items).reserve(
			payments([bob(300), { currency: 'USD', units: 501n }]),
		);
		expect(above).toEqual({ currency: 'USD', units: 501n, used: 0n, limit: 500n });
		expect(await used(items)).toEqual({ BOB: 0, USD: 0 });
	});

	it('has no room for a currency without a limit', async () => {
		const items = new KillableItems();
		const above = await execution(items).reserve(payments([{ currency: 'PEN', units: 1n }]));
		expect(above).toEqual({ currency: 'PEN', units: 1n, used: 0n, limit: 0n });
	});

	it('has no room for more than can be counted, however high the limit is', async () => {
		const limits = new Map([['BOB', 2n * MAX_UNITS]]);
		const spending = new DailySpending(new KillableItems().newProcess(), limits, LA_PAZ);
		const most = MAX_UNITS - 1n;
		expect(await spending.reserve(payments([{ currency: 'BOB', units: most }]))).toBeUndefined();
		expect(await spending.check([bob(1)])).toMatchObject({ used: most });
	});

	it('checks amounts without reserving them', async () => {
		const items = new KillableItems();
		await execution(items).reserve(payments([bob(600)]));
		expect(await execution(items).check([bob(300), bob(100)])).toBeUndefined();
		expect(await execution(items).check([bob(300), bob(101)])).toMatchObject({ units: 401n });
		expect(await used(items)).toEqual({ BOB: 600, USD: 0 });
	});

	it('releases a payment once', async () => {
		const items = new KillableItems();
		const own = execution(items);
		await own.reserve(new Map([...payments([bob(600)]), ['rejected', bob(250)]]));
		own.release('rejected');
		own.release('rejected');
		own.release('never reserved');
		expect(own.isPending).toBe(true);
		await own.write();
		expect(own.isPending).toBe(false);
		await own.write();
		expect(await used(items)).toEqual({ BOB: 600, USD: 0 });
	});

	it('uses what was released for the next reservation', async () => {
		const items = new KillableItems();
		const own = execution(items);
		await own.reserve(payments([bob(1_000)]));
		own.release('payment 0');
		expect(await own.reserve(new Map([['next', bob(900)]]))).toBeUndefined();
		expect(await used(items)).toEqual({ BOB: 900, USD: 0 });
	});

	it('releases nothing that could not be reserved', async () => {
		const items = new KillableItems();
		await execution(items).reserve(payments([bob(600)]));
		const own = execution(items);
		await own.reserve(new Map([['own', bob(500)]]));
		own.release('own');
		expect(own.isPending).toBe(false);
	});

	it('releases nothing whose reservation failed', async () => {
		const items = new KillableItems();
		await execution(items).reserve(payments([bob(600)]));
		const own = execution(items, 1);
		await expect(own.reserve(new Map([['own', bob(100)]]))).rejects.toThrow();
		own.release('own');
		expect(own.isPending).toBe(false);
	});

	it('releases nothing a second time if the first failed, because it may have been written', async () => {
		const items = new KillableItems();
		const own = execution(items, 7);
		await own.reserve(payments([bob(600), bob(100)]));
		own.release('payment 0');
		await expect(own.write()).rejects.toThrow();
		expect(own.isPending).toBe(false);
	});

	it('begins again at midnight in the time zone of the workflow', async () => {
		const items = new KillableItems();
		jest.setSystemTime(at('2026-11-23T23:59'));
		await execution(items).reserve(payments([bob(1_000)]));
		expect(await execution(items).check([bob(1)])).toMatchObject({ used: 1_000n });
		expect(await execution(items, undefined, 'UTC').check([bob(1_000)])).toBeUndefined();
		jest.setSystemTime(at('2026-11-24T00:00'));
		expect(await used(items)).toEqual({ BOB: 0, USD: 0 });
		expect(await execution(items).reserve(payments([bob(1_000)]))).toBeUndefined();
	});

	it.each(['2026-07-31', '2026-11-30', '2026-12-31', '2027-02-28'])(
		'begins again after %s, the last day of its month',
		async (day) => {
			const items = new KillableItems();
			jest.setSystemTime(at(`${day}T23:59`));
			await execution(items).reserve(payments([bob(1_000)]));
			jest.setSystemTime(Date.now() + 60_000);
			expect(await used(items)).toEqual({ BOB: 0, USD: 0 });
			// The clock of another worker says that it is still the day before.
			await execution(items).reserve(payments([bob(700)]));
			jest.setSystemTime(at(`${day}T23:59`));
			await execution(items).reserve(payments([bob(300)]));
			jest.setSystemTime(Date.now() + 60_000);
			expect(await used(items)).toEqual({ BOB: 1_000, USD: 0 });
		},
	);

	it('keeps no entry of an earlier day', async () => {
		const items = new KillableItems();
		await execution(items).reserve(payments([bob(5)]));
		const { length } = items.entries;
		// As many bits of this day's number are one.
		jest.setSystemTime(at('2026-11-25T12:00'));
		await execution(items).reserve(payments([bob(5)]));
		expect(items.entries.length).toBeLessThan(length + 10);
	});

	it('releases nothing from another day than that of the reservation', async () => {
		const items = new KillableItems();
		jest.setSystemTime(at('2026-11-23T23:59'));
		const own = execution(items);
		await own.reserve(payments([bob(400)]));
		jest.setSystemTime(at('2026-11-24T00:01'));
		await execution(items).reserve(payments([bob(500)]));
		own.release('payment 0');
		await own.write();
		expect(await used(items)).toEqual({ BOB: 500, USD: 0 });
	});

	it('counts tomorrow if the clock of another worker says that it has begun', async () => {
		const items = new KillableItems();
		jest.setSystemTime(at('2026-11-24T00:00'));
		await execution(items).reserve(payments([bob(500)]));
		jest.setSystemTime(at('2026-11-23T23:59'));
		await execution(items).reserve(payments([bob(300)]));
		jest.setSystemTime(at('2026-11-24T00:01'));
		expect(await used(items)).toEqual({ BOB: 800, USD: 0 });
	});

	it('begins again the day after a clock was wrong', async () => {
		const items = new KillableItems();
		jest.setSystemTime(at('2031-01-01T00:00'));
		await execution(items).reserve(payments([bob(500)]));
		jest.setSystemTime(at('2026-11-23T12:00'));
		await execution(items).reserve(payments([bob(300)]));
		expect(await used(items)).toMatchObject({ BOB: 800 });
		jest.setSystemTime(at('2026-11-24T12:00'));
		expect(await used(items)).toMatchObject({ BOB: 0 });
	});

	it('that was lost counts as spent until the next day', async () => {
		const items = new KillableItems();
		await execution(items).reserve(payments([bob(500)]));
		await expect(execution(items, 2).check([])).rejects.toThrow();
		expect(await execution(items).check([bob(1)])).toEqual({
			...bob(1),
			used: undefined,
			limit: 1_000n,
		});
		const own = execution(items);
		expect(await own.reserve(payments([bob(1)]))).toMatchObject({ used: undefined });
		expect(await used(items)).toEqual({ BOB: undefined, USD: undefined });
		jest.setSystemTime(at('2026-11-24T12:00'));
		expect(await used(items)).toEqual({ BOB: 0, USD: 0 });
	});

	it('that was lost is not released', async () => {
		const items = new KillableItems();
		const own = execution(items);
		await own.reserve(payments([bob(500)]));
		await expect(execution(items, 2).check([])).rejects.toThrow();
		own.release('payment 0');
		await own.write();
		expect(await used(items)).toMatchObject({ BOB: undefined });
	});

	const step = fc.record({
		amounts: fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 4 }),
		rejected: fc.array(fc.nat(3), { maxLength: 3 }),
		queries: fc.oneof(fc.constant(Infinity), fc.integer({ min: 0, max: 20 })),
	});

	test(
		`never exceeds the limit and counts everything that is sent, wherever processes are killed (${RUNS} scenarios, seed ${SEED})`,
		async () => {
			await fc.assert(
				fc.asyncProperty(fc.array(step, { maxLength: 15 }), async (steps) => {
					const items = new KillableItems();
					let sent = 0;
					let wasAnyKilled = false;
					for (const { amounts, rejected, queries } of steps) {
						const isAlive = await items.run(queries, async (process) => {
							const own = new DailySpending(process, LIMITS, LA_PAZ);
							if (await own.reserve(payments(amounts.map(bob)))) return;
							for (const [index, units] of amounts.entries()) {
								if (rejected.includes(index)) own.release(`payment ${index}`);
								else sent += units;
							}
							await own.write();
						});
						wasAnyKilled ||= !isAlive;
						expect(sent).toBeLessThanOrEqual(1_000);
						const now = (await used(items)).BOB ?? Infinity;
						expect(now).toBeGreaterThanOrEqual(sent);
						if (!wasAnyKilled) expect(now).toBe(sent);
					}
				}),
				{ numRuns: RUNS, seed: SEED },
			);
		},
		RUNS * 1_000 + 60_000,
	);
});
