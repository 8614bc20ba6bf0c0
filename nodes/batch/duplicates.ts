import { wordsOf } from '../fields/text';
import { digest } from '../ledger/executionState';
import type { MoneyEndpoint } from './endpoint';
import type { Row } from './payment';

type Paying = Pick<MoneyEndpoint, 'payee' | 'amount' | 'purpose' | 'hasAccounts'>;

/**
 * The keys of a payment under which duplicates are found, whatever their references: its money with the payee, and with
 * the account, so that a corrected document hides none. The purpose is no part of them.
 *
 * @returns none for an endpoint that pays nobody
 */
export function duplicateKeys(
	endpoint: Paying,
	row: Pick<Row, 'values'>,
): { payee?: string; account?: string } {
	const payee = endpoint.payee?.(row.values);
	if (!payee) return {};
	const money = moneyOf(endpoint, row);
	return {
		payee: digest({ duplicate: [payee.id, money] }),
		...(endpoint.hasAccounts && { account: digest({ sameAccount: [payee.account, money] }) }),
	};
}

/** The same with the purpose, to compare the rows of one run. */
export function copyKeys(endpoint: Paying, row: Pick<Row, 'values'>): string[] {
	const { purpose } = endpoint;
	const text = normalizedPurpose(purpose === undefined ? '' : row.values[purpose]);
	return Object.values(duplicateKeys(endpoint, row)).map((key) => digest({ copy: [key, text] }));
}

/** The form in which purposes are compared: their words count, not blanks, punctuation and letter case. */
export function normalizedPurpose(purpose: unknown): string {
	return wordsOf(String(purpose ?? '').toLowerCase()).join(' ');
}

/**
 * The digest of what a payment moves: payee, account, amount and currency. Under one reference, another digest is
 * a conflict. Names, descriptions and document types do not count.
 */
export function materialDigest(endpoint: Paying, row: Pick<Row, 'values'>): string {
	const payee = endpoint.payee?.(row.values);
	return digest({ material: [payee ? [payee.id, payee.account] : [], moneyOf(endpoint, row)] });
}

function moneyOf({ amount }: Paying, { values }: Pick<Row, 'values'>): string[] {
	const money = amount(values);
	return money ? [money.amount, money.currency] : [];
}
