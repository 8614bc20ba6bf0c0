import fc from 'fast-check';

import { runsOr, SEED } from '../random';
import { cycle } from '../simulation/clock';
import type { Process } from '../simulation/process';
import { recordKeys, StateSimulation } from '../simulation/state';

const RUNS = runsOr(150);

const TIME_LIMIT_MS = RUNS * 300 + 60_000;

/** The workflow has two triggers and a node that sends payments: all of them use the lock. */
const TRIGGERS = ['trigger 1', 'trigger 2'];
const PAYOUT = 'payout';

/** The last process is never killed. */
const PROCESSES = 4;

const moment = fc.integer({ min: 0, max: 3_000 });
const anyProcess = fc.nat(PROCESSES - 1);

/** When and where an execution starts, and how long the workflow handles its events. */
const start = fc.record({
	at: moment,
	process: anyProcess,
	handlingMs: fc.integer({ min: 0, max: 300 }),
});

const event = fc.record({
	trigger: fc.nat(TRIGGERS.length - 1),
	deliveries: fc.array(start, { maxLength: 3 }),
	/** A poll emits the event alone if it was never delivered. */
	poll: start,
});

const scenario = fc.record({
	events: fc.array(event, { minLength: 1, maxLength: 4 }),
	/** Polls that emit all events of a trigger together. */
	fullPolls: fc.array(start, { maxLength: 2 }),
	payouts: fc.array(start, { maxLength: 3 }),
	/** The seed of everything random in the package. */
	seed: fc.noBias(fc.integer()),
	latencies: fc.array(fc.integer({ min: 0, max: 80 }), { minLength: 5, maxLength: 40 }),
	kills: fc.uniqueArray(
		fc.record({
			process: fc.nat(PROCESSES - 2),
			/** The step at which the process is killed, or null if it is killed at a moment. */
			step: fc.option(fc.nat(60), { freq: 3 }),
			at: moment,
		}),
		{ maxLength: PROCESSES - 1, selector: ({ process }) => process },
	),
	/** After which time and where a person retries a crashed execution. */
	retries: fc.array(fc.record({ after: moment, process: anyProcess }), {
		minLength: 3,
		maxLength: 8,
	}),
});

type Scenario = typeof scenario extends fc.Arbitrary<infer One> ? One : never;

type Start = typeof start extends fc.Arbitrary<infer One> ? One : never;

interface Execution {
	trigger: number;
	events: number[];
	/** The identifier with which the events were emitted. A retry has the same one. */
	id: string;
	handlingMs: number;
}

const nameOf = (trigger: number, event: number): string => `event ${event} of ${TRIGGERS[trigger]}`;

/** One run of a scenario: which events were emitted and which were handled. */
class ScenarioRun {
	readonly emitted = new Set<string>();

	readonly handled: string[] = [];

	readonly errors: unknown[] = [];

	private readonly simulation: StateSimulation;

	private readonly processes: Process[];

	/** The executions that each process is running. */
	private readonly running: Array<Set<Execution>>;

	/** The processes that are never killed: retries run there. */
	private readonly survivors: number[];

	private emissions = 0;

	private readonly nextRetry: () => Scenario['retries'][number];

	constructor(private readonly scenario: Scenario) {
		const { latencies, kills, retries, seed } = scenario;
		this.simulation = new StateSimulation({ nextLatency: cycle(latencies), seed });
		const numbers = Array.from({ length: PROCESSES }, (_, number) => number);
		this.processes = numbers.map(() => this.simulation.newProcess());
		this.running = numbers.map(() => new Set());
		this.survivors = numbers.filter((number) => !kills.some(({ process }) => process === number));
		this.nextRetry = cycle(retries);
	}

	async run(): Promise<void> {
		const { events, fullPolls, payouts, kills } = this.scenario;
		for (const { process: number, step, at } of kills) {
			const process = this.processes[number];
			process.onEnd = () => this.retryCrashed(number);
			if (step === null) this.simulation.clock.in(at, () => process.kill());
			else process.atStep(step, () => process.kill());
		}
		for (const [number, { trigger, deliveries, poll }] of events.entries()) {
			for (const delivery of deliveries) this.emit(trigger, [number], delivery);
			if (deliveries.length === 0) this.emit(trigger, [number], poll);
		}
		for (const poll of fullPolls) {
			for (const trigger of TRIGGERS.keys()) {
				const own = [...events.keys()].filter((number) => events[number].trigger === trigger);
				if (own.length > 0) this.emit(trigger, own, poll);
			}
		}
		for (const [number, { at, process }] of payouts.entries()) {
			this.do(at, async () => {
				const ledger = this.simulation.ledger(PAYOUT, this.processes[process]);
				await recordKeys(ledger, [`payment ${number}`]);
				await ledger.flush();
			});
		}
		await this.simulation.untilIdle();
	}

	private emit(trigger: number, events: number[], { at, process, handlingMs }: Start): void {
		for (const one of events) this.emitted.add(nameOf(trigger, one));
		const execution = { trigger, events, handlingMs, id: `emission ${++this.emissions}` };
		this.do(at, async () => {
			// A dead process receives nothing: the next one that lives does.
			let number = process;
			while (!this.processes[number].isAlive) number = (number + 1) % PROCESSES;
			await this.execute(number, execution);
		});
	}

