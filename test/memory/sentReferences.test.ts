import fc from 'fast-check';

import { runsOr, SEED } from '../random';
import { Database, finish, pause, Process } from './processes';

const NODE = 'node-1';
const lockRow = ({ workflow }: Database) => `${workflow.id} `;
const nodeRow = ({ workflow }: Database) => `${workflow.id} n:${NODE}`;

const RUNS = runsOr(300);

beforeEach(() => {
	jest.useFakeTimers();
});
afterEach(() => {
	jest.useRealTimers();
});

/** One execution of the node: when it starts, in which process, and which references it wants to send. */
const execution = fc.record({
	at: fc.integer({ min: 0, max: 5_000 }),
	process: fc.nat(2),
	references: fc.uniqueArray(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 12 }),
	chunk: fc.integer({ min: 1, max: 6 }),
	/** Time between two chunks, in which it sends. */
	sends: fc.integer({ min: 0, max: 400 }),
});

const world = fc.record({
	executions: fc.array(execution, { minLength: 1, maxLength: 14 }),
	latencies: fc.array(fc.integer({ min: 0, max: 80 }), { minLength: 5, maxLength: 40 }),
	/** When a process is killed; the others go on. */
	kills: fc.array(fc.record({ process: fc.nat(2), at: fc.integer({ min: 0, max: 8_000 }) }), {
		maxLength: 2,
	}),
});

type World = typeof world extends fc.Arbitrary<infer One> ? One : never;

/** Runs a world. */
async function happen({ executions, latencies, kills }: World) {
	let query = 0;
	const database = new Database(() => latencies[query++ % latencies.length]);
	const processes = [0, 1, 2].map((number) => new Process(database, number));
	const sent: string[] = [];

	const run = async (one: World['executions'][number]) => {
		await pause(one.at);
		const runner = processes[one.process];
		await runner.orNever();
		const memory = runner.memoryOf(NODE);
		for (let from = 0; from < one.references.length; from += one.chunk) {
			const chunk = one.references.slice(from, from + one.chunk).map(String);
			const known = await memory.record(chunk);
			for (const reference of chunk) {
				await runner.orNever();
				if (!known.has(reference)) sent.push(reference);
			}
			await pause(one.sends);
		}
		await memory.flush();
	};
	const killing = kills.map(async ({ process: number, at }) => {
		await pause(at);
		processes[number].kill();
	});
	await finish(Promise.all([...executions.map(run), ...killing]));
	return { database, sent };
}

test(
	`a reference is cleared for sending once, whatever comes together and whoever is killed (${RUNS} scenarios, seed ${SEED})`,
	async () => {
		await fc.assert(
			fc.asyncProperty(world, async (one) => {
				const { sent } = await happen(one);
				expect(sent.filter((reference, index) => sent.indexOf(reference) !== index)).toEqual([]);
			}),
			{ numRuns: RUNS, seed: SEED },
		);
	},
	RUNS * 1_000 + 60_000,
);

describe('the row of the workflow', () => {
	it('is gone when nobody has a turn', async () => {
		const database = new Database();
		const memory = new Process(database).memoryOf(NODE);
		await finish(memory.record(['a']));
		expect([...database.rows.keys()]).toEqual([nodeRow(database)]);
	});

	it('of a holder that was killed is taken over after a while', async () => {
		const database = new Database(() => 5);
		const killed = new Process(database);
		void killed.memoryOf(NODE).record(['a']);
		while (!database.rows.has(lockRow(database))) await jest.advanceTimersByTimeAsync(1);
		killed.kill();

		const memory = new Process(database, 1).memoryOf(NODE);
		expect(await finish(memory.record(['b']))).toEqual(new Set());
		expect(await finish(memory.record(['b']))).toEqual(new Set(['b']));
		expect(database.rows.has(lockRow(database))).toBe(false);
	});

	it.each([
		['entries of n8n’s Remove Duplicates node', { mode: 'entries', data: ['x'] }],
		['as many entries as a turn of ours', { mode: 'entries', data: entries(100) }],
		['many entries', { mode: 'entries', data: entries(9_000) }],
		['the latest date of that node', { mode: 'latestDate', data: '2026-11-22' as never }],
	])('that holds %s stays as it is, and the memory works all the same', async (_, row) => {
		const database = new Database();
		database.rows.set(lockRow(database), structuredClone(row));
		const memory = new Process(database).memoryOf(NODE);
		expect(await finish(memory.record(['a', 'b']))).toEqual(new Set());
		expect(await finish(memory.record(['b', 'c']))).toEqual(new Set(['b']));
		expect(database.rows.get(lockRow(database))).toEqual(row);
	});

	it('that is somebody else’s lets what was overwritten be written again', async () => {
		const database = new Database();
		database.rows.set(lockRow(database), { mode: 'entries', data: ['x'] });
		const memory = new Process(database).memoryOf(NODE);
		await finish(memory.record(['a']));
		// Another process, which had read the row before, writes it back.
		database.rows.set(nodeRow(database), { mode: 'entries', data: [] });
		await finish(memory.flush());
		expect(await finish(new Process(database).memoryOf(NODE).record(['a']))).toEqual(
			new Set(['a']),
		);
	});
});

