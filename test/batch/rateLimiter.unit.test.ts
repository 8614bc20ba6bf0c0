import { Concurrency } from '../../nodes/batch/concurrency';
import { RateLimiter } from '../../nodes/batch/rateLimiter';

/** The test advances the clock that decides when requests start. */
beforeEach(() => void jest.useFakeTimers({ now: 1_000_000 }));
afterEach(() => void jest.useRealTimers());

type Slot = NonNullable<Awaited<ReturnType<RateLimiter['acquire']>>>;

const never = (): boolean => false;

/** Waits for a slot, and records after how many milliseconds it came. */
function acquire(
	limiter: RateLimiter,
	isStopped = never,
): { slot?: Slot; after?: number; hasEnded: boolean } {
	const acquired: ReturnType<typeof acquire> = { hasEnded: false };
	const began = Date.now();
	void limiter.acquire(isStopped).then((slot) => {
		Object.assign(acquired, { slot, after: slot && Date.now() - began, hasEnded: true });
	});
	return acquired;
}

async function pass(ms: number): Promise<void> {
	await jest.advanceTimersByTimeAsync(ms);
}

/** Takes one slot, and releases it with a 429. */
async function meet429(limiter: RateLimiter, retryAfterMs?: number): Promise<boolean> {
	const acquired = acquire(limiter);
	await pass(120_000);
	const slot = acquired.slot as Slot;
	const goesOn = limiter.backOff(slot, retryAfterMs);
	limiter.release(slot);
	return goesOn;
}

/** How long the next request has to wait. */
async function waitOf(limiter: RateLimiter): Promise<number | undefined> {
	const acquired = acquire(limiter);
	await pass(120_000);
	return acquired.after;
}

describe('without a limit', () => {
	test('starts all requests at once without a limit', async () => {
		const limiter = new RateLimiter(0);
		const acquired = Array.from({ length: 5 }, () => acquire(limiter));
		await pass(0);
		expect(acquired.map(({ after }) => after)).toEqual([0, 0, 0, 0, 0]);
	});
});

describe('with a limit of four a second', () => {
	test('starts requests a quarter of a second apart', async () => {
		const limiter = new RateLimiter(4);
		const acquired = Array.from({ length: 4 }, () => acquire(limiter));
		await pass(2_000);
		expect(acquired.map(({ after }) => after)).toEqual([0, 250, 500, 750]);
	});

	test('does not make up for a time without requests', async () => {
		const limiter = new RateLimiter(4);
		acquire(limiter);
		await pass(10_000);
		const acquired = Array.from({ length: 3 }, () => acquire(limiter));
		await pass(2_000);
		expect(acquired.map(({ after }) => after)).toEqual([0, 250, 500]);
	});

	test('goes on where the run before ended in a loop', async () => {
		const shared = {};
		acquire(new RateLimiter(4, undefined, shared));
		await pass(100);
		expect(await waitOf(new RateLimiter(4, undefined, shared))).toBe(150);
	});

	test('waits for no more than its interval if the clock was set back', async () => {
		const shared = { nextStart: Date.now() + 3_600_000 };
		expect(await waitOf(new RateLimiter(4, undefined, shared))).toBe(250);
	});
});

