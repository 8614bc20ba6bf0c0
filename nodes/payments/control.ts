import type { IDataObject } from 'n8n-workflow';

import { compareDecimals } from '../fields/money';
import { problemText, showValue, type Problem } from '../fields/problem';
import type { ExecutionMemory } from '../memory/executionMemory';
import type { SentReferences } from '../memory/sentReferences';
import { listIn } from '../service/answers';
import { describeTarget, environmentName, type Target } from '../service/environment';
import { ServiceError } from '../service/errors';
import type { Service } from '../service/transport';
import type { MoneyEndpoint } from './endpoint';
import { differences, fingerprintOf } from './fingerprint';
import { agentLikeness, likeness } from './likeness';
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
import { sentBefore } from './settle';
import { canonical, sum, totalsOf } from './totals';

/** What the controls judge, beside the payments that are open. */
export interface Controlled {
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
	/** What this execution sent, given where an AI agent calls the node as a tool. */
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
		const good = open.filter(({ row }) => !problems.get(row)?.length);
		const refusal =
			batch.refusal ??
			(good.length < open.length && !batch.continueOnFail ? OTHERS_ARE_BAD : undefined) ??
			(good.length ? await refusalOf(batch, good) : undefined);

		const held = open.filter(({ row }) => refusal ?? problems.get(row)?.length);
		const known = await lookUpHeld(batch, held);
		return open.map((payment) => {
			if (known.has(payment.row.key)) return end(payment, sentBefore(payment.row, batch.options));
			const own = problems.get(payment.row) ?? [];
			if (own.length) return endNotSent(payment, badRow(own));
			if (!refusal) return payment;
			const cause = refusal === OTHERS_ARE_BAD ? undefined : 'refusal';
			return endNotSent(payment, { ...refusal, cause });
		});
	};
}

/** Which of the rows that are not sent now were sent before: nobody must take these for unpaid. */
async function lookUpHeld({ sent }: Controlled, held: OpenPayment[]): Promise<Set<string>> {
	const keys = held.map(({ row }) => row.key).filter((key) => key !== '');
	if (!sent || keys.length === 0) return new Set();
	return await sent.lookUp([...new Set(keys)]).catch(() => new Set<string>());
}

function badRow(problems: Problem[]) {
	return {
		message: problems.map(problemText).join('\n'),
		advice: 'Nothing was sent for this item. Correct it and run it again.',
		cause: 'badRow' as const,
	};
}

const OTHERS_ARE_BAD: Refusal = {
	message: 'Not sent, because other items break a rule',
	advice: 'Correct them, or set On Error to continue.',
};

