import fc from 'fast-check';

import { DailyLimit as Limit } from '../../nodes/batch/dailyLimit';
import type { UserMessage } from '../../nodes/messages/userMessage';
import { runsOr, SEED } from '../random';
import { cycle } from '../simulation/clock';
import type { Package } from '../simulation/package';
import type { Process } from '../simulation/process';
import { StateSimulation } from '../simulation/state';
import { KillableItems } from '../ledger/killable';

const RUNS = runsOr(50);

const NODE = 'node-1';

const PROCESSES = 3;

const LIMIT = 1_000;

type DailyLimit = InstanceType<Package['DailyLimit']>;

type Paid = Parameters<DailyLimit['reserve']>[0][number];

const row = (key: string, amount: number): Paid => ({
	row: { idempotencyKey: key, itemIndex: 0 } as Paid['row'],
	money: { amount: String(amount), currency: 'BOB' },
});

/** The daily limit of a node, as an execution in a process has it. */
function limitOf(simulation: StateSimulation, process = simulation.newProcess()): DailyLimit {
	const batch = {
		context: { getTimezone: () => 'America/La_Paz' },
		endpoint: {},
	};
	return new process.package.DailyLimit(
		batch as never,
		simulation.entries(NODE, process),
		new Map([['BOB', String(LIMIT)]]),
	);
}

/** What counts today. */
async function used(simulation: StateSimulation): Promise<number> {
	const above = await simulation.finish(limitOf(simulation).aboveLimit([row('x', LIMIT + 1)]));
	const [, amount] = /\. ([\d,.]+) BOB count today/.exec(above?.message ?? '') ?? [];
	return Number(amount.replace(',', ''));
}

const execution = fc.record({
	startsAt: fc.integer({ min: 0, max: 5_000 }),
	process: fc.nat(PROCESSES - 1),
	chunks: fc.array(fc.array(fc.integer({ min: 1, max: 250 }), { minLength: 1, maxLength: 3 }), {
		minLength: 1,
		maxLength: 3,
	}),
	/** Which payments the service rejects. */
	rejected: fc.array(fc.boolean(), { minLength: 1, maxLength: 4 }),
	/** Milliseconds that it takes to send a chunk. */
	sendingMs: fc.integer({ min: 0, max: 400 }),
});

const scenario = fc.record({
	executions: fc.array(execution, { minLength: 1, maxLength: 8 }),
	latencies: fc.array(fc.integer({ min: 0, max: 80 }), { minLength: 5, maxLength: 40 }),
	/** The moments at which processes are killed. The other processes go on. */
	kills: fc.array(
		fc.record({ process: fc.nat(PROCESSES - 1), at: fc.integer({ min: 0, max: 8_000 }) }),
		{ maxLength: 2 },
	),
	/** The seed of everything random in the package. */
	seed: fc.noBias(fc.integer()),
});

test(
	`never sends more than the limit on several workers, and counts all that is sent (${RUNS} scenarios, seed ${SEED})`,
	async () => {
		await fc.assert(
			fc.asyncProperty(scenario, async ({ executions, latencies, kills, seed }) => {
				const simulation = new StateSimulation({ nextLatency: cycle(latencies), seed });
				const processes = Array.from({ length: PROCESSES }, () => simulation.newProcess());
				let sent = 0;
				let isCounted = true;
				const errors: unknown[] = [];

				const run = async (one: (typeof executions)[number], process: Process) => {
					await process.pause(one.startsAt);
					const limit = limitOf(simulation, process);
					const isRejected = cycle(one.rejected);
					for (const chunk of one.chunks) {
						const rows = chunk.map((amount, index) => row(`${index}`, amount));
						if (await limit.reserve(rows)) break;
						await process.pause(one.sendingMs);
						for (const payment of rows) {
							if (isRejected()) limit.release(payment.row);
							else sent += Number(payment.money?.amount);
						}
						expect(sent).toBeLessThanOrEqual(LIMIT);
					}
					await limit.flush();
				};
				for (const { process, at } of kills) {
					simulation.clock.in(at, () => {
						isCounted = false;
						processes[process].kill();
					});
				}
				for (const one of executions)
					run(one, processes[one.process]).catch((error: unknown) => errors.push(error));
				await simulation.untilIdle();
				expect(errors).toEqual([]);

				const now = await used(simulation);
				expect(now).toBeGreaterThanOrEqual(sent);
				if (isCounted) expect(now).toBe(sent);
			}),
			{ numRuns: RUNS, seed: SEED },
		);
	},
	RUNS * 1_000 + 60_000,
);

