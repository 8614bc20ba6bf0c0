import type {
	ICredentialDataDecryptedObject,
	ICredentialType,
	IDataObject,
	IHttpRequestOptions,
	INode,
} from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';

import type { Clock } from './clock';
import type { Database } from './database';
import type { Process } from './process';
import type { Answer, Receiver, Reply } from './service';

/** The response of n8n's request helper. */
interface Response {
	statusCode: number;
	headers: Record<string, string>;
	body: Body;
}

/** An error like those of axios. */
class RequestError extends Error {
	constructor(
		message: string,
		readonly code: string,
		readonly details: {
			syscall?: string;
			response?: { status: number; headers: object; data: Body };
		} = {},
	) {
		super(message);
	}

	get response() {
		return this.details.response;
	}

	get status() {
		return this.response?.status;
	}

	get syscall() {
		return this.details.syscall;
	}
}

/** The body of a response as a stream. */
class Body {
	private fail: (error: Error) => void = () => {};

	constructor(private readonly answer: Answer) {}

	async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
		const { body, ends } = this.answer;
		yield Buffer.from(body);
		if (ends === 'broken') throw new RequestError('aborted', 'ECONNRESET');
		if (ends === 'silent') {
			await new Promise((_, reject) => {
				this.fail = reject;
			});
		}
	}

	destroy(error?: Error): void {
		this.fail(error ?? new Error('destroyed'));
	}
}

/** The network between a process of n8n and the service, and n8n's helpers that use it. */
export class Network {
	/**
	 * @param nextLatency gives the milliseconds that the next request takes to the service
	 * @param nextIsDown says whether the next request cannot reach the service
	 */
	constructor(
		private readonly clock: Clock,
		private readonly service: Receiver,
		public nextLatency: () => number,
		public nextIsDown: () => boolean,
	) {}

	/** n8n's `httpRequest`. */
	async request(process: Process, origin: string, options: IHttpRequestOptions): Promise<Response> {
		const { abortSignal: signal } = options as { abortSignal?: AbortSignal };
		const isDown = this.nextIsDown();
		const reply = await new Promise<Reply>((resolve, reject) => {
			let isOver = false;
			const giveUp = () => {
				isOver = true;
				reject(new RequestError('canceled', 'ERR_CANCELED'));
			};
			if (signal?.aborted) return giveUp();
			signal?.addEventListener('abort', giveUp, { once: true });
			process.in(this.nextLatency(), () => {
				if (isOver) return;
				if (isDown) {
					const refused = { syscall: 'connect' };
					return reject(new RequestError('connect ECONNREFUSED', 'ECONNREFUSED', refused));
				}
				// From here on the request is in flight, also after a kill or a timeout.
				this.clock.in(this.nextLatency(), () => {
					this.service.receive(receivedOf(options, origin), (what) => {
						const isHeard = !isOver && what !== 'silence' && process.step();
						if (isHeard) {
							signal?.removeEventListener('abort', giveUp);
							resolve(what);
						}
						return isHeard;
					});
				});
			});
		});
		if (reply === 'reset') throw new RequestError('socket hang up', 'ECONNRESET');
		if (reply === 'silence') throw new Error('Silence is no answer');
		const { status, headers = {} } = reply;
		const body = new Body(reply);
		const isWanted = (status >= 200 && status < 300) || options.ignoreHttpStatusErrors === true;
		if (!isWanted) {
			throw new RequestError(`Request failed with status code ${status}`, 'ERR_BAD_REQUEST', {
				response: { status, headers, data: body },
			});
		}
		return { statusCode: status, headers, body };
	}

	/**
	 * The helpers for requests that n8n gives a node.
	 *
	 * @param abort the abort signal of the execution, if it has one
	 */
	helpersOf(caller: Caller, { signal }: AbortController = new AbortController()) {
		return {
			httpRequestWithAuthentication: async (
				_type: string,
				options: IHttpRequestOptions,
				{ credentialsDecrypted }: { credentialsDecrypted: { data: never } },
			) => await this.authenticated(caller, options, credentialsDecrypted.data, signal),
		};
	}

	/**
	 * n8n's `httpRequestWithAuthentication`, step for step (`authentication.js` of n8n-core), with its
	 * `preAuthentication`, which saves the token.
	 */
	private async authenticated(
		{ process, origin, node, database }: Caller,
		options: IHttpRequestOptions,
		data: ICredentialDataDecryptedObject,
		signal: AbortSignal,
	): Promise<Response> {
		const type = new process.package.PartnerPaymentsApi();
		// The package keeps n8n from replacing its own abort signal.
		(options as { abortSignal?: AbortSignal }).abortSignal = signal;
		const renew = async (isExpired: boolean) => {
			if (data.sessionToken !== '' && !isExpired) return;
			const helpers = {
				httpRequest: async (login: IHttpRequestOptions) =>
					await this.request(process, origin, login),
			};
			const token = (await type.preAuthentication?.call({ helpers } as never, data)) ?? {};
			await database.saveToken(process, node, token);
			Object.assign(data, token);
		};
		const send = async () => {
			const request = await authenticate(type, data, options);
			return await this.request(process, origin, request);
		};
		try {
			await renew(false);
			return await send();
		} catch (error) {
			if ((error as RequestError).response?.status !== 401) {
				throw new NodeApiError(node, error as never);
			}
			try {
				await renew(true);
				return await send();
			} catch (second) {
				throw new NodeApiError(node, second as never);
			}
		}
	}
}

/** The sender of a request. */
interface Caller {
	process: Process;
	/** The execution. */
	origin: string;
	node: INode;
	database: Database;
}

async function authenticate(
	{ authenticate: work }: ICredentialType,
	data: ICredentialDataDecryptedObject,
	options: IHttpRequestOptions,
): Promise<IHttpRequestOptions> {
	if (typeof work !== 'function')
		throw new Error('The credential does not authenticate by a function');
	return await work(data, options);
}

function receivedOf(
	{ method = 'GET', url, qs = {}, body, headers }: IHttpRequestOptions,
	origin: string,
) {
	return {
		method,
		path: url.replace(/^https:\/\/[^/]+\/api/, ''),
		query: qs,
		body: JSON.parse(JSON.stringify(body ?? {})) as IDataObject,
		token: String(headers?.Authorization ?? '').replace(/^Bearer /, ''),
		origin,
	};
}
