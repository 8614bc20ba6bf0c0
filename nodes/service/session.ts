import { createHash } from 'node:crypto';
import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IHttpRequestHelper,
	IHttpRequestOptions,
	IN8nHttpFullResponse,
} from 'n8n-workflow';

import { MOST_OF_AN_ANSWER, readAnswer, TimeLimit } from './boundedBody';
import { AddressError, checkedBaseUrl, hasSameOrigin } from './baseUrl';
import { cancelledBeforeSending, isOutage, LoginError, ServiceError } from './errors';
import { withoutSecrets } from './secrets';

/** The hidden credential property in which n8n keeps the token of the last login. */
export const TOKEN_PROPERTY = 'sessionToken';

const LOGIN_TIMEOUT_MS = 30_000;

/** What a login gave: the bearer token and the login user (section 2.1). */
export interface Login {
	accessToken: string;
	user: IDataObject;
}

/**
 * The login as the requests of one execution see it. Once it has failed, none of them tries again:
 * every wrong password counts towards a lock of the account. The next execution has one of its own.
 */
export class LoginWatch {
	private failure?: Error;

	/**
	 * Follows the login of one request, if it needs one: its time does not run meanwhile.
	 *
	 * @param data the very object that n8n gets with the request, and gives to `preAuthentication`
	 */
	follow(data: ICredentialDataDecryptedObject, limit: TimeLimit): void {
		followed.set(data, { watch: this, limit });
	}

	/**
	 * @throws what the login failed with, if it has failed
	 */
	check(): void {
		if (this.failure) throw this.failure;
	}

	/**
	 * Runs a login, which has a limit of its own.
	 *
	 * @throws what it fails with, or what an earlier one failed with; ServiceError when the execution
	 *   was cancelled meanwhile, so that what was not sent is not taken for unknown
	 */
	async during<T>(limit: TimeLimit, work: () => Promise<T>): Promise<T> {
		this.check();
		limit.stop();
		const done = await work()
			.catch((error: Error) => {
				this.failure ??= error;
				throw this.failure;
			})
			.finally(() => limit.start());
		if (limit.signal.aborted) throw cancelledBeforeSending();
		return done;
	}
}

/**
 * By the data of a request, for as long as there is one: n8n stands between the request and its
 * login, and lets nothing else through.
 */
const followed = new WeakMap<
	ICredentialDataDecryptedObject,
	{ watch: LoginWatch; limit: TimeLimit }
>();

/**
 * Says which account a token belongs to: base URL, email, password and login version. An edited
 * credential has another fingerprint, so the old account's token is never sent with it.
 */
function fingerprint(credentials: ICredentialDataDecryptedObject): string {
	const { baseUrl, email, password, loginVersion } = credentials;
	return createHash('sha256')
		.update(JSON.stringify([baseUrl, email, password, loginVersion]))
		.digest('hex')
		.slice(0, 16);
}

interface Account {
	/** A login under way, which everyone who needs a token waits for. */
	pending?: Promise<string>;
	/** The newest token this process got, and those it replaced. */
	current?: string;
	replaced: Set<string>;
}

/** By fingerprint. One process has one instance of this module, hence one login at a time. */
const accounts = new Map<string, Account>();

const MOST_ACCOUNTS = 100;
const MOST_REPLACED = 20;

function accountFor(key: string): Account {
	const known = accounts.get(key);
	if (known) return known;
	if (accounts.size >= MOST_ACCOUNTS) {
		const oldest = [...accounts].find(([, { pending }]) => !pending);
		if (oldest) accounts.delete(oldest[0]);
	}
	const created: Account = { replaced: new Set() };
	accounts.set(key, created);
	return created;
}

/**
 * The token to go on with, for n8n's `preAuthentication`: called when there is no token yet and
 * after a 401. However many requests meet a 401 together, there is one login; a request that comes
 * late, still holding a token that has been replaced since, takes the new one without a login.
 *
 * @returns the property that n8n stores, encrypted, with the credential
 * @throws LoginError in words for the person who filled in the credential; see also LoginWatch
 */
export async function renewToken(
	helpers: IHttpRequestHelper['helpers'],
	credentials: ICredentialDataDecryptedObject,
): Promise<{ [TOKEN_PROPERTY]: string }> {
	const request = followed.get(credentials);
	const renew = async () => await newToken(helpers, credentials);
	return await (request ? request.watch.during(request.limit, renew) : renew());
}

