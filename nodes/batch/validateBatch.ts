import type { IDataObject } from 'n8n-workflow';

import { compareDecimals } from '../fields/money';
import { validationErrorText, showValue, type ValidationError } from '../fields/validateFields';
import { entriesIn } from '../service/responses';
import { toServiceError } from '../service/errors';
import { type UserMessage, type Words, inEachLanguage } from '../service/messages';
import type { Service } from '../service/transport';
import { type BatchContext, rejectBatch, type Stage } from './batchContext';
import { estimateCosts } from './costs';
import type { MoneyEndpoint } from './endpoint';
import { payeeAndAmountKey } from './duplicates';
import { fingerprint, fingerprintDifferences } from './fingerprint';
import { canonicalAmount, sum, totalsOf } from './totals';
import { heldBack } from './heldBack';
import { inputResultError } from './inputResult';
import { userMessage } from './messages';
import { INPUT_ITEM } from './parseRows';
import { finishNotSent, type OpenPayment, type Payment, type Row } from './payment';
import { rowName, rowOfRun, rowWords } from './rowName';
import { finishHeld, intentOf } from './skipAlreadySent';

/**
 * The stage before sending: finishes rows that are invalid in this batch, and all rows if the batch is not as
 * expected.
 */
export const validateBatch: Stage = async (batch, open, all) => {
	await askService(batch, open);
	const errors = errorsByRow(batch, all);
	const isInvalid = ({ row }: OpenPayment) => Boolean(errors.get(row)?.length);
	const valid = open.filter((payment) => !isInvalid(payment));
	const isHeldByOthers = valid.length < open.length && !batch.continueOnFail;
	if (valid.length && !isHeldByOthers && !batch.rejection)
		rejectBatch(batch, await unexpectedBatch(batch, valid, all));

	const reason = batch.rejection ?? (isHeldByOthers ? userMessage('otherItemsInvalid') : undefined);
	const finishUnsent = (payment: OpenPayment) => {
		const own = errors.get(payment.row);
		return own?.length || !reason
			? finishNotSent(payment, invalidRow(own ?? []), 'invalidRow')
			: finishNotSent(payment, reason, batch.rejection && 'batchRejected');
	};
	const held = open.filter((payment) => reason !== undefined || isInvalid(payment));
	return await finishHeld(batch, held, finishUnsent);
};

/** Asks the service about rows that are results of other payments. */
async function askService(batch: BatchContext, open: OpenPayment[]): Promise<void> {
	const { service, rejection, serviceErrors } = batch;
	const { fromResults } = batch.endpoint;
	const rows = open.map(({ row }) => row).filter(({ errors }) => errors.length === 0);
	if (!fromResults || !service || rejection || rows.length === 0) return;
	try {
		const found = await fromResults.validate(
			service,
			rows.map(({ values }) => values),
		);
		rows.forEach((row, index) => {
			const error = found[index];
			if (error && !serviceErrors.has(row)) serviceErrors.set(row, error);
		});
	} catch (error) {
		rejectBatch(batch, toServiceError(error));
	}
}

function serviceError({ serviceErrors }: BatchContext, row: Row): ValidationError[] {
	const error = serviceErrors.get(row);
	return error ? [{ field: INPUT_ITEM, ...error }] : [];
}

/** What to say about an invalid row: all its errors, under the code of the first. */
function invalidRow(errors: ValidationError[]): UserMessage {
	return {
		code: errors[0]?.code ?? '',
		message: errors.map((error) => validationErrorText(error)).join('\n'),
		hint: 'Nothing was sent for this item. Correct it and run it again.',
		es: { message: errors.map((error) => validationErrorText(error, 'es')).join('\n') },
	};
}

/** The valid rows of the whole batch, including those that were already sent. */
export function payableRows(batch: BatchContext, all: readonly Payment[]): Row[] {
	return [...errorsByRow(batch, all)].flatMap(([row, errors]) => (errors.length ? [] : row));
}

/** What is wrong with each row of the whole batch. */
function errorsByRow(batch: BatchContext, all: readonly Payment[]): Map<Row, ValidationError[]> {
	const duplicates =
		batch.options.duplicatePayments === 'reject'
			? duplicateRows(batch, all)
			: new Map<Row, Words>();
	return new Map(
		all.map(({ row }) => [
			row,
			[
				...row.errors,
				...serviceError(batch, row),
				...aboveMaximum(batch, row),
				...duplicateError(duplicates.get(row)),
				...agentDuplicateError(batch, row),
				...inputResultError(batch, row),
			],
		]),
	);
}

