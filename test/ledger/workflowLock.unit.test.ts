import fc from 'fast-check';

import type { LockedResult, StateContext } from '../../nodes/ledger/workflowLock';
import { runsOr, SEED } from '../random';
import { cycle, seeded } from '../simulation/clock';
import { UPTIME_MS, type Process } from '../simulation/process';
import { hash } from '../simulation/processedItems';
import { recordKeys, StateSimulation } from '../simulation/state';

const NODE = 'node-1';

const RUNS = runsOr(50);

/** Milliseconds of a query. Some take longer than a process may take to write while it takes the lock over. */
const latency = fc.oneof(
	{ weight: 15, arbitrary: fc.integer({ min: 1, max: 80 }) },
	{ weight: 1, arbitrary: fc.integer({ min: 80, max: 4_000 }) },
);

const entries = (count: number): string[] =>
	Array.from({ length: count }, (_, number) => `entry ${number}`);

/** Lets a process take the lock, and kills it while it holds it. */
async function killHolder(simulation: StateSimulation): Promise<void> {
	const { clock, database, lockRow } = simulation;
	const killed = simulation.newProcess();
	void recordKeys(simulation.ledger(NODE, killed), ['recorded by nobody']);
	while (!database.rows.has(lockRow)) {
		if (clock.now > 60_000) throw new Error('The process does not take the lock');
		await simulation.finish(clock.pause(1));
	}
	killed.kill();
}

/** Why the lock of a killed process can't be taken over. */
const TOO_SLOW = 'the database was too slow';

/** Until then a process that waits for a killed one from the start has taken the lock over once. */
const FIRST_TAKEOVER_MS = 63_000;

