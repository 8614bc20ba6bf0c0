import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { isObject } from '../service/responses';
import type { UserMessage } from '../service/messages';
import { toOperationError } from '../service/errors';
import { eventItem, eventKey, isWanted, readFilter, transactionIdOf } from '../webhooks/event';
import { claimEvents } from './deduplication';
import { userMessage } from '../webhooks/messages';

const ENVELOPE_ID = 'partnerPaymentsEventId';
const ALARM = 'partnerPaymentsAlarm';

/** An event on its way from `webhook` or `trigger` to `execute`. An execution that runs again has the same. */
interface Envelope extends IDataObject {
	/** Tells this hand-over from others of the same event. */
	[ENVELOPE_ID]: string;
	payload: IDataObject;
	/** Whether it is older than the window: it is only reported, not given out. */
	isOverdue?: boolean;
}

/** @param id tells this hand-over from others of the same event */
export function envelope(
	payload: IDataObject,
	id: string,
	how: Pick<Envelope, 'isOverdue'> = {},
): INodeExecutionData {
	const json: Envelope = { [ENVELOPE_ID]: id, payload, ...how };
	return { json };
}

/** An item that makes its execution fail, where the person will see it. */
export function alarmItem({ code, message, hint: hint = '' }: UserMessage): INodeExecutionData {
	return { json: { [ALARM]: message, code, hint } };
}

/**
 * The trigger's `execute`, which n8n runs on whatever started the workflow: a delivery, or what
 * catching up found. Gives out the events that the trigger wants and has not given out yet.
 *
 * When a person tests in the editor, the same event is given out each time. Pinned or hand-made input is
 * the event itself.
 *
 * @returns one item for each event that is given out
 * @throws NodeOperationError when it was started to tell a problem, or events that are overdue
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
		.filter(({ payload }) => isWanted(filter, payload))
		.map(({ [ENVELOPE_ID]: id, payload, isOverdue }) => ({
			id,
			key: eventKey(payload),
			payload,
			isOverdue,
		}));
	logEvents(context, events);
	const isTaken = await claimEvents(context, events);
	const taken = events.filter((_, index) => isTaken[index]);
	throwOverdue(
		context,
		taken.filter(({ isOverdue }) => isOverdue),
	);
	return taken.map(({ payload }) => eventItem(payload, simplify));
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
		context.getNode(),
		userMessage('eventsTooOld', { count: events.length, transactions: `${ids.join(', ')}${more}` }),
	);
}

function throwAlarm(context: IExecuteFunctions, json: IDataObject): void {
	const { [ALARM]: message, code, hint } = json;
	if (typeof message !== 'string') return;
	throw toOperationError(context.getNode(), {
		code: String(code),
		message,
		hint: String(hint),
	});
}

function isEnvelope(json: IDataObject): json is Envelope {
	return typeof json[ENVELOPE_ID] === 'string' && isObject(json.payload);
}

/** How many events a line of the log names. */
const EVENTS_PER_LINE = 100;

/**
 * Tells in the log which execution handles which events, before they count as given out. When a worker
 * is killed, n8n 2 does not run its executions again (`maxStalledCount: 0` in `scaling.service.js` of n8n)
 * and drops what they began with, and nothing else says what was under way.
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
