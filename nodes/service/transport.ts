import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IExecuteFunctions,
	IHookFunctions,
	IHttpRequestMethods,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	IN8nHttpFullResponse,
	ITriggerFunctions,
} from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { parseBaseUrl, parseEnvironment, type Target } from './baseUrl';
import { MAX_BODY_BYTES, MAX_LIST_BYTES, readBody, Deadline } from './readBody';
import {
	cancelledBeforeSending,
	responseCut,
	failedResponse,
	LoginError,
	ownError,
	ServiceError,
	toOperationError,
	toServiceError,
} from './errors';
import { userMessage, type UserMessage } from './messages';
import { shortHash } from './secrets';
import { LoginWatch, TOKEN_PROPERTY, tokenIn } from './session';

export const CREDENTIAL = 'partnerPaymentsApi';

/** Every n8n context that can send an authenticated request. */
export type RequestContext =
	IExecuteFunctions | IHookFunctions | ILoadOptionsFunctions | ITriggerFunctions;

/** One request to the service. */
interface ServiceRequest {
	method: IHttpRequestMethods;
	/** Path below the base URL, with every variable part encoded (see `pathId`). */
	path: string;
	query?: IDataObject;
	body?: IDataObject;
}

/** Long enough for a slow service, and an end to waiting for one that never answers. */
export const DEFAULT_TIMEOUT_SECONDS = 60;

/** Reading again does no harm, so reads survive a short fault of the network. */
const READ_ATTEMPTS = 3;
const READ_PAUSE_MS = 500;

const READ_AGAIN =
	'Reading changes nothing, so it can be run again. If this goes on, check Base URL in the credential.';

/**
 * The service as one execution sees it. Credentials are decrypted once, which costs n8n several
 * milliseconds, and shared by all requests of the execution.
 */
export class Service {
	private readonly login = new LoginWatch();

	private constructor(
		private readonly context: RequestContext,
		private readonly baseUrl: string,
		private readonly credential: { id: string; name: string },
		private readonly data: ICredentialDataDecryptedObject,
		private readonly timeoutSeconds: number,
	) {}

	/**
	 * Reads the credential that the node has chosen.
	 *
	 * @throws NodeOperationError when none is chosen, it cannot be read, or its Base URL cannot be used
	 */
	static async connect(
		context: RequestContext,
		{ timeoutSeconds = DEFAULT_TIMEOUT_SECONDS } = {},
	): Promise<Service> {
		const chosen = context.getNode().credentials?.[CREDENTIAL];
		const credential = { id: chosen?.id ?? '', name: chosen?.name ?? '' };
		try {
			const data = await context.getCredentials<ICredentialDataDecryptedObject>(CREDENTIAL);
			const baseUrl = parseBaseUrl(data.baseUrl, data.allowInsecureHttp);
			if (!baseUrl.ok) throw new LoginError(baseUrl.error);
			return new Service(context, baseUrl.value, credential, data, timeoutSeconds);
		} catch (error) {
			throw toOperationError(context.getNode(), notConnected(error));
		}
	}

	/** The decrypted credential, for the login call itself. */
	get credentials(): ICredentialDataDecryptedObject {
		return this.data;
	}

	/**
	 * Whose account it is: a short text that is the same for the same Base URL and Email, also where they
	 * are written another way (upper case, a slash at the end). It reveals neither of them.
	 */
	get account(): string {
		const { origin, pathname } = new URL(this.baseUrl);
		const email = String(this.data.email ?? '')
			.trim()
			.toLowerCase();
		return shortHash([`${origin}${pathname.replace(/\/+$/, '')}`, email]);
	}

	/** Where requests go, for messages to the person who pays. */
	get target(): Target {
		return {
			credential: this.credential.name,
			host: new URL(this.baseUrl).host,
			environment: parseEnvironment(this.data.environment),
			account: this.account,
		};
	}

	/**
	 * Sends one request.
	 *
	 * After a 401 n8n renews the token and sends it again (`authentication.js` of n8n-core). That is safe
	 * for payments, too: a request that was refused created nothing. Apart from that, only reads are sent
	 * twice. After a login that failed, nothing is sent at all.
	 *
	 * @returns the parsed body of a 2xx answer
	 * @throws ServiceError for everything else
	 */
	async request<T = unknown>(request: ServiceRequest): Promise<T> {
		const attempts = request.method === 'GET' ? READ_ATTEMPTS : 1;
		for (let attempt = 1; ; attempt++) {
			try {
				return (await this.send(request)) as T;
			} catch (error) {
				const fault = toServiceError(error);
				const mayPass = fault.status === undefined && fault.outcome !== 'rejected';
				if (attempt >= attempts || !mayPass || fault.isLogin) {
					return rethrow(request.method === 'GET' ? ofRead(fault) : fault);
				}
				await sleep(READ_PAUSE_MS * attempt);
			}
		}
	}

