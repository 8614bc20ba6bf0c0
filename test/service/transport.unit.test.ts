import {
	NodeOperationError,
	type ICredentialDataDecryptedObject,
	type IHttpRequestHelper,
	type IHttpRequestOptions,
} from 'n8n-workflow';

import { renewToken } from '../../nodes/service/session';
import { Service, type RequestContext } from '../../nodes/service/transport';
import { NODE } from '../engine/node';

const LOGIN = { baseUrl: 'https://service.example/api', email: 'ana@example.com', password: 'one' };

async function connect(data: ICredentialDataDecryptedObject): Promise<Service> {
	const context = { getNode: () => NODE, getCredentials: async () => ({ ...LOGIN, ...data }) };
	return await Service.connect(context as unknown as RequestContext);
}

const accountOf = async (data: ICredentialDataDecryptedObject): Promise<string> =>
	(await connect(data)).account;

describe('the account of a credential', () => {
	test('identifies an account without revealing address or email', async () => {
		expect(await accountOf({})).toMatch(/^[0-9a-f]{16}$/);
	});

	test.each<[string, ICredentialDataDecryptedObject]>([
		['a slash at the end', { baseUrl: 'https://service.example/api/' }],
		['blanks around the address', { baseUrl: '  https://service.example/api// ' }],
		['capitals in the host', { baseUrl: 'HTTPS://Service.Example/api' }],
		['the usual port', { baseUrl: 'https://service.example:443/api' }],
		['blanks around the email', { email: ' ana@example.com ' }],
		['capitals in the email', { email: 'Ana@Example.com' }],
		['another password', { password: 'two' }],
		['another login version', { loginVersion: 'v1' }],
		['a token', { sessionToken: 'x.y' }],
	])('identifies the same account with %s', async (_, changes) => {
		expect(await accountOf(changes)).toBe(await accountOf({}));
	});

	test.each<[string, ICredentialDataDecryptedObject]>([
		['email', { email: 'eva@example.com' }],
		['host', { baseUrl: 'https://sandbox.service.example/api' }],
		['path', { baseUrl: 'https://service.example/sandbox' }],
		['case in the path', { baseUrl: 'https://service.example/API' }],
		['port', { baseUrl: 'https://service.example:8443/api' }],
	])('identifies another account by another %s', async (_, changes) => {
		expect(await accountOf(changes)).not.toBe(await accountOf({}));
	});
});

test('reports an invalid base URL as an error of the node', async () => {
	const error: unknown = await connect({ baseUrl: 'nowhere' }).catch((caught: unknown) => caught);

	expect(error).toBeInstanceOf(NodeOperationError);
	expect((error as Error).message).toMatch(/^Base URL .* is not a plain web address/);
});

describe('connecting', () => {
	const connecting = async (
		context: object,
		options?: Parameters<typeof Service.connect>[1],
	): Promise<unknown> =>
		await Service.connect({ getNode: () => NODE, ...context } as RequestContext, options).catch(
			(error: unknown) => error,
		);

	test('repeats why n8n cannot read the credential', async () => {
		const error = await connecting({
			getCredentials: async () => await Promise.reject(new Error('It was deleted')),
		});

		expect(error).toBeInstanceOf(NodeOperationError);
		expect(error).toMatchObject({
			message: 'It was deleted',
			context: { code: 'credentialUnusable' },
		});
	});

	test('decrypts no credential that was just decrypted', async () => {
		const getCredentials = jest.fn();

		const service = (await connecting({ getCredentials }, { credentials: LOGIN })) as Service;

		expect(service.credentials).toBe(LOGIN);
		expect(getCredentials).not.toHaveBeenCalled();
	});

	test('describes where requests go by the names in the credential', async () => {
		const credentials = { partnerPaymentsApi: { id: 'c1', name: 'Bank' } };
		const service = (await connecting({
			getNode: () => ({ ...NODE, credentials }),
			getCredentials: async () => ({ ...LOGIN, environment: 'sandbox' }),
		})) as Service;

		expect(service.target).toEqual({
			credential: 'Bank',
			host: 'service.example',
			environment: 'sandbox',
			account: service.account,
		});
		expect((await connect({})).target).toMatchObject({ credential: '', environment: undefined });
	});
});

interface Sent {
	options: IHttpRequestOptions;
	/** The copy of the credential's data that n8n gets. */
	data: ICredentialDataDecryptedObject;
	passed: object;
}

