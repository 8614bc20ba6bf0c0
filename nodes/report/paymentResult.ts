import type { IDataObject } from 'n8n-workflow';

import { normalizeText } from '../fields/text';
import { isObject } from '../service/json';

/** The outcomes of payments in the order of reports: those that may have to be reconciled come first. */
export const OUTCOMES = [
	'unknown',
	'conflict',
	'rejected',
	'created',
	'alreadySent',
	'notSent',
	'ready',
] as const;

/**
 * The result of a payment in an item; undefined if it has none. A failed payment has its fields in `error`: the
 * columns next to it may be those of the file.
 */
export function paymentResult({ error, ...fields }: IDataObject): IDataObject | undefined {
	return [error, fields]
		.filter(isObject)
		.find(
			({ outcome }) =>
				typeof outcome === 'string' && OUTCOMES.some((one) => one === normalizeText(outcome)),
		);
}
