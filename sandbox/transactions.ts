/* eslint-disable @n8n/community-nodes/no-restricted-globals -- runs outside n8n */
import { randomUUID } from 'node:crypto';
import { newTransactionHash } from './addresses';
import type { Clock } from './clock';
import type { Lifecycles, Step } from './lifecycles';
import type { Deliveries } from './deliveries';
import { ServiceError } from './errors';
import type { TransactionStatus } from './schemas';
import { fromUnits, toUnits } from './money';
import type { SandboxSettings } from './settings';
import type { Business, State, Transaction } from './state';

/** The values of a new transaction. */
export type TransactionDraft = Pick<
	Transaction,
	'type' | 'reference' | 'amount' | 'asset' | 'blockchain' | 'walletId' | 'funding' | 'request'
>;

/** Transaction counts. A duplicate has a reference that was used before. */
export interface TransactionCounters {
	transactionsCreated: number;
	duplicates: number;
}

/** The progress of a transaction through its lifecycle. */
interface Progress {
	/** When it entered its current state, in milliseconds since 1970. */
	since: number;
	/** The remaining steps. */
	steps: Step[];
	/** Events to send at the end, the newest first. */
	deferred: Event[];
}

interface Event extends Record<string, unknown> {
	status: TransactionStatus;
}

/** The default lifecycle after each state. The service's transitions are not documented. */
const defaultSteps: Partial<Record<TransactionStatus, Step[]>> = {
	pending_transaction: [{ status: 'processing_transaction' }, { status: 'completed_transaction' }],
	processing_transaction: [{ status: 'completed_transaction' }],
};

/** The decimals of a crypto payout (section 8). */
const fundingPlaces = 8;

const onChain = ['withdrawal_crypto', 'deposit_crypto'];

/** The interval at which lifecycles advance, unless the state clock is faster. */
const lifecycleClockMs = 100;

/**
 * The payload of an event (sections 6.1 and 6.2). Only the crypto types are documented: the
 * others have the same form, with the fiat amount and currency as `amount` and `asset`.
 */
