import { readLogs, TransactionIndex } from '../../../webhooks/transactions';
import { TRANSACTION_EVENTS, TRANSACTION_TYPES } from '../../../service/enums';
import { eachItem, type Operation } from '../../operations/operation';
import { isChosen, LIST_PROPERTIES, readDate, readLimit } from '../../operations/itemParameters';
import { hintOfPassedOver, TRANSACTION, transactionFields } from './shared';

/**
 * Section 4.12: `GET /v2/webhooks/logs`. The service has no address to ask for transactions, but each
 * change of a status is an event, and the logs have the events.
 */
export const getAll: Operation = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many transactions',
	description:
		'Get the transactions that the delivery logs of your webhooks know, with the newest status of each. Use it to see what completed or failed.',
	properties: [
		...LIST_PROPERTIES,
		{
			displayName: 'Filters',
			name: 'filters',
			type: 'collection',
			placeholder: 'Add Filter',
			default: {},
			options: [
				{
					displayName: 'From',
					name: 'from',
					type: 'dateTime',
					default: '',
					description:
						'Only transactions whose status changed at this time or later. The history begins there, too.',
				},
				{
					displayName: 'Status',
					name: 'status',
					type: 'multiOptions',
					options: TRANSACTION_EVENTS,
					default: [],
					description: 'Only transactions that are in one of these states now',
				},
				{
					displayName: 'To',
					name: 'to',
					type: 'dateTime',
					default: '',
					description: 'Only transactions whose status last changed before this time',
				},
				{
					displayName: 'Transaction Type',
					name: 'transactionType',
					type: 'multiOptions',
					options: TRANSACTION_TYPES,
					default: [],
					description: 'Only transactions of these types',
				},
			],
		},
	],
	output: { transactionType: 'string', amount: 'string', asset: 'string', ...TRANSACTION },
	async execute() {
		return await eachItem(this, async (service, itemIndex) => {
			const wanted = readLimit(this, itemIndex);
			const { status, transactionType } = this.getNodeParameter('filters', itemIndex, {}) as {
				status?: string | string[];
				transactionType?: string | string[];
			};
			const from = readDate(this, 'From', 'filters.from', itemIndex) ?? -Infinity;
			const to = readDate(this, 'To', 'filters.to', itemIndex) ?? Infinity;
			const book = new TransactionIndex();
			await readLogs(service, book, Number.isFinite(from) ? from : undefined);
			hintOfPassedOver(this, book);
			return book
				.all()
				.filter(
					({ since, ...one }) =>
						Date.parse(since) >= from &&
						Date.parse(since) < to &&
						isChosen(status, one.status) &&
						isChosen(transactionType, one.transactionType),
				)
				.slice(0, wanted)
				.map((one) => {
					const { transactionType: type, amount, asset } = one;
					return { json: { transactionType: type, amount, asset, ...transactionFields(one) } };
				});
		});
	},
};
