import { createHash } from 'node:crypto';

import fc from 'fast-check';

import type { Intent, Known } from '../../nodes/ledger/idempotencyStore';
import { runsOr, SEED } from '../random';
import { cycle } from '../simulation/clock';
import { StateSimulation } from '../simulation/state';

const NODE = 'node-1';

const RUNS = runsOr(100);

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
			const known = await store.record(
				chunk.map((key) => intent(key)),
				all,
			);
			sent.push(...chunk.filter((key) => known.get(key)?.earlier === 'none'));
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

/** A payment with a key, of this money, to a payee of its own. */
function intent(
	key: string,
	{ money = '100', ...more }: Partial<Intent> & { money?: string } = {},
): Intent {
	return { key, digest: `digest of ${money}`, duplicateKey: `duplicate ${key}`, ...more };
}

const intents = (keys: string[]): Intent[] => keys.map((key) => intent(key));

/** Sends all payments that are new. */
const all = async (known: ReadonlyMap<string, Known>): Promise<Set<string>> =>
	await Promise.resolve(
		new Set([...known].flatMap(([key, { earlier }]) => (earlier === 'none' ? key : []))),
	);

/** Sends none. */
const none = async (): Promise<Set<string>> => await Promise.resolve(new Set<string>());

/** What is known of each payment, in their order. */
const earlierOf = (known: ReadonlyMap<string, Known>): string[] =>
	[...known.values()].map(({ earlier }) => earlier);

/** The first entry of every row that the store has written, as n8n keeps it. */
const FIRST_ENTRY = createHash('md5').update('partnerPayments:payments').digest('base64');

const entries = (count: number): string[] =>
	Array.from({ length: count }, (_, number) => `entry ${number}`);

