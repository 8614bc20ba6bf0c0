import type { IDataObject } from 'n8n-workflow';
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

import { matches } from '../service/outsideText';

/** The query parameter of the callback address that has the secret. */
export const SECRET_PARAMETER = 'secret';

const OWNER_PARAMETER = 'owner';

/** A new secret: 256 random bits in hexadecimal digits. */
export function newSecret(): string {
	return randomBytes(32).toString('hex');
}

/** What n8n stores of a secret. The secret itself is only in the address that the service calls. */
export function secretHash(secret: string): string {
	return createHash('sha256').update(secret).digest('hex');
}

/** Compares in constant time. */
export function isSecret(given: unknown, hash: string | undefined): boolean {
	if (typeof given !== 'string' || hash === undefined) return false;
	const expected = Buffer.from(hash, 'hex');
	const actual = Buffer.from(secretHash(given), 'hex');
	return expected.length === actual.length && timingSafeEqual(expected, actual);
}

/** The address that the service calls: with the secret in its query, if there is one. */
export function withSecret(address: string, secret: string | undefined): string {
	return secret === undefined ? address : withParameter(address, SECRET_PARAMETER, secret);
}

/** The address with its owner in the query, so that a trigger finds its own webhook. */
export function withOwner(address: string, owner: string): string {
	return withParameter(address, OWNER_PARAMETER, owner);
}

/** The owner that an address names, if any. */
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

/** The secret in an address, if it has the form of ours. */
export function secretIn(address: string): string | undefined {
	const secret = parameterIn(address, SECRET_PARAMETER);
	return secret !== undefined && matches(/^[0-9a-f]{64}$/, secret) ? secret : undefined;
}

/** The secret in an address, if it matches the hash, or there is no hash. */
export function knownSecretIn(address: string, hash: string | undefined): string | undefined {
	const secret = secretIn(address);
	return hash === undefined || isSecret(secret, hash) ? secret : undefined;
}

/** A webhook or log entry to show: without its API key, and with a trigger's secret hidden in its address. */
export function withoutCallbackSecret(entry: IDataObject): IDataObject {
	const shown = { ...entry };
	delete shown.apiKey;
	for (const key of ['url', 'callbalckUrl', 'webhookUrl']) {
		const address = shown[key];
		const secret = typeof address === 'string' && secretIn(address);
		if (secret) shown[key] = (address as string).replace(secret, '***');
	}
	return shown;
}
