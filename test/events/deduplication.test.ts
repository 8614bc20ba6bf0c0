import fc from 'fast-check';

import { Database, pause, Process } from '../memory/processes';
import { inSimulatedTime } from '../memory/simulatedTime';
import { runsOr, SEED } from '../random';

const RUNS = runsOr(2_000);

const MAX_MS = RUNS * 300 + 60_000;

/** Two triggers of the same workflow, and a node that sends payments. */
const TRIGGERS = ['trigger 1', 'trigger 2'];
const PAYMENTS = 'payments';

/** These may be killed; the last one is not. */
const MORTAL = 3;

const moment = fc.integer({ min: 0, max: 3_000 });
const anyProcess = fc.nat(MORTAL);

/** When and where an execution starts, and how long it handles what it was given. */
const start = fc.record({
	at: moment,
	process: anyProcess,
	handles: fc.integer({ min: 0, max: 300 }),
});

const event = fc.record({
	trigger: fc.nat(TRIGGERS.length - 1),
	/** None: it is missed, and catching up hands it over by itself. */
	deliveries: fc.array(start, { maxLength: 3 }),
	catchUp: start,
});

const world = fc.record({
	events: fc.array(event, { minLength: 1, maxLength: 4 }),
	/** Catching up hands over all events together. */
	fullLooks: fc.array(start, { maxLength: 2 }),
	payments: fc.array(start, { maxLength: 3 }),
	/** Of what the package leaves to chance. */
	seed: fc.noBias(fc.integer()),
	latencies: fc.array(fc.integer({ min: 0, max: 80 }), { minLength: 5, maxLength: 40 }),
	kills: fc.uniqueArray(
		fc.record({
			process: fc.nat(MORTAL - 1),
			/** At which query, unless it is at a time. */
			query: fc.option(fc.nat(30), { freq: 3 }),
			at: moment,
		}),
		{ maxLength: MORTAL, selector: ({ process: number }) => number },
	),
	/** How long nobody runs a killed execution again, and where it is done. */
	secondAttempts: fc.array(fc.record({ after: moment, process: anyProcess }), {
		minLength: 3,
		maxLength: 8,
	}),
});

type World = typeof world extends fc.Arbitrary<infer One> ? One : never;

interface Execution {
	trigger: number;
	events: number[];
	/** Of the hand-over; a second attempt has it, too. */
	id: string;
	handles: number;
}

type Start = typeof start extends fc.Arbitrary<infer One> ? One : never;

const nameOf = (trigger: number, event: number): string => `event ${event} of ${TRIGGERS[trigger]}`;

/** What happens in a world, to whom events were handed over, and which of them were handled. */
class Happening {
	readonly handedOver = new Set<string>();

	readonly handled: string[] = [];

	readonly failed: unknown[] = [];

	private readonly processes: Process[];

	private readonly underWay: Array<Set<Execution>>;

	/** Where second attempts are made: they are not killed. */
	private readonly steady: number[];

	private handOvers = 0;

	private secondAttempts = 0;

	private queries = 0;

	constructor(private readonly world: World) {
		const { latencies, kills } = world;
		const database = new Database(() => latencies[this.queries++ % latencies.length]);
		const numbers = Array.from({ length: MORTAL + 1 }, (_, number) => number);
		this.processes = numbers.map((number) => new Process(database, number));
		this.underWay = numbers.map(() => new Set());
		this.steady = numbers.filter((number) => !kills.some(({ process }) => process === number));
	}

