import { WEBHOOKS_PATH } from '../../../logs/webhooks';
import type { Operation } from '../../operations/operation';
import { pathId } from '../../operations/itemParameters';
import { toWebhookItem, SIMPLIFIED_WEBHOOK, WEBHOOK, WEBHOOK_ID_PROPERTY } from './shared';

/** Section 4.12: `GET /v2/webhooks/{id}`. */
export const get: Operation = {
	value: 'get',
	name: 'Get',
	action: 'Get webhook',
	description: 'Get one webhook. Use it to see its address, events and status.',
	properties: [WEBHOOK_ID_PROPERTY],
	output: WEBHOOK,
	simplified: SIMPLIFIED_WEBHOOK,
	async executeItem(service, itemIndex) {
		const id = pathId(this, 'Webhook', 'webhookId', itemIndex);
		return [
			toWebhookItem(await service.request({ method: 'GET', path: `${WEBHOOKS_PATH}/${id}` })),
		];
	},
};
