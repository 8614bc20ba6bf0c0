/**
 * How a payment stands, for the person who reads a report. What somebody has to look at comes first:
 * - `conflict`: not paid; an earlier payment has its reference
 * - `twice`: its reference has several transactions that did not fail
 * - `unclear`: what is known contradicts itself, or may be about other values than the row's
 * - `unknown`: it may have been created
 * - `failed`: created, but the money did not arrive
 * - `rejected`: the service declined it; nothing was created
 * - `notSent`: it did not leave n8n
 * - `fundingUnknown`: created, and moves when somebody sends crypto, but nobody here knows how much and where to
 * - `waitsForFunds`: created, and moves when somebody sends crypto
 * - `unconfirmed`: created or sent, but the logs do not have it
 * - `repeated`: another row is the same payment
 * - `onItsWay`, `created`, `alreadySent`, `ready`, `arrived`
 */
export const VERDICTS = [
	'conflict',
	'twice',
	'unclear',
	'unknown',
	'failed',
	'rejected',
	'notSent',
	'fundingUnknown',
	'waitsForFunds',
	'unconfirmed',
	'repeated',
	'onItsWay',
	'created',
	'alreadySent',
	'ready',
	'arrived',
] as const;

export type Verdict = (typeof VERDICTS)[number];

/** The verdicts that need nobody. */
const FINE: readonly Verdict[] = ['onItsWay', 'created', 'alreadySent', 'ready', 'arrived'];

/** The verdicts of payments that were made: created, as far as anybody knows without a failure. */
export const MADE: ReadonlySet<Verdict> = new Set<Verdict>([
	...(['onItsWay', 'created', 'alreadySent', 'arrived', 'unconfirmed', 'twice'] as const),
	...(['waitsForFunds', 'fundingUnknown'] as const),
]);

/** What somebody can do about a verdict. What waits for funds is listed apart. */
export const TO_DO: Partial<Record<Verdict, 'correct' | 'runLater' | 'ask'>> = {
	rejected: 'correct',
	notSent: 'correct',
	unknown: 'runLater',
	unconfirmed: 'runLater',
	conflict: 'ask',
	twice: 'ask',
	unclear: 'ask',
	failed: 'ask',
};

export function needsReview(verdict: Verdict): boolean {
	return !FINE.includes(verdict);
}

/** The columns of a report, in their order: long texts come last. */
export const COLUMNS = [
	'verdict',
	'payee',
	'amount',
	'currency',
	'paidTo',
	'toFund',
	'row',
	'since',
	'status',
	'outcome',
	'transactionId',
	'reference',
	'message',
] as const;

/** Codes, which other nodes read, have the same name in every language. */
export type Column = (typeof COLUMNS)[number];
