import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IHttpRequestHelper,
	IHttpRequestOptions,
} from 'n8n-workflow';

import { parseBaseUrl, hasSameOrigin } from './baseUrl';
import type { Deadline } from './deadline';
import { cancelledBeforeSending, LoginError } from './errors';
import { parseObject } from './json';
import { login } from './login';
import { userMessage } from '../messages/userMessage';
import { withoutTrailing } from './outsideText';
import { shortHash } from './secrets';

/** The hidden credential property in which n8n stores the token of the last login. */
export const TOKEN_PROPERTY = 'sessionToken';

/**
 * The login of one execution. After it has failed, no request tries it again, because wrong passwords can
 * lock the account. An outage can't.
 */
export class LoginWatch {
	private failure?: Error;

	/** @param attempt the execution, if a person has started it: it tries a login that was rejected before, once */
	constructor(readonly attempt?: string) {}

	/**
	 * Registers a request, which may need a login. Its clock stops during the login.
	 *
	 * @param data the object that n8n gets with the request and passes to `preAuthentication`
	 *   (`authentication.js` of n8n-core)
	 */
	follow(data: ICredentialDataDecryptedObject, deadline: Deadline): void {
		followed.set(data, { watch: this, deadline });
	}

	/** @throws the error of the login, if it has failed */
	check(): void {
		if (this.failure) throw this.failure;
	}

	/**
	 * Runs a login, which has its own deadline.
	 *
	 * @param deadline of the request that waits for the login
	 * @throws the error of this login or of an earlier one; ServiceError if the execution was cancelled
	 *   meanwhile, so that the request counts as not sent
	 */
	async during<T>(deadline: Deadline, work: () => Promise<T>): Promise<T> {
		this.check();
		deadline.stop();
		const done = await work()
			.catch((error: LoginError) => {
				if (!error.isOutage) this.failure ??= error;
				throw this.failure ?? error;
			})
			.finally(() => deadline.start());
		if (deadline.signal.aborted) throw cancelledBeforeSending();
		return done;
	}
}

/**
 * Requests that may need a login, by their credential data, which is all that n8n passes from a request to
 * its login (`preAuthentication` in `credentials-helper.js` of n8n).
 */
const followed = new WeakMap<
	ICredentialDataDecryptedObject,
	{ watch: LoginWatch; deadline: Deadline }
>();

/**
 * Identifies the account that a token belongs to. An edited credential has another fingerprint, so the old
 * account's token is never sent with it: n8n keeps the hidden token when a credential is edited
 * (`unredact` in `credentials.service.js` of n8n).
 */
function fingerprint(credentials: ICredentialDataDecryptedObject): string {
	const { baseUrl, email, password, loginVersion } = credentials;
	return shortHash([baseUrl, email, password, loginVersion]);
}

/**
 * Identifies the account itself: the same for all credentials that log in as the same user, however they write
 * it. A service may forget a user's token when the user logs in again, so they share one.
 */
function accountKey({ baseUrl, email, password }: ICredentialDataDecryptedObject): string {
	const text = (value: unknown) => String(value ?? '').trim();
	return shortHash([withoutTrailing(text(baseUrl), '/'), text(email).toLowerCase(), password]);
}

interface Account {
	/** The login in flight, which every request that needs a token waits for. */
	pending?: Promise<string>;
	/** The newest token, and those that it replaced. */
	current?: string;
	replaced: Set<string>;
	/** Set while the service rejects the login: when and why it last did, and which execution has tried since. */
	rejection?: { at: number; reason: string; attempt?: string };
}

/** By `accountKey`. There is one such map in a process, so each account has one login at a time. */
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
 * Gets a token, for n8n's `preAuthentication`. n8n calls it for every request without a token or with a
 * 401, and does not coordinate concurrent calls (`credentials-helper.js` of n8n). Here they share one
 * login. A late request whose token has been replaced meanwhile gets the new one without a login.
 *
 * @returns the property that n8n encrypts and stores with the credential
 * @throws LoginError if the login fails; see also `LoginWatch.during`
 */
export async function renewToken(
	helpers: IHttpRequestHelper['helpers'],
	credentials: ICredentialDataDecryptedObject,
): Promise<{ [TOKEN_PROPERTY]: string }> {
	const request = followed.get(credentials);
	const renew = async () => {
		// Without a request of ours it is the credential's Test, which always logs in.
		if (request) checkRejection(accountFor(accountKey(credentials)), request.watch.attempt);
		return await newToken(helpers, credentials);
	};
	return await (request ? request.watch.during(request.deadline, renew) : renew());
}

