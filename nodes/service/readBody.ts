import type { Deadline } from './deadline';
import { ServiceError } from './errors';
import { userMessage } from '../messages/userMessage';
import { withoutTokens } from './secrets';

const MEGABYTE = 1024 * 1024;

/** More than any list of a real account needs, and little enough for memory. */
export const MAX_LIST_BYTES = 50 * MEGABYTE;

/** For other responses. Less, because many can arrive at once. */
export const MAX_BODY_BYTES = 5 * MEGABYTE;

/**
 * Ten times deeper than any documented body. Thousands of levels overflow the stack of n8n (`deepCopy` in
 * `utils.js` of n8n-workflow).
 */
const MAX_DEPTH = 100;

/** A body as n8n's request helper returns it with the encoding `stream`. */
interface BodyStream extends AsyncIterable<Uint8Array> {
	destroy(error?: Error): void;
}

/**
 * Reads a response body with a limit on its size and time. n8n's request helper has neither
 * (`maxContentLength: Infinity` in `request.js` of @n8n/backend-network).
 *
 * @param maxBytes counted after decompression
 * @param tokens of the request, removed in case the service repeats them
 * @returns the parsed JSON, or the text if it is not JSON; a body that is not a stream, unchanged
 * @throws ServiceError if the body is too large, too deep or too late; the stream's error if the
 *   connection breaks
 */
export async function readBody(
	{ body, statusCode }: { body: unknown; statusCode: number },
	maxBytes: number,
	deadline: Deadline,
	tokens: readonly string[] = [],
): Promise<unknown> {
	if (!isStream(body)) return body;
	const raw = await readText(body, maxBytes, deadline.signal).catch(async (error: Error) =>
		Promise.reject(
			deadline.isOver ? unreadableResponse('did not end in time', statusCode, true) : error,
		),
	);
	if (raw === undefined) {
		throw unreadableResponse(`is larger than ${maxBytes / MEGABYTE} MB`, statusCode);
	}
	const text = withoutTokens(raw, tokens);
	if (isTooDeep(text)) {
		throw unreadableResponse(`is nested deeper than ${MAX_DEPTH} levels`, statusCode);
	}
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return text;
	}
}

function isStream(body: unknown): body is BodyStream {
	return (
		typeof body === 'object' && body !== null && Symbol.asyncIterator in body && 'destroy' in body
	);
}

/** @returns undefined if the body is larger than `maxBytes` */
async function readText(
	body: BodyStream,
	maxBytes: number,
	signal: AbortSignal,
): Promise<string | undefined> {
	const abort = () => body.destroy(new Error('The response timed out'));
	signal.addEventListener('abort', abort, { once: true });
	try {
		if (signal.aborted) abort();
		const parts: Uint8Array[] = [];
		let size = 0;
		for await (const part of body) {
			size += part.length;
			// This closes the connection.
			if (size > maxBytes) return undefined;
			parts.push(part);
		}
		return new TextDecoder().decode(Buffer.concat(parts));
	} finally {
		signal.removeEventListener('abort', abort);
	}
}

/** Whether JSON is nested too deep. Parsing it to find out would take many times the memory of the text. */
export function isTooDeep(json: string): boolean {
	let depth = 0;
	let isInText = false;
	for (let position = 0; position < json.length; position++) {
		switch (json[position]) {
			case '\\':
				position++;
				break;
			case '"':
				isInText = !isInText;
				break;
			case '{':
			case '[':
				if (!isInText && ++depth > MAX_DEPTH) return true;
				break;
			case '}':
			case ']':
				if (!isInText) depth--;
				break;
		}
	}
	return false;
}

function unreadableResponse(reason: string, status: number, isOutage = false): ServiceError {
	return new ServiceError(userMessage('responseUnreadable', { reason }), { status, isOutage });
}
