import { normalizeText } from '../fields/text';
import { digest } from '../ledger/executionState';
import type { MoneyEndpoint } from './endpoint';
import type { Row } from './payment';
import { canonicalAmount } from './totals';

type Paying = Pick<MoneyEndpoint, 'payee' | 'amount' | 'purpose'>;

/**
 * The duplicate key of a payment: payee, amount, currency and purpose. Two payments with the same key are most
 * likely one that was copied, whatever their references. A purpose that the node has for all rows does not count:
 * like a Batch ID, it may be worded differently when the same file runs again.
 *
 * @returns undefined for an endpoint that pays nobody
 */
export function duplicateKey(
	{ purpose: field, ...endpoint }: Paying,
	row: Pick<Row, 'values' | 'hasSharedPurpose'>,
): string | undefined {
	const payee = endpoint.payee?.(row.values);
	if (!payee) return undefined;
	const purpose = field === undefined || row.hasSharedPurpose ? '' : row.values[field];
	return digest({
		duplicate: [
			payee.id,
			moneyOf(endpoint, row),
			normalizeText(String(purpose ?? '')).toLowerCase(),
		],
	});
}

/**
 * Payee and amount of a payment. The purpose does not count: a model words it differently each time.
 *
 * @returns undefined for an endpoint that pays nobody
 */
export function payeeAndAmountKey(endpoint: Paying, row: Pick<Row, 'values'>): string | undefined {
	const payee = endpoint.payee?.(row.values);
	return payee && digest({ duplicate: [payee.id, moneyOf(endpoint, row)] });
}

/**
 * The digest of what a payment moves: payee, account, amount and currency. Under one reference, another digest is
 * a conflict. Names, descriptions and document types do not count.
 */
export function materialDigest(endpoint: Paying, row: Pick<Row, 'values'>): string {
	const payee = endpoint.payee?.(row.values);
	return digest({ material: [payee ? [payee.id, payee.account] : [], moneyOf(endpoint, row)] });
}

function moneyOf({ amount }: Paying, { values }: Pick<Row, 'values'>): Array<string | undefined> {
	const money = amount(values);
	return money ? [canonicalAmount(money.amount), money.currency] : [];
}
