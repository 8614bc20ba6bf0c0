import { patchWebhook } from '../../../logs/webhooks';
import { toProperties } from '../../../fields/form';
import { toOperationError } from '../../../service/errors';
import type { Operation } from '../../operations/operation';
import { pathId, requestBody } from '../../operations/itemParameters';
import { userMessage } from '../../../messages/userMessage';
import {
	apiKeyField,
	descriptionField,
	eventsField,
	SAVED_WEBHOOK,
	statusField,
	toWebhookItem,
	urlField,
	WEBHOOK_ID_PROPERTY,
} from './shared';

const COLLECTION = 'updateFields';

const FIELDS = [urlField, eventsField, statusField, apiKeyField, descriptionField].map((field) => ({
	...field,
	optional: true,
}));

/** Section 4.12: `PATCH /v2/webhooks/{id}`. Only what the user sets is sent. */
export const update: Operation = {
	value: 'update',
	name: 'Update',
	action: 'Update webhook',
	description:
		'Change the address, events, status or description of a webhook. Do not change the webhook of a Partner Payments Trigger.',
	properties: [
		WEBHOOK_ID_PROPERTY,
		...toProperties(FIELDS, { collection: COLLECTION, collectionLabel: 'Update Fields' }),
	],
	output: SAVED_WEBHOOK,
	async executeItem(service, itemIndex) {
		const id = pathId(this, 'Webhook', 'webhookId', itemIndex);
		const body = requestBody(this, FIELDS, itemIndex, COLLECTION);
		if (Object.keys(body).length === 0) {
			throw toOperationError(this, userMessage('nothingToUpdate'), itemIndex);
		}
		return [toWebhookItem(await patchWebhook(service, id, body))];
	},
};