	begin(): void {
		const { events, fullLooks, payments, kills } = this.world;
		for (const { process: number, query, at } of kills) {
			this.processes[number].onEnd = () => this.runAgain(number);
			if (query !== null) this.processes[number].queriesLeft = query;
			else this.do(at, async () => this.processes[number].kill());
		}
		for (const [event, { trigger, deliveries, catchUp }] of events.entries()) {
			for (const delivery of deliveries) this.handOver(trigger, [event], delivery);
			if (deliveries.length === 0) this.handOver(trigger, [event], catchUp);
		}
		for (const look of fullLooks) {
			for (const trigger of TRIGGERS.keys()) {
				const own = [...events.keys()].filter((event) => events[event].trigger === trigger);
				if (own.length > 0) this.handOver(trigger, own, look);
			}
		}
		for (const [number, { at, process }] of payments.entries()) {
			this.do(at, async () => {
				const memory = this.processes[process].memoryOf(PAYMENTS);
				await memory.record([`payment ${number}`]);
				await memory.flush();
			});
		}
	}

	private handOver(trigger: number, events: number[], { at, process, handles }: Start): void {
		for (const event of events) this.handedOver.add(nameOf(trigger, event));
		const execution = { trigger, events, handles, id: `hand-over ${++this.handOvers}` };
		this.do(at, async () => {
			// Nobody calls a process that is dead.
			let number = process;
			while (!this.processes[number].isAlive) number = (number + 1) % this.processes.length;
			await this.execute(number, execution);
		});
	}

	private async execute(number: number, execution: Execution): Promise<void> {
		const { trigger, events, id, handles } = execution;
		const process = this.processes[number];
		this.underWay[number].add(execution);
		const arrivals = events.map((event) => ({ key: `event ${event}`, id }));
		const isTaken = await process.takeEvents(TRIGGERS[trigger], arrivals);
		await pause(handles);
		await process.orNever();
		this.underWay[number].delete(execution);
		this.handled.push(
			...events.filter((_, index) => isTaken[index]).map((event) => nameOf(trigger, event)),
		);
	}

	/** Somebody retries what n8n lists as crashed. */
	private runAgain(killed: number): void {
		const { secondAttempts } = this.world;
		for (const execution of this.underWay[killed]) {
			const { after, process } = secondAttempts[this.secondAttempts++ % secondAttempts.length];
			const number = this.steady[process % this.steady.length];
			this.do(after, async () => await this.execute(number, execution));
		}
	}

	private do(at: number, work: () => Promise<void>): void {
		void pause(at)
			.then(work)
			.catch((error: unknown) => this.failed.push(error));
	}
}

async function expectEachOnce(one: World): Promise<void> {
	const happening = new Happening(one);
	await inSimulatedTime(one.seed, () => happening.begin());
	expect(happening.failed).toEqual([]);
	expect(happening.handled.toSorted()).toEqual([...happening.handedOver].toSorted());
}

test(
	`each event is handled once, however often it comes, wherever, and whoever is killed (${RUNS} scenarios, seed ${SEED})`,
	async () => {
		await fc.assert(
			fc.asyncProperty(world, expectEachOnce),
			// A world that fails is made smaller, for no longer than this.
			{
				numRuns: RUNS,
				seed: SEED,
				interruptAfterTimeLimit: MAX_MS,
				markInterruptAsFailure: true,
			},
		);
	},
	MAX_MS + 10_000,
);

test('of two who lose patience with a killed process at the same moment, one alone takes its turn', async () => {
	const now = { at: 0, process: 0, handles: 0 };
	await expectEachOnce({
		events: [
			{ trigger: 0, deliveries: [now, { ...now, at: 994 }], catchUp: now },
			{ trigger: 0, deliveries: [{ ...now, at: 1_938, process: 2 }], catchUp: now },
		],
		fullLooks: [],
		payments: [],
		seed: 1_253_395_025,
		// One reads the row before the other has taken it, and writes it after that.
		latencies: [0, 79, 5, 5, 73, 0, 67, 79, 4, 67, 41, 75, 1, 6, 1],
		kills: [
			{ process: 1, query: 16, at: 0 },
			{ process: 0, query: 5, at: 0 },
		],
		secondAttempts: [
			{ after: 91, process: 1 },
			{ after: 0, process: 0 },
		],
	});
});

/** Events as one hand-over brings them. */
const handOver = (id: string, keys: string[]) => keys.map((key) => ({ key, id }));

