import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IHttpRequestHelper,
	IHttpRequestOptions,
} from 'n8n-workflow';

import { parseBaseUrl, hasSameOrigin } from './baseUrl';
import { cancelledBeforeSending, LoginError } from './errors';
import { login } from './login';
import { userMessage } from './messages';
import { shortHash } from './secrets';
import type { Deadline } from './readBody';

/** The hidden credential property in which n8n keeps the token of the last login. */
export const TOKEN_PROPERTY = 'sessionToken';

/**
 * The login as the requests of one execution see it. Once it has failed, none of them tries again:
 * every wrong password counts towards a lock of the account. The next execution has its own.
 */
export class LoginWatch {
	private failure?: Error;

	/**
	 * Prepares for the login that a request may need: the request's time does not run meanwhile.
	 *
	 * @param data the very object that n8n gets with the request: it gives the same one to
	 *   `preAuthentication` (`authentication.js` of n8n-core)
	 */
	follow(data: ICredentialDataDecryptedObject, limit: Deadline): void {
		followed.set(data, { watch: this, limit });
	}

	/**
	 * @throws what the login failed with, if it has failed
	 */
	check(): void {
		if (this.failure) throw this.failure;
	}

	/**
	 * Runs a login, which has a time limit of its own.
	 *
	 * @param limit of the request that waits for the login
	 * @returns what `work` gave
	 * @throws what it fails with, or what an earlier one failed with; ServiceError when the execution
	 *   was cancelled meanwhile: the request is then known not to have been sent
	 */
	async during<T>(limit: Deadline, work: () => Promise<T>): Promise<T> {
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
 * By the credential's data of a request, for as long as the request lives. This data is all that n8n
 * hands on from a request to its login (`preAuthentication` in `credentials-helper.js` of n8n).
 */
const followed = new WeakMap<
	ICredentialDataDecryptedObject,
	{ watch: LoginWatch; limit: Deadline }
>();

/**
 * Tells which account a token belongs to: base URL, email, password and login version. An edited
 * credential has another fingerprint, so the old account's token is never sent with it. It is needed
 * because n8n keeps the hidden token when a credential is edited (`unredact` in `credentials.service.js`
 * of n8n).
 */
function fingerprint(credentials: ICredentialDataDecryptedObject): string {
	const { baseUrl, email, password, loginVersion } = credentials;
	return shortHash([baseUrl, email, password, loginVersion]);
}

interface Account {
	/** A login under way, which everyone who needs a token waits for. */
	pending?: Promise<string>;
	/** The newest token this process got, and those it replaced. */
	current?: string;
	replaced: Set<string>;
}

/** By fingerprint. A process has one instance of this module, so each account has one login at a time. */
const accounts = new Map<string, Account>();

const MAX_ACCOUNTS = 100;
const MAX_REPLACED = 20;

function accountFor(key: string): Account {
	const known = accounts.get(key);
	if (known) return known;
	if (accounts.size >= MAX_ACCOUNTS) {
		const oldest = [...accounts].find(([, { pending }]) => !pending);
		if (oldest) accounts.delete(oldest[0]);
	}
	const created: Account = { replaced: new Set() };
	accounts.set(key, created);
	return created;
}

/**
 * The token to go on with, for n8n's `preAuthentication`. n8n calls it for each request that has no token
 * yet or was answered 401, and does not wait for other requests that do the same (`credentials-helper.js`
 * of n8n). Here they share one login, and a request that comes late, with a token that has been replaced
 * since, gets the new one without a login.
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
		// The service did not accept the token of a request that waits here: the login replaces it.
		remember(account, refused);
	} else if (
		account.current !== undefined &&
		// The newest token may have been refused, too, and the login after that may have failed.
		!account.replaced.has(account.current) &&
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

/** Notes a token that was replaced: a request that comes late with it needs no login. */
function remember(account: Account, token: string): void {
	if (token === '') return;
	account.replaced.add(token);
	if (account.replaced.size > MAX_REPLACED) {
		account.replaced.delete(account.replaced.values().next().value as string);
	}
}

/**
 * A request as nodes give it to n8n. The HTTP Request node has other names for the address and the
 * redirects (`utils.js` and `legacy.js` of @n8n/backend-network).
 */
interface AnyRequest extends Omit<IHttpRequestOptions, 'url'> {
	url?: string;
	uri?: string;
	followRedirect?: boolean;
	followAllRedirects?: boolean;
}

/**
 * Puts the bearer token on a request, for n8n's `authenticate`. A token of another account (the
 * credential was edited since) is left out: the service answers 401 and n8n logs in anew.
 *
 * @returns a copy of the request, which does not follow redirects
 * @throws LoginError when the request goes to another host than Base URL, or Base URL cannot be used
 */
export function authorize<T extends AnyRequest>(
	credentials: ICredentialDataDecryptedObject,
	request: T,
): T {
	const base = parseBaseUrl(credentials.baseUrl, credentials.allowInsecureHttp);
	if (!base.ok) throw new LoginError(base.error);
	if (!hasSameOrigin(base.value, request)) {
		throw new LoginError(userMessage('foreignHost', { origin: new URL(base.value).origin }));
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
		// n8n would send the token to wherever the service redirects
		// (`sendCredentialsOnCrossOriginRedirect` in `request.js` of @n8n/backend-network).
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

/** Whether a token is a JWT whose time is over. A token that cannot be read counts as valid. */
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
