import type { IDataObject } from 'n8n-workflow';

import { compareDecimals } from '../fields/money';
import { toServiceError } from '../service/errors';
import {
	type EditorMessage,
	type UserMessage,
	inEachLanguage,
	userMessage,
} from '../messages/userMessage';
import { entriesIn } from '../service/responses';
import type { Service } from '../service/transport';
import { type BatchContext, rejectBatch } from './batchContext';
import { decide, flagsOf, isErrorOfRow } from './decide';
import type { MoneyEndpoint } from './endpoint';
import type { Facts } from './facts';
import { fingerprint } from './fingerprint';
import { rowName, rowWords } from './rowName';
import { canonicalAmount, totalsOf, withoutLimit } from './totals';

/**
 * Rejects the batch if it is not as the options say. What the ledger, the logs or the input say of some rows stops no
 * other row.
 */
export async function checkLimits(batch: BatchContext, all: Facts[]): Promise<void> {
	const { options, continueOnFail } = batch;
	rejectBatch(batch, purposeChanged(batch, all));
	const decisions = all.map((facts) => decide(facts, options));
	// The file has to be corrected first.
	const isInvalid = decisions.includes('invalid') || decisions.includes('duplicatePayment');
	if (isInvalid && !continueOnFail) batch.stopped = userMessage('otherItemsInvalid');
	const open = all.filter((_, at) => typeof decisions[at] === 'number');
	if (open.length > 0 && !batch.stopped && !batch.rejection)
		rejectBatch(batch, await unexpectedBatch(batch, all, open));
}

/** Why nothing is sent if all rows have one purpose, and some were sent for another one. */
export function purposeChanged(
	{ endpoint, sharedPurpose }: BatchContext,
	all: Facts[],
): UserMessage | undefined {
	const changed = all.find(({ ledger }) => ledger?.reads === 'otherPurpose');
	const { purpose: field } = endpoint;
	if (!changed || sharedPurpose === undefined || field === undefined) return undefined;
	return userMessage('batchPurposeChanged', { purpose: String(changed.row.values[field]) });
}

/** The rows of the whole batch that may be paid, including those that were already sent. */
export function payable<T extends Facts>({ options }: BatchContext, all: readonly T[]): T[] {
	return all.filter(({ row, errors, copyOf, inputSays, request }) => {
		const decision = decide({ row, errors, copyOf, inputSays, request }, options);
		return decision !== 'invalid' && !isErrorOfRow(decision);
	});
}

/** Why none of the open rows may be sent; undefined if they may. */
async function unexpectedBatch(
	batch: BatchContext,
	all: Facts[],
	open: Facts[],
): Promise<EditorMessage | undefined> {
	const { endpoint, options, service, dailyLimit } = batch;
	const reason =
		wholeFileNeeded(batch) ??
		accountsChanged(batch, open) ??
		aboveMaximumTotals(batch, all) ??
		notApproved(batch, all) ??
		(await dailyLimit?.aboveLimit(open));
	if (reason) return reason;
	if (!options.checkBalance || !service) return undefined;
	try {
		return await balanceShortfall(endpoint, service, open);
	} catch (error) {
		return toServiceError(error);
	}
}

/** Why rows that come in parts cannot be paid with an option that needs all of them at once. */
function wholeFileNeeded({ context, options, state }: BatchContext): EditorMessage | undefined {
	const { maximumTotals, checkBalance, approvalCode } = options;
	// Execute Workflow, "Run once for each item": each item is an execution that knows nothing of the others.
	const isOneOfMany = context.getMode() === 'integrated' && context.getInputData().length === 1;
	if (maximumTotals && isOneOfMany) return userMessage('maximumTotalsOfOneItem');
	if (state.sentInOtherRuns().length === 0) return undefined;
	const option = checkBalance ? 'Check: Balance' : approvalCode && 'Check: Approval Code';
	return option && userMessage('needsWholeFile', { option });
}

/** Why no row is sent if Account Changes is Reject; undefined if all payees have the accounts they had. */
function accountsChanged(
	{ endpoint, options }: BatchContext,
	open: Facts[],
): UserMessage | undefined {
	if (options.accountChanges !== 'reject') return undefined;
	const changed = open.filter((facts) => flagsOf(facts, options).includes('account'));
	return changed.length === 0
		? undefined
		: userMessage('accountsChanged', {
				rows: inEachLanguage((language) =>
					changed.map(({ row }) => rowName(endpoint, row, language)).join(', '),
				),
			});
}

/** Why the totals are above what the user allows, with both figures; undefined if they are not. */
function aboveMaximumTotals(batch: BatchContext, all: Facts[]): UserMessage | undefined {
	const { endpoint, state, options } = batch;
	const { maximumTotals } = options;
	if (!maximumTotals) return undefined;
	const own = payable(batch, all);
	const unlimited = withoutLimit('Maximum Totals', maximumTotals, own, ({ row }) =>
		rowWords(endpoint, row),
	);
	if (unlimited) return unlimited;
	// A loop must not pay more than the maximum either.
	const totals = totalsOf([...own, ...state.sentInOtherRuns()]);
	for (const [currency, maximum] of maximumTotals) {
		const total = totals.get(currency) ?? '0';
		if (compareDecimals(total, maximum) > 0) {
			return userMessage('aboveMaximumTotal', { maximum, currency, total });
		}
	}
	return undefined;
}

/** Why the payments are not those that were approved; undefined if they are, or if no approval is asked for. */
function notApproved(batch: BatchContext, all: Facts[]): UserMessage | undefined {
	const approved = batch.options.approvalCode;
	if (!approved) return undefined;
	const now = fingerprint(batch.endpoint, payable(batch, all), batch.service?.target);
	// The flags that the dry run showed are no difference: what has been sent since is not flagged any more.
	if (now.figures === approved.figures && now.hash === approved.hash) return undefined;
	return userMessage('approvalOfOtherPayments', { approved: approved.figures, now: now.figures });
}

/** Section 4.9. */
export const BALANCES_PATH = '/v2/transactions/payouts/balance';

/**
 * Why the payout balance does not cover the payments, with both figures; undefined if it does.
 *
 * @throws ServiceError if the balances cannot be read
 */
async function balanceShortfall(
	endpoint: MoneyEndpoint,
	service: Service,
	open: Facts[],
): Promise<UserMessage | undefined> {
	const { fundingField, transactionType } = endpoint;
	const needed = totalsOf(open.filter(({ row }) => row.values[fundingField] === 'balance'));
	if (needed.size === 0) return undefined;
	const balances = entriesIn(await service.request({ method: 'GET', path: BALANCES_PATH }));
	for (const [currency, total] of needed) {
		const available = availableIn(balances, currency, transactionType);
		if (available === undefined) return userMessage('noBalance', { currency, total });
		if (compareDecimals(available, total) < 0) {
			return userMessage('balanceTooLow', { balance: available, currency, total });
		}
	}
	return undefined;
}

/** The balance of the payout's own type; otherwise the only one in that currency. */
function availableIn(
	balances: IDataObject[],
	fiat: string,
	type: string | undefined,
): string | undefined {
	const inCurrency = balances.filter((entry) => entry.fiat === fiat);
	const own = inCurrency.filter((entry) => entry.type === type);
	const candidates = own.length ? own : inCurrency;
	return candidates.length === 1 ? canonicalAmount(candidates[0].balance) : undefined;
}
