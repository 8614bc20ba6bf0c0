import { sleep } from 'n8n-workflow';

import { ProcessedItems } from './processedItems';
import { rethrow, type StateContext } from './workflowLock';

/** How many references a node remembers. Then the oldest are dropped. */
export const MAX_REFERENCES = 100_000;

/** How many references are recorded at once: each call takes longer, the more the node remembers. */
const CHUNK = { usual: 80, max: 400 };
const REFERENCES_PER_CHUNK = MAX_REFERENCES / (CHUNK.max / CHUNK.usual);

/** n8n's database may be busy for a moment. */
const ATTEMPTS = 3;
const RETRY_DELAY_MS = 200;

/**
 * The references that any execution of this node has sent, in n8n's processed items. A copied node, or a
 * node of a copied workflow, starts with an empty store.
 */
export class IdempotencyStore {
	/** How many of the oldest references were dropped because this execution added its own. */
	dropped = 0;

	private readonly items: ProcessedItems;

	private size?: number;

	/** References of this execution that another process may have overwritten, because it wrote at the same time. */
	private possiblyOverwritten = new Set<string>();

	private readonly pendingRemovals = new Set<string>();

	/** How many times markers were asked for without being removed afterwards (see `writePending`). */
	private markerAttempts = 0;

	/**
	 * @param scope what a reference belongs to: account and endpoint. The same reference in another
	 *   scope is another payment.
	 */
	constructor(
		private readonly context: StateContext,
		private readonly scope: string,
	) {
		// No maximum: a running batch must not drop its own references. `flush` trims.
		this.items = new ProcessedItems(context);
	}

	/** Whether n8n stores processed items here. It doesn't for an unsaved workflow, which has no ID. */
	get isAvailable(): boolean {
		return (this.context.getWorkflow().id ?? '') !== '';
	}

	/**
	 * How many references to record at once: 80, and up to 400 if the node remembers very many. If the
	 * process is killed before it sends them, that many count as sent.
	 */
	get chunkSize(): number {
		return CHUNK.usual * Math.max(1, Math.round((this.size ?? 0) / REFERENCES_PER_CHUNK));
	}

	/**
	 * Records references that are about to be sent.
	 *
	 * @returns those that were already sent
	 * @throws Error if n8n doesn't store them
	 */
	async record(references: string[]): Promise<Set<string>> {
		if (!this.isAvailable) return new Set();
		return await this.withRetries(async () => {
			await this.writePending();
			return await this.add(references);
		}, references);
	}

	/**
	 * Records references that are about to be paid again, with markers that keep them. Without a marker,
	 * another execution that recorded one of them first, and did not send it, would remove it.
	 *
	 * @throws Error if n8n doesn't store them
	 */
	async recordAgain(references: string[]): Promise<void> {
		if (!this.isAvailable || references.length === 0) return;
		const both = [...references, ...references.flatMap(markersOf)];
		await this.withRetries(async () => await this.add(both), []);
	}

	/**
	 * Looks references up while nothing is sent yet. Looking up records them, so the new ones are removed.
	 *
	 * @returns those that were already sent
	 * @throws Error if n8n's database fails
	 */
	async lookUp(references: string[]): Promise<Set<string>> {
		const all = new Set<string>();
		if (!this.isAvailable) return all;
		this.size ??= await this.items.count();
		for (let from = 0; this.size > 0 && from < references.length;) {
			const chunk = references.slice(from, (from += this.chunkSize));
			let first: Set<string> | undefined;
			const known = await this.withRetries(async () => {
				// The answer to the first attempt counts: a second one finds what the first recorded. Markers
				// show whether another execution has sent a reference in between.
				const before = (first ??= await this.add(chunk));
				for (const reference of chunk)
					if (!before.has(reference)) this.pendingRemovals.add(reference);
				await this.writePending();
				return before;
			}, []);
			for (const reference of known) all.add(reference);
		}
		return all;
	}

	/** Removes, with the next recording, a reference that was certainly not created. */
	forget(reference: string): void {
		this.pendingRemovals.add(reference);
		this.possiblyOverwritten.delete(reference);
	}

	/**
	 * Writes what is pending, and then drops the oldest references if there are too many.
	 *
	 * @throws Error if n8n doesn't store it
	 */
	async flush(): Promise<void> {
		const surplus = Math.max(0, (this.size ?? 0) - this.pendingRemovals.size - MAX_REFERENCES);
		if (
			!this.isAvailable ||
			this.pendingRemovals.size + this.possiblyOverwritten.size + surplus === 0
		)
			return;
		await this.items.withLock(async () => {
			await this.writePending();
			if (surplus > 0) await this.items.trim(MAX_REFERENCES);
		});
		this.dropped += surplus;
	}

	/** @param recorded the references that the work records, to write them again if they may be overwritten */
	private async withRetries(
		work: () => Promise<Set<string>>,
		recorded: string[],
	): Promise<Set<string>> {
		for (let attempt = 1; ; attempt++) {
			try {
				const { value: known, wasExclusive } = await this.items.withLock(work);
				// A known reference belongs to the execution that recorded it, and that may have removed it.
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
	 * Records again what may have been overwritten, and removes what is to be forgotten. What is added to
	 * either set while n8n writes waits for the next time.
	 */
	private async writePending(): Promise<void> {
		const overwritten = [...this.possiblyOverwritten];
		await this.recordEntries(overwritten);
		for (const reference of overwritten) this.possiblyOverwritten.delete(reference);

		const unsent = [...this.pendingRemovals];
		if (unsent.length === 0) return;
		// A reference that another execution paid again has markers and must stay. But asking for a marker adds
		// it. If this fails before it removes that marker, the next attempt asks for the next one. After the
		// last one, an unsent reference stays recorded: one too many, never one too few.
		const number = Math.min(this.markerAttempts++, MARKERS - 1);
		const marked = await this.recordEntries(
			unsent.map((reference) => markersOf(reference)[number]),
		);
		const free = unsent.filter((reference) => !marked.has(markersOf(reference)[number]));
		await this.items.remove(
			[...free, ...free.flatMap(markersOf)].map((reference) => this.entryOf(reference)),
		);
		this.markerAttempts = 0;
		if (this.size !== undefined) this.size -= free.length;
		for (const reference of unsent) this.pendingRemovals.delete(reference);
	}

	/**
	 * Records references and counts the new ones.
	 *
	 * @returns those that are not new
	 */
	private async add(references: string[]): Promise<Set<string>> {
		const known = await this.recordEntries(references);
		this.size = (this.size ?? 0) + references.length - known.size;
		return known;
	}

	/** @returns the references whose entry is not new */
	private async recordEntries(references: string[]): Promise<Set<string>> {
		this.size ??= await this.items.count();
		const added = await this.items.record(references.map((reference) => this.entryOf(reference)));
		return new Set(references.filter((reference) => !added.has(this.entryOf(reference))));
	}

	private entryOf(reference: string): string {
		return `${this.scope} ${reference}`;
	}
}

/** How many markers a reference has: how many times they can be asked for before they must be removed. */
const MARKERS = 3;

/** The markers of a reference that was paid again. No reference has a line break, so none equals a marker. */
function markersOf(reference: string): string[] {
	return Array.from({ length: MARKERS }, (_, number) => `again${number || ''}\n${reference}`);
}