describe('the lock', () => {
	it('is released after each recording', async () => {
		const simulation = new StateSimulation();
		await simulation.finish(recordKeys(simulation.ledger(NODE), ['a']));
		expect([...simulation.database.rows.keys()]).toEqual([simulation.rowOf(NODE)]);
	});

	it('is taken over from a process that was killed', async () => {
		const simulation = new StateSimulation({ nextLatency: () => 5 });
		const { database, lockRow } = simulation;
		await killHolder(simulation);
		const ledger = simulation.ledger(NODE);
		expect(await simulation.finish(recordKeys(ledger, ['b']))).toEqual(new Set());
		expect(await simulation.finish(recordKeys(ledger, ['b']))).toEqual(new Set(['b']));
		expect(database.rows.has(lockRow)).toBe(false);
	});

	it.each([
		['some entries of n8n’s Remove Duplicates node', { mode: 'entries', data: ['x'] }],
		['as many entries as our lock has', { mode: 'entries', data: entries(100) }],
		['many entries', { mode: 'entries', data: entries(9_000) }],
		['the latest date of that node', { mode: 'latestDate', data: '2026-11-22' as never }],
	])('leaves a row with %s unchanged, and the store works without it', async (_, row) => {
		const simulation = new StateSimulation();
		const { database, lockRow } = simulation;
		database.rows.set(lockRow, structuredClone(row));
		const ledger = simulation.ledger(NODE);
		expect(await simulation.finish(recordKeys(ledger, ['a', 'b']))).toEqual(new Set());
		expect(await simulation.finish(recordKeys(ledger, ['b', 'c']))).toEqual(new Set(['b']));
		expect(database.rows.get(lockRow)).toEqual(row);
	});

	it('is not ours if another node uses its row: the store then restores entries that were overwritten', async () => {
		const simulation = new StateSimulation();
		const { database, lockRow } = simulation;
		database.rows.set(lockRow, { mode: 'entries', data: ['x'] });
		const ledger = simulation.ledger(NODE);
		await simulation.finish(recordKeys(ledger, ['a']));
		// Another process read the row before and writes it back.
		const [firstEntry] = database.rows.get(simulation.rowOf(NODE))?.data ?? [];
		database.rows.set(simulation.rowOf(NODE), { mode: 'entries', data: [firstEntry] });
		await simulation.finish(ledger.flush());
		expect(await simulation.finish(recordKeys(simulation.ledger(NODE), ['a']))).toEqual(
			new Set(['a']),
		);
	});

	test(
		`is known to be held alone, although other processes try to get it at the same moment (${RUNS} scenarios, seed ${SEED})`,
		async () => {
			const property = fc.asyncProperty(
				fc.array(fc.integer({ min: 0, max: 80 }), { minLength: 5, maxLength: 40 }),
				fc.integer({ min: 2, max: 5 }),
				fc.noBias(fc.integer()),
				async (latencies, count, seed) => {
					const simulation = new StateSimulation({ nextLatency: cycle(latencies), seed });
					const turns = Array.from({ length: count }, async () => {
						const process = simulation.newProcess();
						return await simulation.inTurn(process, async () => await process.pause(200));
					});
					const results = await simulation.finish(Promise.all(turns));
					expect(results.filter(({ wasExclusive }) => !wasExclusive)).toEqual([]);
				},
			);
			await fc.assert(property, { numRuns: RUNS, seed: SEED });
		},
		RUNS * 1_000 + 60_000,
	);

	it.each([
		['its work takes long', async () => {}],
		[
			'n8n’s database takes 40 s for a query',
			async ({ database }: StateSimulation, process: Process) => {
				const { nextLatency } = database;
				database.nextLatency = () => {
					database.nextLatency = nextLatency;
					return 40_000;
				};
				await database.query(process);
			},
		],
	])('is not released by a holder that was taken for a killed one, if %s', async (_, stall) => {
		const simulation = new StateSimulation({ nextLatency: () => 5 });
		const { clock, database, lockRow } = simulation;
		let holders: string[] = [];
		/** Holds the lock for so long, or until somebody else does. */
		const hold = (
			name: string,
			isDone: () => boolean,
			before?: (process: Process) => Promise<void>,
		) => {
			const process = simulation.newProcess();
			return simulation.inTurn(process, async () => {
				holders.push(name);
				await before?.(process);
				while (!isDone()) await process.pause(10);
				holders = holders.filter((one) => one !== name);
			});
		};
		const slow = hold(
			'slow',
			() => holders.includes('next'),
			async (process) => await stall(simulation, process),
		);
		await simulation.finish(clock.pause(100));
		let isReleased = false;
		const released = slow.then((result) => {
			isReleased = true;
			expect(database.rows.has(lockRow)).toBe(true);
			return result;
		});
		const next = hold('next', () => isReleased && clock.now > releasedAt + 5_000);
		let releasedAt = Infinity;
		void released.then(() => (releasedAt = clock.now));
		await simulation.finish(released);
		let mostBeside = 0;
		const last = hold('last', () => {
			mostBeside = Math.max(mostBeside, holders.length);
			return true;
		});
		const results = await simulation.finish(Promise.all([released, next, last]));

		expect(mostBeside).toBe(1);
		expect(results[0].wasExclusive).toBe(false);
		expect(results.map(({ wasLost }) => wasLost)).toEqual([true, false, false]);
		expect(database.rows.has(lockRow)).toBe(false);
	});

	test(
		`is not said to be held alone by two holders at once, even if n8n’s database stalls (${RUNS} scenarios, seed ${SEED})`,
		async () => {
			const stalling = fc.oneof(
				{ weight: 12, arbitrary: fc.integer({ min: 1, max: 80 }) },
				{ weight: 1, arbitrary: fc.integer({ min: 10_000, max: 40_000 }) },
			);
			const property = fc.asyncProperty(
				fc.array(stalling, { minLength: 5, maxLength: 60 }),
				fc.integer({ min: 2, max: 4 }),
				fc.noBias(fc.integer()),
				async (latencies, count, seed) => {
					const simulation = new StateSimulation({ nextLatency: cycle(latencies), seed });
					const { clock, database } = simulation;
					const turns = Array.from({ length: count }, async () => {
						const process = simulation.newProcess();
						const turn = { from: 0, to: 0 };
						const { wasExclusive } = await simulation.inTurn(process, async () => {
							turn.from = clock.now;
							await database.query(process);
							turn.to = clock.now;
						});
						return { ...turn, wasExclusive };
					});
					const results = await simulation.finish(Promise.allSettled(turns));
					const held = results.flatMap((result) => {
						if (result.status === 'fulfilled') return [result.value];
						expect((result.reason as Error).message).toBe(TOO_SLOW);
						return [];
					});
					for (const one of held) {
						const beside = held.filter(
							(other) => other !== one && other.from < one.to && one.from < other.to,
						);
						if (beside.length > 0) expect(one.wasExclusive).toBe(false);
					}
				},
			);
			await fc.assert(property, { numRuns: RUNS, seed: SEED });
		},
		RUNS * 1_000 + 60_000,
	);

	test(
		`loses nothing that was recorded, although n8n’s database stalls for up to 40 s and the lock is taken over (${RUNS} scenarios, seed ${SEED})`,
		async () => {
			const property = fc.asyncProperty(
				fc.array(fc.integer({ min: 1, max: 80 }), { minLength: 5, maxLength: 40 }),
				fc.array(fc.record({ query: fc.nat(60), ms: fc.integer({ min: 5_000, max: 40_000 }) }), {
					minLength: 1,
					maxLength: 3,
				}),
				fc.integer({ min: 2, max: 4 }),
				fc.noBias(fc.integer()),
				async (latencies, stalls, count, seed) => {
					const usual = cycle(latencies);
					let queries = 0;
					const nextLatency = () => {
						const number = queries++;
						return stalls.find(({ query }) => query === number)?.ms ?? usual();
					};
					const simulation = new StateSimulation({ nextLatency, seed });
					const recorded: string[] = [];
					const work = Array.from({ length: count }, async (_, index) => {
						const ledger = simulation.ledger(NODE);
						for (const key of [`first of ${index}`, `second of ${index}`]) {
							// What was not recorded is not sent.
							const isRecorded = await recordKeys(ledger, [key]).then(
								() => true,
								() => false,
							);
							if (isRecorded) recorded.push(key);
						}
						await ledger.flush().catch(() => undefined);
					});
					await simulation.finish(Promise.all(work));
					await simulation.untilIdle();
					simulation.database.nextLatency = () => 1;
					const known = await simulation.finish(recordKeys(simulation.ledger(NODE), recorded));
					expect(recorded.filter((key) => !known.has(key))).toEqual([]);
				},
			);
			await fc.assert(property, { numRuns: RUNS, seed: SEED });
		},
		RUNS * 1_000 + 60_000,
	);

	it('gives up, and nobody works without it, if no takeover is fast enough for ten minutes', async () => {
		const simulation = new StateSimulation({ nextLatency: cycle([20, 30]) });
		await killHolder(simulation);
		// Faster than a takeover has to be, but not two in a row.
		simulation.database.nextLatency = () => (simulation.clock.now < 59_000 ? 20 : 1_600);
		let works = 0;
		const work = Array.from({ length: 2 }, async () => {
			const process = simulation.newProcess();
			await simulation.withLock(process, async () => {
				await Promise.resolve(works++);
			});
		});
		const results = await simulation.finish(Promise.allSettled(work));
		const reasons = results.map((result) =>
			result.status === 'rejected' ? (result.reason as Error).message : result.status,
		);
		expect(reasons).toEqual([TOO_SLOW, TOO_SLOW]);
		expect(works).toBe(0);
	});

	test(
		`is never held by two processes that take it over at the same moment (${RUNS} scenarios, seed ${SEED})`,
		async () => {
			const property = fc.asyncProperty(
				fc.array(latency, { minLength: 5, maxLength: 40 }),
				fc.integer({ min: 2, max: 4 }),
				fc.integer({ min: 0, max: 500 }),
				async (latencies, count, holdingMs) => {
					const simulation = new StateSimulation({ nextLatency: cycle(latencies) });
					await killHolder(simulation);
					let holders = 0;
					let most = 0;
					let givenUp = 0;
					const hold = async (process: Process) => {
						most = Math.max(most, ++holders);
						await process.pause(holdingMs);
						holders--;
					};
					let numbers = 0;
					const later = seeded(1);
					// Nearly equal random numbers make all of them wait equally long and write equally many entries at the
					// first takeover. The difference is just enough for different UUIDs.
					const random = () =>
						simulation.clock.now < FIRST_TAKEOVER_MS ? 0.5 + ++numbers * 1e-9 : later();
					const work = Array.from({ length: count }, async () => {
						const process = simulation.newProcess(random);
						await simulation
							.withLock(process, async () => await hold(process))
							.catch((error: Error) => {
								expect(error.message).toBe(TOO_SLOW);
								givenUp++;
							});
					});
					await simulation.finish(Promise.all(work));
					expect(most).toBe(givenUp < count ? 1 : 0);
				},
			);
			await fc.assert(property, { numRuns: RUNS, seed: SEED });
		},
		RUNS * 1_000 + 60_000,
	);
});

