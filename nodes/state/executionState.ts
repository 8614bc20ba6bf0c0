import { createHash } from 'node:crypto';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

/** A payment that this execution sent. */
export interface SentPayment {
	/** As it was sent. */
	reference: string;
	/** Digest of the request, to tell this payment from another one with the same reference. */
	requestDigest: string;
	/** Digest of recipient and amount: equal for other references to the same recipient and amount. */
	payeeAndAmount?: string;
	/** The run of the node (a loop has many) and the input item that it was sent for. */
	run: number;
	item: number;
	/** The execution that sent it: "Retry execution" starts another one with the same memory. */
	executionId: string;
	outcome: 'created' | 'unknown';
	/** The service's answer, when it was created. */
	answer?: IDataObject;
}

interface RejectedLogin {
	executionId: string;
	account: string;
	code: string;
	message: string;
}

/** As n8n stores it with the execution. */
interface Stored {
	/** By reference. */
	payments?: Record<string, SentPayment>;
	/** By run and item: the reference that was sent for it. */
	items?: Record<string, string>;
	/** By transaction identifier: the reference that has it. */
	transactions?: Record<string, string>;
	/** The login that the service rejected, in the execution that tried it. */
	rejectedLogin?: RejectedLogin;
	/** By content of a payment and run: how many items had it. */
	occurrences?: Record<string, Record<string, number>>;
}

/**
 * What this node sent in this execution. n8n keeps it through Retry On Fail, through the runs of a loop
 * (`getContext` in `node-helpers.js` of n8n-workflow) and through "Retry execution": what was created is
 * reported again, with its answer, instead of paid again.
 *
 * It is gone after a crash, and also after Stop: n8n then stores the execution as it was when it began,
 * or when it last saved its progress (`stopDuringRun` in `execution.service.js` of n8n). A second retry of
 * the same execution does not see what the first one did: both start from what that execution stored
 * (`retry` in the same file).
 */
export class ExecutionState {
	/** Which run of the node this is: 0, unless it is in a loop. */
	readonly run: number;

	private readonly payments: Record<string, SentPayment>;

	private readonly items: Record<string, string>;

	private readonly transactions: Record<string, string>;

	private readonly occurrences: Record<string, Record<string, number>>;

	private readonly stored: Stored;

	/**
	 * @param scope the endpoint: the same reference at another endpoint is another payment. It comes first
	 *   in every key, so that no key is the name of a built-in property.
	 */
	constructor(
		private readonly context: IExecuteFunctions,
		private readonly scope: string,
	) {
		const stored = context.getContext('node') as Stored;
		this.stored = stored;
		this.payments = stored.payments ??= {};
		this.items = stored.items ??= {};
		this.transactions = stored.transactions ??= {};
		this.occurrences = stored.occurrences ??= {};
		this.run = Number(context.evaluateExpression('{{ $runIndex }}', 0)) || 0;
	}

	/** The payment that was sent under a reference, by its idempotency key. */
	get(key: string): SentPayment | undefined {
		return this.payments[this.scoped(key)];
	}

	/** What was sent under another reference to the same recipient, with the same amount. */
	sentToSamePayee(payeeAndAmount: string, key: string): SentPayment | undefined {
		return Object.entries(this.payments).find(
			([at, sent]) =>
				at.startsWith(this.scoped('')) &&
				at !== this.scoped(key) &&
				sent.payeeAndAmount === payeeAndAmount,
		)?.[1];
	}

	/** What was sent for an item of this run, under whatever reference. */
	sentFor(item: number): SentPayment | undefined {
		const key = this.items[this.position(item)];
		return key === undefined ? undefined : this.get(key);
	}

	/** The key of the reference that a transaction belongs to. */
	ownerOf(transactionId: string): string | undefined {
		return this.transactions[this.scoped(transactionId)];
	}

	/**
	 * Called before sending: from here on the outcome is unknown until the service answers, also when the
	 * execution is stopped or timed out meanwhile.
	 */
	sending(
		key: string,
		item: number,
		{
			reference,
			body,
			payeeAndAmount,
		}: { reference: string; body: IDataObject; payeeAndAmount?: string },
	): void {
		this.payments[this.scoped(key)] = {
			reference,
			requestDigest: digest(body),
			...(payeeAndAmount !== undefined && { payeeAndAmount }),
			run: this.run,
			item,
			executionId: this.context.getExecutionId(),
			outcome: 'unknown',
		};
		this.items[this.position(item)] = key;
	}

	created(key: string, transactionId: string, answer: IDataObject): void {
		const payment = this.get(key);
		if (payment) Object.assign(payment, { outcome: 'created', answer });
		this.transactions[this.scoped(transactionId)] = key;
	}

	/** Called when the service rejected it, or was never reached: the reference can be used again. */
	forget(key: string): void {
		const payment = this.get(key);
		if (payment?.run === this.run) delete this.items[this.position(payment.item)];
		delete this.payments[this.scoped(key)];
	}

	/** Called when the service rejected the login: another one in this execution may lock the account. */
	loginRejected(account: string, said: Pick<RejectedLogin, 'code' | 'message'>): void {
		this.stored.rejectedLogin = { executionId: this.context.getExecutionId(), account, ...said };
	}

	/** The error of a login that the service rejected in this execution, if any. */
	rejectedLogin(account: string): Pick<RejectedLogin, 'code' | 'message'> | undefined {
		const rejected = this.stored.rejectedLogin;
		return rejected?.account === account && rejected.executionId === this.context.getExecutionId()
			? { code: rejected.code, message: rejected.message }
			: undefined;
	}

	/**
	 * Numbers equal payments, and goes on counting through the runs of a loop.
	 *
	 * @param contents of all items of this run, in their order; undefined for an item that is not counted
	 * @returns for each item its number among its equals: 1 for the first; 0 if it is not counted
	 */
	countOccurrences(contents: Array<string | undefined>): number[] {
		const own = new Map<string, { before: number; count: number }>();
		const numbers = contents.map((content) => {
			if (content === undefined) return 0;
			const key = this.scoped(createHash('sha256').update(content).digest('base64url'));
			const seen = own.get(key) ?? { before: this.occurrencesBefore(key), count: 0 };
			seen.count += 1;
			own.set(key, seen);
			return seen.before + seen.count;
		});
		for (const [key, { count }] of own) (this.occurrences[key] ??= {})[this.run] = count;
		return numbers;
	}

	/** How many equal payments the earlier runs had. A run that is retried counts its own afresh. */
	private occurrencesBefore(key: string): number {
		return Object.entries(this.occurrences[key] ?? {})
			.filter(([run]) => Number(run) < this.run)
			.reduce((sum, [, count]) => sum + count, 0);
	}

	private position(item: number): string {
		return this.scoped(`${this.run} ${item}`);
	}

	private scoped(key: string): string {
		return `${this.scope} ${key}`;
	}
}

/** Digest of a request: two requests with the same digest are the same. */
export function digest(body: IDataObject): string {
	return createHash('sha256').update(JSON.stringify(body)).digest('base64url');
}
