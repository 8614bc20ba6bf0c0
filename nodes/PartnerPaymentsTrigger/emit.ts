import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { toOperationError } from '../service/errors';
import type { UserMessage } from '../service/messages';
import { isObject } from '../service/json';
import { eventItem, eventKey, matchesFilter, readFilter, transactionIdOf } from '../logs/event';
import { claimEvents, eventsToRemember } from './deduplication';
import { hasBegunExecution } from './load';
import { userMessage } from './messages';

const ENVELOPE_ID = 'partnerPaymentsEventId';
const ALARM = 'partnerPaymentsAlarm';

/** An event in the item that `webhook` or `trigger` passes to `execute`. */
interface Envelope extends IDataObject {
	/** Distinguishes it from other envelopes of the same event. An execution that runs again has the same. */
	[ENVELOPE_ID]: string;
	payload: IDataObject;
	/** Whether the event is older than the window: it is reported instead of emitted. */
	isOverdue?: boolean;
	/** How many events the lookback window has, if a poll has just read all of it. */
	windowSize?: number;
}

/** @param id unique for each execution that is started */
export function envelope(
	payload: IDataObject,
	id: string,
	flags: Pick<Envelope, 'isOverdue' | 'windowSize'> = {},
): INodeExecutionData {
	const json: Envelope = { [ENVELOPE_ID]: id, payload, ...flags };
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
 * @throws NodeOperationError to report an alarm or overdue events
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
 * @throws NodeOperationError to report overdue events, unless a retry has others to emit: the poll starts an
 *   execution without overdue events if this fails
 */
async function takeNew(
	context: IExecuteFunctions,
	events: EmittedEvent[],
): Promise<EmittedEvent[]> {
	const isRetry = context.getMode() === 'retry';
	const isPolled = context.getNodeParameter('checkForMissedEvents', 0, '') !== 'never';
	// Nothing else than a full read knows the size, and what it knew once may have changed until a retry.
	const windowSize = isPolled ? (isRetry ? undefined : events[0]?.windowSize) : 0;
	const take = async (some: EmittedEvent[]): Promise<EmittedEvent[]> => {
		const isTaken = await claimEvents(context, some, eventsToRemember(windowSize));
		return some.filter((_, index) => isTaken[index]);
	};
	const overdue = events.filter(({ isOverdue }) => isOverdue);
	const current = events.filter(({ isOverdue }) => !isOverdue);
	if (!isRetry) throwOverdue(context, await take(overdue));
	const taken = await take(current);
	if (isRetry && taken.length === 0) throwOverdue(context, await take(overdue));
	return taken;
}

/** How many transactions an error names. */
const MAX_NAMED = 50;

function throwOverdue(context: IExecuteFunctions, events: Array<{ payload: IDataObject }>): void {
	if (events.length === 0) return;
	const ids = events
		.slice(0, MAX_NAMED)
		.map(({ payload }) => transactionIdOf(payload) ?? '(no ID)');
	const more = events.length > MAX_NAMED ? ` and ${events.length - MAX_NAMED} more` : '';
	throw toOperationError(
		context,
		userMessage('eventsTooOld', { count: events.length, transactions: `${ids.join(', ')}${more}` }),
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
