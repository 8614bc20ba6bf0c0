import type { INode, JsonObject } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { type FailureOutcome, userMessage, type UserMessage } from './messages';
import { withoutSecrets } from './secrets';

/** A request that did not succeed, in words. It holds neither headers nor the request body. */
export class ServiceError extends Error {
	override name = 'PartnerPaymentsServiceError';

	/** Its code in the catalogue of messages. */
	readonly code: string;

	readonly outcome: FailureOutcome;

	/** HTTP status, when the service answered. */
	readonly status?: number;

	readonly hint?: string;

	/** Milliseconds that the service asked to wait (429 or 503 with Retry-After). */
	readonly retryAfterMs?: number;

	/** There is no usable login, so no other request would succeed either. */
	readonly isLogin: boolean;

	/** The service is away or overloaded: later the same request may succeed. */
	readonly isOutage: boolean;

	constructor(
		{ code, message, outcome = 'unknown', hint: hint }: UserMessage<FailureOutcome>,
		details: { status?: number; retryAfterMs?: number; isLogin?: boolean; isOutage?: boolean } = {},
	) {
		super(message);
		this.code = code;
		this.outcome = outcome;
		this.hint = hint;
		this.status = details.status;
		this.retryAfterMs = details.retryAfterMs;
		this.isLogin = details.isLogin ?? false;
		this.isOutage = details.isOutage ?? false;
	}
}

/**
 * A login that failed, or that must not be tried. Its message is for the person who filled in the
 * credential: n8n shows them nothing else. It has no `response`, because n8n would take a 401 in it for
 * an expired token and log in a second time, which can lock an account (`authentication.js` of n8n-core).
 * It has no HTTP status either, because n8n would show its own text for that status instead of this
 * message (`node-api.error.js` of n8n-workflow).
 */
export class LoginError extends Error {
	override name = 'PartnerPaymentsLoginError';

	/** Its code in the catalogue. n8n takes `code` for a status (`node-api.error.js` of n8n-workflow). */
	readonly messageCode: string;

	/** The service said no to the email and password, and counts that. */
	readonly isRefused: boolean;

	/** The service is away: later the same login may succeed. */
	readonly isOutage: boolean;

	constructor(
		{ code, message, hint: hint }: UserMessage,
		{ isRefused = false, isOutage = false } = {},
	) {
		super(hint === undefined ? message : `${message}. ${hint}`);
		this.messageCode = code;
		this.isRefused = isRefused;
		this.isOutage = isOutage;
	}
}

/** The parts of an axios error, of what is behind it, or of n8n's wrapping of one, that are read here. */
interface RequestFailure {
	httpCode?: unknown;
	code?: unknown;
	/** The system call that failed. */
	syscall?: unknown;
	cause?: unknown;
	/** One error for each address, where a host has several and none could be connected to. */
	errors?: unknown;
	context?: { data?: unknown };
	response?: { status?: unknown; headers?: unknown; data?: unknown };
}

/** Codes that only a connection that was never made can have, so the service saw nothing. */
const NOT_CONNECTED: Record<string, string> = {
	ECONNREFUSED: 'nothing answers at its address',
	ENOTFOUND: 'its host name does not exist',
	EAI_AGAIN: 'its host name cannot be looked up now',
	CERT_HAS_EXPIRED: 'its certificate has expired',
	DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is not trusted',
	SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not trusted',
	UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate cannot be verified',
	ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate belongs to another host',
};

/** Open connections give the other codes, too: those mean "never made" only with these system calls. */
const CONNECTING = ['connect', 'getaddrinfo'];

const NOT_CONNECTED_WHEN_CONNECTING: Record<string, string> = {
	EHOSTUNREACH: 'its host cannot be reached',
	ENETUNREACH: 'its network cannot be reached',
	ETIMEDOUT: 'its address does not answer in time',
};

/**
 * Turns whatever n8n's request helper threw into an error of this package (sections 4 and 7).
 *
 * @param secrets what its message must not hold, should the service repeat it
 */