function aboveMaximum(
	{ endpoint, options: { maximumAmount } }: BatchContext,
	{ values }: Row,
): ValidationError[] {
	if (maximumAmount === undefined) return [];
	const money = endpoint.amount(values);
	const amount = money && canonicalAmount(money.amount);
	if (!money || amount === undefined) {
		return [{ field: 'Amount', ...userMessage('amountUnknown') }];
	}
	if (compareDecimals(amount, maximumAmount) <= 0) return [];
	return [
		{
			field: 'Amount',
			value: showValue(`${amount} ${money.currency}`),
			...userMessage('aboveMaximumAmount', { maximum: maximumAmount }),
		},
	];
}

/**
 * Rows that are most likely copies: payee, amount and purpose are those of an earlier row, or of a payment that an
 * earlier run of a loop sent.
 *
 * @returns what each of them duplicates
 */
export function duplicateRows(batch: BatchContext, all: readonly Payment[]): Map<Row, Words> {
	const { endpoint, state } = batch;
	const duplicates = new Map<Row, Words>();
	const first = new Map<string, Row>();
	const inOtherRuns = state.duplicatesInOtherRuns();
	for (const { row } of all) {
		if (row.errors.length) continue;
		const key = intentOf(batch, row).duplicateKey;
		if (key === undefined) continue;
		const earlier = first.get(key);
		if (earlier) {
			duplicates.set(row, rowWords(endpoint, earlier));
			continue;
		}
		first.set(key, row);
		const sent = inOtherRuns(key, row.idempotencyKey);
		if (sent) duplicates.set(row, rowOfRun(sent));
	}
	return duplicates;
}

function duplicateError(original: Words | undefined): ValidationError[] {
	if (original === undefined) return [];
	return [{ field: 'Payment', ...userMessage('duplicatePayment', { row: original }) }];
}

/**
 * After an error, a model may try the same payment again under a reference that it makes up. So a payment
 * that an agent has sent in this execution is not sent again under another reference.
 */
function agentDuplicateError(
	{ endpoint, options, isTool, state }: BatchContext,
	row: Row,
): ValidationError[] {
	if (!isTool || options.duplicatePayments === 'allow' || row.errors.length) return [];
	const key = payeeAndAmountKey(endpoint, row);
	const earlier = key === undefined ? undefined : state.sentToSamePayee(key, row.idempotencyKey);
	if (!earlier) return [];
	const { reference, outcome } = earlier;
	return [{ field: 'Payment', ...userMessage('duplicateOfAgent', { reference, outcome }) }];
}

/** Why none of the valid payments may be sent; undefined if they may. */
async function unexpectedBatch(
	batch: BatchContext,
	valid: OpenPayment[],
	all: readonly Payment[],
): Promise<UserMessage | undefined> {
	const { endpoint, options, service } = batch;
	const reason =
		wholeFileNeeded(batch) ??
		accountsChanged(batch, valid) ??
		unexpectedTotals(batch, all) ??
		notApproved(batch, all);
	if (reason) return reason;
	const above = (await aboveDailyLimit(batch, valid)) ?? (await estimateCosts(batch, valid));
	if (above || !options.checkBalance || !service) return above;
	try {
		return await balanceShortfall(endpoint, service, valid);
	} catch (error) {
		return toServiceError(error);
	}
}

/** Why the payments may not be sent today; undefined if they may, or if there is no limit. */
async function aboveDailyLimit(
	batch: BatchContext,
	valid: OpenPayment[],
): Promise<UserMessage | undefined> {
	const rows = valid
		.map(({ row }) => row)
		.filter((row) => !heldBack(batch, row, batch.known.get(row)));
	return await batch.dailyLimit?.aboveLimit(rows);
}

/** Why a loop cannot be paid with an option that needs all rows at once; undefined if there is no such option. */
function wholeFileNeeded({ options, state }: BatchContext): UserMessage | undefined {
	if (state.sentInOtherRuns().length === 0) return undefined;
	const { expectedCount, expectedTotals, checkBalance, approvalCode } = options;
	const needing = {
		'Expected Count': expectedCount !== undefined,
		'Expected Totals': expectedTotals !== undefined,
		'Check Balance First': checkBalance,
		'Approval Code': approvalCode !== undefined,
	};
	const option = Object.entries(needing).find(([, isSet]) => isSet)?.[0];
	return option === undefined ? undefined : userMessage('needsWholeFile', { option });
}

/** Why no row is sent if Account Changes is Reject; undefined if all payees have the accounts they had. */
function accountsChanged(
	{ endpoint, options, known }: BatchContext,
	valid: OpenPayment[],
): UserMessage | undefined {
	if (options.accountChanges !== 'reject') return undefined;
	const changed = valid.filter(({ row }) => known.get(row)?.isAccountNew);
	return changed.length === 0
		? undefined
		: userMessage('accountsChanged', {
				rows: inEachLanguage((language) =>
					changed.map(({ row }) => rowName(endpoint, row, language)).join(', '),
				),
			});
}