/** A service whose answers the test gives, by the number of the request, from 1. */
async function serving(
	answer: (number: number, sent: Sent) => unknown,
	{ more = {}, ...options }: { more?: object } & Parameters<typeof Service.connect>[1] = {},
): Promise<{ service: Service; sent: Sent[] }> {
	const sent: Sent[] = [];
	const httpRequestWithAuthentication = async (
		type: string,
		request: IHttpRequestOptions,
		{ credentialsDecrypted }: { credentialsDecrypted: { data: ICredentialDataDecryptedObject } },
	) => {
		const { data, ...passed } = credentialsDecrypted;
		sent.push({ options: request, data, passed: { asked: type, ...passed } });
		return await answer(sent.length, sent[sent.length - 1]);
	};
	const credentials = { partnerPaymentsApi: { id: 'c1', name: 'Bank' } };
	const context = {
		getNode: () => ({ ...NODE, credentials }),
		getCredentials: async () => ({ ...LOGIN }),
		getMode: () => 'trigger',
		helpers: { httpRequestWithAuthentication },
		...more,
	};
	const service = await Service.connect(context as unknown as RequestContext, options);
	return { service, sent };
}

const answering = (body: unknown) => ({ statusCode: 200, headers: {}, body });

/** A body as n8n passes it on, which may break off. */
const streaming = (text: string | Buffer, error?: Error) => ({
	async *[Symbol.asyncIterator]() {
		yield await Promise.resolve(Buffer.from(text));
		if (error) throw error;
	},
	destroy: () => {},
});

const PAYOUT = { method: 'POST', path: '/v2/payouts', body: { amount: '1' } } as const;
const READ = { method: 'GET', path: '/v2/wallets' } as const;

const failureOf = async (work: Promise<unknown>): Promise<unknown> =>
	await work.then(
		() => undefined,
		(error: unknown) => error,
	);

/** The headers and the body do not matter here. */
const rejecting = (status: number, data: unknown = { message: 'Slow' }): never => {
	throw Object.assign(new Error(), { response: { status, headers: {}, data } });
};

const OLD = 'old-token-of-1234567890';
const NEW = 'new-token-of-1234567890';

