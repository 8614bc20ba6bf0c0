import type { UserMessage } from './messages';

/** A value, or the message that says why there is none. */
export type Result<T> = { ok: true; value: T } | { ok: false; error: UserMessage };

export function ok<T>(value: T): Result<T> {
	return { ok: true, value };
}

export function fail<T = never>(error: UserMessage): Result<T> {
	return { ok: false, error };
}
