/** An end for a request, from its start to the last byte of its answer. */
export class TimeLimit {
	readonly signal: AbortSignal;

	private readonly over = new AbortController();

	private time?: AbortSignal;

	private readonly end = (): void => this.over.abort();

	/**
	 * @param cancelled ends the request as well, without the time being over
	 */
	constructor(
		private readonly milliseconds: number,
		cancelled?: AbortSignal,
	) {
		this.signal = cancelled ? AbortSignal.any([this.over.signal, cancelled]) : this.over.signal;
		this.start();
	}

	/** Lets the whole time run, from now. */
	start(): void {
		this.stop();
		this.time = AbortSignal.timeout(this.milliseconds);
		this.time.addEventListener('abort', this.end, { once: true });
	}

	/** Lets no time run, until it is started again. */
	stop(): void {
		this.time?.removeEventListener('abort', this.end);
		this.time = undefined;
	}

	get isOver(): boolean {
		return this.over.signal.aborted;
	}
}
