import { sleep } from 'n8n-workflow';

import { rethrow } from '../service/errors';
import { DamagedRowError, ProcessedItems } from './processedItems';
import { NotExclusiveError, type LockedResult, type StateContext } from './workflowLock';

/**
 * How many entries a node keeps. Then the oldest are dropped. A payment to a known payee has 17, one to a new payee has 20:
 * so 6,000 to 7,000 payments are remembered.
 */
export const MAX_ENTRIES = 120_000;

/** How many payments are recorded at once: each call takes longer, the more the node remembers. */
const CHUNK = { usual: 80, max: 400 };
const ENTRIES_PER_CHUNK = MAX_ENTRIES / (CHUNK.max / CHUNK.usual);

/** n8n's database may be busy for a moment. */
const ATTEMPTS = 3;
const RETRY_DELAY_MS = 200;

/** The first entry of every store names its format: a row without it was damaged, or written by something else. */
const FIRST_ENTRY = 'partnerPayments:ledger 1';

/** The entries of a node in n8n's processed items. A copied node, or a node of a copied workflow, has none. */
export class StoredEntries {
	/** How many of the oldest entries were dropped because this execution added its own. */
	dropped = 0;

	/** The longest wait for the lock, in milliseconds. */
	longestWait = 0;

	private readonly items: ProcessedItems;

	/** Undefined until it was asked. */
	private count?: number;

	private isChecked = false;

	/** Whether the node had sent nothing before this execution, as far as it was asked. */
	isEmpty = false;

	constructor(private readonly context: StateContext) {
		// No maximum: a running batch must not drop its own entries. `trim` does.
		this.items = new ProcessedItems(context);
	}

	/** Whether n8n stores processed items here. It doesn't for an unsaved workflow, which has no ID. */
	get isAvailable(): boolean {
		return (this.context.getWorkflow().id ?? '') !== '';
	}

	/**
	 * How many payments to record at once: 80, and up to 400 if the node remembers very many. If the process is killed
	 * before it sends them, that many are unknown.
	 */
	get chunkSize(): number {
		return CHUNK.usual * Math.max(1, Math.round((this.count ?? 0) / ENTRIES_PER_CHUNK));
	}

	async size(): Promise<number> {
		if (this.count === undefined) {
			this.count = await withRetries(async () => await this.items.count());
			// The first entry alone was left by a question.
			this.isEmpty = this.count < 2;
		}
		return this.count;
	}

	/**
	 * Runs work while no other execution works on the entries.
	 *
	 * @param work gets whether the lock across processes is held
	 * @throws NotExclusiveError if another process went on meanwhile, or if work fails and that is not certain
	 */
	async withLock<T>(work: (isLocked: boolean) => Promise<T>): Promise<LockedResult<T>> {
		const started = performance.now();
		const attempt = async (isLocked: boolean) => {
			this.longestWait = Math.max(this.longestWait, performance.now() - started);
			return await work(isLocked).then(
				(value) => ({ value }),
				(error: Error) =>
					// Whether the lock was kept until the end is known only of work that ends.
					isLocked && !this.items.mayBeTakenOver
						? { error }
						: { error: new NotExclusiveError(error.message) },
			);
		};
		// What fails has not begun the work.
		const result = await withRetries(async () => await this.items.withLock(attempt));
		if (result.wasLost)
			throw new NotExclusiveError('the database stood still, and another process went on');
		if ('error' in result.value) return rethrow(result.value.error);
		return { ...result, value: result.value.value };
	}

	/**
	 * Adds entries in one write. Returns those that were not there.
	 *
	 * @param isOnce a write that fails is not tried again: it may have added what a second one finds there
	 */
	async record(entries: string[], isOnce = false): Promise<Set<string>> {
		const size = await this.size();
		const all = this.isChecked ? entries : [FIRST_ENTRY, ...entries];
		const added = await withRetries(
			async () => await this.items.record(all),
			isOnce ? 1 : ATTEMPTS,
		);
		// A process that is killed while it drops the oldest entries leaves about as many, without the first.
		if (added.has(FIRST_ENTRY) && size > 0 && size < MAX_ENTRIES / 2) {
			await this.items.remove([...added]);
			throw new DamagedRowError();
		}
		this.isChecked = true;
		this.count = size + added.size;
		added.delete(FIRST_ENTRY);
		return added;
	}

	async remove(entries: string[]): Promise<void> {
		await withRetries(async () => await this.items.remove(entries));
		// The first entry stays.
		if (this.count !== undefined) this.count = Math.max(1, this.count - entries.length);
	}

	/**
	 * Drops the oldest entries if there are too many.
	 *
	 * @throws Error if n8n's database fails
	 */
	async trim(): Promise<void> {
		if ((this.count ?? 0) <= MAX_ENTRIES) return;
		await this.withLock(async () => {
			const surplus = (await this.items.count()) - MAX_ENTRIES;
			if (surplus <= 0) return;
			await this.items.record([], MAX_ENTRIES);
			this.dropped += surplus;
			await this.items.record([FIRST_ENTRY]);
		});
	}
}

/**
 * Tries a single call again while the lock is held, when nobody else writes. What was written although n8n's database
 * reported an error is then there when it is asked again, and counts as sent.
 */
async function withRetries<T>(work: () => Promise<T>, attempts = ATTEMPTS): Promise<T> {
	for (let attempt = 1; ; attempt++) {
		try {
			return await work();
		} catch (error) {
			if (attempt === attempts || error instanceof DamagedRowError) return rethrow(error as Error);
			await sleep(RETRY_DELAY_MS * attempt);
		}
	}
}
