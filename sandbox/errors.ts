/* eslint-disable @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { STATUS_CODES } from 'node:http';
import type { SandboxSettings } from './settings';

/** An error response, thrown where the error is found. */
export class ServiceError extends Error {
	readonly messages: string[];

	constructor(
		readonly statusCode: number,
		messages: string | string[],
	) {
		const list = [messages].flat();
		super(list.join('; '));
		this.messages = list;
	}
}

/** The body of an error (section 7). A 401 has no `error`; in all others it names the status. */
export function errorBody(
	statusCode: number,
	messages: string[],
	style: SandboxSettings['errorMessages'] = 'string',
): { statusCode: number; message: string | string[]; error?: string } {
	const message = style === 'list' && statusCode === 400 ? messages : messages.join('; ');
	if (statusCode === 401) return { statusCode, message };
	return { statusCode, message, error: STATUS_CODES[statusCode] ?? 'Error' };
}
