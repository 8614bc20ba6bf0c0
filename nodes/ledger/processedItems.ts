import { ENTRIES, withWorkflowLock, type LockedResult, type StateContext } from './workflowLock';

const SCOPE = 'node';

/**
 * n8n's processed items of a node: a set of entries in n8n's database, which all executions of the node share
 * and which survives crashes and restarts. n8n can't look an entry up without adding it, and each call reads
 * and writes the whole set (`deduplication-helper.js` of n8n).
 *
 * All methods throw Error if n8n's database fails.
 */
export class ProcessedItems {
	/** When the lock has been held for too long to begin a write (milliseconds of `performance.now`). */
	private deadline = Infinity;

	/** @param maxEntries the most entries that `record` leaves: n8n drops the oldest. By default it drops none */
	constructor(
		private readonly context: StateContext,
		private readonly maxEntries?: number,
	) {}

	/** Whether the lock has been held for so long that another process may take it over. */
	get mayBeTakenOver(): boolean {
		return performance.now() > this.deadline;
	}

	/**
	 * Runs work on the entries while no other node of the workflow works on its own.
	 *
	 * @param work gets whether the lock across processes is held. After its deadline, nothing is written any more
	 */
	async withLock<T>(work: (isLocked: boolean) => Promise<T>): Promise<LockedResult<T>> {
		return await withWorkflowLock(this.context, async (deadline) => {
			this.deadline = deadline ?? Infinity;
			return await work(deadline !== undefined);
		});
	}

	/**
	 * Adds entries.
	 *
	 * @returns those that were not there
	 */
	async record(entries: string[], maxEntries = this.maxEntries): Promise<Set<string>> {
		this.checkDeadline();
		const asked = [...new Set(entries)];
		const { new: added, processed } = await this.context.helpers.checkProcessedAndRecord(
			asked,
			SCOPE,
			{ ...ENTRIES, maxEntries },
		);
		// n8n answers with neither if the row holds no list of entries, and then stores nothing.
		if (added.length + processed.length !== asked.length) throw new DamagedRowError();
		return new Set(added.map(String));
	}

	async remove(entries: string[]): Promise<void> {
		if (entries.length === 0) return;
		this.checkDeadline();
		await this.context.helpers.removeProcessed(entries, SCOPE, ENTRIES);
	}

	async count(): Promise<number> {
		return await this.context.helpers.getProcessedDataCount(SCOPE, ENTRIES);
	}

	/** Keeps a holder of the lock from writing when another process may have taken it for killed. */
	private checkDeadline(): void {
		if (this.mayBeTakenOver) throw new Error('the database stood still');
	}
}

/** The row of processed items was not written by this package. */
export class DamagedRowError extends Error {
	constructor() {
		super('what n8n has stored for this node is damaged, or was written by something else');
	}
}
