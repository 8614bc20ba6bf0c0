import type { ICheckProcessedOptions, IExecuteFunctions } from 'n8n-workflow';

import { ENTRIES, takeTurn } from '../memory/turn';

/*
 * Which events a trigger has given out, in n8n's memory of processed items, which its executions share
 * on whatever worker they run. It can only be asked whether it has an entry, and asking makes the entry.
 *
 * An event has five: "asked" before anything else, then in one writing "given out", "settled" and,
 * twice, the claim of the hand-over that has it. An execution that n8n runs again after a crash hands the
 * event over once more, and is known by its claim. The claim stands twice because to ask for the first also
 * makes it: whoever is killed before taking that back has made one of two. "Given out" stands twice for the
 * same reason: whoever is killed between asking for the first and taking the event has made only that one,
 * and takes the event when it runs again.
 */

/** So many events a trigger remembers; n8n then forgets the oldest ones first. */
const MAX_EVENTS = 25_000;

const ROW = 'node';

const BOUNDED: ICheckProcessedOptions = { ...ENTRIES, maxEntries: 5 * MAX_EVENTS };

/** An event as it came to the trigger. */
export interface Arrival {
	/** What the event is recognised by. */
	key: string;
	/** Tells this hand-over from others of the same event. An execution that runs again has it, too. */
	id: string;
}

const asked = ({ key }: Arrival): string => key;
const givenOut = ({ key }: Arrival): string => `${key} given out`;
const settled = ({ key }: Arrival): string => `${key} settled`;
const claim = ({ key, id }: Arrival): string => `${key} by ${id}`;
const confirmed = ({ key, id }: Arrival): string => `${key} by ${id} indeed`;

interface Question {
	arrivals: Arrival[];
	taken: Promise<Set<Arrival>>;
}

/** By node: what is asked as soon as the question before is answered. An entry lives until then. */
const nextQuestions = new Map<string, Question>();

/**
 * Takes the events that the trigger has not given out yet. Executions that wait for it are served
 * together: with many at once, n8n's database would need seconds for an answer.
 *
 * @returns for each arrival whether its event is to be given out for it
 * @throws Error when n8n's memory cannot be read or written
 */
export async function takeEvents(
	context: IExecuteFunctions,
	arrivals: Arrival[],
): Promise<boolean[]> {
	if (arrivals.length === 0) return [];
	const question = nextQuestions.get(nodeOf(context)) ?? ask(context);
	question.arrivals.push(...arrivals);
	const taken = await question.taken;
	return arrivals.map((arrival) => taken.has(arrival));
}

function ask(context: IExecuteFunctions): Question {
	const arrivals: Arrival[] = [];
	const close = () => nextQuestions.delete(nodeOf(context));
	const taken = answer(context, arrivals, close);
	// Without a turn there is no answer, and the next one who asks begins anew.
	taken.catch(close);
	const question = { arrivals, taken };
	nextQuestions.set(nodeOf(context), question);
	return question;
}

async function answer(
	context: IExecuteFunctions,
	arrivals: Arrival[],
	close: () => void,
): Promise<Set<Arrival>> {
	const { value: taken, wasAlone } = await takeTurn(context, async () => {
		close();
		return await take(context, arrivals);
	});
	if (!wasAlone) {
		// Somebody else may have written older memory over it.
		const entries = [...taken].flatMap(allOf);
		await takeTurn(context, async () => await record(context, entries));
	}
	return taken;
}

async function take(context: IExecuteFunctions, arrivals: Arrival[]): Promise<Set<Arrival>> {
	const unseen = await record(context, arrivals.map(asked));
	// Of several arrivals of one event, the first takes it.
	const first = arrivals.filter(({ key }) => unseen.delete(key));
	await record(context, first.flatMap(allOf));

	const isFirst = new Set(first);
	const others = arrivals.filter((arrival) => !isFirst.has(arrival));
	const made = await record(
		context,
		others.flatMap((arrival) => [givenOut(arrival), claim(arrival)]),
	);
	// Whoever had asked for it was killed before taking it.
	const orphans = new Set(others.filter((arrival) => made.delete(givenOut(arrival))));
	const again = others.filter((arrival) => !orphans.has(arrival) && !made.has(claim(arrival)));
	const halves = await record(context, [
		...[...orphans].flatMap((arrival) => [settled(arrival), confirmed(arrival)]),
		...again.map(confirmed),
	]);
	const own = again.filter((arrival) => !halves.has(confirmed(arrival)));
	// They had asked whether it is given out, which only said so from then on.
	const doubtful = again.filter((arrival) => halves.has(confirmed(arrival)));
	const open = await record(context, doubtful.map(settled));
	const late = doubtful.filter((arrival) => open.delete(settled(arrival)));

	const taken = new Set([...first, ...orphans, ...own, ...late]);
	const untaken = others.filter((arrival) => !taken.has(arrival));
	await remove(
		context,
		untaken.flatMap((arrival) => [claim(arrival), confirmed(arrival)]),
	);
	return taken;
}

function allOf(arrival: Arrival): string[] {
	return [asked, givenOut, settled, claim, confirmed].map((entry) => entry(arrival));
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
