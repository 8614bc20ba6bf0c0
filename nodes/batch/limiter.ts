import { pauseUnless } from '../service/readBackoff';

/*
 * | answer           | most in flight                                          | time between two starts             |
 * | ---------------- | ------------------------------------------------------- | ----------------------------------- |
 * | as fast as usual | after a round: twice as many, above 50 a quarter more   | a little less, if any was learnt    |
 * | slower           | after a round: what the service works on (Little's law) |                                     |
 * | 429              | one fewer, but not below START; then grows slowly       | learnt, or more, after a wait       |
 * | 5xx or none      | one fewer for each; then grows very slowly              |                                     |
 *
 * A round is as many accepted answers as may be in flight, to requests that started since the first answer of the round
 * before. What a round adds is on trial: it starts once, and only a round that ends well starts as many again. So a
 * service that breaks differs from one that keeps up before more is sent to it. A number that the user sets fixes what
 * is in flight, and Requests per Second is the least time between two starts. What 429s teach counts with both.
 */

/** So many requests are in flight at first: every payout service that publishes a limit allows them. */
export const START = 10;

/** What is in flight doubles no faster than in this time: a service that answers sooner is not hurried. */
const DOUBLING_MS = 500;

/** Above so many in flight, a round adds at most this share: a service that breaks there fails few rows. */
const MANY = { above: 50, share: 0.25 };

/** More are never in flight unless the user sets a number. */
export const MAX = 200;

/**
 * After trouble, growth beyond START has this share of its speed. A failure weighs most, because its row is unknown: where
 * the service breaks, one row in 200 finds out whether it still does.
 */
const CAREFUL = { slower: 0.2, rejected: 0.2, failed: 0.005 };

/** A service keeps up if two thirds of its answers take less than this many times as long as usual. */
const SLOWER = 1.6;
const QUANTILE = 2 / 3;

/** An answer within this time is as fast as usual, whatever is usual: what differs is n8n's own work. */
const FAST_MS = 50;

/** Having fewer in flight twice in a row shows whether that makes answers faster. */
const MAX_SHRINKS = 2;

/** Nothing starts for so long after a 429, twice as long after a further one, and never before Retry-After ends. */
const FIRST_WAIT_MS = 1_000;

/** A Retry-After beyond a day is a mistake: after a day one request asks again. */
const LONGEST_WAIT_MS = 24 * 60 * 60_000;

/** So many waits in a row outlast a limit per minute, even without Retry-After. Then the batch gives up. */
const MAX_WAITS = 6;

/** A service that accepted fewer than START before its first 429 showed no rate: then this is the interval at most. */
const FIRST_GUESS_MS = 300;

/** A further 429 makes the interval this many times as long. */
const LONGER = 1.25;

/** Each round trip makes a learnt interval shorter by a share in this range: the service may accept more by now. */
const SHORTER = { least: 0.001, most: 0.2 };

/** What was learnt is forgotten if nothing starts for a minute. */
const FORGET_MS = 60_000;

/** What the runs of a loop hand on. */
export interface Learnt {
	/** No request starts before. */
	nextStart?: number;
	/** The milliseconds between the starts of two requests, if a 429 taught any. */
	interval?: number;
	/** The most in flight. */
	limit?: number;
	/** How many milliseconds an answer takes while the service keeps up. */
	usual?: number;
	/** The share of its speed at which the limit grows: 1 before any trouble. */
	growth?: number;
}

/** The permission to start a request. `retry` renews it. */
export interface Permit {
	startedAt: number;
	/** How many waits came before it. */
	waits: number;
	/** After a wait one request goes alone, to see whether the service accepts any: the others wait. */
	isProbe: boolean;
	isTrial: boolean;
	/** Then it counts for no round any more. The next request still waits for its release: the batch may stop. */
	isAnswered: boolean;
	isReleased: boolean;
}

/** Decides when requests start: how many are in flight, and how fast they follow each other. */
export class Limiter {
	private inFlight = 0;

	/** How many of them have their answer. */
	private answered = 0;

	/** The most in flight since this round began. */
	private peak = 0;

	/** Those who wait: requests that were rejected go before new ones. */
	private readonly retries: Array<(permit?: Permit) => void> = [];

	private readonly starts: Array<(permit?: Permit) => void> = [];

	private isServing = false;

	/** How long the answers of this round took, and when the requests that count in it and in the next one started. */
	private round: number[] = [];

	private roundFrom = 0;

	private nextRoundFrom = 0;

	/** What the last round added to the limit, how many of those have not started yet, and how many have no answer yet. */
	private added = 0;

	private trial = 0;

	private onTrial = 0;

