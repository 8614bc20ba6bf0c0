import type { INodeExecutionData } from 'n8n-workflow';

import { eachItem, LIST_PROPERTIES, wantedCount, type Operation } from '../../../shared/operation';
import { withoutSecret } from '../../../shared/callbackSecret';
import { pathId } from '../../../shared/transport';
import { LOG_STATUSES } from '../../../shared/vocabulary';
import { webhookLogs, type LogFilters } from './logs';

/** Section 4.12: `GET /v2/webhooks/logs`. */
export const getAll: Operation = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many webhook logs',
	description: 'Get what the service delivered to your webhooks, and whether it arrived',
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
					displayName: 'Status',
					name: 'status',
					type: 'options',
					options: LOG_STATUSES,
					default: 'ERROR',
					description: 'Only deliveries that ended like this',
				},
				{
					displayName: 'Webhook ID',
					name: 'webhookId',
					type: 'string',
					default: '',
					placeholder: 'e.g. 9f8d7c6b-5a4e-4d3c-8b2a-1f0e9d8c7b6a',
					description: 'Only deliveries to this webhook',
				},
			],
		},
	],
	async execute() {
		return await eachItem(this, async (service, itemIndex) => {
			const wanted = wantedCount(this, itemIndex);
			const { status, webhookId } = this.getNodeParameter('filters', itemIndex, {}) as LogFilters;
			const filters: LogFilters = {
				...(status && { status }),
				...(webhookId && { webhookId: pathId(this, 'Webhook ID', webhookId, itemIndex) }),
			};
			const items: INodeExecutionData[] = [];
			for await (const log of webhookLogs(service, filters, { wanted })) {
				const { webhookUrl } = log;
				items.push({
					json:
						webhookUrl === undefined
							? log
							: { ...log, webhookUrl: withoutSecret(webhookUrl) as string },
				});
			}
			return items;
		});
	},
};