/** A row as a holder leaves it that was killed. */
const rowOfKilled = (count: number) => ({
	mode: 'entries',
	data: [hash('partnerPayments:lock'), ...entries(count - 1)],
});

/** One use of the lock: what its holder got and when, and what it returned. */
interface Use {
	isLocked?: boolean;
	deadline?: number;
	heldAt: number;
	result: Promise<LockedResult<void>>;
}

/** Uses the lock. A call of n8n's helpers may throw first. */
function use(
	simulation: StateSimulation,
	process: Process,
	work: () => Promise<void> = async () => {},
	beforeCall: (helper: string) => void = () => {},
): Use {
	const { clock, database } = simulation;
	const workflow = { ...database.workflow };
	const helpers = Object.entries(database.helpersOf(process, { id: NODE } as never, workflow)).map(
		([name, call]) => [
			name,
			async (...values: never[]): Promise<unknown> => {
				beforeCall(name);
				return await (call as (...all: never[]) => Promise<unknown>)(...values);
			},
		],
	);
	const context = { getWorkflow: () => workflow, helpers: Object.fromEntries(helpers) as never };
	const one: Partial<Use> = { heldAt: Infinity };
	one.result = process.package.withWorkflowLock(context as StateContext, async (deadline) => {
		Object.assign(one, { isLocked: deadline !== undefined, deadline, heldAt: clock.now });
		await work();
	});
	one.result.catch(() => undefined);
	return one as Use;
}

