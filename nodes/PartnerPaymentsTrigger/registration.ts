import type {
	IHookFunctions,
	ITriggerFunctions,
	IWebhookFunctions,
	NodeOperationError,
} from 'n8n-workflow';

import { toOperationError, toServiceError } from '../service/errors';
import { isNamed, objectIn } from '../service/responses';
import { shortHash } from '../service/secrets';
import { Service } from '../service/transport';
import {
	knownSecretIn,
	newSecret,
	ownerIn,
	secretHash,
	withOwner,
	withSecret,
} from '../logs/callbackSecret';
import { chosenEvents } from '../logs/event';
import {
	ACTIVE,
	drift,
	findWebhook,
	patchWebhook,
	type KnownWebhook,
	type RegisteredWebhook,
	readWebhook,
	webhookBody,
	WEBHOOKS_PATH,
} from '../logs/webhooks';
import { userMessage } from '../messages/userMessage';

/**
 * The registration state, in the workflow's static data. That isn't encrypted, so it has only the hash of the
 * secret. Only the hooks write it: n8n saves it after them (`workflow-trigger-activator.js` of n8n), and
 * not reliably after anything else.
 */
interface RegistrationState extends KnownWebhook {
	/** The desired registration that is known to be active, as JSON. */
	active?: string;
	/** Whether it is the webhook of a test. n8n's `delete` can't see that (`test-webhooks.js` of n8n). */
	isTest?: boolean;
}

/** The state under this node's name. It may belong to another node. */
export function readState(
	context: IHookFunctions | ITriggerFunctions | IWebhookFunctions,
): RegistrationState {
	return context.getWorkflowStaticData('node') as RegistrationState;
}

/**
 * This node's state, to read. It is empty if the state under its name belongs to another node: a removed node of
 * the same name, or the same node on the n8n that exported the workflow.
 */
export function readOwnState(context: IHookFunctions | ITriggerFunctions): RegistrationState {
	const state = readState(context);
	const owner = ownerIn(state.address ?? '');
	return owner === undefined || owner === ownerId(context, state.isTest) ? state : {};
}

/** This node's state, to change. It is emptied first if it belongs to another node. */
function claimState(context: IHookFunctions): RegistrationState {
	const state = readState(context);
	if (readOwnState(context) !== state) {
		for (const name of Object.keys(state)) delete state[name as keyof RegistrationState];
	}
	return state;
}

/**
 * Identifies the owner of a webhook: this node of this workflow on this n8n. An export that is published
 * elsewhere, a copied workflow and a test of the same node are other owners.
 */
export function ownerId(
	context: IHookFunctions | ITriggerFunctions,
	isTest = context.getMode() === 'manual',
): string {
	return shortHash([
		context.getInstanceId(),
		context.getWorkflow().id,
		context.getNode().id,
		isTest,
	]);
}

/** Whether a delivery needs the secret. */
export function isVerified(
	context: IHookFunctions | ITriggerFunctions | IWebhookFunctions,
): boolean {
	return context.getNodeParameter('options.verifyDeliveries', true) !== false;
}

/** The webhook that the service should have, but for its address. n8n evaluates the parameters on publication. */
export function desiredWebhook(
	context: IHookFunctions | ITriggerFunctions,
): Omit<RegisteredWebhook, 'id' | 'address'> {
	return {
		description: `n8n: ${context.getWorkflow().name ?? ''}`,
		status: ACTIVE,
		events: chosenEvents(context.getNodeParameter('events', []) as string[]),
	};
}

/** @throws NodeOperationError if n8n has no address for the trigger, or its parameters contradict each other */
function callbackAddress(context: IHookFunctions): string {
	const address = context.getNodeWebhookUrl('default');
	if (address === undefined) {
		throw toOperationError(context, userMessage('noCallbackAddress'));
	}
	if (
		context.getNodeParameter('startWorkflow', 'eachEvent') === 'allNewEvents' &&
		context.getNodeParameter('checkForMissedEvents', 'every5Minutes') === 'never'
	) {
		throw toOperationError(context, userMessage('noCheckForMissedEvents'));
	}
	return withOwner(address, ownerId(context));
}

/** Whether n8n itself starts, so that nobody is there to see an error (`active-workflow-manager.js` of n8n). */
function isAtStart(context: IHookFunctions): boolean {
	return ['init', 'leadershipChange'].includes(context.getActivationMode());
}

