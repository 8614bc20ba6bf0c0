/* eslint-disable @n8n/community-nodes/no-restricted-globals -- runs outside n8n */
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { BatchContext } from '../../nodes/batch/batchContext';
import { type Learnt, Limiter, MAX, type Permit, START } from '../../nodes/batch/limiter';
import { send } from '../../nodes/batch/send';
import { toServiceError } from '../../nodes/service/errors';
import type { Choose, Intent } from '../../nodes/ledger/ledger';
import { useOwnSleep } from '../ownSleep';
import { Clock } from '../simulation/clock';
import { batchOf, contextOf, CRYPTO, executionState, factsOf, knownOf } from './builders';

/** Everything here happens in simulated time: nothing waits. In mid-minute. */
const STARTS_AT = 1_230_000;
let clock: Clock;
useOwnSleep(() => {
	clock = new Clock();
	return { now: () => STARTS_AT + clock.now, sleep: async (ms) => await clock.pause(ms) };
});

interface Answer {
	ms: number;
	status?: number;
	/** In seconds. */
	retryAfter?: number;
}

/** A service: how it answers a request that arrives now, given how many it works on, that one included. */
type Model = (working: number) => Answer;

/** Makes a model, whose time begins with the batch. */
type Service = () => Model;

const answersIn =
	(ms: number): Service =>
	() =>
	() => ({ ms });

/** Has so many workers, and a queue. */
const workers =
	(count: number, ms: number): Service =>
	() => {
		const freeAt = Array.from({ length: count }, () => 0);
		return () => {
			const first = freeAt.indexOf(Math.min(...freeAt));
			freeAt[first] = Math.max(freeAt[first], clock.now) + ms;
			return { ms: freeAt[first] - clock.now };
		};
	};

const breaksAbove =
	(most: number, ms: number, failsAfter = ms): Service =>
	() =>
	(working) =>
		working > most ? { ms: failsAfter, status: 503 } : { ms };

/** Whether a service accepts a request that arrives now. */
type Limit = (perSecond: number) => () => boolean;

const bucket =
	(burst: (perSecond: number) => number): Limit =>
	(perSecond) => {
		const most = burst(perSecond);
		let tokens = most;
		let filledAt = clock.now;
		return () => {
			tokens = Math.min(most, tokens + ((clock.now - filledAt) / 1000) * perSecond);
			filledAt = clock.now;
			if (tokens < 1 - 1e-9) return false;
			tokens--;
			return true;
		};
	};

const window =
	(ms: number): Limit =>
	(perSecond) => {
		let current = NaN;
		let count = 0;
		return () => {
			const now = Math.floor(Date.now() / ms);
			if (now !== current) [current, count] = [now, 0];
			return ++count <= (perSecond * ms) / 1000;
		};
	};

const slidingWindow: Limit = (perSecond) => {
	let accepted: number[] = [];
	return () => {
		accepted = accepted.filter((time) => clock.now - time < 1000);
		if (accepted.length === perSecond) return false;
		accepted.push(clock.now);
		return true;
	};
};

const LIMITS: Array<[string, Limit]> = [
	['a token bucket without burst', bucket(() => 1)],
	['a token bucket with a burst', bucket((perSecond) => perSecond)],
	['a window of the clock', window(1000)],
	['a sliding window', slidingWindow],
];

const accepts =
	(limit: () => boolean, ms: number, retryAfter?: () => number | undefined): Model =>
	() =>
		limit() ? { ms } : { ms, status: 429, retryAfter: retryAfter?.() };

/** What one core does for a row, before it is sent and after the answer, as measured (docs/performance.md). */
const CPU_MS = { before: 0.6, after: 0.35 };

interface Measured {
	seconds: number;
	created: number;
	refused: number;
	/** Rows with status 5xx, and rows that met too many 429s. */
	failed: number;
	lost: number;
	/** The most that the service worked on at once, and for how many seconds that was more than a number. */
	most: number;
	secondsAbove(working: number): number;
	/** When requests started, in milliseconds. */
	starts: number[];
}

/** What the node has sent, as it sees it. */
let sent = { inFlight: 0, most: 0, answered: 0 };

