import { collection } from '../../../fields/form';
import { readLogs, TransactionIndex } from '../../../logs/transactions';
import { TRANSACTION_EVENTS, TRANSACTION_TYPES } from '../../../service/enums';
import type { Operation } from '../../operations/operation';
import { isChosen, LIST_PROPERTIES, readDate, readLimit } from '../../operations/itemParameters';
import {
	showSkippedEntries,
	SIMPLIFIED_TRANSACTION,
	TRANSACTION,
	transactionFields,
} from './shared';
import { showReading } from '../webhookLog/shared';

/**
 * Section 4.12: `GET /v2/webhooks/logs`. The service has no endpoint for transactions, but every change of
 * status is an event in the logs.
 */
export const getAll: Operation = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many transactions',
	description:
		'Get the transactions in the delivery logs of your webhooks with their newest status. Use it to see which completed or failed.',
	properties: [
		...LIST_PROPERTIES,
		collection('Filters', [
			{
				displayName: 'From',
				name: 'from',
				type: 'dateTime',
				default: '',
				description:
					'Only transactions whose status changed at this time or later. Their history begins there, too.',
			},
			{
				displayName: 'Status',
				name: 'status',
				type: 'multiOptions',
				options: TRANSACTION_EVENTS,
				default: [],
				description: 'Only transactions that now have one of these statuses',
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
		]),
	],
	output: {
		transactionType: 'string',
		amount: 'string',
		asset: 'string',
		...TRANSACTION,
	},
	simplified: ['transactionType', 'amount', 'asset', ...SIMPLIFIED_TRANSACTION],
	async executeItem(service, itemIndex) {
		const wanted = readLimit(this, itemIndex);
		const { status, transactionType } = this.getNodeParameter('filters', itemIndex, {}) as {
			status?: string | string[];
			transactionType?: string | string[];
		};
		const from = readDate(this, 'From', 'filters.from', itemIndex) ?? -Infinity;
		const to = readDate(this, 'To', 'filters.to', itemIndex) ?? Infinity;
		const index = new TransactionIndex();
		const chosen = () =>
			index
				.all()
				.filter(
					({ since, ...transaction }) =>
						Date.parse(since) >= from &&
						Date.parse(since) < to &&
						isChosen(status, transaction.status) &&
						isChosen(transactionType, transaction.transactionType),
				)
				.slice(0, wanted);
		const since = endWith(() => chosen().length === wanted, from);
		showReading(this, await readLogs(service, index, { since, setting: 'From' }));
		showSkippedEntries(this, index);
		return chosen().map((one) => {
			const { transactionType: type, amount, asset } = one;
			return { json: { transactionType: type, amount, asset, ...transactionFields(one) } };
		});
	},
};

/**
 * Where reading may end: where the period begins, or earlier, once there is enough and as much was read again for the
 * first events. Looks at 1, 2, 4, 8, ... pages, because each look takes longer than the one before.
 */
function endWith(isEnough: () => boolean, from: number): () => number {
	let wasEnough = false;
	let nextLook = 1;
	let pages = 0;
	return () => {
		if (++pages < nextLook) return from;
		nextLook *= 2;
		if (wasEnough) return Infinity;
		wasEnough = isEnough();
		return from;
	};
}