describe('a request', () => {
	test('a request is sent with a time limit, as a stream, and follows no redirect', async () => {
		const { service, sent } = await serving(() => answering({}), { timeoutSeconds: 7 });

		await service.request({ ...PAYOUT, query: { page: 2 } });
		await service.request({ ...READ, query: undefined });

		const always = {
			json: true,
			timeout: 7_000,
			encoding: 'stream',
			disableFollowRedirect: true,
			returnFullResponse: true,
			abortSignal: expect.any(AbortSignal),
		};
		expect(sent.map(({ options }) => ({ ...options }))).toStrictEqual([
			{
				...always,
				method: 'POST',
				url: 'https://service.example/api/v2/payouts',
				qs: { page: 2 },
				body: { amount: '1' },
			},
			{ ...always, method: 'GET', url: 'https://service.example/api/v2/wallets' },
		]);
		expect(sent[0].passed).toEqual({
			asked: 'partnerPaymentsApi',
			id: 'c1',
			name: 'Bank',
			type: 'partnerPaymentsApi',
		});
	});

	test('waits a minute for an answer unless another time is given', async () => {
		const { service, sent } = await serving(() => answering({}));
		await service.request(PAYOUT);

		expect(sent[0].options.timeout).toBe(60_000);
	});

	test('a request keeps its own signal although n8n sets that of the execution', async () => {
		const { service, sent } = await serving((_, { options }) => {
			const { abortSignal } = options;
			options.abortSignal = new AbortController().signal;
			return answering({ isKept: options.abortSignal === abortSignal });
		});

		expect(await service.request(PAYOUT)).toEqual({ isKept: true });
		expect(sent).toHaveLength(1);
	});

	test('a request is sent with the token that n8n renewed for the one before', async () => {
		const { service, sent } = await serving((number, { data }) => {
			if (number === 1) data.sessionToken = `x.${NEW}`;
			return answering({});
		});

		await service.request(PAYOUT);
		await service.request(PAYOUT);

		expect(sent[1].data).toEqual({ ...LOGIN, sessionToken: `x.${NEW}` });
		// n8n would change it for a request in flight, too.
		expect(sent[1].data).not.toBe(service.credentials);
	});

	test('a request does not replace a token that another request has renewed meanwhile', async () => {
		const { service, sent } = await serving(
			async (number, { data }) => {
				// The first one ends last, and its token is the older one.
				if (number === 1) await service.request(PAYOUT);
				if (number < 3) data.sessionToken = `x.${number === 1 ? OLD : NEW}`;
				return answering({});
			},
			{ credentials: { ...LOGIN } },
		);

		await service.request(PAYOUT);
		await service.request(PAYOUT);

		expect(sent[2].data.sessionToken).toBe(`x.${NEW}`);
	});

	test('hides its tokens, the old and the new one, in what the service repeats', async () => {
		const said = JSON.stringify({ message: `${OLD} ${NEW} one` });
		const { service } = await serving(
			(number, { data }) => {
				data.sessionToken = `x.${NEW}`;
				return number === 1 ? answering(streaming(said)) : rejecting(400, streaming(said));
			},
			{ credentials: { ...LOGIN, sessionToken: `x.${OLD}` } },
		);

		expect(await service.request(PAYOUT)).toEqual({ message: '*** *** one' });
		service.credentials.sessionToken = `x.${OLD}`;
		expect(await failureOf(service.request(PAYOUT))).toMatchObject({
			message: expect.stringMatching(/: \*\*\* \*\*\* \*\*\*$/),
		});
	});

	test('a request ends with the status alone if the words of the service cannot be read', async () => {
		const { service } = await serving(() =>
			rejecting(422, streaming('{"message":"cut', new Error('socket hang up'))),
		);

		expect(await failureOf(service.request(PAYOUT))).toMatchObject({
			outcome: 'rejected',
			status: 422,
			message: 'The service rejected the request',
		});
	});

	test('reads more of a list than of another answer', async () => {
		const large = `[${' '.repeat(5 * 1024 * 1024)}]`;
		const { service } = await serving(() => answering(streaming(large)));

		expect(await service.request(READ)).toEqual([]);
		expect(await failureOf(service.request(PAYOUT))).toMatchObject({
			outcome: 'unknown',
			message: expect.stringMatching(/is larger than 5 MB/),
		});
	});

	test('a request is sent once more, and no more, if its token is rejected', async () => {
		const { service, sent } = await serving((number) =>
			number === 1 ? rejecting(401) : answering({ id: 'p1' }),
		);
		expect(await service.request(PAYOUT)).toEqual({ id: 'p1' });
		expect(sent).toHaveLength(2);

		const other = await serving(() => rejecting(401));
		expect(await failureOf(other.service.request(PAYOUT))).toMatchObject({ status: 401 });
		expect(other.sent).toHaveLength(2);
	});

	test('a request is not sent once a login has failed', async () => {
		const logins: unknown[] = [];
		const helpers = {
			httpRequest: async (login: unknown) => {
				logins.push(login);
				return await Promise.resolve({ statusCode: 401, body: { message: 'Invalid' } });
			},
		} as unknown as IHttpRequestHelper['helpers'];
		const { service, sent } = await serving(async (_, { data }) => await renewToken(helpers, data));

		for (const request of [PAYOUT, PAYOUT, READ]) {
			expect(await failureOf(service.request(request))).toMatchObject({
				code: 'loginRejected',
				outcome: 'notSent',
				isLogin: true,
			});
		}
		expect([sent.length, logins.length]).toEqual([1, 1]);
	});
});

describe('a request that ends early', () => {
	/** It never answers, as n8n does until the signal aborts. */
	const silent = async (_: number, { options }: Sent): Promise<unknown> =>
		await new Promise((_resolve, reject) => {
			(options.abortSignal as AbortSignal).addEventListener('abort', () =>
				reject(new Error('canceled')),
			);
		});

	test('a request that ends early has timed out if its time has passed', async () => {
		const { service } = await serving(silent, { timeoutSeconds: 0.02 });

		expect(await failureOf(service.request(PAYOUT))).toMatchObject({
			code: 'timedOut',
			outcome: 'unknown',
		});
	});

	test.each([
		[
			'its execution',
			(signal: AbortSignal) => ({ more: { getExecutionCancelSignal: () => signal } }),
		],
		['a poll, which has no signal of n8n', (signal: AbortSignal) => ({ signal })],
	])('was cancelled with %s, and the next one is not sent', async (_, options) => {
		const cancel = new AbortController();
		const { service, sent } = await serving(silent, options(cancel.signal));

		const waiting = failureOf(service.request(PAYOUT));
		cancel.abort();

		expect(await waiting).toMatchObject({ code: 'cancelledWaiting', outcome: 'unknown' });
		expect(await failureOf(service.request(PAYOUT))).toMatchObject({
			code: 'cancelledUnsent',
			outcome: 'notSent',
		});
		expect(sent).toHaveLength(1);
	});

	test('a request that ends early ends as its response says if that arrives although the execution was cancelled', async () => {
		const cancel = new AbortController();
		const { service } = await serving(
			() => {
				cancel.abort();
				return rejecting(400);
			},
			{ signal: cancel.signal },
		);

		expect(await failureOf(service.request(PAYOUT))).toMatchObject({
			outcome: 'rejected',
			status: 400,
		});
	});
});
