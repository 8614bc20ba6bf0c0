import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { LOOKBACK_DAYS, type Reading } from '../../../logs/transactions';
import { isEmpty } from '../../../fields/validators';
import { toOperationError } from '../../../service/errors';
import { DAY_MS } from '../../../service/time';
import { showHint, userMessage } from '../../../messages/userMessage';

/** How far back an operation reads the logs. */
export const LOOKBACK: INodeProperties = {
	displayName: 'Lookback Window (Days)',
	name: 'lookbackDays',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: LOOKBACK_DAYS,
	description: 'How far back to read the logs, if the service lists the newest entries first',
};

/**
 * Reads `LOOKBACK`.
 *
 * @param name of its parameter
 * @returns where reading may end (milliseconds since 1970); the default if it is empty
 * @throws NodeOperationError if it is not a whole number of 1 or more
 */
export function readLookback(context: IExecuteFunctions, name: string, itemIndex: number): number {
	const raw: unknown = context.getNodeParameter(name, itemIndex, '');
	const days = isEmpty(raw) ? LOOKBACK_DAYS : Number(raw);
	if (Number.isInteger(days) && days >= 1) return Date.now() - days * DAY_MS;
	const { displayName: label } = LOOKBACK;
	throw toOperationError(context, userMessage('wrongLimit', { label }), itemIndex);
}

/** Shows hints about a reading of the logs. */
export function showReading(context: IExecuteFunctions, { count, isUnordered }: Reading): void {
	if (isUnordered) showHint(context, userMessage('logsUnordered', { count }), 'info');
}
