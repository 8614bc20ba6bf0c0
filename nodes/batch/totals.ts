import { grouped } from '../fields/grouped';
import { addDecimals, parseDecimal } from '../fields/money';
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
