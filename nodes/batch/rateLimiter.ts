import { sleep } from 'n8n-workflow';

import { Concurrency } from './concurrency';

/**
 * Backoff after a 429, never shorter than Retry-After: exponential, and in all longer than the minute of a limit per
 * minute, even if Retry-After always says 0.
 */
const MAX_BACKOFFS = 6;
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
	readonly startedAt: number;
}

/** Fewer accepted requests say nothing about how many a second the service accepts. */
const MIN_ACCEPTED = 10;

/** Then the rate is searched: from this interval, which each round trip shortens, until the next 429. */
const FIRST_GUESS_MS = 150;
const SEARCH = 0.8;

/** Once the rate is known, each accepted request shortens the interval a little: the service may accept more by now. */
const FASTER = 0.999;

/** So many requests after a 429 don't: where the service accepts no more, a little faster only means the next 429. */
const STEADY = 200;

/** Each 429 makes it longer. Those that end the search may be two steps beyond the last interval that was long enough. */
const SLOWER = 1.25;
const SLOWER_AFTER_SEARCH = 1.6;

/**
 * Decides when requests may start: the concurrency, a rate limit of our own, and backoff after a 429 (half-open: one
 * probe first). The rate limit is learnt from the service’s 429s.
 */
export class RateLimiter {
	/** No request starts before this time of a 429, nor before the rate limit's, which the runs of a loop share. */
	private blockedUntil = 0;

	private backoffs = 0;

	/** How many backoffs since the service last accepted a request. */
	private consecutiveBackoffs = 0;

	private isProbing = false;

	/** When the last backoff began. */
	private refusedAt = 0;

	/** The milliseconds between the starts of two requests, and the fewest that the user wants. */
	private interval: number;

	private readonly shortestInterval: number;

	/** How many requests the service accepted. */
	private accepted = 0;

	/** Until so many are accepted, the interval stays as it is. */
	private steadyUntil = 0;

	private readonly beganAt = Date.now();

	/** Whether the rate is searched, and since when the interval is as it is. */
	private isSearching = false;

	private changedAt = 0;

	/** Some 429s have other reasons than the rate: more and more of them must not make the interval longer and longer. */
	private longestInterval: number;

	/**
	 * @param requestsPerSecond 0 sets no limit
	 * @param shared when the next request may start, as the runs of a loop hand it on
	 */
	constructor(
		requestsPerSecond: number,
		private readonly concurrency = new Concurrency(Infinity),
		private readonly shared: { nextStart?: number } = {},
	) {
		this.shortestInterval = requestsPerSecond > 0 ? 1000 / requestsPerSecond : 0;
		this.interval = this.shortestInterval;
		// A clock that was set back must not stop the node.
		shared.nextStart = Math.min(shared.nextStart ?? 0, this.beganAt + this.interval);
		this.longestInterval = this.interval + FIRST_BACKOFF_MS;
	}

	/**
	 * Waits until a request may start.
	 *
	 * @returns the permit, to be passed to `release` afterwards; undefined if `isStopped` becomes true first
	 */
	async acquire(isStopped: () => boolean): Promise<Permit | undefined> {
		if (!(await this.concurrency.enter(isStopped))) return undefined;
		while (!isStopped()) {
			const now = Date.now();
			const wait = Math.max(this.shared.nextStart ?? 0, this.blockedUntil) - now;
			if (wait <= 0 && !this.isProbing) {
				this.isProbing = this.consecutiveBackoffs > 0;
				if (this.consecutiveBackoffs === 1) this.learnRate(now);
				// A timer that is a little late makes the next requests no later.
				this.shared.nextStart = (wait > -SHORT_POLL_MS ? now + wait : now) + this.interval;
				return { backoffs: this.backoffs, isProbe: this.isProbing, startedAt: now };
			}
			await sleep(Math.min(wait > 0 ? wait : SHORT_POLL_MS, POLL_MS));
		}
		this.concurrency.leave();
		return undefined;
	}

	/** Called when the service accepted a request. */
	succeeded({ backoffs, startedAt }: Permit): void {
		// One that started before a backoff does not say that the service accepts more again.
		if (backoffs === this.backoffs) this.consecutiveBackoffs = 0;
		this.accepted++;
		if (this.isSearching ? startedAt >= this.changedAt : this.accepted > this.steadyUntil) {
			this.interval *= this.isSearching ? SEARCH : FASTER;
			this.interval = Math.max(this.interval, this.shortestInterval);
			this.changedAt = Date.now();
		}
		this.concurrency.answered(startedAt);
	}

	/** Called when the service is down or overloaded. */
	overloaded({ startedAt }: Permit): void {
		this.concurrency.overloaded(startedAt);
	}

	/**
	 * Makes all requests wait after a 429. One of a request that started before the last backoff is no further one: its
	 * Retry-After counts alone.
	 *
	 * @returns whether to try again: false after too many backoffs in a row
	 */
	backOff(permit: Permit, retryAfterMs: number | undefined): boolean {
		const isFurther = this.backoffs === permit.backoffs;
		if (isFurther && this.consecutiveBackoffs === MAX_BACKOFFS) return false;
		const shortest = isFurther ? FIRST_BACKOFF_MS * 2 ** this.consecutiveBackoffs : 0;
		const wait = Math.min(Math.max(retryAfterMs ?? 0, shortest), MAX_BACKOFF_MS);
		this.blockedUntil = Math.max(this.blockedUntil, Date.now() + wait);
		if (isFurther) {
			this.refusedAt = Date.now();
			this.backoffs++;
			this.consecutiveBackoffs++;
		}
		return true;
	}

	/**
	 * Changes the interval when the wait after a 429 is over, and most earlier answers are in.
	 *
	 * The first 429 ends a burst. In the long run the service accepts no more than in the time until now, the wait
	 * included, but not what a Retry-After adds to it: that may have any reason. If that was too little to tell, because the service allows no burst, the rate is searched. From then on
	 * requests follow each other evenly, and a 429 means that they are a little too fast.
	 */
	private learnRate(now: number): void {
		this.steadyUntil = this.accepted + STEADY;
		if (this.interval > 0) {
			this.interval *= this.isSearching ? SLOWER_AFTER_SEARCH : SLOWER;
			this.interval = Math.min(this.interval, this.longestInterval);
			this.isSearching = false;
		} else if (this.accepted < MIN_ACCEPTED) {
			this.interval = FIRST_GUESS_MS;
			this.isSearching = true;
		} else {
			this.interval =
				(Math.min(now, this.refusedAt + FIRST_BACKOFF_MS) - this.beganAt) / this.accepted;
			this.longestInterval = 2 * this.interval;
		}
	}

	/** Called when the request has ended, whether it succeeded or not. */
	release({ isProbe }: Permit): void {
		if (isProbe) this.isProbing = false;
		this.concurrency.leave();
	}
}
