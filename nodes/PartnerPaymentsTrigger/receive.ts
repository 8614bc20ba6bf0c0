import { randomUUID } from 'node:crypto';
import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { type EditorMessage, userMessage } from '../messages/userMessage';
import { isTooDeep } from '../service/readBody';
import { parseObject } from '../service/json';
import { isSecret, SECRET_PARAMETER } from '../logs/callbackSecret';
import { matchesFilter, readFilter } from '../logs/event';
import { envelope } from './emit';
import { isBusy, startsExecution } from './load';
import { pollSoon } from './poll';
import { isVerified, readState } from './registration';

/** What this module uses of Express's request and response. Express is not a dependency. */
interface WebhookRequest {
	rawBody?: Buffer;
	readRawBody(): Promise<void>;
}

interface WebhookResponse {
	status(code: number): WebhookResponse;
	setHeader(name: string, value: string): void;
	json(body: IDataObject): void;
}

/**
 * The trigger's `webhook`: verifies a delivery and answers it. A verified event that passes the filter starts
 * the workflow. A rejected delivery throws nothing.
 */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const { secretHash } = readState(context);
	const { [SECRET_PARAMETER]: given } = context.getQueryData() as IDataObject;
	// Without a stored hash, every delivery is rejected.
	if (isVerified(context) && !isSecret(given, secretHash)) {
		const code = secretHash === undefined ? 'noSecretRegistered' : 'wrongSecret';
		const { message } = userMessage('deliveryRejected', {
			node: context.getNode().name,
			workflow: context.getWorkflow().id ?? '',
			reason: userMessage(code).message,
		});
		context.logger.warn(message);
		return reply(context, 401, userMessage('notVerified'));
	}
	const payload = await readPayload(context);
	if (payload === undefined) {
		return reply(context, 400, userMessage('notAnEvent'));
	}
	const filter = readFilter((name, fallback) => context.getNodeParameter(name, fallback));
	if (!matchesFilter(filter, payload)) {
		return reply(context, 200, userMessage('filteredOut'));
	}
	const isTest = context.getMode() === 'manual';
	const isBatched = context.getNodeParameter('startWorkflow', 'eachEvent') === 'allNewEvents';
	// The next poll reads it in the delivery logs.
	if (isBatched && !isTest) return reply(context, 200, userMessage('emittedLater'));
	const isPolled = context.getNodeParameter('checkForMissedEvents', 'every5Minutes') !== 'never';
	if (isPolled && !isTest && isBusy()) {
		pollSoon(context);
		(context.getResponseObject() as WebhookResponse).setHeader('Retry-After', RETRY_AFTER_SECONDS);
		return reply(context, 503, userMessage('busy'));
	}
	// n8n 2 answers once it has stored the execution (`shouldDeferOnReceivedResponse` in
	// `webhook-helpers.js` of n8n): an event that it can't store counts as not delivered.
	const id = randomUUID();
	if (!isTest) startsExecution(id);
	const item = envelope(payload, id);
	return { webhookResponse: { message: 'Received' }, workflowData: [[item]] };
}

/** When the service may try again. It does not have to: a poll finds the event. */
const RETRY_AFTER_SECONDS = '60';

/** Answers instead of n8n, and starts no execution. */
function reply(
	context: IWebhookFunctions,
	status: number,
	{ message }: EditorMessage,
): IWebhookResponseData {
	const response = context.getResponseObject() as WebhookResponse;
	response.status(status).json({ message });
	return { noWebhookResponse: true };
}

/** The body, if it is a JSON object; its content type doesn't matter. */
async function readPayload(context: IWebhookFunctions): Promise<IDataObject | undefined> {
	const request = context.getRequestObject() as WebhookRequest;
	try {
		// n8n reads only bodies that it parses itself (`isParsableContentType` in `webhook-helpers.js` of n8n).
		if (request.rawBody === undefined) await request.readRawBody();
		const text = new TextDecoder().decode(request.rawBody);
		return isTooDeep(text) ? undefined : parseObject(text);
	} catch {
		return undefined;
	}
}
