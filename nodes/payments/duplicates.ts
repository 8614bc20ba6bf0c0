import { normalizeText } from '../fields/text';
import { digest } from '../state/executionState';
import type { MoneyEndpoint } from './endpoint';
import type { Row } from './payment';
import { canonicalAmount } from './totals';

/** The duplicate key of a payment: these fields of its row, and its amount. */
export function duplicateKey(fields: string[], endpoint: MoneyEndpoint, { values }: Row): string {
	const money = endpoint.amount(values);
	return JSON.stringify([
		...fields.map((name) => normalizeText(String(values[name] ?? '')).toLowerCase()),
		money && [canonicalAmount(money.amount), money.currency],
	]);
}

/**
 * Recipient and amount of a payment, as a digest. The purpose does not count: a model words it differently
 * each time.
 *
 * @returns undefined for an endpoint whose payments cannot be duplicates
 */
export function payeeAndAmountKey(endpoint: MoneyEndpoint, row: Row): string | undefined {
	const fields = endpoint.duplicateFields?.filter((name) => name !== endpoint.purpose);
	return fields && digest({ duplicate: duplicateKey(fields, endpoint, row) });
}
