/* eslint-disable @n8n/community-nodes/no-restricted-globals -- runs outside n8n */
import { sleep } from 'n8n-workflow';

import { Concurrency } from '../../nodes/batch/concurrency';
import { type Model, sendRows, useSimulatedTime } from './sendRows';

useSimulatedTime(1_000_000);

const allPromises = async () => await new Promise((resolve) => setImmediate(resolve));

/** Answers in 50 ms, however many requests it works on. */
const quick: Model = () => ({ ms: 50 });

/** Works on `capacity` requests at once; the others wait in its queue. */
const fixedCapacity =
	(capacity: number): Model =>
	(working) => ({ ms: 50 * Math.max(1, working / capacity) });

/** The service is quick, but n8n is busy with the requests in flight, and gets to an answer a millisecond later for each. */
const busyN8n: Model = (working) => ({ ms: 50 + working });

/** Becomes slower with each request beyond ten: more of them at once get less done. */
const slowingDown: Model = (working) => ({ ms: 50 * Math.max(1, (working / 10) ** 2) });

/** Accepts so many requests a second, counted by the clock's seconds, and then says how long to wait. */
function rateLimit(perSecond: number, ms: number): Model {
	let second = 0;
	let count = 0;
	return () => {
		const now = Math.floor(Date.now() / 1000);
		if (now !== second) [second, count] = [now, 0];
		return ++count > perSecond ? { ms, status: 429, retryAfterMs: 1_000 } : { ms };
	};
}

