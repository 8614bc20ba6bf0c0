import type { IExecuteFunctions } from 'n8n-workflow';

import { ProcessedItems } from '../ledger/processedItems';

/*
 * The events that a trigger has emitted, in n8n's processed items. n8n can't look an entry up without adding it, so
 * an event and the claim of its envelope are recorded together, in one call:
 *
 * | event | claim | means                                              | the execution               |
 * | ----- | ----- | -------------------------------------------------- | --------------------------- |
 * | new   | new   | nobody has emitted it                              | takes it                    |
 * | known | known | this envelope has: n8n runs its execution again    | takes it                    |
 * | known | new   | another one has                                    | drops it, removes the claim |
 *
 * An execution that is killed before it removes its claim takes the event if it is run again: twice, never not at
 * all. n8n drops the oldest entries of a full memory, so a full memory doesn't decide everything: see `look.ts`.
 */

/** How many events a trigger remembers. Each call reads and writes all of them. */
export const MAX_EVENTS = 15_000;

/** How many events are claimed in a call. So many claims may have pushed out what was remembered. */
export const MAX_AT_ONCE = 1_000;

/** An event as it came to the trigger. */
export interface IncomingEvent {
	/** Identifies the event. */
	key: string;
	/** Identifies the envelope that it came in. An execution that runs again has the same one. */
	id: string;
}

const MAX_ENTRIES = 2 * MAX_EVENTS;

const claimOf = ({ key, id }: IncomingEvent): string => `${key} by ${id}`;

const entriesOf = (event: IncomingEvent): string[] => [event.key, claimOf(event)];

interface ClaimBatch {
	incoming: IncomingEvent[];
	taken: Promise<Set<IncomingEvent>>;
}

/** By node: the batch that waits for the lock. It is removed when it has the lock. */
const nextBatches = new Map<string, ClaimBatch>();

/**
 * Takes the events that the trigger has not emitted yet. Executions that wait at the same time share a batch:
 * each call of n8n's processed items reads and writes all of them, so one call for each would take seconds.
 *
 * @returns for each incoming event whether to emit it
 * @throws Error if n8n's database fails
 */
export async function claimEvents(
	context: IExecuteFunctions,
	incoming: IncomingEvent[],
): Promise<boolean[]> {
	if (incoming.length === 0) return [];
	const batch = nextBatches.get(nodeOf(context)) ?? openBatch(context);
	for (const event of incoming) batch.incoming.push(event);
	const taken = await batch.taken;
	return incoming.map((event) => taken.has(event));
}

function openBatch(context: IExecuteFunctions): ClaimBatch {
	const close = () => nextBatches.delete(nodeOf(context));
	const batch: ClaimBatch = { incoming: [], taken: Promise.resolve(new Set()) };
	batch.taken = runBatch(context, batch, close);
	// If the lock fails, nothing has closed the batch.
	batch.taken.catch(close);
	nextBatches.set(nodeOf(context), batch);
	return batch;
}

async function runBatch(
	context: IExecuteFunctions,
	batch: ClaimBatch,
	close: () => void,
): Promise<Set<IncomingEvent>> {
	const items = new ProcessedItems(context, () => MAX_ENTRIES);
	const { value: taken, wasExclusive } = await items.withLock(async () => {
		close();
		return await claim(items, batch.incoming);
	});
	if (!wasExclusive) {
		// Another process may have overwritten it with what it had read before.
		await items.withLock(async () => await items.record([...taken].flatMap(entriesOf)));
	}
	return taken;
}

/** @returns the events that the executions take */
async function claim(
	items: ProcessedItems,
	incoming: IncomingEvent[],
): Promise<Set<IncomingEvent>> {
	const taken = new Set<IncomingEvent>();
	for (let from = 0; from < incoming.length; from += MAX_AT_ONCE) {
		const some = incoming.slice(from, from + MAX_AT_ONCE);
		const added = await items.record(some.flatMap(entriesOf));
		for (const event of some) {
			// If an event came several times, the first takes it.
			if (added.delete(event.key) || !added.has(claimOf(event))) taken.add(event);
		}
		const own = new Set([...taken].map(claimOf));
		const others = some.map(claimOf).filter((entry) => !own.has(entry));
		// The events are not taken, whether this works or not. An execution that failed here would ask again.
		await items.remove(others).catch(() => undefined);
	}
	return taken;
}

/**
 * Whether the memory of a trigger is full, or has been: claims that were removed leave room for at most those of a
 * call. Until then, it knows all events that the trigger has ever emitted.
 */
export async function isMemoryFull(context: IExecuteFunctions): Promise<boolean> {
	return (await new ProcessedItems(context).count()) > MAX_ENTRIES - MAX_AT_ONCE;
}

/** What distinguishes a trigger from the others of this process. */
export function nodeOf(context: Pick<IExecuteFunctions, 'getNode' | 'getWorkflow'>): string {
	return `${context.getWorkflow().id} ${context.getNode().id}`;
}
