import { createHash } from 'node:crypto';
import type {
	DeduplicationItemTypes,
	DeduplicationScope,
	ICheckProcessedContextData,
	ICheckProcessedOptions,
	IDataDeduplicator,
	IDeduplicationOutput,
} from 'n8n-workflow';

/** The kinds of queries. */
export type Verb = 'SELECT' | 'INSERT' | 'UPDATE' | 'DELETE';

/** A row of n8n's table of processed items. */
interface StoredRow {
	mode: string;
	data: string[];
}

/** Nodes recognize n8n's error by the name of its class. */
class DeduplicationError extends Error {}

/**
 * n8n's processed items (`deduplication-helper.ts` in the n8n package) with their table in memory. Every call reads a
 * row and writes the whole row back, in two steps. Only the creation of a row fails if another call has created it
 * meanwhile. A row that was created is read once more.
 */
export class ProcessedItems implements IDataDeduplicator {
	/** The rows by workflow and context. The context is empty for the row of the workflow. */
	readonly rows = new Map<string, StoredRow>();

	/** The calls in their order. */
	readonly calls: string[] = [];

	/** @param query is awaited before each query of the database is carried out */
	constructor(
		private readonly query: (
			verb: Verb,
			scope: DeduplicationScope,
		) => Promise<void> = async () => {},
	) {}

	async checkProcessedAndRecord(
		items: DeduplicationItemTypes[],
		scope: DeduplicationScope,
		data: ICheckProcessedContextData,
		{ mode, maxEntries }: ICheckProcessedOptions,
	): Promise<IDeduplicationOutput> {
		this.calls.push(`record ${items.length} in ${scope}`);
		const key = keyOf(scope, data);
		const row = await this.read(key, scope);
		if (row && row.mode !== mode) throw new DeduplicationError('The row has another mode');
		// A row that holds no list of entries is answered with nothing, and stays as it is.
		if (row && !Array.isArray(row.data)) return { new: [], processed: [] };
		// A set of what is asked, not of the row: a row may have 250,000 entries.
		const asked = new Set(items.map(hash));
		const known = new Set(row?.data.filter((entry) => asked.has(entry)));
		const isNew = (item: DeduplicationItemTypes) => !known.has(hash(item));
		const output = {
			new: items.filter(isNew),
			processed: items.filter((item) => !isNew(item)),
		};
		const entries = (row?.data ?? []).concat(output.new.map(hash));
		const isFull = maxEntries !== undefined && entries.length > maxEntries;
		const kept = isFull ? entries.slice(-maxEntries) : entries;
		// The other modes keep the last value only, which is no list.
		const stored = { mode, data: mode === 'entries' ? kept : String(items.at(-1)) } as StoredRow;
		if (row) await this.update(key, scope, stored);
		else await this.insert(key, scope, stored);
		return output;
	}

	async removeProcessed(
		items: DeduplicationItemTypes[],
		scope: DeduplicationScope,
		data: ICheckProcessedContextData,
	): Promise<void> {
		this.calls.push(`remove ${items.length} in ${scope}`);
		const key = keyOf(scope, data);
		const row = await this.read(key, scope);
		if (!row || !Array.isArray(row.data)) return;
		// The first entry of each item.
		const removed = new Map<string, number>();
		for (const item of items) removed.set(hash(item), (removed.get(hash(item)) ?? 0) + 1);
		const kept = row.data.filter((entry) => {
			const left = removed.get(entry) ?? 0;
			if (left > 0) removed.set(entry, left - 1);
			return left === 0;
		});
		await this.update(key, scope, { ...row, data: kept });
	}

	async clearAllProcessedItems(
		scope: DeduplicationScope,
		data: ICheckProcessedContextData,
	): Promise<void> {
		this.calls.push(`clear ${scope}`);
		await this.query('DELETE', scope);
		this.rows.delete(keyOf(scope, data));
	}

	async getProcessedDataCount(
		scope: DeduplicationScope,
		data: ICheckProcessedContextData,
		{ mode }: ICheckProcessedOptions,
	): Promise<number> {
		this.calls.push(`count ${scope}`);
		const row = await this.read(keyOf(scope, data), scope);
		return mode === 'entries' && Array.isArray(row?.data) ? row.data.length : 0;
	}

	private async read(key: string, scope: DeduplicationScope): Promise<StoredRow | undefined> {
		await this.query('SELECT', scope);
		const row = this.rows.get(key);
		return row && (Array.isArray(row.data) ? { ...row, data: [...row.data] } : row);
	}

	private async insert(key: string, scope: DeduplicationScope, row: StoredRow): Promise<void> {
		await this.query('INSERT', scope);
		if (this.rows.has(key)) throw new Error('UNIQUE constraint failed');
		this.rows.set(key, row);
		await this.query('SELECT', scope);
	}

	/** Changes nothing if the row no longer exists. */
	private async update(key: string, scope: DeduplicationScope, row: StoredRow): Promise<void> {
		await this.query('UPDATE', scope);
		if (this.rows.has(key)) this.rows.set(key, row);
	}
}

function keyOf(scope: DeduplicationScope, { workflow, node }: ICheckProcessedContextData): string {
	if (!workflow.id) throw new Error('The workflow has no ID');
	return `${workflow.id} ${scope === 'node' ? `n:${node?.id}` : ''}`;
}

/** The hashes of the newest items, because many tests use the same items. */
const hashes = new Map<DeduplicationItemTypes, string>();

/** How n8n stores an item. */
export function hash(item: DeduplicationItemTypes): string {
	const known = hashes.get(item);
	if (known !== undefined) return known;
	if (hashes.size > 100_000) hashes.clear();
	const made = createHash('md5').update(String(item)).digest('base64');
	hashes.set(item, made);
	return made;
}