/** For so long after a rejected login nothing logs in by itself: each attempt counts, and may lock the account. */
const REJECTION_MS = 3_600_000;

/** @throws LoginError if the service has rejected the same login within the last hour */
function checkRejection({ rejection }: Account, attempt: string | undefined): void {
	if (!rejection || Date.now() - rejection.at > REJECTION_MS) return;
	if (attempt !== undefined && attempt !== rejection.attempt) {
		rejection.attempt = attempt;
		return;
	}
	const values = { reason: rejection.reason };
	throw new LoginError(userMessage('loginNotRepeated', values), { isRejected: true });
}

async function newToken(
	helpers: IHttpRequestHelper['helpers'],
	credentials: ICredentialDataDecryptedObject,
): Promise<{ [TOKEN_PROPERTY]: string }> {
	const account = accountFor(accountKey(credentials));
	const stored = (token: string) => ({ [TOKEN_PROPERTY]: `${fingerprint(credentials)}.${token}` });
	const rejected = ownToken(credentials) ?? '';

	if (account.pending) {
		// The pending login replaces the token that the service rejected.
		remember(account, rejected);
	} else if (
		account.current !== undefined &&
		// The newest token may have been rejected, too, and the login after that may have failed.
		!account.replaced.has(account.current) &&
		(rejected === '' || account.replaced.has(rejected)) &&
		!hasExpired(account.current)
	) {
		return stored(account.current);
	} else {
		remember(account, rejected);
		account.pending = login(helpers, credentials)
			.then(({ accessToken }) => {
				if (account.current) remember(account, account.current);
				account.replaced.delete(accessToken);
				account.current = accessToken;
				account.rejection = undefined;
				return accessToken;
			})
			.catch((error: LoginError) => {
				if (error.isRejected) {
					const { attempt } = account.rejection ?? {};
					account.rejection = { at: Date.now(), reason: error.message, attempt };
				}
				throw error;
			})
			.finally(() => {
				account.pending = undefined;
			});
	}
	return stored(await account.pending);
}

/** Records a replaced token: a late request with it needs no login. */
function remember(account: Account, token: string): void {
	if (token === '') return;
	account.replaced.add(token);
	if (account.replaced.size > MAX_REPLACED) {
		account.replaced.delete(account.replaced.values().next().value as string);
	}
}

/**
 * A request as nodes pass it to n8n. The HTTP Request node uses other names for the address and the
 * redirects (`utils.js` and `legacy.js` of @n8n/backend-network).
 */
interface AnyRequest extends Omit<IHttpRequestOptions, 'url'> {
	url?: string;
	uri?: string;
	followRedirect?: boolean;
	followAllRedirects?: boolean;
}

/**
 * Adds the bearer token to a request, for n8n's `authenticate`. The token of another account is left out
 * if the credential was edited: the service then answers 401, and n8n logs in again.
 *
 * @returns a copy of the request that does not follow redirects
 * @throws LoginError if the request goes to another host than Base URL, or Base URL is invalid
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
		// n8n would send the token to the target of a redirect
		// (`sendCredentialsOnCrossOriginRedirect` in `request.js` of @n8n/backend-network).
		disableFollowRedirect: true,
		followRedirect: false,
		followAllRedirects: false,
	};
}

/** The stored token, if it belongs to the credential's current account. */
function ownToken(credentials: ICredentialDataDecryptedObject): string | undefined {
	const stored = String(credentials[TOKEN_PROPERTY] ?? '');
	const prefix = `${fingerprint(credentials)}.`;
	return stored.startsWith(prefix) ? stored.slice(prefix.length) : undefined;
}

/** The bearer token in a stored value, whichever account it belongs to. */
export function tokenIn(stored: unknown): string {
	const text = String(stored ?? '');
	return text.slice(text.indexOf('.') + 1);
}

/** Whether a token is an expired JWT. A token that cannot be parsed counts as valid. */
function hasExpired(token: string): boolean {
	const { exp } = parseObject(Buffer.from(token.split('.')[1] ?? '', 'base64url')) ?? {};
	return typeof exp === 'number' && exp * 1000 <= Date.now();
}
