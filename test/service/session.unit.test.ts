/* eslint-disable @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { getEventListeners } from 'node:events';

import { type ICredentialDataDecryptedObject, type IHttpRequestOptions } from 'n8n-workflow';

import { LoginError } from '../../nodes/service/errors';
import { login } from '../../nodes/service/login';
import {
	authorize,
	LoginWatch,
	renewToken,
	TOKEN_PROPERTY,
	tokenIn,
} from '../../nodes/service/session';
import { Deadline } from '../../nodes/service/deadline';

const PASSWORD = 'not-for-anyone';

let accountNumber = 0;

/** A credential with its own account: the module remembers logins by account. */
function credential(changes: ICredentialDataDecryptedObject = {}): ICredentialDataDecryptedObject {
	accountNumber += 1;
	return {
		baseUrl: 'https://service.example/api',
		email: `user-${accountNumber}@example.com`,
		password: PASSWORD,
		loginVersion: 'v2',
		[TOKEN_PROPERTY]: '',
		...changes,
	};
}

/** A token in the form of a JWT that expires after some seconds. */
function token(name: string, seconds = 3600): string {
	const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
	const exp = Math.floor(Date.now() / 1000) + seconds;
	return `${part({ alg: 'HS256' })}.${part({ name, exp })}.signature`;
}

/** n8n’s request helper. The test decides when a login gets its response. */
class Helpers {
	readonly requests: IHttpRequestOptions[] = [];

	private waiting: Array<(answer: { statusCode: number; body: unknown }) => void> = [];

	constructor(private readonly automatic?: (number: number) => unknown) {}

	httpRequest = async (options: IHttpRequestOptions): Promise<unknown> => {
		this.requests.push(options);
		if (this.automatic) return this.automatic(this.requests.length);
		return await new Promise((resolve) => this.waiting.push(resolve));
	};

	answer(statusCode: number, body: unknown): void {
		this.waiting.shift()?.({ statusCode, body });
	}
}

const loggedIn = (accessToken: string) => ({
	statusCode: 201,
	body: { success: true, accessToken, user: { id: '1' }, message: 'ok' },
});

const renew = async (helpers: Helpers, data: ICredentialDataDecryptedObject): Promise<string> => {
	const output = await renewToken(helpers as unknown as Parameters<typeof renewToken>[0], data);
	return output[TOKEN_PROPERTY];
};

/** The Authorization header that a request gets. */
const sentWith = (
	data: ICredentialDataDecryptedObject,
	request: IHttpRequestOptions = { url: 'https://service.example/api/v2/wallets' },
): unknown => authorize(data, request).headers?.Authorization;

const failure = async (answer: unknown, changes?: ICredentialDataDecryptedObject) => {
	const helpers = new Helpers(() => {
		if (answer instanceof Error) throw answer;
		return answer;
	});
	const error = (await login(
		helpers as unknown as Parameters<typeof login>[0],
		credential(changes),
	).catch((caught: unknown) => caught)) as Error;
	return { error, helpers };
};

