import type { IDataObject } from 'n8n-workflow';

import { compareDecimals } from '../fields/money';
import { validationErrorText, showValue, type ValidationError } from '../fields/validateFields';
import type { ExecutionState } from '../state/executionState';
import type { IdempotencyStore } from '../state/idempotencyStore';
import { isObject, listIn } from '../service/responses';
import { describeTarget, environmentName, type Target } from '../service/baseUrl';
import { toServiceError } from '../service/errors';
import type { Service } from '../service/transport';
import type { MoneyEndpoint } from './endpoint';
import { duplicateKey, payeeAndAmountKey } from './duplicates';
import { fingerprint, fingerprintDifferences } from './fingerprint';
import { canonicalAmount, sum, totalsOf } from './totals';
import { userMessage } from './messages';
import type { BatchOptions } from './options';
import {
	finish,
	finishNotSent,
	rowName,
	type OpenPayment,
	type Payment,
	type Refusal,
	type Row,
	type Stage,
} from './payment';
import { lookUpAlreadySent } from './alreadySent';

/** What the controls judge, beside the payments that are open. */
interface Controlled {
	endpoint: MoneyEndpoint;
	options: BatchOptions;
	/** All payments, also those that an earlier attempt sent: limits are for the whole batch. */
	payments: Payment[];
	/** Why nothing may be sent, if that is known already. */
	refusal?: Refusal;
	/** Whether a reference of its own, or a key, tells each payment from every other. */
	hasUniqueKeys: boolean;
	/** With On Error set to continue, bad rows do not keep good ones from being sent. */
	continueOnFail: boolean;
	/** What this execution sent. */
	memory: ExecutionState;
	/** The same, given where an AI agent calls the node as a tool. */
	agent?: ExecutionState;
	/** Given where a control has to ask the service. */
	service?: Service;
	/** Given where sent references are remembered. */
	sent?: IdempotencyStore;
}

/** The stage before sending: ends what must not be sent, and all when the batch is not as expected. */
export function validateBatch(batch: Controlled): Stage {
	return async (open) => {
		const errors = errorsByRow(batch);
		const others: Refusal = userMessage('otherItemsInvalid');
		const good = open.filter(({ row }) => !errors.get(row)?.length);
		const refusal =
			batch.refusal ??
			(good.length < open.length && !batch.continueOnFail ? others : undefined) ??
			(good.length ? await batchRejection(batch, good) : undefined);

		const isHeld = ({ row }: OpenPayment) => refusal !== undefined || errors.get(row)?.length;
		const held = open.filter(isHeld).map(({ row }) => row);
		const earlier = await lookUpAlreadySent(held, batch.memory, batch.sent, batch.options);
		return open.map((payment) => {
			const before = isHeld(payment) && earlier(payment.row);
			if (before) return finish(payment, before);
			const own = errors.get(payment.row) ?? [];
			if (own.length) return finishNotSent(payment, invalidRow(own), 'badRow');
			if (!refusal) return payment;
			return finishNotSent(payment, refusal, refusal === others ? undefined : 'refusal');
		});
	};
}

/** The end of a row that breaks rules: all of them in the message, the code of the first. */
function invalidRow(errors: ValidationError[]): Refusal {
	return {
		code: errors[0].code,
		message: errors.map(validationErrorText).join('\n'),
		hint: 'Nothing was sent for this item. Correct it and run it again.',
	};
}

/** What decides which rows are to be paid. */
type Judged = Pick<Controlled, 'endpoint' | 'options' | 'payments' | 'hasUniqueKeys' | 'agent'>;

/** The rows that are to be paid: all without a fault of their own, those that were sent before too. */
export function payableRows(batch: Judged): Row[] {
	return [...errorsByRow(batch)].flatMap(([row, errors]) => (errors.length ? [] : row));
}

function errorsByRow(batch: Judged): Map<Row, ValidationError[]> {
	const copies = duplicateRows(batch);
	return new Map(
		batch.payments.map(({ row }) => [
			row,
			[
				...row.errors,
				...aboveMaximum(batch, row),
				...duplicateError(copies.get(row)),
				...agentDuplicateError(batch, row),
			],
		]),
	);
}

