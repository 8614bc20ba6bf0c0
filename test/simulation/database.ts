import type {
	ICheckProcessedContextData,
	ICheckProcessedOptions,
	ICredentialDataDecryptedObject,
	IExecuteFunctions,
	INode,
} from 'n8n-workflow';

import { ProcessedItems } from '../memory/processedItems';
import type { Process } from './process';

type Helpers = Pick<
	IExecuteFunctions['helpers'],
	'checkProcessedAndRecord' | 'removeProcessed' | 'clearAllProcessedItems' | 'getProcessedDataCount'
>;

/** What goes wrong with a call: it was not carried out, or it was and nobody hears of it. */
export type DatabaseFault = 'before' | 'after';

/** n8n's database: one for all processes, which survives them. */
export class Database {
	/** The table of processed items. */
	readonly rows: ProcessedItems['rows'] = new Map();

	/**
	 * @param credential as it is stored, with the newest token
	 * @param nextLatency for one query after the other, in milliseconds
	 * @param nextFault for one call after the other
	 */
	constructor(
		readonly workflow: { id: string; active: boolean },
		public credential: ICredentialDataDecryptedObject,
		public nextLatency: () => number,
		public nextFault: () => DatabaseFault | undefined,
	) {}

	/** A moment in which a process waits for a query. */
	async query(process: Process): Promise<void> {
		await process.pause(this.nextLatency());
	}

	/** n8n's memory of processed items, as a node in a process has it. */
	helpersOf(process: Process, node: INode, workflow = this.workflow): Helpers {
		const items = new ProcessedItems(async () => await this.query(process));
		Object.defineProperty(items, 'rows', { value: this.rows });
		const data: ICheckProcessedContextData = { workflow, node };
		const call = async <T>(work: () => Promise<T>): Promise<T> => {
			const fault = this.nextFault();
			if (fault === 'before') {
				await this.query(process);
				throw new Error('SQLITE_BUSY: database is locked');
			}
			const value = await work();
			if (fault === 'after') throw new Error('Connection terminated unexpectedly');
			return value;
		};
		return {
			checkProcessedAndRecord: async (entries, scope, options: ICheckProcessedOptions) =>
				await call(async () => await items.checkProcessedAndRecord(entries, scope, data, options)),
			removeProcessed: async (entries, scope) =>
				await call(async () => await items.removeProcessed(entries, scope, data)),
			clearAllProcessedItems: async (scope) =>
				await call(async () => await items.clearAllProcessedItems(scope, data)),
			getProcessedDataCount: async (scope, options: ICheckProcessedOptions) =>
				await call(async () => await items.getProcessedDataCount(scope, data, options)),
		};
	}
}