/** Lets n8n's helper fail at these calls, counted from 1. */
function failingAt(helper: string, isFailing: (number: number) => boolean): (name: string) => void {
	let number = 0;
	return (name) => {
		if (name === helper && isFailing(++number)) throw new Error(`call ${number} failed`);
	};
}

describe('a slow holder', () => {
	it.each([
		[5_000, true],
		[19_999, true],
		[20_000, false],
		[40_000, false],
		[70_000, false],
	])(
		'of %d ms has not lost the lock if nobody else wants it, and may release it: %j',
		async (ms, isReleased) => {
			const simulation = new StateSimulation();
			const process = simulation.newProcess();
			const { result } = use(simulation, process, async () => await process.pause(ms));

			expect(await simulation.finish(result)).toEqual({
				value: undefined,
				wasExclusive: isReleased,
				wasLost: false,
			});
			expect(simulation.database.rows.has(simulation.lockRow)).toBe(!isReleased);
		},
	);

	it.each([
		[59_999, false],
		[60_000, true],
	])('of %d ms whose row is gone has lost the lock: %j', async (ms, wasLost) => {
		const simulation = new StateSimulation();
		const process = simulation.newProcess();
		const { result } = use(simulation, process, async () => {
			simulation.database.rows.delete(simulation.lockRow);
			await process.pause(ms);
		});

		expect(await simulation.finish(result)).toMatchObject({ wasExclusive: false, wasLost });
	});

	it('begins no write after 20 s', async () => {
		const simulation = new StateSimulation();
		await simulation.finish(simulation.clock.pause(7_000));
		const one = use(simulation, simulation.newProcess());
		await simulation.finish(one.result);

		expect((one.deadline ?? 0) % UPTIME_MS).toBe(27_000);
	});

	it('leaves the row of another holder, which has fewer entries', async () => {
		const simulation = new StateSimulation();
		const { database, lockRow } = simulation;
		const process = simulation.newProcess(() => 0.5);
		const other = rowOfKilled(40);
		const { result } = use(simulation, process, async () => {
			database.rows.set(lockRow, other);
			await process.pause(10);
		});

		expect(await simulation.finish(result)).toMatchObject({ wasExclusive: false });
		expect(database.rows.get(lockRow)).toEqual(other);
	});

	it.each([
		[2_999, true],
		[3_000, false],
	])(
		'of %d ms knows that entries in its row come from its creation, and not from a takeover: %j',
		async (ms, wasExclusive) => {
			const simulation = new StateSimulation();
			const { database, lockRow } = simulation;
			const process = simulation.newProcess();
			const { result } = use(simulation, process, async () => {
				database.rows.get(lockRow)?.data.push(...entries(50));
				await process.pause(ms);
			});

			expect(await simulation.finish(result)).toMatchObject({ wasExclusive, wasLost: false });
			expect(database.rows.has(lockRow)).toBe(false);
		},
	);

	it('does not take a larger row for its own if its name is not in it', async () => {
		const simulation = new StateSimulation();
		const process = simulation.newProcess(() => 0);
		const { result } = use(simulation, process, async () => {
			simulation.database.rows.set(simulation.lockRow, rowOfKilled(100));
			await process.pause(10);
		});

		expect(await simulation.finish(result)).toMatchObject({ wasExclusive: false });
	});
});