describe('login', () => {
	test.each(['v1', 'v2'])('logs in at %s once and follows no redirect', async (loginVersion) => {
		const helpers = new Helpers(() => loggedIn('token'));
		const data = credential({ loginVersion, email: ' user@example.com ' });

		const { accessToken, user } = await login(
			helpers as unknown as Parameters<typeof login>[0],
			data,
		);

		expect({ accessToken, user }).toEqual({ accessToken: 'token', user: { id: '1' } });
		expect(helpers.requests).toMatchObject([
			{
				method: 'POST',
				url: `https://service.example/api/${loginVersion}/auth/login`,
				body: { email: 'user@example.com', password: PASSWORD },
				disableFollowRedirect: true,
			},
		]);
	});

	test.each<[string, unknown, RegExp]>([
		[
			'a wrong password',
			{ statusCode: 401, body: { statusCode: 401, message: 'Invalid credentials' } },
			/^The service does not accept this email and password: Invalid credentials\. Check Email and Password/,
		],
		[
			'a malformed email',
			{ statusCode: 400, body: { message: ['email must be an email', 'more'] } },
			/^The service does not accept this email and password: email must be an email; more\./,
		],
		[
			'a message that repeats the password',
			{ statusCode: 400, body: { message: `password ${PASSWORD} is too short` } },
			/password \*\*\* is too short/,
		],
		[
			'a wrong base URL',
			{ statusCode: 404, body: '<html>' },
			/^There is no login at https:\/\/service\.example\/api\/v2\/auth\/login\./,
		],
		['a 500', { statusCode: 500, body: { message: 'Down' } }, /status 500: Down\. Try again later/],
		['a redirect', { statusCode: 302, body: '' }, /status 302/],
		['a page', { statusCode: 200, body: '<html></html>' }, /without an access token/],
		['an empty answer', { statusCode: 200, body: '' }, /without an access token/],
		['no token', { statusCode: 200, body: { success: true } }, /without an access token/],
		[
			'no success',
			{ statusCode: 200, body: { success: false, accessToken: 'x', message: 'Locked' } },
			/without an access token: Locked/,
		],
		[
			'nobody there',
			Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }),
			/^Cannot log in at service\.example: The service cannot be reached: nothing answers at its address/,
		],
		[
			'no such host',
			Object.assign(new Error('lookup'), { code: 'ENOTFOUND' }),
			/its host name does not exist/,
		],
		[
			'a silent host',
			Object.assign(new Error('timeout'), { code: 'ECONNABORTED' }),
			/The service did not answer in time/,
		],
		[
			'a name that cannot be looked up',
			Object.assign(new Error('lookup'), { code: 'EAI_AGAIN' }),
			/its host name cannot be looked up now/,
		],
		[
			'an address that is silent',
			Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' }),
			/The service did not answer in time/,
		],
		['a broken connection', new Error('socket hang up'), /The connection to the service was lost/],
		['a status below those of success', { statusCode: 199, body: {} }, /status 199/],
		[
			'a token with a blank',
			{ statusCode: 200, body: { accessToken: 'a b' } },
			/without an access token/,
		],
		[
			'a token with a blank far behind',
			{ statusCode: 200, body: { accessToken: `${'a'.repeat(1_500)} b` } },
			/without an access token/,
		],
		[
			'a token that is no text',
			{ statusCode: 200, body: { accessToken: 12345 } },
			/without an access token/,
		],
		[
			'a token that is too long for a header',
			{ statusCode: 200, body: { accessToken: 'a'.repeat(8_001) } },
			/without an access token/,
		],
		[
			'a body that cannot be read',
			{
				statusCode: 200,
				body: {
					async *[Symbol.asyncIterator]() {
						yield Buffer.from(`${'['.repeat(101)}`);
					},
					destroy: () => {},
				},
			},
			/is nested deeper than 100 levels/,
		],
	])('explains a login that fails with %s, after one request', async (_, answer, words) => {
		const { error, helpers } = await failure(answer);

		expect(error).toBeInstanceOf(LoginError);
		expect(error.message).toMatch(words);
		expect(helpers.requests).toHaveLength(1);
		// n8n takes a 401 in a `response` for an expired token, and would log in again.
		expect(error).not.toHaveProperty('response');
		expect(error).not.toHaveProperty('cause');
		expect(JSON.stringify([error.message, error.stack])).not.toContain(PASSWORD);
	});
});

