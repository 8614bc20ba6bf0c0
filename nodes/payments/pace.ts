import { sleep } from 'n8n-workflow';

/** Pauses after a 429. Where the service names no time, each pause in a row is longer. */
const MAX_PAUSES = 5;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;

/** Waiting is done in such pieces, so that a cancelled execution ends soon. */
const NAP_MS = 250;
const SHORT_NAP_MS = 25;

/** The permission to start one request. */
interface Turn {
	/** How many pauses were made before it started. */
	readonly pauses: number;
	/** The first request after a pause goes alone, to see whether the service takes any: the others wait. */
	readonly asksForAll: boolean;
}

/** When requests may start: so many in a second, and after a 429 one alone until the service takes it. */
export class Pace {
	/** No request starts before these times: the rate, and what a 429 asked for. */
	private nextStart = 0;

	private pausedUntil = 0;

	private pauses = 0;

	/** How many pauses since the service last took a request. */
	private pausesInARow = 0;

	private isAsking = false;

	/** @param requestsPerSecond 0 sets no limit */
	constructor(private readonly requestsPerSecond: number) {}

	/**
	 * Waits until a request may start.
	 *
	 * @returns its turn, to be given to `end` afterwards; undefined when `isStopped` says so first
	 */
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

	/** Called when the service took a request. */
	taken(): void {
		this.pausesInARow = 0;
	}

	/**
	 * Makes all requests wait after a 429. If another request has made a pause since this one started, it
	 * makes none of its own.
	 *
	 * @returns whether to try again: false when the service has asked for too many pauses in a row
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

	/** Called when the request of a turn has ended, whether it succeeded or not. */
	end({ asksForAll }: Turn): void {
		if (asksForAll) this.isAsking = false;
	}
}