/** Why count or totals are not what the user expects, with both figures; undefined if they are. */
function unexpectedTotals(
	{ endpoint, state, options: { expectedCount, expectedTotals, maximumTotals } }: BatchContext,
	all: readonly Payment[],
): UserMessage | undefined {
	if (expectedCount !== undefined && expectedCount !== all.length) {
		return userMessage('unexpectedCount', { expected: expectedCount, count: all.length });
	}
	const rows = all.map(({ row }) => row);
	const actual = totalsOf(endpoint, rows);
	const unknown = rows.find(({ values }) => endpoint.amount(values) === undefined);
	if (unknown && (expectedTotals ?? maximumTotals)) {
		return userMessage('totalUnknown', {
			option: expectedTotals ? 'Expected Totals' : 'Maximum Totals',
			row: rowWords(endpoint, unknown),
		});
	}
	if (expectedTotals) {
		for (const currency of new Set([...expectedTotals.keys(), ...actual.keys()])) {
			const expected = expectedTotals.get(currency);
			const total = actual.get(currency) ?? '0';
			if (expected === undefined) return userMessage('unexpectedCurrency', { currency, total });
			if (compareDecimals(expected, total) !== 0) {
				return userMessage('unexpectedTotal', { expected, currency, total });
			}
		}
	}
	// A loop must not pay more than the maximum either.
	const earlier = state.sentInOtherRuns().flatMap(({ money }) => money ?? []);
	for (const [currency, ownTotal] of maximumTotals ? actual : []) {
		const others = earlier.flatMap((money) => (money.currency === currency ? money.amount : []));
		const total = sum([ownTotal, ...others]);
		const maximum = maximumTotals?.get(currency);
		if (maximum === undefined) return userMessage('currencyWithoutMaximum', { currency, total });
		if (compareDecimals(total, maximum) > 0) {
			return userMessage('aboveMaximumTotal', { maximum, currency, total });
		}
	}
	return undefined;
}

/** Why the payments are not those that were approved; undefined if they are, or if no approval is asked for. */
function notApproved(batch: BatchContext, all: readonly Payment[]): UserMessage | undefined {
	const approved = batch.options.approvalCode;
	if (!approved) return undefined;
	const now = fingerprint(batch.endpoint, payableRows(batch, all), batch.service?.target);
	// The flags that the dry run showed are no difference: what has been sent since is not flagged any more.
	if (now.plain === approved.plain) return undefined;
	const differences = fingerprintDifferences(approved, now);
	return differences.length
		? userMessage('approvalOfOtherPayments', {
				differences: inEachLanguage((language) =>
					differences.map((words) => words[language]).join('; '),
				),
			})
		: userMessage('approvalOfOtherContent');
}

/**
 * Why the payout balance does not cover the payments, with both figures; undefined if it does.
 *
 * @throws ServiceError if the balances cannot be read
 */
async function balanceShortfall(
	endpoint: MoneyEndpoint,
	service: Service,
	valid: OpenPayment[],
): Promise<UserMessage | undefined> {
	const { balance } = endpoint;
	const needed = new Map<string, { type: string; fiat: string; amounts: string[] }>();
	for (const { row } of valid) {
		const use = balance?.of(row.values);
		const money = use && endpoint.amount(row.values);
		if (!use || !money) continue;
		const entry = needed.get(use.fiat) ?? { ...use, amounts: [] };
		entry.amounts.push(money.amount);
		needed.set(use.fiat, entry);
	}
	if (!balance || needed.size === 0) return undefined;

	const answer = await service.request({ method: 'GET', path: balance.path });
	const balances = entriesIn(answer);
	for (const { fiat: currency, type, amounts } of needed.values()) {
		const total = sum(amounts);
		const available = availableIn(balances, currency, type);
		if (available === undefined) return userMessage('noBalance', { currency, total });
		if (compareDecimals(available, total) < 0) {
			return userMessage('balanceTooLow', { balance: available, currency, total });
		}
	}
	return undefined;
}

/** The balance of the payout's own type; otherwise the only one in that currency. */
function availableIn(balances: IDataObject[], fiat: string, type: string): string | undefined {
	const inCurrency = balances.filter((entry) => entry.fiat === fiat);
	const own = inCurrency.filter((entry) => entry.type === type);
	const candidates = own.length ? own : inCurrency;
	return candidates.length === 1 ? canonicalAmount(candidates[0].balance) : undefined;
}
