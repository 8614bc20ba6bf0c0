import { randomUUID } from 'node:crypto';
import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { isObject } from '../service/responses';
import { isTooDeep } from '../service/readBody';
import type { UserMessage } from '../service/messages';
import {
	isSecret,
	SECRET_PARAMETER,
	usesApiKey,
	usesSecret,
	type Verification,
} from '../webhooks/callbackSecret';
import { isWanted, readFilter } from '../webhooks/event';
import { envelope } from './emit';
import { readState } from './registrationState';
import { apiKeyHeader } from './repair';
import { userMessage } from '../webhooks/messages';

/** What is used here of n8n's request and response. Their types are those of Express, which is no dependency. */
interface WebhookRequest {
	rawBody?: Buffer;
	readRawBody(): Promise<void>;
}

interface WebhookResponse {
	status(code: number): WebhookResponse;
	json(body: IDataObject): void;
}

/**
 * The trigger's `webhook`: checks one delivery and answers it. Only a genuine event that passes the
 * filters starts the workflow.
 *
 * @returns what n8n answers and starts; nothing is thrown for a delivery that is refused
 */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const refusal = verify(context);
	if (refusal !== undefined) {
		const { message } = userMessage('deliveryRejected', {
			node: context.getNode().name,
			workflow: context.getWorkflow().id ?? '',
			reason: refusal.message,
		});
		context.logger.warn(message);
		return reply(context, 401, userMessage('notVerified'));
	}
	const payload = await readPayload(context);
	if (payload === undefined) {
		return reply(context, 400, userMessage('notAnEvent'));
	}
	const filter = readFilter((name, fallback) => context.getNodeParameter(name, fallback));
	if (!isWanted(filter, payload)) {
		return reply(context, 200, userMessage('filteredOut'));
	}
	if (isForPoll(context)) {
		return reply(context, 200, userMessage('emittedLater'));
	}
	// n8n 2 answers only when it has stored the execution (`shouldDeferOnReceivedResponse` in
	// `webhook-helpers.js` of n8n): what it cannot store counts as not delivered.
	const item = envelope(payload, randomUUID());
	return { webhookResponse: { message: 'Received' }, workflowData: [[item]] };
}

/** Whether events are given out together: the next turn of catching up takes them from the service's logs. */
function isForPoll(context: IWebhookFunctions): boolean {
	return (
		context.getMode() !== 'manual' &&
		context.getNodeParameter('startWorkflow', 'eachEvent') === 'allNewEvents'
	);
}

/** A short answer: the service only looks at the status. */
function reply(
	context: IWebhookFunctions,
	status: number,
	{ message }: UserMessage,
): IWebhookResponseData {
	const response = context.getResponseObject() as WebhookResponse;
	response.status(status).json({ message });
	return { noWebhookResponse: true };
}

/** Why a delivery is not trusted; undefined when it is. Without a kept secret no delivery is trusted. */
function verify(context: IWebhookFunctions): UserMessage | undefined {
	const verification = context.getNodeParameter(
		'options.verification',
		'callbackSecret',
	) as Verification;
	const kept = readState(context);
	if (usesSecret(verification)) {
		const { [SECRET_PARAMETER]: given } = context.getQueryData() as IDataObject;
		if (!isSecret(given, kept.secretHash)) {
			return userMessage(kept.secretHash === undefined ? 'noSecretRegistered' : 'wrongSecret');
		}
	}
	if (usesApiKey(verification)) {
		const header = apiKeyHeader(context);
		const given = context.getHeaderData()[header];
		if (header === '' || !isSecret(given, kept.apiKeyHash)) {
			return userMessage('wrongApiKey', { header });
		}
	}
	return undefined;
}

/** The body if it is a JSON object, whatever content type the sender gives it. */
async function readPayload(context: IWebhookFunctions): Promise<IDataObject | undefined> {
	const request = context.getRequestObject() as WebhookRequest;
	try {
		// n8n has read only the bodies that it parses itself (`isParsableContentType` in
		// `webhook-helpers.js` of n8n).
		if (request.rawBody === undefined) await request.readRawBody();
		const text = new TextDecoder().decode(request.rawBody);
		const parsed: unknown = isTooDeep(text) ? undefined : JSON.parse(text);
		return isObject(parsed) ? parsed : undefined;
	} catch {
		return undefined;
	}
}
