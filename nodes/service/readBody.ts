import { ServiceError } from './errors';
import { userMessage } from './messages';
import { withoutTokens } from './secrets';

const MEGABYTE = 1024 * 1024;

/** More than any list of a real account, and little enough for the memory of the process. */
export const MAX_LIST_BYTES = 50 * MEGABYTE;

/** For any other answer. It is less, because many of them may arrive at once. */
export const MAX_BODY_BYTES = 5 * MEGABYTE;

/**
 * Ten times deeper than anything documented. Some thousands of levels overflow the stack in n8n
 * (`deepCopy` in `utils.js` of n8n-workflow).
 */
const MAX_DEPTH = 100;

/** A body as n8n's request helper gives it with the encoding `stream`. */
interface BodyStream extends AsyncIterable<Uint8Array> {
	destroy(error?: Error): void;
}

/**
 * Reads the body of an answer within limits of size and time. n8n's request helper has no limit of size
 * (`maxContentLength: Infinity` in `request.js` of @n8n/backend-network) and reads for as long as bytes
 * keep coming.
 *
 * @param maxBytes counted after decompression
 * @param tokens of the request, which are taken out should the service repeat them
 * @returns the parsed JSON, or the text where it is something else; the body itself if it is no stream
 * @throws ServiceError when the body is larger or nested deeper than anything the service
 *   documents, or does not end in time; the stream's own error when the connection breaks
 */
export async function readBody(
	{ body, statusCode }: { body: unknown; statusCode: number },
	maxBytes: number,
	limit: Deadline,
	tokens: readonly string[] = [],
): Promise<unknown> {
	if (!isStream(body)) return body;
	const raw = await readText(body, maxBytes, limit.signal).catch(async (error: Error) =>
		Promise.reject(limit.isOver ? unreadable('did not end in time', statusCode) : error),
	);
	if (raw === undefined) {
		throw unreadable(`is larger than ${maxBytes / MEGABYTE} MB`, statusCode);
	}
	const text = withoutTokens(raw, tokens);
	if (isTooDeep(text)) {
		throw unreadable(`is nested deeper than ${MAX_DEPTH} levels`, statusCode);
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

/** @returns undefined when the body is larger than `maxBytes` */
async function readText(
	body: BodyStream,
	maxBytes: number,
	signal: AbortSignal,
): Promise<string | undefined> {
	const cut = () => body.destroy(new Error('The time for the answer is over'));
	signal.addEventListener('abort', cut, { once: true });
	try {
		if (signal.aborted) cut();
		const decoder = new TextDecoder();
		let text = '';
		let size = 0;
		for await (const part of body) {
			size += part.length;
			// Leaving the loop closes the connection.
			if (size > maxBytes) return undefined;
			text += decoder.decode(part, { stream: true });
		}
		return text + decoder.decode();
	} finally {
		signal.removeEventListener('abort', cut);
	}
}

/** Whether JSON is nested too deep. It is not parsed for that: this takes many times the text's memory. */
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

function unreadable(reason: string, status: number): ServiceError {
	return new ServiceError(userMessage('responseUnreadable', { reason }), { status });
}

/** The time limit of a request, from its start to the last byte of its answer. */
export class Deadline {
	readonly signal: AbortSignal;

	private readonly over = new AbortController();

	private time?: AbortSignal;

	private readonly end = (): void => this.over.abort();

	/**
	 * @param cancelled ends the request as well, without the time being over
	 */
	constructor(
		private readonly milliseconds: number,
		cancelled?: AbortSignal,
	) {
		this.signal = cancelled ? AbortSignal.any([this.over.signal, cancelled]) : this.over.signal;
		this.start();
	}

	/** Starts the whole time anew. */
	start(): void {
		this.stop();
		this.time = AbortSignal.timeout(this.milliseconds);
		this.time.addEventListener('abort', this.end, { once: true });
	}

	/** Stops the clock until the limit is started again. */
	stop(): void {
		this.time?.removeEventListener('abort', this.end);
		this.time = undefined;
	}

	get isOver(): boolean {
		return this.over.signal.aborted;
	}
}
