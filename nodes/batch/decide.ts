import { compareDecimals } from '../fields/money';
import { statusKind } from '../service/transactionStatus';
import type { Facts } from './facts';
import { flagToken, type Flag } from './flags';
import type { BatchOptions } from './options';
import { canonicalAmount } from './totals';

/** The options that decide about a row. */
export type DecidingOptions = Pick<
	BatchOptions,
	'dryRun' | 'ifAlreadySent' | 'duplicatePayments' | 'accountChanges' | 'approvalCode'
>;

/** A row is sent, as an attempt to pay its reference, or there is a reason why it is not. */
export type Decision =
	{ attempt: number; reason?: undefined } | { reason: Reason; attempt?: undefined };

/** Why a row is not sent. `results.ts` says it to people. */
export type Reason =
	| 'referenceChanged'
	| 'valuesChanged'
	| 'createdHere'
	| 'sentInThisExecution'
	| 'unknownNotResent'
	| 'loggedWithOtherAmount'
	| 'loggedAsFailed'
	| 'logged'
	| 'conflict'
	| 'purposeDiffers'
	| 'alreadySent'
	| 'alreadyPaidAgain'
	| 'sentNotProved'
	| 'unknownInInput'
	| 'conflictInInput'
	| 'heldInInput'
	| 'sentAccordingToInput'
	| 'invalid'
	| 'duplicatePayment'
	| 'duplicateOfEarlierExecution'
	| 'accountHeld'
	| 'payeeHeld';

/** Reasons that are errors of a row, in addition to those of its fields: whatever was already sent, no approval covers it. */
const ERRORS_OF_ROW = [
	'unknownInInput',
	'conflictInInput',
	'heldInInput',
	'duplicatePayment',
] as const;

export const isErrorOfRow = (
	reason: Reason | undefined,
): reason is (typeof ERRORS_OF_ROW)[number] => ERRORS_OF_ROW.some((one) => one === reason);

/**
 * Decides whether a row is sent. The first rule that matches counts, so what is more certain comes first: what this
 * execution did, then what the service has logged, a person's request, the ledger, the input, and the options.
 *
 * It is pure. Before the ledger and the logs are asked, it decides on what is known so far; a claim asks it again.
 */
export function decide(facts: Facts, options: DecidingOptions): Decision {
	const { row, sentHere, logged, loggedCount = 0, ledger, inputSays, request } = facts;
	const isValid = facts.errors.length === 0;
	const lastAttempt = Math.max(ledger?.request ?? 0, sentHere?.sent.attempt ?? 0);
	// A request acts once: it is recorded under its number.
	const isRequested = isValid && request > lastAttempt;

	if (sentHere) {
		// The item was sent under a reference that it no longer has: nobody knows which of the two is the payment.
		if (sentHere.as === 'otherReference') return { reason: 'referenceChanged' };
		// What was sent stands, whatever the row says now.
		if (sentHere.as === 'conflict') return { reason: 'valuesChanged' };
		// Retry On Fail, Retry and loops report again what was created, with its answer.
		if (sentHere.as === 'created') return { reason: 'createdHere' };
		if (sentHere.as === 'createdForOtherItem') return { reason: 'sentInThisExecution' };
		// Only the logs can say that it was created, and only a person that it was not.
		if (!logged && request <= (sentHere.sent.attempt ?? 0)) return { reason: 'unknownNotResent' };
	}

	if (logged) {
		const hasFailed = statusKind(logged.status) === 'failed';
		// The logs are the service's own word on what was paid.
		if (!hasFailed && hasOtherAmount(facts)) return { reason: 'loggedWithOtherAmount' };
		if (!hasFailed && ledger?.reads === 'conflict') return { reason: 'conflict' };
		if (!hasFailed && ledger?.reads === 'otherPurpose') return { reason: 'purposeDiffers' };
		if (!hasFailed) return { reason: 'logged' };
		// A failed payment is over, and whether it is still due is for a person to say. With fewer payments than there were
		// attempts, the last one is not among them.
		if (!isRequested && loggedCount > lastAttempt) return { reason: 'loggedAsFailed' };
		if (!isRequested && sentHere) return { reason: 'unknownNotResent' };
	}

	// A person has looked it up, and has it paid whatever the ledger says.
	if (isRequested) return { attempt: request };

	if (ledger && ledger.reads !== 'none') {
		// An idempotency key with other values is no permission to pay them.
		if (ledger.reads === 'conflict') return { reason: 'conflict' };
		// The same money for something else: one of the two is wrong, and nobody knows which.
		if (ledger.reads === 'otherPurpose') return { reason: 'purposeDiffers' };
		// Not proved, so it may exist. It is paid again only with the option for it, if covering logs do not have it and the
		// approval, if there is one, has shown it.
		if (ledger.reads === 'unknown') {
			const isShown = options.approvalCode?.shown.has(flagToken('again', row)) !== false;
			return isValid && isAgain(facts, options) && (options.dryRun || isShown)
				? { attempt: ledger.request + 1 }
				: { reason: 'sentNotProved' };
		}
		if (request > 0 && ledger.request > 0) return { reason: 'alreadyPaidAgain' };
		return { reason: 'alreadySent' };
	}

	if (inputSays) {
		// Another node may have paid it, whatever this one knows. Under another reference, another payee or other money makes
		// it another payment.
		const { isSameReference } = inputSays;
		if (inputSays.says === 'unknown' && (isSameReference || inputSays.money !== 'other'))
			return { reason: 'unknownInInput' };
		// Another node has asked for a person, and passing the item on is no answer.
		const isSame = isSameReference || inputSays.payee === 'same';
		if (inputSays.says === 'conflict' && isSame) return { reason: 'conflictInInput' };
		if (inputSays.says === 'held' && isSame) return { reason: 'heldInInput' };
		// The same reference is the same payment, also for another node. A deposit, which pays nobody, is not this payment.
		if (inputSays.says === 'sent' && isSameReference) {
			if (inputSays.money === 'same' || inputSays.isOtherPayment)
				return { reason: 'sentAccordingToInput' };
			if (inputSays.payee === 'same') return { reason: 'conflictInInput' };
		}
	}

	if (!isValid) return { reason: 'invalid' };

	if (facts.copyOf && options.duplicatePayments === 'reject') return { reason: 'duplicatePayment' };

	// A dry run shows flags to the person who approves. What an approved one has shown is held back no more.
	const isHeld = (flag: Flag) =>
		!options.dryRun &&
		flagsOf(facts, options).includes(flag) &&
		options.approvalCode?.shown.has(flagToken(flag, row)) !== true;
	if (options.duplicatePayments === 'reject' && isHeld('duplicate'))
		return { reason: 'duplicateOfEarlierExecution' };
	if (options.accountChanges === 'hold' && isHeld('account')) return { reason: 'accountHeld' };
	if (options.accountChanges === 'hold' && isHeld('payee')) return { reason: 'payeeHeld' };

	return { attempt: 0 };
}

