import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	NodeOperationError,
} from 'n8n-workflow';

import { toOperationError } from '../service/errors';
import { type EditorMessage, userMessage } from '../messages/userMessage';
import { isObject } from '../service/json';
import { shortHash } from '../service/secrets';
import { HOUR_MS } from '../service/time';
import { eventItem, eventKey, matchesFilter, readFilter } from '../logs/event';
import { readPayload } from '../logs/payload';
import { claimEvents, nodeOf, remembersSince, type IncomingEvent } from './deduplication';
import { hasBegunExecution } from './load';
import { published } from './schedule';

const ENVELOPE_ID = 'partnerPaymentsEventId';
const ALARM = 'partnerPaymentsAlarm';

/** An event in the item that `webhook` or `trigger` passes to `execute`. */
interface Envelope extends IDataObject {
	/** Distinguishes it from other envelopes of the same event. An execution that runs again has the same. */
	[ENVELOPE_ID]: string;
	payload: IDataObject;
	/** If a look found it: when it was logged (ISO 8601), empty without a readable date. */
	loggedAt?: string;
	/** Whether it was delivered long ago: earlier looks have had it, unless n8n was down. Then the memory has it. */
	wasHandled?: boolean;
}

/** @param id unique for each execution that is started */
export function envelope(
	payload: IDataObject,
	id: string,
	found: Pick<Envelope, 'loggedAt' | 'wasHandled'> = {},
): INodeExecutionData {
	const json: Envelope = { [ENVELOPE_ID]: id, payload, ...found };
	return { json };
}

/** An item that makes its execution fail with this message, where people see it. */
export function alarmItem({ code, message, hint }: EditorMessage): INodeExecutionData {
	return { json: { [ALARM]: { code, message, hint } } };
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
		const { [ALARM]: alarm } = json;
		if (isObject(alarm)) throw toOperationError(context, alarm as unknown as EditorMessage);
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

type EmittedEvent = Envelope & IncomingEvent;

/** Dates of the service may be ahead of the moment at which n8n got the event by this much. */
const MAX_LEAD_MS = HOUR_MS;

/**
 * The events to emit. If there are some to report, the execution emits nothing else: another one has the others.
 *
 * @throws NodeOperationError to report events that a full memory may have forgotten, each once. Also if n8n's database
 *   fails
 */
async function takeNew(
	context: IExecuteFunctions,
	events: EmittedEvent[],
): Promise<EmittedEvent[]> {
	const recorded = async <T>(work: Promise<T>): Promise<T> =>
		await work.catch((error: Error) => {
			throw toOperationError(context, userMessage('notRecorded', { reason: error.message }));
		});
	// What an execution has emitted once, it emits again if it runs again. n8n stores the context with it.
	const done = context.getContext('node');
	const isFound = events.some(({ loggedAt }) => loggedAt !== undefined);
	const isAgain = context.getMode() === 'retry' && done.hasReported !== true;
	const since =
		isFound && !isAgain ? await recorded(remembersSince(context, events.length)) : -Infinity;
	const isDecided = ({ loggedAt }: EmittedEvent) =>
		since === -Infinity || loggedAt === undefined || Date.parse(loggedAt) - MAX_LEAD_MS >= since;

	// By the minute and its events: an entry for each event would push out what the memory still has.
	const minutes = new Map<string, EmittedEvent[]>();
	for (const event of events.filter((one) => !isDecided(one) && !one.wasHandled)) {
		const minute = String(event.loggedAt).slice(0, 'yyyy-mm-ddThh:mm'.length);
		minutes.set(minute, [...(minutes.get(minute) ?? []), event]);
	}
	const toReport = [...minutes.values()];
	const reports = toReport.map((some) => ({
		key: `reported ${shortHash(some.map(({ key }) => key).sort())}`,
		id: `report ${events[0].id}`,
	}));
	const areNew = await recorded(claimEvents(context, reports));
	const reported = toReport.filter((_, index) => areNew[index]).flat();
	if (reported.length > 0) {
		done.hasReported = true;
		throw reportOf(context, reported);
	}

	const toTake = events.filter(isDecided);
	const isTaken = await recorded(claimEvents(context, toTake));
	const known = published.get(nodeOf(context))?.known;
	for (const { key } of events) known?.set(key, Date.now());
	return toTake.filter((_, index) => isTaken[index]);
}

/** The code of the error that reports events. */
export const REPORT = 'eventsUndecidable';

/** How many transactions an error names. */
const MAX_NAMED = 50;

function reportOf(context: IExecuteFunctions, events: EmittedEvent[]): NodeOperationError {
	const ids = events
		.slice(0, MAX_NAMED)
		.map(({ payload }) => readPayload(payload).transactionId ?? '(no ID)');
	const more = events.length > MAX_NAMED ? ` and ${events.length - MAX_NAMED} more` : '';
	const dates = events.map(({ loggedAt }) => loggedAt || '?');
	return toOperationError(
		context,
		userMessage(REPORT, {
			count: events.length,
			from: dates[0],
			to: dates[dates.length - 1],
			transactions: `${ids.join(', ')}${more}`,
		}),
	);
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