	private shrinks = 0;

	private waits = 0;

	private waitsInARow = 0;

	private isProbing = false;

	private readonly beganAt = Date.now();

	private rejectedAt = 0;

	private accepts = 0;

	/** By what share a round trip makes the interval shorter, and since when the interval is as it is. */
	private shorter = SHORTER.least;

	private shortenedAt = 0;

	/** Some 429s have other reasons than the rate: they must not make the interval longer and longer. */
	private longest: number;

	/**
	 * @param set what the user set; 0 requests per second are no limit
	 * @param isStopped whether nothing is to start any more
	 * @param learnt what the runs of a loop hand on; it is changed
	 */
	constructor(
		private readonly set: { concurrency?: number; requestsPerSecond: number },
		private readonly isStopped: () => boolean,
		private readonly learnt: Learnt = {},
	) {
		const { nextStart = 0 } = learnt;
		if (this.beganAt - nextStart > FORGET_MS)
			for (const key of Object.keys(learnt) as Array<keyof Learnt>) delete learnt[key];
		// A clock that was set back must not stop the node.
		learnt.nextStart = Math.min(nextStart, this.beganAt + this.interval);
		this.longest = this.interval + FIRST_WAIT_MS;
	}

	/** How many more requests may be in flight. */
	get room(): number {
		return Math.max(0, this.limit - this.inFlight) + this.trial;
	}

	/** The most requests that may be in flight now, apart from a trial. */
	get limit(): number {
		return this.set.concurrency ?? Math.floor(this.learnt.limit ?? START);
	}

	private get proven(): number {
		return this.learnt.limit ?? START;
	}

	private get interval(): number {
		const { requestsPerSecond } = this.set;
		return Math.max(requestsPerSecond && 1000 / requestsPerSecond, this.learnt.interval ?? 0);
	}

	/**
	 * Waits until a request may start: first come, first served.
	 *
	 * @returns the permit, to be passed to `release` afterwards; undefined if the batch stops
	 */
	async acquire(): Promise<Permit | undefined> {
		return await this.wait(this.starts);
	}

	/**
	 * Releases the permit of a request that was rejected, and renews it as soon as the request may start again.
	 *
	 * @returns false if the batch stops
	 */
	async retry(permit: Permit): Promise<boolean> {
		const renewed = this.wait(this.retries);
		this.release(permit);
		const next = await renewed;
		Object.assign(permit, next);
		return next !== undefined;
	}

	/** Call it when the request has ended, however it did. */
	release(permit: Permit): void {
		if (permit.isReleased) return;
		permit.isReleased = true;
		if (permit.isProbe) this.isProbing = false;
		if (permit.isAnswered) this.answered--;
		else if (permit.isTrial) this.onTrial--;
		this.inFlight--;
		void this.serve();
	}

	private async wait(queue: Array<(permit?: Permit) => void>): Promise<Permit | undefined> {
		return await new Promise((resolve) => {
			queue.push(resolve);
			void this.serve();
		});
	}

	/** Gives permits, until nobody waits for one, or a request has to end first. */
	private async serve(): Promise<void> {
		if (this.isServing) return;
		this.isServing = true;
		while (this.retries.length + this.starts.length) {
			const isStopped = this.isStopped();
			const wait = (this.learnt.nextStart ?? 0) - Date.now();
			if (!isStopped && (this.isProbing || this.room === 0)) break;
			if (!isStopped && wait > 0) await pauseUnless(this.isStopped, wait);
			else (this.retries.shift() ?? this.starts.shift())?.(isStopped ? undefined : this.start());
		}
		this.isServing = false;
	}

	private start(): Permit {
		const now = Date.now();
		const isTrial = ++this.inFlight - this.answered > this.limit;
		this.peak = Math.max(this.peak, this.inFlight);
		this.trial -= Number(isTrial);
		this.onTrial += Number(isTrial);
		this.isProbing = this.waitsInARow > 0;
		if (this.waitsInARow === 1) this.learnInterval();
		this.learnt.nextStart = now + this.interval;
		return {
			startedAt: now,
			waits: this.waits,
			isProbe: this.isProbing,
			isTrial,
			isAnswered: false,
			isReleased: false,
		};
	}

