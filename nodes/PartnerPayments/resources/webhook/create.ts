import { ACTIVE, WEBHOOKS_PATH } from '../../../logs/webhooks';
import { toProperties } from '../../../fields/form';
import type { Operation } from '../../operations/operation';
import { requestBody } from '../../operations/itemParameters';
import {
	apiKeyField,
	descriptionField,
	eventsField,
	SAVED_WEBHOOK,
	statusField,
	toWebhookItem,
	urlField,
} from './shared';

const FIELDS = [
	{ ...urlField, required: true },
	{
		...eventsField,
		required: true,
		form: { ...eventsField.form, default: ['completed_transaction'] },
	},
	{ ...statusField, required: true, form: { ...statusField.form, default: ACTIVE } },
	{ ...apiKeyField, optional: true },
	{ ...descriptionField, optional: true },
];

/** Section 4.12: `POST /v2/webhooks`. */
export const create: Operation = {
	value: 'create',
	name: 'Create',
	action: 'Create webhook',
	description:
		'Register an address for transaction events. The service cannot delete a webhook. The Partner Payments Trigger registers its own.',
	properties: toProperties(FIELDS),
	output: SAVED_WEBHOOK,
	async executeItem(service, itemIndex) {
		const body = requestBody(this, FIELDS, itemIndex);
		return [toWebhookItem(await service.request({ method: 'POST', path: WEBHOOKS_PATH, body }))];
	},
};