function aboveMaximum(
	{ endpoint, options: { maximumAmount } }: Judged,
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
 * Rows that pay what an earlier row pays already, down to what it is for: most likely copied lines.
 *
 * @returns the earlier row of each of them
 */
function duplicateRows({ endpoint, options, payments, hasUniqueKeys }: Judged): Map<Row, Row> {
	const copies = new Map<Row, Row>();
	const { duplicateFields: recipient } = endpoint;
	if (!recipient || options.duplicatePayments === 'allow' || hasUniqueKeys) return copies;
	const first = new Map<string, Row>();
	for (const { row } of payments) {
		if (row.errors.length) continue;
		const key = duplicateKey(recipient, endpoint, row);
		const earlier = first.get(key);
		if (earlier) copies.set(row, earlier);
		else first.set(key, row);
	}
	return copies;
}

function duplicateError(earlier: Row | undefined): ValidationError[] {
	if (!earlier) return [];
	const row = rowName(earlier.itemIndex);
	return [{ field: 'Payment', ...userMessage('duplicatePayment', { row }) }];
}

/**
 * A model that was told of a fault may try the same payment again under a reference that it makes up. So
 * a payment that an agent has sent in this execution is not sent again under another reference.
 */
function agentDuplicateError({ endpoint, options, agent }: Judged, row: Row): ValidationError[] {
	if (!agent || options.duplicatePayments === 'allow' || row.errors.length) return [];
	const likeness = payeeAndAmountKey(endpoint, row);
	const earlier =
		likeness === undefined ? undefined : agent.sentToSamePayee(likeness, row.idempotencyKey);
	if (!earlier) return [];
	const { reference, outcome } = earlier;
	return [{ field: 'Payment', ...userMessage('duplicateOfAgent', { reference, outcome }) }];
}

/** Why none of the good payments may be sent. */
async function batchRejection(
	batch: Controlled,
	good: OpenPayment[],
): Promise<Refusal | undefined> {
	const { endpoint, options, payments, service } = batch;
	const refusal = unexpectedFigures(endpoint, options, payments) ?? notApproved(batch);
	if (refusal || !options.checkBalance || !service) return refusal;
	try {
		return await balanceShortfall(endpoint, service, good);
	} catch (error) {
		const { code, message, hint } = toServiceError(error);
		return { code, message, hint };
	}
}

/** Why nothing may be sent with this credential; undefined when it is the one that Required Environment asks for. */
export function wrongEnvironment(
	{ requiredEnvironment: requiredEnvironment }: BatchOptions,
	target: Target | undefined,
): Refusal | undefined {
	if (!requiredEnvironment || !target || target.environment === requiredEnvironment)
		return undefined;
	return userMessage('wrongEnvironment', {
		wanted: environmentName(requiredEnvironment),
		credential: showValue(target.credential),
		target: describeTarget(target),
	});
}

/** Why the batch is not what the user expects, with both figures; undefined when it is. */
function unexpectedFigures(
	endpoint: MoneyEndpoint,
	{ expectedCount, expectedTotals, maximumTotals }: BatchOptions,
	payments: Payment[],
): Refusal | undefined {
	if (expectedCount !== undefined && expectedCount !== payments.length) {
		return userMessage('unexpectedCount', { expected: expectedCount, count: payments.length });
	}
	const actual = totalsOf(endpoint, payments);
	const unknown = payments.find(({ row }) => endpoint.amount(row.values) === undefined);
	if (unknown && (expectedTotals ?? maximumTotals)) {
		return userMessage('totalUnknown', {
			option: expectedTotals ? 'Expected Totals' : 'Maximum Totals',
			row: rowName(unknown.row.itemIndex),
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
	for (const [currency, total] of maximumTotals ? actual : []) {
		const maximum = maximumTotals?.get(currency);
		if (maximum === undefined) return userMessage('currencyWithoutMaximum', { currency, total });
		if (compareDecimals(total, maximum) > 0) {
			return userMessage('aboveMaximumTotal', { maximum, currency, total });
		}
	}
	return undefined;
}

/** Why the payments are not those that were approved; undefined when they are, or when nobody asks. */
function notApproved(batch: Controlled): Refusal | undefined {
	const approved = batch.options.approvalCode;
	if (!approved) return undefined;
	const now = fingerprint(batch.endpoint, payableRows(batch), batch.service?.target);
	if (now.text === approved.text) return undefined;
	const found = fingerprintDifferences(approved, now);
	return found.length
		? userMessage('approvalOfOtherPayments', { differences: found.join('; ') })
		: userMessage('approvalOfOtherContent');
}

/**
 * Why the payout balance does not cover the payments, with both figures; undefined when it does.
 *
 * @throws ServiceError when the balances cannot be read
 */
async function balanceShortfall(
	endpoint: MoneyEndpoint,
	service: Service,
	good: OpenPayment[],
): Promise<Refusal | undefined> {
	const { balance } = endpoint;
	const needed = new Map<string, { type: string; fiat: string; amounts: string[] }>();
	for (const { row } of good) {
		const use = balance?.of(row.values);
		const money = use && endpoint.amount(row.values);
		if (!use || !money) continue;
		const entry = needed.get(use.fiat) ?? { ...use, amounts: [] };
		entry.amounts.push(money.amount);
		needed.set(use.fiat, entry);
	}
	if (!balance || needed.size === 0) return undefined;

	const answer = await service.request({ method: 'GET', path: balance.path });
	const balances = listIn(answer).filter(isObject);
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
