import { sleep } from 'n8n-workflow';

/** Waiting for a 429: a service that names no time gets a longer pause each time. */
const MAX_PAUSES = 5;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;

/** A pause is cut into such pieces, so that a cancelled execution does not wait it out. */
const NAP_MS = 250;
const SHORT_NAP_MS = 25;

/** Leave to start one request. */
interface Turn {
	/** Pauses that were made before it started. */
	readonly pauses: number;
	/** After a pause it asks for all whether the service takes some again: the others wait for its end. */
	readonly asksForAll: boolean;
}

/** When requests may start: so many in a second, and after a 429 none before the service takes some again. */
export class Pace {
	/** No request starts before these times: the rate, and what a 429 asked for. */
	private nextStart = 0;

	private pausedUntil = 0;

	private pauses = 0;

	/** How many of them since the service last took a request. */
	private pausesInARow = 0;

	private isAsking = false;

	/** @param requestsPerSecond 0 sets no limit */
	constructor(private readonly requestsPerSecond: number) {}

	/** Waits until a request may start; undefined when it may not start any more. */
	async turn(isStopped: () => boolean): Promise<Turn | undefined> {
		let start = 0;
		if (this.requestsPerSecond > 0) {
			start = Math.max(Date.now(), this.nextStart);
			this.nextStart = start + 1000 / this.requestsPerSecond;
		}
		while (!isStopped()) {
			const wait = Math.max(start, this.pausedUntil) - Date.now();
			if (wait <= 0 && !this.isAsking) {
				this.isAsking = this.pausesInARow > 0;
				return { pauses: this.pauses, asksForAll: this.isAsking };
			}
			await sleep(Math.min(Math.max(wait, SHORT_NAP_MS), NAP_MS));
		}
		return undefined;
	}

	/** The service took a request. */
	taken(): void {
		this.pausesInARow = 0;
	}

	/**
	 * Lets all wait after a 429. A request that was under way with others that made a pause meanwhile makes
	 * none of its own.
	 *
	 * @returns false when the service asked for it too often
	 */
	pause(turn: Turn, retryAfterMs: number | undefined): boolean {
		if (this.pauses > turn.pauses) return true;
		if (this.pausesInARow === MAX_PAUSES) return false;
		const wait = retryAfterMs ?? FIRST_PAUSE_MS * 2 ** this.pausesInARow;
		this.pauses++;
		this.pausesInARow++;
		this.pausedUntil = Date.now() + Math.min(wait, MAX_PAUSE_MS);
		return true;
	}

	/** The request of a turn has ended, however it ended. */
	end({ asksForAll }: Turn): void {
		if (asksForAll) this.isAsking = false;
	}
}