async function newToken(
	helpers: IHttpRequestHelper['helpers'],
	credentials: ICredentialDataDecryptedObject,
): Promise<{ [TOKEN_PROPERTY]: string }> {
	const key = fingerprint(credentials);
	const account = accountFor(key);
	const refused = ownToken(credentials) ?? '';

	if (account.pending) {
		// Whoever waits here did not get on with its own token: the login under way replaces it.
		remember(account, refused);
	} else if (
		account.current !== undefined &&
		(refused === '' || account.replaced.has(refused)) &&
		!hasExpired(account.current)
	) {
		return { [TOKEN_PROPERTY]: `${key}.${account.current}` };
	} else {
		remember(account, refused);
		account.pending = login(helpers, credentials)
			.then(({ accessToken }) => {
				if (account.current) remember(account, account.current);
				account.replaced.delete(accessToken);
				account.current = accessToken;
				return accessToken;
			})
			.finally(() => {
				account.pending = undefined;
			});
	}
	return { [TOKEN_PROPERTY]: `${key}.${await account.pending}` };
}

/** Notes a token that was refused, so that a late holder of it is told from a new refusal. */
function remember(account: Account, token: string): void {
	if (token === '') return;
	account.replaced.add(token);
	if (account.replaced.size > MOST_REPLACED) {
		account.replaced.delete(account.replaced.values().next().value as string);
	}
}

/** A request as nodes give it to n8n, and as the HTTP Request node does, which has names of its own. */
export interface AnyRequest extends Omit<IHttpRequestOptions, 'url'> {
	url?: string;
	uri?: string;
	followRedirect?: boolean;
	followAllRedirects?: boolean;
}

/**
 * Puts the bearer token on a request, for n8n's `authenticate`. A token of another account (the
 * credential was edited since) is left out: the service answers 401 and n8n logs in anew.
 *
 * @throws AddressError when it is not the service's own or not encrypted: the token goes nowhere else
 */
export function authorize<T extends AnyRequest>(
	credentials: ICredentialDataDecryptedObject,
	request: T,
): T {
	const base = checkedBaseUrl(credentials.baseUrl, credentials.allowInsecureHttp);
	if (!hasSameOrigin(base, request)) {
		throw new AddressError(
			`The Partner Payments credential works only with addresses on ${new URL(base).origin}, the host of its Base URL. Its token is not sent anywhere else.`,
		);
	}
	const headers: IDataObject = { ...request.headers };
	for (const name of Object.keys(headers)) {
		if (name.toLowerCase() === 'authorization') delete headers[name];
	}
	const token = ownToken(credentials);
	if (token) headers.Authorization = `Bearer ${token}`;
	return {
		...request,
		headers,
		// n8n would send the token to wherever the service redirects.
		disableFollowRedirect: true,
		followRedirect: false,
		followAllRedirects: false,
	};
}

/** The stored token, if it belongs to the account that the credential names now. */
function ownToken(credentials: ICredentialDataDecryptedObject): string | undefined {
	const stored = String(credentials[TOKEN_PROPERTY] ?? '');
	const prefix = `${fingerprint(credentials)}.`;
	return stored.startsWith(prefix) ? stored.slice(prefix.length) : undefined;
}

/** The bearer token in what is stored, whichever account it belongs to. */
export function tokenIn(stored: unknown): string {
	const text = String(stored ?? '');
	return text.slice(text.indexOf('.') + 1);
}

/** Whether a JWT says of itself that its time is over. A token that cannot be read counts as valid. */
function hasExpired(token: string): boolean {
	try {
		const payload = JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString()) as {
			exp?: unknown;
		};
		return typeof payload.exp === 'number' && payload.exp * 1000 <= Date.now();
	} catch {
		return false;
	}
}

/**
 * Logs in (section 4.1) with exactly one call.
 *
 * @throws LoginError: wrong password (401), malformed value (400), anything else the service says,
 *   or a service that cannot be reached. No message repeats the password.
 */