describe('the answer to a login', () => {
	const answered = async (answer: unknown) =>
		await login(new Helpers(() => answer) as unknown as Parameters<typeof login>[0], credential());

	test('the answer to a login may have a token of 8,000 characters, and no user', async () => {
		const accessToken = 'a'.repeat(8_000);

		expect(await answered({ statusCode: 299, body: { accessToken, user: 'Ana' } })).toEqual({
			accessToken,
			user: {},
		});
	});

	test.each([
		['a wrong password', { statusCode: 401, body: {} }, true, false],
		['a malformed email', { statusCode: 400, body: {} }, true, false],
		['a wrong address', { statusCode: 404, body: {} }, false, false],
		['another rejection', { statusCode: 403, body: {} }, false, false],
		['an outage', { statusCode: 503, body: {} }, false, true],
		['a rate limit', { statusCode: 429, body: {} }, false, true],
		['no token', { statusCode: 200, body: {} }, false, false],
		['a lost connection', new Error('socket hang up'), false, true],
	])('tells a rejection from an outage: %s', async (_, answer, isRejected, isOutage) => {
		expect((await failure(answer)).error).toMatchObject({ isRejected, isOutage });
	});

	test('the answer to a login is quoted in one sentence of at most 300 characters', async () => {
		const { error } = await failure({ statusCode: 401, body: { message: 'Wrong. \n.' } });
		expect(error.message).toMatch(/: Wrong\. Check/);

		const long = await failure({ statusCode: 401, body: { message: 'x'.repeat(400) } });
		expect(long.error.message).toMatch(/: x{300}\. Check/);
	});

	test('the answer to a login is never asked for if the base URL is invalid', async () => {
		const { error, helpers } = await failure({}, { baseUrl: 'nowhere' });

		expect(error).toBeInstanceOf(LoginError);
		expect(error).toMatchObject({ messageCode: 'baseUrlInvalid', isOutage: false });
		expect(helpers.requests).toEqual([]);
	});

	test('the answer to a login is read as a stream, whatever its status, and within half a minute', async () => {
		const { helpers } = await failure({ statusCode: 401, body: {} });

		expect(helpers.requests).toEqual([
			expect.objectContaining({
				json: true,
				timeout: 30_000,
				encoding: 'stream',
				abortSignal: expect.any(AbortSignal),
				disableFollowRedirect: true,
				returnFullResponse: true,
				ignoreHttpStatusErrors: true,
			}),
		]);
	});

	test('leaves no timer behind', async () => {
		const timeout = jest.spyOn(AbortSignal, 'timeout');
		await failure({ statusCode: 401, body: {} });

		const [{ value }] = timeout.mock.results as Array<{ value: AbortSignal }>;
		timeout.mockRestore();
		expect(getEventListeners(value, 'abort')).toEqual([]);
	});

	test('the answer to a login is late if its time has passed, whatever n8n says', async () => {
		jest.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
			const controller = new AbortController();
			queueMicrotask(() => controller.abort());
			return controller.signal;
		});
		jest.spyOn(performance, 'now').mockReturnValueOnce(0).mockReturnValue(30_000);
		const helpers = {
			httpRequest: async ({ abortSignal }: { abortSignal: AbortSignal }) =>
				await new Promise((_, reject) =>
					abortSignal.addEventListener('abort', () => reject(new Error('canceled'))),
				),
		};
		const error = await login(
			helpers as unknown as Parameters<typeof login>[0],
			credential(),
		).catch((caught: unknown) => caught);
		jest.restoreAllMocks();

		expect(error).toMatchObject({
			message: expect.stringMatching(/The service did not answer in time/),
		});
	});
});

