import type { IDataObject } from 'n8n-workflow';

import type { OutputShape } from '../fields/form';
import { isObject } from '../service/responses';
import { EVENT } from './event';

/** Section 2.8. */
export const LOG: OutputShape = {
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

/** The first value that is a text with a date (milliseconds since 1970). */
export function firstTime(values: unknown[]): number | undefined {
	return values
		.map((value) => (typeof value === 'string' ? Date.parse(value) : NaN))
		.find((time) => !Number.isNaN(time));
}

/** The event of an entry, which is an object or its JSON text; undefined if there is none. */
export function payloadIn({ payload }: IDataObject): IDataObject | undefined {
	if (typeof payload !== 'string') return isObject(payload) ? payload : undefined;
	try {
		const parsed: unknown = JSON.parse(payload);
		return isObject(parsed) ? parsed : undefined;
	} catch {
		return undefined;
	}
}