export async function login(
	helpers: Pick<IHttpRequestHelper['helpers'], 'httpRequest'>,
	credentials: ICredentialDataDecryptedObject,
): Promise<Login> {
	const base = checkedBaseUrl(credentials.baseUrl, credentials.allowInsecureHttp);
	const version = credentials.loginVersion === 'v1' ? 'v1' : 'v2';
	const email = String(credentials.email ?? '').trim();
	const password = String(credentials.password ?? '');
	const limit = new TimeLimit(LOGIN_TIMEOUT_MS);
	const response = await loginAnswer(
		helpers,
		{
			method: 'POST',
			url: `${base}/${version}/auth/login`,
			body: { email, password },
			json: true,
			timeout: LOGIN_TIMEOUT_MS,
			abortSignal: limit.signal,
			encoding: 'stream',
			disableFollowRedirect: true,
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
		},
		limit,
	).catch((error: unknown) =>
		refuseLogin(
			error instanceof ServiceError
				? `${error.message}. Check Base URL in the Partner Payments credential.`
				: unreachable(base, error, limit.isOver),
			{ isOutage: true },
		),
	);

	const body = (
		typeof response.body === 'object' && response.body !== null ? response.body : {}
	) as IDataObject;
	const said = serviceText(body.message, password);

	if (response.statusCode === 401) {
		refuseLogin(
			`The service does not accept this email and password${said}. Check Email and Password in the Partner Payments credential.`,
			{ isRefused: true },
		);
	}
	if (response.statusCode === 400) {
		refuseLogin(
			`The service finds a login value malformed${said}. Correct it in the Partner Payments credential.`,
			{ isRefused: true },
		);
	}
	if (response.statusCode === 404) {
		refuseLogin(
			`There is no login at ${base}/${version}/auth/login. Check Base URL, which includes the service’s api prefix, and Login Version in the Partner Payments credential.`,
		);
	}
	if (response.statusCode < 200 || response.statusCode > 299) {
		refuseLogin(
			`The service answered the login with status ${response.statusCode}${said}. Try again later, or check Base URL in the Partner Payments credential.`,
			{ isOutage: isOutage(response.statusCode) },
		);
	}
	if (!isToken(body.accessToken) || body.success === false) {
		refuseLogin(
			`The service answered the login without an access token${said}. Check Base URL in the Partner Payments credential.`,
		);
	}
	const user = (
		typeof body.user === 'object' && body.user !== null ? body.user : {}
	) as IDataObject;
	return { accessToken: body.accessToken, user };
}

async function loginAnswer(
	helpers: Pick<IHttpRequestHelper['helpers'], 'httpRequest'>,
	request: IHttpRequestOptions,
	limit: TimeLimit,
): Promise<{ statusCode: number; body: unknown }> {
	const response = (await helpers.httpRequest(request)) as IN8nHttpFullResponse;
	const { statusCode } = response;
	return { statusCode, body: await readAnswer(response, MOST_OF_AN_ANSWER, limit) };
}

/** What can be sent in a header, and not more than servers take there. */
function isToken(value: unknown): value is string {
	return typeof value === 'string' && value.length <= 8_000 && /^[!-~]+$/.test(value);
}

function refuseLogin(message: string, kind?: { isRefused?: boolean; isOutage?: boolean }): never {
	throw new LoginError(message, kind);
}

function unreachable(base: string, error: unknown, isTimeOver: boolean): string {
	const code = isTimeOver ? 'ETIMEDOUT' : String((error as { code?: unknown } | null)?.code ?? '');
	const host = new URL(base).host;
	const reason =
		{
			ECONNREFUSED: 'nothing answers there',
			ENOTFOUND: 'there is no such host',
			EAI_AGAIN: 'the host name cannot be looked up now',
			ECONNABORTED: 'it took too long to answer',
			ETIMEDOUT: 'it took too long to answer',
		}[code] ?? 'the connection broke';
	return `Cannot log in at ${host}: ${reason}. Check Base URL in the Partner Payments credential, and whether the service is up.`;
}

function serviceText(message: unknown, password: string): string {
	const texts: unknown[] = Array.isArray(message) ? message : [message];
	const text = texts.filter((entry) => typeof entry === 'string').join('; ');
	if (text.trim() === '') return '';
	return `: ${withoutSecrets(text, [password])
		.slice(0, 300)
		.replace(/[.\s]+$/, '')}`;
}
