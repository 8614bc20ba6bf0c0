import type { IExecuteFunctions } from 'n8n-workflow';

import { ProcessedItems } from '../ledger/processedItems';

/*
 * The events that a trigger has emitted, in n8n's processed items. n8n can't look an entry up without adding
 * it, so five entries keep each event, whoever is killed in between:
 *
 * - "seen" is recorded first. If it is new, the execution takes the event: it records all five in one write.
 * - "emitted", with a confirmation: an execution took the event. If only "emitted" is there, an execution was
 *   killed while it asked for it, nobody has taken the event, and that execution takes it when it runs again.
 *   If neither is there, an execution was killed after "seen", and the next one takes the event.
 * - the claim of the execution that took it, with a confirmation. If n8n runs that execution again after a
 *   crash, both are there, and it emits the event again. An execution that came second asks for its claim and
 *   removes it. If it is killed in between, only the claim is there.
 *
 * So each pair survives one such kill. An execution that came second and is killed twice while it asks has both
 * entries of a claim, and emits the event a second time: twice, but never not at all.
 */

/**
 * How many events of the lookback window a poll checks. A trigger remembers half as many again, so it emits none of
 * them twice. Each call to n8n reads and writes all that is remembered, so these limits keep events cheap.
 */
export const MAX_EVENTS_IN_WINDOW = 4_000;
export const MAX_EVENTS = 1.5 * MAX_EVENTS_IN_WINDOW;

/** How many events a trigger remembers, even if its window has few. Then n8n drops the oldest. */
const FEW_EVENTS = 3_500;

/**
 * How many events to remember.
 *
 * @param windowSize how many events the lookback window has; undefined if that isn't known
 */
export function eventsToRemember(windowSize = MAX_EVENTS): number {
	return Math.min(MAX_EVENTS, Math.max(FEW_EVENTS, Math.ceil(windowSize * 1.5)));
}

/** An event as it came to the trigger. */
export interface IncomingEvent {
	/** Identifies the event. */
	key: string;
	/** Identifies the envelope that it came in. An execution that runs again has the same one. */
	id: string;
}

const seenEntry = ({ key }: IncomingEvent): string => key;
const emittedEntry = ({ key }: IncomingEvent): string => `${key} emitted`;
const claimEntry = ({ key, id }: IncomingEvent): string => `${key} by ${id}`;
const confirmation = (entry: string): string => `${entry} 2`;

const allEntries = (event: IncomingEvent): string[] => [
	seenEntry(event),
	...[emittedEntry(event), claimEntry(event)].flatMap((entry) => [entry, confirmation(entry)]),
];

interface ClaimBatch {
	incoming: IncomingEvent[];
	/** The most events to remember that an execution of the batch asks for. */
	maxEvents: number;
	taken: Promise<Set<IncomingEvent>>;
}

/** By node: the batch that waits for the lock. It is removed when it has the lock. */
const nextBatches = new Map<string, ClaimBatch>();

/**
 * Takes the events that the trigger has not emitted yet. Executions that wait at the same time share a batch:
 * each call of n8n's processed items reads and writes all of them, so one call for each would take seconds.
 *
 * @param maxEvents how many events to remember
 * @returns for each incoming event whether to emit it
 * @throws Error if n8n's database fails
 */
export async function claimEvents(
	context: IExecuteFunctions,
	incoming: IncomingEvent[],
	maxEvents = MAX_EVENTS,
): Promise<boolean[]> {
	if (incoming.length === 0) return [];
	const batch = nextBatches.get(nodeOf(context)) ?? openBatch(context);
	for (const event of incoming) batch.incoming.push(event);
	batch.maxEvents = Math.max(batch.maxEvents, maxEvents);
	const taken = await batch.taken;
	return incoming.map((event) => taken.has(event));
}

function openBatch(context: IExecuteFunctions): ClaimBatch {
	const close = () => nextBatches.delete(nodeOf(context));
	const batch: ClaimBatch = { incoming: [], maxEvents: 0, taken: Promise.resolve(new Set()) };
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
	// Each event has five entries.
	const items = new ProcessedItems(context, () => 5 * batch.maxEvents);
	const { value: taken, wasExclusive } = await items.withLock(async () => {
		close();
		return await claim(items, batch.incoming);
	});
	if (!wasExclusive) {
		// Another process may have overwritten it with what it had read before.
		await items.withLock(async () => await items.record([...taken].flatMap(allEntries)));
	}
	return taken;
}

/** @returns the events that the executions take */
async function claim(
	items: ProcessedItems,
	incoming: IncomingEvent[],
): Promise<Set<IncomingEvent>> {
	const unseen = await items.record(incoming.map(seenEntry));
	// If an event came several times, the first takes it.
	const first = incoming.filter(({ key }) => unseen.delete(key));
	await items.record(first.flatMap(allEntries));

	const isFirst = new Set(first);
	const others = incoming.filter((event) => !isFirst.has(event));
	const added = await items.record(
		others.flatMap((event) => [emittedEntry(event), claimEntry(event)]),
	);
	// The execution that saw it first was killed before it took the event.
	const abandoned = new Set(others.filter((event) => added.delete(emittedEntry(event))));
	const claimed = others.filter((event) => !abandoned.has(event) && !added.has(claimEntry(event)));
	// In one write: if half of it were left behind, a third attempt would take that for a whole claim.
	const unconfirmed = await items.record(
		[...abandoned, ...claimed].flatMap((event) => [
			confirmation(emittedEntry(event)),
			confirmation(claimEntry(event)),
		]),
	);
	for (const event of abandoned) unconfirmed.delete(confirmation(emittedEntry(event)));
	const own = claimed.filter((event) => !unconfirmed.has(confirmation(claimEntry(event))));
	// The others were killed while they asked. If "emitted" is not confirmed either, nobody took the event.
	const late = claimed.filter(
		(event) =>
			unconfirmed.has(confirmation(claimEntry(event))) &&
			unconfirmed.delete(confirmation(emittedEntry(event))),
	);

	const taken = new Set([...first, ...abandoned, ...own, ...late]);
	const untaken = others.filter((event) => !taken.has(event));
	// The events are not taken, whether this works or not. An execution that failed here would ask again.
	await items
		.remove(untaken.flatMap((event) => [claimEntry(event), confirmation(claimEntry(event))]))
		.catch(() => undefined);
	return taken;
}

/** What distinguishes a trigger from the others of this process. */
export function nodeOf(context: Pick<IExecuteFunctions, 'getNode' | 'getWorkflow'>): string {
	return `${context.getWorkflow().id} ${context.getNode().id}`;
}