export function toServiceError(error: unknown, secrets: readonly string[] = []): ServiceError {
	const own = ownError(error);
	if (own) return own;

	const [wrapped = {}] = failuresOf(error);
	const response = failedResponse(error);
	const status = toStatus(response?.status ?? wrapped.httpCode);
	// An error with a status of success means that the connection broke inside the answer.
	if (status !== undefined && status >= 300) {
		return fromStatus(status, serviceMessage(response?.data, secrets), response?.headers);
	}
	return fromFailure(error);
}

/**
 * The error of this package in what n8n's request helper threw; undefined when there is none. Unless it
 * is a `ServiceError`, which has its own outcome, nothing was sent.
 */
export function ownError(error: unknown): ServiceError | undefined {
	const faults = failuresOf(error);
	for (const fault of faults) {
		if (fault instanceof ServiceError) return fault;
		if (fault instanceof LoginError) {
			const { messageCode: code, message, isRefused, isOutage } = fault;
			return new ServiceError(
				{ code, message, outcome: 'notSent' },
				{ isLogin: true, isOutage, ...(isRefused && { status: 401 }) },
			);
		}
	}
	// No credential could be used: this package said so (`toOperationError`), or n8n itself.
	const byN8n = faults.find((fault) => fault instanceof NodeOperationError);
	if (!(byN8n instanceof NodeOperationError)) return undefined;
	const { code = 'credentialUnusable' } = byN8n.context as { code?: string };
	return new ServiceError(
		{
			code,
			message: byN8n.message,
			hint: byN8n.description ?? undefined,
			outcome: 'notSent',
		},
		{ isLogin: true },
	);
}

/** More than there are: n8n's error has that of axios as its cause, which has that of the system. */
const MAX_CAUSES = 5;

function failuresOf(error: unknown): RequestFailure[] {
	const faults: RequestFailure[] = [];
	let fault = error;
	while (typeof fault === 'object' && fault !== null && faults.length < MAX_CAUSES) {
		faults.push(fault);
		fault = (fault as RequestFailure).cause;
	}
	return faults;
}

/** The answer of the service in whatever n8n's request helper threw, if it answered. */
export function failedResponse(error: unknown): RequestFailure['response'] {
	const { cause, response, context } = (error ?? {}) as RequestFailure;
	// n8n 1 keeps only the body, as a stream not yet read (`node-api.error.js` of n8n-workflow).
	const bodyAlone = context?.data === undefined ? undefined : context;
	return (cause as RequestFailure | undefined)?.response ?? response ?? bodyAlone;
}

/** The error for a request that this package ended: its time was over, or the execution was cancelled. */
export function responseCut(isTimeOver: boolean): ServiceError {
	return fromFailure({ code: isTimeOver ? 'ETIMEDOUT' : 'ERR_CANCELED' });
}

/** The error for a request that was not sent because the execution was cancelled before. */
export function cancelledBeforeSending(): ServiceError {
	return new ServiceError(userMessage('cancelledUnsent'));
}

function toStatus(value: unknown): number | undefined {
	const status = Number(value);
	return Number.isInteger(status) && status >= 100 && status <= 599 ? status : undefined;
}

function fromStatus(status: number, words: string, headers: unknown): ServiceError {
	const said = words === '' ? '' : `: ${words}`;
	return new ServiceError(messageOf(status, said), {
		status,
		retryAfterMs: retryAfter(headers),
		isOutage: isOutage(status),
	});
}

function messageOf(status: number, said: string): UserMessage<FailureOutcome> {
	if (status < 400) return userMessage('redirected', { status });
	if (status >= 500) return userMessage('serviceFailed', { status, said });
	switch (status) {
		case 400:
		case 422:
			return userMessage('requestRejected', { said });
		case 401:
			return userMessage('tokenRejected', { said });
		case 403:
			return userMessage('notAllowed', { said });
		case 404:
			return userMessage('notFound', { said });
		case 408:
			return userMessage('serviceFailed', { status, said });
		case 409:
			return userMessage('referenceExists', { said });
		case 429:
			return userMessage('tooManyRequests', { said });
		default:
			return userMessage('rejectedWithStatus', { status, said });
	}
}

/** Whether a status says that the service cannot do it now, and may be able to later. */
export function isOutage(status: number): boolean {
	return status >= 500 || status === 408 || status === 429;
}

