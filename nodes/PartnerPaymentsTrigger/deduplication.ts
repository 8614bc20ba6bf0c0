import type { ICheckProcessedOptions, IExecuteFunctions } from 'n8n-workflow';

import { ENTRIES, withWorkflowLock } from '../state/workflowLock';

/*
 * Which events a trigger has given out, in n8n's memory of processed items (`deduplication-helper.js` of
 * n8n), which its executions share on whatever worker they run. It can only be asked whether it has an
 * entry, and asking makes the entry.
 *
 * An event has five entries: "asked" before anything else, then in one writing "given out", "settled" and
 * two claims ("by", "by … indeed") of the hand-over that took it. An execution that n8n runs again after a
 * crash hands the event over once more, and is known by its claims. There are two claims because asking for
 * the first makes it: if a process is killed before it removes that, only one of the two is there. "Given
 * out" has "settled" beside it for the same reason: if a process is killed after asking for "given out"
 * and before taking the event, "settled" is missing, and the event is taken when the execution runs again.
 * Each claim bears one such kill. Killed twice while it asks, an execution that came second has both claims,
 * and hands the event over a second time: too often, and never not at all.
 */

/** How many events a trigger remembers. Then n8n forgets the oldest (`deduplication-helper.js` of n8n). */
const MAX_EVENTS = 25_000;

const ROW = 'node';

const BOUNDED: ICheckProcessedOptions = { ...ENTRIES, maxEntries: 5 * MAX_EVENTS };

/** An event as it came to the trigger. */
export interface IncomingEvent {
	/** What the event is recognised by. */
	key: string;
	/** Tells this hand-over from others of the same event. An execution that runs again has it, too. */
	id: string;
}

const seenEntry = ({ key }: IncomingEvent): string => key;
const emittedEntry = ({ key }: IncomingEvent): string => `${key} given out`;
const settledEntry = ({ key }: IncomingEvent): string => `${key} settled`;
const claimEntry = ({ key, id }: IncomingEvent): string => `${key} by ${id}`;
const confirmedEntry = ({ key, id }: IncomingEvent): string => `${key} by ${id} indeed`;

interface ClaimBatch {
	arrivals: IncomingEvent[];
	taken: Promise<Set<IncomingEvent>>;
}

/** By node: the question that is asked once the one before is answered. It is removed when it is asked. */
const nextBatches = new Map<string, ClaimBatch>();

/**
 * Takes the events that the trigger has not given out yet. Executions that wait meanwhile ask together:
 * n8n reads and writes its whole memory for each question (`deduplication-helper.js` of n8n), so with
 * many questions an answer would take seconds.
 *
 * @returns for each arrival whether its event is to be given out for it
 * @throws Error when n8n's memory cannot be read or written
 */
export async function claimEvents(
	context: IExecuteFunctions,
	arrivals: IncomingEvent[],
): Promise<boolean[]> {
	if (arrivals.length === 0) return [];
	const question = nextBatches.get(nodeOf(context)) ?? openBatch(context);
	question.arrivals.push(...arrivals);
	const taken = await question.taken;
	return arrivals.map((arrival) => taken.has(arrival));
}

function openBatch(context: IExecuteFunctions): ClaimBatch {
	const arrivals: IncomingEvent[] = [];
	const close = () => nextBatches.delete(nodeOf(context));
	const taken = runBatch(context, arrivals, close);
	// If there is no turn, the question is removed, so that the next one begins anew.
	taken.catch(close);
	const question = { arrivals, taken };
	nextBatches.set(nodeOf(context), question);
	return question;
}

async function runBatch(
	context: IExecuteFunctions,
	arrivals: IncomingEvent[],
	close: () => void,
): Promise<Set<IncomingEvent>> {
	const { value: taken, wasExclusive } = await withWorkflowLock(context, async () => {
		close();
		return await claim(context, arrivals);
	});
	if (!wasExclusive) {
		// Another process may have overwritten it with what it read before.
		const entries = [...taken].flatMap(allEntries);
		await withWorkflowLock(context, async () => await record(context, entries));
	}
	return taken;
}

async function claim(
	context: IExecuteFunctions,
	arrivals: IncomingEvent[],
): Promise<Set<IncomingEvent>> {
	const unseen = await record(context, arrivals.map(seenEntry));
	// Of several arrivals of one event, the first takes it.
	const first = arrivals.filter(({ key }) => unseen.delete(key));
	await record(context, first.flatMap(allEntries));

	const isFirst = new Set(first);
	const others = arrivals.filter((arrival) => !isFirst.has(arrival));
	const made = await record(
		context,
		others.flatMap((arrival) => [emittedEntry(arrival), claimEntry(arrival)]),
	);
	// "Given out" was not there: the execution that asked was killed before taking the event.
	const orphans = new Set(others.filter((arrival) => made.delete(emittedEntry(arrival))));
	const again = others.filter((arrival) => !orphans.has(arrival) && !made.has(claimEntry(arrival)));
	// In one writing: what was left half done would be taken for a whole claim at the third attempt.
	const halves = await record(
		context,
		[...orphans, ...again].flatMap((arrival) => [settledEntry(arrival), confirmedEntry(arrival)]),
	);
	for (const orphan of orphans) halves.delete(settledEntry(orphan));
	const own = again.filter((arrival) => !halves.has(confirmedEntry(arrival)));
	// Only their first claim was there: they were killed on the way. If "settled" is missing, too, nobody
	// has taken the event.
	const doubtful = again.filter((arrival) => halves.has(confirmedEntry(arrival)));
	const late = doubtful.filter((arrival) => halves.delete(settledEntry(arrival)));

	const taken = new Set([...first, ...orphans, ...own, ...late]);
	const untaken = others.filter((arrival) => !taken.has(arrival));
	// They do not take it, whether n8n forgets their claims or not: an execution that failed for that would ask again.
	await remove(
		context,
		untaken.flatMap((arrival) => [claimEntry(arrival), confirmedEntry(arrival)]),
	).catch(() => undefined);
	return taken;
}

function allEntries(arrival: IncomingEvent): string[] {
	return [seenEntry, emittedEntry, settledEntry, claimEntry, confirmedEntry].map((entry) =>
		entry(arrival),
	);
}

/** @returns the entries that were not there yet */
async function record(context: IExecuteFunctions, entries: string[]): Promise<Set<string>> {
	if (entries.length === 0) return new Set();
	const each = [...new Set(entries)];
	const { new: made } = await context.helpers.checkProcessedAndRecord(each, ROW, BOUNDED);
	return new Set(made.map(String));
}

async function remove(context: IExecuteFunctions, entries: string[]): Promise<void> {
	if (entries.length > 0) await context.helpers.removeProcessed(entries, ROW, BOUNDED);
}

function nodeOf(context: IExecuteFunctions): string {
	return `${context.getWorkflow().id} ${context.getNode().id}`;
}
