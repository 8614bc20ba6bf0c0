import type { MoneyEndpoint } from './endpoint';
import type { Row } from './payment';
import { canonicalAmount, formatMoney, withCents } from './totals';

type Naming = Pick<MoneyEndpoint, 'payeeName' | 'amount'>;

/** What people look for in a row. Each is empty if the row does not say it. */
export interface PaidFields {
	payee: string;
	/** Decimal text with at least two decimals. */
	amount: string;
	currency: string;
}

/** Whom a row pays, and how much. */
export function paidFields(
	{ payeeName, amount }: Naming,
	{ values }: Pick<Row, 'values'>,
): PaidFields {
	const money = amount(values);
	const decimal = money && canonicalAmount(money.amount);
	return {
		payee: (payeeName?.(values) ?? '').slice(0, MAX_NAME),
		amount: decimal === undefined ? '' : withCents(decimal),
		currency: decimal === undefined ? '' : (money?.currency ?? ''),
	};
}

/** More than a name or an address has. */
const MAX_NAME = 100;

/**
 * A row as people know it: `row 2, Maria Quispe, 900.00 BOB`. A row whose payee is unknown is named as n8n
 * counts it, too: `row 2 (item 1)`.
 */
export function rowName(endpoint: Naming, row: Pick<Row, 'itemIndex' | 'values'>): string {
	const { payee, amount, currency } = paidFields(endpoint, row);
	if (payee === '') return itemName(row.itemIndex);
	const money = amount === '' ? [] : [formatMoney(amount, currency).trim()];
	return [`row ${row.itemIndex + 1}`, payee, ...money].join(', ');
}

/** A row by its number alone, as people count it and as n8n does. */
export function itemName(itemIndex: number): string {
	return `row ${itemIndex + 1} (item ${itemIndex})`;
}
