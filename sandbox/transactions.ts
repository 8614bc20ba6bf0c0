/* eslint-disable @n8n/community-nodes/no-restricted-globals -- runs beside n8n, not in it */
import { randomUUID } from 'node:crypto';
import { newTransactionHash } from './addresses';
import type { Clock } from './clock';
import type { Courses, Step } from './courses';
import type { Deliveries } from './deliveries';
import { ServiceError } from './errors';
import type { TransactionStatus } from './schemas';
import type { SandboxSettings } from './settings';
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

/** A transaction that is to go on by itself. */
interface Way {
	/** When it came to its present state, in milliseconds since 1970. */
	since: number;
	/** What is still to come. */
	steps: Step[];
	/** Events to be sent at the end, the newest first. */
	kept: Event[];
}

interface Event extends Record<string, unknown> {
	status: TransactionStatus;
}

/** What comes after a state when nothing goes wrong; the service's own transitions are not shown. */
const usualSteps: Partial<Record<TransactionStatus, Step[]>> = {
	pending_transaction: [{ status: 'processing_transaction' }, { status: 'completed_transaction' }],
	processing_transaction: [{ status: 'completed_transaction' }],
};

const onChain = ['withdrawal_crypto', 'deposit_crypto'];

/** How often courses are looked after, where no state clock is faster. */
const coursesClockMs = 100;

/**
 * What webhooks are sent (sections 6.1 and 6.2). Payloads of types other than the crypto ones are not
 * shown: theirs have the same shape, with the fiat amount and currency as `amount` and `asset`.
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

/** What they need of the sandbox. */
interface Surroundings {
	state: State;
	settings: SandboxSettings;
	clock: Clock;
	courses: Courses;
	deliveries: Deliveries;
}

/** Creates transactions and leads them through their states (section 3.1). */
export class Transactions {
	private counted: TransactionCounters = { transactionsCreated: 0, duplicates: 0 };
	private readonly moving = new Map<Transaction, Way>();
	private timer?: NodeJS.Timeout;

	constructor(private readonly core: Surroundings) {
		this.startClock();
	}

	counters(): TransactionCounters {
		return this.counted;
	}

	/** A new transaction in its first state; refuses a reference that the business used before. */
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
		this.enter(transaction, { status: 'pending_transaction' }, this.core.courses.of(transaction));
		return transaction;
	}

	/** Moves a transaction on, off its course if it has one; tells whether that fired an event. */
	setStatus(transaction: Transaction, status: TransactionStatus, force = false): boolean {
		if (transaction.status === status && !force) return false;
		const kept = this.moving.get(transaction)?.kept ?? [];
		this.enter(transaction, { status });
		for (const event of kept) this.announce(transaction, event);
		return true;
	}

	/**
	 * Lets time pass at once: every state that is due until then is entered in its turn and at its own
	 * time. What is overdue, as after a faster state clock, is due now.
	 *
	 * @returns how many states were entered
	 */
	advance(ms: number): number {
		const { clock } = this.core;
		const due = this.dueBetween(clock.now(), clock.now() + ms);
		for (const { transaction, at } of due) clock.at(at, () => this.goOn(transaction));
		clock.advance(ms);
		return due.length;
	}

	/** Starts, stops or changes the clock, as the settings and the courses say. */
	startClock(): void {
		const { settings, courses } = this.core;
		clearInterval(this.timer);
		const pace = Math.min(
			settings.stateClockMs === null ? Infinity : settings.stateClockMs / 10,
			courses.areNone ? Infinity : coursesClockMs,
		);
		if (pace === Infinity) return;
		// One clock for all: ten thousand transactions would be ten thousand timers.
		this.timer = setInterval(() => this.advance(0), Math.max(1, pace));
	}

	stop(): void {
		clearInterval(this.timer);
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
		steps: Step[] = usualSteps[status] ?? [],
		keptBefore: Event[] = [],
	): void {
		const since = this.core.clock.now();
		const at = new Date(since).toISOString();
		transaction.status = status;
		transaction.history.push({ status, at });
		if (status === 'completed_transaction' && onChain.includes(transaction.type)) {
			transaction.transactionHash ??= newTransactionHash(transaction.blockchain ?? 'Polygon');
		}
		const event = eventPayload(transaction, at);
		const kept = eventLast ? [event, ...keptBefore] : keptBefore;
		if (!eventLast) this.announce(transaction, event);
		this.moving.delete(transaction);
		if (steps.length > 0) this.moving.set(transaction, { since, steps, kept });
		else for (const late of kept) this.announce(transaction, late);
	}

	private goOn(transaction: Transaction): void {
		const way = this.moving.get(transaction);
		if (way === undefined) return;
		const [step, ...steps] = way.steps;
		this.enter(transaction, step, steps, way.kept);
	}

	/** In the order of time. A transaction is in it as often as it has steps until then. */
	private dueBetween(start: number, end: number): Array<{ transaction: Transaction; at: number }> {
		const usualMs = this.core.settings.stateClockMs ?? Infinity;
		const due: Array<{ transaction: Transaction; at: number }> = [];
		for (const [transaction, { since, steps }] of this.moving) {
			let at = since;
			for (const { afterMs = usualMs } of steps) {
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
