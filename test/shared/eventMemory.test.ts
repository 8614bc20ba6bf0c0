import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import type { IDataObject, IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';

import type * as DeliveryModule from '../../nodes/PartnerPaymentsTrigger/delivery';
import type * as EventMemoryModule from '../../nodes/shared/eventMemory';

type EventMemory = typeof EventMemoryModule;
type LoggedEvent = EventMemoryModule.LoggedEvent;

/** The code as another process has it: nothing is shared but n8n's database. */
function inAnotherProcess(): EventMemory {
	let memory: EventMemory | undefined;
	jest.isolateModules(() => {
		memory = jest.requireActual<EventMemory>('../../nodes/shared/eventMemory');
	});
	return memory as EventMemory;
}

const pause = async (ms: number) => await new Promise((resolve) => setTimeout(resolve, ms));

/** n8n's table of what was processed: a row is read and written in two steps, and inserted only once. */
class Database {
	readonly rows = new Map<string, string[]>();

	/** @param latency gives the milliseconds that a query takes */
	constructor(private readonly latency: () => number) {}

	async read(name: string): Promise<string[] | undefined> {
		await pause(this.latency());
		const row = this.rows.get(name);
		await pause(this.latency());
		return row && [...row];
	}

	async write(name: string, entries: string[], isNew: boolean): Promise<void> {
		await pause(this.latency());
		if (isNew && this.rows.has(name)) throw new Error('duplicate key value');
		if (isNew || this.rows.has(name)) this.rows.set(name, entries);
		await pause(this.latency());
	}

	async delete(name: string): Promise<void> {
		await pause(this.latency());
		this.rows.delete(name);
	}
}

const hash = (entry: string) => createHash('md5').update(entry).digest('hex');

/** What an execution of a node has of n8n. */
function executionOf(
	database: Database,
	nodeId: string,
	log: (line: string) => void = () => undefined,
): IExecuteFunctions {
	const rowOf = (scope: string) => (scope === 'node' ? nodeId : 'workflow');
	return {
		getExecutionId: () => '7',
		logger: { info: log },
		getWorkflow: () => ({ id: 'workflow-1' }),
		getNode: () => ({ id: nodeId }),
		// As in a worker of queue mode.
		getWorkflowStaticData: () => ({}),
		helpers: {
			async checkProcessedAndRecord(entries: string[], scope: string) {
				const row = await database.read(rowOf(scope));
				const unseen = entries.filter((entry) => !row?.includes(hash(entry)));
				await database.write(rowOf(scope), [...(row ?? []), ...unseen.map(hash)], !row);
				return { new: unseen, processed: entries.filter((entry) => !unseen.includes(entry)) };
			},
			async removeProcessed(entries: string[], scope: string) {
				const row = (await database.read(rowOf(scope))) ?? [];
				const gone = new Set(entries.map(hash));
				const kept = row.filter((entry) => !gone.has(entry));
				await database.write(rowOf(scope), kept, false);
			},
			async clearAllProcessedItems(scope: string) {
				await database.delete(rowOf(scope));
			},
		},
	} as unknown as IExecuteFunctions;
}

const eventOf = (number: number): IDataObject => ({
	status: 'completed_transaction',
	details: { transactionId: `transaction-${number}` },
});

beforeEach(() => {
	jest.useFakeTimers();
});
afterEach(() => {
	jest.useRealTimers();
});

/** Lets time pass until the work is done. */
async function finish<T>(work: Promise<T>): Promise<T> {
	let isDone = false;
	const done = work.finally(() => (isDone = true));
	done.catch(() => undefined);
	while (!isDone) await jest.advanceTimersByTimeAsync(100);
	return await done;
}

/** When an event is delivered, in milliseconds, and to which workers. */
interface Delivery {
	at: number;
	workers: number[];
}

const WORKERS = 3;
const LATENCIES = fc.array(fc.integer({ min: 0, max: 80 }), { minLength: 5, maxLength: 50 });
const SCHEDULE_MS = 4_000;

describe('events that several workers get, with recovery on schedule', () => {
	const workers = Array.from({ length: WORKERS }, inAnotherProcess);

	it('are each given out once, whatever comes together', async () => {
		await fc.assert(
			fc.asyncProperty(
				// An event that goes to no worker was missed.
				fc.array(
					fc.record({
						at: fc.integer({ min: 0, max: 20_000 }),
						workers: fc.array(fc.nat(WORKERS - 1), { maxLength: 3 }),
					}),
					{ minLength: 1, maxLength: 60 },
				),
				LATENCIES,
				async (deliveries, latencies) => {
					expect(await handledBy(deliveries, latencies)).toEqual(deliveries.map(() => 1));
				},
			),
			// The same cases each time: with slow databases, chance could still find more misfortunes than are looked after.
			{ numRuns: 300, seed: 1 },
		);
	}, 120_000);

	async function handledBy(deliveries: Delivery[], latencies: number[]): Promise<number[]> {
		const start = Date.now();
		let query = 0;
		const database = new Database(() => latencies[query++ % latencies.length]);
		const handled = deliveries.map(() => 0);

		const deliver = async ({ at, workers: receivers }: Delivery, number: number) =>
			await Promise.all(
				receivers.map(async (worker, nth) => {
					await pause(at + nth);
					// As the trigger does with what it got a moment ago.
					if (nth > 0) await workers[worker].letSettle(executionOf(database, 'trigger'));
					const [isTaken] = await workers[worker].takeDelivered(
						executionOf(database, 'trigger'),
						[eventOf(number)],
						[`${number}.${nth}`],
					);
					if (isTaken) handled[number] += 1;
				}),
			);
		const recover = async (at: number, worker: number) => {
			await pause(at);
			const logged = [...deliveries.keys()].filter((number) => deliveries[number].at <= at);
			const given = await workers[worker].takeLogged(
				executionOf(database, 'recover'),
				logged.map((number) => ({ time: start + deliveries[number].at, payload: eventOf(number) })),
			);
			const numberOf = ({ payload }: LoggedEvent) =>
				logged.find((number) => isDeepStrictEqual(payload, eventOf(number))) ?? NaN;
			for (const event of given) handled[numberOf(event)] += 1;
		};
		const schedule = Array.from({ length: 8 }, (_, run) => run * SCHEDULE_MS);
		await finish(
			Promise.all([
				...deliveries.map(deliver),
				...schedule.map(async (at, run) => await recover(at, run % WORKERS)),
			]),
		);
		// What it looks at again belongs to this case.
		await jest.advanceTimersByTimeAsync(10_000);
		return handled;
	}
});

describe('the memory of events', () => {
	const KEY = 'partnerPayments:transaction-0:completed_transaction';
	const database = () => new Database(() => 1);

	it('goes on after a worker that was killed in its turn', async () => {
		const shared = database();
		shared.rows.set('trigger', [hash('partnerPayments:turn')]);
		const { takeDelivered } = inAnotherProcess();
		const work = takeDelivered(executionOf(shared, 'trigger'), [eventOf(0)], ['a']);
		expect(await finish(work)).toEqual([true]);
		expect([...shared.rows.keys()]).toEqual(['workflow']);
	});

	it('has told in the log which execution handles an event before it counts as given out', async () => {
		const shared = database();
		const lines: string[] = [];
		const trigger = executionOf(shared, 'trigger', (line) => {
			expect(shared.rows.get('workflow')).not.toContain(hash(`${KEY} given out`));
			lines.push(line);
		});
		const take = async (id: string) =>
			await finish(inAnotherProcess().takeDelivered(trigger, [eventOf(0)], [id]));
		await take('a');
		await take('b');
		expect(shared.rows.get('workflow')).toContain(hash(`${KEY} given out`));
		expect(lines).toEqual([
			'Partner Payments Trigger: execution 7 of workflow workflow-1 handles the event transaction-0:completed_transaction',
		]);
	});

	it('knows a repeated delivery, although older memory has taken the place of the first', async () => {
		const shared = database();
		let trigger: typeof DeliveryModule | undefined;
		jest.isolateModules(() => {
			trigger = jest.requireActual<typeof DeliveryModule>(
				'../../nodes/PartnerPaymentsTrigger/delivery',
			);
		});
		const { receive, dropSeenEvents } = trigger as typeof DeliveryModule;
		const deliver = async () => {
			const { workflowData } = await receive({
				getWorkflow: () => ({ id: 'workflow-1' }),
				getNodeParameter: (name: string, otherwise: unknown) =>
					name === 'verification' ? 'none' : otherwise,
				getWorkflowStaticData: () => ({}),
				getRequestObject: () => ({ rawBody: Buffer.from(JSON.stringify(eventOf(0))) }),
			} as unknown as IWebhookFunctions);
			return await dropSeenEvents({
				...executionOf(shared, 'trigger'),
				getNodeParameter: () => false,
				getMode: () => 'webhook',
				getInputData: () => workflowData?.[0],
			} as unknown as IExecuteFunctions);
		};
		expect(await finish(deliver())).toEqual([{ json: eventOf(0) }]);
		shared.rows.set('workflow', []);
		expect(await finish(deliver())).toEqual([]);
	});

	it('gives an event to the execution that n8n runs again, and to no other', async () => {
		const shared = database();
		const trigger = executionOf(shared, 'trigger');
		const take = async (id: string) =>
			await finish(inAnotherProcess().takeDelivered(trigger, [eventOf(0)], [id]));
		expect(await take('a')).toEqual([true]);
		expect(await take('b')).toEqual([false]);
		expect(await take('a')).toEqual([true]);
		expect(await take('b')).toEqual([false]);
	});

	it('gives out what recovery had looked up when it was killed', async () => {
		const shared = database();
		const recover = executionOf(shared, 'recover');
		const { checkProcessedAndRecord } = recover.helpers;
		const dying = {
			...recover,
			helpers: {
				...recover.helpers,
				async checkProcessedAndRecord(...asked: Parameters<typeof checkProcessedAndRecord>) {
					if (asked[0].some((entry) => String(entry).endsWith(' given out'))) {
						throw new Error('killed');
					}
					return await checkProcessedAndRecord(...asked);
				},
			},
		} as unknown as IExecuteFunctions;
		const logged = { time: Date.now(), payload: eventOf(0) };
		await expect(finish(inAnotherProcess().takeLogged(dying, [logged]))).rejects.toThrow('killed');
		await jest.advanceTimersByTimeAsync(15_000);
		const again = inAnotherProcess().takeLogged(recover, [logged, logged]);
		expect(await finish(again)).toEqual([logged]);
	});

	it('forgets what was not given out, also what it would have looked at again', async () => {
		const shared = database();
		const recover = executionOf(shared, 'recover');
		const { orForget, takeLogged } = inAnotherProcess();
		const logged = { time: Date.now(), payload: eventOf(0) };
		const work = orForget(
			recover,
			() => [eventOf(0)],
			async () => {
				await takeLogged(recover, [logged]);
				throw new Error('A later item failed');
			},
		);
		await expect(finish(work)).rejects.toThrow('A later item failed');
		await jest.advanceTimersByTimeAsync(10_000);
		expect(await finish(inAnotherProcess().takeLogged(recover, [logged]))).toEqual([logged]);
	});

	it('vouches for no more events than it can hold', () => {
		const { rememberable, REMEMBERED_EVENTS } = inAnotherProcess();
		const logged = Array.from({ length: REMEMBERED_EVENTS + 3 }, (_, number) => ({
			time: number,
			payload: eventOf(number),
		}));
		// The last one was delivered twice, and the logs come with the newest first.
		const { events, tooOld } = rememberable(
			[...logged, { ...logged[10_002], time: 1e6 }].reverse(),
		);
		expect(tooOld).toBe(3);
		expect(events).toEqual(logged.slice(3));
	});
});