/** Sends rows with the stage that pays, On Error set to continue. */
async function pay(
	rows: number,
	service: Service,
	{ concurrency, requestsPerSecond = 0 }: { concurrency?: number; requestsPerSecond?: number } = {},
	{ stored = {}, ledger }: { stored?: object; ledger?: BatchContext['ledger'] } = {},
): Promise<Measured> {
	const model = service();
	const began = clock.now;
	sent = { inFlight: 0, most: 0, answered: 0 };
	let refused = 0;
	let failed = 0;
	let working = 0;
	const history: Array<[at: number, working: number]> = [];
	const count = (by: number): void => void history.push([clock.now, (working += by)]);
	let coreIsFreeAt = 0;
	const work = async (ms: number): Promise<void> => {
		coreIsFreeAt = Math.max(coreIsFreeAt, clock.now) + ms;
		await clock.pause(coreIsFreeAt - clock.now);
	};

	const starts: number[] = [];
	const request = async ({ body }: { body: { externalReference: string } }) => {
		starts.push(clock.now);
		sent.most = Math.max(sent.most, ++sent.inFlight);
		await work(CPU_MS.before);
		count(1);
		const { ms, status, retryAfter } = model(working);
		await clock.pause(ms);
		count(-1);
		await work(CPU_MS.after);
		sent.inFlight--;
		sent.answered++;
		if (status === undefined) return { transactionId: body.externalReference, status: 'pending' };
		if (status === 429) refused++;
		else failed++;
		const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
		throw toServiceError({ response: { status, headers, data: {} } });
	};
	const context = contextOf('1', { stored: stored as IDataObject });
	const batch = batchOf({
		context: {
			...context,
			getExecutionCancelSignal: () => undefined,
		} as unknown as IExecuteFunctions,
		endpoint: CRYPTO,
		service: { account: 'account-1', request } as unknown as BatchContext['service'],
		state: executionState(context),
		ledger,
		continueOnFail: true,
		options: { concurrency, requestsPerSecond },
	});
	const open = Array.from({ length: rows }, (_, itemIndex) => {
		const reference = `reference-${began}-${itemIndex}`;
		const values = { amount: '10', asset: 'USDC', destinationWallet: `0x${itemIndex}` };
		const body = { ...values, externalReference: reference };
		return factsOf({ itemIndex, reference, idempotencyKey: reference, values, body, errors: [] });
	});

	await clock.finish(send(batch, open));
	const created = open.filter(({ result }) => result?.outcome === 'created').length;
	return {
		seconds: (clock.now - began) / 1000,
		created,
		refused,
		failed,
		lost: rows - created,
		starts,
		most: Math.max(...history.map(([, most]) => most)),
		secondsAbove: (most) =>
			history.reduce(
				(sum, [at, now], index) =>
					now > most ? sum + ((history[index + 1]?.[0] ?? at) - at) / 1000 : sum,
				0,
			),
	};
}

/** What was measured: `TABLE=1` prints it. */
const table: string[] = [];
afterAll(() => {
	if (process.env.TABLE) process.stdout.write(`${table.join('\n')}\n`);
});
const note = (title: string, { seconds, refused, created, lost, most }: Measured): void =>
	void table.push(
		`${title}: ${seconds.toFixed(2)} s, ${most} in flight, ${((100 * refused) / (created + refused)).toFixed(1)} % refused, ${lost} lost`,
	);

