import { randomUUID } from 'node:crypto';
import type { ICheckProcessedOptions, IExecuteFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

/*
 * n8n reads what a node remembers and writes it back whole, in two steps, so two workers that do so at
 * once lose what one of them wrote. The only step of n8n's memory that cannot happen twice is the
 * creation of a row that is not there. That makes a lock: the row of the workflow, which all nodes of a
 * workflow share, is created by whoever has its turn, and removed when the turn is over.
 */

/** The parts of n8n's execution that this module uses. */
export type MemoryContext = Pick<IExecuteFunctions, 'helpers' | 'getWorkflow'>;

/** n8n's memory of processed items, as a set of entries. */
export const ENTRIES: ICheckProcessedOptions = { mode: 'entries' };

const ROW = 'workflow';
const FIRST_ENTRY = 'partnerPayments:turn';

/**
 * A holder puts so many entries into the row. Their number is all that others can read without
 * writing, so it tells one holder from the next, and our row from one of n8n's Remove Duplicates node.
 */
const MARK = { min: 40, max: 239 };

/** A turn takes milliseconds. Whoever holds the row longer than this was killed. */
const PATIENCE_MS = 15_000;

/** Nobody waits longer than this, whatever is in the row. */
const MAX_WAIT_MS = 6 * PATIENCE_MS;

/** A holder that took longer than this cannot be sure that nobody lost patience. */
const SAFE_MS = PATIENCE_MS / 2;

const PAUSE_MS = { min: 5, max: 30 };

const IMPATIENCE_MS = { min: 0, max: 3_000 };

/** So many entries has a row of ours at the max: whoever takes it over from a killed holder adds its own. */
const MAX_ENTRIES = 1_000;

/** Whoever takes a row over writes within this time, or does not get it. */
const TAKE_OVER_MS = 3_000;

/**
 * So often in a row the creation may fail while no holder is to be seen, before it counts as impossible:
 * a holder may come and go between two looks, but not so often.
 */
const MAX_FAILURES = 20;

/** By workflow: the last turn in this process. An entry lives no longer than its turns. */
const queues = new Map<string, Promise<unknown>>();

/**
 * By workflow: until when its row counts as somebody else's, so that not every turn has to find that
 * out anew. Entries that are over go when another one is made.
 */
const foreign = new Map<string, number>();

const FOREIGN_MS = 5 * 60_000;

/** What a turn gave, and whether nobody else can have written at the same time. */
interface Turn<T> {
	value: T;
	/** When it is false, what was written may have been overwritten: look again. */
	wasAlone: boolean;
}

/**
 * Does work on n8n's memory while no other node of the workflow does, in this process or another.
 * The work is one reading and writing; it does not wait for the network.
 *
 * Where the row belongs to somebody else (n8n's Remove Duplicates node in scope "workflow"), turns
 * are taken within this process only, and `wasAlone` is false.
 */
export async function takeTurn<T>(
	context: MemoryContext,
	work: () => Promise<T>,
): Promise<Turn<T>> {
	const key = context.getWorkflow().id ?? '';
	const before = queues.get(key) ?? Promise.resolve();
	const turn = before.then(async () => await whileLocked(new Lock(context), work));
	const ended = turn.catch(() => undefined);
	queues.set(key, ended);
	void ended.then(() => {
		if (queues.get(key) === ended) queues.delete(key);
	});
	return await turn;
}

async function whileLocked<T>(lock: Lock, work: () => Promise<T>): Promise<Turn<T>> {
	const isLocked = await lock.acquire();
	let wasAlone = false;
	let value: T;
	try {
		value = await work();
	} finally {
		// If this fails, the next turn waits until patience ends.
		if (isLocked) wasAlone = await lock.release().catch(() => false);
	}
	return { value, wasAlone };
}

/** The row of the workflow, as one holder sees it. */
class Lock {
	private mark = between(MARK);

	private since = 0;

	private wasTakenOver = false;

	constructor(private readonly context: MemoryContext) {}

	/** @returns whether the row is ours; otherwise it cannot be had */
	async acquire(): Promise<boolean> {
		const workflow = this.context.getWorkflow().id ?? '';
		const now = performance.now();
		for (const [key, until] of foreign) if (until < now) foreign.delete(key);
		if (foreign.has(workflow)) return false;
		const isOurs = await this.wait();
		if (!isOurs) foreign.set(workflow, performance.now() + FOREIGN_MS);
		return isOurs;
	}

	private async wait(): Promise<boolean> {
		const started = performance.now();
		let failures = 0;
		let seen = { count: 0, since: started, patience: 0 };
		while (performance.now() - started < MAX_WAIT_MS) {
			const count = await this.count();
			if (count === 0) {
				const created = await this.create();
				if (created) return true;
				if (created === undefined && ++failures === MAX_FAILURES) return false;
			} else if (count < MARK.min || count > MAX_ENTRIES) return false;
			else failures = 0;
			const now = performance.now();
			if (count !== seen.count) {
				// Not all who wait lose patience at the same moment.
				seen = { count, since: now, patience: PATIENCE_MS + between(IMPATIENCE_MS) };
			} else if (count !== 0 && now - seen.since > seen.patience) {
				const taken = await this.takeOver(count);
				if (taken !== false) return taken === true;
				seen = { ...seen, since: performance.now() };
				continue;
			}
			await sleep(between(PAUSE_MS));
		}
		return false;
	}

	/**
	 * Gives the row back, unless it belongs to another holder by now.
	 *
	 * @returns whether it was ours alone all the time
	 */
	async release(): Promise<boolean> {
		const held = performance.now() - this.since;
		const count = await this.count();
		// Who comes at the moment of creation adds its own entries to ours: it holds nothing.
		const isOurs = count === this.mark || (count > this.mark && held < SAFE_MS);
		if (isOurs) await this.context.helpers.clearAllProcessedItems(ROW, ENTRIES);
		return count === this.mark && held < SAFE_MS && !this.wasTakenOver;
	}

	private async count(): Promise<number> {
		return await this.context.helpers.getProcessedDataCount(ROW, ENTRIES);
	}

	/** @returns whether this created the row; undefined when n8n refused to, whatever the reason */
	private async create(): Promise<boolean | undefined> {
		const started = performance.now();
		const entries = Array.from({ length: this.mark }, (_, number) => entry(number));
		try {
			const { processed } = await this.record(entries);
			if (processed.length > 0) return false;
		} catch {
			// Another process created it at the same moment, or it is of another kind.
			return undefined;
		}
		this.since = started;
		return true;
	}

	/**
	 * Takes the row of a holder that was killed, as one of several who may lose patience at once. It is not
	 * removed, so nobody else creates it meanwhile: each adds entries of its own. n8n writes what it has read
	 * a moment before, so one may write over what the other wrote. When all have written, the row is whose
	 * entries it has, and no more. Who was too slow to be seen by the others in time gets nothing.
	 *
	 * @returns whether it is ours now; undefined when it is no row of this module
	 */
	private async takeOver(count: number): Promise<boolean | undefined> {
		const started = performance.now();
		const own = randomUUID();
		const mine = Array.from({ length: between(MARK) }, (_, number) => `${own}:${number}`);
		if ((await this.count()) !== count) return false;
		let processed: unknown[];
		try {
			({ processed } = await this.record([FIRST_ENTRY, ...mine]));
		} catch {
			// It is gone, and another one has created it anew.
			return false;
		}
		const isLate = performance.now() - started > TAKE_OVER_MS;
		// It may be gone, too, and created by this.
		const written = processed.length > 0 ? count + mine.length : 1 + mine.length;
		if (processed.length === 0 && (await this.count()) > written) {
			await this.context.helpers.removeProcessed([FIRST_ENTRY, ...mine], ROW, ENTRIES);
			return undefined;
		}
		await sleep(TAKE_OVER_MS);
		if (isLate || (await this.count()) !== written) return false;
		// Another one may have written as many.
		if ((await this.record([mine[0]])).processed.length === 0) return false;
		this.mark = written;
		this.since = started;
		this.wasTakenOver = true;
		return true;
	}

	private async record(entries: string[]): Promise<{ processed: unknown[] }> {
		return await this.context.helpers.checkProcessedAndRecord(entries, ROW, ENTRIES);
	}
}

function entry(number: number): string {
	return number === 0 ? FIRST_ENTRY : `${FIRST_ENTRY}:${number}`;
}

function between({ min, max }: { min: number; max: number }): number {
	return min + Math.floor(Math.random() * (max - min + 1));
}
