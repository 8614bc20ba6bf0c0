import { LoginError } from './errors';
import { tell } from './messages';

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
 * The service's base address, without trailing slashes, ready for a path to be appended.
 *
 * @throws LoginError in plain words when the address is not usable: not a web address, or plain http to
 *   another machine (the password and the token would travel readable by anyone on the way)
 */
export function checkedBaseUrl(baseUrl: unknown, allowInsecureHttp: unknown): string {
	const text = String(baseUrl ?? '')
		.trim()
		.replace(/\/+$/, '');
	const url = URL.canParse(text) ? new URL(text) : undefined;
	if (!url || !['http:', 'https:'].includes(url.protocol)) {
		throw new LoginError(tell('baseUrlInvalid'));
	}
	if (url.username || url.password || url.search || url.hash) {
		throw new LoginError(tell('baseUrlNotPlain'));
	}
	if (url.protocol === 'http:' && !isLoopback(url.hostname) && allowInsecureHttp !== true) {
		throw new LoginError(tell('baseUrlInsecure'));
	}
	return text;
}

/**
 * Whether a request goes to the same scheme, host and port as `base`. Its address is read as n8n
 * does: absolute, or relative to its own base address or to `base`.
 */
export function hasSameOrigin(
	base: string,
	{ url, uri, baseURL = `${base}/` }: { url?: string; uri?: string; baseURL?: string },
): boolean {
	const target = url ?? uri ?? '';
	return URL.canParse(target, baseURL) && new URL(target, baseURL).origin === new URL(base).origin;
}
