import type { ValidationError } from '../fields/validateFields';
import type { SentPayment } from '../ledger/executionState';
import type { Intent, Known } from '../ledger/ledger';
import type { Transaction } from '../logs/transactions';
import type { Words } from '../messages/userMessage';
import type { PaymentResult, Row } from './payment';
import type { Money } from './totals';

/** What is known of a row, from everywhere. `decide` needs nothing else. */
export interface Facts {
	readonly row: Row;
	/** What is wrong with it: as it was read, as the service says, and by the options. */
	readonly errors: ValidationError[];
	/** Missing if the amount is unknown. */
	readonly money?: Money;
	/** What this execution has sent, for the item or under its reference. */
	readonly sentHere?: { sent: SentPayment; as: SentAs };
	/** What it leaves in the ledger. Missing until it is needed: its digests take time. */
	intent?: Intent;
	/** What earlier executions of this node have recorded. Missing until it is asked. */
	ledger?: Known;
	/** The transaction that the delivery logs have of its reference, one that has not failed if there is any. */
	logged?: Transaction;
	/** How many they have: each attempt makes one at most. */
	loggedCount?: number;
	/** When the attempt of the ledger was recorded, if that was asked and is known: the start of the UTC day. */
	claimedAt?: number;
	/** The attempt of the ledger that is missing from logs which cover its time. */
	absent?: number;
	/** The result of an earlier payment that the input item has. */
	readonly inputSays?: InputResult;
	/** The row of this run that it is a copy of. */
	copyOf?: Words;
	/** The number of the attempt that a person requests: 1 to pay it again for the first time. 0 if nobody does. */
	request: number;
	/** How it ended, if it was sent, or a claim has shown that it is not. */
	result?: PaymentResult;
}

/** A row with its result. */
export type FinishedPayment = Facts & { readonly result: PaymentResult };

/**
 * - `otherReference`: the item was sent under another reference
 * - `conflict`: the reference was sent with other values
 * - `created`, `createdForOtherItem`: it was created
 * - `unknown`: it may have been created
 */
export type SentAs = 'otherReference' | 'conflict' | 'created' | 'createdForOtherItem' | 'unknown';

/** How what an item says compares with the row: `unknown` if one of the two says nothing. */
export type Match = 'same' | 'other' | 'unknown';

/** What an input item says of an earlier payment: it has a result of ours, of this node or of another one. */
export interface InputResult {
	/**
	 * - `sent`: it was created, by an answer or the logs
	 * - `unknown`: it may have been created
	 * - `conflict`: its reference was sent with other values
	 * - `held`: a node held it back and asked for a person
	 * - `duplicate`: a node held it back because it duplicates another payment
	 */
	says: 'sent' | 'unknown' | 'conflict' | 'held' | 'duplicate';
	reference: string;
	/** Empty if there is none. */
	transactionId: string;
	isSameReference: boolean;
	/** Whether it has the payee of this row. */
	payee: Match;
	/** Whether it has payee, amount and currency of this row: `other` if one of them differs. */
	money: Match;
	/** Whether the earlier node reported another payment under this reference than its own row. */
	isOtherPayment: boolean;
}
