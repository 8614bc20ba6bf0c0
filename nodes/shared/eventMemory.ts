import type { ICheckProcessedOptions, IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { eventKey } from './events';
import { triggerWebhooks } from './webhooks';

/*
 * Which events a workflow has given out, in n8n's own memory of processed entries. An event has up
 * to three entries in it: its key, from when somebody looked it up; its mark, from when somebody gave
 * it out; its claim, which tells the delivery for which it was given out.
 *
 * n8n reads this memory and writes it in two steps, and as a whole. In queue mode several processes
 * do so at once. The workers that run one node take turns (`oneProcessAtATime`). The trigger and
 * Recover Missed Events have no turns in common: so recovery waits between key and mark, and leaves
 * to the trigger what the trigger has marked meanwhile. Both look again at what they wrote, in case
 * that another process has put older memory in its place, and a repeated delivery waits for that.
 */

/** So many events of a workflow are remembered. */
export const REMEMBERED_EVENTS = 10_000;

/** n8n forgets the oldest entries first. */
const MEMORY: ICheckProcessedOptions = { mode: 'entries', maxEntries: 3 * REMEMBERED_EVENTS };

/** Longer than n8n takes between reading its memory and writing it. */
const SETTLING_MS = 1_000;

/** Longer than the trigger needs to have its entries stay. n8n takes longer to start after a crash. */
const ORPHANED_MS = 15_000;

const TURN = 'partnerPayments:turn';

/** A turn takes milliseconds. Whoever holds it longer has been killed. */
const TURN_PATIENCE_MS = 10_000;

const TURN_PAUSE_MS = 10;

/** By workflow: the turns in this process. */
const queues = new Map<string, Promise<unknown>>();

/** By node: what is asked of n8n's memory as soon as the question before is answered. */
const nextQuestions = new Map<string, Question>();

/** By node: the entries that were written a moment ago, and those that were written after these. */
const written = new Map<string, { looked: Set<string>; later: Set<string> }>();

interface Delivery {
	key: string;
	executionId: string;
	claim?: string;
}

/** Which of some deliveries are to be given out. */
interface Question {
	deliveries: Delivery[];
	taken: Promise<Set<Delivery>>;
}

const markOf = (key: string): string => `${key} given out`;

/**
 * Takes the events of deliveries that the workflow has not given out yet. Executions that wait for
 * it are served together: with many at once, n8n's database needs seconds for an answer.
 *
 * An execution that n8n runs again from its start, after a crash, asks again for the delivery that
 * it began with. It may go on with the event if it was the one that had taken it.
 *
 * @param ids for each payload the delivery by which it came, if that is known
 * @returns for each payload whether its event is to be given out
 */
export async function takeDelivered(
	context: IExecuteFunctions,
	payloads: IDataObject[],
	ids: Array<string | undefined>,
): Promise<boolean[]> {
	if (payloads.length === 0) return [];
	const executionId = context.getExecutionId();
	const deliveries = payloads.map((payload, index): Delivery => {
		const key = eventKey(payload);
		const id = ids[index];
		return { key, executionId, ...(id !== undefined && { claim: `${key} by ${id}` }) };
	});
	const question = nextQuestions.get(nodeOf(context)) ?? ask(context);
	question.deliveries.push(...deliveries);
	const taken = await question.taken;
	return deliveries.map((delivery) => taken.has(delivery));
}

/**
 * Lets the memory settle, before a delivery is looked up that repeats one of a moment ago. Until the
 * entries of that one have been looked at again, recovery may have put older memory in their place.
 */
export async function letSettle(context: IExecuteFunctions): Promise<void> {
	if (isShared(context)) await sleep(2 * SETTLING_MS);
}

function ask(context: IExecuteFunctions): Question {
	const deliveries: Delivery[] = [];
	const taken = oneAtATime(context, async () => {
		nextQuestions.delete(nodeOf(context));
		return await take(context, deliveries);
	});
	const question = { deliveries, taken };
	nextQuestions.set(nodeOf(context), question);
	return question;
}

async function take(context: IExecuteFunctions, deliveries: Delivery[]): Promise<Set<Delivery>> {
	const unseen = await record(
		context,
		deliveries.map(({ key }) => key),
	);
	const seen = deliveries.filter(({ key }) => !unseen.has(key));
	// Of several deliveries of one event, the first takes it.
	const first = deliveries.filter(({ key }) => unseen.delete(key));

	const shared = isShared(context);
	if (shared) logTaken(context, first);

	const marks = first.map(({ key }) => markOf(key));
	const claims = [...first, ...seen].flatMap(({ claim }) => claim ?? []);
	const fresh = await record(context, [...marks, ...claims]);
	const taken = new Set([
		// Its mark is there if recovery gave it out, and another process has lost its key.
		...first.filter(({ key }) => fresh.has(markOf(key))),
		...seen.filter(({ claim }) => claim !== undefined && !fresh.has(claim)),
	]);
	const unfounded = [...first, ...seen].flatMap((delivery) =>
		taken.has(delivery) ? [] : (delivery.claim ?? []),
	);
	await remove(context, unfounded);
	if (shared) {
		const entries = [...taken].flatMap(({ key, claim }) => [key, markOf(key), claim ?? []].flat());
		await keep(context, entries, SETTLING_MS);
	}
	return taken;
}

/**
 * Tells in the log which execution handles which event. When a worker is killed, n8n drops what its
 * executions began with, and nothing else says which events were under way.
 */
function logTaken(context: IExecuteFunctions, deliveries: Delivery[]): void {
	const { id } = context.getWorkflow();
	for (const { key, executionId } of deliveries) {
		const event = key.slice(key.indexOf(':') + 1);
		context.logger.info(
			`Partner Payments Trigger: execution ${executionId} of workflow ${id} handles the event ${event}`,
		);
	}
}

/** An event of the service's log. */
export interface LoggedEvent {
	/** When it was written (milliseconds since 1970). */
	time: number;
	payload: IDataObject;
}

/** Each event once, the oldest first: the newest, as many as are remembered, and how many are older. */
export function rememberable(events: LoggedEvent[]): { events: LoggedEvent[]; tooOld: number } {
	const byKey = new Map<string, LoggedEvent>();
	for (const event of [...events].sort((a, b) => a.time - b.time)) {
		const key = eventKey(event.payload);
		if (!byKey.has(key)) byKey.set(key, event);
	}
	const each = [...byKey.values()];
	return {
		events: each.slice(-REMEMBERED_EVENTS),
		tooOld: Math.max(0, each.length - REMEMBERED_EVENTS),
	};
}

/**
 * Takes the events of the service's log that the workflow has not given out yet. Those whose
 * delivery is just on its way through n8n are left to the trigger, which does not wait.
 *
 * @param events as many as are remembered at the most: of more, some would be taken again and again
 * @returns the events to be given out
 */
export async function takeLogged(
	context: IExecuteFunctions,
	events: LoggedEvent[],
): Promise<LoggedEvent[]> {
	const keyed = events.map((event) => ({ ...event, key: eventKey(event.payload) }));
	const unseen = await oneAtATime(
		context,
		async () =>
			await record(
				context,
				keyed.map(({ key }) => key),
			),
	);
	if (unseen.size) await sleep(2 * SETTLING_MS);
	// A key without a mark is left of an execution that was killed in between.
	const orphaned = Date.now() - ORPHANED_MS;
	const open = keyed.filter(({ key, time }) => unseen.has(key) || time < orphaned);
	const fresh = await oneAtATime(context, async () => {
		const missing = await record(
			context,
			open.flatMap(({ key }) => [key, markOf(key)]),
		);
		await keep(context, [...missing], 1.5 * SETTLING_MS);
		return missing;
	});
	return open
		.filter(({ key }) => fresh.delete(markOf(key)))
		.map(({ time, payload }) => ({ time, payload }));
}

/**
 * Does work that takes events and then gives them out. If it does not succeed, nothing is given
 * out, so the events are forgotten again.
 *
 * @param taken gives the events that were taken so far
 */
export async function orForget<T>(
	context: IExecuteFunctions,
	taken: () => IDataObject[],
	work: () => Promise<T>,
): Promise<T> {
	let succeeded = false;
	try {
		const result = await work();
		succeeded = true;
		return result;
	} finally {
		if (!succeeded) {
			const keys = taken().map(eventKey);
			await oneAtATime(context, async () => await remove(context, [...keys, ...keys.map(markOf)]));
		}
	}
}

/** @returns the entries that were not in n8n's memory yet */
async function record(context: IExecuteFunctions, entries: string[]): Promise<Set<string>> {
	if (entries.length === 0) return new Set();
	const once = async () =>
		await context.helpers.checkProcessedAndRecord(entries, 'workflow', MEMORY);
	// The first entry of all may be written by another process at the same moment.
	const answer = await once().catch(once);
	return new Set(answer.new.map(String));
}

async function remove(context: IExecuteFunctions, entries: string[]): Promise<void> {
	if (entries.length === 0) return;
	const { looked, later } = written.get(nodeOf(context)) ?? {};
	for (const entry of entries) {
		looked?.delete(entry);
		later?.delete(entry);
	}
	await context.helpers.removeProcessed(entries, 'workflow', MEMORY);
}

/**
 * Puts back entries that another process has written over: now, and after a while until they stay.
 * The trigger and recovery wait for different times, so as not to meet again.
 */
async function keep(context: IExecuteFunctions, entries: string[], afterMs: number): Promise<void> {
	await record(context, entries);
	lookAgain(context, entries, afterMs);
}

function lookAgain(context: IExecuteFunctions, entries: string[], afterMs: number): void {
	if (entries.length === 0) return;
	const node = nodeOf(context);
	const recent = written.get(node);
	if (recent) {
		// Not together with those before: each entry is looked at no sooner than after its time.
		for (const entry of entries) recent.later.add(entry);
		return;
	}
	const [looked, later] = [new Set(entries), new Set<string>()];
	written.set(node, { looked, later });
	void sleep(afterMs)
		.then(
			async () =>
				await oneAtATime(context, async () => {
					const lost = await record(context, [...looked]);
					written.delete(node);
					lookAgain(context, [...lost, ...later], afterMs);
				}),
		)
		// Nothing is known to be lost, and nobody waits for it.
		.catch(() => written.delete(node));
}

function nodeOf(context: IExecuteFunctions): string {
	return `${context.getWorkflow().id} ${context.getNode().id}`;
}

/** n8n reads and writes its memory in two steps, which must not interleave. */
async function oneAtATime<T>(context: IExecuteFunctions, work: () => Promise<T>): Promise<T> {
	const workflowId = context.getWorkflow().id ?? '';
	const before = queues.get(workflowId) ?? Promise.resolve();
	const turn = before.then(async () =>
		isShared(context) ? await oneProcessAtATime(context, work) : await work(),
	);
	const settled = turn.catch(() => undefined);
	queues.set(workflowId, settled);
	void settled.then(() => {
		if (queues.get(workflowId) === settled) queues.delete(workflowId);
	});
	return await turn;
}

/**
 * Whether other processes may use the memory too. Turns cost n8n's database more than the memory
 * itself, which tells when a thousand events come at once.
 *
 * n8n 2 gives the registration of the trigger, which is in static data, to the main process and to no
 * worker. n8n 1 gives it to workers too, and lets expressions see how it was started.
 */
function isShared(context: IExecuteFunctions): boolean {
	return Object.keys(triggerWebhooks(context)).length === 0 || isQueueMode(context);
}

/** Of this process, once it is known. */
let knownMode: boolean | undefined;

function isQueueMode(context: IExecuteFunctions): boolean {
	try {
		knownMode ??= context.evaluateExpression('{{ $env.EXECUTIONS_MODE }}', 0) === 'queue';
	} catch {
		// n8n 2 does not let expressions read the environment, unless it is told to.
		knownMode = false;
	}
	return knownMode;
}

/**
 * The worker whose turn it is holds an entry in the memory of the node, which n8n's database lets
 * only one of them create.
 */
async function oneProcessAtATime<T>(
	context: IExecuteFunctions,
	work: () => Promise<T>,
): Promise<T> {
	const patience = Date.now() + TURN_PATIENCE_MS;
	while (!(await takesTurn(context)) && Date.now() < patience) await sleep(TURN_PAUSE_MS);
	try {
		return await work();
	} finally {
		// The work is done: if this fails, the next turn waits until patience ends.
		await context.helpers.clearAllProcessedItems('node', MEMORY).catch(() => undefined);
	}
}

async function takesTurn({ helpers }: IExecuteFunctions): Promise<boolean> {
	try {
		const answer = await helpers.checkProcessedAndRecord([TURN], 'node', MEMORY);
		return answer.new.length > 0;
	} catch {
		// Another process created the entry at the same moment.
		return false;
	}
}
