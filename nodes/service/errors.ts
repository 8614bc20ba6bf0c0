import type { Failure, INode } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { parseObject } from './json';
import type { FailureOutcome } from '../messages/outcomes';
import {
	afterColon,
	fullText,
	phrase,
	type EditorMessage,
	forPage,
	userMessage,
	type UserMessage,
	type Words,
} from '../messages/userMessage';
import { matches } from './outsideText';
import { withoutSecrets } from './secrets';

/** A request that failed. It holds neither headers nor the request body. */
export class ServiceError extends Error {
	override name = 'PartnerPaymentsServiceError';

	/** Error code in a message catalogue. */
	readonly code: string;

	readonly outcome: FailureOutcome;

	/** HTTP status, if the service answered. */
	readonly status?: number;

	readonly hint?: string;

	readonly es: UserMessage['es'];

	/** Milliseconds to wait before the next request, from Retry-After (429 or 503). */
	readonly retryAfterMs?: number;

	/** No login is possible, so every other request would fail, too. */
	readonly isLogin: boolean;

	/** The service is down or overloaded: the same request may succeed later. */
	readonly isOutage: boolean;

	readonly failure?: Failure;

	constructor(
		error: EditorMessage<FailureOutcome> & Partial<Pick<UserMessage, 'es'>>,
		details: { status?: number; retryAfterMs?: number; isLogin?: boolean; isOutage?: boolean } = {},
	) {
		super(error.message);
		this.code = error.code;
		this.outcome = error.outcome ?? 'unknown';
		this.hint = error.hint;
		this.es = forPage(error).es;
		this.status = details.status;
		this.retryAfterMs = details.retryAfterMs;
		this.isLogin = details.isLogin ?? false;
		this.isOutage = details.isOutage ?? false;
		this.failure = failureOf(this);
	}
}

/** Nothing for other rejections: n8n has no cause for a payment that the service declined. */
function failureOf({
	status = 0,
	retryAfterMs,
	isLogin,
	isOutage,
}: Pick<ServiceError, 'status' | 'retryAfterMs' | 'isLogin' | 'isOutage'>): Failure | undefined {
	const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
	if (status === 429) return { cause: 'rate-limited', ...wait };
	if (isOutage) return { cause: 'temporarily-unavailable', ...wait };
	if (isLogin || status === 401) return { cause: 'credential-invalid' };
	return [403, 404].includes(status) ? { cause: 'configuration-invalid' } : undefined;
}

/**
 * A login that failed or must not be tried. Its message includes the hint, because n8n shows nothing else
 * to the person who fills in the credential. It has no `response`: n8n would take a 401 for an expired
 * token and log in again, which can lock the account (`authentication.js` of n8n-core). It has no HTTP
 * status: n8n would show its own text for it (`node-api.error.js` of n8n-workflow).
 */
export class LoginError extends Error {
	override name = 'PartnerPaymentsLoginError';

	/** Error code. Not `code`, which n8n takes for a status (`node-api.error.js` of n8n-workflow). */
	readonly messageCode: string;

	/** The same in Spanish. Missing if only a person in n8n's editor can do anything about it. */
	readonly es?: UserMessage['es'];

	/** The service rejected the email and password, and counts the attempt. */
	readonly isRejected: boolean;

	/** The service is down: the same login may succeed later. */
	readonly isOutage: boolean;

	constructor(
		error: EditorMessage & Partial<Pick<UserMessage, 'es'>>,
		{ isRejected = false, isOutage = false } = {},
	) {
		super(fullText(error));
		this.messageCode = error.code;
		this.es = error.es;
		this.isRejected = isRejected;
		this.isOutage = isOutage;
	}
}

/** The parts that are read of an axios error, of its cause, and of n8n's error around it. */
interface RequestFailure {
	httpCode?: unknown;
	code?: unknown;
	/** The system call that failed. */
	syscall?: unknown;
	cause?: unknown;
	/** One error for each address of the host, if it has several and none accepts a connection. */
	errors?: unknown;
	context?: { data?: unknown };
	response?: { status?: unknown; headers?: unknown; data?: unknown };
}