describe('renewing a token', () => {
	test('logs in once for many simultaneous requests', async () => {
		const helpers = new Helpers();
		const data = credential();
		const asked = Array.from({ length: 25 }, async () => await renew(helpers, { ...data }));

		helpers.answer(201, loggedIn(token('first')).body);
		const given = await Promise.all(asked);

		expect(helpers.requests).toHaveLength(1);
		expect(new Set(given).size).toBe(1);
	});

	test('logs in once for many requests with the same rejected token', async () => {
		const helpers = new Helpers((number) => loggedIn(token(`token ${number}`)));
		const data = credential();
		data[TOKEN_PROPERTY] = await renew(helpers, data);

		await Promise.all(Array.from({ length: 25 }, async () => await renew(helpers, { ...data })));

		expect(helpers.requests).toHaveLength(2);
	});

	test('returns the new token to a late holder of the old one without a login', async () => {
		const helpers = new Helpers((number) => loggedIn(token(`token ${number}`)));
		const data = credential();
		const old = { ...data, [TOKEN_PROPERTY]: await renew(helpers, data) };
		const renewed = await renew(helpers, { ...old });

		expect(await renew(helpers, { ...old })).toBe(renewed);
		expect(helpers.requests).toHaveLength(2);
	});

	test('returns the new token to a late holder of one that had expired, without a login', async () => {
		const helpers = new Helpers((number) =>
			loggedIn(token(`token ${number}`, number === 1 ? -1 : 3600)),
		);
		const data = credential();
		const expired = await renew(helpers, { ...data });
		const renewed = await renew(helpers, { ...data });

		expect(await renew(helpers, { ...data, [TOKEN_PROPERTY]: expired })).toBe(renewed);
		expect(helpers.requests).toHaveLength(2);
	});

	test('logs in again if the newest token is rejected too', async () => {
		const helpers = new Helpers((number) => loggedIn(token(`token ${number}`)));
		const data = credential();
		const first = await renew(helpers, data);
		const second = await renew(helpers, { ...data, [TOKEN_PROPERTY]: first });
		const third = await renew(helpers, { ...data, [TOKEN_PROPERTY]: second });

		expect(new Set([first, second, third]).size).toBe(3);
		expect(helpers.requests).toHaveLength(3);
	});

	test('never returns a token that has expired', async () => {
		const helpers = new Helpers((number) => loggedIn(token(`token ${number}`, -1)));
		const data = credential();
		await renew(helpers, { ...data });
		await renew(helpers, { ...data });

		expect(helpers.requests).toHaveLength(2);
	});

	test('logs in again after a login that failed', async () => {
		const helpers = new Helpers((number) =>
			number === 1 ? { statusCode: 500, body: {} } : loggedIn(token('second')),
		);
		const data = credential();

		await expect(renew(helpers, { ...data })).rejects.toThrow(/status 500/);
		await expect(renew(helpers, { ...data })).resolves.toContain(token('second').split('.')[1]);
	});

	test('never returns a rejected token again after a login that failed', async () => {
		const answers = [loggedIn(token('first')), { statusCode: 503, body: {} }];
		const helpers = new Helpers((number) => answers[number - 1] ?? loggedIn(token('third')));
		const data = credential();
		data[TOKEN_PROPERTY] = await renew(helpers, { ...data });

		await expect(renew(helpers, { ...data })).rejects.toThrow(/status 503/);
		await expect(renew(helpers, { ...data })).resolves.toContain(token('third').split('.')[1]);
		expect(helpers.requests).toHaveLength(3);
	});

	test('fails all waiting requests with one login', async () => {
		const helpers = new Helpers();
		const data = credential();
		const asked = Array.from({ length: 5 }, async () => await renew(helpers, { ...data }));

		helpers.answer(401, { message: 'Invalid credentials' });
		const results = await Promise.allSettled(asked);

		expect(results.map(({ status }) => status)).toEqual(Array(5).fill('rejected'));
		expect(helpers.requests).toHaveLength(1);
	});

	test.each<[string, ICredentialDataDecryptedObject]>([
		['another email', { email: 'other@example.com' }],
		['another password', { password: 'other' }],
		['another base URL', { baseUrl: 'https://other.example/api' }],
	])('logs in separately for %s', async (_, changes) => {
		const helpers = new Helpers((number) => loggedIn(token(`token ${number}`)));
		const data = credential();
		const before = await renew(helpers, data);
		const after = await renew(helpers, { ...data, ...changes });

		expect(after).not.toBe(before);
		expect(helpers.requests).toHaveLength(2);
	});

	test.each([
		['another login version', { loginVersion: 'v1' }],
		['a slash after the base URL', { baseUrl: 'https://service.example/api/' }],
		['blanks around the base URL', { baseUrl: ' https://service.example/api ' }],
	])('shares the login of a credential with %s', async (_, changes) => {
		const helpers = new Helpers((number) => loggedIn(token(`token ${number}`)));
		const data = credential();
		const before = await renew(helpers, data);
		const after = await renew(helpers, { ...data, ...changes });

		expect(tokenIn(after)).toBe(tokenIn(before));
		expect(helpers.requests).toHaveLength(1);
	});

	test.each([
		['capital letters', (text: string) => text.toUpperCase()],
		['blanks', (text: string) => ` ${text} `],
	])('shares the login of a credential with %s in its email', async (_, change) => {
		const helpers = new Helpers((number) => loggedIn(token(`token ${number}`)));
		const data = credential();
		await renew(helpers, data);
		await renew(helpers, { ...data, email: change(String(data.email)) });

		expect(helpers.requests).toHaveLength(1);
	});

	test('knows the last twenty tokens that it replaced, and logs in again for an older one', async () => {
		const helpers = new Helpers((number) => loggedIn(token(`token ${number}`)));
		const data = credential();
		const stored = [''];
		for (let number = 1; number <= 22; number++) {
			stored.push(await renew(helpers, { ...data, [TOKEN_PROPERTY]: stored[number - 1] }));
		}

		expect(await renew(helpers, { ...data, [TOKEN_PROPERTY]: stored[2] })).toBe(stored[22]);
		expect(helpers.requests).toHaveLength(22);
		await renew(helpers, { ...data, [TOKEN_PROPERTY]: stored[1] });
		expect(helpers.requests).toHaveLength(23);
	});

	test('takes a token that the service gives out again for a valid one', async () => {
		const names = ['a', 'b', 'a'];
		const helpers = new Helpers((number) => loggedIn(token(names[number - 1])));
		const data = credential();
		for (let number = 1; number <= 3; number++) {
			data[TOKEN_PROPERTY] = await renew(helpers, { ...data });
		}

		expect(await renew(helpers, { ...data, [TOKEN_PROPERTY]: '' })).toBe(data[TOKEN_PROPERTY]);
		expect(helpers.requests).toHaveLength(3);
	});

	test.each([
		['a token that expires at this moment', token('x', 0), 2],
		['a token that is no JWT', 'opaque', 1],
		['a JWT that does not say when it expires', 'e30.e30.x', 1],
	])(
		'logs in again if the newest token has expired, and not otherwise: %s',
		async (_, given, logins) => {
			const helpers = new Helpers(() => loggedIn(given));
			const data = credential();
			await renew(helpers, { ...data });
			await renew(helpers, { ...data });

			expect(helpers.requests).toHaveLength(logins);
		},
	);

	test('remembers the logins of a hundred accounts, and forgets none in flight', async () => {
		const helpers = new Helpers((number) => loggedIn(token(`token ${number}`)));
		const slow = new Helpers();
		const inFlight = credential();
		const oldest = credential();
		const waiting = [renew(slow, { ...inFlight })];
		await renew(helpers, { ...oldest });
		for (let others = 0; others < 98; others++) await renew(helpers, credential());

		await renew(helpers, { ...oldest });
		expect(helpers.requests).toHaveLength(99);
		await renew(helpers, credential());
		await renew(helpers, { ...oldest });
		expect(helpers.requests).toHaveLength(101);

		waiting.push(renew(slow, { ...inFlight }));
		expect(slow.requests).toHaveLength(1);
		slow.answer(201, loggedIn(token('first')).body);
		expect(new Set(await Promise.all(waiting)).size).toBe(1);
	});

	test('logs in for more than a hundred accounts at once', async () => {
		const helpers = new Helpers();
		const all = Array.from({ length: 102 }, async () => await renew(helpers, credential()));

		all.forEach(() => helpers.answer(201, loggedIn(token('x')).body));
		await Promise.all(all);
		expect(helpers.requests).toHaveLength(102);
	});
});

