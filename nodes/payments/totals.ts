import { addDecimals, decimalPlaces, parseDecimal } from '../fields/money';
import type { MoneyEndpoint } from './endpoint';
import type { Row } from './payment';

/** Totals by currency, as canonical decimals, in the order in which currencies appear. */
export function totalsOf(
	endpoint: Pick<MoneyEndpoint, 'amount'>,
	payments: Array<{ row: Pick<Row, 'values'> }>,
): Map<string, string> {
	const amounts = new Map<string, string[]>();
	for (const { row } of payments) {
		const money = endpoint.amount(row.values);
		if (!money) continue;
		const list = amounts.get(money.currency);
		if (list) list.push(money.amount);
		else amounts.set(money.currency, [money.amount]);
	}
	return new Map([...amounts].map(([currency, list]) => [currency, sum(list)]));
}

/** The sum of amounts, as a canonical decimal. */
export function sum(amounts: string[]): string {
	return addDecimals(amounts.map((amount) => canonical(amount) ?? '0'));
}

/** An amount as a canonical decimal; undefined when it is none. */
export function canonical(amount: unknown): string | undefined {
	const decimal = parseDecimal(amount);
	return decimal.ok ? decimal.text : undefined;
}

/** `1250.5` as people write it: `1250.50`. */
export function inCents(amount: string): string {
	return decimalPlaces(amount) === 1 ? `${amount}0` : amount;
}