/** Whether a person has decided to pay it again: covering logs did not have the last attempt, and it is still the last. */
function isAgain(
	{ ledger, absent }: Pick<Facts, 'ledger' | 'absent'>,
	{ ifAlreadySent }: Pick<DecidingOptions, 'ifAlreadySent'>,
): boolean {
	return (
		ifAlreadySent === 'payAgainIfNotInLogs' &&
		ledger?.reads === 'unknown' &&
		ledger.request === absent
	);
}

/** What a person should look at before a row is paid. Of rows that were sent, only those that are paid again. */
export function flagsOf(
	facts: Pick<Facts, 'ledger' | 'inputSays' | 'copyOf' | 'absent'>,
	options: Pick<DecidingOptions, 'duplicatePayments' | 'accountChanges' | 'ifAlreadySent'>,
): Flag[] {
	const { ledger, inputSays, copyOf } = facts;
	const { duplicatePayments, accountChanges } = options;
	if (ledger && ledger.reads !== 'none') return isAgain(facts, options) ? ['again'] : [];
	const isDuplicate =
		copyOf !== undefined ||
		ledger?.isDuplicate === true ||
		// Whatever its reference: a result of the same operation, with the same payee and money.
		(inputSays?.says === 'sent' && inputSays.money === 'same') ||
		(inputSays?.says === 'duplicate' && inputSays.money !== 'other');
	return [
		...(isDuplicate && duplicatePayments !== 'allow' ? ['duplicate' as const] : []),
		...(ledger?.isAccountChanged && accountChanges !== 'off' ? ['account' as const] : []),
		...(ledger?.isPayeeNew &&
		ledger.hasPaidOthers &&
		!ledger.isAccountChanged &&
		accountChanges === 'hold'
			? ['payee' as const]
			: []),
	];
}

/**
 * Whether the logs name another amount than the row. They name the asset of a crypto payment; of others they may
 * name the crypto that funded it, which says nothing.
 */
function hasOtherAmount({ logged, money }: Pick<Facts, 'logged' | 'money'>): boolean {
	const [there, here] = [canonicalAmount(logged?.amount), canonicalAmount(money?.amount)];
	if (there === undefined || here === undefined || logged?.asset !== money?.currency) return false;
	return compareDecimals(there, here) !== 0;
}
