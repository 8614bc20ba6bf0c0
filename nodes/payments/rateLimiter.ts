import { sleep } from 'n8n-workflow';

/** Backoff after a 429 without Retry-After: exponential. */
const MAX_BACKOFFS = 5;
const FIRST_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 60_000;

/** Waits are split into such pieces, so that a cancelled execution ends soon. */
const POLL_MS = 250;
const SHORT_POLL_MS = 25;

/** The permission to start one request. */
interface Permit {
	/** How many backoffs came before it. */
	readonly backoffs: number;
	/** The first request after a backoff goes alone, to see whether the service accepts any: the others wait. */
	readonly isProbe: boolean;
}

/** Decides when requests may start: a rate limit of our own, and backoff after a 429 (half-open: one probe first). */
export class RateLimiter {
	/** No request starts before these times: the rate limit's, and that of a 429. */
	private nextStart = 0;

	private blockedUntil = 0;

	private backoffs = 0;

	/** How many backoffs since the service last accepted a request. */
	private consecutiveBackoffs = 0;

	private isProbing = false;

	/** @param requestsPerSecond 0 sets no limit */
	constructor(private readonly requestsPerSecond: number) {}

	/**
	 * Waits until a request may start.
	 *
	 * @returns the permit, to be passed to `release` afterwards; undefined if `isStopped` becomes true first
	 */
	async acquire(isStopped: () => boolean): Promise<Permit | undefined> {
		let start = 0;
		if (this.requestsPerSecond > 0) {
			start = Math.max(Date.now(), this.nextStart);
			this.nextStart = start + 1000 / this.requestsPerSecond;
		}
		while (!isStopped()) {
			const wait = Math.max(start, this.blockedUntil) - Date.now();
			if (wait <= 0 && !this.isProbing) {
				this.isProbing = this.consecutiveBackoffs > 0;
				return { backoffs: this.backoffs, isProbe: this.isProbing };
			}
			await sleep(Math.min(Math.max(wait, SHORT_POLL_MS), POLL_MS));
		}
		return undefined;
	}

	/** Called when the service accepted a request. */
	succeeded(): void {
		this.consecutiveBackoffs = 0;
	}

	/**
	 * Makes all requests wait after a 429. A request that started before the last backoff adds none.
	 *
	 * @returns whether to try again: false after too many backoffs in a row
	 */
	backOff(permit: Permit, retryAfterMs: number | undefined): boolean {
		if (this.backoffs > permit.backoffs) return true;
		if (this.consecutiveBackoffs === MAX_BACKOFFS) return false;
		const wait = retryAfterMs ?? FIRST_BACKOFF_MS * 2 ** this.consecutiveBackoffs;
		this.backoffs++;
		this.consecutiveBackoffs++;
		this.blockedUntil = Date.now() + Math.min(wait, MAX_BACKOFF_MS);
		return true;
	}

	/** Called when the request has ended, whether it succeeded or not. */
	release({ isProbe }: Permit): void {
		if (isProbe) this.isProbing = false;
	}
}