/** Where n8n keeps what the trigger remembers. */
const rowOf = ({ workflow }: Database) => `${workflow.id} n:trigger`;

/** What an execution is given, in simulated time. */
async function taken(process: Process, ...keys: string[]): Promise<boolean[]> {
	let answer: boolean[] = [];
	await inSimulatedTime(1, () => {
		const asked = process.takeEvents('trigger', handOver(`hand-over of ${keys.join()}`, keys));
		void asked.then((given) => (answer = given));
	});
	return answer;
}

test('what another process may have overwritten is written again', async () => {
	let row: { data: string[] } | undefined;
	const database = new Database(() => {
		const now = database.rows.get(rowOf(database));
		// Another process had read the row before, and writes it back once all of the event is there.
		if (row === undefined && now?.data.length === 5) {
			row = now;
			database.rows.set(rowOf(database), { ...now, data: [] });
		}
		return 1;
	});
	// n8n's Remove Duplicates node has the row that is locked otherwise.
	database.rows.set(`${database.workflow.id} `, { mode: 'entries', data: ['somebody'] });

	expect(await taken(new Process(database, 0), 'event')).toEqual([true]);
	expect(row).toBeDefined();
	expect(await taken(new Process(database, 1), 'other', 'event')).toEqual([true, false]);
});

test('after a question that failed the next one is asked', async () => {
	let isBroken = true;
	let queries = 0;
	const database = new Database(() => {
		queries++;
		if (isBroken) throw new Error('SQLITE_BUSY');
		return 1;
	});
	const process = new Process(database, 0);
	const failed = await process
		.takeEvents('trigger', handOver('a', ['event']))
		.catch((error: Error) => error.message);
	expect(failed).toContain('SQLITE_BUSY');
	isBroken = false;
	expect(await taken(process, 'event')).toEqual([true]);

	queries = 0;
	expect(await process.takeEvents('trigger', [])).toEqual([]);
	expect(queries).toBe(0);
});

test('25,000 events are known, and the oldest is forgotten for one more', async () => {
	const database = new Database();
	const process = new Process(database, 0);
	const many = Array.from({ length: 25_000 }, (_, number) => `event ${number}`);
	const ask = async (id: string, keys: string[]) =>
		await process.takeEvents('trigger', handOver(id, keys));
	expect(await ask('look', many)).not.toContain(false);
	expect(await ask('delivery', [many[0], many[24_999]])).toEqual([false, false]);
	expect(await ask('delivery', ['one more'])).toEqual([true]);
	const { mode, data = [] } = database.rows.get(rowOf(database)) ?? {};
	expect(mode).toBe('entries');
	expect(data.length).toBeLessThanOrEqual(5 * 25_000);
});

test('an execution that was given nothing is given nothing, however often it is run again', async () => {
	const process = new Process(new Database(), 0);
	const ask = async (id: string) => await process.takeEvents('trigger', handOver(id, ['event']));
	expect(await ask('first')).toEqual([true]);
	for (let time = 0; time < 4; time++) expect(await ask('second')).toEqual([false]);
	for (let time = 0; time < 4; time++) expect(await ask('first')).toEqual([true]);
});

test('of several arrivals of an event one is given it, and keeps it', async () => {
	const process = new Process(new Database(), 0);
	const arrivals = ['a', 'b', 'c'].map((id) => ({ key: 'event', id }));
	for (let time = 0; time < 4; time++) {
		expect(await process.takeEvents('trigger', arrivals)).toEqual([true, false, false]);
		expect(await process.takeEvents('trigger', arrivals.slice(1))).toEqual([false, false]);
	}
});

/** A question takes fewer queries: one that is killed at this one has its answer, and is handling it. */
const MAX_QUERIES = 14;

/** An execution that is run until it has handled what it was given. */
interface Attempted {
	arrivals: Array<{ key: string; id: string }>;
	/** What it was given, once it has handled that. */
	given: string[];
}