describe('after a 429', () => {
	test.each([
		[undefined, 1_000],
		[0, 1_000],
		[700, 1_000],
		[1_500, 1_500],
		[60_000, 60_000],
		[3_600_000, 60_000],
	])('waits after a Retry-After of %p ms for %d ms', async (retryAfterMs, wait) => {
		const limiter = new RateLimiter(0);
		expect(await meet429(limiter, retryAfterMs)).toBe(true);
		expect(await waitOf(limiter)).toBe(wait);
	});

	test('waits for the Retry-After of a request that started before the first 429', async () => {
		const limiter = new RateLimiter(0);
		const [first, second] = [acquire(limiter), acquire(limiter)];
		await pass(0);
		limiter.backOff(first.slot as Slot, undefined);
		limiter.release(first.slot as Slot);
		expect(limiter.backOff(second.slot as Slot, 5_000)).toBe(true);
		limiter.release(second.slot as Slot);
		expect(await waitOf(limiter)).toBe(5_000);
	});

	test('waits for Retry-After if the rate limit would allow an earlier start', async () => {
		const limiter = new RateLimiter(4);
		await meet429(limiter, 2_000);
		expect(await waitOf(limiter)).toBe(2_000);
	});

	test.each([
		['without Retry-After', undefined],
		['with a Retry-After of no seconds', 0],
	])(
		'doubles each pause %s, and gives up after six, which outlast a limit per minute',
		async (_, retryAfterMs) => {
			const limiter = new RateLimiter(0);
			const waits: unknown[] = [];
			for (let pauses = 0; pauses < 6; pauses++) {
				const acquired = acquire(limiter);
				await pass(120_000);
				waits.push(acquired.after);
				expect(limiter.backOff(acquired.slot as Slot, retryAfterMs)).toBe(true);
				limiter.release(acquired.slot as Slot);
			}
			const last = acquire(limiter);
			await pass(120_000);
			waits.push(last.after);
			expect(waits).toEqual([0, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000]);
			expect(limiter.backOff(last.slot as Slot, retryAfterMs)).toBe(false);
		},
	);

	test('counts pauses from the last accepted request', async () => {
		const limiter = new RateLimiter(0);
		for (let pauses = 0; pauses < 6; pauses++) await meet429(limiter);
		const acquired = acquire(limiter);
		await pass(120_000);
		limiter.succeeded(acquired.slot as Slot);
		expect(limiter.backOff(acquired.slot as Slot, undefined)).toBe(true);
		limiter.release(acquired.slot as Slot);
		expect(await waitOf(limiter)).toBe(1_000);
	});

	test('pauses once for several 429s at the same time', async () => {
		const limiter = new RateLimiter(0);
		const acquired = Array.from({ length: 8 }, () => acquire(limiter));
		await pass(0);
		for (const { slot } of acquired) {
			expect(limiter.backOff(slot as Slot, 1_500)).toBe(true);
			limiter.release(slot as Slot);
		}
		// Separate pauses for each would be too many in a row.
		expect(await waitOf(limiter)).toBe(1_500);
	});

	test('sends one probe, and holds the others until it ends', async () => {
		const limiter = new RateLimiter(0);
		await meet429(limiter, 1_000);
		const [first, second, third] = [acquire(limiter), acquire(limiter), acquire(limiter)];
		await pass(5_000);
		expect(first).toMatchObject({ after: 1_000, slot: { isProbe: true } });
		expect([second.hasEnded, third.hasEnded]).toEqual([false, false]);

		// The probe was accepted: the others need not probe.
		limiter.succeeded(first.slot as Slot);
		limiter.release(first.slot as Slot);
		await pass(250);
		for (const { slot } of [second, third]) expect(slot).toMatchObject({ isProbe: false });
	});

	test('sends another probe if the first one was not accepted', async () => {
		const limiter = new RateLimiter(0);
		await meet429(limiter, 0);
		const [first, second, third] = [acquire(limiter), acquire(limiter), acquire(limiter)];
		await pass(2_000);
		limiter.release(first.slot as Slot);
		await pass(1_000);
		expect([second, third].filter(({ hasEnded }) => hasEnded)).toHaveLength(1);
		expect([second, third].find(({ slot }) => slot)?.slot).toMatchObject({ isProbe: true });
	});

	test('lets nobody pass when an earlier request ends', async () => {
		const limiter = new RateLimiter(0);
		const [early, other] = [acquire(limiter), acquire(limiter)];
		await pass(0);
		limiter.backOff(early.slot as Slot, 0);
		limiter.release(early.slot as Slot);
		const asking = acquire(limiter);
		await pass(1_000);
		expect(asking.slot).toMatchObject({ isProbe: true });
		limiter.release(other.slot as Slot);
		const next = acquire(limiter);
		await pass(1_000);
		expect(next.hasEnded).toBe(false);
	});

	test('keeps waiting although a request that started before the 429 is accepted', async () => {
		const limiter = new RateLimiter(0);
		const [early, other] = [acquire(limiter), acquire(limiter)];
		await pass(0);
		limiter.backOff(early.slot as Slot, undefined);
		limiter.release(early.slot as Slot);
		limiter.succeeded(other.slot as Slot);
		limiter.release(other.slot as Slot);
		const [probe, next] = [acquire(limiter), acquire(limiter)];
		await pass(2_000);
		expect(probe.slot).toMatchObject({ isProbe: true });
		expect(next.hasEnded).toBe(false);
	});

	test('sends those that waited one after the other, not together', async () => {
		const limiter = new RateLimiter(4);
		const [early, ...waiting] = [acquire(limiter), acquire(limiter), acquire(limiter)];
		await pass(0);
		limiter.backOff(early.slot as Slot, undefined);
		limiter.release(early.slot as Slot);
		await pass(1_000);
		const probe = waiting.find(({ hasEnded }) => hasEnded);
		limiter.succeeded(probe?.slot as Slot);
		limiter.release(probe?.slot as Slot);
		await pass(1_000);
		// A quarter more than the limit, because of the 429.
		expect(waiting.map(({ after }) => after)).toEqual([1_000, 1_313]);
	});

	test('keeps to at most a second more than the limit that the user set, however many 429s come', async () => {
		const limiter = new RateLimiter(4, new Concurrency());
		for (let backoffs = 0; backoffs < 20; backoffs++) {
			await meet429(limiter);
			const acquired = acquire(limiter);
			await pass(120_000);
			limiter.succeeded(acquired.slot as Slot);
			limiter.release(acquired.slot as Slot);
		}
		const acquired = [acquire(limiter), acquire(limiter)];
		await pass(10_000);
		expect(acquired[0].after).toBe(0);
		expect(acquired[1].after).toBeGreaterThan(1_200);
		expect(acquired[1].after).toBeLessThanOrEqual(1_250);
	});
});

describe('stopped executions', () => {
	test('gives no slot to a stopped execution', async () => {
		const acquired = acquire(new RateLimiter(0), () => true);
		await pass(0);
		expect(acquired).toEqual({ hasEnded: true, slot: undefined, after: undefined });
	});

	test('ends a long pause within a quarter of a second after a stop', async () => {
		const limiter = new RateLimiter(0);
		await meet429(limiter, 60_000);
		let isStopped = false;
		const acquired = acquire(limiter, () => isStopped);
		await pass(1_100);
		isStopped = true;
		await pass(149);
		expect(acquired.hasEnded).toBe(false);
		await pass(1);
		expect(acquired).toMatchObject({ hasEnded: true, slot: undefined });
	});
});
