import type { IDataObject } from 'n8n-workflow';

import type { Output } from '../fields/form';
import { LOG_STATUSES, LOG_SUCCESS } from '../service/enums';
import { isObject, parseObject } from '../service/json';
import { isNamed } from '../service/responses';
import { EVENT } from './event';
import { firstTime, readPayload, type EventFacts } from './payload';

/** Section 2.8. */
export const LOG: Output = {
	id: 'string',
	webhookId: 'string',
	name: 'string',
	webhookUrl: 'string',
	status: 'string',
	payload: EVENT,
	statusCode: 'integer',
	duration: 'number',
	retries: 'integer',
	createdAt: 'string',
	updatedAt: 'string',
};

/** The result of an attempt (section 2.8), which a service may write in other letters; undefined if it is another. */
export function resultOf(log: IDataObject): string | undefined {
	return LOG_STATUSES.find(({ value }) => isNamed(log.status, value))?.value;
}

/** Whether the attempt arrived. */
export function isDelivered(log: IDataObject): boolean {
	return resultOf(log) === LOG_SUCCESS;
}

/** When an entry was written (milliseconds since 1970); now if it has no readable date. */
export function entryTime(log: IDataObject): number {
	const time = entryDate(log);
	return Number.isNaN(time) ? Date.now() : time;
}

/** The same, but NaN without a readable date. */
export function entryDate({ createdAt, updatedAt, payload }: IDataObject): number {
	return (
		firstTime([createdAt, updatedAt, isObject(payload) ? payload.timestamp : undefined]) ?? NaN
	);
}

/** The event of an entry, which is an object or its JSON text; undefined if there is none. */
export function payloadIn({ payload }: IDataObject): IDataObject | undefined {
	return parseObject(payload);
}

/** What an event in the delivery logs says about a transaction. */
export interface LoggedEvent extends EventFacts {
	status: string;
	/** The time of the event, or else of its log entry (milliseconds since 1970). */
	time: number;
	/** Whether it is the time of the event. */
	isOwnTime: boolean;
}

/** @returns undefined for an entry without a transaction, a status or a time */
export function readEvent(log: IDataObject): LoggedEvent | undefined {
	const payload = payloadIn(log);
	if (payload === undefined) return undefined;
	const facts = readPayload(payload);
	const { status, transactionId, references } = facts;
	const time = facts.time ?? firstTime([log.createdAt, log.updatedAt]);
	if (status === undefined || time === undefined) return undefined;
	if (transactionId === undefined && references.length === 0) return undefined;
	return { ...facts, status, time, isOwnTime: facts.time !== undefined };
}
