import { sleep } from 'n8n-workflow';

import { REDELIVERY_MS } from './look';

/** How long a look that n8n was too busy for waits: the first deferred events may be emitted then. */
const BUSY_MS = REDELIVERY_MS + 10_000;

/** When the looks of a published trigger run: one at a time, by n8n's cron, and earlier if n8n was too busy. */
export class Schedule {
	private isRunning = false;

	/** Whether another look follows the current one. */
	private isWanted = false;

	/** When n8n was too busy for a delivery (milliseconds since 1970). */
	private lastDeferral = -Infinity;

	private willRunSoon = false;

	private readonly ending = new AbortController();

	/**
	 * @param work must not throw: nothing handles an error of n8n's cron. Its signal ends it once the trigger is no longer
	 *   published
	 */
	constructor(private readonly work: (signal: AbortSignal) => Promise<void>) {}

	end(): void {
		this.ending.abort();
	}

	/** @returns false if another look is running */
	async run(): Promise<boolean> {
		if (this.isRunning || this.ending.signal.aborted) return false;
		this.isRunning = true;
		try {
			do {
				this.isWanted = false;
				await this.work(this.ending.signal);
			} while (this.isWanted && !this.ending.signal.aborted);
		} finally {
			this.isRunning = false;
		}
		return true;
	}

	/** Runs now, or when the look that is running has ended. */
	runAgain(): void {
		this.isWanted = true;
		void this.run();
	}

	/** Runs when the deliveries until now may be emitted. */
	async runSoon(): Promise<void> {
		this.lastDeferral = Date.now();
		if (this.willRunSoon) return;
		this.willRunSoon = true;
		let ran = -Infinity;
		while (ran < this.lastDeferral && !this.ending.signal.aborted) {
			await sleep(BUSY_MS);
			const started = Date.now();
			// A look leaves deliveries out that the service has just tried.
			if (await this.run()) ran = started - REDELIVERY_MS;
		}
		this.willRunSoon = false;
	}
}