describe('automatic concurrency', () => {
	test('starts at 10, and grows to 50 at a service that stays quick', async () => {
		const concurrency = new Concurrency();
		expect(concurrency.limit).toBe(10);

		const { inFlight, seconds, created } = await sendRows(1_000, concurrency, quick);

		expect(created).toBe(1_000);
		expect(inFlight[0]).toBeLessThanOrEqual(50);
		expect(concurrency.limit).toBe(50);
		// Ten at once would take 5 seconds, fifty from the start 1 second.
		expect(seconds).toBeLessThan(1.5);
	});

	test('grows with every round trip at the start, although answers don’t come together', async () => {
		const concurrency = new Concurrency();
		let count = 0;

		// Three round trips of 10 requests, and one each of 15, 23 and 35.
		await sendRows(110, concurrency, () => ({ ms: 50 + 5 * (++count % 3) }));

		expect(concurrency.limit).toBe(50);
	});

	test.each([5, 15, 30])('fills a service that works on %d requests at once', async (capacity) => {
		const concurrency = new Concurrency();

		const { seconds } = await sendRows(2_000, concurrency, fixedCapacity(capacity));

		const ideal = (2_000 / capacity) * 0.05;
		expect(seconds).toBeLessThan(1.25 * ideal + 1);
		// Its queue stays short.
		expect(concurrency.limit).toBeLessThanOrEqual(Math.max(15, 2 * capacity));
	});

	test('stays with few requests at a service that slows down', async () => {
		const concurrency = new Concurrency();

		const { seconds, inFlight } = await sendRows(2_000, concurrency, slowingDown);

		expect(Math.max(...inFlight.slice(1))).toBeLessThanOrEqual(15);
		// Ten at once take 10 seconds; fifty would take 50.
		expect(seconds).toBeLessThan(13);
	});

	test.each([
		[20, 0, 2],
		[20, 50, 2],
		[20, 500, 2],
		[5, 50, 3],
		// As many as may be in flight are at the first 429, and it refuses all of them.
		[100, 200, 6],
	])(
		'with a limit of %d in each second, answered in %d ms, is refused at most %d %% of the requests for 1,000 rows',
		async (perSecond, ms, percent) => {
			const { created, refused, seconds } = await sendRows(
				1_000,
				new Concurrency(),
				rateLimit(perSecond, ms),
			);

			expect(created).toBe(1_000);
			expect(refused / (created + refused)).toBeLessThanOrEqual(percent / 100);
			expect(seconds).toBeLessThan((1.5 * 1_000) / perSecond + 5);
		},
	);

	test('does not shrink because of a few slow answers, such as those that wait for a login', async () => {
		const concurrency = new Concurrency();
		let count = 0;

		await sendRows(1_000, concurrency, () => ({ ms: ++count % 25 === 0 ? 500 : 50 }));

		expect(concurrency.limit).toBe(50);
	});

	test('has 50 in flight if answers become slower but more of them come per second', async () => {
		const concurrency = new Concurrency();

		const { seconds } = await sendRows(2_000, concurrency, busyN8n);

		expect(concurrency.limit).toBe(50);
		// Fifty from the start would take 4 seconds, thirty-five 4.9, ten 12.
		expect(seconds).toBeLessThan(4.8);
	});

	test('shrinks at once if answers take several times as long, and fills what is left', async () => {
		const concurrency = new Concurrency();
		await sendRows(1_000, concurrency, quick);
		expect(concurrency.limit).toBe(50);

		const { inFlight, seconds } = await sendRows(2_000, concurrency, fixedCapacity(15));

		expect(Math.max(...inFlight.slice(1))).toBeLessThanOrEqual(35);
		expect(seconds).toBeLessThan(8);
	});

	test('tries more requests again, because the service may have more room by now', async () => {
		const concurrency = new Concurrency();
		const { inFlight } = await sendRows(1_000, concurrency, fixedCapacity(5));
		// 15, and now and then a trial of half as many more.
		expect(Math.max(...inFlight)).toBeLessThanOrEqual(23);

		await sendRows(1_000, concurrency, quick);

		expect(concurrency.limit).toBe(50);
	});

	test('halves once for all requests that meet an outage together, and then grows by a tenth', async () => {
		const concurrency = new Concurrency();
		let isDown = true;
		void sleep(40).then(() => (isDown = false));

		await sendRows(10, concurrency, () => ({ ms: 50, ...(isDown && { status: 503 }) }));
		expect(concurrency.limit).toBe(5);
		await sendRows(5, concurrency, quick);
		expect(concurrency.limit).toBe(6);
	});

	test('has no more in flight if answers become slower after an outage', async () => {
		const concurrency = new Concurrency();
		await sendRows(10, concurrency, () => ({ ms: 50, status: 503 }));
		await sendRows(5, concurrency, quick);

		await sendRows(11, concurrency, () => ({ ms: 500 }));

		expect(concurrency.limit).toBe(5);
	});

	test('never shrinks below one request', async () => {
		const concurrency = new Concurrency();

		const { created } = await sendRows(100, concurrency, () => ({ ms: 50, status: 503 }));

		expect(created).toBe(0);
		expect(concurrency.limit).toBe(1);
	});

	test('grows again at a service that is slower for good', async () => {
		const concurrency = new Concurrency();
		await sendRows(1_000, concurrency, quick);

		await sendRows(5_000, concurrency, () => ({ ms: 400 }));

		expect(concurrency.limit).toBeGreaterThan(30);
	});

	test('lets no request wait forever if the batch stops', async () => {
		const concurrency = new Concurrency();
		let isStopped = false;
		const enter = Array.from({ length: 50 }, async () => await concurrency.enter(() => isStopped));
		isStopped = true;
		concurrency.leave();

		const entered = await Promise.all(enter);

		expect(entered.filter((one) => one)).toHaveLength(10);
	});
});