describe('a service without a limit', () => {
	test.each([
		// HTTP Request on the same core: 3.3 s and the latency, 33 s for 10,000 rows.
		[1_000, 0, 0.96],
		[1_000, 50, 1.67],
		[1_000, 200, 3],
		[1_000, 500, 6],
		[10_000, 500, 30],
	])('gets %d rows that it answers in %d ms within %d s', async (rows, ms, most) => {
		const measured = await pay(rows, answersIn(ms));
		note(`${rows} rows, ${ms} ms`, measured);
		expect(measured.created).toBe(rows);
		expect(measured.seconds).toBeLessThanOrEqual(most);
		expect(measured.most).toBeLessThanOrEqual(MAX);
	});

	test.each([
		[8, 500, 2],
		[32, 500, 2],
		[100, 500, 0],
		[8, 50, 0],
	])(
		'that has %d workers of %d ms has twice as many in flight for at most %d s',
		async (count, ms, seconds) => {
			const measured = await pay(1_000, workers(count, ms));
			note(`${count} workers, ${ms} ms`, measured);
			expect(measured.created).toBe(1_000);
			expect(measured.secondsAbove(2 * count)).toBeLessThanOrEqual(seconds);
			expect(measured.seconds).toBeLessThanOrEqual((1.35 * 1_000 * ms) / count / 1000);
		},
	);

	test.each([
		[50, 50],
		[200, 200],
		[500, 500],
		[500, 30_000],
	])(
		'that answers in %d ms, and above 64 in flight 503 in %d ms, fails at most 20 of 1,000 rows',
		async (ms, failsAfter) => {
			const measured = await pay(1_000, breaksAbove(64, ms, failsAfter));
			note(`${ms} ms, 503 above 64 in ${failsAfter} ms`, measured);
			expect(measured.lost).toBeLessThanOrEqual(20);
		},
	);

	test('that breaks above 64 fails at most one row in 200 from then on', async () => {
		const measured = await pay(10_000, breaksAbove(64, 500));
		note('503 above 64, 500 ms, 10,000 rows', measured);
		expect(measured.lost).toBeLessThanOrEqual(14 + 50);
	});

	test('that is down for a while gets one request after the other, and then more again', async () => {
		const down: Service = () => () => ({ ms: 50, ...(clock.now < 10_000 && { status: 503 }) });
		const measured = await pay(2_000, down);
		note('down for 10 s', measured);
		// Ten in flight would fail 2,000.
		expect(measured.lost).toBeLessThanOrEqual(START + 200);
		expect(measured.seconds).toBeLessThanOrEqual(30);
	});

	test('that asks to wait with a 503 gets nothing before', async () => {
		const down: Service = () => () =>
			clock.now < 60_000
				? { ms: 50, status: 503, retryAfter: Math.ceil(60 - clock.now / 1000) }
				: { ms: 50 };
		const measured = await pay(1_000, down);
		expect(measured.failed).toBeLessThanOrEqual(START);
		expect(measured.seconds).toBeGreaterThan(60);
	});
});

/** At each limit: without and with burst, with and without Retry-After, at two latencies. */
const SERVICES = LIMITS.flatMap(([limit, make]) =>
	[{ ms: 50 }, { ms: 200 }, { ms: 200, retryAfter: 1 }].map(({ ms, retryAfter }) => ({
		name: `${limit}, ${ms} ms, Retry-After ${retryAfter}`,
		ms,
		make: (perSecond: number) => () => accepts(make(perSecond), ms, () => retryAfter),
	})),
);

