import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { withoutSecret } from '../../../webhooks/callbackSecret';
import { webAddress } from '../../../fields/validators';
import { choicesField, locator, secretField, textField } from '../../../fields/field';
import type { OutputShape } from '../../../fields/form';
import { objectIn } from '../../../service/responses';
import { TRANSACTION_EVENTS } from '../../../service/enums';

/** Body fields of create and update (section 4.12). */
export const url = textField({
	name: 'url',
	label: 'URL',
	to: 'url',
	placeholder: 'e.g. https://example.com/callback',
	validate: webAddress(),
	description: 'Address that the service calls when a transaction changes its status',
});

export const events = choicesField({
	name: 'events',
	label: 'Events',
	to: 'events.transaction',
	options: TRANSACTION_EVENTS,
	description: 'Which changes of a transaction are sent to the address',
});

export const description = textField({
	name: 'description',
	label: 'Description',
	to: 'description',
	placeholder: 'e.g. Accounting workflow',
	description: 'Text that tells this webhook from others; the delivery logs show it as the name',
});

export const apiKey = secretField({
	name: 'apiKey',
	label: 'API Key',
	to: 'apiKey',
	description:
		'A secret of your choice that the service keeps with the webhook. It is not repeated in the output.',
});

export const status = textField({
	name: 'status',
	label: 'Status',
	to: 'status',
	placeholder: 'e.g. ACTIVE',
	description: 'ACTIVE is the only status that the service documents',
});

/** How a webhook is chosen: from the account's list, or by its ID. */
export const WEBHOOK_LOCATOR = locator(
	'searchWebhooks',
	'e.g. 9f8d7c6b-5a4e-4d3c-8b2a-1f0e9d8c7b6a',
);

/** The parameter of an operation on one webhook. */
export const WEBHOOK_ID_PROPERTY: INodeProperties = {
	displayName: 'Webhook',
	name: 'webhookId',
	required: true,
	description: 'The webhook to choose',
	...WEBHOOK_LOCATOR,
};

/** A webhook as create and update give it (section 2.7). */
export const SAVED_WEBHOOK: OutputShape = {
	id: 'string',
	url: 'string',
	description: 'string',
	events: ['string'],
};

/** A webhook as it is listed and retrieved (section 2.7). */
export const WEBHOOK: OutputShape = {
	id: 'string',
	callbalckUrl: 'string',
	description: 'string',
	status: 'string',
	events: { transaction: ['string'] },
	createdAt: 'string',
	updatedAt: 'string',
};

/** A webhook as output: everything the service gave but its secrets. */
export function toWebhookItem(answer: unknown): INodeExecutionData {
	const json = { ...objectIn(answer) };
	delete json.apiKey;
	for (const key of ['url', 'callbalckUrl']) {
		if (json[key] !== undefined) json[key] = withoutSecret(json[key]) as string;
	}
	return { json };
}