/** Error codes that prove that there was no connection, so the service received nothing. */
const NOT_CONNECTED: Record<string, Words> = {
	ECONNREFUSED: phrase('nothingAnswers'),
	ENOTFOUND: phrase('noSuchHost'),
	EAI_AGAIN: phrase('hostNotLookedUp'),
	CERT_HAS_EXPIRED: phrase('certificateExpired'),
	DEPTH_ZERO_SELF_SIGNED_CERT: phrase('certificateNotTrusted'),
	SELF_SIGNED_CERT_IN_CHAIN: phrase('certificateNotTrusted'),
	UNABLE_TO_VERIFY_LEAF_SIGNATURE: phrase('certificateNotTrusted'),
	ERR_TLS_CERT_ALTNAME_INVALID: phrase('certificateOfOther'),
};

/** With these system calls every error code proves it. An open connection can fail with the others, too. */
const CONNECTING = ['connect', 'getaddrinfo'];

/**
 * Converts whatever n8n's request helper threw (sections 4 and 7).
 *
 * @param secrets removed from the message, in case the service repeats them
 */
export function toServiceError(error: unknown, secrets: readonly string[] = []): ServiceError {
	const own = ownError(error);
	if (own) return own;

	const [wrapped = {}] = failuresOf(error);
	const response = failedResponse(error);
	const status = toStatus(response?.status ?? wrapped.httpCode);
	// An error with a success status: the connection broke while the response arrived.
	if (status !== undefined && status >= 300) {
		const said = afterColon(serviceMessage(response?.data, secrets));
		const retryAfterMs = retryAfter(response?.headers);
		const isOutage = isOutageStatus(status);
		return new ServiceError(messageOf(status, said), { status, retryAfterMs, isOutage });
	}
	return fromFailure(error);
}

/**
 * Finds this package's own error, or that of an unusable credential, in whatever n8n's request helper
 * threw. Except for a `ServiceError`, which has its own outcome, nothing was sent.
 */
export function ownError(error: unknown): ServiceError | undefined {
	const failures = failuresOf(error);
	for (const failure of failures) {
		if (failure instanceof ServiceError) return failure;
		if (failure instanceof LoginError) {
			const { messageCode: code, message, es, isRejected, isOutage } = failure;
			return new ServiceError(
				{ code, message, outcome: 'notSent', es },
				{ isLogin: true, isOutage, ...(isRejected && { status: 401 }) },
			);
		}
	}
	// Thrown by this package (`toOperationError`), or by n8n.
	const unusable = failures.find((failure) => failure instanceof NodeOperationError);
	if (!(unusable instanceof NodeOperationError)) return undefined;
	const { code = 'credentialUnusable' } = unusable.context as { code?: string };
	const { message, description } = unusable;
	return new ServiceError(
		{ code, message, hint: description ?? undefined, outcome: 'notSent' },
		{ isLogin: true },
	);
}

/** More than occur: n8n's error has axios's error as its cause, which has the system's. */
const MAX_CAUSES = 5;

/** An error, its cause, the cause of that, and so on. */
function failuresOf(error: unknown): RequestFailure[] {
	const failures: RequestFailure[] = [];
	let next = error;
	while (typeof next === 'object' && next !== null && failures.length < MAX_CAUSES) {
		failures.push(next);
		next = (next as RequestFailure).cause;
	}
	return failures;
}

/** The error response in whatever n8n's request helper threw, if the service answered. */
export function failedResponse(error: unknown): RequestFailure['response'] {
	const { cause, response, context } = (error ?? {}) as RequestFailure;
	// n8n 1 keeps only the body, as an unread stream (`node-api.error.js` of n8n-workflow).
	const bodyAlone = context?.data === undefined ? undefined : context;
	return (cause as RequestFailure | undefined)?.response ?? response ?? bodyAlone;
}

/** The error for a request that this package aborted: it timed out, or the execution was cancelled. */
export function abortedRequest(isTimeout: boolean): ServiceError {
	return fromFailure({ code: isTimeout ? 'ETIMEDOUT' : 'ERR_CANCELED' });
}

/** The error for a request that was not sent because the execution had been cancelled. */
export function cancelledBeforeSending(): ServiceError {
	return new ServiceError(userMessage('cancelledUnsent'));
}

