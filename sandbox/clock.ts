/** The sandbox's clock. It shows the machine's time until it is advanced. */
export class Clock {
	private advancedMs = 0;
	private stoppedAt?: number;

	/** Milliseconds since 1970. */
	now(): number {
		return this.stoppedAt ?? Date.now() + this.advancedMs;
	}

	/** The current time in the service's format. */
	text(): string {
		return new Date(this.now()).toISOString();
	}

	/** How many milliseconds it is ahead of the machine's clock. */
	aheadMs(): number {
		return this.now() - Date.now();
	}

	/** Runs an action while the clock stands still at another time. */
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

	/** Goes back to the machine's time. */
	reset(): void {
		this.advancedMs = 0;
	}
}
