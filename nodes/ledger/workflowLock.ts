import { randomUUID } from 'node:crypto';
import type { ICheckProcessedOptions, IExecuteFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { rethrow } from '../service/errors';

/*
 * n8n stores processed items in a row for each node, and in one for the workflow. Each call reads a row and
 * writes it back whole, in two steps without a lock, so if two workers do that at once, one loses what it
 * wrote (n8n@2.41.1 packages/cli/src/deduplication/deduplication-helper.ts). Only the creation of a row cannot
 * succeed twice. So the row of the workflow, which all its nodes share, is the lock: whoever creates it holds
 * the lock, and removes the row to release it.
 */

/** What this module uses of an execution. */
export type StateContext = Pick<IExecuteFunctions, 'helpers' | 'getWorkflow'>;

/** Makes n8n treat a row as a set of entries. */
export const ENTRIES: ICheckProcessedOptions = { mode: 'entries' };

const SCOPE = 'workflow';
const FIRST_ENTRY = 'partnerPayments:lock';

/**
 * A holder puts a random number of entries into the row. Others can read only that number without writing, so
 * it distinguishes one holder from the next, and our row from a row of n8n's Remove Duplicates node.
 */
const ENTRY_COUNT = { min: 40, max: 239 };

/**
 * A lock is held for milliseconds. A holder that takes longer than this counts as killed. A write that began before
 * the holder's time was over may take the rest of the lease: only if n8n's database stands still for even longer can
 * it overwrite what the next holder has written.
 */
const LEASE_MS = 60_000;

/** A holder begins no write after this time, and leaves the row to whoever takes it over. */
const HOLDING_MS = LEASE_MS / 3;

/** How long to wait for the lock at most, whatever is in the row. */
const MAX_WAIT_MS = 10 * LEASE_MS;

/** How long to wait between two counts at first. The longer the same holder has the lock, the longer: up to a second. */
const PAUSE_MS = { min: 5, max: 30 };
const LONGEST_PAUSE_MS = 1_000;

/** Added to the lease, so that those who wait don't all try a takeover at the same moment. */
const LEASE_JITTER_MS = { min: 0, max: 3_000 };

/** A row of ours has no more entries than this: each takeover adds some. */
const MAX_ENTRIES = 5_000;

/** A takeover has to write within this time, or it fails. */
const TAKEOVER_MS = 3_000;

/**
 * After this many failures in a row, with no holder in sight, n8n's database counts as broken: a holder may
 * come and go between two counts, but not that often.
 */
const MAX_CREATE_FAILURES = 20;

/** Another process may have written at the same time, so nobody can tell whose the entries are. */
export class NotExclusiveError extends Error {}

/** By workflow: the last use of the lock in this process. An entry lives no longer than that. */
const queues = new Map<string, Promise<unknown>>();

/**
 * By workflow: until when its row counts as foreign, in milliseconds of `performance.now`, so that not every
 * use of the lock has to find that out. The next use removes expired entries.
 */
const foreignRows = new Map<string, number>();

const FOREIGN_ROW_MS = 5 * 60_000;

/** What locked work returned, and whether nobody else can have written at the same time. */
export interface LockedResult<T> {
	value: T;
	/** If false, entries that were recorded may have been overwritten and must be recorded again. */
	wasExclusive: boolean;
	/** Whether somebody took the lock over before the work ended: what it asked may be wrong. */
	wasLost: boolean;
}

/**
 * Runs work on processed items while no other node of the workflow does, in this process or another. The
 * work must not wait for the network.
 *
 * If the row is foreign (n8n's Remove Duplicates node with the scope "workflow"), it locks only within this
 * process, and `wasExclusive` is false.
 *
 * @param work gets the time after which a holder begins no write (milliseconds of `performance.now`). Missing if the lock
 *   across processes is not held
 * @throws what the work throws, and Error if n8n's database fails or is too slow to take over the lock of a killed
 *   process
 */
export async function withWorkflowLock<T>(
	context: StateContext,
	work: (deadline?: number) => Promise<T>,
): Promise<LockedResult<T>> {
	const key = context.getWorkflow().id ?? '';
	const before = queues.get(key) ?? Promise.resolve();
	const result = before.then(async () => await new Lock(context).run(work));
	const ended = result.catch(() => undefined);
	queues.set(key, ended);
	void ended.then(() => {
		if (queues.get(key) === ended) queues.delete(key);
	});
	return await result;
}

/** The row of the workflow, as one holder sees it. */
class Lock {
	private entryCount = randomBetween(ENTRY_COUNT);

	/** An entry that no other holder has. */
	private readonly name: string = randomUUID();

	private acquiredAt = 0;

	private wasTakenOver = false;

	private wasLost = false;

	/** Whether a takeover has shown that the row is a lock, and not of n8n's Remove Duplicates node. */
	private isLockRow = false;

	constructor(private readonly context: StateContext) {}

	async run<T>(work: (deadline?: number) => Promise<T>): Promise<LockedResult<T>> {
		const isLocked = await this.acquire();
		let wasExclusive = false;
		let value: T;
		try {
			value = await work(isLocked ? this.acquiredAt + HOLDING_MS : undefined);
		} finally {
			// If this fails, the next one waits until this holder counts as killed.
			if (isLocked) wasExclusive = await this.release().catch(() => false);
		}
		return { value, wasExclusive, wasLost: this.wasLost };
	}

	/** @returns whether we hold the lock; if not, it can't be acquired */
	private async acquire(): Promise<boolean> {
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
		let seen = { count: 0, since: started, leaseMs: 0 };
		while (performance.now() - started < MAX_WAIT_MS) {
			const count = await this.count();
			if (count === 0) {
				try {
					if (await this.create()) return true;
				} catch (error) {
					// n8n throws this for a row of its Remove Duplicates node (`validateMode` in the same file).
					if ((error as Error).constructor.name === 'DeduplicationError') return false;
					// Another process created it at the same moment, or n8n's database fails.
					if (++failures === MAX_CREATE_FAILURES) return rethrow(error as Error);
				}
			} else if (count < ENTRY_COUNT.min || count > MAX_ENTRIES) return false;
			else failures = 0;
			const now = performance.now();
			if (count !== seen.count) {
				seen = { count, since: now, leaseMs: LEASE_MS + randomBetween(LEASE_JITTER_MS) };
			} else if (count !== 0 && now - seen.since > seen.leaseMs) {
				const taken = await this.takeOver(count);
				if (taken !== false) return taken === true;
				seen = { ...seen, since: performance.now() };
				continue;
			}
			const waited = now - seen.since;
			await sleep(Math.min(LONGEST_PAUSE_MS, randomBetween(PAUSE_MS) + waited / 10));
		}
		if (this.isLockRow) throw new Error('the database was too slow');
		return false;
	}

	/**
	 * Removes the row, unless it belongs to another holder by now, or may before it is removed.
	 *
	 * @returns whether it was ours alone all the time
	 */
	private async release(): Promise<boolean> {
		const held = () => performance.now() - this.acquiredAt;
		const count = await this.count();
		// Whoever recorded at the moment of creation has added entries to ours. So more entries mean another
		// holder only if there was time for a takeover. Then the row would not have our name.
		const isOursAlone =
			count === this.entryCount ||
			(count > this.entryCount && held() < TAKEOVER_MS && (await this.has(this.name)));
		this.wasLost = !isOursAlone && held() >= LEASE_MS;
		if (count < this.entryCount || held() >= HOLDING_MS) return false;
		await this.context.helpers.clearAllProcessedItems(SCOPE, ENTRIES);
		return isOursAlone && !this.wasTakenOver;
	}

	private async count(): Promise<number> {
		return await this.context.helpers.getProcessedDataCount(SCOPE, ENTRIES);
	}

	/** @returns whether this created the row */
	private async create(): Promise<boolean> {
		const started = performance.now();
		const { processed } = await this.record([
			FIRST_ENTRY,
			this.name,
			...fillers(FIRST_ENTRY, this.entryCount - 2),
		]);
		if (processed.length > 0) return false;
		this.acquiredAt = started;
		return true;
	}

	/**
	 * Takes over the row of a killed holder. Several may try this at once. They don't remove the row, so that
	 * nobody creates it meanwhile. Instead, each adds entries under a random name. n8n writes back what it read
	 * a moment before, so one may overwrite the entries of another. After TAKEOVER_MS all have written, and
	 * the row belongs to the one whose entries are the only ones added. Whoever wrote too late for the others
	 * to see it in time fails.
	 *
	 * @returns whether we hold the lock now; undefined if the row is foreign
	 */
	private async takeOver(count: number): Promise<boolean | undefined> {
		const started = performance.now();
		const mine = fillers(randomUUID(), randomBetween(ENTRY_COUNT));
		if ((await this.count()) !== count) return false;
		let processed: unknown[];
		try {
			({ processed } = await this.record([FIRST_ENTRY, ...mine]));
		} catch {
			// The row was removed, and somebody else has created it.
			return false;
		}
		const isLate = performance.now() - started > TAKEOVER_MS;
		this.isLockRow = processed.length > 0;
		// If the first entry was not there, the row was removed meanwhile, and this has created it.
		const written = processed.length > 0 ? count + mine.length : 1 + mine.length;
		if (processed.length === 0 && (await this.count()) > written) {
			await this.context.helpers.removeProcessed([FIRST_ENTRY, ...mine], SCOPE, ENTRIES);
			return undefined;
		}
		await sleep(TAKEOVER_MS);
		if (isLate || (await this.count()) !== written) return false;
		// Somebody else may have written as many entries: the row is ours only if it has our own. If recording
		// fails, the row was removed, and somebody else has created it.
		if (!(await this.has(mine[0]).catch(() => false))) return false;
		this.entryCount = written;
		this.acquiredAt = started;
		this.wasTakenOver = true;
		return true;
	}

	/** Whether the row has an entry. If not, this adds it. */
	private async has(entry: string): Promise<boolean> {
		return (await this.record([entry])).processed.length > 0;
	}

	private async record(entries: string[]): Promise<{ processed: unknown[] }> {
		return await this.context.helpers.checkProcessedAndRecord(entries, SCOPE, ENTRIES);
	}
}

function fillers(prefix: string, count: number): string[] {
	return Array.from({ length: count }, (_, number) => `${prefix}:${number}`);
}

function randomBetween({ min, max }: { min: number; max: number }): number {
	return min + Math.floor(Math.random() * (max - min + 1));
}
