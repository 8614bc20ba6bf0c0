import { createHash } from 'node:crypto';
import type {
	ICheckProcessedOptions,
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
} from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import type { TriggerWebhooks } from '../PartnerPaymentsTrigger/registration';
import type { OutputShape } from './outputShape';

/**
 * n8n remembers 10,000 processed events for a workflow, with two entries for each that the trigger
 * took; the oldest are forgotten first.
 */
const MEMORY: ICheckProcessedOptions = { mode: 'entries', maxEntries: 20_000 };

/** Section 6.1, which 6.2 differs from in `externalReference` and `details.walletId`. */
export const EVENT: OutputShape = {
	externalReference: 'string',
	status: 'string',
	transactionType: 'string',
	timestamp: 'string',
	details: {
		amount: 'string',
		asset: 'string',
		blockchain: 'string',
		transactionHash: 'string',
		message: 'string',
		transactionId: 'string',
	},
};

/**
 * The output item of an event (section 6): the payload as it came, or flattened. The trigger and
 * Recover Missed Events both use it, so a workflow cannot tell which of them an event came by.
 */
export function eventItem(payload: IDataObject, simplify: boolean): INodeExecutionData {
	return { json: simplify ? flatten(payload) : payload };
}

/** The fields of `details` beside the others; where a name is taken, `details_` comes before it. */
function flatten(payload: IDataObject): IDataObject {
	const { details, ...rest } = payload;
	if (!isObject(details)) return payload;
	const names = new Set([...Object.keys(rest), ...Object.keys(details)]);
	const free = (name: string): string => (names.has(name) ? free(`details_${name}`) : name);
	// From entries: assigning to a field named `__proto__` would change the object itself.
	return Object.fromEntries([
		...Object.entries(rest),
		...Object.entries(details).map(([name, value]): [string, typeof value] => {
			if (!Object.hasOwn(rest, name)) return [name, value];
			const other = free(`details_${name}`);
			names.add(other);
			return [other, value];
		}),
	]);
}

