/** How many requests are in flight, if the user sets no number: at first, and at most. */
export const START = 10;
export const MAX = 50;

/** Up to this many times as slow as with few requests in flight, answers count as equally fast. */
const TOLERANCE = 1.25;

/** From this on they count as slower. */
const SLOWER = 1.5;

/** When a request started. */
export interface Start {
	readonly at: number;
	/** How often the limit had shrunk. */
	readonly shrinks: number;
}

/**
 * Limits the requests in flight: to a number that the user set, or to as many as the service answers without
 * becoming slower. Then the limit grows by half after each round of answers, and by a tenth once it has shrunk.
 * It shrinks at once if answers take longer, or say that the service is overloaded.
 */
export class Concurrency {
	private current: number;

	private inFlight = 0;

	/** Requests that wait for room, the oldest first. */
	private readonly waiting: Array<() => void> = [];

	/** How often the limit has shrunk. Requests that started before say nothing about the new limit. */
	private shrinks = 0;

	/** How long answers took in this round. A round has as many answers as requests may be in flight. */
	private round: number[] = [];

	/** How long an answer takes while few requests are in flight, in milliseconds. */
	private usual = Infinity;

	/** @param fixed the number that the user set */
	constructor(private readonly fixed?: number) {
		this.current = fixed ?? START;
	}

	get isAutomatic(): boolean {
		return this.fixed === undefined;
	}

	/** The most requests that can ever be in flight. */
	get max(): number {
		return this.fixed ?? MAX;
	}

	/** The most requests that may be in flight now. */
	get limit(): number {
		return this.current;
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

	/** What to pass to `answered` and `overloaded`. Called when the request really starts. */
	start(): Start {
		return { at: Date.now(), shrinks: this.shrinks };
	}

	/** Called when a request has ended. */
	leave(): void {
		this.inFlight--;
		this.wake();
	}

	/** Called when the service accepted a request. */
	answered({ at, shrinks }: Start): void {
		if (!this.isAutomatic || shrinks < this.shrinks) return;
		this.round.push(Date.now() - at);
		if (this.round.length < this.limit) return;
		// Neither the login nor a pause of n8n, which few requests meet, says how fast the service is.
		const median = this.round.sort((a, b) => a - b)[Math.floor(this.round.length / 2)];
		this.round = [];
		// What is usual may change while a batch runs: only requests that are slower together are too many.
		this.usual = this.limit <= START ? median : Math.min(this.usual, median);
		if (median > this.usual * SLOWER) {
			this.shrink(Math.max(START, Math.floor((this.limit * this.usual) / median)));
		} else if (median <= this.usual * TOLERANCE) {
			const more = Math.ceil(this.limit * (this.shrinks > 0 ? 0.1 : 0.5));
			this.current = Math.min(this.limit + more, MAX);
			this.wake();
		}
	}

	/** Called when the service answered that it has too much to do (429, 5xx), or did not answer. */
	overloaded({ shrinks }: Start): void {
		if (!this.isAutomatic || shrinks < this.shrinks) return;
		this.shrink(Math.max(1, Math.floor(this.limit / 2)));
	}

	private shrink(limit: number): void {
		this.current = limit;
		this.shrinks++;
		this.round = [];
	}

	private wake(): void {
		const room = this.limit - this.inFlight;
		for (const wakeOne of this.waiting.splice(0, Math.max(0, room))) wakeOne();
	}
}
