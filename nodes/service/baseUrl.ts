import { type EditorMessage, fail, ok, type Result, userMessage } from '../messages/userMessage';
import { matches, withoutTrailing } from './outsideText';

/**
 * Whether a credential moves real money or test money, as set in the credential. The service has no way
 * to confirm it.
 */
export type Environment = 'production' | 'sandbox';

/** The choices of the credential and of the option Required Environment, in alphabetical order. */
export const ENVIRONMENTS: Array<{ name: string; value: Environment }> = [
	{ name: 'Production', value: 'production' },
	{ name: 'Sandbox', value: 'sandbox' },
];

/** Where requests go: the part of the credential that messages show. */
export interface Target {
	/** The credential's name in n8n. */
	credential: string;
	host: string;
	/** Undefined if the credential does not state it. */
	environment?: Environment;
	/** See `Service.account`. */
	account: string;
}

/** The environment of a credential; undefined if it does not state one. */
export function parseEnvironment(value: unknown): Environment | undefined {
	return ENVIRONMENTS.find((choice) => choice.value === value)?.value;
}

/** The label of an environment in the editor. */
export function environmentName(environment: Environment): string {
	return ENVIRONMENTS.find(({ value }) => value === environment)?.name ?? environment;
}

/** The environment and the host: `Sandbox (sandbox.partner.example)`. */
export function describeTarget({ environment, host }: Target): string {
	return environment === undefined
		? `${host} (Environment not stated)`
		: `${environmentName(environment)} (${host})`;
}

/** Whether a host name is this machine, where unencrypted http does no harm. */
function isLoopback(hostname: string): boolean {
	return (
		hostname === 'localhost' ||
		hostname.endsWith('.localhost') ||
		hostname === '[::1]' ||
		matches(/^127(\.\d{1,3}){3}$/, hostname)
	);
}

/**
 * Parses the credential's Base URL. Rejects plain http to another machine, which would send the password
 * and the token unencrypted.
 *
 * @returns the address without trailing slashes, so that a path can be appended
 */
export function parseBaseUrl(
	baseUrl: unknown,
	allowInsecureHttp: unknown,
): Result<string, EditorMessage> {
	const text = withoutTrailing(String(baseUrl ?? '').trim(), '/');
	const url = URL.canParse(text) ? new URL(text) : undefined;
	const isWeb = url !== undefined && ['http:', 'https:'].includes(url.protocol);
	if (!isWeb || url.username || url.password || url.search || url.hash) {
		return fail(userMessage('baseUrlInvalid'));
	}
	if (url.protocol === 'http:' && !isLoopback(url.hostname) && allowInsecureHttp !== true) {
		return fail(userMessage('baseUrlInsecure'));
	}
	return ok(text);
}

/**
 * Whether a request goes to the scheme, host and port of `base`. Its address is absolute, or relative to
 * its own base address or, without one, to `base` (`buildTargetUrl` in `utils.js` of
 * @n8n/backend-network).
 */
export function hasSameOrigin(
	base: string,
	{ url, uri, baseURL = `${base}/` }: { url?: string; uri?: string; baseURL?: string },
): boolean {
	const target = url ?? uri ?? '';
	return URL.canParse(target, baseURL) && new URL(target, baseURL).origin === new URL(base).origin;
}
