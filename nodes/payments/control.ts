import type { IDataObject } from 'n8n-workflow';

import { compareDecimals } from '../fields/money';
import { problemText, showValue, type Problem } from '../fields/checkFields';
import type { ExecutionMemory } from '../memory/executionMemory';
import type { SentReferences } from '../memory/sentReferences';
import { isObject, listIn } from '../service/answers';
import { describeTarget, environmentName, type Target } from '../service/environment';
import { toServiceError } from '../service/errors';
import type { Service } from '../service/transport';
import type { MoneyEndpoint } from './endpoint';
import {
	agentLikeness,
	canonical,
	differences,
	fingerprintOf,
	likeness,
	sum,
	totalsOf,
} from './figures';
import { tell } from './messages';
import type { BatchOptions } from './options';
import {
	end,
	endNotSent,
	rowName,
	type OpenPayment,
	type Payment,
	type Refusal,
	type Row,
	type Stage,
} from './payment';
import { sentEarlier } from './settle';

/** What the controls judge, beside the payments that are open. */
interface Controlled {
	endpoint: MoneyEndpoint;
	options: BatchOptions;
	/** All payments, also those that an earlier attempt sent: limits are for the whole batch. */
	payments: Payment[];
	/** Why nothing may be sent, if that is known already. */
	refusal?: Refusal;
	/** Whether a reference of its own, or a key, tells each payment from every other. */
	isToldApart: boolean;
	/** With On Error set to continue, bad rows do not keep good ones from being sent. */
	continueOnFail: boolean;
	/** What this execution sent. */
	memory: ExecutionMemory;
	/** The same, given where an AI agent calls the node as a tool. */
	agent?: ExecutionMemory;
	/** Given where a control has to ask the service. */
	service?: Service;
	/** Given where sent references are remembered. */
	sent?: SentReferences;
}

/** The stage before sending: ends what must not be sent, and all when the batch is not as expected. */
export function control(batch: Controlled): Stage {
	return async (open) => {
		const problems = problemsByRow(batch);
		const others: Refusal = tell('othersBreakRules');
		const good = open.filter(({ row }) => !problems.get(row)?.length);
		const refusal =
			batch.refusal ??
			(good.length < open.length && !batch.continueOnFail ? others : undefined) ??
			(good.length ? await refusalOf(batch, good) : undefined);

		const isHeld = ({ row }: OpenPayment) => refusal !== undefined || problems.get(row)?.length;
		const held = open.filter(isHeld).map(({ row }) => row);
		const earlier = await sentEarlier(held, batch.memory, batch.sent, batch.options);
		return open.map((payment) => {
			const before = isHeld(payment) && earlier(payment.row);
			if (before) return end(payment, before);
			const own = problems.get(payment.row) ?? [];
			if (own.length) return endNotSent(payment, badRow(own), 'badRow');
			if (!refusal) return payment;
			return endNotSent(payment, refusal, refusal === others ? undefined : 'refusal');
		});
	};
}

/** The end of a row that breaks rules: all of them in the message, the code of the first. */
function badRow(problems: Problem[]): Refusal {
	return {
		code: problems[0].code,
		message: problems.map(problemText).join('\n'),
		advice: 'Nothing was sent for this item. Correct it and run it again.',
	};
}

/** What decides which rows are to be paid. */
type Judged = Pick<Controlled, 'endpoint' | 'options' | 'payments' | 'isToldApart' | 'agent'>;

/** The rows that are to be paid: all without a fault of their own, those that were sent before too. */
export function rowsToPay(batch: Judged): Row[] {
	return [...problemsByRow(batch)].flatMap(([row, problems]) => (problems.length ? [] : row));
}

function problemsByRow(batch: Judged): Map<Row, Problem[]> {
	const copies = identicalRows(batch);
	return new Map(
		batch.payments.map(({ row }) => [
			row,
			[
				...row.problems,
				...aboveMaximum(batch, row),
				...identical(copies.get(row)),
				...sentAlready(batch, row),
			],
		]),
	);
}

function aboveMaximum(
	{ endpoint, options: { maximumAmount } }: Judged,
	{ values }: Row,
): Problem[] {
	if (maximumAmount === undefined) return [];
	const money = endpoint.amount(values);
	const amount = money && canonical(money.amount);
	if (!money || amount === undefined) {
		return [{ field: 'Amount', ...tell('amountUnknown') }];
	}
	if (compareDecimals(amount, maximumAmount) <= 0) return [];
	return [
		{
			field: 'Amount',
			value: showValue(`${amount} ${money.currency}`),
			...tell('aboveMaximumAmount', { maximum: maximumAmount }),
		},
	];
}

/**
 * Rows that pay what an earlier row pays already, down to what it is for: most likely copied lines.
 *
 * @returns the earlier row of each of them
 */
