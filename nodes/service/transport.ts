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

import { parseBaseUrl, parseEnvironment, type Target } from './baseUrl';
import { Deadline } from './deadline';
import { MAX_BODY_BYTES, MAX_LIST_BYTES, readBody } from './readBody';
import {
	abortedRequest,
	cancelledBeforeSending,
	failedResponse,
	LoginError,
	ownError,
	rethrow,
	ServiceError,
	toOperationError,
	toServiceError,
} from './errors';
import { userMessage } from '../messages/userMessage';
import { MAX_READ_WAIT_MS, MAX_SHORT_WAIT_MS, ReadBackoff } from './readBackoff';
import { withoutTrailing } from './outsideText';
import { shortHash } from './secrets';
import { LoginWatch, TOKEN_PROPERTY, tokenIn } from './session';

export const CREDENTIAL = 'partnerPaymentsApi';

/** The contexts of n8n that can send an authenticated request. */
export type RequestContext =
	IExecuteFunctions | IHookFunctions | ILoadOptionsFunctions | ITriggerFunctions;

/** One request to the service. */
interface ServiceRequest {
	method: IHttpRequestMethods;
	/** Path below Base URL, with IDs encoded (see `pathId`). */
	path: string;
	query?: IDataObject;
	body?: IDataObject;
	/** Whether a read goes on with earlier ones, which a failure would lose. Then it outlasts a longer outage. */
	isContinued?: boolean;
	/** Whether a read is sent once: it is of use, and nobody asked for it. */
	isOnce?: boolean;
}

export const DEFAULT_TIMEOUT_SECONDS = 60;

/**
 * The service for one execution. Credentials are decrypted once, which takes n8n several milliseconds, and
 * shared by all requests.
 */
export class Service {
	/** From when on no read waits (milliseconds since 1970). */
	endsAt = Infinity;

	private readonly login: LoginWatch;

	private readonly backoff: ReadBackoff;

	private constructor(
		private readonly context: RequestContext,
		private readonly baseUrl: string,
		private readonly credential: { id: string; name: string },
		private readonly data: ICredentialDataDecryptedObject,
		private readonly timeoutMs: number,
		private readonly cancelled: AbortSignal | undefined,
	) {
		this.login = new LoginWatch(executionOfPerson(context));
		const canWait = 'getExecutionCancelSignal' in context || 'emit' in context;
		this.backoff = new ReadBackoff(canWait ? MAX_READ_WAIT_MS : MAX_SHORT_WAIT_MS);
	}

	/**
	 * Reads the node's credential.
	 *
	 * @param credentials the credential, if it was just decrypted
	 * @param signal ends requests and waits if n8n gives no signal, as in the poll of a trigger
	 * @throws NodeOperationError if there is none, it cannot be read, or its Base URL is invalid
	 */
	static async connect(
		context: RequestContext,
		{
			timeoutSeconds = DEFAULT_TIMEOUT_SECONDS,
			signal,
			credentials,
		}: {
			timeoutSeconds?: number;
			signal?: AbortSignal;
			credentials?: ICredentialDataDecryptedObject;
		} = {},
	): Promise<Service> {
		const chosen = context.getNode().credentials?.[CREDENTIAL];
		const credential = { id: chosen?.id ?? '', name: chosen?.name ?? '' };
		try {
			const data =
				credentials ?? (await context.getCredentials<ICredentialDataDecryptedObject>(CREDENTIAL));
			const baseUrl = parseBaseUrl(data.baseUrl, data.allowInsecureHttp);
			if (!baseUrl.ok) throw new LoginError(baseUrl.error);
			const cancelled =
				'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : signal;
			return new Service(
				context,
				baseUrl.value,
				credential,
				data,
				timeoutSeconds * 1000,
				cancelled,
			);
		} catch (error) {
			const reason = (error as Error).message;
			throw toOperationError(
				context,
				ownError(error) ?? userMessage('credentialUnusable', { reason }),
			);
		}
	}

	/** The decrypted credential, for the login itself. */
	get credentials(): ICredentialDataDecryptedObject {
		return this.data;
	}

	/**
	 * A hash that identifies the account: the same for the same Base URL and Email, however they are
	 * written (upper case, a slash at the end).
	 */
	get account(): string {
		const { origin, pathname } = new URL(this.baseUrl);
		const email = String(this.data.email ?? '')
			.trim()
			.toLowerCase();
		return shortHash([`${origin}${withoutTrailing(pathname, '/')}`, email]);
	}

	/** Where requests go, for messages. */
	get target(): Target {
		return {
			credential: this.credential.name,
			host: new URL(this.baseUrl).host,
			environment: parseEnvironment(this.data.environment),
			account: this.account,
		};
	}

	/** How long reads have waited because the service limits requests. */
	get waitedMs(): number {
		return this.backoff.waitedMs;
	}

