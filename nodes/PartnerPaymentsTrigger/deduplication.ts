import type { IExecuteFunctions } from 'n8n-workflow';

import { ProcessedItems } from '../ledger/processedItems';
import { DAY_MS, HOUR_MS } from '../service/time';

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
 * all.
 *
 * n8n drops the oldest entries of a full memory. So each call records the current hour and day as well: a memory that
 * has an hour still has all that was recorded after it. To ask for it, an execution records that it asks, too:
 *
 * | hour  | asked | means                                                |
 * | ----- | ----- | ---------------------------------------------------- |
 * | known | new   | it was recorded in that hour                         |
 * | new   | any   | it never was, or was dropped                         |
 * | known | known | an execution was killed while it asked: nobody knows |
 */

/** How many events a trigger remembers. Each call reads and writes all of them. */
const MAX_EVENTS = 15_000;

/** How many events are claimed in a call. */
const MAX_AT_ONCE = 1_000;

/** How many events other executions may claim while one asks and claims its own. */
const MAX_MEANWHILE = 500;

/** The hours and days for which a memory is asked, in milliseconds and number: there may be no event for months. */
const PERIODS = [
	{ length: HOUR_MS, count: 48 },
	{ length: DAY_MS, count: 365 },
];

/** An event as it came to the trigger. */
export interface IncomingEvent {
	/** Identifies the event. */
	key: string;
	/** Identifies the envelope that it came in. An execution that runs again has the same one. */
	id: string;
}

const MAX_ENTRIES = 2 * MAX_EVENTS;

/** A memory with fewer entries has never been full: who asks makes room for a piece, which is less than 5,000 events. */
const MAX_NEVER_FULL = MAX_ENTRIES - 10_000;

const claimOf = ({ key, id }: IncomingEvent): string => `${key} by ${id}`;

const entriesOf = (event: IncomingEvent): string[] => [event.key, claimOf(event)];

/** The current period of a length, or an earlier one: what is recorded in it, and when it ends (milliseconds since 1970). */
function periodAt(length: number, ago = 0): { entry: string; end: number } {
	const number = Math.floor(Date.now() / length) - ago;
	return { entry: `period ${length} ${number}`, end: (number + 1) * length };
}

interface ClaimBatch {
	incoming: IncomingEvent[];
	taken?: Promise<Set<IncomingEvent>>;
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
	const node = nodeOf(context);
	const batch = nextBatches.get(node) ?? { incoming: [] };
	nextBatches.set(node, batch);
	batch.incoming.push(...incoming);
	// If the lock fails, nothing has closed the batch.
	batch.taken ??= runBatch(context, batch).finally(() => close(node, batch));
	const taken = await batch.taken;
	return incoming.map((event) => taken.has(event));
}

function close(node: string, batch: ClaimBatch): void {
	if (nextBatches.get(node) === batch) nextBatches.delete(node);
}

async function runBatch(
	context: IExecuteFunctions,
	batch: ClaimBatch,
): Promise<Set<IncomingEvent>> {
	const items = new ProcessedItems(context, MAX_ENTRIES);
	const { value: taken, wasExclusive } = await items.withLock(async () => {
		close(nodeOf(context), batch);
		return await claim(items, batch.incoming);
	});
	if (!wasExclusive) {
		// Another process may have overwritten it with what it had read before.
		await items.withLock(async () => await record(items, [...taken]));
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
		const added = await record(items, some);
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

/** @returns the entries that were not there */
async function record(items: ProcessedItems, events: IncomingEvent[]): Promise<Set<string>> {
	const periods = PERIODS.map(({ length }) => periodAt(length).entry);
	return await items.record([...periods, ...events.flatMap(entriesOf)]);
}

/**
 * Since when a trigger remembers all events that it has emitted, also while so many others are claimed.
 *
 * @returns milliseconds since 1970; -Infinity if the memory has never been full; Infinity if that isn't known
 * @throws Error if n8n's database fails
 */
export async function remembersSince(context: IExecuteFunctions, others: number): Promise<number> {
	const items = new ProcessedItems(context, MAX_ENTRIES);
	if ((await items.count()) < MAX_NEVER_FULL) return -Infinity;
	const periods = PERIODS.flatMap(({ length, count }) =>
		Array.from({ length: count }, (_, ago) => periodAt(length, ago)),
	);
	const asking = (entry: string) => `asked ${entry}`;
	const { value: known } = await items.withLock(async () => {
		// What is claimed afterwards must not push out what is found now.
		await items.record([], MAX_ENTRIES - 2 * (periods.length + others + MAX_MEANWHILE));
		const asked = periods.flatMap(({ entry }) => [entry, asking(entry)]);
		const added = await items.record(asked);
		await items.remove([...added]);
		return periods.filter(({ entry }) => !added.has(entry) && added.has(asking(entry)));
	});
	return Math.min(Infinity, ...known.map(({ end }) => end));
}

/** What distinguishes a trigger from the others of this process. */
export function nodeOf(context: Pick<IExecuteFunctions, 'getNode' | 'getWorkflow'>): string {
	return `${context.getWorkflow().id} ${context.getNode().id}`;
}
