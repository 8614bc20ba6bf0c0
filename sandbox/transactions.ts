import { randomUUID } from 'node:crypto';
import { newTransactionHash } from './addresses';
import type { Deliveries } from './deliveries';
import { ServiceError } from './errors';
import type { TransactionStatus } from './schemas';
import type { SandboxSettings } from './settings';
import { now } from './state';
import type { Business, State, Transaction } from './state';

/** What a transaction is made of when it is created. */
export type TransactionDraft = Pick<
	Transaction,
	'type' | 'reference' | 'amount' | 'asset' | 'blockchain' | 'walletId' | 'request'
>;

/** How many transactions there were, and how many of them came with a reference used before. */
export interface TransactionCounters {
	transactionsCreated: number;
	duplicates: number;
}

/** The way a transaction takes when nothing goes wrong; the service's own transitions are not shown. */
const nextStatus: Partial<Record<TransactionStatus, TransactionStatus>> = {
	pending_transaction: 'processing_transaction',
	processing_transaction: 'completed_transaction',
};

const onChain = ['withdrawal_crypto', 'deposit_crypto'];

/**
 * What webhooks are sent (sections 6.1 and 6.2). Payloads of types other than the crypto ones are not
 * shown: theirs have the same shape, with the fiat amount and currency as `amount` and `asset`.
 */
function eventPayload(transaction: Transaction): object {
	const { id, type, reference, status, amount, asset, blockchain, walletId, transactionHash } =
		transaction;
	return {
		...(type !== 'deposit_crypto' && { externalReference: reference }),
		status,
		transactionType: type,
		timestamp: now(),
		details: {
			amount,
			asset,
			blockchain,
			...(transactionHash !== undefined && { transactionHash }),
			message: `Transaction ${id} changed to status ${status}`,
			transactionId: id,
			...(type === 'deposit_crypto' && { walletId }),
		},
	};
}

/** Creates transactions and leads them through their states (section 3.1). */
export class Transactions {
	private counted: TransactionCounters = { transactionsCreated: 0, duplicates: 0 };
	/** Transactions the clock still moves, and when each came to its present state. */
	private readonly moving = new Map<Transaction, number>();
	private clock?: NodeJS.Timeout;

	constructor(
		private readonly state: State,
		private readonly settings: SandboxSettings,
		private readonly deliveries: Deliveries,
	) {
		this.startClock();
	}

	counters(): TransactionCounters {
		return this.counted;
	}

	/** A new transaction in its first state; refuses a reference that the business used before. */
	create(business: Business, draft: TransactionDraft): Transaction {
		if (draft.reference !== null) this.claim(business, draft.reference);

		const createdAt = now();
		const transaction: Transaction = {
			id: randomUUID(),
			business: business.user.email,
			...draft,
			status: 'pending_transaction',
			history: [],
			createdAt,
		};
		this.state.transactions.set(transaction.id, transaction);
		this.counted.transactionsCreated += 1;
		this.enter(transaction, 'pending_transaction');
		return transaction;
	}

	/** Moves a transaction on; tells whether that fired an event. */
	setStatus(transaction: Transaction, status: TransactionStatus, force = false): boolean {
		if (transaction.status === status && !force) return false;
		this.enter(transaction, status);
		return true;
	}

	/** Starts, stops or changes the clock, as the settings say. */
	startClock(): void {
		const { stateClockMs } = this.settings;
		clearInterval(this.clock);
		if (stateClockMs === null) return;
		// One clock for all: ten thousand transactions would be ten thousand timers.
		this.clock = setInterval(() => this.tick(stateClockMs), Math.max(1, stateClockMs / 10));
	}

	stop(): void {
		clearInterval(this.clock);
	}

	reset(): void {
		this.counted = { transactionsCreated: 0, duplicates: 0 };
		this.moving.clear();
		this.startClock();
	}

	private claim({ references }: Business, reference: string): void {
		if (!references.has(reference)) {
			references.add(reference);
			return;
		}
		this.counted.duplicates += 1;
		const { duplicateReferences } = this.settings;
		if (duplicateReferences === 'accept') return;
		throw new ServiceError(
			duplicateReferences === 'conflict' ? 409 : 400,
			`A transaction with reference ${reference} already exists`,
		);
	}

	private enter(transaction: Transaction, status: TransactionStatus): void {
		transaction.status = status;
		transaction.history.push({ status, at: now() });
		if (status === 'completed_transaction' && onChain.includes(transaction.type)) {
			transaction.transactionHash ??= newTransactionHash(transaction.blockchain ?? 'Polygon');
		}
		this.moving.delete(transaction);
		if (nextStatus[status] !== undefined) this.moving.set(transaction, Date.now());
		this.announce(transaction);
	}

	private announce(transaction: Transaction): void {
		const business = this.state.business(transaction.business);
		if (business === undefined) return;
		for (const webhook of business.webhooks.values()) {
			if (webhook.status !== 'ACTIVE' || !webhook.events.includes(transaction.status)) continue;
			this.deliveries.send(business, webhook, eventPayload(transaction));
		}
	}

	private tick(stateClockMs: number): void {
		const due = Date.now() - stateClockMs;
		// In the order of their last move: the first that is not due ends the round.
		for (const [transaction, since] of this.moving) {
			if (since > due) break;
			const status = nextStatus[transaction.status];
			if (status !== undefined) this.enter(transaction, status);
		}
	}
}
