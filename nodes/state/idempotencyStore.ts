import type { ICheckProcessedOptions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { ENTRIES, rethrow, withWorkflowLock, type StateContext } from './workflowLock';

/** How many references a node remembers. Then the oldest are forgotten. */
export const MAX_REFERENCES = 100_000;

/**
 * With it n8n drops the oldest entries (`maxEntries` in `deduplication-helper.js` of n8n). It is used only at
 * the end of a batch: while that runs, its own references must not be forgotten.
 */
const BOUNDED: ICheckProcessedOptions = { ...ENTRIES, maxEntries: MAX_REFERENCES };

const ROW = 'node';

/**
 * How many references are recorded at once. n8n reads and writes its whole memory each time
 * (`deduplication-helper.js` of n8n), so the more it remembers, the fewer times are better.
 */
const CHUNK = { usual: 80, max: 400 };
const REFERENCES_PER_CHUNK = MAX_REFERENCES / (CHUNK.max / CHUNK.usual);

/** n8n's database may be busy for a moment. */
const ATTEMPTS = 3;
const RETRY_DELAY_MS = 200;

/**
 * The references that any execution of this node has sent, in n8n's memory of processed items
 * (`deduplication-helper.js` of n8n). It survives crashes, cancelled executions and restarts, and all
 * executions of the node share it. A copied node, or a copied workflow, has a memory of its own.
 *
 * n8n tells only whether an entry is there, and records it when it is asked.
 */
export class IdempotencyStore {
	/** How many of the oldest references were forgotten because this execution added its own. */
	dropped = 0;

	private size?: number;

	/** Recorded by this execution while another process may have written, too: they may be overwritten. */
	private possiblyOverwritten = new Set<string>();

	private readonly pendingRemovals = new Set<string>();

	/** How many times marks were asked for that have not been taken back since (see `forgetNow`). */
	private markAttempts = 0;

	/**
	 * @param scope what a reference belongs to: account and endpoint. The same reference in another
	 *   scope is another payment.
	 */
	constructor(
		private readonly context: StateContext,
		private readonly scope: string,
	) {}

	/**
	 * Whether n8n keeps a memory here. It has none for a workflow that was not saved: without its ID it
	 * throws (`assert.ok` in `deduplication-helper.js` of n8n).
	 */
	get isAvailable(): boolean {
		return (this.context.getWorkflow().id ?? '') !== '';
	}

	/**
	 * How many references to record at once: 80, and up to 400 when the node remembers very many. If the
	 * process is killed before they are sent, so many are in doubt.
	 */
	get chunkSize(): number {
		return CHUNK.usual * Math.max(1, Math.round((this.size ?? 0) / REFERENCES_PER_CHUNK));
	}

	/**
	 * Records references that are about to be sent.
	 *
	 * @returns those that were sent before
	 * @throws Error when n8n does not store them
	 */
	async record(references: string[]): Promise<Set<string>> {
		if (!this.isAvailable) return new Set();
		return await this.withLock(async () => {
			await this.flushRemovals();
			return await this.addEntries(references);
		}, references);
	}

	/**
	 * Records references that are about to be sent once more, because a person said so, together with marks
	 * that keep them from being forgotten: another execution that had recorded one of them, and does not
	 * send it, would forget it without knowing that this one did send it.
	 *
	 * @throws Error when n8n does not store them
	 */
	async recordAgain(references: string[]): Promise<void> {
		if (!this.isAvailable || references.length === 0) return;
		const both = [...references, ...references.flatMap(marksOf)];
		await this.withLock(async () => await this.addEntries(both), []);
	}

	/**
	 * Asks which references were sent, for a time when nothing is sent yet. n8n records what it is asked
	 * for, so what was not known is forgotten again.
	 *
	 * @returns those that were sent before
	 * @throws Error when n8n's memory cannot be asked
	 */
	async lookUp(references: string[]): Promise<Set<string>> {
		const all = new Set<string>();
		if (!this.isAvailable) return all;
		this.size ??= await this.context.helpers.getProcessedDataCount(ROW, ENTRIES);
		for (let from = 0; this.size > 0 && from < references.length;) {
			const chunk = references.slice(from, (from += this.chunkSize));
			let first: Set<string> | undefined;
			const known = await this.withLock(async () => {
				// The answer of the first attempt counts: a second one would find what the first recorded. The
				// marks then tell whether another execution has sent one of them meanwhile.
				const before = (first ??= await this.addEntries(chunk));
				for (const reference of chunk)
					if (!before.has(reference)) this.pendingRemovals.add(reference);
				await this.flushRemovals();
				return before;
			}, []);
			for (const reference of known) all.add(reference);
		}
		return all;
	}

	/** Forgets, with the next recording, a reference that was certainly not created. */
	forget(reference: string): void {
		this.pendingRemovals.add(reference);
		this.possiblyOverwritten.delete(reference);
	}

	/**
	 * Writes what is still to be written: removes what is to be forgotten, and records again what another
	 * process may have overwritten. Then drops the oldest references, if there are too many.
	 *
	 * @throws Error when n8n does not store it
	 */
	async flush(): Promise<void> {
		const surplus = Math.max(0, (this.size ?? 0) - this.pendingRemovals.size - MAX_REFERENCES);
		if (
			!this.isAvailable ||
			this.pendingRemovals.size + this.possiblyOverwritten.size + surplus === 0
		)
			return;
		await withWorkflowLock(this.context, async () => {
			await this.flushRemovals();
			if (surplus > 0) await this.recordEntries([], BOUNDED);
		});
		this.dropped += surplus;
	}

	private async withLock(
		work: () => Promise<Set<string>>,
		recorded: string[],
	): Promise<Set<string>> {
		for (let attempt = 1; ; attempt++) {
			try {
				const { value: known, wasExclusive } = await withWorkflowLock(this.context, work);
				// What was known before belongs to the execution that recorded it, which may have forgotten it.
				const own = wasExclusive ? [] : recorded.filter((reference) => !known.has(reference));
				for (const reference of own) this.possiblyOverwritten.add(reference);
				return known;
			} catch (error) {
				if (attempt === ATTEMPTS) return rethrow(error as Error);
				await sleep(RETRY_DELAY_MS * attempt);
			}
		}
	}

	/**
	 * Records doubtful entries again, which ends the doubt, and removes those to be forgotten. What is added
	 * to either while n8n writes is left for the next time.
	 */
	private async flushRemovals(): Promise<void> {
		const doubtful = [...this.possiblyOverwritten];
		if (doubtful.length) await this.recordEntries(doubtful);
		for (const reference of doubtful) this.possiblyOverwritten.delete(reference);

		const unsent = [...this.pendingRemovals];
		if (unsent.length === 0) return;
		// What another execution sent again has marks and must not be forgotten. But asking for a mark makes
		// it, too. If this fails before the mark is taken back, the next attempt asks for the next mark. After
		// the last one, a reference stays remembered although it was not sent: one too many, never one too few.
		const number = Math.min(this.markAttempts++, MARKS - 1);
		const marked = await this.recordEntries(unsent.map((reference) => marksOf(reference)[number]));
		const free = unsent.filter((reference) => !marked.has(marksOf(reference)[number]));
		await this.removeEntries([...free, ...free.flatMap(marksOf)]);
		this.markAttempts = 0;
		if (this.size !== undefined) this.size -= free.length;
		for (const reference of unsent) this.pendingRemovals.delete(reference);
	}

	/**
	 * Records references, and adds those that were not there to the size.
	 *
	 * @returns those that were there
	 */
	private async addEntries(references: string[]): Promise<Set<string>> {
		const known = await this.recordEntries(references);
		this.size = (this.size ?? 0) + references.length - known.size;
		return known;
	}

	private async recordEntries(
		references: string[],
		options: ICheckProcessedOptions = ENTRIES,
	): Promise<Set<string>> {
		this.size ??= await this.context.helpers.getProcessedDataCount(ROW, ENTRIES);
		const entries = new Map(references.map((reference) => [this.entryOf(reference), reference]));
		const { processed } = await this.context.helpers.checkProcessedAndRecord(
			[...entries.keys()],
			ROW,
			options,
		);
		return new Set(processed.flatMap((entry) => entries.get(String(entry)) ?? []));
	}

	private async removeEntries(references: string[]): Promise<void> {
		if (references.length === 0) return;
		const entries = references.map((reference) => this.entryOf(reference));
		await this.context.helpers.removeProcessed(entries, ROW, ENTRIES);
	}

	private entryOf(reference: string): string {
		return `${this.scope} ${reference}`;
	}
}

/** How many marks a reference has: so many times they can be asked for before they must be taken back. */
const MARKS = 3;

/** The marks of a reference that was sent again. No reference has a line break, so none equals a mark. */
function marksOf(reference: string): string[] {
	return Array.from({ length: MARKS }, (_, number) => `again${number || ''}\n${reference}`);
}
