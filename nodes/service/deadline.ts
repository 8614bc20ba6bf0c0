/**
 * The time limits of requests that are in flight together. All last equally long, so they end in the order in which
 * they began, and one timer and one listener for a cancelled execution do for all.
 */
export class Deadlines {
	private readonly open = new Set<Deadline>();

	/** When the clocks that run end: the next one first. */
	private readonly ends = new Map<Deadline, number>();

	private alarm?: AbortSignal;

	private readonly cancel = (): void => {
		for (const deadline of this.open) deadline.abort();
	};

	private readonly ring = (): void => {
		this.alarm = undefined;
		for (const [deadline, end] of this.ends) {
			const left = end - performance.now();
			if (left > 0) return this.setAlarm(left);
			this.ends.delete(deadline);
			deadline.expire();
		}
	};

	/**
	 * @param cancelled also aborts the signals of all requests, but none of them `isOver` then
	 */
	constructor(
		private readonly milliseconds: number,
		private readonly cancelled?: AbortSignal,
	) {}

	/** Starts the clock of a request, which has to call `end` afterwards. */
	begin(): Deadline {
		const deadline = new Deadline(this);
		if (this.open.size === 0) this.cancelled?.addEventListener('abort', this.cancel);
		this.open.add(deadline);
		if (this.cancelled?.aborted) deadline.abort();
		this.start(deadline);
		return deadline;
	}

	start(deadline: Deadline): void {
		this.ends.delete(deadline);
		this.ends.set(deadline, performance.now() + this.milliseconds);
		if (!this.alarm) this.setAlarm(this.milliseconds);
	}

	stop(deadline: Deadline): void {
		this.ends.delete(deadline);
		if (this.ends.size > 0) return;
		this.alarm?.removeEventListener('abort', this.ring);
		this.alarm = undefined;
	}

	end(deadline: Deadline): void {
		this.stop(deadline);
		this.open.delete(deadline);
		if (this.open.size === 0) this.cancelled?.removeEventListener('abort', this.cancel);
	}

	private setAlarm(milliseconds: number): void {
		this.alarm = AbortSignal.timeout(Math.ceil(milliseconds));
		this.alarm.addEventListener('abort', this.ring, { once: true });
	}
}

/** The time limit of a request, up to the last byte of its response. */
export class Deadline {
	private readonly controller = new AbortController();

	/** Whether its time has ended. */
	isOver = false;

	constructor(private readonly all: Deadlines) {}

	/** Aborted if the time has ended or the execution was cancelled. */
	get signal(): AbortSignal {
		return this.controller.signal;
	}

	/** Restarts the clock with the full time. */
	start(): void {
		this.all.start(this);
	}

	/** Stops the clock until `start` is called. */
	stop(): void {
		this.all.stop(this);
	}

	/** The request has ended. */
	end(): void {
		this.all.end(this);
	}

	expire(): void {
		this.isOver = true;
		this.abort();
	}

	abort(): void {
		this.controller.abort();
	}
}
