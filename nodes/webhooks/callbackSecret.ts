import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** How a delivery shows that it comes from the service. */
export type Verification = 'apiKey' | 'callbackSecret' | 'both' | 'none';

export const usesSecret = (verification: Verification) =>
	verification === 'callbackSecret' || verification === 'both';

export const usesApiKey = (verification: Verification) =>
	verification === 'apiKey' || verification === 'both';

/** Name of the query parameter of the callback address that holds the secret. */
export const SECRET_PARAMETER = 'secret';

const OWNER_PARAMETER = 'owner';

/** A secret that nobody guesses: 256 random bits. */
export function newSecret(): string {
	return randomBytes(32).toString('hex');
}

/** What is kept of a secret. The secret itself is only in the address that the service calls. */
export function secretHash(secret: string): string {
	return createHash('sha256').update(secret).digest('hex');
}

/** Compares in a time that does not depend on how much of the secret was right. */
export function isSecret(given: unknown, hash: string | undefined): boolean {
	if (typeof given !== 'string' || hash === undefined) return false;
	const expected = Buffer.from(hash, 'hex');
	const actual = Buffer.from(secretHash(given), 'hex');
	return expected.length === actual.length && timingSafeEqual(expected, actual);
}

/** The address with the secret in its query. */
export function withSecret(address: string, secret: string): string {
	return withParameter(address, SECRET_PARAMETER, secret);
}

/** The address with its owner in the query, by which a trigger knows its own webhook. */
export function withOwner(address: string, owner: string): string {
	return withParameter(address, OWNER_PARAMETER, owner);
}

/** The owner that an address names, if it names one. */
export function ownerIn(address: string): string | undefined {
	return parameterIn(address, OWNER_PARAMETER);
}

function withParameter(address: string, name: string, value: string): string {
	const url = new URL(address);
	url.searchParams.set(name, value);
	return url.toString();
}

function parameterIn(address: string, name: string): string | undefined {
	if (!URL.canParse(address)) return undefined;
	return new URL(address).searchParams.get(name) ?? undefined;
}

/** The secret in an address, if it is one of ours. */
export function secretIn(address: string): string | undefined {
	const secret = parameterIn(address, SECRET_PARAMETER);
	return secret && /^[0-9a-f]{64}$/.test(secret) ? secret : undefined;
}

/** The secret in an address, if it is the one that is kept, or none is kept. */
export function knownSecretIn(address: string, hash: string | undefined): string | undefined {
	const secret = secretIn(address);
	return hash === undefined || isSecret(secret, hash) ? secret : undefined;
}

/** The address as it may be shown: a trigger's secret in its query is hidden. */
export function withoutSecret(address: unknown): unknown {
	const secret = typeof address === 'string' ? secretIn(address) : undefined;
	return secret === undefined ? address : (address as string).replace(secret, '***');
}
