import type { INodeExecutionData } from 'n8n-workflow';

import { withoutCallbackSecret } from '../../../logs/callbackSecret';
import { LOG } from '../../../logs/logEntry';
import { LogReader, type LogFilters } from '../../../logs/logReader';
import { collection } from '../../../fields/form';
import { LOG_ERROR, LOG_STATUSES } from '../../../service/enums';
import type { Operation } from '../../operations/operation';
import { LIST_PROPERTIES, pathId, readLimit } from '../../operations/itemParameters';
import { WEBHOOK_LOCATOR } from '../webhook/shared';

/** Section 4.12: `GET /v2/webhooks/logs`. */
export const getAll: Operation = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many webhook logs',
	description:
		'Get the events that were sent to your webhooks. Use it to find those that did not arrive.',
	properties: [
		...LIST_PROPERTIES,
		collection('Filters', [
			{
				displayName: 'Status',
				name: 'status',
				type: 'options',
				options: LOG_STATUSES,
				default: LOG_ERROR,
				description: 'Only deliveries with this result',
			},
			{
				displayName: 'Webhook',
				name: 'webhookId',
				description: 'Only deliveries to this webhook',
				...WEBHOOK_LOCATOR,
			},
		]),
	],
	output: LOG,
	simplified: [
		'id',
		'webhookId',
		'name',
		'status',
		'statusCode',
		'retries',
		'createdAt',
		'payload',
	],
	async executeItem(service, itemIndex) {
		const wanted = readLimit(this, itemIndex);
		const { status, webhookId } = this.getNodeParameter('filters', itemIndex, {}) as LogFilters;
		const filters: LogFilters = {
			...(status && { status }),
			...(webhookId && { webhookId: pathId(this, 'Webhook', 'filters.webhookId', itemIndex) }),
		};
		const items: INodeExecutionData[] = [];
		const range = { max: wanted, setting: 'Return All, Status or Webhook' };
		for await (const logs of new LogReader(service, filters, range).pages())
			items.push(...logs.map((log) => ({ json: withoutCallbackSecret(log) })));
		return items.slice(0, wanted);
	},
};