function fromFailure(error: unknown): ServiceError {
	const faults = failuresOf(error);
	const codes: unknown[] = [...faults.map((fault) => fault.code), faults[0]?.httpCode];
	const code = codes.find((entry) => typeof entry === 'string') ?? '';
	const notConnected =
		NOT_CONNECTED[code] ??
		(faults.some(isConnecting)
			? (NOT_CONNECTED_WHEN_CONNECTING[code] ?? 'no connection to it can be made')
			: undefined);
	if (notConnected) {
		return new ServiceError(userMessage('unreachable', { reason: notConnected }), {
			isOutage: true,
		});
	}
	if (code === 'ERR_CANCELED') return new ServiceError(userMessage('cancelledWaiting'));
	const isTimeOver = ['ECONNABORTED', 'ETIMEDOUT', 'ESOCKETTIMEDOUT'].includes(code);
	return new ServiceError(userMessage(isTimeOver ? 'timedOut' : 'connectionLost'), {
		isOutage: true,
	});
}

/** Whether it failed before there was a connection to send anything on. */
function isConnecting({ syscall, errors }: RequestFailure): boolean {
	const tries = Array.isArray(errors) && errors.length > 0 ? errors : [{ syscall }];
	return tries.every((fault: RequestFailure | null) =>
		CONNECTING.some((call) => call === fault?.syscall),
	);
}

const MAX_TEXT = 500;

/** The `message` of an error body, which may be a text or a list of texts; otherwise its `error`. */
export function serviceMessage(body: unknown, secrets: readonly string[] = []): string {
	const fields = readable(body);
	if (!fields) return '';
	for (const value of [fields.message, fields.error, fields.detail, fields.title]) {
		const text = Array.isArray(value)
			? value.filter((entry) => typeof entry === 'string').join('; ')
			: value;
		if (typeof text === 'string' && text.trim() !== '') {
			return withoutSecrets(text, secrets).trim().slice(0, MAX_TEXT);
		}
	}
	return '';
}

function readable(body: unknown): Record<string, unknown> | undefined {
	let value = body;
	if (Buffer.isBuffer(value)) value = value.toString('utf8');
	if (typeof value === 'string') {
		try {
			value = JSON.parse(value);
		} catch {
			return undefined;
		}
	}
	return typeof value === 'object' && value !== null && !Array.isArray(value)
		? (value as Record<string, unknown>)
		: undefined;
}

/** Milliseconds of a Retry-After header, given in seconds or as a date. */
function retryAfter(headers: unknown): number | undefined {
	const value = (headers as Record<string, unknown> | undefined)?.['retry-after'];
	if (typeof value !== 'string' || value.trim() === '') return undefined;
	if (/^\s*\d+(\.\d+)?\s*$/.test(value)) return Number(value) * 1000;
	const date = Date.parse(value);
	return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

/**
 * Makes n8n's error from a message of a catalogue. The message's code is in the error's `context`, which
 * n8n stores with the execution.
 */
export function toOperationError(
	node: INode,
	{ code, message, hint: hint }: UserMessage,
	itemIndex?: number,
): NodeOperationError {
	const error = new NodeOperationError(node, ofItem(message, itemIndex), {
		itemIndex,
		description: hint,
	});
	error.context.code = code;
	return error;
}

/**
 * Makes n8n's error from a request that failed. It is made anew on purpose: the error that n8n throws
 * has the Authorization header and the request body in its `cause` (`authentication.js` of n8n-core).
 */
export function toApiError(node: INode, error: ServiceError, itemIndex?: number): NodeApiError {
	const shown: JsonObject = {
		message: error.message,
		...(error.status !== undefined && { httpCode: String(error.status) }),
	};
	const nodeError = new NodeApiError(node, shown, {
		message: ofItem(error.message, itemIndex),
		description: error.hint,
		...(error.status !== undefined && { httpCode: String(error.status) }),
		itemIndex,
	});
	nodeError.context.code = error.code;
	return nodeError;
}

function ofItem(message: string, itemIndex: number | undefined): string {
	return itemIndex === undefined ? message : `[Item ${itemIndex}] ${message}`;
}