	/** Call it when the service accepted the request. */
	accepted(permit: Permit): void {
		const { startedAt, waits, isTrial } = permit;
		permit.isAnswered = true;
		this.answered++;
		if (isTrial) this.onTrial--;
		const now = Date.now();
		// One that started before a wait does not say that the service accepts more again.
		if (waits === this.waits) this.waitsInARow = 0;
		this.accepts++;
		if (this.learnt.interval !== undefined && startedAt >= this.shortenedAt) {
			this.learnt.interval *= 1 - this.shorter;
			this.shortenedAt = now;
		}
		if (this.set.concurrency !== undefined || startedAt < this.roundFrom) return;
		if (this.round.length === 0) this.nextRoundFrom = now;
		this.round.push(Math.max(FAST_MS, now - startedAt));
		if (this.onTrial === 0 && this.round.length >= Math.floor(this.proven + this.added))
			this.endRound();
	}

	/**
	 * Call it when the service is down or overloaded: 5xx or no answer.
	 *
	 * @param retryAfterMs nothing starts before that
	 */
	failed(retryAfterMs = 0): void {
		this.lower(1, CAREFUL.failed);
		this.pause(retryAfterMs);
	}

	/**
	 * Call it when the service rejected the request with 429. If it started before the last wait, that is no further one:
	 * its Retry-After counts alone.
	 *
	 * @returns whether to try again: false after too many waits in a row
	 */
	rejected({ waits }: Permit, retryAfterMs = 0): boolean {
		this.lower(START, CAREFUL.rejected);
		const isFurther = waits === this.waits;
		if (isFurther && this.waitsInARow === MAX_WAITS) return false;
		this.pause(Math.max(retryAfterMs, isFurther ? FIRST_WAIT_MS * 2 ** this.waitsInARow : 0));
		if (isFurther) {
			this.rejectedAt = Date.now();
			this.waits++;
			this.waitsInARow++;
		}
		return true;
	}

	private pause(ms: number): void {
		const until = Date.now() + Math.min(ms, LONGEST_WAIT_MS);
		this.learnt.nextStart = Math.max(this.learnt.nextStart ?? 0, until);
	}

	private endRound(): void {
		const took = this.round.sort((a, b) => a - b)[Math.floor(this.round.length * QUANTILE)];
		const { usual = took, growth = 1 } = this.learnt;
		const limit = this.proven + this.added;
		this.learnt.usual = Math.min(usual, (usual + took) / 2);
		if (took > SLOWER * usual) {
			this.learnt.growth = Math.min(growth, CAREFUL.slower);
			// What an answer takes longer than usual, it waits for others: limit × usual / took are worked on.
			if (this.shrinks++ < MAX_SHRINKS) return this.begin((limit * usual) / took);
			// That did not help: the service is slower now, whatever is in flight.
			Object.assign(this.learnt, { usual: took, growth: 1 });
		}
		this.shrinks = 0;
		// If fewer were in flight than may be, more would change nothing.
		if (this.peak <= this.proven / 2) return this.begin(this.proven);
		const speed = Math.max(this.learnt.growth ?? 1, limit < START ? CAREFUL.slower : 0);
		const more = limit * speed * Math.min(1, took / DOUBLING_MS);
		const most = Math.min(Math.max(limit, MANY.above) * (1 + MANY.share), MAX);
		this.begin(limit, Math.min(limit + more, most) - limit);
	}

	/** Whatever is on trial failed it; each further one is one fewer. */
	private lower(least: number, growth: number): void {
		const { proven, added } = this;
		this.learnt.growth = Math.min(this.learnt.growth ?? 1, growth);
		this.begin(added >= 1 ? proven : Math.max(Math.min(proven, least), proven - 1));
	}

	/** Begins a round with another limit, and so many more on trial. */
	private begin(limit: number, added = 0): void {
		this.roundFrom = limit < this.proven ? Date.now() : this.nextRoundFrom;
		this.round = [];
		this.peak = this.inFlight;
		this.learnt.limit = Math.max(1, limit);
		this.added = added;
		this.trial = Math.floor(limit + added) - Math.floor(limit);
	}

	/**
	 * The first 429 ends a burst: in the long run the service accepts no more than in the time until then and a first wait.
	 * A longer Retry-After may have any reason. The fewer were accepted, the less that says, and the faster a shorter
	 * interval is tried. From then on requests follow each other evenly, and a 429 means: a little too fast.
	 */
	private learnInterval(): void {
		if (this.interval > 0) {
			this.learnt.interval = Math.min(this.interval * (LONGER + 2 * this.shorter), this.longest);
			this.shorter = Math.max(SHORTER.least, this.shorter / 10);
			return;
		}
		const accepts = Math.max(1, this.accepts);
		const measured = (this.rejectedAt + FIRST_WAIT_MS - this.beganAt) / accepts;
		this.learnt.interval = accepts < START ? Math.min(measured, FIRST_GUESS_MS) : measured;
		this.longest = 2 * measured;
		this.shorter = Math.min(SHORTER.most, 1 / (2 * accepts));
	}
}
