import { randomUUID } from 'node:crypto';
import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import { isTooDeep } from '../shared/answer';
import { TRANSACTION_EVENTS } from '../shared/vocabulary';
import { letSettle, takeDelivered } from '../shared/eventMemory';
import { eventItem, eventKey, isObject } from '../shared/events';
import { registrationOf, usesApiKey, usesSecret, type Verification } from './registration';
import { isSecret, SECRET_PARAMETER } from '../shared/callbackSecret';

const DELIVERY = 'partnerPaymentsDelivery';

/** What `webhook` gives to `execute`. It stays with the execution, also when that is run again. */
interface Delivery extends IDataObject {
	/** Tells this delivery from others of the same event. */
	[DELIVERY]: string;
	payload: IDataObject;
	/** The same event came a moment ago. */
	isRepeated?: boolean;
}

const KNOWN_EVENTS = new Set(TRANSACTION_EVENTS.map(({ value }) => value));

/** What a delivery is answered with. Short: the service only looks at the status. */
interface Reply {
	status: number;
	message: string;
}

/**
 * n8n's `webhook`: checks one delivery and answers it at once. Only a genuine event that passes
 * the filters starts the workflow.
 */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const refusal = notVerified(context);
	if (refusal !== undefined) {
		context.logger.warn(
			`Partner Payments Trigger: refused a delivery to "${context.getNode().name}" of workflow ${context.getWorkflow().id}: ${refusal}`,
		);
		return reply(context, { status: 401, message: 'The delivery is not verified' });
	}
	const payload = await payloadOf(context);
	if (payload === undefined) {
		return reply(context, { status: 400, message: 'The body must be a JSON object' });
	}
	if (!isWanted(context, payload)) {
		return reply(context, { status: 200, message: 'Received, and filtered out' });
	}
	// n8n 2 answers when it has stored the execution: what it cannot store counts as not delivered.
	const delivery: Delivery = {
		[DELIVERY]: randomUUID(),
		payload,
		...(isRepeated(context, payload) && { isRepeated: true }),
	};
	return { webhookResponse: { message: 'Received' }, workflowData: [[{ json: delivery }]] };
}

function reply(context: IWebhookFunctions, { status, message }: Reply): IWebhookResponseData {
	context.getResponseObject().status(status).json({ message });
	return { noWebhookResponse: true };
}

/** Why a delivery is not trusted. Without a kept secret nothing is: it fails closed. */
function notVerified(context: IWebhookFunctions): string | undefined {
	const verification = context.getNodeParameter('verification', 'callbackSecret') as Verification;
	const kept = registrationOf(context);
	if (usesSecret(verification)) {
		const { [SECRET_PARAMETER]: given } = context.getQueryData() as IDataObject;
		if (!isSecret(given, kept.secretHash)) {
			return kept.secretHash === undefined
				? 'no secret is registered; publish the workflow again'
				: 'its secret is missing or wrong';
		}
	}
	if (usesApiKey(verification)) {
		const header = String(context.getNodeParameter('verificationHeader', '')).trim().toLowerCase();
		const given = context.getHeaderData()[header];
		if (header === '' || !isSecret(given, kept.apiKeyHash)) {
			return `the API key in the header "${header}" is missing or wrong`;
		}
	}
	return undefined;
}

/** The body if it is a JSON object, whatever content type the sender gives it. */
async function payloadOf(context: IWebhookFunctions): Promise<IDataObject | undefined> {
	const request = context.getRequestObject();
	try {
		// n8n has read the bodies that it parses itself, and no others.
		if (request.rawBody === undefined) await request.readRawBody();
		const text = new TextDecoder().decode(request.rawBody);
		const parsed: unknown = isTooDeep(text) ? undefined : JSON.parse(text);
		return isObject(parsed) ? parsed : undefined;
	} catch {
		return undefined;
	}
}

function isWanted(context: IWebhookFunctions, payload: IDataObject): boolean {
	const events = context.getNodeParameter('events', []) as string[];
	// The service sends what was registered. A status that it does not document passes.
	const { status, transactionType } = payload;
	const isKnown = typeof status === 'string' && KNOWN_EVENTS.has(status);
	if (isKnown && events.length && !events.includes(status)) return false;

	const { transactionTypes = [], otherTransactionTypes = '' } = context.getNodeParameter(
		'filters',
		{},
	) as { transactionTypes?: string[]; otherTransactionTypes?: string };
	const types = [
		...transactionTypes,
		...otherTransactionTypes
			.split(',')
			.map((type) => type.trim())
			.filter((type) => type !== ''),
	];
	return (
		types.length === 0 || (typeof transactionType === 'string' && types.includes(transactionType))
	);
}

/** How long a delivery is "a moment ago". */
const MOMENT_MS = 10_000;

/** By workflow and event: when it was delivered to this process, the oldest first. */
const delivered = new Map<string, number>();

/** Whether this process got the event a moment ago. Several processes that take webhooks do not know of each other. */
function isRepeated(context: IWebhookFunctions, payload: IDataObject): boolean {
	const now = Date.now();
	for (const [key, time] of delivered) {
		if (time > now - MOMENT_MS) break;
		delivered.delete(key);
	}
	const key = `${context.getWorkflow().id} ${eventKey(payload)}`;
	const isKnown = delivered.delete(key);
	delivered.set(key, now);
	return isKnown;
}

/**
 * The trigger's `execute`, which n8n runs on what `webhook` gave: drops events that the workflow
 * has seen. It is here and not in `webhook`, where n8n offers no memory.
 *
 * When a person tests in the editor, the same event may come as often as wanted.
 */
export async function dropSeenEvents(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const simplify = context.getNodeParameter('simplify', 0, false) === true;
	const deliveries = context
		.getInputData()
		.map(({ json }) => (isDelivery(json) ? json : { payload: json }));
	const isTaken =
		context.getMode() === 'manual'
			? deliveries.map(() => true)
			: await areUnseen(context, deliveries);
	return deliveries
		.filter((_, index) => isTaken[index])
		.map(({ payload }) => eventItem(payload, simplify));
}

async function areUnseen(
	context: IExecuteFunctions,
	deliveries: Array<Pick<Delivery, 'payload'> & Partial<Delivery>>,
): Promise<boolean[]> {
	if (deliveries.some(({ isRepeated: repeated }) => repeated)) await letSettle(context);
	return await takeDelivered(
		context,
		deliveries.map(({ payload }) => payload),
		deliveries.map(({ [DELIVERY]: id }) => id),
	);
}

/** Pinned or hand-made input of the trigger is the event itself. */
function isDelivery(json: IDataObject): json is Delivery {
	return typeof json[DELIVERY] === 'string' && isObject(json.payload);
}
