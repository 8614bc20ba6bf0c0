import fc from 'fast-check';

import { runsOr, SEED } from '../random';
import { cycle } from '../simulation/clock';
import type { Package } from '../simulation/package';
import type { Process } from '../simulation/process';
import { StateSimulation } from '../simulation/state';

const RUNS = runsOr(150);

const NODE = 'node-1';

const PROCESSES = 3;

const LIMIT = 1_000;

type DailyLimit = InstanceType<Package['DailyLimit']>;

type Row = Parameters<DailyLimit['reserve']>[0][number];

const row = (key: string, amount: number): Row =>
	({ idempotencyKey: key, itemIndex: 0, values: { amount: String(amount) } }) as unknown as Row;

/** The daily limit of a node, as an execution in a process has it. */
function limitOf(simulation: StateSimulation, process = simulation.newProcess()): DailyLimit {
	const batch = {
		context: { getTimezone: () => 'America/La_Paz' },
		endpoint: { amount: ({ amount }: Row['values']) => ({ amount, currency: 'BOB' }) },
	};
	return new process.package.DailyLimit(
		batch as never,
		simulation.store(NODE, process),
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
							if (isRejected()) limit.release(payment);
							else sent += Number(payment.values.amount);
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
