import fc from 'fast-check';

import { StoredNumbers } from '../../nodes/ledger/storedNumbers';
import { runsOr, SEED } from '../random';
import { KillableItems } from './killable';

const RUNS = runsOr(300);

const NAMES = ['a', 'b'];

/** The queries of the longest update: a row is created in three, and each other call takes two. */
const MOST_QUERIES = 6;

const number = fc.bigInt({ min: 0n, max: 2n ** 60n - 1n });

const both = fc.tuple(number, number).map((numbers): bigint[] => [...numbers]);

type Values = Array<bigint | undefined>;

async function read(items: KillableItems, queries = Infinity): Promise<Values | undefined> {
	let values: Values = [];
	const isAlive = await items.run(
		queries,
		async (process) =>
			await new StoredNumbers(process, NAMES).update((found) => {
				values = found;
				return undefined;
			}),
	);
	return isAlive ? values : undefined;
}

async function write(items: KillableItems, next: bigint[], queries = Infinity): Promise<boolean> {
	return await items.run(
		queries,
		async (process) => await new StoredNumbers(process, NAMES).update(() => next),
	);
}

/** How many entries numbers have that nothing has happened to. */
async function entriesOf(numbers: bigint[]): Promise<number> {
	const items = new KillableItems();
	await write(items, numbers);
	return items.entries.length;
}

describe('stored numbers', () => {
	it('are 0 until they are stored, and reading leaves no entry', async () => {
		const items = new KillableItems();
		expect(await read(items)).toEqual([0n, 0n]);
		expect(items.entries).toEqual([]);
	});

	it('are exact after 500 random changes, each in two calls', async () => {
		const items = new KillableItems();
		const numbers = fc.sample(both, { numRuns: 500, seed: SEED });
		let expected = [0n, 0n];
		for (const next of numbers) {
			const seen: Values[] = [];
			await new StoredNumbers(items.newProcess(), NAMES).update((values) => {
				seen.push(values);
				return next;
			});
			expect(seen).toEqual([expected]);
			expect(items.calls).toHaveLength(2);
			expected = next;
		}
		expect(await read(items)).toEqual(expected);
	});

	it('have as few entries after many changes as after the first', async () => {
		const items = new KillableItems();
		for (const value of [5n, 6n, 9n, 1n, 5n, 6n]) await write(items, [value, 0n]);
		expect(items.entries).toHaveLength(await entriesOf([6n, 0n]));
	});

	it('do not touch the other entries of the node', async () => {
		const items = new KillableItems();
		const others = ['x', 'y', 'z'];
		items.entries = [...others];
		await write(items, [3n, 4n]);
		await read(items);
		await write(items, [4n, 3n]);
		expect(items.entries).toEqual(expect.arrayContaining(others));
	});

	describe.each([
		['at first', [0n, 0n]],
		['later', [11n, 2n ** 60n - 1n]],
	])('if a process is killed %s', (_, before) => {
		const LOST = [undefined, undefined];

		test.each(Array.from({ length: MOST_QUERIES }, (__, queries) => queries))(
			'at query %i of a change, are the old ones, the new ones or lost, and can be changed',
			async (queries) => {
				const items = new KillableItems();
				await write(items, before);
				const isWritten = await write(items, [20n, 7n], queries);
				const values = await read(items);
				expect(isWritten ? [[20n, 7n]] : [before, LOST]).toContainEqual(values);
				await write(items, [21n, 0n]);
				expect(await read(items)).toEqual([21n, 0n]);
				expect(items.entries).toHaveLength(await entriesOf([21n, 0n]));
			},
		);

		test.each(Array.from({ length: MOST_QUERIES }, (__, queries) => queries))(
			'at query %i of a reading, stay as they are or are lost until they are stored again',
			async (queries) => {
				const items = new KillableItems();
				await write(items, before);
				await read(items, queries);
				const values = await read(items);
				expect([before, LOST]).toContainEqual(values);
				expect(await read(items)).toEqual(values);
				await write(items, [21n, 0n]);
				expect(await read(items)).toEqual([21n, 0n]);
				expect(items.entries).toHaveLength(await entriesOf([21n, 0n]));
			},
		);
	});

	test(
		`are never an older number, however often processes are killed (${RUNS} scenarios, seed ${SEED})`,
		async () => {
			const step = fc.record({
				next: fc.option(both, { nil: undefined }),
				queries: fc.oneof(fc.constant(Infinity), fc.integer({ min: 0, max: MOST_QUERIES })),
			});
			await fc.assert(
				fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
					const items = new KillableItems();
					let possible: Values[] = [[0n, 0n]];
					for (const { next, queries } of steps) {
						let seen: Values | undefined;
						const isAlive = await items.run(
							queries,
							async (process) =>
								await new StoredNumbers(process, NAMES).update((values) => {
									seen = values;
									return next;
								}),
						);
						if (seen) {
							const values = seen;
							const isOneOf = (one: Values) =>
								values.every((value, index) => value === undefined || value === one[index]);
							expect(possible.some(isOneOf)).toBe(true);
							possible = [values];
						}
						if (next) possible = isAlive ? [next] : [...possible, next];
					}
				}),
				{ numRuns: RUNS, seed: SEED },
			);
		},
		RUNS * 1_000 + 60_000,
	);

	describe('if entries are missing', () => {
		const changes = fc.array(number, { minLength: 1, maxLength: 4 });

		/** Stores numbers one after the other, lets entries vanish, and reads. */
		async function readWithout(
			numbers: bigint[],
			remaining: (entries: string[]) => string[],
		): Promise<bigint | undefined> {
			const items = new KillableItems();
			const stored = new StoredNumbers(items.newProcess(), ['a']);
			for (const next of numbers) await stored.update(() => [next]);
			items.entries = remaining(items.entries);
			let value: bigint | undefined;
			await stored.update((values) => void ([value] = values));
			return value;
		}

		test(
			`because n8n dropped the oldest, are right or known to be lost (${RUNS} cases, seed ${SEED})`,
			async () => {
				await fc.assert(
					fc.asyncProperty(changes, fc.nat(), async (numbers, count) => {
						const value = await readWithout(numbers, (entries) =>
							entries.slice(count % Math.max(1, entries.length)),
						);
						expect([numbers.at(-1), undefined]).toContain(value);
					}),
					{ numRuns: RUNS, seed: SEED },
				);
			},
			RUNS * 1_000 + 60_000,
		);

		test(
			`for whatever reason, are right or known to be lost (${RUNS} cases, seed ${SEED})`,
			async () => {
				const places = fc.array(fc.nat(150), { minLength: 1, maxLength: 5 });
				await fc.assert(
					fc.asyncProperty(changes, places, async (numbers, missing) => {
						const value = await readWithout(numbers, (entries) =>
							entries.filter((_, place) => !missing.includes(place)),
						);
						expect([numbers.at(-1), undefined]).toContain(value);
					}),
					{ numRuns: RUNS, seed: SEED },
				);
			},
			RUNS * 1_000 + 60_000,
		);
	});
});
