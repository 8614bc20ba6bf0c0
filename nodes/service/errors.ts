import type { INode, JsonObject } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { AddressError } from './baseUrl';
import { withoutSecrets } from './secrets';

/**
 * What a request that did not succeed means for the money:
 * - `rejected`: the service said no; nothing was created
 * - `unknown`: the service may have created it (timeout, connection lost, 5xx, unreadable answer, or
 *   a reference that it says it has already)
 * - `notSent`: the request never reached the service
 */
export type FailureOutcome = 'rejected' | 'unknown' | 'notSent';

/** A request that did not succeed, in words. It holds neither headers nor the request body. */
export class ServiceError extends Error {
	override name = 'PartnerPaymentsServiceError';

	readonly outcome: FailureOutcome;

	/** HTTP status, when the service answered. */
	readonly status?: number;

	/** What to do about it. */
	readonly advice?: string;

	/** Milliseconds that the service asked to wait (429 or 503 with Retry-After). */
	readonly retryAfterMs?: number;

	/** There is no login, or none that may be used: no other request would get any further. */
	readonly isLogin: boolean;

	/** The service is away, or not able: later the same request may succeed. */
	readonly isOutage: boolean;

	constructor(
		message: string,
		details: {
			outcome: FailureOutcome;
			status?: number;
			advice?: string;
			retryAfterMs?: number;
			isLogin?: boolean;
			isOutage?: boolean;
		},
	) {
		super(message);
		this.outcome = details.outcome;
		this.status = details.status;
		this.advice = details.advice;
		this.retryAfterMs = details.retryAfterMs;
		this.isLogin = details.isLogin ?? false;
		this.isOutage = details.isOutage ?? false;
	}
}

/**
 * A login that did not succeed. It deliberately carries no `response`: n8n would take a 401 in it
 * for an expired token and log in a second time, which can lock an account.
 */
export class LoginError extends Error {
	override name = 'PartnerPaymentsLoginError';

	/** The service said no to the email and password, and counts that. */
	readonly isRefused: boolean;

	/** The service is away: later the same login may succeed. */
	readonly isOutage: boolean;

	/** No HTTP status is kept here: n8n would show its own words for it. */
	constructor(message: string, { isRefused = false, isOutage = false } = {}) {
		super(message);
		this.isRefused = isRefused;
		this.isOutage = isOutage;
	}
}

/** The parts of an axios error, of what is behind it, or of n8n's wrapping of one, that are read here. */
interface RequestFault {
	httpCode?: unknown;
	code?: unknown;
	/** What the system was asked for when it failed. */
	syscall?: unknown;
	cause?: unknown;
	/** The tries of a connection to a host with several addresses. */
	errors?: unknown;
	context?: { data?: unknown };
	response?: { status?: unknown; headers?: unknown; data?: unknown };
}

/** These codes come from nothing but a connection that was not made, so the service saw nothing. */
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

/** Other codes come from open connections too, and say so only together with these calls. */
const CONNECTING = ['connect', 'getaddrinfo'];

const NOT_CONNECTED_WHEN_CONNECTING: Record<string, string> = {
	EHOSTUNREACH: 'its host cannot be reached',
	ENETUNREACH: 'its network cannot be reached',
	ETIMEDOUT: 'its address does not answer in time',
};

/**
 * Turns whatever n8n's request helper threw into words (sections 4 and 7).
 *
 * @param secrets what the words must not hold, should the service repeat it
 */
export function toServiceError(error: unknown, secrets: readonly string[] = []): ServiceError {
	const own = ownError(error);
	if (own) return own;

	const [wrapped = {}] = faultsOf(error);
	const response = failedResponse(error);
	const status = toStatus(response?.status ?? wrapped.httpCode);
	// With a status of success there is only an error when the connection broke inside the answer.
	if (status !== undefined && status >= 300) {
		return fromStatus(status, serviceMessage(response?.data, secrets), response?.headers);
	}
	return fromFault(error);
}

/** An error of this package, also where n8n has wrapped it: nothing was sent, or it says itself. */
export function ownError(error: unknown): ServiceError | undefined {
	for (const fault of faultsOf(error)) {
		if (fault instanceof ServiceError) return fault;
		if (fault instanceof LoginError || fault instanceof AddressError) {
			const { isRefused = false, isOutage = false } = fault as Partial<LoginError>;
			return new ServiceError(fault.message, {
				outcome: 'notSent',
				isLogin: true,
				isOutage,
				...(isRefused && { status: 401 }),
			});
		}
		// What n8n itself says: there is no such credential, or its data cannot be read.
		if (fault instanceof NodeOperationError) {
			return new ServiceError(fault.message, { outcome: 'notSent', isLogin: true });
		}
	}
	return undefined;
}

/** n8n's error, axios' behind it, the system's behind that. */
const MAX_CAUSES = 5;

function faultsOf(error: unknown): RequestFault[] {
	const faults: RequestFault[] = [];
	let fault = error;
	while (typeof fault === 'object' && fault !== null && faults.length < MAX_CAUSES) {
		faults.push(fault);
		fault = (fault as RequestFault).cause;
	}
	return faults;
}

