/* eslint-disable @n8n/community-nodes/no-restricted-globals -- the tests run outside n8n */
import { Concurrency } from '../../nodes/batch/concurrency';
import { type Measured, type Model, sendRows, useSimulatedTime } from './sendRows';

// In mid-minute.
useSimulatedTime(1_230_000);

/** What was measured: `TABLE=1` prints it. */
const table: string[] = [];
afterAll(() => {
	if (process.env.TABLE) process.stdout.write(`${table.join('\n')}\n`);
});

/** Whether a service accepts a request that arrives now. */
type Limit = () => boolean;

/** A token is added so many times a second, and each request takes one. `burst` tokens are kept. */
function tokenBucket(perSecond: number, burst: number): Limit {
	let tokens = burst;
	let filledAt = Date.now();
	return () => {
		tokens = Math.min(burst, tokens + ((Date.now() - filledAt) / 1000) * perSecond);
		filledAt = Date.now();
		if (tokens < 1 - 1e-9) return false;
		tokens--;
		return true;
	};
}

/** Accepts so many requests in each window of the clock. */
function fixedWindow(count: number, windowMs: number): Limit {
	let current = NaN;
	let accepted = 0;
	return () => {
		const window = Math.floor(Date.now() / windowMs);
		if (window !== current) [current, accepted] = [window, 0];
		return ++accepted <= count;
	};
}

/** Accepts so many requests in each period, wherever it begins. */
function slidingWindow(count: number, periodMs: number): Limit {
	let accepted: number[] = [];
	return () => {
		accepted = accepted.filter((time) => Date.now() - time < periodMs);
		if (accepted.length === count) return false;
		accepted.push(Date.now());
		return true;
	};
}

const limited =
	(accepts: Limit, ms: number, retryAfterMs: () => number | undefined): Model =>
	() =>
		accepts() ? { ms } : { ms, status: 429, retryAfterMs: retryAfterMs() };

async function measure(
	title: string,
	rows: number,
	model: Model,
	concurrency?: number,
): Promise<Measured> {
	const measured = await sendRows(rows, new Concurrency(concurrency), model);
	const { refused, refusedAtFirst, created, seconds } = measured;
	table.push(
		`${title}: ${refused} of ${created + refused} refused (${refusedAtFirst} at first), ${seconds.toFixed(1)} s`,
	);
	return measured;
}

const WITHOUT_BURST = 'a token bucket without burst';

const LIMITS: Array<[string, () => Limit]> = [
	[WITHOUT_BURST, () => tokenBucket(20, 1)],
	['a token bucket with a burst of 20', () => tokenBucket(20, 20)],
	['a fixed window', () => fixedWindow(20, 1_000)],
	['a sliding window', () => slidingWindow(20, 1_000)],
];

const RETRY_AFTER: Array<[string, number | undefined]> = [
	['Retry-After: 1', 1_000],
	['Retry-After: 0', 0],
	['no Retry-After', undefined],
];

const CELLS = LIMITS.flatMap(([limit, accepts]) =>
	RETRY_AFTER.flatMap(([header, retryAfterMs]) =>
		[0, 50, 200].flatMap((ms) =>
			// The header makes no difference in the long run.
			(retryAfterMs ? [200, 1_000] : [200]).map((rows) => ({
				limit,
				accepts,
				header,
				retryAfterMs,
				ms,
				rows,
			})),
		),
	),
);

describe('a service that accepts 20 requests a second', () => {
	test.each(CELLS)(
		'pays $rows rows with few 429s by $limit, with $header and answers in $ms ms',
		async ({ limit, accepts, header, retryAfterMs, ms, rows }) => {
			const model = limited(accepts(), ms, () => retryAfterMs);

			const { created, refused, refusedAtFirst, seconds } = await measure(
				`${limit}, ${header}, ${ms} ms, ${rows} rows in ${rows / 20} s`,
				rows,
				model,
			);

			expect(created).toBe(rows);
			// What is in flight at the first 429 is refused as well: with few rows, nothing else is to be, unless the rate has
			// to be searched. That is 5 % of 200 rows.
			expect(refusedAtFirst).toBeLessThanOrEqual(10);
			expect(refused).toBeLessThanOrEqual(
				rows >= 1_000 ? 20 : limit === WITHOUT_BURST ? 12 : refusedAtFirst,
			);
			expect(seconds).toBeLessThanOrEqual(((rows >= 1_000 ? 1.4 : 1.65) * rows) / 20);
		},
	);
});

