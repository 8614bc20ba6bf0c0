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

/** The attempt to pay its reference as which a row is sent, or why it is not sent. */
export type Decision = ReturnType<typeof decide>;

/** Why a row is not sent. `results.ts` says it to people. */
export type Reason = Exclude<Decision, number>;

/** Whether a row is sent. */
export const isOpen = (facts: Facts, options: DecidingOptions): boolean =>
	typeof decide(facts, options) === 'number';

/** Reasons that are errors of a row, in addition to those of its fields: whatever was already sent, no approval covers it. */
const ERRORS_OF_ROW = [
	'unknownInInput',
	'conflictInInput',
	'heldInInput',
	'duplicatePayment',
] as const;

export const isErrorOfRow = (reason: Decision): reason is (typeof ERRORS_OF_ROW)[number] =>
	ERRORS_OF_ROW.some((one) => one === reason);

/**
 * Decides whether a row is sent. The first rule that matches counts, so what is more certain comes first: what this
 * execution did, then what the service has logged, a person's request, the ledger, the input, and the options.
 *
 * It is pure. Before the ledger and the logs are asked, it decides on what is known so far; a claim asks it again.
 */
export function decide(facts: Facts, options: DecidingOptions) {
	const { row, sentHere, logged, loggedCount = 0, ledger, inputSays } = facts;
	const isValid = facts.errors.length === 0;
	const attempt = isValid ? attemptAgain(facts, options) : undefined;
	/** Whether an approval has shown a flag. Undefined if none is asked for. A dry run shows all to the person who approves it. */
	const isShown = (flag: Flag) =>
		options.dryRun || options.approvalCode?.shown.has(flagToken({ flag, row, attempt }));
	const isHidden = attempt !== undefined && isShown('again') === false;
	const again = isHidden && flagsOf(facts, options).includes('again') ? undefined : attempt;

	if (sentHere) {
		// The item was sent under a reference that it no longer has: nobody knows which of the two is the payment.
		if (sentHere.as === 'otherReference') return 'referenceChanged';
		// What was sent stands, whatever the row says now.
		if (sentHere.as === 'conflict') return 'valuesChanged';
		// Retry On Fail, Retry and loops report again what was created, with its answer.
		if (sentHere.as === 'created') return 'createdHere';
		if (sentHere.as === 'createdForOtherItem') return 'sentInThisExecution';
		// Only the logs can say that it was created, and only a person that it was not.
		if (!logged && again === undefined) return 'unknownNotResent';
	}

	if (logged) {
		const hasFailed = statusKind(logged.status) === 'failed';
		// The logs are the service's own word on what was paid.
		if (!hasFailed && hasOtherAmount(facts)) return 'loggedWithOtherAmount';
		if (!hasFailed && ledger?.reads === 'conflict') return 'conflict';
		if (!hasFailed && ledger?.reads === 'otherPurpose') return 'purposeDiffers';
		if (!hasFailed) return 'logged';
		// A failed payment is over, and whether it is still due is for a person to say. With fewer payments than there were
		// attempts, the last one is not among them.
		if (again === undefined && loggedCount > lastAttempt(facts)) return 'loggedAsFailed';
		if (again === undefined && sentHere) return 'unknownNotResent';
	}

	// A person has looked it up, or lets the logs decide, and has it paid whatever the ledger says.
	if (again !== undefined) return again;

	if (ledger && ledger.reads !== 'none') {
		// An idempotency key with other values is no permission to pay them.
		if (ledger.reads === 'conflict') return 'conflict';
		// The same money for something else: one of the two is wrong, and nobody knows which.
		if (ledger.reads === 'otherPurpose') return 'purposeDiffers';
		// Not proved, so it may exist.
		if (ledger.reads === 'unknown') return 'sentNotProved';
		return facts.request > 0 && ledger.request > 0 ? 'alreadyPaidAgain' : 'alreadySent';
	}

	if (inputSays) {
		// Another node may have paid it, whatever this one knows. Under another reference, another payee or other money makes
		// it another payment.
		const { isSameReference } = inputSays;
		if (inputSays.says === 'unknown' && (isSameReference || inputSays.money !== 'other'))
			return 'unknownInInput';
		// Another node has asked for a person, or does not say what was paid, and passing the item on is no answer.
		const mayBePayee = isSameReference || inputSays.payee !== 'other';
		if (inputSays.says === 'held' && mayBePayee) return 'heldInInput';
		if (inputSays.says === 'conflict' && mayBePayee) return 'conflictInInput';
		// The same reference is the same payment, also for another node. A deposit, which pays nobody, is not this payment.
		if (inputSays.says === 'sent' && isSameReference) {
			if (inputSays.money === 'same' || inputSays.isOtherPayment) return 'sentAccordingToInput';
			if (inputSays.payee === 'same') return 'conflictInInput';
		}
	}

	if (!isValid) return 'invalid';

	if (facts.copyOf && options.duplicatePayments === 'reject') return 'duplicatePayment';

	// What an approved dry run has shown is held back no more.
	const isHeld = (flag: Flag) => flagsOf(facts, options).includes(flag) && isShown(flag) !== true;
	if (options.duplicatePayments === 'reject' && isHeld('duplicate'))
		return 'duplicateOfEarlierExecution';
	if (options.accountChanges === 'hold' && isHeld('account')) return 'accountHeld';
	if (options.accountChanges === 'hold' && isHeld('payee')) return 'payeeHeld';

	return 0;
}

/** The last attempt that this execution or an earlier one has made. */
const lastAttempt = ({ ledger, sentHere }: Pick<Facts, 'ledger' | 'sentHere'>): number =>
	Math.max(ledger?.request ?? 0, sentHere?.sent.attempt ?? 0);

/**
 * The attempt as which a person has a row paid: because they request it, or because covering logs did not have the last
 * one, and it is still the last.
 */
export function attemptAgain(
	facts: Pick<Facts, 'ledger' | 'sentHere' | 'absent' | 'request'>,
	{ ifAlreadySent }: Pick<DecidingOptions, 'ifAlreadySent'>,
): number | undefined {
	const { ledger, absent, request } = facts;
	// A request acts once: it is recorded under its number.
	if (request > lastAttempt(facts)) return request;
	const isAbsent = ledger?.reads === 'unknown' && ledger.request === absent;
	return isAbsent && ifAlreadySent === 'payAgainIfNotInLogs' ? absent + 1 : undefined;
}

/** What a person should look at before a row is paid. Of rows that were sent, only those that are paid again. */
export function flagsOf(
	facts: Pick<Facts, 'ledger' | 'sentHere' | 'inputSays' | 'copyOf' | 'absent' | 'request'>,
	options: Pick<DecidingOptions, 'duplicatePayments' | 'accountChanges' | 'ifAlreadySent'>,
): Flag[] {
	const { ledger, sentHere, inputSays, copyOf } = facts;
	const { duplicatePayments, accountChanges } = options;
	if (sentHere || (ledger && ledger.reads !== 'none'))
		return attemptAgain(facts, options) === undefined ? [] : ['again'];
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
	const there = canonicalAmount(logged?.amount);
	if (!money || there === undefined || logged?.asset !== money.currency) return false;
	return compareDecimals(there, money.amount) !== 0;
}