/** The answer of the service in whatever n8n's request helper threw, if it answered. */
export function failedResponse(error: unknown): RequestFault['response'] {
	const { cause, response, context } = (error ?? {}) as RequestFault;
	// n8n 1 keeps nothing but the body of a refusal, which it has not read.
	const bodyAlone = context?.data === undefined ? undefined : context;
	return (cause as RequestFault | undefined)?.response ?? response ?? bodyAlone;
}

/** A request that was ended from here, because its time was over or the execution was cancelled. */
export function cutShort(isTimeOver: boolean): ServiceError {
	return fromFault({ code: isTimeOver ? 'ETIMEDOUT' : 'ERR_CANCELED' });
}

/** A request that an execution was cancelled before. */
export function cancelledBeforeSending(): ServiceError {
	return new ServiceError('The execution was cancelled before the request was sent', {
		outcome: 'notSent',
		advice: 'Nothing was created.',
	});
}

function toStatus(value: unknown): number | undefined {
	const status = Number(value);
	return Number.isInteger(status) && status >= 100 && status <= 599 ? status : undefined;
}

function fromStatus(status: number, said: string, headers: unknown): ServiceError {
	const quoted = said === '' ? '' : `: ${said}`;
	const make = (outcome: FailureOutcome, message: string, advice: string) =>
		new ServiceError(message, {
			outcome,
			status,
			advice,
			retryAfterMs: retryAfter(headers),
			isOutage: isOutage(status),
		});

	if (status === 400 || status === 422) {
		return make(
			'rejected',
			`The service refused the request${quoted}`,
			'Nothing was created. Correct the value that the service names and run this item again.',
		);
	}
	if (status === 401) {
		return make(
			'rejected',
			`The service did not accept the login${quoted}`,
			'Nothing was created. Check the Partner Payments credential with its test button.',
		);
	}
	if (status === 403) {
		return make(
			'rejected',
			`The service does not allow this account to do that${quoted}`,
			'Nothing was created. Ask the service which rights the account has.',
		);
	}
	if (status === 404) {
		return make(
			'rejected',
			`The service does not know the address or the identifier${quoted}`,
			'Nothing was created. Check the ID, and Base URL in the credential.',
		);
	}
	if (status === 409) {
		return make(
			'unknown',
			`The service says that it already has this reference${quoted}`,
			'It may have been created by an earlier run. Look it up, and do not pay under another reference before that.',
		);
	}
	if (status === 429) {
		return make(
			'rejected',
			`The service is receiving too many requests${quoted}`,
			'Nothing was created. Run this item again later, or send fewer at once.',
		);
	}
	if (status >= 400 && status < 500 && status !== 408) {
		return make(
			'rejected',
			`The service refused the request with status ${status}${quoted}`,
			'Nothing was created.',
		);
	}
	return make(
		'unknown',
		status < 400
			? `The service answered with a redirect (status ${status}), which is not followed: Base URL in the credential may not be its present address`
			: `The service could not complete the request (status ${status})${quoted}`,
		'It may have been created all the same. Look the reference up before sending it again.',
	);
}

/** Whether a status says that the service is not able now, and may be later. */
export function isOutage(status: number): boolean {
	return status >= 500 || status === 408 || status === 429;
}

function fromFault(error: unknown): ServiceError {
	const faults = faultsOf(error);
	const codes: unknown[] = [...faults.map((fault) => fault.code), faults[0]?.httpCode];
	const code = codes.find((entry) => typeof entry === 'string') ?? '';
	const notConnected =
		NOT_CONNECTED[code] ??
		(faults.some(isConnecting)
			? (NOT_CONNECTED_WHEN_CONNECTING[code] ?? 'no connection to it can be made')
			: undefined);
	if (notConnected) {
		return new ServiceError(`The service cannot be reached: ${notConnected}`, {
			outcome: 'notSent',
			isOutage: true,
			advice: 'Nothing was created. Check Base URL in the credential, then run this item again.',
		});
	}
	const reason = ['ECONNABORTED', 'ETIMEDOUT', 'ESOCKETTIMEDOUT'].includes(code)
		? 'The service did not answer in time'
		: code === 'ERR_CANCELED'
			? 'The execution was cancelled before the service answered'
			: 'The connection to the service broke before it answered';
	return new ServiceError(reason, {
		outcome: 'unknown',
		isOutage: code !== 'ERR_CANCELED',
		advice: 'It may have been created all the same. Look the reference up before sending it again.',
	});
}

/** Whether it failed before there was a connection on which anything could have been sent. */
function isConnecting({ syscall, errors }: RequestFault): boolean {
	const tries = Array.isArray(errors) && errors.length > 0 ? errors : [{ syscall }];
	return tries.every((fault: RequestFault | null) =>
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
 * The error that n8n shows for one item. The original is left behind on purpose: n8n's own carries
 * the Authorization header and the request body in its `cause`.
 */
export function toNodeError(node: INode, error: ServiceError, itemIndex?: number): NodeApiError {
	const shown: JsonObject = {
		message: error.message,
		...(error.status !== undefined && { httpCode: String(error.status) }),
	};
	return new NodeApiError(node, shown, {
		message: itemIndex === undefined ? error.message : `[Item ${itemIndex}] ${error.message}`,
		description: error.advice,
		...(error.status !== undefined && { httpCode: String(error.status) }),
		itemIndex,
	});
}
