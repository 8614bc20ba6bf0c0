import { withCents } from '../fields/money';
import type { MoneyEndpoint } from './endpoint';
import type { Row } from './payment';
import { canonicalAmount, formatMoney } from './totals';

type Naming = Pick<MoneyEndpoint, 'payeeName' | 'paidTo' | 'amount'>;

/** What people look for in a row. Each is empty if the row does not say it. */
export interface PaidFields {
	payee: string;
	/** Decimal text with at least two decimals. */
	amount: string;
	currency: string;
	/** The account or blockchain. */
	paidTo: string;
}

/** Whom a row pays, how much, and where to. */
export function paidFields(
	{ payeeName, paidTo, amount }: Naming,
	{ values }: Pick<Row, 'values'>,
): PaidFields {
	const money = amount(values);
	const decimal = money && canonicalAmount(money.amount);
	return {
		payee: (payeeName?.(values) ?? '').slice(0, MAX_NAME),
		amount: decimal === undefined ? '' : withCents(decimal),
		currency: decimal === undefined ? '' : (money?.currency ?? ''),
		paidTo: (paidTo?.(values) ?? '').slice(0, MAX_NAME),
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
	return [`row ${rowNumber(row)}`, payee, ...money].join(', ');
}

/** The number of a row as people count it. */
export function rowNumber({ itemIndex }: Pick<Row, 'itemIndex'>): number {
	return itemIndex + 1;
}

/** A row by its number alone, as people count it and as n8n does. */
export function itemName(itemIndex: number): string {
	return `row ${rowNumber({ itemIndex })} (item ${itemIndex})`;
}