describe('the row of the lock', () => {
	it.each([
		[0, 40],
		[1 - 2 ** -30, 239],
	])('gets, with the random number %d, %d entries', async (random, count) => {
		const simulation = new StateSimulation();
		const { database, lockRow } = simulation;
		let written = 0;
		const { result } = use(
			simulation,
			simulation.newProcess(() => random),
			async () => {
				written = database.rows.get(lockRow)?.data.length ?? 0;
				await Promise.resolve();
			},
		);
		await simulation.finish(result);

		expect(written).toBe(count);
	});

	it.each([
		[39, false],
		[40, true],
		[5_000, true],
		[5_001, false],
	])('of %d entries can be taken over: %j', async (count, isLocked) => {
		const simulation = new StateSimulation();
		simulation.database.rows.set(simulation.lockRow, rowOfKilled(count));
		const one = use(simulation, simulation.newProcess());
		await simulation.finish(one.result);

		expect(one.isLocked).toBe(isLocked);
	});

	it('that n8n keeps in another mode is no lock', async () => {
		const simulation = new StateSimulation();
		const row = { mode: 'latestDate', data: '2026-11-22' as never };
		simulation.database.rows.set(simulation.lockRow, row);
		// n8n counts it as empty.
		const one = use(simulation, simulation.newProcess());

		expect(await simulation.finish(one.result)).toMatchObject({ wasExclusive: false });
		expect(one.isLocked).toBe(false);
	});
});