describe('the login of an execution', () => {
	const rejected = { statusCode: 401, body: { message: 'Invalid credentials' } };
	/** The credential that a request passes to n8n, and n8n to the login. */
	const request = (
		watch: LoginWatch,
		data: ICredentialDataDecryptedObject,
		limit = new Deadline(60_000),
	): ICredentialDataDecryptedObject => {
		const copy = { ...data };
		watch.follow(copy, limit);
		return copy;
	};

	test('an execution does not retry a failed login', async () => {
		const helpers = new Helpers(() => rejected);
		const data = credential();
		const watch = new LoginWatch();
		const late = request(watch, data);
		expect(() => watch.check()).not.toThrow();

		await expect(renew(helpers, request(watch, data))).rejects.toThrow(LoginError);
		await expect(renew(helpers, late)).rejects.toThrow(/does not accept this email/);
		expect(() => watch.check()).toThrow(/does not accept this email/);
		expect(helpers.requests).toHaveLength(1);
	});

	describe('after it was rejected', () => {
		const HOUR_MS = 3_600_000;
		afterEach(() => jest.useRealTimers());

		/** A login that the service has rejected once and would now accept, and the requests that follow. */
		async function afterRejection() {
			jest.useFakeTimers();
			const helpers = new Helpers((number) =>
				number === 1 ? rejected : loggedIn(token('second')),
			);
			const data = credential();
			await expect(renew(helpers, request(new LoginWatch(), data))).rejects.toThrow(LoginError);
			const attempt = async (watch: LoginWatch | undefined, changes = {}) => {
				const changed = { ...data, ...changes };
				return await renew(helpers, watch ? request(watch, changed) : changed);
			};
			return { attempt, logins: () => helpers.requests.length };
		}

		test.each<[string, { watch?: LoginWatch; hours?: number; changes?: object; logins: number }]>([
			['is not tried by another execution', { watch: new LoginWatch(), logins: 1 }],
			['is tried after an hour', { watch: new LoginWatch(), hours: 1.01, logins: 2 }],
			['is tried by an execution that a person starts', { watch: new LoginWatch('1'), logins: 2 }],
			['is tried by the test of the credential', { logins: 2 }],
			[
				'is tried with another password',
				{ watch: new LoginWatch(), changes: { password: 'x' }, logins: 2 },
			],
		])('%s', async (_, { watch, hours = 0, changes, logins }) => {
			const account = await afterRejection();
			jest.advanceTimersByTime(hours * HOUR_MS);

			const outcome = await account.attempt(watch, changes).catch(String);

			expect(account.logins()).toBe(logins);
			if (logins === 1) expect(outcome).toMatch(/is not tried again within an hour/);
		});

		test('a login that was rejected is not tried with the email in capitals and another login version', async () => {
			const helpers = new Helpers(() => rejected);
			const data = credential();
			const same = { ...data, email: String(data.email).toUpperCase(), loginVersion: 'v1' };
			await expect(renew(helpers, request(new LoginWatch(), data))).rejects.toThrow(LoginError);
			await expect(renew(helpers, request(new LoginWatch(), same))).rejects.toThrow(
				/not tried again/,
			);
			expect(helpers.requests).toHaveLength(1);
		});

		test('a login that was rejected is tried by everybody once the test of the credential has succeeded', async () => {
			const { attempt, logins } = await afterRejection();
			await attempt(undefined);
			await expect(attempt(new LoginWatch())).resolves.toContain('.');
			expect(logins()).toBe(2);
		});
	});

	test('tries again in the same execution after an outage, but not after a later rejection', async () => {
		const answers = [{ statusCode: 503, body: {} }, rejected, { statusCode: 503, body: {} }];
		const helpers = new Helpers((number) => answers[number - 1]);
		const data = credential();
		const watch = new LoginWatch();

		await expect(renew(helpers, request(watch, data))).rejects.toThrow(/status 503/);
		expect(() => watch.check()).not.toThrow();
		await expect(renew(helpers, request(watch, data))).rejects.toThrow(/does not accept/);
		await expect(renew(helpers, request(watch, data))).rejects.toThrow(/does not accept/);
		expect(helpers.requests).toHaveLength(2);
	});

	test('gives each waiting request the reason of the rejection, also after an outage of its own', async () => {
		const watch = new LoginWatch();
		const limit = new Deadline(60_000);
		const failing = async (name: string, isOutage: boolean) => {
			const error = new LoginError({ code: name, message: name }, { isOutage });
			return await watch.during(limit, async () => await Promise.reject(error)).catch(String);
		};

		const reasons = await Promise.all([failing('first', false), failing('second', true)]);

		expect(reasons).toEqual(Array(2).fill('PartnerPaymentsLoginError: first'));
	});

	test('the login does not count towards the timeout of waiting requests', async () => {
		const helpers = new Helpers();
		const data = credential();
		const watch = new LoginWatch();
		const limits = [new Deadline(40), new Deadline(40)];
		const waiting = limits.map(async (limit) => await renew(helpers, request(watch, data, limit)));
		const reference = AbortSignal.timeout(120);
		await new Promise((resolve) => reference.addEventListener('abort', resolve));

		expect(limits.map(({ isOver }) => isOver)).toEqual([false, false]);
		helpers.answer(201, loggedIn(token('first')).body);
		await Promise.all(waiting);
		expect(limits.map(({ isOver }) => isOver)).toEqual([false, false]);
		await Promise.all(
			limits.map(
				async ({ signal }) =>
					await new Promise((resolve) => signal.addEventListener('abort', resolve)),
			),
		);
		expect(limits.map(({ isOver }) => isOver)).toEqual([true, true]);
	});

	test('a request that was cancelled during the login is not sent', async () => {
		const helpers = new Helpers();
		const data = credential();
		const watch = new LoginWatch();
		const cancel = new AbortController();
		const waiting = renew(helpers, request(watch, data, new Deadline(60_000, cancel.signal))).catch(
			(error: unknown) => error,
		);
		const other = renew(helpers, request(watch, data));

		cancel.abort();
		helpers.answer(201, loggedIn(token('first')).body);

		expect(await waiting).toMatchObject({ outcome: 'notSent', isLogin: false });
		expect(await other).toContain('.');
		expect(() => watch.check()).not.toThrow();
	});
});

