import fc from 'fast-check';

import { runsOr, SEED } from '../random';
import { cycle } from '../simulation/clock';
import { StateSimulation } from '../simulation/state';

const NODE = 'node-1';

const RUNS = runsOr(300);

const PROCESSES = 3;

/** An execution of the node: it records its references in chunks and sends those that are new. */
const execution = fc.record({
	startsAt: fc.integer({ min: 0, max: 5_000 }),
	process: fc.nat(PROCESSES - 1),
	references: fc.uniqueArray(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 12 }),
	chunkSize: fc.integer({ min: 1, max: 6 }),
	/** Milliseconds that it takes to send a chunk. */
	sendingMs: fc.integer({ min: 0, max: 400 }),
});

const scenario = fc.record({
	executions: fc.array(execution, { minLength: 1, maxLength: 14 }),
	latencies: fc.array(fc.integer({ min: 0, max: 80 }), { minLength: 5, maxLength: 40 }),
	/** The moments at which processes are killed. The other processes go on. */
	kills: fc.array(
		fc.record({ process: fc.nat(PROCESSES - 1), at: fc.integer({ min: 0, max: 8_000 }) }),
		{ maxLength: 2 },
	),
	/** The seed of everything random in the package. */
	seed: fc.noBias(fc.integer()),
});

type Scenario = typeof scenario extends fc.Arbitrary<infer One> ? One : never;

/** Runs a scenario and gives the references that its executions sent. */
async function sentIn({ executions, latencies, kills, seed }: Scenario): Promise<string[]> {
	const simulation = new StateSimulation({ nextLatency: cycle(latencies), seed });
	const processes = Array.from({ length: PROCESSES }, () => simulation.newProcess());
	const sent: string[] = [];
	const errors: unknown[] = [];

	const run = async (one: Scenario['executions'][number]) => {
		const process = processes[one.process];
		await process.pause(one.startsAt);
		const store = simulation.store(NODE, process);
		for (let from = 0; from < one.references.length; from += one.chunkSize) {
			const chunk = one.references.slice(from, from + one.chunkSize).map(String);
			const known = await store.record(chunk);
			sent.push(...chunk.filter((reference) => !known.has(reference)));
			await process.pause(one.sendingMs);
		}
		await store.flush();
	};
	for (const { process, at } of kills) simulation.clock.in(at, () => processes[process].kill());
	for (const one of executions) run(one).catch((error: unknown) => errors.push(error));
	await simulation.untilIdle();
	expect(errors).toEqual([]);
	return sent;
}

test(
	`no reference is sent twice, whichever executions run together and are killed (${RUNS} scenarios, seed ${SEED})`,
	async () => {
		await fc.assert(
			fc.asyncProperty(scenario, async (one) => {
				const sent = await sentIn(one);
				expect(sent.filter((reference, index) => sent.indexOf(reference) !== index)).toEqual([]);
			}),
			{ numRuns: RUNS, seed: SEED },
		);
	},
	RUNS * 1_000 + 60_000,
);

const entries = (count: number): string[] =>
	Array.from({ length: count }, (_, number) => `entry ${number}`);

/** A simulation whose node already has a row of processed items. */
function simulationWith(data: string[]): StateSimulation {
	const simulation = new StateSimulation();
	simulation.database.rows.set(simulation.rowOf(NODE), { mode: 'entries', data });
	return simulation;
}

/** A simulation in which n8n's Remove Duplicates node uses the row that is the lock otherwise. */
function simulationWithoutLock(): StateSimulation {
	const simulation = new StateSimulation();
	simulation.database.rows.set(simulation.lockRow, { mode: 'entries', data: ['x'] });
	return simulation;
}

/** The entries in the row of the node. */
const storedIn = (simulation: StateSimulation): string[] | undefined =>
	simulation.database.rows.get(simulation.rowOf(NODE))?.data;

/** Counts the statements that reach the database from now on. */
function countStatements({ database }: StateSimulation): () => number {
	let count = 0;
	database.onStatement = () => count++;
	return () => count;
}

