import { RateLimiter } from '../../nodes/payments/rateLimiter';

/** The test advances the clock that decides when requests start. */
beforeEach(() => void jest.useFakeTimers({ now: 1_000_000 }));
afterEach(() => void jest.useRealTimers());

type Turn = NonNullable<Awaited<ReturnType<RateLimiter['acquire']>>>;

const never = (): boolean => false;

/** Waits for a slot, and records after how many milliseconds it came. */
function ask(
	pace: RateLimiter,
	isStopped = never,
): { turn?: Turn; after?: number; hasEnded: boolean } {
	const asked: ReturnType<typeof ask> = { hasEnded: false };
	const began = Date.now();
	void pace.acquire(isStopped).then((turn) => {
		Object.assign(asked, { turn, after: turn && Date.now() - began, hasEnded: true });
	});
	return asked;
}

async function pass(ms: number): Promise<void> {
	await jest.advanceTimersByTimeAsync(ms);
}

/** Takes one slot, and releases it with a 429. */
async function meet429(pace: RateLimiter, retryAfterMs?: number): Promise<boolean> {
	const asked = ask(pace);
	await pass(120_000);
	const turn = asked.turn as Turn;
	const goesOn = pace.backOff(turn, retryAfterMs);
	pace.release(turn);
	return goesOn;
}

/** How long the next request has to wait. */
async function waitOf(pace: RateLimiter): Promise<number | undefined> {
	const asked = ask(pace);
	await pass(120_000);
	return asked.after;
}

describe('without a limit', () => {
	test('starts all requests at once without a limit', async () => {
		const pace = new RateLimiter(0);
		const asked = Array.from({ length: 5 }, () => ask(pace));
		await pass(0);
		expect(asked.map(({ after }) => after)).toEqual([0, 0, 0, 0, 0]);
	});
});

describe('with a limit of four a second', () => {
	test('starts requests a quarter of a second apart', async () => {
		const pace = new RateLimiter(4);
		const asked = Array.from({ length: 4 }, () => ask(pace));
		await pass(2_000);
		expect(asked.map(({ after }) => after)).toEqual([0, 250, 500, 750]);
	});

	test('does not make up for a time without requests', async () => {
		const pace = new RateLimiter(4);
		ask(pace);
		await pass(10_000);
		const asked = Array.from({ length: 3 }, () => ask(pace));
		await pass(2_000);
		expect(asked.map(({ after }) => after)).toEqual([0, 250, 500]);
	});
});

describe('after a 429', () => {
	test.each([
		[undefined, 1_000],
		[0, 0],
		[700, 700],
		[60_000, 60_000],
		[3_600_000, 60_000],
	])('waits after a Retry-After of %p ms for %d ms', async (retryAfterMs, wait) => {
		const pace = new RateLimiter(0);
		expect(await meet429(pace, retryAfterMs)).toBe(true);
		expect(await waitOf(pace)).toBe(wait);
	});

	test('waits for Retry-After if the rate limit would allow an earlier start', async () => {
		const pace = new RateLimiter(4);
		await meet429(pace, 2_000);
		expect(await waitOf(pace)).toBe(2_000);
	});

	test('doubles each pause, and gives up after five', async () => {
		const pace = new RateLimiter(0);
		const waits: unknown[] = [];
		for (let pauses = 0; pauses < 5; pauses++) {
			const asked = ask(pace);
			await pass(120_000);
			waits.push(asked.after);
			expect(pace.backOff(asked.turn as Turn, undefined)).toBe(true);
			pace.release(asked.turn as Turn);
		}
		const last = ask(pace);
		await pass(120_000);
		waits.push(last.after);
		expect(waits).toEqual([0, 1_000, 2_000, 4_000, 8_000, 16_000]);
		expect(pace.backOff(last.turn as Turn, undefined)).toBe(false);
	});

	test('counts pauses from the last accepted request', async () => {
		const pace = new RateLimiter(0);
		for (let pauses = 0; pauses < 5; pauses++) await meet429(pace);
		const asked = ask(pace);
		await pass(120_000);
		pace.succeeded();
		expect(pace.backOff(asked.turn as Turn, undefined)).toBe(true);
		pace.release(asked.turn as Turn);
		expect(await waitOf(pace)).toBe(1_000);
	});

	test('pauses once for several 429s at the same time', async () => {
		const pace = new RateLimiter(0);
		const asked = Array.from({ length: 8 }, () => ask(pace));
		await pass(0);
		for (const { turn } of asked) {
			expect(pace.backOff(turn as Turn, 500)).toBe(true);
			pace.release(turn as Turn);
		}
		// Separate pauses for each would be too many in a row.
		expect(await waitOf(pace)).toBe(500);
	});

	test('sends one probe, and holds the others until it ends', async () => {
		const pace = new RateLimiter(0);
		await meet429(pace, 1_000);
		const [first, second, third] = [ask(pace), ask(pace), ask(pace)];
		await pass(5_000);
		expect(first).toMatchObject({ after: 1_000, turn: { isProbe: true } });
		expect([second.hasEnded, third.hasEnded]).toEqual([false, false]);

		// The probe was accepted: the others need not probe.
		pace.succeeded();
		pace.release(first.turn as Turn);
		await pass(250);
		for (const { turn } of [second, third]) expect(turn).toMatchObject({ isProbe: false });
	});

	test('sends another probe if the first one was not accepted', async () => {
		const pace = new RateLimiter(0);
		await meet429(pace, 0);
		const [first, second, third] = [ask(pace), ask(pace), ask(pace)];
		await pass(1_000);
		pace.release(first.turn as Turn);
		await pass(1_000);
		expect([second, third].filter(({ hasEnded }) => hasEnded)).toHaveLength(1);
		expect([second, third].find(({ turn }) => turn)?.turn).toMatchObject({ isProbe: true });
	});

	test('lets nobody pass when an earlier request ends', async () => {
		const pace = new RateLimiter(0);
		const [early, other] = [ask(pace), ask(pace)];
		await pass(0);
		pace.backOff(early.turn as Turn, 0);
		pace.release(early.turn as Turn);
		const asking = ask(pace);
		await pass(100);
		expect(asking.turn).toMatchObject({ isProbe: true });
		pace.release(other.turn as Turn);
		const next = ask(pace);
		await pass(1_000);
		expect(next.hasEnded).toBe(false);
	});

	test('does not wait in a busy loop during a probe', async () => {
		const pace = new RateLimiter(0);
		await meet429(pace, 0);
		const [first, second] = [ask(pace), ask(pace)];
		await pass(0);
		expect(first.hasEnded).toBe(true);
		expect(jest.getTimerCount()).toBe(1);
		await pass(24);
		pace.succeeded();
		pace.release(first.turn as Turn);
		expect(second.hasEnded).toBe(false);
		await pass(1);
		expect(second.after).toBe(25);
	});
});

describe('stopped executions', () => {
	test('gives no slot to a stopped execution', async () => {
		const asked = ask(new RateLimiter(0), () => true);
		await pass(0);
		expect(asked).toEqual({ hasEnded: true, turn: undefined, after: undefined });
	});

	test('ends a long pause within a quarter of a second after a stop', async () => {
		const pace = new RateLimiter(0);
		await meet429(pace, 60_000);
		let isStopped = false;
		const asked = ask(pace, () => isStopped);
		await pass(1_100);
		isStopped = true;
		await pass(149);
		expect(asked.hasEnded).toBe(false);
		await pass(1);
		expect(asked).toMatchObject({ hasEnded: true, turn: undefined });
	});
});
