import { sleep } from 'n8n-workflow';

import type { ServiceError } from './errors';

/** How long all reads of an execution or poll wait for a rate limit, together. */
export const MAX_READ_WAIT_MS = 30 * 60_000;

/** The same where a person or n8n's publication waits for the answer: a drop-down, a hook. */
export const MAX_SHORT_WAIT_MS = 20_000;

/** The pauses after a 5xx or a lost connection. Then the read fails. */
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

	constructor(private readonly maxWaitMs: number) {}

	/**
	 * Sends a read, again after a 429, a 5xx or a lost connection.
	 *
	 * @throws ServiceError of the last attempt
	 */
	async repeat<T>(send: () => Promise<T>, isStopped: () => boolean): Promise<T> {
		for (let rejections = 0, outages = 0; ;) {
			try {
				return await send();
			} catch (cause) {
				const error = cause as ServiceError;
				const isRateLimit = error.status === 429;
				const pause = isRateLimit
					? this.rateLimitPause(error, rejections++)
					: outagePause(error, outages++);
				if (pause === undefined || isStopped()) throw error;
				const startedAt = Date.now();
				await pauseUnless(isStopped, pause);
				if (isRateLimit) this.waitedMs += Date.now() - startedAt;
				if (isStopped()) throw error;
			}
		}
	}

	private rateLimitPause({ retryAfterMs = 0 }: ServiceError, rejections: number) {
		if (rejections === MAX_REJECTIONS) return undefined;
		const pause = Math.max(retryAfterMs, FIRST_PAUSE_MS * 2 ** rejections);
		return this.waitedMs + pause <= this.maxWaitMs ? pause : undefined;
	}
}

/** The pause before the next attempt; undefined if the error is no outage, or has lasted too long. */
function outagePause(
	{ isOutage, isLogin, retryAfterMs = 0 }: ServiceError,
	outages: number,
): number | undefined {
	const pause = isOutage && !isLogin ? OUTAGE_PAUSES_MS[outages] : undefined;
	return pause === undefined
		? undefined
		: Math.max(pause, Math.min(retryAfterMs, MAX_SHORT_WAIT_MS));
}

/** Resolves after a time, or soon after `isStopped` becomes true. */
export async function pauseUnless(isStopped: () => boolean, milliseconds: number): Promise<void> {
	const endsAt = Date.now() + milliseconds;
	for (let left = milliseconds; left > 0 && !isStopped(); left = endsAt - Date.now()) {
		await sleep(Math.min(left, PIECE_MS));
	}
}