describe('a service that accepts so many requests a second', () => {
	test.each([
		{ perSecond: 5, concurrency: undefined, average: 2, worst: 10, times: 2 },
		{ perSecond: 20, concurrency: undefined, average: 2, worst: 10, times: 2 },
		{ perSecond: 100, concurrency: undefined, average: 2.5, worst: 10, times: 2 },
		// Those in flight at the first 429 are refused together.
		{ perSecond: 100, concurrency: 10, average: 6, worst: 7, times: 6 },
		{ perSecond: 20, concurrency: 50, average: 6, worst: 7, times: 2 },
		{ perSecond: 100, concurrency: 50, average: 6, worst: 7, times: 2 },
	])(
		'loses no row and refuses few at $perSecond a second, Concurrency $concurrency',
		async ({ perSecond, concurrency, average, worst, times }) => {
			const all: Array<{ share: number; ideals: number }> = [];
			const services = SERVICES.filter(({ ms }) => concurrency === undefined || ms === 200);
			for (const { name, make } of services) {
				const measured = await pay(1_000, make(perSecond), { concurrency });
				note(`${perSecond} a second, Concurrency ${concurrency}, ${name}`, measured);
				expect([name, measured.lost]).toEqual([name, 0]);
				const share = (100 * measured.refused) / (1_000 + measured.refused);
				all.push({ share, ideals: measured.seconds / (1_000 / perSecond) });
			}
			const mean = (values: number[]): number =>
				values.reduce((sum, value) => sum + value, 0) / values.length;
			const shares = all.map(({ share }) => share);
			table.push(
				`${perSecond} a second, Concurrency ${concurrency}: ${mean(shares).toFixed(1)} % refused, ${Math.max(...shares).toFixed(1)} % at worst, ${mean(all.map(({ ideals }) => ideals)).toFixed(2)} times the ideal`,
			);
			expect(mean(shares)).toBeLessThanOrEqual(average);
			expect(Math.max(...shares)).toBeLessThanOrEqual(worst);
			expect(mean(all.map(({ ideals }) => ideals))).toBeLessThanOrEqual(times);
		},
	);

	test.each([
		['with a Retry-After of an hour at first', 20, 3_600, 3_600],
		['with a Retry-After beyond a day', 20, 10 ** 9, 86_400],
	])('waits %s, and does not learn it as the rate', async (_, perSecond, first, waited) => {
		let refusals = 0;
		const service: Service = () =>
			accepts(bucket((burst) => burst)(perSecond), 50, () => (refusals++ ? undefined : first));
		const { created, seconds } = await pay(1_000, service, { concurrency: 10 });
		expect(created).toBe(1_000);
		expect(seconds).toBeGreaterThanOrEqual(waited);
		expect(seconds - waited).toBeLessThanOrEqual((2 * 1_000) / perSecond);
	});

	test.each([[10], [60 * 60]])('pays few rows with a first Retry-After of %d s', async (first) => {
		let refusals = 0;
		const service: Service = () => () =>
			refusals++ ? { ms: 50 } : { ms: 50, status: 429, retryAfter: first };
		const { created, seconds } = await pay(10, service, { concurrency: 1 });
		expect(created).toBe(10);
		expect(seconds - first).toBeLessThanOrEqual(4);
	});

	test.each([
		['until the next minute', () => Math.ceil(60 - (Date.now() % 60_000) / 1000)],
		['of no seconds', () => 0],
		['that is missing', () => undefined],
	])('loses no row with a limit of 60 a minute and a Retry-After %s', async (_, retryAfter) => {
		const service: Service = () => accepts(window(60_000)(1), 50, retryAfter);
		const { created, seconds } = await pay(200, service);
		expect(created).toBe(200);
		expect(seconds).toBeLessThan(4 * 60);
	});

	test.each([
		[
			'each 30th',
			1_000,
			120,
			(): Service => {
				let count = 0;
				return () => () => ({ ms: 50, ...(++count % 30 === 0 && { status: 429 }) });
			},
		],
		[
			'all in the first half minute',
			1_000,
			36,
			(): Service => () => () => ({
				ms: 50,
				...(clock.now < 30_000 && { status: 429 }),
			}),
		],
		[
			'more than 20 a second for 10 s',
			2_000,
			65,
			(): Service => () => {
				const limit = bucket(() => 20)(20);
				return () => ({ ms: 50, ...(clock.now < 10_000 && !limit() && { status: 429 }) });
			},
		],
	])('goes on quickly if it refuses %s of %d', async (_, rows, most, service) => {
		const { created, seconds } = await pay(rows, service());
		expect(created).toBe(rows);
		expect(seconds).toBeLessThan(most);
	});

	test('is learnt once by the runs of a loop, and how many may be in flight, too', async () => {
		const stored = {};
		const service = accepts(bucket(() => 20)(20), 200);
		let refused = 0;
		for (let run = 0; run < 10; run++)
			refused += (await pay(100, () => service, {}, { stored })).refused;
		expect(refused).toBeLessThanOrEqual(20);

		const quick = {};
		const times: number[] = [];
		for (let run = 0; run < 10; run++)
			times.push((await pay(100, answersIn(500), {}, { stored: quick })).seconds);
		expect(times[9]).toBeLessThan(0.6 * times[0]);
	});
});

