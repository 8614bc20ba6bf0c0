/* eslint-disable @n8n/community-nodes/no-restricted-globals -- runs beside n8n, not in it */
import type { ICheckProcessedContextData, INode, IExecuteFunctions } from 'n8n-workflow';

import type * as EventMemoryModule from '../../nodes/PartnerPaymentsTrigger/deduplication';
import type * as SentReferencesModule from '../../nodes/state/idempotencyStore';
import { ProcessedItems } from './processedItems';

/** One that no other test has: the code of a process remembers what it found of a workflow's row. */
let workflows = 0;

const pause = async (ms: number) => await new Promise<void>((resolve) => setTimeout(resolve, ms));

/** n8n's database: one for all processes. */
export class Database {
	readonly workflow = { id: `workflow-${++workflows}`, active: true };

	readonly rows: ProcessedItems['rows'] = new Map();

	/** @param latency gives the milliseconds that the next query takes */
	constructor(private readonly latency: () => number = () => 0) {}

	/** What a process sees of it, for as long as the process lives. */
	seenBy(process: Process): ProcessedItems {
		const items = new ProcessedItems(async () => {
			// Whoever waits for a turn counts, and counts again.
			if (!items.calls.at(-1)?.startsWith('count')) process.countQuery();
			await process.orNever();
			await pause(this.latency());
			await process.orNever();
		});
		Object.defineProperty(items, 'rows', { value: this.rows });
		return items;
	}
}

type Code = Pick<typeof SentReferencesModule, 'IdempotencyStore'> &
	Pick<typeof EventMemoryModule, 'claimEvents'>;

const codes: Code[] = [];

/** The package's code as one process has it: nothing is shared with another but n8n's database. */
function codeOf(process: number): Code {
	if (!codes[process]) {
		jest.isolateModules(() => {
			codes[process] = {
				...jest.requireActual<typeof SentReferencesModule>('../../nodes/state/idempotencyStore'),
				...jest.requireActual<typeof EventMemoryModule>(
					'../../nodes/PartnerPaymentsTrigger/deduplication',
				),
			};
		});
	}
	return codes[process];
}

/** A process of n8n, main or worker: with the package's code of its own, and an end at any time. */
export class Process {
	isAlive = true;

	/** It is killed at so many queries more, not counting those that wait for a turn. */
	queriesLeft = Infinity;

	/** Told when it is killed. */
	onEnd = () => {};

	/** @param number processes with the same number, in different databases, may share their code */
	constructor(
		private readonly database: Database,
		private readonly number = 0,
	) {}

	kill(): void {
		if (!this.isAlive) return;
		this.isAlive = false;
		this.onEnd();
	}

	countQuery(): void {
		if (this.queriesLeft-- <= 0) this.kill();
	}

	/** What a killed process waits for does not happen. */
	async orNever(): Promise<void> {
		if (!this.isAlive) await new Promise<never>(() => {});
	}

	/** Asks the memory of a trigger for events, as an execution of it in this process does. */
	async takeEvents(
		nodeId: string,
		arrivals: EventMemoryModule.IncomingEvent[],
	): Promise<boolean[]> {
		return await codeOf(this.number).claimEvents(this.executionOf(nodeId), arrivals);
	}

	/** The memory of a node, as an execution of it in this process has it. */
	memoryOf(nodeId: string, scope = 'account'): SentReferencesModule.IdempotencyStore {
		return new (codeOf(this.number).IdempotencyStore)(this.executionOf(nodeId), scope);
	}

	/** What an execution of a node has of n8n. */
	executionOf(nodeId: string): IExecuteFunctions {
		const items = this.database.seenBy(this);
		const { workflow } = this.database;
		const data: ICheckProcessedContextData = { workflow, node: { id: nodeId } as INode };
		return {
			getWorkflow: () => workflow,
			getNode: () => data.node,
			helpers: {
				checkProcessedAndRecord: async (
					entries: string[],
					...[scope, options]: Parameters<typeof items.checkProcessedAndRecord> extends [
						unknown,
						infer Scope,
						unknown,
						infer Options,
					]
						? [Scope, Options]
						: never
				) => await items.checkProcessedAndRecord(entries, scope, data, options),
				removeProcessed: async (entries: string[], scope: 'node' | 'workflow') =>
					await items.removeProcessed(entries, scope, data),
				clearAllProcessedItems: async (scope: 'node' | 'workflow') =>
					await items.clearAllProcessedItems(scope, data),
				getProcessedDataCount: async (scope: 'node' | 'workflow', options: { mode: 'entries' }) =>
					await items.getProcessedDataCount(scope, data, options),
			},
		} as unknown as IExecuteFunctions;
	}
}

/**
 * Lets simulated time pass until the work is done.
 *
 * @returns nothing when it is not done after two minutes, because a killed process would have to do it
 */
export async function finish<T>(work: Promise<T>): Promise<T | undefined> {
	let isDone = false;
	const done = work.finally(() => (isDone = true));
	done.catch(() => undefined);
	for (let ms = 0; !isDone && ms < 120_000; ms += 100) await jest.advanceTimersByTimeAsync(100);
	return isDone ? await done : undefined;
}

export { pause };
