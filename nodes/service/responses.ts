import type { IDataObject } from 'n8n-workflow';

import { ServiceError } from './errors';
import { userMessage } from './messages';

/** Whether a value is a JSON object: no list, text, number or null. */
export function isObject(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The list in an answer: the answer itself, or the list under `key` of an answer that wraps it.
 *
 * @throws ServiceError when there is no list, so that a changed service is not read as "no entries"
 */
export function listIn(answer: unknown, key?: string): IDataObject[] {
	const list =
		key !== undefined && !Array.isArray(answer)
			? (answer as IDataObject | null | undefined)?.[key]
			: answer;
	if (!Array.isArray(list)) {
		throw new ServiceError(userMessage('responseWithoutList'));
	}
	return list as IDataObject[];
}

/**
 * The object in an answer.
 *
 * @throws ServiceError when it is something else (a web page, half a JSON): the service may have done
 *   what was asked all the same
 */
export function objectIn(answer: unknown): IDataObject {
	if (!isObject(answer)) {
		throw new ServiceError(userMessage('responseWithoutObject'));
	}
	return answer;
}

/** The text of a key in an answer, if it has one. */
export function textIn(answer: unknown, key: string): string | undefined {
	const value = (answer as IDataObject | null | undefined)?.[key];
	return typeof value === 'string' && value !== '' ? value : undefined;
}

/** What an answer says of the created transaction; undefined when it lacks the identifier. */
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
