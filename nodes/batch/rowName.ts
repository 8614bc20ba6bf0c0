import { withCents } from '../fields/money';
import { moneyWithCurrency } from '../report/language';
import { inEachLanguage, type Language, phrase, type Words } from '../messages/userMessage';
import type { MoneyEndpoint } from './endpoint';
import type { Row } from './payment';

type Naming = Pick<MoneyEndpoint, 'payeeName' | 'paidTo' | 'amount'>;

type Named = Pick<Row, 'itemIndex' | 'number' | 'values'>;

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
	return {
		payee: (payeeName?.(values) ?? '').slice(0, MAX_NAME),
		amount: money ? withCents(money.amount) : '',
		currency: money?.currency ?? '',
		paidTo: (paidTo?.(values) ?? '').slice(0, MAX_NAME),
	};
}

/** More than a name or an address has. */
const MAX_NAME = 100;

/**
 * A row as people know it: `row 2, Maria Quispe, 900.00 BOB`. A row whose payee is unknown is named as n8n
 * counts it, too: `row 2 (item 1)`.
 */
export function rowName(endpoint: Naming, row: Named, language: Language = 'en'): string {
	const { payee, amount, currency } = paidFields(endpoint, row);
	if (payee === '') return itemName(row.itemIndex, language);
	const money = amount === '' ? [] : [moneyWithCurrency(amount, currency, language)];
	return [`${phrase('row')[language]} ${rowNumber(row)}`, payee, ...money].join(', ');
}

/** The name of a row in a message. */
export function rowWords(endpoint: Naming, row: Named): Words {
	// Spanish has an article.
	return phrase('theRow', { row: inEachLanguage((language) => rowName(endpoint, row, language)) });
}

/** The number of a row as people count it: in its file, if that is known. */
export function rowNumber({ itemIndex, number }: Pick<Row, 'itemIndex' | 'number'>): number {
	return number ?? itemIndex + 1;
}

/** A row by its number alone, as people count it. English is the editor's: n8n counts items. */
export function itemName(itemIndex: number, language: Language = 'en'): string {
	return phrase('rowAlone', { row: rowNumber({ itemIndex }), item: itemIndex })[language];
}

/** A row of another run of a loop, in a message. */
export function rowOfRun({ item, run }: { item: number; run: number }): Words {
	const row = inEachLanguage((language) => itemName(item, language));
	return phrase('rowOfRun', { row, run: run + 1 });
}