describe('a takeover', () => {
	/** Does something before a process writes into a row for the first time. */
	const beforeWriting = (act: () => void) => {
		let isFirst = true;
		return (helper: string) => {
			if (helper !== 'checkProcessedAndRecord' || !isFirst) return;
			isFirst = false;
			act();
		};
	};

	/** Takes the lock over from a killed holder, from 100 s on. */
	async function takeOver(
		random: () => number,
		beforeCall?: (helper: string) => void,
		simulation = new StateSimulation(),
	): Promise<Use & { wasExclusive: boolean; after: number }> {
		simulation.database.rows.set(simulation.lockRow, rowOfKilled(100));
		await simulation.finish(simulation.clock.pause(100_000));
		const one = use(simulation, simulation.newProcess(random), undefined, beforeCall);
		const { wasExclusive, wasLost } = await simulation.finish(one.result);
		expect([one.isLocked, wasLost]).toEqual([true, false]);
		expect(simulation.database.rows.has(simulation.lockRow)).toBe(false);
		return { ...one, wasExclusive, after: one.heldAt - 100_000 };
	}

	it.each([
		[0, 63_000],
		[1 - 2 ** -30, 66_000],
	])(
		'ends, with the random number %d, %d ms after the killed holder was first seen',
		async (random, ms) => {
			const { after, wasExclusive } = await takeOver(() => random);

			expect(after).toBeGreaterThanOrEqual(ms);
			expect(after).toBeLessThan(ms + 1_500);
			// The holder before may live after all, and write.
			expect(wasExclusive).toBe(false);
		},
	);

	it.each([
		['it cannot write', 1],
		['it cannot read whether it succeeded', 2],
	])('waits for as long again if %s', async (_, call) => {
		const { after } = await takeOver(
			seeded(1),
			failingAt('checkProcessedAndRecord', (number) => number === call),
		);

		expect(after).toBeGreaterThanOrEqual(120_000);
		expect(after).toBeLessThan(140_000);
	});

	it.each([
		[3_000, 63_000],
		[3_001, 123_000],
	])('whose write takes %d ms ends after %d ms', async (ms, from) => {
		const simulation = new StateSimulation();
		const { database } = simulation;
		database.onStatement = (statement) => {
			if (!statement.startsWith('UPDATE')) return;
			database.onStatement = undefined;
			database.nextLatency = () => {
				database.nextLatency = () => 0;
				return ms;
			};
		};
		const { after } = await takeOver(seeded(1), undefined, simulation);

		expect(after).toBeGreaterThanOrEqual(from);
		expect(after).toBeLessThan(from + 15_000);
	});

	it('also succeeds if the row is removed a moment before', async () => {
		const simulation = new StateSimulation();
		const remove = beforeWriting(() => simulation.database.rows.delete(simulation.lockRow));
		const { after } = await takeOver(seeded(1), remove, simulation);

		expect(after).toBeLessThan(70_000);
	});

	it('leaves a row of another node as it is that was created a moment before', async () => {
		const simulation = new StateSimulation();
		const { database, lockRow } = simulation;
		database.rows.set(lockRow, rowOfKilled(100));
		const foreign = { mode: 'entries', data: entries(100) };
		const one = use(
			simulation,
			simulation.newProcess(),
			undefined,
			beforeWriting(() => database.rows.set(lockRow, structuredClone(foreign))),
		);
		await simulation.finish(one.result);

		expect(one.isLocked).toBe(false);
		expect(database.rows.get(lockRow)).toEqual(foreign);
	});

	it('is asked for often at first, and once a second at the end', async () => {
		const asked: number[] = [];
		const simulation = new StateSimulation();
		await takeOver(
			() => 0.5,
			() => asked.push(simulation.clock.now - 100_000),
			simulation,
		);
		const between = (from: number, to: number) =>
			asked.filter((at) => at >= from && at < to).length;

		expect(between(0, 1_000)).toBeGreaterThan(10);
		expect(between(1_000, 60_000)).toBeLessThan(110);
		expect(between(30_000, 60_000)).toBeGreaterThanOrEqual(29);
	});
});

describe('n8n’s database', () => {
	it('counts as broken after 20 failures to create the row', async () => {
		const simulation = new StateSimulation();
		const fail = failingAt('checkProcessedAndRecord', () => true);
		const { result } = use(simulation, simulation.newProcess(), undefined, fail);

		await expect(simulation.finish(result)).rejects.toThrow('call 20 failed');
	});

	it('may fail 19 times', async () => {
		const simulation = new StateSimulation();
		const fail = failingAt('checkProcessedAndRecord', (number) => number < 20);
		const one = use(simulation, simulation.newProcess(), undefined, fail);

		expect(await simulation.finish(one.result)).toMatchObject({ wasExclusive: true });
	});

	it('may fail to release the lock: the next one takes it over', async () => {
		const simulation = new StateSimulation();
		const fail = failingAt('clearAllProcessedItems', () => true);
		const first = use(simulation, simulation.newProcess(), undefined, fail);
		const next = use(simulation, simulation.newProcess());

		expect(await simulation.finish(first.result)).toMatchObject({ wasExclusive: false });
		await simulation.finish(next.result);
		expect(next.heldAt).toBeGreaterThan(60_000);
	});
});

