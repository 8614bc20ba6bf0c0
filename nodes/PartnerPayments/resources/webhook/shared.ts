import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { withoutCallbackSecret } from '../../../logs/callbackSecret';
import { webAddress } from '../../../fields/validators';
import { choicesField, locator, secretField, textField } from '../../../fields/field';
import type { Output } from '../../../fields/form';
import { objectIn } from '../../../service/responses';
import { TRANSACTION_EVENTS } from '../../../service/enums';

/** Body fields of create and update (section 4.12). */
export const urlField = textField({
	name: 'url',
	label: 'URL',
	to: 'url',
	placeholder: 'e.g. https://example.com/callback',
	validate: webAddress(),
	description: 'Address that the service calls when the status of a transaction changes',
});

export const eventsField = choicesField({
	name: 'events',
	label: 'Events',
	to: 'events.transaction',
	options: TRANSACTION_EVENTS,
	description: 'Which changes of status are sent to the address',
});

export const descriptionField = textField({
	name: 'description',
	label: 'Description',
	to: 'description',
	placeholder: 'e.g. Accounting workflow',
	description: 'The name of this webhook in the delivery logs',
});

export const apiKeyField = secretField({
	name: 'apiKey',
	label: 'API Key',
	to: 'apiKey',
	description: 'A secret that the service stores with the webhook. The output does not repeat it.',
});

export const statusField = textField({
	name: 'status',
	label: 'Status',
	to: 'status',
	placeholder: 'e.g. ACTIVE',
	description: 'The service documents only ACTIVE',
});

/** Chooses a webhook from the account's list or by its ID. */
export const WEBHOOK_LOCATOR = locator('searchWebhooks', 'e.g. 9f8d7c6b-5a4e-…');

export const WEBHOOK_ID_PROPERTY: INodeProperties = {
	displayName: 'Webhook',
	name: 'webhookId',
	required: true,
	description: 'The webhook to choose',
	...WEBHOOK_LOCATOR,
};

/** A webhook in the response to create and update (section 2.7). */
export const SAVED_WEBHOOK: Output = {
	id: 'string',
	url: 'string',
	description: 'string',
	events: ['string'],
};

/** A webhook in other responses (section 2.7). */
export const WEBHOOK: Output = {
	id: 'string',
	callbalckUrl: 'string',
	description: 'string',
	status: 'string',
	events: { transaction: ['string'] },
	createdAt: 'string',
	updatedAt: 'string',
};

export const SIMPLIFIED_WEBHOOK = ['id', 'callbalckUrl', 'description', 'status', 'events'];

/** Converts a webhook to an output item without secrets. */
export function toWebhookItem(response: unknown): INodeExecutionData {
	return { json: withoutCallbackSecret(objectIn(response)) };
}
