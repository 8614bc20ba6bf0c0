import { hash } from 'node:crypto';

import { startOf } from './outsideText';

const HIDDEN = '***';

/** A shorter token could be an ordinary word or number, and removing it would change data. */
const MIN_TOKEN_LENGTH = 16;

/** Anything that looks like a token. */
const TOKENS = [
	/\bBearer\s+(\*{3}|(?=[^\s"',;<>]*\d|[^\s"',;<>]{16})[^\s"',;<>]+)/gi,
	/\beyJ[\w-]{5,}(\.[\w-]*){0,2}/g,
];

/**
 * Removes secrets, and anything that looks like a token, from a text of the service that a message quotes.
 * Some services repeat the request with its headers in their errors.
 *
 * @returns its beginning
 */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
	const known = secrets.filter((secret) => secret !== '');
	const hidden = known.reduce((rest, secret) => rest.replaceAll(secret, HIDDEN), text);
	return TOKENS.reduce((rest, pattern) => rest.replace(pattern, HIDDEN), startOf(hidden));
}

/** Removes the tokens of a request from the raw JSON of its response, to keep them out of items and logs. */
export function withoutTokens(json: string, tokens: readonly string[]): string {
	const forms = tokens
		.filter((token) => token.length >= MIN_TOKEN_LENGTH)
		.flatMap((token) => {
			const escaped = JSON.stringify(token).slice(1, -1);
			return [token, escaped, escaped.replaceAll('/', '\\/')];
		});
	return [...new Set(forms)].reduce((rest, token) => rest.replaceAll(token, HIDDEN), json);
}

/** A short hash: the same for the same values, and reveals none of them. */
export function shortHash(values: unknown[]): string {
	return hash('sha256', JSON.stringify(values)).slice(0, 16);
}
