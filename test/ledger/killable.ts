import { ProcessedItems as Table } from '../simulation/processedItems';
import { ProcessedItems } from '../../nodes/ledger/processedItems';

const DATA = { workflow: { id: 'workflow', active: true }, node: { id: 'node' } } as never;

/** What a killed process throws here, because it must do nothing any more. */
class Killed extends Error {}

/** The processed items of a node, for processes that can be killed at any query. */
export class KillableItems {
	/** The entries, which survive the processes. */
	private readonly rows: Table['rows'] = new Map();

	/** The calls of the newest process. */
	calls: string[] = [];

	/** The entries, oldest first. */
	get entries(): string[] {
		return this.rows.get('workflow n:node')?.data ?? [];
	}

	set entries(data: string[]) {
		this.rows.set('workflow n:node', { mode: 'entries', data });
	}

	/** @param queries how many queries of n8n's database the process makes before it is killed */
	newProcess(queries = Infinity): ProcessedItems {
		let left = queries;
		const table = new Table(async () => {
			if (left-- <= 0) throw new Killed();
		});
		Object.defineProperty(table, 'rows', { value: this.rows });
		this.calls = table.calls;
		const helpers = {
			checkProcessedAndRecord: async (items: never, scope: never, options: never) =>
				await table.checkProcessedAndRecord(items, scope, DATA, options),
			removeProcessed: async (items: never, scope: never) =>
				await table.removeProcessed(items, scope, DATA),
		};
		return new ProcessedItems({ helpers } as never);
	}

	/**
	 * Does work in a process that may be killed.
	 *
	 * @returns whether it lived to the end
	 */
	async run(queries: number, work: (items: ProcessedItems) => Promise<unknown>): Promise<boolean> {
		return await work(this.newProcess(queries)).then(
			() => true,
			async (error: unknown) =>
				error instanceof Killed ? false : await Promise.reject(error as Error),
		);
	}
}
