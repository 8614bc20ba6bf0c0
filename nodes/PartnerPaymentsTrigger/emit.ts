import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { toOperationError } from '../service/errors';
import type { UserMessage } from '../service/messages';
import { isObject } from '../service/json';
import { eventItem, eventKey, matchesFilter, readFilter, transactionIdOf } from '../logs/event';
import { claimEvents, isMemoryFull, nodeOf } from './deduplication';
import { hasBegunExecution } from './load';
import { knownEvents } from './look';
import { userMessage } from './messages';

const ENVELOPE_ID = 'partnerPaymentsEventId';
const ALARM = 'partnerPaymentsAlarm';

/** An event in the item that `webhook` or `trigger` passes to `execute`. */
interface Envelope extends IDataObject {
	/** Distinguishes it from other envelopes of the same event. An execution that runs again has the same. */
	[ENVELOPE_ID]: string;
	payload: IDataObject;
	/** If a look found it, and its memory alone doesn't decide whether it was emitted. */
	doubt?: Doubt;
	/** When it was logged, if a look found it (milliseconds since 1970). */
	loggedAt?: number;
}

/** Events that a full memory doesn't cover, or that are older than the lookback window. An execution has one kind. */
export type Doubt = 'uncovered' | 'overdue';

/** @param id unique for each execution that is started */
export function envelope(
	payload: IDataObject,
	id: string,
	found: Pick<Envelope, 'doubt' | 'loggedAt'> = {},
): INodeExecutionData {
	const json: Envelope = { [ENVELOPE_ID]: id, payload, ...found };
	return { json };
}

/** An item that makes its execution fail with this message, where people see it. */
export function alarmItem({ code, message, hint: hint = '' }: UserMessage): INodeExecutionData {
	return { json: { [ALARM]: message, code, hint } };
}

/**
 * The trigger's `execute`: emits the events that pass the filter and have not been emitted yet. Its input is
 * what started the workflow: a delivery, or what a poll found.
 *
 * In the editor, it emits an event each time. Pinned or handwritten input is the event itself.
 *
 * @returns an item for each event that is emitted
 * @throws NodeOperationError to report an alarm, or events that a look can't decide
 */
export async function emitNew(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const simplify = context.getNodeParameter('options.simplify', 0, false) === true;
	const input = context.getInputData().map(({ json }): Envelope => {
		throwAlarm(context, json);
		return isEnvelope(json) ? json : { [ENVELOPE_ID]: context.getExecutionId(), payload: json };
	});
	if (context.getMode() === 'manual') {
		return input.map(({ payload }) => eventItem(payload, simplify));
	}
	const filter = readFilter((name, fallback) => context.getNodeParameter(name, 0, fallback));
	const events = input
		.filter(({ payload }) => matchesFilter(filter, payload))
		.map((one): EmittedEvent => ({ ...one, id: one[ENVELOPE_ID], key: eventKey(one.payload) }));
	logEvents(context, events);
	try {
		return (await takeNew(context, events)).map(({ payload }) => eventItem(payload, simplify));
	} finally {
		hasBegunExecution(input.map(({ [ENVELOPE_ID]: id }) => id));
	}
}

interface EmittedEvent extends Envelope {
	id: string;
	key: string;
}

/**
 * The events to emit.
 *
 * @throws NodeOperationError to report those that nobody can tell to be new, each once, and if n8n's database fails
 */
async function takeNew(
	context: IExecuteFunctions,
	events: EmittedEvent[],
): Promise<EmittedEvent[]> {
	const { doubt } = events[0] ?? {};
	const notRecorded = (error: Error): never => {
		throw toOperationError(context, userMessage('notRecorded', { reason: error.message }));
	};
	const isFull = doubt !== undefined && (await isMemoryFull(context).catch(notRecorded));
	const isTaken = await claimEvents(context, events).catch(notRecorded);
	const taken = events.filter((_, index) => isTaken[index]);
	knownEvents.get(nodeOf(context))?.handle(events.map(({ key }) => key));
	if (taken.length > 0 && (doubt === 'overdue' || isFull)) throwReport(context, taken, isFull);
	return taken;
}

/** How many transactions an error names. */
const MAX_NAMED = 50;

function throwReport(context: IExecuteFunctions, events: EmittedEvent[], isFull: boolean): never {
	const ids = events
		.slice(0, MAX_NAMED)
		.map(({ payload }) => transactionIdOf(payload) ?? '(no ID)');
	const more = events.length > MAX_NAMED ? ` and ${events.length - MAX_NAMED} more` : '';
	const [from, to] = [events[0], events[events.length - 1]].map(({ loggedAt = 0 }) =>
		new Date(loggedAt).toISOString(),
	);
	const values = { count: events.length, from, to, transactions: `${ids.join(', ')}${more}` };
	throw toOperationError(
		context,
		isFull ? userMessage('eventsUndecidable', values) : userMessage('eventsTooOld', values),
	);
}

function throwAlarm(context: IExecuteFunctions, json: IDataObject): void {
	const { [ALARM]: message, code, hint } = json;
	if (typeof message !== 'string') return;
	throw toOperationError(context, {
		code: String(code),
		message,
		hint: String(hint),
	});
}

function isEnvelope(json: IDataObject): json is Envelope {
	return typeof json[ENVELOPE_ID] === 'string' && isObject(json.payload);
}

/** How many events a line of n8n's log names. */
const EVENTS_PER_LINE = 100;

/**
 * Writes to n8n's log which execution handles which events, before they count as emitted. If a worker is
 * killed, n8n 2 doesn't run its executions again (`maxStalledCount: 0` in `scaling.service.js` of n8n) and
 * drops their input, so nothing else shows which events were in flight.
 */
function logEvents(context: IExecuteFunctions, events: Array<{ key: string }>): void {
	const { id } = context.getWorkflow();
	for (let from = 0; from < events.length; from += EVENTS_PER_LINE) {
		const keys = events
			.slice(from, from + EVENTS_PER_LINE)
			.map(({ key }) => key.slice(key.indexOf(':') + 1));
		const { message } = userMessage('eventsClaimed', {
			execution: context.getExecutionId(),
			workflow: id ?? '',
			events: keys.join(', '),
		});
		context.logger.info(message);
	}
}