test.each([
	[80, 15],
	[400, 400],
])(
	'leaves no more unknown at any moment than what is in flight and one chunk of %d',
	async (chunkSize, recordingMs) => {
		let recorded = 0;
		const beyond: number[] = [];
		const ledger = {
			entries: { chunkSize, isEmpty: false, trim: async () => await Promise.resolve() },
			claim: async (intents: Intent[], choose: Choose) => {
				recorded += intents.length;
				await clock.pause(recordingMs);
				choose(knownOf(intents, []));
			},
			prove: () => undefined,
			flush: async () => await Promise.resolve(),
		} as unknown as BatchContext['ledger'];
		const service: Service = () => (working) => {
			beyond.push(recorded - sent.answered - sent.most);
			return { ms: working > 150 ? 2_000 : 500 };
		};
		const { created } = await pay(2_000, service, {}, { ledger });
		expect(created).toBe(2_000);
		expect(sent.most).toBeGreaterThan(150);
		expect(Math.max(...beyond)).toBeLessThanOrEqual(chunkSize);
	},
);

describe('Requests per Second', () => {
	test.each([4, 100])('is never exceeded, at %d', async (requestsPerSecond) => {
		const { starts } = await pay(200, answersIn(20), { requestsPerSecond });
		const gaps = starts.slice(1).map((at, index) => at - starts[index]);
		expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1000 / requestsPerSecond - 0.001);
	});

	test.each(SERVICES.filter(({ ms }) => ms === 50))(
		'set a little below the limit of the service gets no 429 ($name)',
		async ({ make }) => {
			const { refused, seconds } = await pay(1_000, make(20), { requestsPerSecond: 19 });
			expect(refused).toBe(0);
			expect(seconds).toBeLessThan(53);
		},
	);

	test('goes on where the run before ended in a loop', async () => {
		const stored = {};
		const { seconds } = await pay(1, answersIn(0), { requestsPerSecond: 0.5 }, { stored });
		expect(seconds).toBeLessThan(0.1);
		const next = await pay(1, answersIn(0), { requestsPerSecond: 0.5 }, { stored });
		expect(seconds + next.seconds).toBeGreaterThanOrEqual(2);
	});
});