/**
 * The trigger's `checkExists`: makes the service have this node's webhook, as desired. So n8n never calls `create`.
 *
 * @returns true, also after an outage that is tolerated
 * @throws NodeOperationError if a person publishes and the service rejects a request, or is unavailable while
 *   the webhook isn't known to be active. When n8n itself starts, it never throws, because n8n would remove
 *   the callback address (`clearRegisteredWebhook` in `webhook-trigger-registrar.js` of n8n). The next poll
 *   repairs the webhook.
 */
export async function register(context: IHookFunctions): Promise<boolean> {
	const state = claimState(context);
	let address: string | undefined;
	let active: string | undefined;
	try {
		address = callbackAddress(context);
		const wanted = desiredWebhook(context);
		const needsSecret = isVerified(context);
		active = JSON.stringify([needsSecret, address, wanted]);
		const service = await Service.connect(context);
		const found = await findWebhook(service, ownerId(context), state);
		// The secret stays as long as we know it: deliveries that are in flight have it.
		const known = found && knownSecretIn(found.address, state.secretHash);
		const secret = needsSecret ? (known ?? newSecret()) : undefined;
		const desired = { ...wanted, address: withSecret(address, secret) };
		if (found && drift(found, desired).length > 0) {
			await patchWebhook(service, found.id, webhookBody(desired));
		}
		state.webhookId = found?.id ?? (await createWebhook(context, service, desired));
		state.address = address;
		state.active = active;
		if (secret !== undefined) state.secretHash = secretHash(secret);
		else delete state.secretHash;
		state.isTest = context.getMode() === 'manual' || undefined;
	} catch (error) {
		const { isOutage, message } = toServiceError(error);
		const isActive = active !== undefined && state.active === active;
		if (!isAtStart(context) && !(isOutage && isActive)) throw notRegistered(context, error);
		// For polls, which have no other way to know the address.
		const isNewOrOwn =
			state.webhookId === undefined || ownerIn(state.address ?? '') === ownerId(context);
		if (address !== undefined && isNewOrOwn) state.address = address;
		const node = context.getNode().name;
		context.logger.warn(userMessage('registrationNotChecked', { node, reason: message }).message);
	}
	return true;
}

/** @returns the ID of the webhook; empty if the service does not show it */
async function createWebhook(
	context: IHookFunctions,
	service: Service,
	desired: Omit<RegisteredWebhook, 'id'>,
): Promise<string> {
	const response = await service.request({
		method: 'POST',
		path: WEBHOOKS_PATH,
		body: webhookBody(desired),
	});
	const { id } = readWebhook(objectIn(response));
	return id || ((await findWebhook(service, ownerId(context), {}))?.id ?? '');
}

/**
 * The trigger's `delete`: switches the webhook of a test off. The service can't delete a webhook, and n8n unpublishes
 * and publishes again whenever a changed trigger is published (`trigger-diff.js` of n8n), so a production webhook stays
 * registered: the service logs what it can't deliver meanwhile.
 *
 * It never throws: n8n would call it again (`deregisterExternalWebhookWithRetry` in `workflow-trigger-activator.js` of
 * n8n). A failure is a line in n8n's log.
 */
export async function endTest(context: IHookFunctions): Promise<boolean> {
	const state = claimState(context);
	if (state.isTest !== true) return true;
	const status = 'INACTIVE';
	delete state.active;
	try {
		const service = await Service.connect(context);
		// Not the owner by the mode: n8n calls `delete` in mode `internal` (`test-webhooks.js`).
		const found = await findWebhook(service, ownerId(context, true), state);
		if (found && !isNamed(found.status, status))
			await patchWebhook(service, found.id, webhookBody({ ...found, status }));
	} catch (error) {
		const { message: reason } = toServiceError(error);
		const node = context.getNode().name;
		context.logger.warn(userMessage('webhookNotSwitchedOff', { node, status, reason }).message);
	}
	return true;
}

/**
 * The error of a registration. n8n 2 shows it only in its log and in the publication status
 * (`publication-status-reporter.js` of n8n).
 */
function notRegistered(context: IHookFunctions, error: unknown): NodeOperationError {
	const { message, isLogin } = toServiceError(error);
	const reason = message.endsWith('.') ? message.slice(0, -1) : message;
	const hint = isLogin ? '' : 'Check the Partner Payments credential with its test button. ';
	const node = context.getNode().name;
	return toOperationError(context, userMessage('notRegistered', { node, reason, hint }));
}