	private async execute(number: number, execution: Execution): Promise<void> {
		const { trigger, events, id, handlingMs } = execution;
		const process = this.processes[number];
		this.running[number].add(execution);
		const incoming = events.map((one) => ({ key: `event ${one}`, id }));
		const isClaimed = await this.simulation.claim(process, TRIGGERS[trigger], incoming);
		await process.pause(handlingMs);
		this.running[number].delete(execution);
		this.handled.push(
			...events.filter((_, index) => isClaimed[index]).map((one) => nameOf(trigger, one)),
		);
	}

	/** A person retries what n8n lists as crashed. */
	private retryCrashed(killed: number): void {
		for (const execution of this.running[killed]) {
			const { after, process } = this.nextRetry();
			const number = this.survivors[process % this.survivors.length];
			this.do(after, async () => await this.execute(number, execution));
		}
	}

	private do(after: number, work: () => Promise<void>): void {
		void this.simulation.clock
			.pause(after)
			.then(work)
			.catch((error: unknown) => this.errors.push(error));
	}
}

async function expectEachOnce(one: Scenario): Promise<void> {
	const run = new ScenarioRun(one);
	await run.run();
	expect(run.errors).toEqual([]);
	expect(new Set(run.handled)).toEqual(run.emitted);
	// An execution that is killed before it removes its claim may take an event a second time.
	if (one.kills.length === 0) expect(run.handled).toHaveLength(run.emitted.size);
}

test(
	`each event is handled, and once unless a process is killed, however often it is emitted (${RUNS} scenarios, seed ${SEED})`,
	async () => {
		await fc.assert(
			fc.asyncProperty(scenario, expectEachOnce),
			// The limit also ends the shrinking of a scenario that fails.
			{
				numRuns: RUNS,
				seed: SEED,
				interruptAfterTimeLimit: TIME_LIMIT_MS,
				markInterruptAsFailure: true,
			},
		);
	},
	TIME_LIMIT_MS + 10_000,
);

const TRIGGER = 'trigger';

/** Events as one execution emits them. */
const emission = (id: string, keys: string[]) => keys.map((key) => ({ key, id }));

/** Claims events in a process, and lets time pass until it knows the answer. */
async function claimed(
	simulation: StateSimulation,
	id: string,
	keys: string[],
	process = simulation.newProcess(),
): Promise<boolean[]> {
	return await simulation.finish(simulation.claim(process, TRIGGER, emission(id, keys)));
}

/** The entries that n8n stores for the trigger. */
const storedIn = (simulation: StateSimulation): string[] =>
	simulation.database.rows.get(simulation.rowOf(TRIGGER))?.data ?? [];

test('the entries of an event are restored if another process may have overwritten them', async () => {
	let isOverwritten = false;
	const simulation = new StateSimulation({
		nextLatency: () => {
			const data = storedIn(simulation);
			// Another process read the row before, and writes it back when it has the event, its claim, the hour and the day.
			if (!isOverwritten && data.length === 4) {
				isOverwritten = true;
				simulation.database.rows.set(simulation.rowOf(TRIGGER), { mode: 'entries', data: [] });
			}
			return 1;
		},
	});
	// n8n's Remove Duplicates node has the row that is the lock otherwise.
	simulation.database.rows.set(simulation.lockRow, { mode: 'entries', data: ['x'] });

	expect(await claimed(simulation, 'first', ['event'])).toEqual([true]);
	expect(isOverwritten).toBe(true);
	expect(await claimed(simulation, 'second', ['other', 'event'])).toEqual([true, false]);
});

test('a claim works after another one has failed, and a claim of no events sends no query', async () => {
	const simulation = new StateSimulation();
	const { database } = simulation;
	const process = simulation.newProcess();
	database.nextFault = () => 'before';
	await expect(claimed(simulation, 'first', ['event'], process)).rejects.toThrow('SQLITE_BUSY');
	database.nextFault = () => undefined;
	expect(await claimed(simulation, 'second', ['event'], process)).toEqual([true]);

	let statements = 0;
	database.onStatement = () => statements++;
	expect(await claimed(simulation, 'third', [], process)).toEqual([]);
	expect(statements).toBe(0);
});

test('15,000 events are remembered, and one more drops the oldest', async () => {
	const simulation = new StateSimulation();
	const process = simulation.newProcess();
	const keys = Array.from({ length: 15_000 }, (_, number) => `event ${number}`);
	const claim = async (id: string, some: string[]) => await claimed(simulation, id, some, process);
	expect(await claim('poll', keys)).not.toContain(false);
	expect(await claim('delivery', [keys[0], keys[14_999]])).toEqual([false, false]);
	expect(await claim('delivery', ['one more'])).toEqual([true]);
	expect(simulation.database.rows.get(simulation.rowOf(TRIGGER))?.mode).toBe('entries');
	expect(storedIn(simulation).length).toBeLessThanOrEqual(2 * 15_000);
});

