import { createHash } from 'node:crypto';

const HIDDEN = '***';

/** A shorter token could equal an ordinary word or number of an answer, whose data would be changed. */
const MIN_TOKEN_LENGTH = 16;

/** What looks like a token, whoever's it is. */
const TOKENS = [
	/\bBearer\s+(\*{3}|(?=[^\s"',;<>]*\d|[^\s"',;<>]{16})[^\s"',;<>]+)/gi,
	/\beyJ[\w-]{5,}\.[\w-]+(\.[\w-]*)?/g,
];

/**
 * A text of the service for use in a message: without these secrets, and without anything that looks
 * like a token. Some services repeat the request, with its headers, in their errors.
 */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
	const known = secrets.filter((secret) => secret !== '');
	const hidden = known.reduce((rest, secret) => rest.replaceAll(secret, HIDDEN), text);
	return TOKENS.reduce((rest, pattern) => rest.replace(pattern, HIDDEN), hidden);
}

/**
 * The raw JSON of an answer without the tokens of its request, so that none of them gets into items,
 * errors or logs with it.
 */
export function withoutTokens(json: string, tokens: readonly string[]): string {
	return tokens
		.filter((token) => token.length >= MIN_TOKEN_LENGTH)
		.flatMap((token) => {
			const escaped = JSON.stringify(token).slice(1, -1);
			return [token, escaped, escaped.replaceAll('/', '\\/')];
		})
		.reduce((rest, token) => rest.replaceAll(token, HIDDEN), json);
}

/** A short text that is the same for the same values and reveals none of them. */
export function shortHash(values: unknown[]): string {
	return createHash('sha256').update(JSON.stringify(values)).digest('hex').slice(0, 16);
}
