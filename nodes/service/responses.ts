import type { IDataObject } from 'n8n-workflow';

import { ServiceError } from './errors';
import { userMessage } from './messages';

/** Whether a value is a JSON object, not a list, text, number or null. */
export function isObject(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The list in a response: the response itself, or its property `key`.
 *
 * @throws ServiceError if there is no list: a changed service must not look like an empty list
 */
export function listIn(response: unknown, key?: string): IDataObject[] {
	const list =
		key !== undefined && !Array.isArray(response)
			? (response as IDataObject | null | undefined)?.[key]
			: response;
	if (!Array.isArray(list)) {
		throw new ServiceError(userMessage('responseWithoutList'));
	}
	return list as IDataObject[];
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

/** A property of a response; undefined if it is not a text or is empty. */
export function textIn(response: unknown, key: string): string | undefined {
	const value = (response as IDataObject | null | undefined)?.[key];
	return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The created transaction in a response; undefined if its ID is missing. */
export function createdIn(
	transactionId: string | undefined,
	transaction: unknown,
): { transactionId: string; status: string; message: string } | undefined {
	return transactionId === undefined
		? undefined
		: {
				transactionId,
				status: textIn(transaction, 'status') ?? '',
				message: textIn(transaction, 'message') ?? '',
			};
}