	private async send({ method, path, query, body }: ServiceRequest): Promise<unknown> {
		const milliseconds = this.timeoutSeconds * 1000;
		const limit = new Deadline(milliseconds, this.cancelSignal());
		const maxBytes = method === 'GET' ? MAX_LIST_BYTES : MAX_BODY_BYTES;
		const options: IHttpRequestOptions = {
			method,
			url: `${this.baseUrl}${path}`,
			json: true,
			// Ends only a silence; `limit` also ends an answer that comes byte by byte.
			timeout: milliseconds,
			// n8n would read an answer of any size (`request.js` of @n8n/backend-network): see `readAnswer`.
			encoding: 'stream',
			// A payment is never repeated at another address, and the token never leaves this one.
			disableFollowRedirect: true,
			returnFullResponse: true,
			...(query && { qs: query }),
			...(body && { body }),
		};
		keepSignal(options, limit.signal);
		// A copy for each request, because n8n writes a new token into it (`authentication.js` of
		// n8n-core): a late 401 must still show which token was refused.
		const data = { ...this.data };
		const before = data[TOKEN_PROPERTY];
		const tokens = () => [before, data[TOKEN_PROPERTY]].map(tokenIn);
		const credentialsDecrypted = { ...this.credential, type: CREDENTIAL, data };
		try {
			this.login.check();
			if (limit.signal.aborted) throw cancelledBeforeSending();
			this.login.follow(data, limit);
			const response = (await this.context.helpers.httpRequestWithAuthentication.call(
				this.context,
				CREDENTIAL,
				options,
				{ credentialsDecrypted },
			)) as IN8nHttpFullResponse;
			return await readBody(response, maxBytes, limit, tokens());
		} catch (error) {
			return rethrow(await this.explained(error, limit, tokens()));
		} finally {
			limit.stop();
			// If another request has renewed it meanwhile, that token stays.
			if (this.data[TOKEN_PROPERTY] === before) this.data[TOKEN_PROPERTY] = data[TOKEN_PROPERTY];
		}
	}

	/** The error for whatever n8n's request helper threw, with what the service said where it refused. */
	private async explained(
		error: unknown,
		limit: Deadline,
		tokens: readonly string[],
	): Promise<ServiceError> {
		const own = ownError(error);
		if (own) return own;

		const refusal = failedResponse(error);
		if (refusal) {
			// If the body cannot be read, the status alone says what it means.
			refusal.data = await readBody(
				{ body: refusal.data, statusCode: Number(refusal.status) },
				MAX_BODY_BYTES,
				limit,
				tokens,
			).catch(() => '');
		} else if (limit.signal.aborted) {
			return responseCut(limit.isOver);
		}
		return toServiceError(error, [...tokens, String(this.data.password ?? '')]);
	}

	private cancelSignal(): AbortSignal | undefined {
		return 'getExecutionCancelSignal' in this.context
			? this.context.getExecutionCancelSignal()
			: undefined;
	}
}

/** Why no credential can be used: its Base URL, or what n8n says of it. */
function notConnected(error: unknown): UserMessage {
	return ownError(error) ?? userMessage('credentialUnusable', { reason: (error as Error).message });
}

/**
 * Gives a request a signal that n8n cannot replace. `httpRequestWithAuthentication` sets that of the
 * execution, which knows no time limit (`authentication.js` of n8n-core).
 */
function keepSignal(options: IHttpRequestOptions, signal: AbortSignal): void {
	Object.defineProperty(options, 'abortSignal', {
		enumerable: true,
		get: () => signal,
		set: () => {},
	});
}

/** The error of a read: even without an answer there is nothing that somebody would have to look up. */
function ofRead(fault: ServiceError): ServiceError {
	if (fault.outcome !== 'unknown') return fault;
	const { code, message, outcome } = fault;
	return new ServiceError({ code, message, outcome, hint: READ_AGAIN }, fault);
}

function rethrow(error: ServiceError): never {
	throw error;
}
