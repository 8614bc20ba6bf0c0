import fc from 'fast-check';

import type { Intent, Known } from '../../nodes/ledger/idempotencyStore';
import { runsOr, SEED } from '../random';
import { cycle } from '../simulation/clock';
import { StateSimulation } from '../simulation/state';

/*
 * Executions of a node with an idempotency store: they pay, pay again, correct rows, and are killed. What the store
 * knows in the end has to be what was sent.
 */

const NODE = 'node-1';

const RUNS = runsOr(50);

const PROCESSES = 2;

/** All payments of one number have the same reference. A corrected one has another account or amount. */
const row = fc.record({
	payment: fc.nat(4),
	amount: fc.integer({ min: 1, max: 2 }),
	account: fc.integer({ min: 1, max: 2 }),
	outcome: fc.constantFrom('created', 'created', 'unknown', 'rejected', 'notSent'),
	/** How often a person wants it to be paid again, in total. */
	timesToPayAgain: fc.constantFrom(0, 0, 0, 1, 2),
});

type Row = typeof row extends fc.Arbitrary<infer One> ? One : never;

const scenario = fc.record({
	executions: fc.array(
		fc.record({
			startsAt: fc.integer({ min: 0, max: 8_000 }),
			process: fc.nat(PROCESSES - 1),
			rows: fc.uniqueArray(row, {
				selector: ({ payment }) => payment,
				minLength: 1,
				maxLength: 4,
			}),
			chunkSize: fc.integer({ min: 1, max: 4 }),
			isDryRun: fc.boolean(),
		}),
		{ minLength: 1, maxLength: 8 },
	),
	latencies: fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 5, maxLength: 30 }),
	/** When a process is killed, if one is. */
	kill: fc.option(
		fc.record({ process: fc.nat(PROCESSES - 1), at: fc.integer({ min: 0, max: 9_000 }) }),
	),
	seed: fc.noBias(fc.integer()),
});

type Scenario = typeof scenario extends fc.Arbitrary<infer One> ? One : never;

const keyOf = ({ payment }: Pick<Row, 'payment'>): string => `payment ${payment}`;

const payeeOf = ({ payment }: Pick<Row, 'payment'>): string => `payee ${payment % 3}`;

const digestOf = ({ payment, amount, account }: Row): string =>
	`${payeeOf({ payment })} ${account} ${amount}`;

/** Two payments of one payee with one amount are duplicates. */
const duplicateKeyOf = ({ payment, amount }: Row): string => `${payeeOf({ payment })} ${amount}`;

const intentOf = (one: Row): Intent => ({
	key: keyOf(one),
	digest: digestOf(one),
	duplicateKey: duplicateKeyOf(one),
	payee: { id: payeeOf(one), account: String(one.account) },
});

/** A payment that may exist. */
interface Sent {
	one: Row;
	/** The number of the time that it was paid again; 0 for the first payment. */
	time: number;
}

class Run {
	readonly simulation: StateSimulation;

	readonly sent: Sent[] = [];

	/** Payments whose last moments in a killed process nobody knows. */
	readonly touchedByKilled = new Set<string>();

	/** Payments that an execution has begun to pay again. */
	readonly paidAgain = new Set<string>();

	readonly found: string[] = [];

	constructor(private readonly scenario: Scenario) {
		const { latencies, seed } = scenario;
		this.simulation = new StateSimulation({ nextLatency: cycle(latencies), seed });
	}

	async end(): Promise<void> {
		const { simulation, scenario } = this;
		const processes = Array.from({ length: PROCESSES }, () => simulation.newProcess());
		const { kill } = scenario;
		if (kill) simulation.clock.in(kill.at, () => processes[kill.process].kill());
		const errors: unknown[] = [];
		for (const execution of scenario.executions) {
			const process = processes[execution.process];
			if (kill?.process === execution.process)
				for (const one of execution.rows) this.touchedByKilled.add(keyOf(one));
			this.execute(execution, process).catch((error: unknown) => errors.push(error));
		}
		await simulation.untilIdle();
		expect(errors).toEqual([]);
	}

	/** Pays the rows as a batch does. */
	private async execute(
		{ startsAt, rows, chunkSize, isDryRun }: Scenario['executions'][number],
		process: ReturnType<StateSimulation['newProcess']>,
	): Promise<void> {
		await process.pause(startsAt);
		const store = this.simulation.store(NODE, process);
		if (isDryRun) return void (await store.lookUp(rows.map(intentOf)));
		for (let from = 0; from < rows.length; from += chunkSize) {
			const chunk = rows.slice(from, from + chunkSize);
			const isHeld = (one: Row, known: ReadonlyMap<string, Known>) =>
				known.get(keyOf(one))?.isDuplicate === true ||
				chunk.some((other) => other !== one && duplicateKeyOf(other) === duplicateKeyOf(one));
			const known = await store.record(
				chunk.map(intentOf),
				async (found) =>
					await Promise.resolve(
						new Set(
							chunk.flatMap((one) =>
								found.get(keyOf(one))?.earlier === 'none' && !isHeld(one, found) ? keyOf(one) : [],
							),
						),
					),
			);
			const isAgain = (one: Row) => {
				const { earlier = 'none', timesPaidAgain = 0 } = known.get(keyOf(one)) ?? {};
				return earlier !== 'none' && one.timesToPayAgain > timesPaidAgain;
			};
			const again = chunk.filter(isAgain);
			for (const one of again) this.paidAgain.add(keyOf(one));
			const late = await store.recordAgain(again.map(intentOf), known);
			for (const one of chunk) {
				const { earlier, lastTime = 0 } = known.get(keyOf(one)) ?? {};
				const isNew = earlier === 'none' && !isHeld(one, known);
				if (!isNew && (!isAgain(one) || late.has(keyOf(one)))) continue;
				const isSent = one.outcome === 'created' || one.outcome === 'unknown';
				if (isSent) this.send(one, isNew ? 0 : lastTime + 1);
				await process.pause(20);
				if (!isSent) store.forget(keyOf(one));
			}
		}
		await store.flush();
	}