describe('one request after the other', () => {
	let isStopped = false;
	beforeEach(() => void (isStopped = false));
	const limiterOf = (
		set: { concurrency?: number; requestsPerSecond?: number } = {},
		learnt?: Learnt,
	): Limiter => new Limiter({ requestsPerSecond: 0, ...set }, () => isStopped, learnt);

	/** How many milliseconds the next permit takes. */
	async function next(limiter: Limiter): Promise<{ permit: Permit; after: number }> {
		const began = clock.now;
		const permit = await clock.finish(limiter.acquire());
		if (!permit) throw new Error('Nobody stopped it');
		return { permit, after: clock.now - began };
	}

	test.each([undefined, 0, 700])(
		'doubles each wait, and gives up after six (Retry-After %p ms)',
		async (retryAfterMs) => {
			const limiter = limiterOf();
			const waits: number[] = [];
			const goesOn: boolean[] = [];
			for (let tries = 0; tries < 7; tries++) {
				const { permit, after } = await next(limiter);
				waits.push(after);
				goesOn.push(limiter.rejected(permit, retryAfterMs));
				limiter.release(permit);
			}
			expect(waits).toEqual([0, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000]);
			expect(goesOn).toEqual([true, true, true, true, true, true, false]);
		},
	);

	test('counts waits from the last accepted request', async () => {
		const limiter = limiterOf();
		for (const isAccepted of [false, false, true, false]) {
			const { permit } = await next(limiter);
			if (isAccepted) limiter.accepted(permit);
			else limiter.rejected(permit);
			limiter.release(permit);
		}
		expect((await next(limiter)).after).toBe(1_000);
	});

	test('waits once for several 429s at the same time, as long as the longest Retry-After says', async () => {
		const limiter = limiterOf();
		const permits = [await next(limiter), await next(limiter), await next(limiter)];
		for (const [index, { permit }] of permits.entries()) {
			limiter.rejected(permit, [undefined, 5_000, 2_000][index]);
			limiter.release(permit);
		}
		expect((await next(limiter)).after).toBe(5_000);
	});

	test('sends one probe after a wait, the refused request before new ones, and then the others', async () => {
		const limiter = limiterOf({ concurrency: 2 });
		const order: string[] = [];
		const { permit } = await next(limiter);
		const { permit: early } = await next(limiter);
		const others = ['B', 'C'].map(
			async (name) => await limiter.acquire().then(() => order.push(name)),
		);
		limiter.rejected(permit);
		const retry = limiter.retry(permit).then((isRenewed) => order.push(`A ${isRenewed}`));
		await clock.finish(retry);
		// One that started before the wait says nothing.
		limiter.accepted(early);
		limiter.release(early);
		await clock.finish(clock.pause(10_000));
		expect(order).toEqual(['A true']);
		expect(permit.isProbe).toBe(true);

		limiter.accepted(permit);
		limiter.release(permit);
		await clock.finish(Promise.all(others));
		expect(order).toEqual(['A true', 'B', 'C']);
	});

	/** Until nothing starts any more without an answer. */
	const allStarted = async () => await new Promise((resolve) => setImmediate(resolve));

	/** Ends rounds one after the other, each after so many milliseconds and all answers at the same moment. */
	async function rounds(limiter: Limiter, times: number[]): Promise<number[]> {
		const sizes: number[] = [];
		let started: Permit[] = [];
		const acquire = async () => {
			for (;;) {
				const permit = await limiter.acquire();
				if (permit) started.push(permit);
			}
		};
		void acquire();
		for (const ms of times) {
			await allStarted();
			await clock.finish(clock.pause(ms));
			sizes.push(started.length);
			const ended = started;
			started = [];
			for (const permit of ended) limiter.accepted(permit);
			for (const permit of ended) limiter.release(permit);
		}
		return sizes;
	}

	test('has twice as many in flight after a round whose answers arrive at the same moment', async () => {
		expect(await rounds(limiterOf(), [500, 500, 500])).toEqual([START, 2 * START, 4 * START]);
	});

	test('never has fewer in flight because answers within 50 ms differ', async () => {
		const sizes = await rounds(
			limiterOf(),
			Array.from({ length: 60 }, (_, n) => [1, 5, 45][n % 3]),
		);
		expect(sizes).toEqual([...sizes].sort((a, b) => a - b));
		expect(sizes[59]).toBeGreaterThan(2 * START);
	});

	test('releases a permit once, however often it is asked to', async () => {
		const limiter = limiterOf({ concurrency: 3 });
		const { permit } = await next(limiter);
		expect(limiter.room).toBe(2);
		limiter.release(permit);
		limiter.release(permit);
		expect(limiter.room).toBe(3);
	});

	test.each([
		['429', (limiter: Limiter, permit: Permit) => void limiter.rejected(permit, 3_600_000)],
		['503', (limiter: Limiter) => void limiter.failed(3_600_000)],
	])('ends an hour of waiting after a %s within 250 ms of a stop', async (_, happens) => {
		const limiter = limiterOf();
		const { permit } = await next(limiter);
		happens(limiter, permit);
		const waiting = [limiter.retry(permit), limiter.acquire()];
		await clock.finish(clock.pause(1_100));
		isStopped = true;
		const stoppedAt = clock.now;
		expect(await clock.finish(Promise.all(waiting))).toEqual([false, undefined]);
		expect(clock.now - stoppedAt).toBeLessThanOrEqual(250);
	});

	test('gives no permit to those that wait for room when the batch stops', async () => {
		const limiter = limiterOf({ concurrency: 1 });
		const { permit } = await next(limiter);
		const waiting = [limiter.acquire(), limiter.acquire()];
		isStopped = true;
		limiter.release(permit);
		expect(await clock.finish(Promise.all(waiting))).toEqual([undefined, undefined]);
	});

	test.each<[string, Learnt, number, number]>([
		['a clock that was set back', { nextStart: STARTS_AT + 3_600_000 }, 250, START],
		['a minute without a start', { nextStart: STARTS_AT - 60_001, limit: 90 }, 0, START],
		['a run just before', { nextStart: STARTS_AT - 1_000, limit: 90 }, 0, 90],
	])('after %s, hands on what still counts', async (_, learnt, wait, limit) => {
		const limiter = limiterOf({ requestsPerSecond: 4 }, learnt);
		expect(limiter.limit).toBe(limit);
		expect((await next(limiter)).after).toBe(wait);
	});
});
