import { createHash } from 'node:crypto';

import { compareDecimals } from '../fields/money';
import { normalizeText } from '../fields/text';
import { type Environment, environmentName, ENVIRONMENTS, type Target } from '../service/baseUrl';
import { MAX_EXAMINED } from '../service/outsideText';
import type { MoneyEndpoint } from './endpoint';
import type { FinishedPayment, Row } from './payment';
import { canonicalAmount, formatMoney, sum, totalsOf } from './totals';

/** The summary of a whole batch in a dry run, for the person who approves it. */
export type Summary = {
	/** All valid payments, including those that were already sent. */
	count: number;
	/** Those that would be sent now. */
	ready: number;
	/** Invalid rows. Nothing else here counts them. */
	invalidRows: number;
	/** Payments whose amount is unknown: no total includes them. */
	unknownAmounts: number;
	totals: Array<{ currency: string; fundingSource: string; count: number; amount: string }>;
	/** One for each currency: amounts of two currencies cannot be compared. */
	largest: Array<{
		currency: string;
		amount: string;
		reference: string;
		row: number;
		item: number;
	}>;
	/** The columns that were taken: `Amount <- Monto`. Empty if the values do not come from columns. */
	mapping: string;
	/** Which money it is, as the credential says; empty when it does not. */
	environment: Environment | '';
	/** Empty when no credential could be read. */
	host: string;
	fingerprint: string;
};

/**
 * @param rows all payable rows, including those that were already sent
 * @param payments all of the batch, at the end of the dry run
 * @param target where they would be sent, if a credential could be read
 * @param mapping the columns that were taken
 */
export function summarize(
	endpoint: MoneyEndpoint,
	rows: Row[],
	payments: FinishedPayment[],
	target: Target | undefined,
	mapping = '',
): Summary {
	const amounts = new Map<string, { currency: string; fundingSource: string; list: string[] }>();
	const largest = new Map<string, Summary['largest'][number]>();
	for (const { values, reference, itemIndex } of rows) {
		const money = endpoint.amount(values);
		if (!money) continue;
		const { currency } = money;
		const amount = canonicalAmount(money.amount) ?? '0';
		const fundingSource = String(values[endpoint.fundingField] ?? '');
		const key = JSON.stringify([currency, fundingSource]);
		const total = amounts.get(key) ?? { currency, fundingSource, list: [] };
		total.list.push(amount);
		amounts.set(key, total);

		const most = largest.get(currency);
		if (most && compareDecimals(amount, most.amount) <= 0) continue;
		largest.set(currency, { currency, amount, reference, row: itemIndex + 1, item: itemIndex });
	}
	const { text, unknownAmounts } = fingerprint(endpoint, rows, target);
	return {
		count: rows.length,
		ready: payments.filter(({ result }) => result.outcome === 'ready').length,
		invalidRows: payments.length - rows.length,
		unknownAmounts,
		totals: [...amounts.values()].map(({ currency, fundingSource, list }) => ({
			currency,
			fundingSource,
			count: list.length,
			amount: sum(list),
		})),
		largest: [...largest.values()],
		mapping,
		environment: target?.environment ?? '',
		host: target?.host ?? '',
		fingerprint: text,
	};
}

/** The parts of a fingerprint's text. */
export interface Fingerprint {
	/** All of it: `40 payments, 12,345.60 BOB, Production, 3f2a…`. */
	text: string;
	count: number;
	/** How many of the payments have an unknown amount. */
	unknownAmounts: number;
	/** By currency, as canonical decimals. */
	totals: Map<string, string>;
	/** The environment's name; left out when the credential states none. */
	environment?: string;
}

/**
 * The text that a person approves and that identifies these payments: count, totals and
 * environment to read, and a SHA-256 over the account and the exact requests. So what was approved in
 * the sandbox is not approved in production, nor for another account's money. The order of the rows does
 * not count, nor which of them were sent already, so that an interrupted run can be finished with the same
 * approval.
 *
 * @param rows all payable rows, including those that were already sent
 * @param target undefined if no credential can be read: the fingerprint then approves nothing
 */