describe('automatic concurrency, round by round', () => {
	let now = 0;
	let concurrency: Concurrency;

	beforeEach(() => {
		now = 1_000_000;
		Date.now = () => now;
		begin();
	});

	/** The limit can grow after the next round. */
	function begin(): void {
		concurrency = new Concurrency();
		expect(limits(50, 50)).toEqual([10, 10]);
	}

	/** As many requests as may be in flight start together. One answer after the other comes after so many milliseconds. */
	function answers(...times: number[]): void {
		const startedAt = now;
		for (const ms of times) {
			now = startedAt + ms;
			concurrency.answered(startedAt);
		}
	}

	const count = (length: number, ms: number): number[] => Array.from({ length }, () => ms);

	/** The limit after each round of answers that come after so many milliseconds. */
	const limits = (...rounds: number[]) =>
		rounds.map((ms) => {
			answers(...count(concurrency.limit, ms));
			return concurrency.limit;
		});

	/** 50 in flight that bring two answers per millisecond, after the start has ended. */
	function fillUp(): void {
		concurrency.overloaded(now);
		for (let round = 0; round < 40; round++) limits(25);
		expect(concurrency.limit).toBe(50);
	}

	test('grows by half after the third round and each further one, to 50', () => {
		expect(limits(50, 50, 50, 50, 50)).toEqual([15, 23, 35, 50, 50]);
	});

	test('grows after the last answer of a round, not before', () => {
		answers(...count(9, 50));
		expect(concurrency.limit).toBe(10);
		answers(50);
		expect(concurrency.limit).toBe(15);
	});

	test('keeps half more in flight only if they bring an eighth more answers per second', () => {
		// 10 in 50 ms are 200 a second; 15 in 66 ms 227, in 67 ms 224.
		expect(limits(50, 66)).toEqual([15, 23]);
		begin();
		expect(limits(50, 67)).toEqual([15, 10]);
	});

	test('tries more again after four rounds', () => {
		expect(limits(50, 200, 50, 50, 50, 50)).toEqual([15, 10, 10, 10, 10, 15]);
	});

	test.each([
		[50, 50],
		[51, 24],
		[100, 12],
		[1_000, 10],
	])('with answers after %d ms instead of 25, has %d in flight', (ms, limit) => {
		fillUp();
		expect(limits(ms)).toEqual([limit]);
	});

	test.each([
		['takes no notice of the two slowest of ten', [...count(2, 1_000), ...count(8, 50)], 15],
		['takes notice of the three slowest of ten', [...count(3, 1_000), ...count(7, 50)], 10],
		['takes notice of them if they come last', [...count(7, 50), ...count(3, 1_000)], 10],
		['takes no notice of two in between', [...count(7, 50), 1_000, 50, 1_000], 15],
		['takes no notice of two that come first', [1_000, 200, ...count(8, 50)], 15],
	])('%s', (_, times, limit) => {
		expect(limits(50, 500, 50, 50, 50)).toEqual([15, 10, 10, 10, 10]);
		// More would be tried after this round.
		answers(...times);
		expect(concurrency.limit).toBe(limit);
	});

	test('learns nothing of a new limit from requests that began before it', () => {
		expect(limits(50, 200)).toEqual([15, 10]);
		const before = now - 1;
		for (let answer = 0; answer < 100; answer++) concurrency.answered(before);
		expect(limits(50, 50, 50, 50)).toEqual([10, 10, 10, 15]);
	});

	test('learns from all requests while the limit stays', () => {
		fillUp();
		const startedAt = now - 20;
		limits(50);
		now = startedAt + 1_000;
		for (let answer = 0; answer < 50; answer++) concurrency.answered(startedAt);
		expect(concurrency.limit).toBe(10);
	});

	test('halves once for requests that began before an overload, and again for those after it', () => {
		const startedAt = now;
		now += 50;
		for (let answer = 0; answer < 10; answer++) concurrency.overloaded(startedAt);
		expect(concurrency.limit).toBe(5);
		concurrency.overloaded(now);
		expect(concurrency.limit).toBe(2);
	});

	test('grows by a tenth after an overload, at least by one', () => {
		concurrency.overloaded(now);
		expect(limits(...count(7, 50))).toEqual([6, 7, 8, 9, 10, 11, 13]);
	});

	test('begins a new round with an overload', () => {
		answers(...count(9, 5_000));
		concurrency.overloaded(now);
		answers(...count(4, 50));
		expect(concurrency.limit).toBe(5);
		answers(50);
		expect(concurrency.limit).toBe(6);
	});

	test('lets requests in as soon as there is room, the oldest first', async () => {
		const entered: number[] = [];
		const enter = async (name: number) => {
			await concurrency.enter(() => false);
			entered.push(name);
		};
		for (let name = 1; name <= 20; name++) void enter(name);
		await allPromises();
		expect(entered).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
		concurrency.leave();
		await allPromises();
		expect(entered.slice(10)).toEqual([11]);
		limits(50);
		await allPromises();
		expect(entered.slice(10)).toEqual([11, 12, 13, 14, 15, 16]);
	});
});

describe('concurrency that the user set', () => {
	test.each([1, 10, 100])(
		'has at most %d requests in flight, whatever the service does',
		async (fixed) => {
			const concurrency = new Concurrency(fixed);

			const { inFlight } = await sendRows(300, concurrency, slowingDown);
			expect(Math.max(...inFlight.map((most) => most ?? 0))).toBe(fixed);
			await sendRows(100, concurrency, () => ({ ms: 50, status: 503 }));

			expect(concurrency.limit).toBe(fixed);
		},
	);
});
