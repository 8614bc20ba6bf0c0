import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { toOperationError } from '../../service/nodeErrors';
import { tell } from './messages';

/** The fields Return All and Limit of a Get Many operation. */
export const LIST_PROPERTIES: INodeProperties[] = [
	{
		displayName: 'Return All',
		name: 'returnAll',
		type: 'boolean',
		default: false,
		description: 'Whether to return all results or only up to a given limit',
	},
	{
		displayName: 'Limit',
		name: 'limit',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 50,
		description: 'Max number of results to return',
		displayOptions: { show: { returnAll: [false] } },
	},
];

/**
 * How many entries item `itemIndex` asks for: Infinity for all.
 *
 * @throws NodeOperationError when Limit is not a whole number of 1 or more
 */
export function wantedCount(context: IExecuteFunctions, itemIndex: number): number {
	if (context.getNodeParameter('returnAll', itemIndex, false) === true) return Infinity;
	const limit = Number(context.getNodeParameter('limit', itemIndex, 50));
	if (!Number.isInteger(limit) || limit < 1) {
		throw toOperationError(context.getNode(), tell('wrongLimit'), itemIndex);
	}
	return limit;
}

/** Whether a filter lets a value through. Nothing chosen means everything; an expression may give one text for a list. */
export function isChosen(chosen: string | string[] | undefined, value: unknown): boolean {
	const list = (Array.isArray(chosen) ? chosen : [chosen ?? '']).filter((entry) => entry !== '');
	return list.length === 0 || list.includes(String(value));
}
