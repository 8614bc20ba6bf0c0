import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { eachItem, LIST_PROPERTIES, wantedCount, type Operation } from '../../../shared/operation';
import { withoutSecret } from '../../../events/callbackSecret';
import { pick, SIMPLIFY } from '../../../shared/simplify';
import { pathId } from '../../../shared/transport';
import { LOG_STATUSES } from '../../../shared/vocabulary';
import { WEBHOOK_LOCATOR } from '../webhook/webhook';
import { LOG, webhookLogs, type LogFilters } from '../../../events/logPages';

/** What tells which event was delivered where, and how that went. */
const SIMPLIFIED = [
	'id',
	'webhookId',
	'name',
	'status',
	'statusCode',
	'retries',
	'createdAt',
	'payload',
];

/** Section 4.12: `GET /v2/webhooks/logs`. */
export const getAll: Operation = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many webhook logs',
	description:
		'Get what the service delivered to your webhooks, and whether it arrived. Use it to find events that did not arrive.',
	properties: [
		...LIST_PROPERTIES,
		SIMPLIFY,
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
	output: LOG,
	async execute() {
		return await eachItem(this, async (service, itemIndex) => {
			const wanted = wantedCount(this, itemIndex);
			const { status, webhookId } = this.getNodeParameter('filters', itemIndex, {}) as LogFilters;
			const filters: LogFilters = {
				...(status && { status }),
				...(webhookId && { webhookId: pathId(this, 'Webhook', webhookId, itemIndex) }),
			};
			const simplify = this.getNodeParameter('simplify', itemIndex, false) === true;
			const items: INodeExecutionData[] = [];
			for await (const log of webhookLogs(service, filters, { wanted })) {
				items.push({ json: simplify ? pick(log, SIMPLIFIED) : withoutCallbackSecret(log) });
			}
			return items;
		});
	},
};

function withoutCallbackSecret(log: IDataObject): IDataObject {
	const { webhookUrl } = log;
	return webhookUrl === undefined
		? log
		: { ...log, webhookUrl: withoutSecret(webhookUrl) as string };
}
