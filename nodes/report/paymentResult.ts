import type { IDataObject } from 'n8n-workflow';

import { normalizeText } from '../fields/text';
import { isObject } from '../service/json';

const OUTCOMES = ['created', 'rejected', 'unknown', 'notSent', 'alreadySent', 'conflict', 'ready'];

/**
 * The result of a payment in an item; undefined if it has none. A failed payment has its fields in `error`: the
 * columns next to it may be those of the file.
 */
export function paymentResult({ error, ...fields }: IDataObject): IDataObject | undefined {
	return [error, fields]
		.filter(isObject)
		.find(
			({ outcome }) => typeof outcome === 'string' && OUTCOMES.includes(normalizeText(outcome)),
		);
}