function entries(count: number): string[] {
	return Array.from({ length: count }, (_, number) => `entry ${number}`);
}

describe('the memory', () => {
	it('asks without remembering', async () => {
		const memory = new Process(new Database()).memoryOf(NODE);
		await finish(memory.record(['a']));
		expect(await finish(memory.lookUp(['a', 'b']))).toEqual(new Set(['a']));
		expect(await finish(memory.lookUp(['b']))).toEqual(new Set());
	});

	it('forgets what it is told to, with the next recording or at the end', async () => {
		const memory = new Process(new Database()).memoryOf(NODE);
		await finish(memory.record(['a', 'b', 'c']));
		memory.forget('a');
		expect(await finish(memory.record(['a']))).toEqual(new Set());
		memory.forget('b');
		await finish(memory.flush());
		expect(await finish(memory.lookUp(['a', 'b', 'c']))).toEqual(new Set(['a', 'c']));
	});

	it('does not write down again what another execution has recorded, and forgotten since', async () => {
		const database = new Database();
		// Somebody else's, so nobody is sure to have been alone, and writes what it recorded once more.
		database.rows.set(lockRow(database), { mode: 'entries', data: ['x'] });
		const own = new Process(database, 0).memoryOf(NODE);
		const other = new Process(database, 1).memoryOf(NODE);
		await finish(own.record(['a']));
		expect(await finish(other.record(['a', 'b']))).toEqual(new Set(['a']));
		own.forget('a');
		await finish(own.flush());
		await finish(other.flush());
		const known = await finish(new Process(database, 2).memoryOf(NODE).lookUp(['a', 'b']));
		expect(known).toEqual(new Set(['b']));
	});

	it('keeps what was sent again, also when whoever wrote it down first has not sent it', async () => {
		const database = new Database();
		const [own, other] = [0, 1].map((number) => new Process(database, number).memoryOf(NODE));
		await finish(other.record(['a', 'b']));
		expect(await finish(own.record(['a', 'b']))).toEqual(new Set(['a', 'b']));
		await finish(own.recordAgain(['a']));
		for (const reference of ['a', 'b']) other.forget(reference);
		await finish(other.flush());
		const known = await finish(new Process(database, 2).memoryOf(NODE).lookUp(['a', 'b']));
		expect(known).toEqual(new Set(['a']));
		// The reference, and what marks it: no more than that.
		expect(database.rows.get(nodeRow(database))?.data).toHaveLength(4);
	});

	it.each([
		[0, 80, 10],
		[20_000, 80, 11],
		[50_000, 240, 12],
		[100_000, 400, 13],
	])('that holds %d references records %d at once', async (size, chunkSize, process) => {
		const database = new Database();
		database.rows.set(nodeRow(database), { mode: 'entries', data: entries(size) });
		const memory = new Process(database, process).memoryOf(NODE);
		expect(memory.chunkSize).toBe(80);
		await finish(memory.lookUp(['a']));
		expect(memory.chunkSize).toBe(chunkSize);
	});

	it.each(['', undefined])(
		'is none where the workflow’s ID is %j, and asks nothing',
		async (id) => {
			const database = new Database();
			Object.assign(database.workflow, { id });
			let queries = 0;
			const process = new Process(database);
			process.countQuery = () => queries++;
			const memory = process.memoryOf(NODE);
			expect(memory.isAvailable).toBe(false);
			expect(await finish(memory.record(['a']))).toEqual(new Set());
			expect(await finish(memory.lookUp(['a']))).toEqual(new Set());
			await finish(memory.recordAgain(['a']));
			memory.forget('a');
			await finish(memory.flush());
			expect(queries).toBe(0);
		},
	);

	it('of a saved workflow is available', () => {
		expect(new Process(new Database()).memoryOf(NODE).isAvailable).toBe(true);
	});

	it('asks nothing for no references that are sent again, and nothing where nothing is left', async () => {
		const process = new Process(new Database());
		let queries = 0;
		process.countQuery = () => queries++;
		const memory = process.memoryOf(NODE);
		await finish(memory.recordAgain([]));
		await finish(memory.flush());
		expect(queries).toBe(0);
	});

	it('asks nothing of an empty memory but how much it holds, and once for a portion', async () => {
		const queries = async (held: number, asked: number) => {
			const database = new Database();
			const data = entries(held);
			if (held > 0) database.rows.set(nodeRow(database), { mode: 'entries', data });
			const process = new Process(database);
			let count = 0;
			process.countQuery = () => count++;
			await finish(process.memoryOf(NODE).lookUp(entries(asked)));
			return count;
		};
		// Counts are not counted.
		expect(await queries(0, 80)).toBe(0);
		expect(await queries(1, 79)).toBeGreaterThan(0);
		expect(await queries(1, 80)).toBe(await queries(1, 79));
	});

	it('keeps nothing but what was recorded and its marks where it may have been overwritten', async () => {
		const database = new Database();
		database.rows.set(lockRow(database), { mode: 'entries', data: ['x'] });
		const memory = new Process(database).memoryOf(NODE);
		await finish(memory.record(['a']));
		await finish(memory.recordAgain(['b']));
		await finish(memory.lookUp(['c']));
		await finish(memory.flush());
		// The first, and the second with its marks.
		expect(database.rows.get(nodeRow(database))?.data).toHaveLength(5);
	});

	it('does not mix what belongs to different accounts', async () => {
		const process = new Process(new Database());
		await finish(process.memoryOf(NODE, 'account 1').record(['a']));
		expect(await finish(process.memoryOf(NODE, 'account 2').record(['a']))).toEqual(new Set());
	});

	it('says how many of the oldest entries it dropped', async () => {
		const database = new Database();
		const data = entries(99_999);
		database.rows.set(nodeRow(database), { mode: 'entries', data });
		const memory = new Process(database).memoryOf(NODE);
		await finish(memory.lookUp(['a', 'b', 'c']));
		expect(database.rows.get(nodeRow(database))?.data).toEqual(data);
		await finish(memory.record(['a', 'b', 'c']));
		// Not before the end: what is dropped could be what this batch asks for next.
		expect(database.rows.get(nodeRow(database))?.data).toHaveLength(100_002);
		await finish(memory.flush());
		expect(memory.dropped).toBe(2);
		expect(database.rows.get(nodeRow(database))?.data).toHaveLength(100_000);
		expect(database.rows.get(nodeRow(database))?.data[0]).toBe('entry 2');
	});

	it.each([
		[['a', 'b'], 0, 14],
		[['a', 'b', 'c'], 1, 15],
	])('that gains %j and forgets one of them drops %d', async (references, dropped, process) => {
		const database = new Database();
		database.rows.set(nodeRow(database), { mode: 'entries', data: entries(99_999) });
		const memory = new Process(database, process).memoryOf(NODE);
		await finish(memory.record(references));
		memory.forget('a');
		await finish(memory.flush());
		expect(memory.dropped).toBe(dropped);
		expect(database.rows.get(nodeRow(database))?.data).toHaveLength(100_000);
	});

	it('counts neither what was there already nor what it forgot in between as gained', async () => {
		const database = new Database();
		database.rows.set(nodeRow(database), { mode: 'entries', data: entries(99_998) });
		await finish(new Process(database).memoryOf(NODE).record(['a']));
		const memory = new Process(database).memoryOf(NODE);
		await finish(memory.record(['a', 'b', 'c']));
		memory.forget('b');
		await finish(memory.record(['d']));
		await finish(memory.flush());
		expect(memory.dropped).toBe(1);
		expect(database.rows.get(nodeRow(database))?.data).toHaveLength(100_000);
	});

	it('writes again what was overwritten, also when as much is to be forgotten', async () => {
		const database = new Database();
		database.rows.set(lockRow(database), { mode: 'entries', data: ['x'] });
		const memory = new Process(database).memoryOf(NODE);
		await finish(memory.record(['a', 'b']));
		memory.forget('b');
		database.rows.set(nodeRow(database), { mode: 'entries', data: [] });
		await finish(memory.flush());
		const known = await finish(new Process(database, 1).memoryOf(NODE).lookUp(['a', 'b']));
		expect(known).toEqual(new Set(['a']));
	});

	it('that cannot be written says so, and nothing counts as remembered', async () => {
		const database = new Database();
		const memory = new Process(database).memoryOf(NODE);
		const { set } = database.rows;
		database.rows.set = () => {
			throw new Error('database or disk is full');
		};
		await expect(finish(memory.record(['a']))).rejects.toThrow('disk is full');
		database.rows.set = set;
		expect(await finish(memory.record(['a']))).toEqual(new Set());
	});

	describe('that fails between the question and the removal', () => {
		/** A memory that is to forget `a`, which was not sent, and could not. */
		async function interrupted(times: number) {
			const database = new Database();
			const memory = new Process(database).memoryOf(NODE);
			await finish(memory.record(['a']));
			memory.forget('a');
			const { set } = database.rows;
			for (let attempt = 0; attempt < times; attempt++) {
				let writes = 0;
				database.rows.set = function (key, row) {
					// The lock, the question for the mark of what was sent again, and then the removal.
					if (++writes === 3) throw new Error('database is locked');
					return set.call(this, key, row);
				};
				await expect(finish(memory.flush())).rejects.toThrow('database is locked');
				database.rows.set = set;
			}
			const other = (number: number) => new Process(database, number).memoryOf(NODE);
			return { memory, other };
		}

		it.each([1, 2])('forgets at the next attempt (%d failed)', async (times) => {
			const { memory, other } = await interrupted(times);
			await finish(memory.flush());
			expect(await finish(other(1).record(['a']))).toEqual(new Set());
		});

		it.each([1, 2, 3])('keeps what was sent again meanwhile (%d failed)', async (times) => {
			const { memory, other } = await interrupted(times);
			await finish(other(1).recordAgain(['a']));
			await finish(memory.flush());
			expect(await finish(other(2).record(['a']))).toEqual(new Set(['a']));
		});
	});

	it('keeps what another execution sends again while a question is taken back at a second attempt', async () => {
		const database = new Database();
		const other = new Process(database, 1).memoryOf(NODE);
		const { set } = database.rows;
		let writes = 0;
		database.rows.set = function (key, row) {
			// The lock, the question, that for the mark, and then the removal.
			if (++writes !== 4) return set.call(this, key, row);
			database.rows.set = set;
			sentAgain = other.recordAgain(['a']);
			throw new Error('database is locked');
		};
		let sentAgain: Promise<void> | undefined;
		await finish(other.record(['b']));
		writes = 0;
		const known = await finish(new Process(database).memoryOf(NODE).lookUp(['a']));
		await finish(sentAgain ?? Promise.reject(new Error('Nothing failed')));
		expect(known).toEqual(new Set());
		expect(await finish(new Process(database, 2).memoryOf(NODE).record(['a']))).toEqual(
			new Set(['a']),
		);
	});

	it('keeps no question that was answered at a second attempt only', async () => {
		const database = new Database();
		const memory = new Process(database).memoryOf(NODE);
		await finish(memory.record(['a']));
		const { set } = database.rows;
		let writes = 0;
		database.rows.set = function (key, row) {
			// The lock, the question, and then what takes the question back.
			if (++writes === 3) throw new Error('database is locked');
			return set.call(this, key, row);
		};
		expect(await finish(memory.lookUp(['a', 'b']))).toEqual(new Set(['a']));
		expect(await finish(memory.record(['b']))).toEqual(new Set());
	});
});