function eventPayload(transaction: Transaction, timestamp: string): Event {
	const { id, type, reference, status, amount, asset, blockchain, walletId, transactionHash } =
		transaction;
	return {
		...(type !== 'deposit_crypto' && { externalReference: reference }),
		status,
		transactionType: type,
		timestamp,
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

/** The parts of the sandbox that transactions need. */
interface Dependencies {
	state: State;
	settings: SandboxSettings;
	clock: Clock;
	lifecycles: Lifecycles;
	deliveries: Deliveries;
}

/** Creates transactions and moves them through their states (section 3.1). */
export class Transactions {
	private counted: TransactionCounters = { transactionsCreated: 0, duplicates: 0 };
	private readonly moving = new Map<Transaction, Progress>();
	/** Payouts by conversion, by their deposit address. */
	private readonly byAddress = new Map<string, Transaction>();
	private timer?: NodeJS.Timeout;

	constructor(private readonly core: Dependencies) {
		this.startClock();
	}

	counters(): TransactionCounters {
		return this.counted;
	}

	/** Creates a transaction in its first state. Rejects a reference that the business used before. */
	create(business: Business, draft: TransactionDraft): Transaction {
		if (draft.reference !== null) this.claim(business, draft.reference);

		const transaction: Transaction = {
			id: randomUUID(),
			business: business.user.email,
			...draft,
			status: 'pending_transaction',
			history: [],
			createdAt: this.core.clock.text(),
		};
		this.core.state.transactions.set(transaction.id, transaction);
		this.counted.transactionsCreated += 1;
		this.enter(
			transaction,
			{ status: 'pending_transaction' },
			this.core.lifecycles.of(transaction) ?? this.waiting(transaction),
		);
		if (transaction.funding) this.byAddress.set(transaction.funding.address, transaction);
		return transaction;
	}

	/** Sets the status of a transaction, which ends its lifecycle. Returns whether that sent an event. */
	setStatus(transaction: Transaction, status: TransactionStatus, force = false): boolean {
		if (transaction.status === status && !force) return false;
		const deferred = this.moving.get(transaction)?.deferred ?? [];
		this.enter(transaction, { status });
		for (const event of deferred) this.announce(transaction, event);
		return true;
	}

	/**
	 * Advances the clock at once. Every state that is due by then is entered in order and at its own
	 * time. Overdue states, such as after a faster state clock, are due now.
	 *
	 * @returns the number of states entered
	 */
	advance(ms: number): number {
		const { clock } = this.core;
		const due = this.dueBetween(clock.now(), clock.now() + ms);
		for (const { transaction, at } of due) clock.at(at, () => this.enterNext(transaction));
		clock.advance(ms);
		return due.length;
	}

	/** Starts, stops or changes the timer, depending on the settings and the lifecycle rules. */
	startClock(): void {
		const { settings, lifecycles } = this.core;
		clearInterval(this.timer);
		const interval = Math.min(
			settings.stateClockMs === null ? Infinity : settings.stateClockMs / 10,
			lifecycles.isEmpty ? Infinity : lifecycleClockMs,
		);
		if (interval === Infinity) return;
		// One timer for all: ten thousand transactions would need ten thousand timers.
		this.timer = setInterval(() => this.advance(0), Math.max(1, interval));
	}

	stop(): void {
		clearInterval(this.timer);
	}

	reset(): void {
		this.counted = { transactionsCreated: 0, duplicates: 0 };
		this.moving.clear();
		this.byAddress.clear();
		this.startClock();
	}

	private claim({ references }: Business, reference: string): void {
		if (!references.has(reference)) {
			references.add(reference);
			return;
		}
		this.counted.duplicates += 1;
		const { duplicateReferences } = this.core.settings;
		if (duplicateReferences === 'accept') return;
		throw new ServiceError(
			duplicateReferences === 'conflict' ? 409 : 400,
			`A transaction with reference ${reference} already exists`,
		);
	}

	private enter(
		transaction: Transaction,
		{ status, eventLast = false }: Step,
		steps: Step[] = defaultSteps[status] ?? [],
		deferredBefore: Event[] = [],
	): void {
		const since = this.core.clock.now();
		const at = new Date(since).toISOString();
		transaction.status = status;
		transaction.history.push({ status, at });
		if (status === 'completed_transaction' && onChain.includes(transaction.type)) {
			transaction.transactionHash ??= newTransactionHash(transaction.blockchain ?? 'Polygon');
		}
		if (status === 'completed_transaction' && transaction.type === 'withdrawal_crypto')
			this.fund(transaction);
		const event = eventPayload(transaction, at);
		const deferred = eventLast ? [event, ...deferredBefore] : deferredBefore;
		if (!eventLast) this.announce(transaction, event);
		this.moving.delete(transaction);
		if (steps.length > 0) this.moving.set(transaction, { since, steps, deferred });
		else for (const late of deferred) this.announce(transaction, late);
	}

	/** The steps of a payout that waits for crypto; undefined for another one. */
	private waiting({ funding }: Transaction): Step[] | undefined {
		const { waitForFunding, fundingExpiresMs } = this.core.settings;
		if (!waitForFunding || !funding) return undefined;
		return fundingExpiresMs === null
			? []
			: [{ status: 'expired_transaction', afterMs: fundingExpiresMs }];
	}

	/**
	 * A crypto payout has arrived at an address. If a payout waits there for this asset, and has enough, it moves on.
	 * What comes too late, or is another asset, moves nothing.
	 */
	private fund({ request, asset, blockchain, amount = '0' }: Transaction): void {
		const { destinationWallet } = request as { destinationWallet?: string };
		const payout = this.byAddress.get(String(destinationWallet));
		const { funding } = payout ?? {};
		if (!payout || !funding) return;
		if (funding.asset !== asset || funding.blockchain !== blockchain) return;
		const received = toUnits(funding.received, fundingPlaces) + toUnits(amount, fundingPlaces);
		funding.received = fromUnits(received, fundingPlaces);
		const isEnough = received >= toUnits(funding.amount, fundingPlaces);
		if (this.core.settings.waitForFunding && isEnough && payout.status === 'pending_transaction')
			this.enter(payout, { status: 'processing_transaction' });
	}

	private enterNext(transaction: Transaction): void {
		const progress = this.moving.get(transaction);
		if (progress === undefined) return;
		const [step, ...steps] = progress.steps;
		this.enter(transaction, step, steps, progress.deferred);
	}

	/** In order of time. A transaction appears once for each step that is due. */
	private dueBetween(start: number, end: number): Array<{ transaction: Transaction; at: number }> {
		const defaultMs = this.core.settings.stateClockMs ?? Infinity;
		const due: Array<{ transaction: Transaction; at: number }> = [];
		for (const [transaction, { since, steps }] of this.moving) {
			let at = since;
			for (const { afterMs = defaultMs } of steps) {
				at = Math.max(at + afterMs, start);
				if (at > end) break;
				due.push({ transaction, at });
			}
		}
		return due.sort((one, other) => one.at - other.at);
	}

	private announce(transaction: Transaction, event: Event): void {
		const business = this.core.state.business(transaction.business);
		if (business === undefined) return;
		for (const webhook of business.webhooks.values()) {
			if (webhook.status !== 'ACTIVE' || !webhook.events.includes(event.status)) continue;
			this.core.deliveries.send(business, webhook, event);
		}
	}
}