/** Runs an execution in a process of its own, of those that a world has. */
async function attempt(
	database: Database,
	number: number,
	execution: Attempted,
	killedAt = Infinity,
): Promise<void> {
	const { arrivals } = execution;
	const process = new Process(database, number);
	process.queriesLeft = killedAt;
	await inSimulatedTime(1, () => {
		void process.takeEvents('trigger', arrivals).then((isTaken) => {
			if (killedAt < Infinity) return;
			execution.given = arrivals.filter((_, index) => isTaken[index]).map(({ key }) => key);
		});
	});
	// As if the next one had waited until it lost patience.
	if (killedAt < Infinity) database.rows.delete(`${database.workflow.id} `);
}

/** What two executions are given in the end, if one after the other is killed at these queries. */
async function givenAfter(
	deliveries: string[][],
	attempts: Array<{ which: number; killedAt: number }>,
): Promise<string[]> {
	const database = new Database();
	const executions = deliveries.map((own, index): Attempted => ({
		arrivals: handOver(`id ${index}`, own),
		given: [],
	}));
	for (const [number, { which, killedAt }] of attempts.entries()) {
		await attempt(database, number, executions[which], killedAt);
	}
	for (const execution of executions) await attempt(database, attempts.length, execution);
	return executions.flatMap(({ given }) => given).sort();
}

/** Kills the executions at every query, in that order, and compares what they are given in the end. */
async function expectOnce(
	deliveries: string[][],
	order: number[],
	mayBeTwice: (kills: number[]) => boolean = () => false,
): Promise<void> {
	const once = [...new Set(deliveries.flat())].sort().join();
	for (let number = 0; number < MAX_QUERIES ** order.length; number++) {
		const kills = order.map((_, place) => Math.floor(number / MAX_QUERIES ** place) % MAX_QUERIES);
		const attempts = order.map((which, place) => ({ which, killedAt: kills[place] }));
		const given = await givenAfter(deliveries, attempts);
		const wanted = mayBeTwice(kills) ? [once, deliveries.flat().sort().join()] : [once];
		if (!wanted.includes(given.join())) expect({ kills, given }).toEqual(once);
	}
}

test('where one is killed before it has taken its event, the next one is given it', async () => {
	const [first, second] = ['first', 'second'].map((id): Attempted => ({
		arrivals: handOver(id, ['event']),
		given: [],
	}));
	const isLeft = [];
	for (let killedAt = 0; killedAt < MAX_QUERIES; killedAt++) {
		const database = new Database();
		await attempt(database, 0, first, killedAt);
		const entries = database.rows.get(rowOf(database))?.data ?? [];
		// All of them are written at once.
		isLeft.push(entries.length < 5);
		await attempt(database, 1, second);
		expect(second.given).toEqual(isLeft[killedAt] ? ['event'] : []);
	}
	expect(new Set(isLeft).size).toBe(2);
});

describe('an event that came twice is given to one, wherever they are killed and run again', () => {
	const ONE = [['event'], ['event']];

	test.each([
		['one after the other', ONE, [0, 1, 0]],
		['one three times', ONE, [0, 0, 0]],
		['one twice, then the other', ONE, [0, 0, 1]],
		[
			'one after the other, beside other events',
			[
				['a', 'event'],
				['event', 'z'],
			],
			[0, 1, 0],
		],
		['one that came once, after another event', [['event'], ['another']], [1, 0, 0]],
	])('%s', async (_, deliveries, order) => await expectOnce(deliveries, order), 120_000);

	test('but where the one that does not get it is killed twice while it asks: it is never lost', async () => {
		// From when its first claim is there to when it has taken both back.
		const isAsking = (killedAt: number) => killedAt > 6 && killedAt < 11;
		const mayBeTwice = ([, ...kills]: number[]) => kills.every(isAsking);
		await expectOnce(ONE, [0, 1, 1], mayBeTwice);
	}, 120_000);
});