export function fingerprint(
	endpoint: Pick<MoneyEndpoint, 'path' | 'amount'>,
	rows: Array<Pick<Row, 'idempotencyKey' | 'values' | 'body'>>,
	target?: Pick<Target, 'account' | 'environment'>,
): Fingerprint {
	const hash = createHash('sha256');
	hash.update(`${JSON.stringify([target?.account ?? ''])}\n`);
	for (const { body } of [...rows].sort(byReference)) {
		hash.update(`${JSON.stringify([endpoint.path, body])}\n`);
	}
	const totals = totalsOf(
		endpoint,
		rows.map((row) => ({ row })),
	);
	const figures = {
		count: rows.length,
		unknownAmounts: rows.filter(({ values }) => endpoint.amount(values) === undefined).length,
		totals: new Map([...totals].sort(([a], [b]) => (a < b ? -1 : 1))),
		...(target?.environment && { environment: environmentName(target.environment) }),
	};
	const parts = [
		payments(figures.count),
		...[...figures.totals].map(([currency, amount]) => formatMoney(amount, currency)),
		...(figures.unknownAmounts ? [`${figures.unknownAmounts}${OF_UNKNOWN_AMOUNT}`] : []),
		...(figures.environment === undefined ? [] : [figures.environment]),
		hash.digest('hex'),
	];
	return { text: parts.join(', '), ...figures };
}

/** Sorts by character code, which is the same everywhere: the order of an alphabet depends on the locale. */
function byReference(a: Pick<Row, 'idempotencyKey'>, b: Pick<Row, 'idempotencyKey'>): number {
	return a.idempotencyKey < b.idempotencyKey ? -1 : 1;
}

/**
 * Parses a fingerprint that a person has copied. Surrounding blanks, line breaks and invisible characters
 * do not matter.
 *
 * @returns undefined if it is not a fingerprint
 */
export function parseFingerprint(value: unknown): Fingerprint | undefined {
	if (typeof value !== 'string') return undefined;
	const text = normalizeText(value);
	if (text.length > MAX_EXAMINED) return undefined;
	const [first, ...parts] = text.split(', ');
	const hash = parts.pop() ?? '';
	const [, count] = /^(\d+) payments?$/.exec(first) ?? [];
	if (count === undefined || !/^[\da-f]{64}$/.test(hash)) return undefined;

	const read: Fingerprint = { text, count: Number(count), unknownAmounts: 0, totals: new Map() };
	for (const part of parts) {
		if (ENVIRONMENTS.some(({ name }) => name === part)) {
			read.environment = part;
			continue;
		}
		if (part.endsWith(OF_UNKNOWN_AMOUNT)) {
			read.unknownAmounts = Number.parseInt(part, 10) || 0;
			continue;
		}
		const [, amount, currency] = /^([\d,]+(?:\.\d+)?) (\w+)$/.exec(part) ?? [];
		const decimal = canonicalAmount(amount?.replaceAll(',', ''));
		if (decimal === undefined) return undefined;
		read.totals.set(currency, decimal);
	}
	return read;
}

/** How the approved payments differ from the present ones, with both figures, as far as their texts show. */
export function fingerprintDifferences(approved: Fingerprint, now: Fingerprint): string[] {
	const found: string[] = [];
	if (approved.environment !== now.environment) {
		found.push(
			`${approved.environment ?? NO_ENVIRONMENT} approved, ${now.environment ?? NO_ENVIRONMENT} now`,
		);
	}
	if (approved.count !== now.count) {
		found.push(`${payments(approved.count)} approved, ${now.count} now`);
	}
	for (const currency of new Set([...approved.totals.keys(), ...now.totals.keys()])) {
		const [then, have] = [approved.totals.get(currency) ?? '0', now.totals.get(currency) ?? '0'];
		if (compareDecimals(then, have) === 0) continue;
		found.push(`${formatMoney(then, currency)} approved, ${formatMoney(have, currency)} now`);
	}
	if (approved.unknownAmounts !== now.unknownAmounts) {
		found.push(
			`${approved.unknownAmounts}${OF_UNKNOWN_AMOUNT} approved, ${now.unknownAmounts} now`,
		);
	}
	return found;
}

const NO_ENVIRONMENT = 'no Environment';

const OF_UNKNOWN_AMOUNT = ' of an unknown amount';

function payments(count: number): string {
	return `${count} payment${count === 1 ? '' : 's'}`;
}
