import { TEXTS } from '../messages/userMessage';
import type { Language } from './language';
import type { Verdict } from './verdicts';

/**
 * How an expected payment and the logs compare. What somebody has to look at comes first:
 * - `paidTwice`: its reference has several transactions that did not fail
 * - `conflict`: an earlier payment has its reference with other values
 * - `notInFile`: a payout in the logs that no row expects
 * - `sameReference`: rows that differ have the same reference
 * - `unclear`: the logs contradict themselves
 * - `notPaid`: it was not created, and the logs do not have it either
 * - `overdue`: it has been on its way for too long
 */
export const FINDINGS = [
	'paidTwice',
	'conflict',
	'notInFile',
	'otherAmount',
	'otherCurrency',
	'sameReference',
	'unclear',
	'failed',
	'notPaid',
	'notFound',
	'overdue',
	'onItsWay',
	'arrived',
] as const;

export type Finding = (typeof FINDINGS)[number];

/** Whether somebody has to look at it. */
export function isToReview(finding: Finding): boolean {
	return finding !== 'onItsWay' && finding !== 'arrived';
}

/** The findings that a report's verdict says, too. */
const VERDICT_OF = {
	paidTwice: 'twice',
	conflict: 'conflict',
	unclear: 'unclear',
	failed: 'failed',
	notPaid: 'notSent',
	notFound: 'unknown',
	onItsWay: 'onItsWay',
	arrived: 'arrived',
} as const satisfies Partial<Record<Finding, Verdict>>;

/** A finding as people read it. */
export function findingLabel(finding: Finding, language: Language): string {
	const { labels } = TEXTS[language].report;
	const { findings } = TEXTS[language].reconcile;
	return finding in VERDICT_OF
		? labels[VERDICT_OF[finding as keyof typeof VERDICT_OF]]
		: findings[finding as keyof typeof findings];
}