function toStatus(value: unknown): number | undefined {
	const status = Number(value);
	return Number.isInteger(status) && status >= 100 && status <= 599 ? status : undefined;
}

/** The codes of the statuses that have one. */
const REJECTIONS = {
	401: 'tokenRejected',
	403: 'notAllowed',
	404: 'notFound',
	409: 'referenceExists',
	429: 'tooManyRequests',
} as const;

function messageOf(status: number, said: string): UserMessage<FailureOutcome> {
	if (status < 400) return userMessage('redirected', { status });
	if (status >= 500 || status === 408) return userMessage('serviceFailed', { status, said });
	const code = REJECTIONS[status as keyof typeof REJECTIONS] ?? 'requestRejected';
	return userMessage(code, { said });
}

/** Whether the same request may succeed later. */
export function isOutageStatus(status: number): boolean {
	return status >= 500 || status === 408 || status === 429;
}

function fromFailure(error: unknown): ServiceError {
	const failures = failuresOf(error);
	const codes: unknown[] = [...failures.map((failure) => failure.code), failures[0]?.httpCode];
	const code = codes.find((entry) => typeof entry === 'string') ?? '';
	const reason =
		NOT_CONNECTED[code] ?? (failures.some(isConnecting) ? phrase('noConnection') : undefined);
	if (reason) return new ServiceError(userMessage('unreachable', { reason }), { isOutage: true });
	if (code === 'ERR_CANCELED') return new ServiceError(userMessage('cancelledWaiting'));
	const isTimeout = ['ECONNABORTED', 'ETIMEDOUT', 'ESOCKETTIMEDOUT'].includes(code);
	return new ServiceError(userMessage(isTimeout ? 'timedOut' : 'connectionLost'), {
		isOutage: true,
	});
}

/** Whether a request failed before there was a connection. */
function isConnecting({ syscall, errors }: RequestFailure): boolean {
	const attempts = Array.isArray(errors) && errors.length > 0 ? errors : [{ syscall }];
	return attempts.every((attempt: RequestFailure | null) =>
		CONNECTING.some((call) => call === attempt?.syscall),
	);
}

const MAX_TEXT = 500;

/**
 * The message in the body of an error response: a text or a list of texts.
 *
 * @param secrets removed from it
 * @returns at most 500 characters; empty if there is none
 */
export function serviceMessage(body: unknown, secrets: readonly string[] = []): string {
	const fields = parseObject(body);
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

/** The milliseconds of a Retry-After header, which has seconds or a date. */
function retryAfter(headers: unknown): number | undefined {
	const value = (headers as Record<string, unknown> | undefined)?.['retry-after'];
	if (typeof value !== 'string' || value.trim() === '') return undefined;
	if (matches(/^\s*\d+(\.\d+)?\s*$/, value)) return Number(value) * 1000;
	const date = Date.parse(value);
	return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

/** Makes n8n's error from a message. The error code is in its `context`, which n8n stores. */
export function toOperationError(
	context: { getNode(): INode },
	{ code, message, hint, failure }: EditorMessage,
	itemIndex?: number,
): NodeOperationError {
	const error = new NodeOperationError(context.getNode(), ofItem(message, itemIndex), {
		itemIndex,
		description: hint,
	});
	error.context.code = code;
	error.failure = failure;
	return error;
}

/**
 * Makes n8n's error from a request that failed. It does not wrap the error that n8n threw, whose `cause`
 * has the Authorization header and the request body (`authentication.js` of n8n-core).
 */
export function toApiError(
	context: { getNode(): INode },
	{ code, message, hint, status, failure }: ServiceError,
	itemIndex?: number,
): NodeApiError {
	const http = status !== undefined && { httpCode: String(status) };
	const error = new NodeApiError(
		context.getNode(),
		{ message, ...http },
		{ ...http, message: ofItem(message, itemIndex), description: hint, itemIndex },
	);
	error.context.code = code;
	error.failure = failure;
	return error;
}

function ofItem(message: string, itemIndex: number | undefined): string {
	return itemIndex === undefined ? message : `[Item ${itemIndex}] ${message}`;
}

/** Passes on what was caught. */
export function rethrow(error: unknown): never {
	throw error;
}