describe('the token of a request', () => {
	const stored = async (
		data: ICredentialDataDecryptedObject,
	): Promise<ICredentialDataDecryptedObject> => ({
		...data,
		[TOKEN_PROPERTY]: await renew(new Helpers(() => loggedIn('the-token')), data),
	});

	test('sends the token of the login as a bearer token', async () => {
		expect(sentWith(await stored(credential()))).toBe('Bearer the-token');
	});

	test('reads the token from the stored text, without the fingerprint of the account', async () => {
		const data = await stored(credential());

		expect(tokenIn(data[TOKEN_PROPERTY])).toBe('the-token');
		expect(tokenIn(`0123456789abcdef.${token('x')}`)).toBe(token('x'));
		expect(['', undefined, null].map(tokenIn)).toEqual(['', '', '']);
	});

	test('replaces another Authorization header in any letter case', async () => {
		const { headers } = authorize(await stored(credential()), {
			url: 'https://service.example/api/v2/wallets',
			headers: { authorization: 'Basic abc', Accept: 'application/json' },
		});

		expect(headers).toEqual({ Authorization: 'Bearer the-token', Accept: 'application/json' });
	});

	test('leaves a request without a token as it was, but for the redirects that it would follow', () => {
		const request = { url: '/v2/wallets', headers: { 'x-own': '1', Authorization: 'Basic abc' } };

		expect(authorize(credential(), request)).toStrictEqual({
			url: '/v2/wallets',
			headers: { 'x-own': '1' },
			disableFollowRedirect: true,
			followRedirect: false,
			followAllRedirects: false,
		});
		expect(request.headers.Authorization).toBe('Basic abc');
	});

	test('sends nothing if the base URL is invalid', () => {
		const data = credential({ baseUrl: 'nowhere' });

		expect(() => authorize(data, { url: '/v2/wallets' })).toThrow(LoginError);
		expect(() => authorize(data, { url: '/v2/wallets' })).toThrow(/is not a plain web address/);
	});

	test.each<[string, ICredentialDataDecryptedObject]>([
		['the email', { email: 'other@example.com' }],
		['the password', { password: 'other' }],
		['the login version', { loginVersion: 'v1' }],
	])('sends no token after %s was edited', async (_, changes) => {
		const data = await stored(credential());

		expect(sentWith({ ...data, ...changes })).toBeUndefined();
	});

	test('sends no token after the base URL was edited', async () => {
		const data = await stored(credential());
		const url = 'https://other.example/api/v2/wallets';

		expect(sentWith({ ...data, baseUrl: 'https://other.example/api' }, { url })).toBeUndefined();
	});

	test.each([
		['', undefined],
		['the-token', undefined],
		['0123456789abcdef.the-token', undefined],
	])('sends no token if the stored text "%s" is from no login', (text, header) => {
		expect(sentWith(credential({ [TOKEN_PROPERTY]: text }))).toBe(header);
	});

	test.each<[string, IHttpRequestOptions]>([
		['another host', { url: 'https://evil.example/api/v2/wallets' }],
		['another port', { url: 'https://service.example:8443/api' }],
		['plain http', { url: 'http://service.example/api' }],
		['a subdomain', { url: 'https://x.service.example/api' }],
		['a look-alike', { url: 'https://service.example.evil.example/api' }],
		['a user in front', { url: 'https://service.example@evil.example/api' }],
		['no scheme', { url: '//evil.example/api' }],
		['a uri', { uri: 'https://evil.example/v2/wallets' } as unknown as IHttpRequestOptions],
		['a path with slashes', { baseURL: 'https://service.example/api', url: '//evil.example/v2' }],
		['a path with backslashes', { baseURL: 'https://service.example', url: '\\\\evil.example' }],
		['another baseURL', { baseURL: 'https://evil.example', url: '/api/v2/wallets' }],
		[
			'a baseURL that the url replaces',
			{ baseURL: 'https://service.example/api', url: 'https://evil.example/' },
		],
	])('rejects a request with the token to %s', async (_, request) => {
		const data = await stored(credential());

		expect(() => authorize(data, request)).toThrow(LoginError);
		expect(() => authorize(data, request)).toThrow(
			/works only with addresses on https:\/\/service\.example, the host of its Base URL/,
		);
	});

	test.each<[IHttpRequestOptions]>([
		[{ url: 'https://service.example/other' }],
		[{ baseURL: 'https://service.example/api/', url: '/v2/wallets' }],
		[{ url: '/v2/wallets' }],
	])('sends the token to the service’s own host: %j', async (request) => {
		expect(sentWith(await stored(credential()), request)).toBe('Bearer the-token');
	});
});