	private send(one: Row, time: number): void {
		if (this.sent.some((other) => keyOf(other.one) === keyOf(one) && other.time === time))
			this.found.push(`${keyOf(one)} is sent twice for time ${time}`);
		if (
			time === 0 &&
			this.sent.some(
				(other) =>
					keyOf(other.one) !== keyOf(one) && duplicateKeyOf(other.one) === duplicateKeyOf(one),
			)
		)
			this.found.push(`${keyOf(one)} is a duplicate`);
		this.sent.push({ one, time });
	}

	/** Compares what the store knows with what was sent. */
	async compare(): Promise<void> {
		const lookUp = async (one: Row): Promise<Known | undefined> => {
			const store = this.simulation.store(NODE);
			const known = await this.simulation.finish(store.lookUp([intentOf(one)]));
			return known.get(keyOf(one));
		};
		const base = { outcome: 'created', timesToPayAgain: 0 } as const;
		for (const payment of [0, 1, 2, 3, 4]) {
			const own = this.sent.filter(({ one }) => one.payment === payment);
			const last = own.reduce<Sent | undefined>(
				(a, b) => (a && a.time > b.time ? a : b),
				undefined,
			);
			const isClear = !this.touchedByKilled.has(keyOf({ payment }));
			for (const amount of [1, 2]) {
				for (const account of [1, 2]) {
					const one = { ...base, payment, amount, account };
					const known = await lookUp(one);
					const isLast = last !== undefined && digestOf(last.one) === digestOf(one);
					const expected = last === undefined ? 'none' : isLast ? 'same' : 'other';
					const name = `${keyOf(one)} as ${digestOf(one)}`;
					// A payment that one execution has not sent stays recorded if another wants it paid again meanwhile.
					const mayStay = last === undefined && this.paidAgain.has(keyOf(one));
					if (isClear && !mayStay && known?.earlier !== expected)
						this.found.push(`${name} is ${known?.earlier}, not ${expected}`);
					if (isClear && last !== undefined && known?.timesPaidAgain !== last.time)
						this.found.push(
							`${name} was paid again ${known?.timesPaidAgain} times, not ${last.time}`,
						);
					if (last !== undefined && (known?.timesPaidAgain ?? 0) < last.time)
						this.found.push(`${name} counts as paid again too rarely`);
					if (isClear && last === undefined && known?.earlier === 'same')
						this.found.push(`${name} counts as sent, but nothing was`);
					if (last !== undefined && known?.earlier === 'none')
						this.found.push(`${name} counts as new, but its reference was sent`);
					// Its values may be those that the killed process was about to send.
					const wasMeant = this.scenario.executions.some(({ rows }) =>
						rows.some((other) => keyOf(other) === keyOf(one) && digestOf(other) === digestOf(one)),
					);
					if (known?.earlier === 'same' && !wasMeant)
						this.found.push(`${name} counts as sent, but nobody has it`);
				}
			}
		}
	}

	/** Compares what the store knows of payees with what was sent. A reference that nobody has asks for them. */
	async comparePayees(): Promise<void> {
		const mayCountMore = this.scenario.kill !== null || this.paidAgain.size > 0;
		for (const payment of [0, 1, 2]) {
			for (const amount of [1, 2]) {
				for (const account of [1, 2]) {
					const one: Row = { payment, amount, account, outcome: 'created', timesToPayAgain: 0 };
					const asked = { ...intentOf(one), key: 'another' };
					const store = this.simulation.store(NODE);
					const known = (await this.simulation.finish(store.lookUp([asked]))).get('another');
					const toPayee = this.sent.filter((other) => payeeOf(other.one) === payeeOf(one));
					const isDuplicate = toPayee.some((other) => other.one.amount === amount);
					const isAccountNew =
						toPayee.length > 0 && !toPayee.some((other) => other.one.account === account);
					const name = `${payeeOf(one)} ${account} ${amount}`;
					if (isDuplicate && known?.isDuplicate !== true)
						this.found.push(`${name} does not count as a duplicate`);
					if (!isDuplicate && !mayCountMore && known?.isDuplicate === true)
						this.found.push(`${name} counts as a duplicate`);
					if (toPayee.length > 0 && known?.isPayeeNew !== false)
						this.found.push(`${name} counts as a new payee`);
					if (isAccountNew && !mayCountMore && known?.isAccountNew !== true)
						this.found.push(`${name} does not count as a new account`);
				}
			}
		}
	}
}

test(
	`the store knows what was sent, and nothing else (${RUNS} scenarios, seed ${SEED})`,
	async () => {
		await fc.assert(
			fc.asyncProperty(scenario, async (one) => {
				const run = new Run(one);
				await run.end();
				await run.compare();
				await run.comparePayees();
				expect(run.found).toEqual([]);
			}),
			{ numRuns: RUNS, seed: SEED },
		);
	},
	RUNS * 1_000 + 60_000,
);
