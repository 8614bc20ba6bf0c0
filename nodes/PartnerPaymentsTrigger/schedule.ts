import { sleep } from 'n8n-workflow';

import { REDELIVERY_MS } from './look';

/** Deliveries that n8n was too busy for within this time have a look in common. */
const BUSY_MS = 10_000;

/** When the looks of a published trigger run: one at a time, by n8n's cron, and earlier if n8n was too busy. */
export class Schedule {
	private isRunning = false;

	/** Whether another look follows the current one. */
	private isWanted = false;

	private isBusy = false;

	private readonly ending = new AbortController();

	/**
	 * @param work must not throw: nothing handles an error of n8n's cron. Its signal ends it once the trigger is no longer
	 *   published
	 */
	constructor(private readonly work: (signal: AbortSignal) => Promise<void>) {}

	end(): void {
		this.ending.abort();
	}

	/** Looks now, unless another look is running. */
	async run(): Promise<void> {
		if (this.isRunning) return;
		this.isRunning = true;
		try {
			do {
				this.isWanted = false;
				if (!this.ending.signal.aborted) await this.work(this.ending.signal);
			} while (this.isWanted);
		} finally {
			this.isRunning = false;
		}
	}

	/** Looks now, or when the look that is running has ended. */
	runAgain(): void {
		this.isWanted = true;
		void this.run();
	}

	/** Looks when the deliveries until now may be emitted. */
	async runSoon(): Promise<void> {
		if (this.isBusy) return;
		this.isBusy = true;
		await sleep(BUSY_MS);
		this.isBusy = false;
		await sleep(REDELIVERY_MS);
		this.runAgain();
	}
}

/** The published triggers of this process, by workflow and node, with what their `Executions` know. */
export const published = new Map<string, { schedule: Schedule; known: Map<string, number> }>();
