import { sleep } from 'n8n-workflow';

import type { ServiceError } from './errors';

/** How long all reads of an execution or poll wait for a rate limit or in outages, together. */
export const MAX_READ_WAIT_MS = 30 * 60_000;

/** The same where a person or n8n's publication waits for the answer: a drop-down, a hook. */
export const MAX_SHORT_WAIT_MS = 20_000;

/**
 * The pauses after a 5xx or a lost connection. Then the read fails. If that would lose what was read before, it goes on
 * with pauses of `MAX_SHORT_WAIT_MS`.
 */
const OUTAGE_PAUSES_MS = [500, 1_500, 4_000];

/** How many 429s in a row a read accepts. The pauses grow, but are never shorter than Retry-After. */
const MAX_REJECTIONS = 6;
const FIRST_PAUSE_MS = 1_000;

/** Waits are split into such pieces, so that a cancelled execution ends soon. */
const PIECE_MS = 250;

/** Lets reads wait for a rate limit, and repeats them after an outage. A read changes nothing. */
export class ReadBackoff {
	/** How long the service's rate limit made reads wait. */
	waitedMs = 0;

	constructor(private leftMs: number) {}

	/**
	 * Sends a read, again after a 429, a 5xx or a lost connection.
	 *
	 * @param isLong whether an outage may last as long as reads wait
	 * @throws ServiceError of the last attempt
	 */
	async repeat<T>(send: () => Promise<T>, isStopped: () => boolean, isLong = false): Promise<T> {
		for (let rejections = 0, outages = 0; ;) {
			try {
				return await send();
			} catch (cause) {
				const error = cause as ServiceError;
				const isRateLimit = error.status === 429;
				const pause = isRateLimit
					? rateLimitPause(error, rejections++)
					: outagePause(error, outages++, isLong);
				if (pause > this.leftMs || isStopped()) throw error;
				const startedAt = Date.now();
				await pauseUnless(isStopped, pause);
				const waitedMs = Date.now() - startedAt;
				this.leftMs -= waitedMs;
				if (isRateLimit) this.waitedMs += waitedMs;
				if (isStopped()) throw error;
			}
		}
	}
}

function rateLimitPause({ retryAfterMs = 0 }: ServiceError, rejections: number): number {
	if (rejections === MAX_REJECTIONS) return Infinity;
	return Math.max(retryAfterMs, FIRST_PAUSE_MS * 2 ** rejections);
}

/** The pause before the next attempt; Infinity if the error is no outage, or has lasted too long. */
function outagePause(
	{ isOutage, retryAfterMs = 0 }: ServiceError,
	outages: number,
	isLong: boolean,
): number {
	if (!isOutage) return Infinity;
	const pause = OUTAGE_PAUSES_MS[outages] ?? (isLong ? MAX_SHORT_WAIT_MS : Infinity);
	return Math.max(pause, Math.min(retryAfterMs, MAX_SHORT_WAIT_MS));
}

/** Resolves after a time, or soon after `isStopped` becomes true. */
export async function pauseUnless(isStopped: () => boolean, milliseconds: number): Promise<void> {
	const endsAt = Date.now() + milliseconds;
	for (let left = milliseconds; left > 0 && !isStopped(); left = endsAt - Date.now()) {
		await sleep(Math.min(left, PIECE_MS));
	}
}
