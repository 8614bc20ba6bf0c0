/** The sandbox's time: that of the machine, until it is advanced. */
export class Clock {
	private advancedMs = 0;
	private stoppedAt?: number;

	/** Milliseconds since 1970. */
	now(): number {
		return this.stoppedAt ?? Date.now() + this.advancedMs;
	}

	/** The present time as the service writes it. */
	text(): string {
		return new Date(this.now()).toISOString();
	}

	/** How far it is ahead of the machine's, in milliseconds. */
	aheadMs(): number {
		return this.now() - Date.now();
	}

	/** Does something as of another moment, at which the clock stands still meanwhile. */
	at(moment: number, action: () => void): void {
		this.stoppedAt = moment;
		try {
			action();
		} finally {
			this.stoppedAt = undefined;
		}
	}

	advance(ms: number): void {
		this.advancedMs += ms;
	}

	/** Back to the machine's time. */
	reset(): void {
		this.advancedMs = 0;
	}
}
