import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { isObject } from '../service/answers';
import type { Told } from '../service/messages';
import { toOperationError } from '../service/errors';
import { eventItem, eventKey, isWanted, readFilter, transactionIdOf } from './event';
import { takeEvents } from './eventMemory';
import { tell } from './messages';

const HAND_OVER = 'partnerPaymentsHandOver';
const PROBLEM = 'partnerPaymentsProblem';

/** An event on its way from `webhook` or `trigger` to `execute`. An execution that runs again has the same. */
interface HandedOver extends IDataObject {
	/** Tells this hand-over from others of the same event. */
	[HAND_OVER]: string;
	payload: IDataObject;
	/** Whether it is older than the window: it is only reported, not given out. */
	isOverdue?: boolean;
}

/** @param id tells this hand-over from others of the same event */
export function handOver(
	payload: IDataObject,
	id: string,
	how: Pick<HandedOver, 'isOverdue'> = {},
): INodeExecutionData {
	const json: HandedOver = { [HAND_OVER]: id, payload, ...how };
	return { json };
}

/** An item that makes its execution fail, where the person will see it. */
export function problemItem({ code, message, advice = '' }: Told): INodeExecutionData {
	return { json: { [PROBLEM]: message, code, advice } };
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
export async function giveOut(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const simplify = context.getNodeParameter('simplify', 0, false) === true;
	const input = context.getInputData().map(({ json }): HandedOver => {
		tellProblem(context, json);
		return isHandedOver(json) ? json : { [HAND_OVER]: context.getExecutionId(), payload: json };
	});
	if (context.getMode() === 'manual') {
		return input.map(({ payload }) => eventItem(payload, simplify));
	}
	const filter = readFilter((name, fallback) => context.getNodeParameter(name, 0, fallback));
	const events = input
		.filter(({ payload }) => isWanted(filter, payload))
		.map(({ [HAND_OVER]: id, payload, isOverdue }) => ({
			id,
			key: eventKey(payload),
			payload,
			isOverdue,
		}));
	logEvents(context, events);
	const isTaken = await takeEvents(context, events);
	const taken = events.filter((_, index) => isTaken[index]);
	tellOverdue(
		context,
		taken.filter(({ isOverdue }) => isOverdue),
	);
	return taken.map(({ payload }) => eventItem(payload, simplify));
}

/** How many transactions an error names. */
const MAX_NAMED = 50;

function tellOverdue(context: IExecuteFunctions, events: Array<{ payload: IDataObject }>): void {
	if (events.length === 0) return;
	const ids = events
		.slice(0, MAX_NAMED)
		.map(({ payload }) => transactionIdOf(payload) ?? '(no ID)');
	const more = events.length > MAX_NAMED ? ` and ${events.length - MAX_NAMED} more` : '';
	throw toOperationError(
		context.getNode(),
		tell('eventsOverdue', { count: events.length, transactions: `${ids.join(', ')}${more}` }),
	);
}

function tellProblem(context: IExecuteFunctions, json: IDataObject): void {
	const { [PROBLEM]: message, code, advice } = json;
	if (typeof message !== 'string') return;
	throw toOperationError(context.getNode(), {
		code: String(code),
		message,
		advice: String(advice),
	});
}

function isHandedOver(json: IDataObject): json is HandedOver {
	return typeof json[HAND_OVER] === 'string' && isObject(json.payload);
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
		const { message } = tell('eventsTaken', {
			execution: context.getExecutionId(),
			workflow: id ?? '',
			events: keys.join(', '),
		});
		context.logger.info(message);
	}
}