/** What tells which rows are to be paid. */
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
		return [
			{
				field: 'Amount',
				rule: 'is not known, so Maximum Amount cannot be checked',
				fix: 'Remove Maximum Amount, or give an amount.',
			},
		];
	}
	if (compareDecimals(amount, maximumAmount) <= 0) return [];
	return [
		{
			field: 'Amount',
			value: showValue(`${amount} ${money.currency}`),
			rule: `is above the Maximum Amount of ${maximumAmount}`,
			fix: 'Check the amount, or raise Maximum Amount in Options.',
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
	return [
		{
			field: 'Payment',
			rule: `is identical to that of ${rowName(earlier.itemIndex)}: the same recipient, amount and purpose`,
			fix: 'Remove the line if it was copied. If both are to be paid, tell them apart by Key Columns, or set Identical Payments to Allow.',
		},
	];
}

/**
 * A model that was told of a fault may try the same payment again under a reference that it has made up. So
 * what an agent has sent in this execution, it does not send again under another one.
 */
function sentAlready({ endpoint, options, agent }: Judged, row: Row): Problem[] {
	if (!agent || options.allowIdentical || row.problems.length) return [];
	const likeness = agentLikeness(endpoint, row);
	const earlier = likeness === undefined ? undefined : agent.sentLike(likeness, row.key);
	if (!earlier) return [];
	return [
		{
			field: 'Payment',
			rule: `is identical to one that this execution has sent under the reference ${earlier.reference} (${earlier.outcome}): the same recipient and amount`,
			fix: 'If it is the same payment, do not pay it again: look it up under that reference. If both are to be paid, a person has to set Identical Payments to Allow.',
		},
	];
}

/** Why none of the good payments may be sent. */
async function refusalOf(batch: Controlled, good: OpenPayment[]): Promise<Refusal | undefined> {
	const { endpoint, options, payments, service } = batch;
	const unexpected = mismatch(endpoint, options, payments);
	if (unexpected !== undefined) {
		return {
			message: unexpected,
			advice: 'Compare the input with what you expected, or correct the option.',
		};
	}
	const unapproved = notApproved(batch);
	if (unapproved !== undefined) {
		return {
			message: unapproved,
			advice:
				'Make a dry run of these rows with the same settings, and have its fingerprint approved.',
		};
	}
	if (!options.checkBalance || !service) return undefined;
	try {
		const shortfall = await balanceShortfall(endpoint, service, good);
		return shortfall === undefined
			? undefined
			: { message: shortfall, advice: 'Top up the balance, or pay fewer items.' };
	} catch (error) {
		const advice = error instanceof ServiceError ? error.advice : undefined;
		return { message: (error as Error).message, advice: advice ?? '' };
	}
}

/** Why nothing may be sent with this credential; undefined when it is the one that Only In asks for. */
export function wrongEnvironment(
	{ onlyIn }: BatchOptions,
	target: Target | undefined,
): Refusal | undefined {
	if (!onlyIn || !target || target.environment === onlyIn) return undefined;
	const wanted = environmentName(onlyIn);
	return {
		message: `Only In is ${wanted}, and the credential ${showValue(target.credential)} is for ${describeTarget(target)}`,
		advice: `Choose a credential whose Environment is ${wanted}, or change Only In.`,
	};
}

/** Why the batch is not what the user expects, with both figures; undefined when it is. */
function mismatch(
	endpoint: MoneyEndpoint,
	{ expectedCount, expectedTotals, maximumTotals }: BatchOptions,
	payments: Payment[],
): string | undefined {
	if (expectedCount !== undefined && expectedCount !== payments.length) {
		return `Expected Count is ${expectedCount}, and there are ${payments.length} items`;
	}
	const actual = totalsOf(endpoint, payments);
	const unknown = payments.find(({ row }) => endpoint.amount(row.values) === undefined);
	if (unknown && (expectedTotals ?? maximumTotals)) {
		return `${expectedTotals ? 'Expected Totals' : 'Maximum Totals'} cannot be checked, because the amount of ${rowName(unknown.row.itemIndex)} is not known`;
	}
	if (expectedTotals) {
		for (const currency of new Set([...expectedTotals.keys(), ...actual.keys()])) {
			const want = expectedTotals.get(currency);
			const have = actual.get(currency) ?? '0';
			if (want === undefined) {
				return `Expected Totals has no ${currency}, and the items come to ${have} ${currency}`;
			}
			if (compareDecimals(want, have) !== 0) {
				return `Expected Totals has ${want} ${currency}, and the items come to ${have} ${currency}`;
			}
		}
	}
	for (const [currency, have] of maximumTotals ? actual : []) {
		const most = maximumTotals?.get(currency);
		if (most === undefined) {
			return `Maximum Totals has no ${currency}, and the items come to ${have} ${currency}`;
		}
		if (compareDecimals(have, most) > 0) {
			return `Maximum Totals allows ${most} ${currency}, and the items come to ${have} ${currency}`;
		}
	}
	return undefined;
}

/** Why the payments are not those that were approved; undefined when they are, or when nobody asks. */
function notApproved(batch: Controlled): string | undefined {
	const approved = batch.options.approvedFingerprint;
	if (!approved) return undefined;
	const now = fingerprintOf(batch.endpoint, rowsToPay(batch), batch.service?.target);
	if (now.text === approved.text) return undefined;
	const found = differences(approved, now);
	return found.length
		? `Approved Fingerprint is of other payments: ${found.join('; ')}`
		: 'Approved Fingerprint is of other payments: count and totals are the same, and something in the rows or the account that pays differs';
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
): Promise<string | undefined> {
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

	const balances = listIn(await service.request({ method: 'GET', path: balance.path }));
	for (const { fiat, type, amounts } of needed.values()) {
		const need = sum(amounts);
		const have = availableIn(balances, fiat, type);
		if (have === undefined) {
			return `Check Balance First finds no single ${fiat} balance for these payouts, and they come to ${need} ${fiat}`;
		}
		if (compareDecimals(have, need) < 0) {
			return `The balance is ${have} ${fiat}, and these payouts come to ${need} ${fiat}`;
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
