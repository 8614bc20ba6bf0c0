/** How many requests are in flight, if the user sets no number: at first, and at most. */
export const START = 10;
export const MAX = 50;

/**
 * More requests in flight have to bring more answers per second: at least this share of what they would bring if no
 * answer became slower.
 */
const WORTHWHILE = 0.25;

/** If they don't, more are tried again after so many rounds. */
const PAUSE_ROUNDS = 4;

/** Within so many rounds a service answers 429 if it accepts few requests a second: before more of them are in flight. */
const FIRST_ROUNDS = 3;

/** With the same limit, answers that take this many times as long count as slower. */
const SLOWER = 2;

/** Enough to see that those answers become slower that the growth of the limit has added: a third of them. */
const QUANTILE = 0.75;

/**
 * Limits the requests in flight: to a number that the user set, or to as many as bring more answers per second than
 * fewer would. Then the limit grows by half after each round of answers, and by a tenth once the service was
 * overloaded, and goes back if that didn't bring more answers per second. It shrinks at once if answers take longer, or
 * say that the service is overloaded. An n8n that is busy answers slowly, too, but doesn't get less done with more
 * requests in flight.
 *
 * At the start, after the first rounds, the limit grows with every round trip, like that of a TCP connection: it doesn't
 * wait for the requests that began before it had grown. The first round that brings too little, or an overload, ends the
 * start.
 */
export class Concurrency {
	/** The most requests that may be in flight now. */
	limit: number;

	private inFlight = 0;

	/** Requests that wait for room, the oldest first. */
	private readonly waiting: Array<() => void> = [];

	/** How long answers took in this round, in milliseconds. A round has as many answers as requests may be in flight. */
	private round: number[] = [];

	/** The limit that was worthwhile, and how many answers per millisecond it brought. Only trials exceed it. */
	private worthwhile = { limit: START, rate: 0 };

	/** How many rounds pass before the next trial. */
	private pause = FIRST_ROUNDS;

	private isStarting = true;

	/** When the limit changed. Requests that started before say nothing about the new one. */
	private changedAt = 0;

	/** When the service was last overloaded. Requests that started before say nothing new. */
	private overloadedAt = 0;

	/** @param fixed the number that the user set */
	constructor(private readonly fixed?: number) {
		this.limit = fixed ?? START;
	}

	get isAutomatic(): boolean {
		return this.fixed === undefined;
	}

	/** The most requests that can ever be in flight. */
	get max(): number {
		return this.fixed ?? MAX;
	}

	/**
	 * Waits until there is room for a request.
	 *
	 * @returns false if `isStopped` becomes true first; otherwise `leave` has to be called afterwards
	 */
	async enter(isStopped: () => boolean): Promise<boolean> {
		while (!isStopped() && this.inFlight >= this.limit) {
			await new Promise<void>((resolve) => this.waiting.push(resolve));
		}
		if (isStopped()) {
			this.wake();
			return false;
		}
		this.inFlight++;
		return true;
	}

	/** Called when a request has ended. */
	leave(): void {
		this.inFlight--;
		this.wake();
	}

	/**
	 * Called when the service accepted a request.
	 *
	 * @param startedAt when the request really started: `Date.now()`
	 */
	answered(startedAt: number): void {
		if (!this.isAutomatic || (startedAt < this.changedAt && !this.isStarting)) return;
		this.round.push(Date.now() - startedAt);
		if (this.round.length < this.limit) return;
		// Neither the login nor a pause of n8n, which few requests meet, says how fast the service is.
		const time = this.round.sort((a, b) => a - b)[Math.floor(this.round.length * QUANTILE)];
		this.round = [];
		const rate = this.limit / Math.max(1, time);
		const { limit, rate: usual } = this.worthwhile;
		const growth = this.limit / limit - 1;
		if (growth > 0 && rate < usual * (1 + WORTHWHILE * growth)) {
			this.pause = PAUSE_ROUNDS;
			this.isStarting = false;
			this.change(limit);
		} else if (rate * SLOWER < usual) {
			this.shrink(Math.max(Math.min(START, limit), Math.floor((limit * rate) / usual)));
		} else {
			this.worthwhile = { limit: this.limit, rate };
			if (--this.pause <= 0) this.grow();
		}
	}

	/**
	 * Called when the service answered that it has too much to do (429, 5xx), or did not answer.
	 *
	 * @param startedAt when the request really started
	 */
	overloaded(startedAt: number): void {
		if (!this.isAutomatic || startedAt < this.overloadedAt) return;
		this.overloadedAt = Date.now();
		this.shrink(Math.max(1, Math.floor(this.limit / 2)));
	}

	private grow(): void {
		const more = Math.ceil(this.limit * (this.overloadedAt > 0 ? 0.1 : 0.5));
		this.change(Math.min(this.limit + more, MAX));
		this.wake();
	}

	private shrink(limit: number): void {
		this.worthwhile = { limit, rate: 0 };
		this.pause = 0;
		this.isStarting = false;
		this.change(limit);
	}

	private change(limit: number): void {
		if (limit !== this.limit) this.changedAt = Date.now();
		this.limit = limit;
		this.round = [];
	}

	private wake(): void {
		for (const wakeOne of this.waiting.splice(0, this.limit - this.inFlight)) wakeOne();
	}
}
