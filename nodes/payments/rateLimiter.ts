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

/** Each accepted request shortens the interval a little, in case the service accepts more by now. */
const FASTER = 0.999;

/**
 * Decides when requests may start: the concurrency, a rate limit of our own, and backoff after a 429 (half-open: one
 * probe first). With automatic concurrency, the rate limit is what the service has accepted before a 429.
 */
export class RateLimiter {
	/** No request starts before these times: the rate limit's, and that of a 429. */
	private nextStart = 0;

	private blockedUntil = 0;

	private backoffs = 0;

	/** How many backoffs since the service last accepted a request. */
	private consecutiveBackoffs = 0;

	private isProbing = false;

	/** The milliseconds between the starts of two requests, and the fewest that the user wants. */
	private interval: number;

	private readonly shortestInterval: number;

	/** The requests that the service has accepted since the last backoff, and when the first of them could start. */
	private accepted = 0;

	private acceptedSince = Date.now();

	/** @param requestsPerSecond 0 sets no limit */
	constructor(
		requestsPerSecond: number,
		private readonly concurrency = new Concurrency(Infinity),
	) {
		this.shortestInterval = requestsPerSecond > 0 ? 1000 / requestsPerSecond : 0;
		this.interval = this.shortestInterval;
	}

	/**
	 * Waits until a request may start.
	 *
	 * @returns the permit, to be passed to `release` afterwards; undefined if `isStopped` becomes true first
	 */
	async acquire(isStopped: () => boolean): Promise<Permit | undefined> {
		if (!(await this.concurrency.enter(isStopped))) return undefined;
		const slot = this.nextSlot();
		while (!isStopped()) {
			const wait = Math.max(slot, this.blockedUntil) - Date.now();
			if (wait <= 0 && !this.isProbing) {
				this.isProbing = this.consecutiveBackoffs > 0;
				return { backoffs: this.backoffs, isProbe: this.isProbing, startedAt: Date.now() };
			}
			await sleep(Math.min(Math.max(wait, SHORT_POLL_MS), POLL_MS));
		}
		this.concurrency.leave();
		return undefined;
	}

	private nextSlot(): number {
		const slot = Math.max(Date.now(), this.nextStart, this.blockedUntil);
		this.nextStart = slot + this.interval;
		return slot;
	}

	/** Called when the service accepted a request. */
	succeeded({ startedAt }: Permit): void {
		this.consecutiveBackoffs = 0;
		this.accepted++;
		this.interval = Math.max(this.shortestInterval, this.interval * FASTER);
		this.concurrency.answered(startedAt);
	}

	/** Called when the service is down or overloaded. */
	overloaded({ startedAt }: Permit): void {
		this.concurrency.overloaded(startedAt);
	}

	/**
	 * Makes all requests wait after a 429. A request that started before the last backoff adds none.
	 *
	 * @returns whether to try again: false after too many backoffs in a row
	 */
	backOff(permit: Permit, retryAfterMs: number | undefined): boolean {
		if (this.backoffs > permit.backoffs) return true;
		if (this.consecutiveBackoffs === MAX_BACKOFFS) return false;
		const wait = Math.max(retryAfterMs ?? 0, FIRST_BACKOFF_MS * 2 ** this.consecutiveBackoffs);
		this.backoffs++;
		this.consecutiveBackoffs++;
		this.blockedUntil = Date.now() + Math.min(wait, MAX_BACKOFF_MS);
		this.learnRate();
		return true;
	}

	/** From now on, no more requests start per second than the service has accepted, the wait after its 429 included. */
	private learnRate(): void {
		const milliseconds = this.blockedUntil - this.acceptedSince;
		if (!this.concurrency.isAutomatic || this.accepted < MIN_ACCEPTED) return;
		this.interval = Math.max(this.interval, milliseconds / this.accepted);
		this.accepted = 0;
		this.acceptedSince = this.blockedUntil;
	}

	/** Called when the request has ended, whether it succeeded or not. */
	release({ isProbe }: Permit): void {
		if (isProbe) this.isProbing = false;
		this.concurrency.leave();
	}
}
