import type { IDataObject } from 'n8n-workflow';

import { collection, entries, type Output } from '../../../fields/form';
import { QUOTES_PATH } from '../../../batch/costs';
import { entriesIn } from '../../../service/responses';
import { QUOTE_TYPES, sameLabel } from '../../../service/enums';
import { type Operation, toItems } from '../../operations/operation';
import { isChosen, LIST_PROPERTIES, readLimit } from '../../operations/itemParameters';

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

export const OUTPUT: Output = {
	transactionType: 'string',
	pair: 'string',
	serviceExchangeRate: 'number',
	partnerExchangeRate: 'number',
	partnerPctFee: 'number',
	timeStamp: 'string',
};

/**
 * Section 4.8: `GET /v2/quotes`. The names of the service's filters are not documented, so the node filters
 * the list. Query Parameters passes any filter that the user knows.
 */
export const getAll: Operation = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many quotes',
	description:
		'Get your current exchange rates and fees. Use it before a payout or deposit with conversion, or to watch a rate.',
	properties: [
		...LIST_PROPERTIES,
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
	output: OUTPUT,
	simplified: ['transactionType', 'pair', 'partnerExchangeRate', 'partnerPctFee', 'timeStamp'],
	async executeItem(service, itemIndex) {
		const wanted = readLimit(this, itemIndex);
		const { pair, transactionType } = this.getNodeParameter('filters', itemIndex, {}) as {
			pair?: string | string[];
			transactionType?: string | string[];
		};
		const parameters = this.getNodeParameter(
			'options.queryParameters.parameter',
			itemIndex,
			[],
		) as Array<{ name: string; value: string }>;
		const query: IDataObject = {};
		for (const { name, value } of parameters) {
			if (name !== '') query[name] = value;
		}

		const quotes = entriesIn(
			await service.request({
				method: 'GET',
				path: QUOTES_PATH,
				...(Object.keys(query).length && { query }),
			}),
		);
		return toItems(
			quotes
				.filter(
					(quote) => isChosen(pair, quote.pair) && isChosen(transactionType, quote.transactionType),
				)
				.slice(0, wanted),
		);
	},
};
