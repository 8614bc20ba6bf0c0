import { grouped } from '../fields/grouped';
import { addDecimals, decimalPlaces, parseDecimal, withCents } from '../fields/money';
import type { MoneyEndpoint } from './endpoint';
import type { Row } from './payment';

/** Totals by currency, as canonical decimals, in the order in which currencies appear. */
export function totalsOf(
	endpoint: Pick<MoneyEndpoint, 'amount'>,
	rows: ReadonlyArray<Pick<Row, 'values'>>,
): Map<string, string> {
	const money = rows.flatMap(({ values }) => endpoint.amount(values) ?? []);
	const byCurrency = grouped(money, ({ currency }) => currency);
	return new Map(
		[...byCurrency].map(([currency, list]) => [currency, sum(list.map(({ amount }) => amount))]),
	);
}

/** The sum of amounts, as a canonical decimal. */
export function sum(amounts: string[]): string {
	return addDecimals(amounts.map((amount) => canonicalAmount(amount) ?? '0'));
}

/** An amount as a canonical decimal; undefined when it is none. */
export function canonicalAmount(amount: unknown): string | undefined {
	const decimal = parseDecimal(amount);
	return decimal.ok ? decimal.value : undefined;
}

/** An amount with the two decimals that people write: `1250.5` as `1250.50`. */
export function formatAmount(amount: string): string {
	return decimalPlaces(amount) === 0 ? amount : withCents(amount);
}

/** An amount with thousands separators and its currency: `12345.6` as `12,345.60 BOB`. */
export function formatMoney(amount: string, currency: string): string {
	const grouped = formatAmount(amount).replace(/\d+/, (whole) =>
		BigInt(whole).toLocaleString('en-US'),
	);
	return `${grouped} ${currency}`;
}
