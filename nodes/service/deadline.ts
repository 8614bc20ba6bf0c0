/** The time limit of a request, up to the last byte of its response. Whoever makes one has to `stop` it afterwards. */
export class Deadline {
	/** Aborted if the time has ended or the execution was cancelled. */
	readonly signal: AbortSignal;

	/** Whether its time has ended. */
	isOver = false;

	private readonly controller = new AbortController();

	private clock?: AbortSignal;

	private readonly expire = (): void => {
		this.isOver = true;
		this.controller.abort();
	};

	/** @param cancelled of the execution. It ends the request, but not its time */
	constructor(
		private readonly milliseconds: number,
		cancelled?: AbortSignal,
	) {
		const own = this.controller.signal;
		this.signal = cancelled ? AbortSignal.any([own, cancelled]) : own;
		this.start();
	}

	/** Starts the clock again with the full time. */
	start(): void {
		this.stop();
		this.clock = AbortSignal.timeout(this.milliseconds);
		this.clock.addEventListener('abort', this.expire);
	}

	/** Stops the clock. */
	stop(): void {
		this.clock?.removeEventListener('abort', this.expire);
	}
}
