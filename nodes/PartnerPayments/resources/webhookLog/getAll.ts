import type { INodeExecutionData } from 'n8n-workflow';

import { eachItem, LIST_PROPERTIES, wantedCount, type Operation } from '../../../shared/operation';
import { withoutSecret } from '../../../shared/callbackSecret';
import { pathId } from '../../../shared/transport';
import { LOG_STATUSES } from '../../../shared/vocabulary';
import { WEBHOOK_LOCATOR } from '../webhook/webhook';
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
					displayName: 'Webhook',
					name: 'webhookId',
					description: 'Only deliveries to this webhook',
					...WEBHOOK_LOCATOR,
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
				...(webhookId && { webhookId: pathId(this, 'Webhook', webhookId, itemIndex) }),
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