it('gives up after ten minutes in which the holders changed, and works without the lock', async () => {
	const simulation = new StateSimulation();
	const { clock, database, lockRow } = simulation;
	await simulation.finish(clock.pause(100_000));
	let count = 100;
	const change = () => {
		database.rows.set(lockRow, rowOfKilled(count++));
		clock.in(30_000, change);
	};
	change();
	const one = use(simulation, simulation.newProcess());
	await simulation.finish(one.result);

	expect(one.isLocked).toBe(false);
	expect(one.heldAt).toBeGreaterThanOrEqual(700_000);
	expect(one.heldAt).toBeLessThan(702_000);
});

describe('in one process', () => {
	it('the next one gets the lock, although the one before threw', async () => {
		const simulation = new StateSimulation();
		const process = simulation.newProcess();
		const thrown = use(simulation, process, async () => {
			await Promise.reject(new Error('the work failed'));
		});
		const next = use(simulation, process);

		await expect(simulation.finish(thrown.result)).rejects.toThrow('the work failed');
		expect(await simulation.finish(next.result)).toMatchObject({ wasExclusive: true });
		expect(next.heldAt).toBeLessThan(100);
	});

	it('only one at a time works beside a foreign row, whenever they come', async () => {
		const simulation = new StateSimulation();
		simulation.database.rows.set(simulation.lockRow, { mode: 'entries', data: ['x'] });
		const process = simulation.newProcess();
		let working = 0;
		let most = 0;
		const work = async () => {
			most = Math.max(most, ++working);
			await process.pause(100);
			working--;
		};
		const uses: Use[] = [];
		// The third comes when the first has gone and the second works.
		for (const wait of [0, 0, 150, 100]) {
			await simulation.finish(process.pause(wait));
			uses.push(use(simulation, process, work));
		}
		const results = await simulation.finish(Promise.all(uses.map(({ result }) => result)));

		expect(most).toBe(1);
		expect(results.map(({ wasExclusive }) => wasExclusive)).toEqual([false, false, false, false]);
		expect(uses.map(({ isLocked }) => isLocked)).toEqual(uses.map(() => false));
	});

	it('a foreign row is asked for again after 5 minutes, and not before', async () => {
		const simulation = new StateSimulation();
		const { clock, database, lockRow } = simulation;
		database.rows.set(lockRow, { mode: 'entries', data: ['x'] });
		const process = simulation.newProcess();
		const isLockedNow = async (): Promise<boolean | undefined> => {
			const one = use(simulation, process);
			await simulation.finish(one.result);
			return one.isLocked;
		};
		await simulation.finish(clock.pause(1_000));
		expect(await isLockedNow()).toBe(false);
		database.rows.delete(lockRow);
		expect(await isLockedNow()).toBe(false);
		await simulation.finish(clock.pause(299_000));
		expect(await isLockedNow()).toBe(false);
		await simulation.finish(clock.pause(1_001));
		expect(await isLockedNow()).toBe(true);
		expect(await isLockedNow()).toBe(true);
	});

	it('another workflow neither waits nor does without the lock', async () => {
		const simulation = new StateSimulation();
		const { database } = simulation;
		const process = simulation.newProcess();
		const first = use(simulation, process, async () => await process.pause(10_000));
		database.workflow.id = 'another';
		const second = use(simulation, process);
		await simulation.finish(Promise.all([first.result, second.result]));
		expect(second.heldAt).toBeLessThan(1_000);

		database.rows.set(simulation.lockRow, { mode: 'entries', data: ['x'] });
		const unlocked = use(simulation, process);
		database.workflow.id = 'a third';
		const third = use(simulation, process);
		await simulation.finish(Promise.all([unlocked.result, third.result]));
		const fourth = use(simulation, process);
		await simulation.finish(fourth.result);
		expect([unlocked, third, fourth].map(({ isLocked }) => isLocked)).toEqual([false, true, true]);
	});
});