it('reserves after a process was killed while it held the lock', async () => {
	const simulation = new StateSimulation({ nextLatency: () => 5 });
	const killed = simulation.newProcess();
	void limitOf(simulation, killed).reserve([row('a', 300)]);
	await simulation.finish(simulation.clock.pause(30));
	killed.kill();
	const limit = limitOf(simulation);
	expect(await simulation.finish(limit.reserve([row('b', 200)]))).toBeUndefined();
	expect(await used(simulation)).toBeGreaterThanOrEqual(200);
});

it('reserves nothing while Remove Duplicates keeps the workflow lock', async () => {
	const simulation = new StateSimulation();
	const { database, lockRow } = simulation;
	database.rows.set(lockRow, { mode: 'entries', data: ['x'] });
	const limit = limitOf(simulation);
	expect(await simulation.finish(limit.reserve([row('a', 300)]))).toMatchObject({
		code: 'dailyLimitWithoutLock',
	});
	expect(database.rows.get(simulation.rowOf(NODE))).toBeUndefined();
});

describe('the limit of an execution', () => {
	/** A row in bolivianos, or in the currency that its amount names. */
	const paying = (key: string, money: string | undefined): Paid => {
		const [amount, currency = 'BOB'] = money?.split(' ') ?? [];
		return {
			row: { idempotencyKey: key, itemIndex: 2 } as Paid['row'],
			money: amount === undefined ? undefined : { amount, currency },
		};
	};

	/** The limit, and the turns of the lock that it took. */
	function limit({
		items = new KillableItems(),
		limits = { BOB: '1000', USD: '10.019' } as Record<string, string>,
		queries = Infinity,
		isAvailable = true,
		isLocked = true,
		exclusive = [true],
	} = {}) {
		const turns = { count: 0 };
		const kept = items.newProcess(queries);
		const store = {
			record: kept.record.bind(kept),
			remove: kept.remove.bind(kept),
			isAvailable,
			withLock: async (work: (locked: boolean) => Promise<unknown>) => {
				const wasExclusive = exclusive[turns.count++] ?? true;
				return { value: await work(isLocked), wasExclusive, wasLost: false };
			},
		};
		const endpoint = { amount: () => undefined };
		const context = { getTimezone: () => 'America/La_Paz' };
		return {
			turns,
			daily: new Limit(
				{ context, endpoint } as never,
				store as never,
				new Map(Object.entries(limits)),
			),
		};
	}

	const reserved = async (items: KillableItems, ...amounts: string[]) =>
		await limit({ items }).daily.reserve(amounts.map((money, index) => paying(`${index}`, money)));

	const above = async (items: KillableItems, ...amounts: string[]) =>
		(await limit({ items }).daily.aboveLimit(amounts.map((money) => paying(money, money))))
			?.message;

	test('says what is left, and lets rows reach it', async () => {
		const items = new KillableItems();
		expect(await above(items, '600', '400.00')).toBeUndefined();
		expect(await reserved(items, '600', '150.5')).toBeUndefined();
		expect(await above(items, '249.50')).toBeUndefined();
		expect(await above(items, '249.50', '0.01')).toBe(
			'Daily Limit (This Node) is 1,000.00 BOB. 750.50 BOB count today, so 249.50 BOB are left, but these payments total 249.51 BOB',
		);
		// It has reserved nothing.
		expect(await above(items, '249.50')).toBeUndefined();
	});

	test('may be less than what counts already', async () => {
		const items = new KillableItems();
		await reserved(items, '600');
		const { daily } = limit({ items, limits: { BOB: '500' } });
		expect((await daily.aboveLimit([paying('a', '1')]))?.message).toContain(
			'600.00 BOB count today, so 0.00 BOB are left',
		);
	});

	test.each([
		['10.019', true],
		['10.01900001', false],
		['10.02', false],
		['10.00000001', true],
		['10', true],
	])('of 10.019 lets %s pass, to the last decimal: %p', async (amount, isLet) => {
		expect((await above(new KillableItems(), `${amount} USD`)) === undefined).toBe(isLet);
	});

	test('counts many small amounts of crypto as they are', async () => {
		const items = new KillableItems();
		const small = Array<string>(1_000).fill('0.001 USD');
		expect(await above(items, ...small)).toBeUndefined();
	});

	test.each<[string, UserMessage['code'], string, Array<string | undefined>, object]>([
		[
			'an amount is unknown',
			'totalUnknown',
			'Daily Limit (This Node) cannot be checked: the amount of row 3 (item 2) is unknown',
			['1', undefined],
			{},
		],
		[
			'a currency has no limit',
			'currencyWithoutLimit',
			'Daily Limit (This Node) has no EUR, but the items total 8 EUR',
			['1', '5 EUR', '3 EUR'],
			{},
		],
		[
			'the workflow was never saved',
			'dailyLimitWithoutStore',
			'Daily Limit (This Node) needs a saved workflow: n8n counts nothing before',
			['1'],
			{ isAvailable: false },
		],
		[
			'n8n’s database fails',
			'storeUnreadable',
			'n8n could not look up what was already sent (',
			['1'],
			{ queries: 0 },
		],
		[
			'another node keeps the lock',
			'dailyLimitWithoutLock',
			'Daily Limit (This Node) needs the workflow lock',
			['1'],
			{ isLocked: false },
		],
	])('lets none pass if %s', async (_, code, message, amounts, given) => {
		const { daily } = limit(given);
		const rows = amounts.map((money, index) => paying(`${index}`, money));
		const error = await daily.aboveLimit(rows);
		expect(error?.code).toBe(code);
		expect(error?.message).toContain(message);
	});

	test('lets none pass if what was spent is not known', async () => {
		const items = new KillableItems();
		await reserved(items, '600');
		expect(await limit({ items, queries: 2 }).daily.aboveLimit([])).toMatchObject({
			code: 'storeUnreadable',
		});
		expect(await above(items, '1')).toMatch(/how much BOB was paid today is not known/);
	});

	test('reserves all rows or none, and none with an unknown amount', async () => {
		const items = new KillableItems();
		expect(await reserved(items, '600', '401')).toMatchObject({ code: 'aboveDailyLimit' });
		const rows = [paying('a', '600'), paying('b', undefined)];
		expect(await limit({ items }).daily.reserve(rows)).toMatchObject({ code: 'aboveDailyLimit' });
		expect(await above(items, '1000')).toBeUndefined();
		await expect(limit({ items, queries: 0 }).daily.reserve(rows)).rejects.toThrow();
	});

	test('counts what was released no more, once it is written', async () => {
		const items = new KillableItems();
		const { daily, turns } = limit({ items });
		await daily.flush();
		expect(turns.count).toBe(0);
		const rows = [paying('a', '600'), paying('b', '300')];
		await daily.reserve(rows);
		daily.release(rows[0].row);
		expect(await above(items, '101')).toBeDefined();
		await daily.flush();
		expect(turns.count).toBe(2);
		expect(await above(items, '700')).toBeUndefined();
		expect(await above(items, '700.01')).toBeDefined();
		await daily.flush();
		expect(turns.count).toBe(2);
	});

	test.each([
		[[true], 1, undefined],
		[[false, true], 2, undefined],
		[[false, false, true], 3, undefined],
		[[false, false, false, true], 3, 'dailyLimitWithoutLock'],
	])('with turns that were exclusive %j takes %i', async (exclusive, count, code) => {
		const { daily, turns } = limit({ exclusive });
		expect((await daily.aboveLimit([paying('a', '1')]))?.code).toBe(code);
		expect(turns.count).toBe(count);
	});

	test('asks once for a lock that another node keeps, and reserves nothing', async () => {
		const items = new KillableItems();
		const { daily, turns } = limit({ items, isLocked: false });
		expect(await daily.reserve([paying('a', '1')])).toMatchObject({
			code: 'dailyLimitWithoutLock',
		});
		expect(turns.count).toBe(1);
		expect(items.entries).toEqual([]);
	});
});
