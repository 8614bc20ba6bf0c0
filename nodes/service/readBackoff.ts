import { sleep } from 'n8n-workflow';

import type { ServiceError } from './errors';

/** How long all reads of an execution or poll wait for a rate limit or in outages, together. */
export const MAX_READ_WAIT_MS = 30 * 60_000;

/** The same where a person or n8n's publication waits for the answer: a drop-down, a hook. */
export const MAX_SHORT_WAIT_MS = 20_000;

/**
 * The pauses after a 5xx or a lost connection, and after a 429: these are never shorter than Retry-After. Then the read
 * fails. If that would lose what was read before, or a 429 says how long to wait, it goes on with pauses of
 * `MAX_SHORT_WAIT_MS`.
 */
const OUTAGE_PAUSES_MS = [500, 1_500, 4_000];
const RATE_LIMIT_PAUSES_MS = [1_000, 2_000, 4_000, 8_000, 16_000, 32_000];

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
	 * @param isLong whether outages and rate limits may last as long as reads wait
	 * @throws ServiceError of the last attempt
	 */
	async repeat<T>(send: () => Promise<T>, isStopped: () => boolean, isLong = false): Promise<T> {
		for (let rejections = 0, outages = 0; ;) {
			try {
				return await send();
			} catch (cause) {
				const error = cause as ServiceError;
				const { isOutage, retryAfterMs = 0 } = error;
				if (!isOutage) throw error;
				const isRateLimit = error.status === 429;
				const pause = Math.max(
					(isRateLimit ? RATE_LIMIT_PAUSES_MS[rejections++] : OUTAGE_PAUSES_MS[outages++]) ??
						(isLong || (isRateLimit && retryAfterMs) ? MAX_SHORT_WAIT_MS : Infinity),
					isRateLimit ? retryAfterMs : Math.min(retryAfterMs, MAX_SHORT_WAIT_MS),
				);
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

/** Resolves after a time, or soon after `isStopped` becomes true. */
export async function pauseUnless(isStopped: () => boolean, milliseconds: number): Promise<void> {
	const endsAt = Date.now() + milliseconds;
	for (let left = milliseconds; left > 0 && !isStopped(); left = endsAt - Date.now()) {
		await sleep(Math.min(left, PIECE_MS));
	}
}
