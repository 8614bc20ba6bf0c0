import { hash } from 'node:crypto';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

/** A payment that this execution sent. */
export interface SentPayment {
	/** As it is sent. */
	reference: string;
	/** Digest of what it moves: payee, account, amount, currency. */
	material: string;
	/** Missing if the amount is unknown. */
	money?: { amount: string; currency: string };
	/** 0 for the payment itself, n for the nth time that a person had it paid again. */
	attempt?: number;
	/** Digest of the request: another one under the same reference is another payment. */
	requestDigest: string;
	/** The run of the node (a loop has many) and the input item that it was sent for. */
	run: number;
	item: number;
	outcome: 'created' | 'unknown';
	/** The service's response, if it was created. */
	answer?: IDataObject;
}

/** A row whose reference was generated, and which an earlier execution had sent. */
type SkippedRow = Pick<SentPayment, 'run' | 'item'>;

/** What n8n stores with the execution, for one endpoint: the same reference at another one is another payment. */
interface Stored {
	/** By idempotency key. */
	payments: Record<string, SentPayment>;
	/** By run and item: the idempotency key that was sent for it. */
	items: Record<string, string>;
	/** By idempotency key: the row that an earlier execution had sent. */
	skipped: Record<string, SkippedRow>;
	/** By transaction ID: the idempotency key that it belongs to. */
	transactions: Record<string, string>;
	/** Whether the node had paid anybody before this execution. */
	hasPaidBefore?: boolean;
	/** What the limiter learnt (`Learnt` in nodes/batch/limiter.ts): all runs of a loop share it. */
	rateLimit?: Partial<Record<'nextStart' | 'interval' | 'limit' | 'usual' | 'growth', number>>;
}

/**
 * What this node sent in this execution. n8n keeps it through Retry On Fail, the runs of a loop
 * (`getContext` in `node-helpers.js` of n8n-workflow) and "Retry execution": a payment that was created is
 * reported again, with its response, instead of paid again.
 *
 * It is lost after a crash and after Stop: n8n then stores the execution as it was at its start, or when it
 * last saved its progress (`stopDuringRun` in `execution.service.js` of n8n). A second retry of the same
 * execution doesn't see what the first one did: both start from what that execution stored (`retry` in the
 * same file).
 */
export class ExecutionState {
	/** The number of this run of the node, from 0. Only a loop has further runs. */
	readonly run: number;

	private readonly stored: Stored;

	constructor(context: IExecuteFunctions, endpoint: string) {
		const none = { payments: {}, items: {}, skipped: {}, transactions: {} };
		this.stored = storedIn(context)[endpoint] ??= none;
		this.run = Number(context.evaluateExpression('{{ $runIndex }}', 0)) || 0;
	}

	/** What the limiter learnt. Whoever changes it changes what is stored. */
	get rateLimit(): NonNullable<Stored['rateLimit']> {
		return (this.stored.rateLimit ??= {});
	}

	/**
	 * Whether the node had paid anybody before this execution, so that what a loop has paid makes nobody else a new payee.
	 *
	 * @param now whether it has by now
	 */
	hasPaidBefore(now: boolean): boolean {
		return (this.stored.hasPaidBefore ??= now);
	}

	/** The payment that was sent under an idempotency key. */
	get(key: string): SentPayment | undefined {
		return this.stored.payments[nameOf(key)];
	}

	/** Call it for a row that an earlier execution had sent: a row with its key in another run is a further one. */
	skip(key: string, item: number): void {
		this.stored.skipped[nameOf(key)] ??= { run: this.run, item };
	}

	/** The row of another run of the loop that was sent under an idempotency key, now or by an earlier execution. */
	rowInOtherRun(key: string): SkippedRow | undefined {
		const row = this.get(key) ?? this.stored.skipped[nameOf(key)];
		return row && row.run < this.run ? row : undefined;
	}

	/** What the other runs of a loop have sent. */
	sentInOtherRuns(): SentPayment[] {
		return Object.values(this.stored.payments).filter(({ run }) => run !== this.run);
	}

	/** The payment for an item of this run, under any reference. */
	sentFor(item: number): SentPayment | undefined {
		const key = this.stored.items[this.position(item)];
		return key === undefined ? undefined : this.get(key);
	}

	/** The idempotency key that a transaction belongs to. */
	ownerOf(transactionId: string): string | undefined {
		return this.stored.transactions[nameOf(transactionId)];
	}

	/**
	 * Call it before sending: from here on the outcome is unknown until the service answers, also if the
	 * execution is stopped or times out.
	 */
	sending(key: string, payment: Omit<SentPayment, 'run' | 'outcome' | 'answer'>): void {
		this.stored.payments[nameOf(key)] = { ...payment, run: this.run, outcome: 'unknown' };
		this.stored.items[this.position(payment.item)] = key;
	}

	created(key: string, transactionId: string, answer: IDataObject): void {
		const payment = this.get(key);
		if (payment) Object.assign(payment, { outcome: 'created', answer });
		this.stored.transactions[nameOf(transactionId)] = key;
	}

	/** Call it if the service rejected the payment or was never reached: the reference can be used again. */
	forget(key: string): void {
		const payment = this.get(key);
		if (payment?.run === this.run) delete this.stored.items[this.position(payment.item)];
		delete this.stored.payments[nameOf(key)];
	}

	private position(item: number): string {
		return `${this.run} ${item}`;
	}
}

/** A name that is none of a built-in property. */
const nameOf = (key: string): string => ` ${key}`;

/** The digest of a request: requests with the same digest are the same. */
export function digest(body: IDataObject): string {
	return hash('sha256', JSON.stringify(body), 'base64url');
}

/** n8n's agents run a tool without execution data (`ephemeral-node-executor.js` of n8n 2.41.1): nothing is stored then. */
function storedIn(context: IExecuteFunctions): Record<string, Stored> {
	try {
		return context.getContext('node') as Record<string, Stored>;
	} catch {
		return {};
	}
}
