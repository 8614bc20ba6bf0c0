import { ACTIVE, WEBHOOKS_PATH } from '../../../webhooks/webhooks';
import { toProperties } from '../../../fields/form';
import type { Operation } from '../../operations/operation';
import { requestBody } from '../../operations/itemParameters';
import { apiKey, description, events, SAVED_WEBHOOK, status, toWebhookItem, url } from './shared';

const fields = [
	{ ...url, required: true },
	{ ...events, required: true, form: { ...events.form, default: ['completed_transaction'] } },
	{ ...status, required: true, form: { ...status.form, default: ACTIVE } },
	{ ...apiKey, optional: true },
	{ ...description, optional: true },
];

/** Section 4.12: `POST /v2/webhooks`. */
export const create: Operation = {
	value: 'create',
	name: 'Create',
	action: 'Create webhook',
	description:
		'Register an address for transaction events. The service cannot delete a webhook. The Partner Payments Trigger registers its own.',
	properties: toProperties(fields),
	output: SAVED_WEBHOOK,
	async executeItem(service, itemIndex) {
		const body = requestBody(this, fields, itemIndex);
		return [toWebhookItem(await service.request({ method: 'POST', path: WEBHOOKS_PATH, body }))];
	},
};
