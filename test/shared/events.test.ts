import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type * as EventsModule from '../../nodes/shared/events';

type Events = typeof EventsModule;

/** The code as another process has it: nothing is shared but n8n's database. */
function inAnotherProcess(): Events {
	let events: Events | undefined;
	jest.isolateModules(() => {
		events = jest.requireActual<Events>('../../nodes/shared/events');
	});
	return events as Events;
}

/** n8n's table of what was processed: a row is read and written in two steps, and inserted only once. */
class Database {
	readonly rows = new Map<string, string[]>();

	async read(name: string): Promise<string[] | undefined> {
		await pause(Math.random() * 3);
		const row = this.rows.get(name);
		return row && [...row];
	}

	async write(name: string, keys: string[], isNew: boolean): Promise<void> {
		await pause(Math.random() * 3);
		if (isNew && this.rows.has(name)) throw new Error('duplicate key value');
		if (isNew || this.rows.has(name)) this.rows.set(name, keys);
	}
}

/** What an execution of a node has of n8n. */
function executionOf(database: Database, nodeId = 'trigger'): IExecuteFunctions {
	const rowOf = (scope: string) => (scope === 'node' ? nodeId : 'workflow');
	const hash = (key: string) => createHash('md5').update(key).digest('hex');
	return {
		getWorkflow: () => ({ id: 'workflow-1' }),
		getNode: () => ({ id: nodeId }),
		// As in a worker of queue mode.
		getWorkflowStaticData: () => ({}),
		helpers: {
			async checkProcessedAndRecord(keys: string[], scope: string) {
				const row = await database.read(rowOf(scope));
				const unseen = keys.filter((key) => !row?.includes(hash(key)));
				await database.write(rowOf(scope), [...(row ?? []), ...unseen.map(hash)], !row);
				return { new: unseen, processed: keys.filter((key) => !unseen.includes(key)) };
			},
			async removeProcessed(keys: string[], scope: string) {
				const row = (await database.read(rowOf(scope))) ?? [];
				const gone = new Set(keys.map(hash));
				const kept = row.filter((key) => !gone.has(key));
				await database.write(rowOf(scope), kept, false);
			},
			async clearAllProcessedItems(scope: string) {
				await pause(1);
				database.rows.delete(rowOf(scope));
			},
		},
	} as unknown as IExecuteFunctions;
}

const eventsOf = (count: number): IDataObject[] =>
	Array.from({ length: count }, (_, number) => ({
		status: 'completed_transaction',
		details: { transactionId: `transaction-${number}` },
	}));

describe('events that several workers get', () => {
	it('are given out once, and all are remembered', async () => {
		const database = new Database();
		const workers = [inAnotherProcess(), inAnotherProcess(), inAnotherProcess()];
		const events = eventsOf(60);

		const taken = await Promise.all(
			events.flatMap((event, number) =>
				workers.map(async ({ rememberEvents }, worker) => {
					await pause(Math.random() * 100);
					const delivery = `delivery ${worker} of ${number}`;
					const [isTaken] = await rememberEvents(executionOf(database), [event], [delivery]);
					return isTaken ? number : -1;
				}),
			),
		);
		expect(taken.filter((number) => number !== -1).sort((a, b) => a - b)).toEqual(
			events.map((_, number) => number),
		);

		// Recovery, which is another node, has nothing left to do.
		const recover = executionOf(database, 'recover');
		expect(await workers[0].rememberEvents(recover, events)).toEqual(events.map(() => false));
		expect([...database.rows.keys()]).toEqual(['workflow']);
	});

	it('go on after a worker that was killed in its turn', async () => {
		const database = new Database();
		database.rows.set('trigger', [createHash('md5').update('partnerPayments:turn').digest('hex')]);
		const { rememberEvents } = inAnotherProcess();
		// Each look at the clock finds a second gone.
		let time = Date.now();
		const clock = jest.spyOn(Date, 'now').mockImplementation(() => (time += 1_000));
		try {
			expect(await rememberEvents(executionOf(database), eventsOf(1))).toEqual([true]);
		} finally {
			clock.mockRestore();
		}
		expect([...database.rows.keys()]).toEqual(['workflow']);
	});
});
