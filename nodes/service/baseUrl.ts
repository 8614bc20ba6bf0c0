import { userMessage } from './messages';
import { fail, ok, type Result } from './result';

/**
 * Whose money a credential moves, real or test, as the person who filled it in says. It cannot be
 * checked: nothing in the service's interface tells.
 */
export type Environment = 'production' | 'sandbox';

/** The choices in alphabetical order, as the credential and the option Required Environment list them. */
export const ENVIRONMENTS: Array<{ name: string; value: Environment }> = [
	{ name: 'Production', value: 'production' },
	{ name: 'Sandbox', value: 'sandbox' },
];

/** Where requests go: what a person who pays should see of the credential. */
export interface Target {
	/** The credential's name in n8n. */
	credential: string;
	host: string;
	/** Left out when none is chosen: then it is not known, and nothing is assumed. */
	environment?: Environment;
	/** See `Service.account`. */
	account: string;
}

/** The environment that a credential states; undefined when it states none. */
export function parseEnvironment(value: unknown): Environment | undefined {
	return ENVIRONMENTS.find((choice) => choice.value === value)?.value;
}

/** An environment as the editor names it. */
export function environmentName(environment: Environment): string {
	return ENVIRONMENTS.find(({ value }) => value === environment)?.name ?? environment;
}

/** Which money it is, and whose host: `Sandbox (sandbox.partner.example)`. */
export function describeTarget({ environment, host }: Target): string {
	return environment === undefined
		? userMessage('environmentNotStated', { host }).message
		: `${environmentName(environment)} (${host})`;
}

/** Whether the host name is this very machine, where unencrypted http does no harm. */
function isLoopback(hostname: string): boolean {
	return (
		hostname === 'localhost' ||
		hostname.endsWith('.localhost') ||
		hostname === '[::1]' ||
		/^127(\.\d{1,3}){3}$/.test(hostname)
	);
}

/**
 * Parses the credential's Base URL. Rejects plain http to another machine, which would send the password
 * and the token unencrypted.
 *
 * @returns the address without trailing slashes, so that a path can be appended
 */
export function parseBaseUrl(baseUrl: unknown, allowInsecureHttp: unknown): Result<string> {
	const text = String(baseUrl ?? '')
		.trim()
		.replace(/\/+$/, '');
	const url = URL.canParse(text) ? new URL(text) : undefined;
	if (!url || !['http:', 'https:'].includes(url.protocol)) {
		return fail(userMessage('baseUrlInvalid'));
	}
	if (url.username || url.password || url.search || url.hash) {
		return fail(userMessage('baseUrlNotPlain'));
	}
	if (url.protocol === 'http:' && !isLoopback(url.hostname) && allowInsecureHttp !== true) {
		return fail(userMessage('baseUrlInsecure'));
	}
	return ok(text);
}

/**
 * Whether a request goes to the same scheme, host and port as `base`. Its address is read as n8n reads
 * it (`buildTargetUrl` in `utils.js` of @n8n/backend-network): absolute, or relative to its own base
 * address; without one, to `base`.
 */
export function hasSameOrigin(
	base: string,
	{ url, uri, baseURL = `${base}/` }: { url?: string; uri?: string; baseURL?: string },
): boolean {
	const target = url ?? uri ?? '';
	return URL.canParse(target, baseURL) && new URL(target, baseURL).origin === new URL(base).origin;
}
