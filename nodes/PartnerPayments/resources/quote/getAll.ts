import type { IDataObject } from 'n8n-workflow';

import { collection, entries } from '../../../fields/form';
import { QUOTES_PATH } from '../../../batch/costs';
import { entriesIn } from '../../../service/responses';
import { QUOTE_TYPES, sameLabel } from '../../../service/enums';
import { getMany } from '../../operations/list';

const PAIRS = sameLabel(
	'BOB/USDC',
	'BOB/USDT',
	'EURC/EUR',
	'USDC/BOB',
	'USDC/BRL',
	'USDC/CLP',
	'USDC/COP',
	'USDC/EUR',
	'USDC/PEN',
	'USDC/USD',
	'USDT/BOB',
	'USDT/BRL',
	'USDT/CLP',
	'USDT/COP',
	'USDT/EUR',
	'USDT/PEN',
	'USDT/USD',
);

/**
 * Section 4.8: `GET /v2/quotes`. The names of the service's filters are not documented, so the node filters
 * the list. Query Parameters passes any filter that the user knows.
 */
export const getAll = getMany(
	{
		async read(service, context, itemIndex) {
			const parameters = context.getNodeParameter(
				'options.queryParameters.parameter',
				itemIndex,
				[],
			) as Array<{ name: string; value: string }>;
			const query: IDataObject = {};
			for (const { name, value } of parameters) {
				if (name !== '') query[name] = value;
			}
			const given = Object.keys(query).length > 0 && { query };
			return entriesIn(await service.request({ method: 'GET', path: QUOTES_PATH, ...given }));
		},
		output: {
			transactionType: 'string',
			pair: 'string',
			serviceExchangeRate: 'number',
			partnerExchangeRate: 'number',
			partnerPctFee: 'number',
			timeStamp: 'string',
		},
		simplified: ['transactionType', 'pair', 'partnerExchangeRate', 'partnerPctFee', 'timeStamp'],
	},
	{
		action: 'Get many quotes',
		description:
			'Get your current exchange rates and fees. Use it before a payout or deposit with conversion, or to watch a rate.',
	},
	[
		collection('Filters', [
			{
				displayName: 'Pair',
				name: 'pair',
				type: 'multiOptions',
				options: PAIRS,
				default: [],
				description: 'Only quotes for these currency pairs',
			},
			{
				displayName: 'Transaction Type',
				name: 'transactionType',
				type: 'multiOptions',
				options: QUOTE_TYPES,
				default: [],
				description: 'Only quotes for these types of transaction',
			},
		]),
		collection('Options', [
			{
				displayName: 'Query Parameters',
				name: 'queryParameters',
				type: 'fixedCollection',
				...entries('Parameter', 'parameter', [
					{ displayName: 'Name', name: 'name', type: 'string', default: '' },
					{ displayName: 'Value', name: 'value', type: 'string', default: '' },
				]),
				default: {},
				description: 'Sent to the service unchanged, for its own filters',
			},
		]),
	],
);