describe('the idempotency store', () => {
	it('looks references up without recording them', async () => {
		const simulation = new StateSimulation();
		const store = simulation.store(NODE);
		await simulation.finish(store.record(['a']));
		expect(await simulation.finish(store.lookUp(['a', 'b']))).toEqual(new Set(['a']));
		expect(await simulation.finish(store.lookUp(['b']))).toEqual(new Set());
	});

	it('removes references with the next recording or at the end', async () => {
		const simulation = new StateSimulation();
		const store = simulation.store(NODE);
		await simulation.finish(store.record(['a', 'b', 'c']));
		store.forget('a');
		expect(await simulation.finish(store.record(['a']))).toEqual(new Set());
		store.forget('b');
		await simulation.finish(store.flush());
		expect(await simulation.finish(store.lookUp(['a', 'b', 'c']))).toEqual(new Set(['a', 'c']));
	});

	it('does not restore a reference that another execution recorded and has removed', async () => {
		// Without the lock no execution knows that it was alone, so each records its references again.
		const simulation = simulationWithoutLock();
		const own = simulation.store(NODE);
		const other = simulation.store(NODE);
		await simulation.finish(own.record(['a']));
		expect(await simulation.finish(other.record(['a', 'b']))).toEqual(new Set(['a']));
		own.forget('a');
		await simulation.finish(own.flush());
		await simulation.finish(other.flush());
		const known = await simulation.finish(simulation.store(NODE).lookUp(['a', 'b']));
		expect(known).toEqual(new Set(['b']));
	});

	it('keeps a reference that was paid again if the execution that recorded it first has not sent it', async () => {
		const simulation = new StateSimulation();
		const [own, other] = [simulation.store(NODE), simulation.store(NODE)];
		await simulation.finish(other.record(['a', 'b']));
		expect(await simulation.finish(own.record(['a', 'b']))).toEqual(new Set(['a', 'b']));
		await simulation.finish(own.recordAgain(['a']));
		for (const reference of ['a', 'b']) other.forget(reference);
		await simulation.finish(other.flush());
		const known = await simulation.finish(simulation.store(NODE).lookUp(['a', 'b']));
		expect(known).toEqual(new Set(['a']));
		// The row has the reference and its marks, and nothing else.
		expect(storedIn(simulation)).toHaveLength(4);
	});

	it.each([
		[0, 80],
		[20_000, 80],
		[50_000, 240],
		[100_000, 400],
	])('stores %d references in chunks of %d', async (size, chunkSize) => {
		const simulation = simulationWith(entries(size));
		const store = simulation.store(NODE);
		expect(store.chunkSize).toBe(80);
		await simulation.finish(store.lookUp(['a']));
		expect(store.chunkSize).toBe(chunkSize);
	});

	it.each(['', undefined])('is not available if the workflow’s ID is %j', async (id) => {
		const simulation = new StateSimulation();
		Object.assign(simulation.database.workflow, { id });
		const count = countStatements(simulation);
		const store = simulation.store(NODE);
		expect(store.isAvailable).toBe(false);
		expect(await simulation.finish(store.record(['a']))).toEqual(new Set());
		expect(await simulation.finish(store.lookUp(['a']))).toEqual(new Set());
		await simulation.finish(store.recordAgain(['a']));
		store.forget('a');
		await simulation.finish(store.flush());
		expect(count()).toBe(0);
	});

	it('is available if the workflow was saved', () => {
		expect(new StateSimulation().store(NODE).isAvailable).toBe(true);
	});

	it('sends no query to pay no references again, and none to flush nothing', async () => {
		const simulation = new StateSimulation();
		const count = countStatements(simulation);
		const store = simulation.store(NODE);
		await simulation.finish(store.recordAgain([]));
		await simulation.finish(store.flush());
		expect(count()).toBe(0);
	});

	it('looks references up with one query if it is empty, and with the same queries for a whole chunk', async () => {
		const statements = async (size: number, references: number) => {
			const simulation = size > 0 ? simulationWith(entries(size)) : new StateSimulation();
			const count = countStatements(simulation);
			await simulation.finish(simulation.store(NODE).lookUp(entries(references)));
			return count();
		};
		expect(await statements(0, 80)).toBe(1);
		expect(await statements(1, 79)).toBeGreaterThan(1);
		expect(await statements(1, 80)).toBe(await statements(1, 79));
	});

	it('restores only its own references and their marks after they may have been overwritten', async () => {
		const simulation = simulationWithoutLock();
		const store = simulation.store(NODE);
		await simulation.finish(store.record(['a']));
		await simulation.finish(store.recordAgain(['b']));
		await simulation.finish(store.lookUp(['c']));
		await simulation.finish(store.flush());
		// The row has the first reference, and the second with its marks.
		expect(storedIn(simulation)).toHaveLength(5);
	});

	it('keeps the references of different accounts apart', async () => {
		const simulation = new StateSimulation();
		const process = simulation.newProcess();
		const [first, second] = ['account 1', 'account 2'].map((account) =>
			simulation.store(NODE, process, account),
		);
		await simulation.finish(first.record(['a']));
		expect(await simulation.finish(second.record(['a']))).toEqual(new Set());
	});

	it('reports how many of the oldest entries it dropped', async () => {
		const data = entries(99_999);
		const simulation = simulationWith(data);
		const store = simulation.store(NODE);
		await simulation.finish(store.lookUp(['a', 'b', 'c']));
		expect(storedIn(simulation)).toEqual(data);
		await simulation.finish(store.record(['a', 'b', 'c']));
		// It drops nothing before the end, because the batch may still ask for the oldest.
		expect(storedIn(simulation)).toHaveLength(100_002);
		await simulation.finish(store.flush());
		expect(store.dropped).toBe(2);
		expect(storedIn(simulation)).toHaveLength(100_000);
		expect(storedIn(simulation)?.[0]).toBe('entry 2');
	});

	it.each([
		[['a', 'b'], 0],
		[['a', 'b', 'c'], 1],
	])('records %j, removes one of them and drops %d', async (references, dropped) => {
		const simulation = simulationWith(entries(99_999));
		const store = simulation.store(NODE);
		await simulation.finish(store.record(references));
		store.forget('a');
		await simulation.finish(store.flush());
		expect(store.dropped).toBe(dropped);
		expect(storedIn(simulation)).toHaveLength(100_000);
	});

	it('counts neither known nor removed references as added', async () => {
		const simulation = simulationWith(entries(99_998));
		await simulation.finish(simulation.store(NODE).record(['a']));
		const store = simulation.store(NODE);
		await simulation.finish(store.record(['a', 'b', 'c']));
		store.forget('b');
		await simulation.finish(store.record(['d']));
		await simulation.finish(store.flush());
		expect(store.dropped).toBe(1);
		expect(storedIn(simulation)).toHaveLength(100_000);
	});

	it('restores what was overwritten even if it removes as many references', async () => {
		const simulation = simulationWithoutLock();
		const store = simulation.store(NODE);
		await simulation.finish(store.record(['a', 'b']));
		store.forget('b');
		simulation.database.rows.set(simulation.rowOf(NODE), { mode: 'entries', data: [] });
		await simulation.finish(store.flush());
		const known = await simulation.finish(simulation.store(NODE).lookUp(['a', 'b']));
		expect(known).toEqual(new Set(['a']));
	});

	it('fails if it cannot write, and then knows no reference', async () => {
		const simulation = new StateSimulation();
		const { rows } = simulation.database;
		const store = simulation.store(NODE);
		const { set } = rows;
		rows.set = () => {
			throw new Error('database or disk is full');
		};
		await expect(simulation.finish(store.record(['a']))).rejects.toThrow('disk is full');
		rows.set = set;
		expect(await simulation.finish(store.record(['a']))).toEqual(new Set());
	});

	describe('if a removal fails after it has asked for a mark', () => {
		/** A store that has to remove `a`, which was not sent, and could not. */
		async function interrupted(failures: number) {
			const simulation = new StateSimulation();
			const { rows } = simulation.database;
			const store = simulation.store(NODE);
			await simulation.finish(store.record(['a']));
			store.forget('a');
			const { set } = rows;
			for (let attempt = 0; attempt < failures; attempt++) {
				let writes = 0;
				rows.set = function (key, row) {
					// The writes are the lock, the mark of what was paid again, and the removal.
					if (++writes === 3) throw new Error('database is locked');
					return set.call(this, key, row);
				};
				await expect(simulation.finish(store.flush())).rejects.toThrow('database is locked');
				rows.set = set;
			}
			return { simulation, store };
		}

		it.each([1, 2])('removes the reference at the next attempt (%d failed)', async (failures) => {
			const { simulation, store } = await interrupted(failures);
			await simulation.finish(store.flush());
			expect(await simulation.finish(simulation.store(NODE).record(['a']))).toEqual(new Set());
		});

		it.each([1, 2, 3])(
			'keeps a reference that was paid again meanwhile (%d failed)',
			async (failures) => {
				const { simulation, store } = await interrupted(failures);
				await simulation.finish(simulation.store(NODE).recordAgain(['a']));
				await simulation.finish(store.flush());
				const known = await simulation.finish(simulation.store(NODE).record(['a']));
				expect(known).toEqual(new Set(['a']));
			},
		);
	});

	it('keeps a reference that another execution pays again while a second attempt undoes a look-up', async () => {
		const simulation = new StateSimulation();
		const { rows } = simulation.database;
		const other = simulation.store(NODE);
		const { set } = rows;
		let writes = 0;
		let paidAgain: Promise<void> | undefined;
		await simulation.finish(other.record(['b']));
		rows.set = function (key, row) {
			// The writes are the lock, the reference, its mark, and the removal.
			if (++writes !== 4) return set.call(this, key, row);
			rows.set = set;
			paidAgain = other.recordAgain(['a']);
			throw new Error('database is locked');
		};
		const known = await simulation.finish(simulation.store(NODE).lookUp(['a']));
		await simulation.finish(paidAgain ?? Promise.reject(new Error('Nothing failed')));
		expect(known).toEqual(new Set());
		expect(await simulation.finish(simulation.store(NODE).record(['a']))).toEqual(new Set(['a']));
	});

	it('records no reference of a look-up that needed a second attempt', async () => {
		const simulation = new StateSimulation();
		const { rows } = simulation.database;
		const store = simulation.store(NODE);
		await simulation.finish(store.record(['a']));
		const { set } = rows;
		let writes = 0;
		rows.set = function (key, row) {
			// The writes are the lock, the references, and what removes them again.
			if (++writes === 3) throw new Error('database is locked');
			return set.call(this, key, row);
		};
		expect(await simulation.finish(store.lookUp(['a', 'b']))).toEqual(new Set(['a']));
		expect(await simulation.finish(store.record(['b']))).toEqual(new Set());
	});
});