	/**
	 * Sends one request.
	 *
	 * After a 401, n8n renews the token and sends the request again (`authentication.js` of n8n-core). This
	 * is safe for payments, too: the rejected request created nothing. Otherwise only reads are repeated (see
	 * `ReadBackoff`). Once a login has failed, nothing is sent.
	 *
	 * @returns the parsed body of a 2xx response
	 * @throws ServiceError for any other response, and if there is none
	 */
	async request<T = unknown>(request: ServiceRequest): Promise<T> {
		if (request.method !== 'GET') return (await this.send(request)) as T;
		const { isContinued, isOnce } = request;
		const isStopped = () =>
			isOnce === true || Date.now() > this.endsAt || this.cancelled?.aborted === true;
		return (await this.backoff.repeat(
			async () => {
				const response = await this.send(request);
				// The page of a proxy, or a list that was cut off. All reads are answered with lists.
				if (typeof response !== 'string') return response;
				throw new ServiceError(userMessage('responseWithoutList'), { isOutage: true });
			},
			isStopped,
			isContinued,
		)) as T;
	}

	/**
	 * Sends a request, and once more if the service rejects the token that n8n renewed: it may have forgotten it,
	 * because the same user has logged in elsewhere. The second time, n8n logs in.
	 */
	private async send(request: ServiceRequest): Promise<unknown> {
		return await this.sendOnce(request).catch(async (error: ServiceError) =>
			error.status === 401 && !error.isLogin ? await this.sendOnce(request) : rethrow(error),
		);
	}

	private async sendOnce({ method, path, query, body }: ServiceRequest): Promise<unknown> {
		const deadline = new Deadline(this.timeoutMs, this.cancelled);
		const maxBytes = method === 'GET' ? MAX_LIST_BYTES : MAX_BODY_BYTES;
		const options: IHttpRequestOptions = {
			method,
			url: `${this.baseUrl}${path}`,
			json: true,
			// Limits only the time without data. `deadline` limits the whole response.
			timeout: this.timeoutMs,
			// Otherwise n8n reads a body of any size (`request.js` of @n8n/backend-network): see `readBody`.
			encoding: 'stream',
			// A payment must not be repeated at another address, nor the token sent there.
			disableFollowRedirect: true,
			returnFullResponse: true,
			...(query && { qs: query }),
			...(body && { body }),
		};
		keepSignal(options, deadline.signal);
		// A copy for each request, because n8n writes the new token into it (`authentication.js` of
		// n8n-core), and a late 401 must show which token was rejected.
		const data = { ...this.data };
		const before = data[TOKEN_PROPERTY];
		const tokens = () => [before, data[TOKEN_PROPERTY]].map(tokenIn);
		const credentialsDecrypted = { ...this.credential, type: CREDENTIAL, data };
		try {
			this.login.check();
			if (deadline.signal.aborted) throw cancelledBeforeSending();
			this.login.follow(data, deadline);
			const response = (await this.context.helpers.httpRequestWithAuthentication.call(
				this.context,
				CREDENTIAL,
				options,
				{ credentialsDecrypted },
			)) as IN8nHttpFullResponse;
			return await readBody(response, maxBytes, deadline, tokens());
		} catch (error) {
			return rethrow(await this.toError(error, deadline, tokens()));
		} finally {
			deadline.stop();
			// Keeps the token of another request that has renewed it meanwhile.
			if (this.data[TOKEN_PROPERTY] === before) this.data[TOKEN_PROPERTY] = data[TOKEN_PROPERTY];
		}
	}

	/** Converts whatever n8n's request helper threw, and reads the body of an error response. */
	private async toError(
		error: unknown,
		deadline: Deadline,
		tokens: readonly string[],
	): Promise<ServiceError> {
		const own = ownError(error);
		if (own) return own;

		const response = failedResponse(error);
		if (response) {
			// Without a readable body, the status says enough.
			response.data = await readBody(
				{ body: response.data, statusCode: Number(response.status) },
				MAX_BODY_BYTES,
				deadline,
				tokens,
			).catch(() => '');
		} else if (deadline.signal.aborted) {
			return abortedRequest(deadline.isOver);
		}
		return toServiceError(error, [...tokens, String(this.data.password ?? '')]);
	}
}

/** The execution, if a person has started it. */
function executionOfPerson(context: RequestContext): string | undefined {
	if (!('getExecutionCancelSignal' in context)) return undefined;
	return ['manual', 'retry'].includes(context.getMode()) ? context.getExecutionId() : undefined;
}

/**
 * Sets a signal that n8n cannot replace. `httpRequestWithAuthentication` would set that of the execution,
 * which has no deadline (`authentication.js` of n8n-core).
 */
function keepSignal(options: IHttpRequestOptions, signal: AbortSignal): void {
	Object.defineProperty(options, 'abortSignal', {
		enumerable: true,
		get: () => signal,
		set: () => {},
	});
}
