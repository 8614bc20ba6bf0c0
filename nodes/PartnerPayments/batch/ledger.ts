import { createHash } from 'node:crypto';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

/** What the ledger knows of a reference. */
export interface LedgerEntry {
	/** Digest of the request, to tell this payment from another one with the same reference. */
	request: string;
	outcome: 'created' | 'unknown';
	/** The service's answer, when it was created. */
	answer?: IDataObject;
}

/**
 * Ledgers of executions that were stopped, by workflow and node. n8n stores a stopped execution as it
 * was before the node ran, so "Retry execution" would start with an empty ledger.
 */
const stopped = new Map<string, Record<string, LedgerEntry>>();

const MOST_STOPPED = 100;

/**
 * What this node did in this execution, by reference. n8n keeps it through Retry On Fail and
 * through "Retry execution", both of which run the node again with all of its items: what was
 * created is given out again instead of paid again.
 */
export class Ledger {
	private readonly entries: Record<string, LedgerEntry>;

	private readonly owner: string;

	constructor(context: IExecuteFunctions) {
		this.owner = `${context.getWorkflow().id} ${context.getNode().name}`;
		const kept = context.getContext('node') as { ledger?: Record<string, LedgerEntry> };
		kept.ledger ??= context.getMode() === 'retry' ? { ...stopped.get(this.owner) } : {};
		this.entries = kept.ledger;
	}

	/** Keeps the entries for a retry, when the execution is stopped. They go with the process. */
	keepForRetry(): void {
		stopped.set(this.owner, { ...stopped.get(this.owner), ...this.entries });
		if (stopped.size > MOST_STOPPED) stopped.delete([...stopped.keys()][0]);
	}

	/** Whether nothing was sent in this execution, as far as is known. */
	get isEmpty(): boolean {
		return Object.keys(this.entries).length === 0;
	}

	get(endpointPath: string, reference: string): LedgerEntry | undefined {
		const key = keyOf(endpointPath, reference);
		return Object.hasOwn(this.entries, key) ? this.entries[key] : undefined;
	}

	/**
	 * Before sending: from here on the outcome is unknown until the service answers, also when n8n
	 * drops the node in between (cancelled, timed out).
	 */
	sending(endpointPath: string, reference: string, body: IDataObject): void {
		this.entries[keyOf(endpointPath, reference)] = {
			request: digest(body),
			outcome: 'unknown',
		};
	}

	created(endpointPath: string, reference: string, answer: IDataObject): void {
		const entry = this.entries[keyOf(endpointPath, reference)];
		entry.outcome = 'created';
		entry.answer = answer;
	}

	/** The service said no, or was never reached: the reference is free again. */
	forget(endpointPath: string, reference: string): void {
		delete this.entries[keyOf(endpointPath, reference)];
	}
}

/** With the path in front, no reference can be the name of a built-in property. */
function keyOf(endpointPath: string, reference: string): string {
	return `${endpointPath} ${reference.toLowerCase()}`;
}

export function digest(body: IDataObject): string {
	return createHash('sha256').update(JSON.stringify(body)).digest('base64url');
}