/** Whether a payload is a JSON object, which every event is. */
export function isObject(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * What an event is recognised by: transaction and status. The same transaction comes once in each
 * status, however often it is delivered. Without a transaction identifier the content decides.
 */
export function eventKey(payload: IDataObject): string {
	const details = isObject(payload.details) ? payload.details : {};
	const transactionId = [
		details.transactionId,
		details.transaction_id,
		payload.transactionId,
		payload.transaction_id,
	].find((id) => typeof id === 'string' && id !== '');
	const status = payload.status ?? payload.transactionStatus ?? details.status;
	if (typeof transactionId !== 'string' || typeof status !== 'string') {
		return `partnerPayments:${sha256(canonicalJson(payload))}`;
	}
	return PLAIN.test(transactionId) && PLAIN.test(status)
		? `partnerPayments:${transactionId}:${status}`
		: `partnerPayments:${sha256(JSON.stringify([transactionId, status]))}`;
}

/** Texts that can stand side by side in a key and still be told apart. */
const PLAIN = /^[\w-]+$/;

function sha256(text: string): string {
	return createHash('sha256').update(text).digest('hex');
}

/** JSON with sorted keys, so that the order in which a sender writes them does not matter. */
function canonicalJson(value: unknown): string {
	return JSON.stringify(value, (_, entry: unknown) =>
		isObject(entry)
			? Object.fromEntries(Object.entries(entry).sort(([a], [b]) => (a < b ? -1 : 1)))
			: entry,
	);
}

const TURN = 'partnerPayments:turn';

/** A turn takes milliseconds. Whoever holds it longer has been killed. */
const TURN_PATIENCE_MS = 10_000;

const TURN_PAUSE_MS = 10;

/** By workflow: the turns in this process. */
const queues = new Map<string, Promise<unknown>>();

/** By node: what is asked of n8n's memory as soon as the question before is answered. */
const nextQuestions = new Map<string, Question>();

interface Question {
	keys: Set<string>;
	unseen: Promise<Set<string>>;
}

/**
 * Remembers events with n8n's own deduplication, for the workflow. Executions that wait for it are
 * served together: with many at once, n8n's database needs seconds for an answer.
 *
 * An execution that n8n runs again from its start, after a crash, asks again for the delivery that
 * it began with. It may go on with the event if it was the one that had taken it.
 *
 * @param deliveries for each payload the delivery by which it came, if it did
 * @returns for each payload whether its event is to be processed
 */
export async function rememberEvents(
	context: IExecuteFunctions,
	payloads: IDataObject[],
	deliveries: Array<string | undefined> = [],
): Promise<boolean[]> {
	if (payloads.length === 0) return [];
	const question = nextQuestions.get(askerOf(context)) ?? ask(context);
	const asked = payloads.map((payload, index) => {
		const key = eventKey(payload);
		const delivery = deliveries[index];
		return { key, claim: delivery === undefined ? undefined : `${key} by ${delivery}` };
	});
	for (const { key, claim } of asked) {
		question.keys.add(key);
		if (claim !== undefined) question.keys.add(claim);
	}
	const unseen = await question.unseen;

	const unfounded: string[] = [];
	const isTaken = asked.map(({ key, claim }) => {
		// Of those who asked for the same event, the first one takes it.
		if (unseen.delete(key)) return true;
		if (claim === undefined) return false;
		if (!unseen.has(claim)) return true;
		unfounded.push(claim);
		return false;
	});
	await forget(context, unfounded);
	return isTaken;
}

function ask(context: IExecuteFunctions): Question {
	const keys = new Set<string>();
	const unseen = oneAtATime(context, async () => {
		nextQuestions.delete(askerOf(context));
		return await record(context, [...keys]);
	});
	const question = { keys, unseen };
	nextQuestions.set(askerOf(context), question);
	return question;
}

function askerOf(context: IExecuteFunctions): string {
	return `${context.getWorkflow().id} ${context.getNode().id}`;
}

/**
 * Puts keys into n8n's memory and looks whether they are there: in queue mode another node of the
 * workflow may have stored, in place of the memory with them, what it had read before.
 *
 * @returns the keys that were not in it
 */
async function record(context: IExecuteFunctions, keys: string[]): Promise<Set<string>> {
	const { checkProcessedAndRecord } = context.helpers;
	const answer = await checkProcessedAndRecord(keys, 'workflow', MEMORY);
	const unseen = answer.new.map(String);
	for (let lost = unseen; lost.length;) {
		lost = (await checkProcessedAndRecord(lost, 'workflow', MEMORY)).new.map(String);
	}
	return new Set(unseen);
}

/**
 * Does work that remembers events and then gives them out. If it does not succeed, nothing is given
 * out, so the events are forgotten again.
 *
 * @param taken gives the events that were remembered so far
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
		if (!succeeded) await forget(context, taken().map(eventKey));
	}
}

async function forget(context: IExecuteFunctions, keys: string[]): Promise<void> {
	if (keys.length === 0) return;
	await oneAtATime(
		context,
		async () => await context.helpers.removeProcessed(keys, 'workflow', MEMORY),
	);
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
 * Whether other processes may use the memory too. n8n 2 gives the registration of the trigger, which
 * is in static data, to the main process and to no worker. Turns cost n8n's database more than the
 * memory itself, which tells when a thousand events come at once.
 */
function isShared(context: IExecuteFunctions): boolean {
	const { partnerPaymentsWebhooks = {} } = context.getWorkflowStaticData(
		'global',
	) as TriggerWebhooks;
	return Object.keys(partnerPaymentsWebhooks).length === 0;
}

/**
 * Workers of queue mode share the memory. The one whose turn it is holds an entry in the memory of
 * the node, which n8n's database lets only one of them create.
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
		await context.helpers.clearAllProcessedItems('node', MEMORY);
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
