import { createHash } from 'node:crypto';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

/** A payment that this execution sent. */
export interface SentPayment {
	/** As it was sent. */
	reference: string;
	/** Digest of the request, to tell this payment from another one with the same reference. */
	request: string;
	/** Whom it went to and how much: other references for the same have the same. */
	likeness?: string;
	/** The run of the node (a loop has many) and the input item that it was sent for. */
	run: number;
	item: number;
	/** The execution that sent it: "Retry execution" is another one that goes on with the same memory. */
	executionId: string;
	outcome: 'created' | 'unknown';
	/** The service's answer, when it was created. */
	answer?: IDataObject;
}

interface RefusedLogin {
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
	/** The login that the service refused, in the execution that tried it. */
	refusedLogin?: RefusedLogin;
	/** By content of a payment and run: how many items had it. */
	occurrences?: Record<string, Record<string, number>>;
}

/**
 * What this node did in this execution. n8n keeps it through Retry On Fail, through the runs of a loop
 * and through "Retry execution": what was created is given out again, with its answer, instead of paid
 * again. It is gone after a crash, and a second retry of the same execution does not see the first.
 */
export class ExecutionMemory {
	/** Which run of the node this is: 0, unless it is in a loop. */
	readonly run: number;

	private readonly payments: Record<string, SentPayment>;

	private readonly items: Record<string, string>;

	private readonly transactions: Record<string, string>;

	private readonly occurrences: Record<string, Record<string, number>>;

	private readonly stored: Stored;

	/**
	 * @param scope what references belong to, the endpoint: the same reference at another one is
	 *   another payment. In front of every key, it also keeps keys from being names of built-in
	 *   properties.
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

	/** What was sent under a reference, given as its key. */
	get(key: string): SentPayment | undefined {
		return this.payments[this.scoped(key)];
	}

	/** What was sent under another reference to the same recipient, with the same amount. */
	sentLike(likeness: string, key: string): SentPayment | undefined {
		return Object.entries(this.payments).find(
			([at, sent]) =>
				at.startsWith(this.scoped('')) && at !== this.scoped(key) && sent.likeness === likeness,
		)?.[1];
	}

	/** What was sent for an item of this run, under whatever reference. */
	sentFor(item: number): SentPayment | undefined {
		const key = this.items[this.place(item)];
		return key === undefined ? undefined : this.get(key);
	}

	/** The reference, as its key, that a transaction belongs to. */
	ownerOf(transactionId: string): string | undefined {
		return this.transactions[this.scoped(transactionId)];
	}

	/**
	 * Before sending: from here on the outcome is unknown until the service answers, also when n8n
	 * drops the node in between (cancelled, timed out).
	 */
	sending(
		key: string,
		item: number,
		{ reference, body, likeness }: { reference: string; body: IDataObject; likeness?: string },
	): void {
		this.payments[this.scoped(key)] = {
			reference,
			request: digest(body),
			...(likeness !== undefined && { likeness }),
			run: this.run,
			item,
			executionId: this.context.getExecutionId(),
			outcome: 'unknown',
		};
		this.items[this.place(item)] = key;
	}

	created(key: string, transactionId: string, answer: IDataObject): void {
		const payment = this.get(key);
		if (payment) Object.assign(payment, { outcome: 'created', answer });
		this.transactions[this.scoped(transactionId)] = key;
	}

	/** The service said no, or was never reached: the reference is free again. */
	forget(key: string): void {
		const payment = this.get(key);
		if (payment?.run === this.run) delete this.items[this.place(payment.item)];
		delete this.payments[this.scoped(key)];
	}

	/** The service refused the login: a further one in this execution may lock the account. */
	loginRefused(account: string, said: Pick<RefusedLogin, 'code' | 'message'>): void {
		this.stored.refusedLogin = { executionId: this.context.getExecutionId(), account, ...said };
	}

	/** What the service said of the login that it refused in this execution, if it did. */
	refusedLogin(account: string): Pick<RefusedLogin, 'code' | 'message'> | undefined {
		const refused = this.stored.refusedLogin;
		return refused?.account === account && refused.executionId === this.context.getExecutionId()
			? { code: refused.code, message: refused.message }
			: undefined;
	}

	/**
	 * Counts equal payments, on through the runs of a loop: the first is 1.
	 *
	 * @param contents of all items of this run, in their order; undefined where nothing counts
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

	/** A run that is tried again counts anew, after the runs before it. */
	private occurrencesBefore(key: string): number {
		return Object.entries(this.occurrences[key] ?? {})
			.filter(([run]) => Number(run) < this.run)
			.reduce((sum, [, count]) => sum + count, 0);
	}

	private place(item: number): string {
		return this.scoped(`${this.run} ${item}`);
	}

	private scoped(key: string): string {
		return `${this.scope} ${key}`;
	}
}

/** Tells two requests apart. */
export function digest(body: IDataObject): string {
	return createHash('sha256').update(JSON.stringify(body)).digest('base64url');
}
