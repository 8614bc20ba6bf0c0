import { sleep } from 'n8n-workflow';

/** Pauses after a 429. Where the service names no time, each pause in a row is longer. */
const MAX_BACKOFFS = 5;
const FIRST_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 60_000;

/** Waiting is done in such pieces, so that a cancelled execution ends soon. */
const POLL_MS = 250;
const SHORT_POLL_MS = 25;

/** The permission to start one request. */
interface Permit {
	/** How many pauses were made before it started. */
	readonly backoffs: number;
	/** The first request after a pause goes alone, to see whether the service takes any: the others wait. */
	readonly isProbe: boolean;
}

/** When requests may start: so many in a second, and after a 429 one alone until the service takes it. */
export class RateLimiter {
	/** No request starts before these times: the rate, and what a 429 asked for. */
	private nextStart = 0;

	private blockedUntil = 0;

	private backoffs = 0;

	/** How many pauses since the service last took a request. */
	private consecutiveBackoffs = 0;

	private isProbing = false;

	/** @param requestsPerSecond 0 sets no limit */
	constructor(private readonly requestsPerSecond: number) {}

	/**
	 * Waits until a request may start.
	 *
	 * @returns its turn, to be given to `end` afterwards; undefined when `isStopped` says so first
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

	/** Called when the service took a request. */
	succeeded(): void {
		this.consecutiveBackoffs = 0;
	}

	/**
	 * Makes all requests wait after a 429. If another request has made a pause since this one started, it
	 * makes none of its own.
	 *
	 * @returns whether to try again: false when the service has asked for too many pauses in a row
	 */
	backOff(turn: Permit, retryAfterMs: number | undefined): boolean {
		if (this.backoffs > turn.backoffs) return true;
		if (this.consecutiveBackoffs === MAX_BACKOFFS) return false;
		const wait = retryAfterMs ?? FIRST_BACKOFF_MS * 2 ** this.consecutiveBackoffs;
		this.backoffs++;
		this.consecutiveBackoffs++;
		this.blockedUntil = Date.now() + Math.min(wait, MAX_BACKOFF_MS);
		return true;
	}

	/** Called when the request of a turn has ended, whether it succeeded or not. */
	release({ isProbe: asksForAll }: Permit): void {
		if (asksForAll) this.isProbing = false;
	}
}
