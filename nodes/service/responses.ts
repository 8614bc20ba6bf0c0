import type { IDataObject } from 'n8n-workflow';

import { ServiceError } from './errors';
import { isObject } from './json';
import { userMessage } from '../messages/userMessage';
import { statusText, worstStatus } from './transactionStatus';

/**
 * The list in a response: the response itself, or its property `key`. Its entries may be anything: see `entriesIn`.
 *
 * @throws ServiceError if there is no list
 */
export function listIn(response: unknown, key?: string): unknown[] {
	const list =
		key !== undefined && !Array.isArray(response)
			? (response as IDataObject | null | undefined)?.[key]
			: response;
	return Array.isArray(list) ? list : withoutList();
}

/**
 * The objects of the list in a response.
 *
 * @throws ServiceError if there is no list, or one whose entries are something else: a changed service must not look
 *   like an empty list. Null is no entry
 */
export function entriesIn(response: unknown, key?: string): IDataObject[] {
	const list = listIn(response, key).filter((entry) => entry !== null);
	return list.length === 0 || list.some(isObject) ? list.filter(isObject) : withoutList();
}

function withoutList(): never {
	throw new ServiceError(userMessage('responseWithoutList'));
}

/**
 * The object that a response is.
 *
 * @throws ServiceError if it is something else, such as a web page: the request may still have succeeded
 */
export function objectIn(response: unknown): IDataObject {
	if (!isObject(response)) {
		throw new ServiceError(userMessage('responseWithoutObject'));
	}
	return response;
}

/** Whether a value is this name, in any letter case. */
export function isNamed(value: unknown, name: string): boolean {
	return typeof value === 'string' && value.toLowerCase() === name.toLowerCase();
}

/** A property of a response; undefined if it is not a text or is empty. */
export function textIn(response: unknown, key: string): string | undefined {
	const value = (response as IDataObject | null | undefined)?.[key];
	return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A created transaction, as the response describes it. */
export interface Created {
	transactionId: string;
	/** The service's own status, for example `pending_transaction`. */
	status: string;
	message: string;
}

/**
 * The created transaction in a response. If there are several, the one with the worst status counts.
 *
 * @param transactions one or a list, with `status` and `message`
 * @returns undefined if its ID is missing
 */
export function createdIn(
	transactionId: string | undefined,
	transactions: unknown,
): Created | undefined {
	if (transactionId === undefined) return undefined;
	const states = objectsIn(transactions).map((transaction) => ({
		status: statusText(transaction.status),
		message: textIn(transaction, 'message') ?? '',
	}));
	return { transactionId, ...(worstStatus(states) ?? { status: '', message: '' }) };
}

/** The objects of a list, or the only one that is no list. */
export function objectsIn(value: unknown): IDataObject[] {
	return [value].flat().filter(isObject);
}