function identicalRows({ endpoint, options, payments, isToldApart }: Judged): Map<Row, Row> {
	const copies = new Map<Row, Row>();
	const { recipient } = endpoint;
	if (!recipient || options.allowIdentical || isToldApart) return copies;
	const first = new Map<string, Row>();
	for (const { row } of payments) {
		if (row.problems.length) continue;
		const key = likeness(recipient, endpoint, row);
		const earlier = first.get(key);
		if (earlier) copies.set(row, earlier);
		else first.set(key, row);
	}
	return copies;
}

function identical(earlier: Row | undefined): Problem[] {
	if (!earlier) return [];
	const row = rowName(earlier.itemIndex);
	return [{ field: 'Payment', ...tell('identicalPayment', { row }) }];
}

/**
 * A model that was told of a fault may try the same payment again under a reference that it makes up. So
 * a payment that an agent has sent in this execution is not sent again under another reference.
 */
function sentAlready({ endpoint, options, agent }: Judged, row: Row): Problem[] {
	if (!agent || options.allowIdentical || row.problems.length) return [];
	const likeness = agentLikeness(endpoint, row);
	const earlier = likeness === undefined ? undefined : agent.sentLike(likeness, row.key);
	if (!earlier) return [];
	const { reference, outcome } = earlier;
	return [{ field: 'Payment', ...tell('sentByAgent', { reference, outcome }) }];
}

/** Why none of the good payments may be sent. */
async function refusalOf(batch: Controlled, good: OpenPayment[]): Promise<Refusal | undefined> {
	const { endpoint, options, payments, service } = batch;
	const refusal = mismatch(endpoint, options, payments) ?? notApproved(batch);
	if (refusal || !options.checkBalance || !service) return refusal;
	try {
		return await balanceShortfall(endpoint, service, good);
	} catch (error) {
		const { code, message, advice } = toServiceError(error);
		return { code, message, advice };
	}
}

/** Why nothing may be sent with this credential; undefined when it is the one that Only In asks for. */
export function wrongEnvironment(
	{ onlyIn }: BatchOptions,
	target: Target | undefined,
): Refusal | undefined {
	if (!onlyIn || !target || target.environment === onlyIn) return undefined;
	return tell('wrongEnvironment', {
		wanted: environmentName(onlyIn),
		credential: showValue(target.credential),
		target: describeTarget(target),
	});
}

/** Why the batch is not what the user expects, with both figures; undefined when it is. */
function mismatch(
	endpoint: MoneyEndpoint,
	{ expectedCount, expectedTotals, maximumTotals }: BatchOptions,
	payments: Payment[],
): Refusal | undefined {
	if (expectedCount !== undefined && expectedCount !== payments.length) {
		return tell('unexpectedCount', { expected: expectedCount, count: payments.length });
	}
	const actual = totalsOf(endpoint, payments);
	const unknown = payments.find(({ row }) => endpoint.amount(row.values) === undefined);
	if (unknown && (expectedTotals ?? maximumTotals)) {
		return tell('totalUnknown', {
			option: expectedTotals ? 'Expected Totals' : 'Maximum Totals',
			row: rowName(unknown.row.itemIndex),
		});
	}
	if (expectedTotals) {
		for (const currency of new Set([...expectedTotals.keys(), ...actual.keys()])) {
			const expected = expectedTotals.get(currency);
			const total = actual.get(currency) ?? '0';
			if (expected === undefined) return tell('unexpectedCurrency', { currency, total });
			if (compareDecimals(expected, total) !== 0) {
				return tell('unexpectedTotal', { expected, currency, total });
			}
		}
	}
	for (const [currency, total] of maximumTotals ? actual : []) {
		const maximum = maximumTotals?.get(currency);
		if (maximum === undefined) return tell('currencyWithoutMaximum', { currency, total });
		if (compareDecimals(total, maximum) > 0) {
			return tell('aboveMaximumTotal', { maximum, currency, total });
		}
	}
	return undefined;
}

/** Why the payments are not those that were approved; undefined when they are, or when nobody asks. */
function notApproved(batch: Controlled): Refusal | undefined {
	const approved = batch.options.approvedFingerprint;
	if (!approved) return undefined;
	const now = fingerprintOf(batch.endpoint, rowsToPay(batch), batch.service?.target);
	if (now.text === approved.text) return undefined;
	const found = differences(approved, now);
	return found.length
		? tell('otherPaymentsApproved', { differences: found.join('; ') })
		: tell('otherContentApproved');
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
		if (available === undefined) return tell('noBalance', { currency, total });
		if (compareDecimals(available, total) < 0) {
			return tell('balanceTooLow', { balance: available, currency, total });
		}
	}
	return undefined;
}

/** The balance of the payout's own type; otherwise the only one in that currency. */
function availableIn(balances: IDataObject[], fiat: string, type: string): string | undefined {
	const inCurrency = balances.filter((entry) => entry.fiat === fiat);
	const own = inCurrency.filter((entry) => entry.type === type);
	const candidates = own.length ? own : inCurrency;
	return candidates.length === 1 ? canonical(candidates[0].balance) : undefined;
}
