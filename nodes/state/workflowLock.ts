import { randomUUID } from 'node:crypto';
import type { ICheckProcessedOptions, IExecuteFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

/*
 * n8n reads what a node remembers and writes it back whole, in two steps without a lock
 * (`deduplication-helper.js` of n8n), so of two workers that do so at once, one loses what it wrote. The
 * only step that cannot succeed twice is the creation of a row: its key is the workflow and the scope. So
 * the row of the workflow, which all nodes of a workflow share, is used as a lock: whoever creates it has
 * its turn, and removes it when the turn is over.
 */

/** The parts of n8n's execution that this module uses. */
export type StateContext = Pick<IExecuteFunctions, 'helpers' | 'getWorkflow'>;

/** n8n's memory of processed items, as a set of entries. */
export const ENTRIES: ICheckProcessedOptions = { mode: 'entries' };

const ROW = 'workflow';
const FIRST_ENTRY = 'partnerPayments:turn';

/**
 * A holder puts a random number of entries into the row. That number is all that others can read without
 * writing (`getProcessedDataCount` in `deduplication-helper.js` of n8n), so it tells one holder from the
 * next, and our row from one of n8n's Remove Duplicates node.
 */
const ENTRY_COUNT = { min: 40, max: 239 };

/** A turn takes milliseconds. A holder that takes longer than this counts as killed. */
const LEASE_MS = 15_000;

/** Nobody waits longer than this, whatever is in the row. */
const MAX_WAIT_MS = 6 * LEASE_MS;

/** A holder that took longer than this cannot be sure that nobody has taken over its row. */
const SAFE_HOLD_MS = LEASE_MS / 2;

const PAUSE_MS = { min: 5, max: 30 };

const LEASE_JITTER_MS = { min: 0, max: 3_000 };

/** A row of ours has no more entries than this: whoever takes it over from a killed holder adds its own. */
const MAX_ENTRIES = 1_000;

/** Whoever takes over a row has to write within this time, or does not get it. */
const TAKEOVER_MS = 3_000;

/**
 * After so many failures one after the other, with no holder to be seen, n8n's database fails: a holder may come
 * and go between two looks, but not so many times.
 */
const MAX_CREATE_FAILURES = 20;

/** By workflow: the last turn in this process. An entry lives no longer than its turns. */
const queues = new Map<string, Promise<unknown>>();

/**
 * By workflow: until when its row counts as somebody else's, so that not every turn has to find that
 * out anew. Entries whose time is over are removed with the next turn.
 */
const foreignRows = new Map<string, number>();

const FOREIGN_ROW_MS = 5 * 60_000;

/** What a turn gave, and whether nobody else can have written at the same time. */
interface LockedResult<T> {
	value: T;
	/** If false, what was written may have been overwritten, and has to be recorded again. */
	wasExclusive: boolean;
}

/**
 * Does work on n8n's memory while no other node of the workflow does, in this process or another.
 * The work reads and writes the memory once; it must not wait for the network.
 *
 * Where the row belongs to somebody else (n8n's Remove Duplicates node in scope "workflow"), turns
 * are taken within this process only, and `wasExclusive` is false.
 *
 * @returns what the work gave, and whether it was alone
 * @throws what the work throws, and Error when n8n's memory cannot be asked or written
 */
export async function withWorkflowLock<T>(
	context: StateContext,
	work: () => Promise<T>,
): Promise<LockedResult<T>> {
	const key = context.getWorkflow().id ?? '';
	const before = queues.get(key) ?? Promise.resolve();
	const turn = before.then(async () => await runLocked(new Lock(context), work));
	const ended = turn.catch(() => undefined);
	queues.set(key, ended);
	void ended.then(() => {
		if (queues.get(key) === ended) queues.delete(key);
	});
	return await turn;
}

async function runLocked<T>(lock: Lock, work: () => Promise<T>): Promise<LockedResult<T>> {
	const isLocked = await lock.acquire();
	let wasExclusive = false;
	let value: T;
	try {
		value = await work();
	} finally {
		// If this fails, the next turn waits until the row counts as that of a killed holder.
		if (isLocked) wasExclusive = await lock.release().catch(() => false);
	}
	return { value, wasExclusive };
}

/** The row of the workflow, as one holder sees it. */
class Lock {
	private entryCount = randomBetween(ENTRY_COUNT);

	private acquiredAt = 0;

	private wasTakenOver = false;

	constructor(private readonly context: StateContext) {}

	/** @returns whether the row is ours; otherwise it cannot be had */
	async acquire(): Promise<boolean> {
		const workflow = this.context.getWorkflow().id ?? '';
		const now = performance.now();
		for (const [key, until] of foreignRows) if (until < now) foreignRows.delete(key);
		if (foreignRows.has(workflow)) return false;
		const isOurs = await this.wait();
		if (!isOurs) foreignRows.set(workflow, performance.now() + FOREIGN_ROW_MS);
		return isOurs;
	}

	private async wait(): Promise<boolean> {
		const started = performance.now();
		let failures = 0;
		let seen = { count: 0, since: started, patience: 0 };
		while (performance.now() - started < MAX_WAIT_MS) {
			const count = await this.count();
			if (count === 0) {
				try {
					if (await this.create()) return true;
				} catch (error) {
					if (isOfAnotherMode(error as Error)) return false;
					// Another process created it at the same moment, or n8n's database fails.
					if (++failures === MAX_CREATE_FAILURES) return rethrow(error as Error);
				}
			} else if (count < ENTRY_COUNT.min || count > MAX_ENTRIES) return false;
			else failures = 0;
			const now = performance.now();
			if (count !== seen.count) {
				// A random part, so that not all who wait lose patience at the same moment.
				seen = { count, since: now, patience: LEASE_MS + randomBetween(LEASE_JITTER_MS) };
			} else if (count !== 0 && now - seen.since > seen.patience) {
				const taken = await this.takeOver(count);
				if (taken !== false) return taken === true;
				seen = { ...seen, since: performance.now() };
				continue;
			}
			await sleep(randomBetween(PAUSE_MS));
		}
		return false;
	}

	/**
	 * Gives the row back, unless it belongs to another holder by now.
	 *
	 * @returns whether it was ours alone all the time
	 */
	async release(): Promise<boolean> {
		const held = performance.now() - this.acquiredAt;
		const count = await this.count();
		// Another one that recorded at the moment of creation has added its entries to ours: more entries
		// than our own do not mean another holder, unless it was long enough for a takeover.
		const isOurs = count === this.entryCount || (count > this.entryCount && held < SAFE_HOLD_MS);
		if (isOurs) await this.context.helpers.clearAllProcessedItems(ROW, ENTRIES);
		return count === this.entryCount && held < SAFE_HOLD_MS && !this.wasTakenOver;
	}

	private async count(): Promise<number> {
		return await this.context.helpers.getProcessedDataCount(ROW, ENTRIES);
	}

	/** @returns whether this created the row */
	private async create(): Promise<boolean> {
		const started = performance.now();
		const entries = Array.from({ length: this.entryCount }, (_, number) => entry(number));
		const { processed } = await this.record(entries);
		if (processed.length > 0) return false;
		this.acquiredAt = started;
		return true;
	}

	/**
	 * Takes over the row of a holder that was killed. Several may try this at once. The row is not removed,
	 * so that nobody creates it meanwhile; instead, each adds entries of its own. n8n writes back what it
	 * read a moment before, so one may overwrite the entries of another. When all have written, the row
	 * belongs to the one whose entries alone are left in it. One that was too slow for the others to see
	 * its entries in time gets nothing.
	 *
	 * @returns whether it is ours now; undefined when it is no row of this module
	 */
	private async takeOver(count: number): Promise<boolean | undefined> {
		const started = performance.now();
		const own = randomUUID();
		const mine = Array.from(
			{ length: randomBetween(ENTRY_COUNT) },
			(_, number) => `${own}:${number}`,
		);
		if ((await this.count()) !== count) return false;
		let processed: unknown[];
		try {
			({ processed } = await this.record([FIRST_ENTRY, ...mine]));
		} catch {
			// The row was removed, and another one has created it anew.
			return false;
		}
		const isLate = performance.now() - started > TAKEOVER_MS;
		// If nothing was there before, the row was removed meanwhile, and this has created it.
		const written = processed.length > 0 ? count + mine.length : 1 + mine.length;
		if (processed.length === 0 && (await this.count()) > written) {
			await this.context.helpers.removeProcessed([FIRST_ENTRY, ...mine], ROW, ENTRIES);
			return undefined;
		}
		await sleep(TAKEOVER_MS);
		if (isLate || (await this.count()) !== written) return false;
		// Another one may have written the same number of entries: the row is ours only if it has our own.
		if ((await this.record([mine[0]])).processed.length === 0) return false;
		this.entryCount = written;
		this.acquiredAt = started;
		this.wasTakenOver = true;
		return true;
	}

	private async record(entries: string[]): Promise<{ processed: unknown[] }> {
		return await this.context.helpers.checkProcessedAndRecord(entries, ROW, ENTRIES);
	}
}

/** Such a row is of n8n's Remove Duplicates node (`validateMode` in `deduplication-helper.js` of n8n). */
function isOfAnotherMode(error: Error): boolean {
	return error.constructor.name === 'DeduplicationError';
}

export function rethrow(error: Error): never {
	throw error;
}

function entry(number: number): string {
	return number === 0 ? FIRST_ENTRY : `${FIRST_ENTRY}:${number}`;
}

function randomBetween({ min, max }: { min: number; max: number }): number {
	return min + Math.floor(Math.random() * (max - min + 1));
}