test('a retry gets the same events as the execution that it retries, however often it runs', async () => {
	const simulation = new StateSimulation();
	const process = simulation.newProcess();
	const claim = async (id: string) => await claimed(simulation, id, ['event'], process);
	expect(await claim('first')).toEqual([true]);
	for (let retry = 0; retry < 4; retry++) expect(await claim('second')).toEqual([false]);
	for (let retry = 0; retry < 4; retry++) expect(await claim('first')).toEqual([true]);
});

test('of several emissions of an event that are claimed together, the first gets it and keeps it', async () => {
	const simulation = new StateSimulation();
	const process = simulation.newProcess();
	const incoming = ['a', 'b', 'c'].map((id) => ({ key: 'event', id }));
	const claim = async (events: typeof incoming) =>
		await simulation.finish(simulation.claim(process, TRIGGER, events));
	for (let retry = 0; retry < 4; retry++) {
		expect(await claim(incoming)).toEqual([true, false, false]);
		expect(await claim(incoming.slice(1))).toEqual([false, false]);
	}
});

/**
 * A claim writes less often than this, so a process with this number lives. Kills before a read are not tried: they
 * leave the same as a kill before the next write.
 */
const WRITES = 5;

/** An execution that is retried until it has handled its events. */
interface Retried {
	incoming: Array<{ key: string; id: string }>;
	/** The keys of the events that it got, once it has handled them. */
	got: string[];
}

const retried = (id: string, keys: string[]): Retried => ({
	incoming: emission(id, keys),
	got: [],
});

/** Runs an execution in a new process. It may be killed before one of its writes, counted from 0. */
async function attempt(
	simulation: StateSimulation,
	execution: Retried,
	killedAt = Infinity,
): Promise<void> {
	const { incoming } = execution;
	const { database } = simulation;
	const process = simulation.newProcess();
	let writes = 0;
	database.onStatement = (statement) => {
		if (!statement.startsWith('SELECT') && writes++ === killedAt) process.kill();
	};
	const claim = simulation.claim(process, TRIGGER, incoming);
	if (killedAt === Infinity) {
		const isClaimed = await simulation.finish(claim);
		execution.got = incoming.filter((_, index) => isClaimed[index]).map(({ key }) => key);
		expect(writes).toBeLessThan(WRITES);
		return;
	}
	await simulation.untilIdle();
	// The next process would take the lock over after a while.
	database.rows.delete(simulation.lockRow);
}

/** The events that executions get in the end, if they are first killed before these writes. */
async function gotAfter(
	emissions: string[][],
	attempts: Array<{ which: number; killedAt: number }>,
): Promise<string[]> {
	const simulation = new StateSimulation();
	const executions = emissions.map((keys, index) => retried(`emission ${index}`, keys));
	for (const { which, killedAt } of attempts) {
		await attempt(simulation, executions[which], killedAt);
	}
	for (const execution of executions) await attempt(simulation, execution);
	return executions.flatMap(({ got }) => got).sort();
}

/** Kills the executions of `order` before every combination of writes, and expects each event once in the end. */
async function expectOnce(
	emissions: string[][],
	order: number[],
	mayBeTwice: (kills: number[]) => boolean = () => false,
): Promise<void> {
	const once = [...new Set(emissions.flat())].sort().join();
	const twice = emissions.flat().sort().join();
	for (let number = 0; number < WRITES ** order.length; number++) {
		const kills = order.map((_, place) => Math.floor(number / WRITES ** place) % WRITES);
		const attempts = order.map((which, place) => ({ which, killedAt: kills[place] }));
		const got = (await gotAfter(emissions, attempts)).join();
		if (got !== once && !(mayBeTwice(kills) && got === twice)) {
			expect({ kills, got }).toEqual({ kills, got: once });
		}
	}
}

test('an event that a killed execution has not claimed goes to the next execution', async () => {
	const isLeft = [];
	for (let killedAt = 0; killedAt < WRITES; killedAt++) {
		const simulation = new StateSimulation();
		const [first, second] = [retried('first', ['event']), retried('second', ['event'])];
		await attempt(simulation, first, killedAt);
		// Both entries of a claim are written together.
		isLeft.push(storedIn(simulation).length < 2);
		await attempt(simulation, second);
		expect(second.got).toEqual(isLeft[killedAt] ? ['event'] : []);
	}
	expect(new Set(isLeft).size).toBe(2);
});

describe('an event that is emitted twice is handled once, wherever its executions are killed and retried', () => {
	const TWICE = [['event'], ['event']];

	test.each([
		['the first is killed three times', TWICE, [0, 0, 0]],
		[
			'each has another event in addition',
			[
				['a', 'event'],
				['event', 'z'],
			],
			[0, 0],
		],
		['the second has another event', [['event'], ['another']], [1, 0, 0]],
	])('%s', async (_, emissions, order) => await expectOnce(emissions, order), 60_000);

	test('it may be handled twice, but never not at all, if the second is killed before it removes its claim', async () => {
		const mayBeTwice = ([, killedAt]: number[]) => killedAt >= 2;
		await expectOnce(TWICE, [0, 1], mayBeTwice);
	}, 60_000);
});
