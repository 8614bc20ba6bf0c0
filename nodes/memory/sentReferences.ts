import type { ICheckProcessedOptions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { ENTRIES, takeTurn, type MemoryContext } from './turn';

/** So many references a node remembers; n8n then forgets the oldest ones first. */
export const MAX_REFERENCES = 100_000;

/** Only at the end of a batch: while it runs, its own references must not be forgotten. */
const BOUNDED: ICheckProcessedOptions = { ...ENTRIES, maxEntries: MAX_REFERENCES };

const ROW = 'node';

/** n8n reads and writes all it remembers at once: the more that is, the fewer such writings are good. */
const CHUNK = { usual: 80, max: 400 };
const REFERENCES_PER_CHUNK = MAX_REFERENCES / (CHUNK.max / CHUNK.usual);

/** n8n's database may be busy for a moment. */
const ATTEMPTS = 3;
const PAUSE_MS = 200;

/**
 * The references that any execution of this node has sent, in n8n's memory of processed items. It
 * survives crashes, cancelled executions and restarts, and all executions of the node share it. A
 * copied node, or a copied workflow, has a memory of its own.
 *
 * Of an entry can only be asked whether it is there, and asking records it.
 */
export class SentReferences {
	/** How many of the oldest references this execution made n8n forget. */
	dropped = 0;

	private size?: number;

	/** Recorded by this execution while another process may have written, too. */
	private doubtful = new Set<string>();

	private readonly toForget = new Set<string>();

	/** Questions for marks that were not taken back. */
	private questions = 0;

	/**
	 * @param scope what a reference belongs to: account and endpoint. The same reference in another
	 *   scope is another payment.
	 */
	constructor(
		private readonly context: MemoryContext,
		private readonly scope: string,
	) {}

	/** Whether n8n keeps a memory here; it has none for a workflow that was not saved. */
	get isAvailable(): boolean {
		return (this.context.getWorkflow().id ?? '') !== '';
	}

	/**
	 * How many references to record at once. So many are in doubt when the process is killed before they
	 * are sent: 80, and up to 400 when the node remembers very many.
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
		return await this.inTurn(async () => {
			await this.forgetNow();
			return await this.addNow(references);
		}, references);
	}

	/**
	 * Records references that are about to be sent once more, because a person said so. Nobody forgets them
	 * from then on: another execution that had recorded one for itself, and has not sent it, does not know
	 * that this one did.
	 *
	 * @throws Error when n8n does not store them
	 */
	async recordAgain(references: string[]): Promise<void> {
		if (!this.isAvailable || references.length === 0) return;
		const both = [...references, ...references.flatMap(marksOf)];
		await this.inTurn(async () => await this.addNow(both), []);
	}

	/**
	 * Asks without recording, as long as nothing is sent: what was not known is forgotten again.
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
			const known = await this.inTurn(async () => {
				// At a second attempt, what the first one recorded is there, and another execution may have sent it.
				const before = (first ??= await this.addNow(chunk));
				for (const reference of chunk) if (!before.has(reference)) this.toForget.add(reference);
				await this.forgetNow();
				return before;
			}, []);
			for (const reference of known) all.add(reference);
		}
		return all;
	}

	/** Forgets a reference of which it is certain that it was not created, with the next recording. */
	forget(reference: string): void {
		this.toForget.add(reference);
		this.doubtful.delete(reference);
	}

	/**
	 * Writes down what is still to be written: what is to be forgotten, and what another process may
	 * have overwritten. Then the oldest references are dropped, if there are too many.
	 */
	async settle(): Promise<void> {
		const surplus = Math.max(0, (this.size ?? 0) - this.toForget.size - MAX_REFERENCES);
		if (!this.isAvailable || this.toForget.size + this.doubtful.size + surplus === 0) return;
		await takeTurn(this.context, async () => {
			await this.forgetNow();
			if (surplus > 0) await this.recordNow([], BOUNDED);
		});
		this.dropped += surplus;
	}

	private async inTurn(work: () => Promise<Set<string>>, recorded: string[]): Promise<Set<string>> {
		for (let attempt = 1; ; attempt++) {
			try {
				const { value: known, wasAlone } = await takeTurn(this.context, work);
				// What was known is for whoever recorded it, and may have forgotten it since.
				const own = wasAlone ? [] : recorded.filter((reference) => !known.has(reference));
				for (const reference of own) this.doubtful.add(reference);
				return known;
			} catch (error) {
				if (attempt === ATTEMPTS) return rethrow(error as Error);
				await sleep(PAUSE_MS * attempt);
			}
		}
	}

	/**
	 * Both in one turn. Doubtful entries are recorded again, and stay doubtful for no longer. What is added
	 * while n8n writes is for the next time.
	 */
	private async forgetNow(): Promise<void> {
		const doubtful = [...this.doubtful];
		if (doubtful.length) await this.recordNow(doubtful);
		for (const reference of doubtful) this.doubtful.delete(reference);

		const unsent = [...this.toForget];
		if (unsent.length === 0) return;
		// To ask for the mark of what another execution sent again makes it, too. What fails before that is
		// taken back asks for the next mark; after the last one, what was made here stays remembered.
		const number = Math.min(this.questions++, MARKS - 1);
		const marked = await this.recordNow(unsent.map((reference) => marksOf(reference)[number]));
		const free = unsent.filter((reference) => !marked.has(marksOf(reference)[number]));
		await this.removeNow([...free, ...free.flatMap(marksOf)]);
		this.questions = 0;
		if (this.size !== undefined) this.size -= free.length;
		for (const reference of unsent) this.toForget.delete(reference);
	}

	/** Records, and counts what was not there. */
	private async addNow(references: string[]): Promise<Set<string>> {
		const known = await this.recordNow(references);
		this.size = (this.size ?? 0) + references.length - known.size;
		return known;
	}

	private async recordNow(
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

	private async removeNow(references: string[]): Promise<void> {
		if (references.length === 0) return;
		const entries = references.map((reference) => this.entryOf(reference));
		await this.context.helpers.removeProcessed(entries, ROW, ENTRIES);
	}

	private entryOf(reference: string): string {
		return `${this.scope} ${reference}`;
	}
}

/** So often the marks of a reference can be asked for, before what asked must be taken back. */
const MARKS = 3;

/** Stand for a reference that was sent again. No reference has a line break. */
function marksOf(reference: string): string[] {
	return Array.from({ length: MARKS }, (_, number) => `again${number || ''}\n${reference}`);
}

function rethrow(error: Error): never {
	throw error;
}