/** A simulation whose node already has entries. */
function simulationWith(data: string[]): StateSimulation {
	const simulation = new StateSimulation();
	simulation.database.rows.set(simulation.rowOf(NODE), {
		mode: 'entries',
		data: [FIRST_ENTRY, ...data],
	});
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

/** Lets some of the next writes fail that are of a kind, by their numbers from 1. */
function failWrites(
	{ database: { rows } }: StateSimulation,
	failing: number[],
	isCounted: (key: string, before: number, after: number) => boolean,
): void {
	const { set } = rows;
	let writes = 0;
	rows.set = function (key, row) {
		const before = this.get(key)?.data.length ?? 0;
		if (isCounted(key, before, row.data.length) && failing.includes(++writes))
			throw new Error('database is locked');
		return set.call(this, key, row);
	};
}

const failRemovals = (simulation: StateSimulation, failing: number[]): void =>
	failWrites(simulation, failing, (_, before, after) => after < before);

/** Kills a process before one of the next statements, by its number from 1. */
function killBefore(
	{ database }: StateSimulation,
	process: { kill(): void },
	number: number,
	isCounted: (statement: string) => boolean = () => true,
): void {
	let statements = 0;
	database.onStatement = (statement) => {
		if (isCounted(statement) && ++statements === number) process.kill();
	};
}

/** Counts the statements that reach the database from now on. */
function countStatements({ database }: StateSimulation): () => number {
	let count = 0;
	database.onStatement = () => count++;
	return () => count;
}

describe('the idempotency store', () => {
	/** A store of an execution, and what it does in simulated time. */
	function newStore(simulation: StateSimulation, process = simulation.newProcess()) {
		const store = simulation.store(NODE, process);
		return {
			store,
			record: async (list: Intent[], choose = all) =>
				await simulation.finish(store.record(list, choose)),
			lookUp: async (list: Intent[]) => await simulation.finish(store.lookUp(list)),
			flush: async () => await simulation.finish(store.flush()),
		};
	}

	it('looks payments up without recording them', async () => {
		const simulation = new StateSimulation();
		const { record, lookUp } = newStore(simulation);
		await record(intents(['a']));
		const before = storedIn(simulation)?.length;
		expect(earlierOf(await lookUp(intents(['a', 'b'])))).toEqual(['same', 'none']);
		expect(earlierOf(await lookUp(intents(['b'])))).toEqual(['none']);
		expect(storedIn(simulation)).toHaveLength(before ?? 0);
	});

	it('tells the same money from other money under one reference', async () => {
		const simulation = new StateSimulation();
		await newStore(simulation).record([intent('a')]);
		for (let time = 0; time < 3; time++) {
			const { record, lookUp } = newStore(simulation);
			expect(earlierOf(await record([intent('a', { money: '101' })]))).toEqual(['other']);
			expect(earlierOf(await lookUp([intent('a', { money: '101' })]))).toEqual(['other']);
			expect(earlierOf(await record([intent('a')]))).toEqual(['same']);
		}
	});

	it('removes payments with the next recording or at the end', async () => {
		const simulation = new StateSimulation();
		const { store, record, flush, lookUp } = newStore(simulation);
		await record(intents(['a', 'b', 'c']));
		store.forget('a');
		expect(earlierOf(await record(intents(['a'])))).toEqual(['none']);
		store.forget('b');
		await flush();
		expect(earlierOf(await lookUp(intents(['a', 'b', 'c'])))).toEqual(['same', 'none', 'same']);
		for (const key of ['a', 'c']) store.forget(key);
		await flush();
		expect(storedIn(simulation)).toEqual([FIRST_ENTRY]);
	});

	it('keeps nothing of payments that are not chosen', async () => {
		const simulation = new StateSimulation();
		const { record } = newStore(simulation);
		await record([intent('a', { payee: { id: '7', account: '1' } })], none);
		expect(storedIn(simulation)).toEqual([FIRST_ENTRY]);
	});

	describe('looking for duplicates', () => {
		const invoice = (key: string): Intent => intent(key, { duplicateKey: 'invoice' });
		const isDuplicate = (known: ReadonlyMap<string, Known>): boolean[] =>
			[...known.values()].map((one) => one.isDuplicate);

		it('finds a duplicate under another reference, and leaves no trace of asking', async () => {
			const simulation = new StateSimulation();
			const { record, lookUp } = newStore(simulation);
			expect(isDuplicate(await record([invoice('a')]))).toEqual([false]);
			expect(isDuplicate(await record([invoice('b')], none))).toEqual([true]);
			expect(isDuplicate(await lookUp([invoice('b'), intent('c')]))).toEqual([true, false]);
			expect(isDuplicate(await lookUp([invoice('a')]))).toEqual([false]);
		});

		it('keeps a duplicate key as long as one of its payments stays', async () => {
			const simulation = new StateSimulation();
			const { store, record, flush } = newStore(simulation);
			await record([invoice('a')]);
			await record([invoice('b')]);
			store.forget('a');
			await flush();
			expect(isDuplicate(await newStore(simulation).record([invoice('c')], none))).toEqual([true]);
			store.forget('b');
			await flush();
			expect(isDuplicate(await newStore(simulation).record([invoice('c')], none))).toEqual([false]);
		});

		it('finds every duplicate of the last 3 days, and none that is 6 days old', async () => {
			const DAY = 24 * 60 * 60 * 1000;
			const days = fc.integer({ min: 0, max: 20 * 24 }).map((hours) => hours / 24);
			await fc.assert(
				fc.asyncProperty(days, days, async (start, age) => {
					const simulation = new StateSimulation();
					await simulation.finish(simulation.clock.pause(start * DAY));
					await newStore(simulation).record([invoice('a')]);
					await simulation.finish(simulation.clock.pause(age * DAY));
					const [found] = isDuplicate(await newStore(simulation).record([invoice('b')]));
					if (age < 3) expect(found).toBe(true);
					if (age >= 6) expect(found).toBe(false);
				}),
				{ numRuns: Math.min(RUNS, 100), seed: SEED },
			);
		});
	});

	describe('knowing payees', () => {
		const pay = (key: string, id: string, account: string): Intent =>
			intent(key, { payee: { id, account } });
		const changes = (known: ReadonlyMap<string, Known>): string[] =>
			[...known.values()].map(({ isAccountNew, isPayeeNew }) =>
				isPayeeNew ? 'new payee' : isAccountNew ? 'new account' : 'known',
			);

		it('tells a new payee from a new account of a known one', async () => {
			const simulation = new StateSimulation();
			const { record, lookUp } = newStore(simulation);
			expect(changes(await record([pay('a', '7', '1')]))).toEqual(['new payee']);
			const asked = [pay('b', '7', '1'), pay('c', '7', '2'), pay('d', '8', '1')];
			const answer = ['known', 'new account', 'new payee'];
			const known = await lookUp(asked);
			expect(changes(known)).toEqual(answer);
			expect([...known.values()].map(({ isAccountNew }) => isAccountNew)).toEqual([
				false,
				true,
				false,
			]);
			expect(changes(await record(asked))).toEqual(answer);
			expect(changes(await lookUp([pay('e', '7', '2')]))).toEqual(['known']);
		});

		it('knows no account of a payee whose account cannot change', async () => {
			const simulation = new StateSimulation();
			const { record } = newStore(simulation);
			const to = (key: string): Intent => intent(key, { payee: { id: '7' } });
			expect((await record([to('a')])).get('a')).toMatchObject({ isPayeeNew: true });
			expect((await record([to('b')])).get('b')).toMatchObject({
				isPayeeNew: false,
				isAccountNew: false,
			});
		});

		it('forgets payee and account of a rejected payment unless another payment has them', async () => {
			const simulation = new StateSimulation();
			const { store, record, flush, lookUp } = newStore(simulation);
			await record([pay('a', '7', '1'), pay('b', '8', '1'), pay('c', '8', '1')]);
			for (const key of ['a', 'b']) store.forget(key);
			await flush();
			expect(changes(await lookUp([pay('d', '7', '1'), pay('e', '8', '1')]))).toEqual([
				'new payee',
				'known',
			]);
		});

		it.each([
			['the first', [0, 1]],
			['the second', [1, 0]],
		])('keeps a payee of two executions if %s has not paid it', async (_, [first, second]) => {
			const simulation = new StateSimulation();
			const executions = ['a', 'b'].map((key) => ({ key, ...newStore(simulation) }));
			for (const { key, record } of executions) await record([pay(key, '7', '1')]);
			const forget = async ({ key, store, flush }: (typeof executions)[number]) => {
				store.forget(key);
				await flush();
			};
			await forget(executions[first]);
			expect(changes(await newStore(simulation).lookUp([pay('c', '7', '1')]))).toEqual(['known']);
			await forget(executions[second]);
			expect(storedIn(simulation)).toEqual([FIRST_ENTRY]);
		});

		it('keeps the payee of a payment that was recorded in the second attempt', async () => {
			const simulation = new StateSimulation();
			const { store, record, flush } = newStore(simulation);
			failRemovals(simulation, [1]);
			await record([pay('a', '7', '1'), pay('b', '8', '1')], async () => new Set(['a']));
			await flush();
			const asked = [pay('c', '7', '1'), pay('d', '8', '1')];
			expect(changes(await newStore(simulation).lookUp(asked))).toEqual(['known', 'new payee']);
			store.forget('a');
			await flush();
			expect(storedIn(simulation)).toEqual([FIRST_ENTRY]);
		});

		it('keeps a payee of three executions for good', async () => {
			const simulation = new StateSimulation();
			const executions = ['a', 'b', 'c'].map((key) => ({ key, ...newStore(simulation) }));
			for (const { key, record } of executions) await record([pay(key, '7', '1')]);
			for (const { key, store, flush } of executions) {
				store.forget(key);
				await flush();
			}
			expect(changes(await newStore(simulation).lookUp([pay('d', '7', '1')]))).toEqual(['known']);
		});

		it('counts an execution once that has paid a payee in two chunks', async () => {
			const simulation = new StateSimulation();
			const { store, record, flush } = newStore(simulation);
			await record([pay('a', '7', '1')]);
			await record([pay('b', '7', '1')]);
			for (const key of ['a', 'b']) store.forget(key);
			await flush();
			expect(storedIn(simulation)).toEqual([FIRST_ENTRY]);
		});

		it('keeps a payee that was paid after a payment to it was forgotten', async () => {
			const simulation = new StateSimulation();
			const { store, record, flush, lookUp } = newStore(simulation);
			await record(intents(entries(60)));
			await record([pay('a', '7', '1')]);
			// So many that removing them takes two turns: the payee is not removed yet when it is paid.
			for (const key of [...entries(60), 'a']) store.forget(key);
			await record([pay('b', '7', '1')]);
			await flush();
			expect(changes(await lookUp([pay('c', '7', '1')]))).toEqual(['known']);
			store.forget('b');
			await flush();
			expect(storedIn(simulation)).toEqual([FIRST_ENTRY]);
		});

		it('forgets a payee although its first removal fails', async () => {
			const simulation = new StateSimulation();
			const { store, record, flush } = newStore(simulation);
			await record([pay('a', '7', '1')]);
			failRemovals(simulation, [1]);
			store.forget('a');
			await flush();
			expect(storedIn(simulation)).toEqual([FIRST_ENTRY]);
		});

		it('keeps a payee that was paid between two attempts to forget it', async () => {
			const simulation = new StateSimulation();
			const [one, other] = [newStore(simulation), newStore(simulation)];
			await one.record([pay('a', '7', '1')]);
			failRemovals(simulation, [1]);
			one.store.forget('a');
			await simulation.finish(
				Promise.all([one.store.flush(), other.store.record([pay('b', '7', '1')], all)]),
			);
			expect(changes(await newStore(simulation).lookUp([pay('c', '7', '1')]))).toEqual(['known']);
		});

		it('keeps a payee that was paid between two attempts to look it up', async () => {
			const simulation = new StateSimulation();
			const [one, other] = [newStore(simulation), newStore(simulation)];
			await newStore(simulation).record([pay('a', '8', '1')]);
			failRemovals(simulation, [1]);
			const lookedUp = one.store.lookUp([pay('b', '7', '1')]);
			await simulation.finish(
				Promise.all([lookedUp, other.store.record([pay('c', '7', '1')], all)]),
			);
			expect(earlierOf(await lookedUp)).toEqual(['none']);
			expect(changes(await newStore(simulation).lookUp([pay('d', '7', '1')]))).toEqual(['known']);
		});

		it('counts a payee anew that only a failed attempt had chosen to pay', async () => {
			const simulation = new StateSimulation();
			const { store, record, flush } = newStore(simulation);
			let attempts = 0;
			failRemovals(simulation, [1]);
			await record(
				[pay('a', '7', '1'), pay('b', '8', '1')],
				async () => await Promise.resolve(new Set(++attempts === 1 ? ['a'] : [])),
			);
			await record([pay('c', '7', '1')]);
			await flush();
			expect(changes(await newStore(simulation).lookUp([pay('d', '7', '1')]))).toEqual(['known']);
			store.forget('c');
			await flush();
			expect(storedIn(simulation)).toEqual([FIRST_ENTRY]);
		});

		it('keeps a payee that was paid between two attempts to record it', async () => {
			const simulation = new StateSimulation();
			const [one, other] = [newStore(simulation), newStore(simulation)];
			let attempts = 0;
			const choose = async () => await Promise.resolve(new Set(++attempts === 1 ? ['a'] : []));
			// The payment that is not chosen is removed again.
			failRemovals(simulation, [1]);
			await simulation.finish(
				Promise.all([
					one.store.record([pay('a', '7', '1'), pay('b', '8', '1')], choose),
					other.store.record([pay('c', '7', '1')], all),
				]),
			);
			expect(attempts).toBe(2);
			await one.flush();
			const asked = [pay('d', '7', '1'), pay('e', '8', '1')];
			expect(changes(await newStore(simulation).lookUp(asked))).toEqual(['known', 'new payee']);
			other.store.forget('c');
			await other.flush();
			expect(storedIn(simulation)).toEqual([FIRST_ENTRY]);
		});
	});

	it('does not restore a payment that another execution recorded and has removed', async () => {
		// Without the lock no execution knows that it was alone, so each records its payments again.
		const simulation = simulationWithoutLock();
		const [own, other] = [newStore(simulation), newStore(simulation)];
		await own.record(intents(['a']));
		expect(earlierOf(await other.record(intents(['a', 'b'])))).toEqual(['same', 'none']);
		own.store.forget('a');
		await own.flush();
		await other.flush();
		expect(earlierOf(await newStore(simulation).lookUp(intents(['a', 'b'])))).toEqual([
			'none',
			'same',
		]);
	});

	describe('paying again', () => {
		const timesOf = (known: ReadonlyMap<string, Known>): number[] =>
			[...known.values()].map(({ timesPaidAgain }) => timesPaidAgain);

		it('counts the times, and compares with the values of the last one', async () => {
			const simulation = new StateSimulation();
			await newStore(simulation).record([intent('a')]);
			for (const [number, money] of ['101', '102', '103'].entries()) {
				const { store, record } = newStore(simulation);
				const known = await record([intent('a', { money })]);
				expect(earlierOf(known)).toEqual(['other']);
				expect(timesOf(known)).toEqual([number]);
				await simulation.finish(store.recordAgain([intent('a', { money })], known));
				expect(earlierOf(await newStore(simulation).lookUp([intent('a')]))).toEqual(['other']);
				expect(earlierOf(await newStore(simulation).lookUp([intent('a', { money })]))).toEqual([
					'same',
				]);
			}
		});

		it('lets only one of two executions pay again that have asked at the same time', async () => {
			const simulation = new StateSimulation();
			await newStore(simulation).record(intents(['a', 'b']));
			const [one, other] = [newStore(simulation), newStore(simulation)];
			const known = await one.record(intents(['a', 'b']));
			expect(await other.record(intents(['a', 'b']))).toEqual(known);
			const again = async ({ store }: typeof one, list: Intent[]) =>
				await simulation.finish(store.recordAgain(list, known));
			expect(await again(one, [intent('a', { money: '101' })])).toEqual(new Map());
			const late = await again(other, intents(['a', 'b']));
			expect([...late.keys()]).toEqual(['a']);
			expect(earlierOf(late)).toEqual(['other']);
			expect(timesOf(late)).toEqual([1]);
			const asked = [intent('a', { money: '101' }), intent('b')];
			const after = await newStore(simulation).lookUp(asked);
			expect(earlierOf(after)).toEqual(['same', 'same']);
			expect(timesOf(after)).toEqual([1, 1]);
		});

		it('takes back a payment that was not paid again, and compares with the values before', async () => {
			const simulation = new StateSimulation();
			await newStore(simulation).record(intents(['a']));
			const before = [...(storedIn(simulation) ?? [])].sort();
			const { store, record, flush } = newStore(simulation);
			const changed = [intent('a', { money: '101' })];
			await simulation.finish(store.recordAgain(changed, await record(changed)));
			store.forget('a');
			await flush();
			expect([...(storedIn(simulation) ?? [])].sort()).toEqual(before);
			const known = await newStore(simulation).lookUp(changed);
			expect(earlierOf(known)).toEqual(['other']);
			expect(timesOf(known)).toEqual([0]);
		});

		it('notices a duplicate of a payment that was paid again, and its new account', async () => {
			const simulation = new StateSimulation();
			const payee = (account: string) => ({ payee: { id: 'payee', account } });
			await newStore(simulation).record([intent('a', payee('1'))]);
			const { store, record } = newStore(simulation);
			const corrected = [
				intent('a', { money: '101', duplicateKey: 'duplicate of 101', ...payee('2') }),
			];
			await simulation.finish(store.recordAgain(corrected, await record(corrected)));
			const other = [intent('b', { duplicateKey: 'duplicate of 101', ...payee('2') })];
			const known = (await newStore(simulation).lookUp(other)).get('b');
			expect(known).toMatchObject({ isDuplicate: true, isAccountNew: false });
		});

		it('keeps the markers of a time before the last, which another execution takes back', async () => {
			const simulation = new StateSimulation();
			await newStore(simulation).record(intents(['a']));
			const [one, other] = [newStore(simulation), newStore(simulation)];
			await simulation.finish(
				one.store.recordAgain(intents(['a']), await one.record(intents(['a']))),
			);
			const known = await other.record(intents(['a']));
			expect(timesOf(known)).toEqual([1]);
			one.store.forget('a');
			await one.flush();
			await simulation.finish(other.store.recordAgain(intents(['a']), known));
			expect(timesOf(await newStore(simulation).lookUp(intents(['a'])))).toEqual([2]);
		});

		it('keeps the markers of a time before the last, if another execution has paid since', async () => {
			const { simulation, one, takeBack } = await twicePaidAgain();
			await takeBack(one);
			const [known] = await knownAs(simulation, ['102']);
			expect(known).toMatchObject({ earlier: 'same', timesPaidAgain: 2 });
		});

		/** A payment of 100, and two executions that pay it again at the same moment, with other values. */
		async function twicePaidAgain() {
			const simulation = new StateSimulation();
			await newStore(simulation).record([intent('a')]);
			const [one, other] = [newStore(simulation), newStore(simulation)];
			for (const [{ store, record }, money] of [
				[one, '101'],
				[other, '102'],
			] as const) {
				const changed = [intent('a', { money })];
				await simulation.finish(store.recordAgain(changed, await record(changed)));
			}
			const takeBack = async ({ store, flush }: typeof one) => {
				store.forget('a');
				await flush();
			};
			return { simulation, one, other, takeBack };
		}

		/** What an execution knows that asks for the payment with these amounts, one after another. */
		async function knownAs(simulation: StateSimulation, amounts: string[]): Promise<Known[]> {
			const found: Known[] = [];
			for (const money of amounts) {
				const known = await newStore(simulation).lookUp([intent('a', { money })]);
				found.push(...known.values());
			}
			return found;
		}

		it.each(['the first', 'the second'])(
			'compares with what was sent if two executions take back what they pay again at the same moment, %s one first',
			async (first) => {
				const { simulation, one, other, takeBack } = await twicePaidAgain();
				for (const each of first === 'the first' ? [one, other] : [other, one])
					await takeBack(each);
				const known = await knownAs(simulation, ['100', '101', '102']);
				expect(known.map(({ earlier }) => earlier)).toEqual(['same', 'other', 'other']);
				expect(known.map(({ timesPaidAgain }) => timesPaidAgain)).toEqual([0, 0, 0]);
			},
		);

		it('compares with what was sent if three executions take back what they pay again', async () => {
			const { simulation, one, other, takeBack } = await twicePaidAgain();
			const third = newStore(simulation);
			const changed = [intent('a', { money: '103' })];
			await simulation.finish(third.store.recordAgain(changed, await third.record(changed)));
			for (const each of [one, other, third]) await takeBack(each);
			const known = await knownAs(simulation, ['100', '101', '102', '103']);
			expect(known.map(({ earlier }) => earlier)).toEqual(['same', 'other', 'other', 'other']);
		});

		it('never takes it for sent with values that were not sent, whenever a process is killed that asks then', async () => {
			for (let killAt = 1; killAt < 40; killAt++) {
				const { simulation, one, other, takeBack } = await twicePaidAgain();
				await takeBack(one);
				await takeBack(other);
				const process = simulation.newProcess();
				killBefore(simulation, process, killAt);
				void newStore(simulation, process)
					.lookUp([intent('a')])
					.catch(() => undefined);
				await simulation.finish(simulation.clock.pause(10 * 60_000));
				simulation.database.onStatement = undefined;
				const [first, second, third] = await knownAs(simulation, ['100', '101', '102']);
				expect(['same', 'other']).toContain(first.earlier);
				expect(['other', 'unclear']).toContain(second.earlier);
				expect(third.earlier).toBe('other');
			}
		});

		it('does not take a payment for sent that nobody has sent, if markers stay', async () => {
			const simulation = new StateSimulation();
			const [one, other] = [newStore(simulation), newStore(simulation)];
			await one.record(intents(['a']));
			const known = await other.record(intents(['a']), none);
			await simulation.finish(other.store.recordAgain([intent('a', { money: '101' })], known));
			for (const { store, flush } of [one, other]) {
				store.forget('a');
				await flush();
			}
			const after = await knownAs(simulation, ['100', '101', '102']);
			expect(after.map(({ earlier }) => earlier)).toEqual(['unclear', 'other', 'other']);
		});

		it('pays again after two executions have taken that back', async () => {
			const { simulation, one, other, takeBack } = await twicePaidAgain();
			await takeBack(one);
			await takeBack(other);
			const { store, record } = newStore(simulation);
			const changed = [intent('a', { money: '103' })];
			const late = await simulation.finish(store.recordAgain(changed, await record(changed)));
			expect(late).toEqual(new Map());
			const [known] = await knownAs(simulation, ['103']);
			expect(known).toMatchObject({ earlier: 'same', timesPaidAgain: known.lastTime });
			expect(known.timesPaidAgain).toBeGreaterThan(0);
		});

		it('does not count a time again for an execution that is late and does not pay', async () => {
			const { simulation, one, other, takeBack } = await twicePaidAgain();
			await takeBack(one);
			const before = storedIn(simulation);
			const late = await simulation.finish(
				newStore(simulation).store.recordAgain([intent('a', { money: '103' })], new Map()),
			);
			expect(earlierOf(late)).toEqual(['other']);
			expect(storedIn(simulation)).toEqual(before);
			await takeBack(other);
			expect(earlierOf(await newStore(simulation).lookUp([intent('a')]))).toEqual(['same']);
		});

		it.each([1, 2, 3, 4])(
			'lets no other execution pay for the same request between two attempts to record it (write %d fails)',
			async (failing) => {
				const simulation = new StateSimulation();
				await newStore(simulation).record([intent('a')]);
				const [one, other] = [newStore(simulation), newStore(simulation)];
				const known = await one.record([intent('a')]);
				failWrites(simulation, [failing], (key) => key === simulation.rowOf(NODE));
				let paid = 0;
				/** Pays if the payment was not yet paid again. */
				const pay = async ({ store }: typeof one, found: ReadonlyMap<string, Known>) => {
					if (timesOf(found)[0] > 0) return;
					const late = await store.recordAgain([intent('a')], found);
					if (!late.has('a')) paid++;
				};
				const payOther = async () =>
					await pay(other, await other.store.record([intent('a')], none));
				await simulation.finish(Promise.all([pay(one, known), payOther()]));
				expect(paid).toBe(1);
			},
		);

		it('keeps a payment that was paid again between two attempts to record it', async () => {
			const simulation = new StateSimulation();
			const [one, other] = [newStore(simulation), newStore(simulation)];
			let attempts = 0;
			const choose = async (known: ReadonlyMap<string, Known>) =>
				++attempts === 1 ? new Set(['a']) : await all(known);
			failRemovals(simulation, [1]);
			const again = async () => {
				const known = await other.store.record(intents(['a']), none);
				expect(earlierOf(known)).toEqual(['same']);
				await other.store.recordAgain(intents(['a']), known);
			};
			const recorded = one.store.record(intents(['a', 'b']), choose);
			await simulation.finish(Promise.all([recorded, again()]));
			expect(timesOf(await recorded)).toEqual([1, 0]);
			expect(earlierOf(await newStore(simulation).record(intents(['a']), none))).toEqual(['same']);
		});

		it('keeps a payment that was paid again if the execution that recorded it first has not sent it', async () => {
			const simulation = new StateSimulation();
			const [own, other] = [newStore(simulation), newStore(simulation)];
			await other.record(intents(['a', 'b']));
			const known = await own.record(intents(['a', 'b']));
			expect(earlierOf(known)).toEqual(['same', 'same']);
			await simulation.finish(own.store.recordAgain([intent('a')], known));
			for (const key of ['a', 'b']) other.store.forget(key);
			await other.flush();
			expect(earlierOf(await newStore(simulation).lookUp(intents(['a', 'b'])))).toEqual([
				'same',
				'none',
			]);
		});
	});

	it.each([
		[0, 80],
		[50_000, 80],
		[150_000, 240],
		[250_000, 400],
	])('with %d entries has chunks of %d', async (size, chunkSize) => {
		const { store, lookUp } = newStore(simulationWith(entries(size)));
		expect(store.chunkSize).toBe(80);
		await lookUp(intents(['a']));
		expect(store.chunkSize).toBe(chunkSize);
	});

	it.each(['', undefined])('is not available if the workflow’s ID is %j', async (id) => {
		const simulation = new StateSimulation();
		Object.assign(simulation.database.workflow, { id });
		const count = countStatements(simulation);
		const { store, record, lookUp, flush } = newStore(simulation);
		expect(store.isAvailable).toBe(false);
		const known = await record(intents(['a']));
		expect(earlierOf(known)).toEqual(['none']);
		expect(earlierOf(await lookUp(intents(['a'])))).toEqual(['none']);
		await simulation.finish(store.recordAgain(intents(['a']), known));
		store.forget('a');
		await flush();
		expect(count()).toBe(0);
	});

	it('is available if the workflow was saved', () => {
		expect(new StateSimulation().store(NODE).isAvailable).toBe(true);
	});

	it('says whether the node had sent nothing before', async () => {
		const simulation = new StateSimulation();
		const first = newStore(simulation);
		expect(first.store.isEmpty).toBe(false);
		await first.lookUp(intents(['a']));
		expect(first.store.isEmpty).toBe(true);
		await first.record(intents(['a']));
		const second = newStore(simulation);
		await second.lookUp(intents(['a']));
		expect(second.store.isEmpty).toBe(false);
	});

	it('sends no query to pay nothing again, and none to flush nothing', async () => {
		const simulation = new StateSimulation();
		const count = countStatements(simulation);
		const { store, flush } = newStore(simulation);
		await simulation.finish(store.recordAgain([], new Map()));
		await flush();
		expect(count()).toBe(0);
	});

	it('looks payments up without recording anything if it is empty', async () => {
		const simulation = new StateSimulation();
		await newStore(simulation).lookUp(intents(entries(80)));
		expect(storedIn(simulation)).toBeUndefined();
	});

	it('records a chunk of new payments with as many queries as one payment', async () => {
		const statements = async (size: number) => {
			const simulation = simulationWith([]);
			const count = countStatements(simulation);
			await newStore(simulation).record(intents(entries(size)));
			return count();
		};
		expect(await statements(80)).toBe(await statements(1));
	});

	it('keeps the payments of different accounts apart', async () => {
		const simulation = new StateSimulation();
		const process = simulation.newProcess();
		const [first, second] = ['account 1', 'account 2'].map((account) =>
			simulation.store(NODE, process, account),
		);
		await simulation.finish(first.record(intents(['a']), all));
		expect(earlierOf(await simulation.finish(second.record(intents(['a']), all)))).toEqual([
			'none',
		]);
	});

	it('asks for many payments that were paid again, although each query takes 100 ms', async () => {
		const latency = { ms: 1 };
		const simulation = new StateSimulation({ nextLatency: () => latency.ms });
		const many = intents(Array.from({ length: 40 }, (_, number) => `row ${number}`));
		const { store, record } = newStore(simulation);
		await record(many);
		await simulation.finish(store.recordAgain(many, await record(many)));
		latency.ms = 100;
		const known = await newStore(simulation).lookUp(many);
		expect([...known.values()].map(({ timesPaidAgain }) => timesPaidAgain)).toEqual(
			Array<number>(40).fill(1),
		);
	});

	it('drops the oldest entries at the end, and says how many', async () => {
		const simulation = simulationWith(entries(249_999));
		const { store, record, flush } = newStore(simulation);
		await record([{ key: 'a', digest: 'd' }]);
		// It drops nothing before the end, because the batch may still ask for the oldest.
		expect(storedIn(simulation)).toHaveLength(250_003);
		await flush();
		expect(store.dropped).toBe(3);
		// The first entry is written once more.
		expect(storedIn(simulation)?.slice(0, 1)).toEqual(['entry 2']);
		expect(storedIn(simulation)?.at(-1)).toBe(FIRST_ENTRY);
		expect(earlierOf(await newStore(simulation).lookUp([{ key: 'a', digest: 'd' }]))).toEqual([
			'same',
		]);
	});

	it.each([1, 2, 3, 4, 5, 6])(
		'drops the oldest entries although the database stands still at query %d of that',
		async (stalled) => {
			let queries = -Infinity;
			const simulation = new StateSimulation({
				nextLatency: () => (++queries === stalled ? 20_001 : 1),
			});
			const data = [FIRST_ENTRY, ...entries(249_999)];
			simulation.database.rows.set(simulation.rowOf(NODE), { mode: 'entries', data });
			const { store, record, flush } = newStore(simulation);
			await record([{ key: 'a', digest: 'd' }]);
			queries = 0;
			await flush();
			expect(queries).toBeGreaterThanOrEqual(6);
			expect(store.dropped).toBe(3);
			expect(storedIn(simulation)?.length).toBeLessThanOrEqual(250_001);
			expect(earlierOf(await newStore(simulation).lookUp([{ key: 'a', digest: 'd' }]))).toEqual([
				'same',
			]);
		},
	);

	it.each([250_000, 249_996, 250_004])(
		'goes on after a process that was killed while it dropped the oldest entries, with %d of them',
		async (count) => {
			const simulation = simulationWith([]);
			simulation.database.rows.set(simulation.rowOf(NODE), {
				mode: 'entries',
				data: entries(count),
			});
			expect(earlierOf(await newStore(simulation).record(intents(['a'])))).toEqual(['none']);
			expect(earlierOf(await newStore(simulation).lookUp(intents(['a'])))).toEqual(['same']);
		},
	);

	it('restores what was overwritten, and not what it removes', async () => {
		const simulation = simulationWithoutLock();
		const { store, record, flush } = newStore(simulation);
		await record(intents(['a', 'b']));
		store.forget('b');
		simulation.database.rows.set(simulation.rowOf(NODE), { mode: 'entries', data: [FIRST_ENTRY] });
		await flush();
		expect(earlierOf(await newStore(simulation).lookUp(intents(['a', 'b'])))).toEqual([
			'same',
			'none',
		]);
	});

	it('writes again what is paid again, if other processes may have overwritten it', async () => {
		const simulation = simulationWithoutLock();
		await newStore(simulation).record(intents(['a']));
		const before = storedIn(simulation) ?? [];
		const { store, record, flush } = newStore(simulation);
		const changed = [intent('a', { money: '101' })];
		await simulation.finish(store.recordAgain(changed, await record(changed)));
		simulation.database.rows.set(simulation.rowOf(NODE), { mode: 'entries', data: before });
		await flush();
		const known = (await newStore(simulation).lookUp(changed)).get('a');
		expect(known).toMatchObject({ earlier: 'same', timesPaidAgain: 1 });
	});

	it('sends nothing if another process took the lock over meanwhile, and keeps what is there', async () => {
		const simulation = new StateSimulation();
		const process = simulation.newProcess();
		const { store, record, flush } = newStore(simulation, process);
		const one = [intent('a', { duplicateKey: undefined })];
		const choose = async () => {
			simulation.database.rows.delete(simulation.lockRow);
			await process.pause(60_000);
			return new Set(['a']);
		};
		await expect(record(one, choose)).rejects.toThrow('another process went on');
		// It may be the other process that has recorded it, and sends it.
		store.forget('a');
		await flush();
		expect(earlierOf(await newStore(simulation).lookUp(one))).toEqual(['same']);
	});

	it('fails if it cannot look payments up, and then records nothing of them', async () => {
		const simulation = new StateSimulation();
		const { rows } = simulation.database;
		const asked = ['a', 'b'].map((key) => intent(key, { duplicateKey: undefined }));
		const { record, lookUp, flush } = newStore(simulation);
		await record(asked.slice(0, 1));
		const before = storedIn(simulation);
		failRemovals(simulation, [1, 2, 3]);
		await expect(lookUp(asked)).rejects.toThrow('database is locked');
		expect(rows.get(simulation.rowOf(NODE))?.data).not.toEqual(before);
		await flush();
		expect(storedIn(simulation)).toEqual(before);
	});

	it('fails if it cannot write, and then knows no payment', async () => {
		const simulation = new StateSimulation();
		const { rows } = simulation.database;
		const { record } = newStore(simulation);
		const { set } = rows;
		rows.set = () => {
			throw new Error('database or disk is full');
		};
		await expect(record(intents(['a']))).rejects.toThrow('disk is full');
		rows.set = set;
		expect(earlierOf(await record(intents(['a'])))).toEqual(['none']);
	});

	it.each<[string, unknown]>([
		['entries of something else', ['x', 'y']],
		['numbers', [1, 2]],
		['nothing', null],
		['an object', { 0: 'a' }],
		['a text', 'abc'],
	])('sends nothing if the row of the node holds %s', async (_, data) => {
		const simulation = new StateSimulation();
		const { rows } = simulation.database;
		const row = Object.freeze({ mode: 'entries', data: data as string[] });
		rows.set(simulation.rowOf(NODE), row);
		const { record, lookUp } = newStore(simulation);
		await expect(record(intents(['a']))).rejects.toThrow('damaged');
		if (Array.isArray(data)) await expect(lookUp(intents(['a']))).rejects.toThrow('damaged');
		expect(rows.get(simulation.rowOf(NODE))).toEqual(row);
	});

	describe('if a removal fails after it has asked for a marker', () => {
		/** A store that has to remove `a`, which was not sent. The first removals fail. */
		async function failing(failures: number) {
			const simulation = new StateSimulation();
			const { store, record } = newStore(simulation);
			await record(intents(['a']));
			store.forget('a');
			failRemovals(
				simulation,
				Array.from({ length: failures }, (_, index) => index + 1),
			);
			return { simulation, store };
		}

		it.each([1, 2])('removes the payment at the next attempt (%d failed)', async (failures) => {
			const { simulation, store } = await failing(failures);
			await simulation.finish(store.flush());
			expect(earlierOf(await newStore(simulation).record(intents(['a'])))).toEqual(['none']);
		});

		it.each([1, 2, 3])(
			'keeps a payment that was paid again meanwhile (%d failed)',
			async (failures) => {
				const { simulation, store } = await failing(failures);
				const removed = store.flush().catch(() => undefined);
				const again = simulation.store(NODE).recordAgain(intents(['a']), new Map());
				await simulation.finish(Promise.all([removed, again]));
				await simulation.finish(store.flush());
				expect(earlierOf(await newStore(simulation).record(intents(['a'])))).toEqual(['same']);
			},
		);
	});

	it.each([1, 2, 3, 4, 5, 6])(
		'removes an unsent payment although the database stands still at query %d of that',
		async (stalled) => {
			let queries = -Infinity;
			const simulation = new StateSimulation({
				nextLatency: () => (++queries === stalled ? 20_001 : 1),
			});
			const { store, record, flush } = newStore(simulation);
			await record(intents(['a']));
			store.forget('a');
			queries = 0;
			await flush();
			expect(earlierOf(await newStore(simulation).record(intents(['a'])))).toEqual(['none']);
		},
	);

	it('records nothing of a look-up that needed a second attempt', async () => {
		const simulation = new StateSimulation();
		const { rows } = simulation.database;
		const { record, lookUp } = newStore(simulation);
		await record(intents(['a']));
		const { set } = rows;
		for (const failing of [2, 3, 4]) {
			let writes = 0;
			rows.set = function (key, row) {
				// The writes are the lock, two questions, and what removes them again.
				if (++writes === failing) throw new Error('database is locked');
				return set.call(this, key, row);
			};
			expect([failing, ...earlierOf(await lookUp(intents(['a', 'b'])))]).toEqual([
				failing,
				'same',
				'none',
			]);
			rows.set = set;
		}
		expect(earlierOf(await record(intents(['b'])))).toEqual(['none']);
	});

	it('never takes a payment for sent with values that were not sent, whenever a process is killed', async () => {
		const MONEY = ['100', '101', '102'];
		for (let killAt = 1; killAt < 60; killAt++) {
			const simulation = new StateSimulation();
			await newStore(simulation).record([intent('a')]);
			const process = simulation.newProcess();
			killBefore(simulation, process, killAt);
			const { store } = newStore(simulation, process);
			void store
				.record([intent('a', { money: '101' }), intent('b', { money: '101' })], all)
				.then(
					async () =>
						await store.lookUp([intent('a', { money: '102' }), intent('c', { money: '102' })]),
				)
				.catch(() => undefined);
			await simulation.finish(simulation.clock.pause(10 * 60_000));
			simulation.database.onStatement = undefined;
			for (const money of MONEY) {
				const { lookUp } = newStore(simulation);
				const asked = ['a', 'b', 'c'].map((key) => intent(key, { money }));
				const [a, b, c] = earlierOf(await lookUp(asked));
				expect(c).not.toBe('same');
				if (money === '100') expect(a).toBe('same');
				else expect(['other', 'unclear']).toContain(a);
				if (money !== '101') expect(b).not.toBe('same');
			}
		}
	});

	it('takes a payment for one that was paid again only if it was, although two processes are killed while they ask', async () => {
		// Before which statements, of the twelve of a question.
		const KILLS = Array.from({ length: 12 * 12 }, (_, n) => [1 + (n % 12), 1 + Math.floor(n / 12)]);
		for (const kills of KILLS) {
			const simulation = new StateSimulation();
			await newStore(simulation).record([intent('a')]);
			for (const killAt of kills) {
				const process = simulation.newProcess();
				killBefore(simulation, process, killAt, (statement) => statement.endsWith('the node'));
				const { lookUp } = newStore(simulation, process);
				void lookUp([intent('a')]).catch(() => undefined);
				await simulation.finish(simulation.clock.pause(10 * 60_000));
				simulation.database.onStatement = undefined;
			}
			expect(earlierOf(await newStore(simulation).lookUp([intent('a')]))).toEqual(['same']);
		}
	});
});
