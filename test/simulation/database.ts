import type {
	ICheckProcessedContextData,
	ICheckProcessedOptions,
	ICredentialDataDecryptedObject,
	IDataObject,
	IExecuteFunctions,
	INode,
} from 'n8n-workflow';

import { ProcessedItems } from './processedItems';
import type { Process } from './process';

type Helpers = Pick<
	IExecuteFunctions['helpers'],
	'checkProcessedAndRecord' | 'removeProcessed' | 'clearAllProcessedItems' | 'getProcessedDataCount'
>;

/** The fault of a call: it fails before it has changed anything, or after it has. */
export type DatabaseFault = 'before' | 'after';

/** n8n's database. All processes share it, and it survives them. */
export class Database {
	/** The table of processed items. */
	readonly rows: ProcessedItems['rows'] = new Map();

	/**
	 * @param credential as it is stored, with its newest token
	 * @param nextLatency gives the milliseconds of the next query
	 * @param nextFault gives the fault of the next call
	 */
	constructor(
		readonly workflow: { id: string; active: boolean },
		public credential: ICredentialDataDecryptedObject,
		public nextLatency: () => number,
		public nextFault: () => DatabaseFault | undefined,
	) {}

	/** Called before each query that concerns processed items or the token. */
	onStatement?: (statement: string) => void;

	/** Lets a process wait for a query. */
	async query(process: Process): Promise<void> {
		await process.pause(this.nextLatency());
	}

	/** The stored credential of a node. */
	credentialOf: (node: INode) => ICredentialDataDecryptedObject = () => this.credential;

	/** The credential of a node as it is now. */
	async readCredential(process: Process, node: INode): Promise<ICredentialDataDecryptedObject> {
		await this.query(process);
		return { ...this.credentialOf(node) };
	}

	/** Saves the token of a login, as n8n does with the result of `preAuthentication`. */
	async saveToken(process: Process, node: INode, token: IDataObject): Promise<void> {
		this.onStatement?.('UPDATE the credential');
		await this.query(process);
		Object.assign(this.credentialOf(node), token);
	}

	/** n8n's helpers for processed items, as a node in a process has them. */
	helpersOf(process: Process, node: INode, workflow = this.workflow): Helpers {
		const items = new ProcessedItems(async (verb, scope) => {
			// A call to n8n's database passes through some promises first.
			await Promise.resolve();
			this.onStatement?.(`${verb} processed items of the ${scope}`);
			await this.query(process);
		});
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