describe('a number in flight that the user set', () => {
	test.each(
		[10, 50].flatMap((concurrency) =>
			[5, 20, 100].flatMap((perSecond) =>
				[1, perSecond].flatMap((burst) =>
					[undefined, 1_000, 3_600_000].map((retryAfterMs) => ({
						concurrency,
						perSecond,
						burst,
						retryAfterMs,
					})),
				),
			),
		),
	)(
		'has few 429s with $concurrency in flight at $perSecond a second, a burst of $burst, Retry-After $retryAfterMs ms',
		async ({ concurrency, perSecond, burst, retryAfterMs }) => {
			let refusals = 0;
			const model = limited(tokenBucket(perSecond, burst), 200, () =>
				refusals++ === 0 ? retryAfterMs : undefined,
			);

			const { created, refused, seconds } = await measure(
				`${concurrency} in flight, ${perSecond} a second, burst of ${burst}, Retry-After ${retryAfterMs}`,
				1_000,
				model,
				concurrency,
			);

			expect(created).toBe(1_000);
			// Fifty in flight at the first 429 are 5 %.
			expect(refused / (created + refused)).toBeLessThanOrEqual(0.08);
			expect(seconds).toBeLessThanOrEqual((2.5 * 1_000) / perSecond + 60);
		},
	);
});

describe('a service that accepts 60 requests a minute', () => {
	test.each<[string, () => number | undefined]>([
		['a Retry-After until the next minute', () => 60_000 - (Date.now() % 60_000)],
		['Retry-After: 0', () => 0],
		['no Retry-After', () => undefined],
	])('pays 200 rows with %s', async (header, retryAfterMs) => {
		for (const ms of [0, 50, 200]) {
			const model = limited(fixedWindow(60, 60_000), ms, retryAfterMs);

			const { created, seconds } = await measure(`60 a minute, ${header}, ${ms} ms`, 200, model);

			expect(created).toBe(200);
			expect(seconds).toBeLessThan(4 * 60);
		}
	});
});

test.each([
	[50, 0.25],
	[200, 0.4],
	[1_000, 1.25],
])('sends %d rows in %d s to a service without a limit, answered in 50 ms', async (rows, most) => {
	const { seconds } = await measure(`no limit, 50 ms, ${rows} rows`, rows, () => ({ ms: 50 }));

	expect(seconds).toBeLessThanOrEqual(most);
});

test('goes on quickly after 429s that no rate limit explains', async () => {
	let count = 0;
	const { created, seconds } = await measure('each 30th refused', 1_000, () =>
		++count % 30 === 0 ? { ms: 50, status: 429 } : { ms: 50 },
	);

	expect(created).toBe(1_000);
	// Of that, 34 s are the waits.
	expect(seconds).toBeLessThan(120);
});

test('goes on quickly after half a minute of 429s', async () => {
	const beganAt = Date.now();
	const { created, seconds } = await measure('30 s of 429s', 1_000, () =>
		Date.now() - beganAt < 30_000 ? { ms: 50, status: 429 } : { ms: 50 },
	);

	expect(created).toBe(1_000);
	expect(seconds).toBeLessThan(36);
});

test('goes faster again when the service accepts more', async () => {
	const accepts = tokenBucket(20, 20);
	const beganAt = Date.now();
	const { created, seconds } = await measure('20 a second for 10 s', 2_000, () =>
		Date.now() - beganAt > 10_000 || accepts() ? { ms: 50 } : { ms: 50, status: 429 },
	);

	expect(created).toBe(2_000);
	// At 20 a second it would be 100.
	expect(seconds).toBeLessThan(60);
});
