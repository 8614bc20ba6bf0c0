import type { IHookFunctions, NodeOperationError } from 'n8n-workflow';

import { toOperationError, toServiceError } from '../service/errors';
import { objectIn } from '../service/responses';
import { Service } from '../service/transport';
import {
	knownSecretIn,
	newSecret,
	ownerIn,
	secretHash,
	usesApiKey,
	usesSecret,
	withOwner,
} from '../logs/callbackSecret';
import {
	findWebhook,
	hasStatus,
	patchWebhook,
	readWebhook,
	webhookBody,
	WEBHOOKS_PATH,
} from '../logs/webhooks';
import { userMessage } from '../messages/userMessage';
import { claimState, ownerId, type RegistrationState } from './registrationState';
import {
	apiKeyHeader,
	desiredWebhook,
	reconcile,
	targetWebhook,
	type DesiredRegistration,
	type Secrets,
} from './repair';

/** @throws NodeOperationError if n8n has no address for the trigger, or its parameters contradict each other */
function desiredRegistration(context: IHookFunctions): DesiredRegistration {
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
	const desired = desiredWebhook(context);
	if (usesApiKey(desired.verification) && apiKeyHeader(context) === '') {
		throw toOperationError(context, userMessage('apiKeyHeaderMissing'));
	}
	return { ...desired, address: withOwner(address, ownerId(context)) };
}

/** Whether n8n itself starts, so that nobody is there to see an error (`active-workflow-manager.js` of n8n). */
function isAtStart(context: IHookFunctions): boolean {
	return ['init', 'leadershipChange'].includes(context.getActivationMode());
}

/**
 * The trigger's `checkExists`. It also updates the webhook, so that n8n never calls `create` for a second one.
 *
 * @returns whether the service has this node's webhook; true, too, after an outage that is tolerated
 * @throws NodeOperationError if a person publishes and the service rejects a request, or is unavailable while
 *   the webhook isn't known to be active. When n8n itself starts, it never throws, because n8n would remove
 *   the callback address (`clearRegisteredWebhook` in `webhook-trigger-registrar.js` of n8n). The next poll
 *   repairs the webhook.
 */
export async function checkExists(context: IHookFunctions): Promise<boolean> {
	return await tolerateOutage(context, async (desired, state) => {
		const service = await Service.connect(context);
		const found = await findWebhook(service, ownerId(context), state);
		if (!found) return false;

		// The secret stays as long as we know it: deliveries that are in flight have it. The service doesn't
		// show the API key, so each publication sets another one.
		const isNewKey = !isAtStart(context) || state.apiKeyHash === undefined;
		const known = knownSecretIn(found.address, state.secretHash);
		const secrets = secretsFor(desired, isNewKey, known);
		await reconcile(service, found, desired, secrets);
		saveState(context, state, desired, found.id, secrets);
		return true;
	});
}

/** The trigger's `create`, which n8n calls if `checkExists` returned false. It throws as that does. */
export async function create(context: IHookFunctions): Promise<boolean> {
	return await tolerateOutage(context, async (desired, state) => {
		const secrets = secretsFor(desired, true);
		const service = await Service.connect(context);
		const response = await service.request({
			method: 'POST',
			path: WEBHOOKS_PATH,
			body: { ...webhookBody(targetWebhook(desired, secrets)), apiKey: secrets.apiKey },
		});
		const id =
			readWebhook(objectIn(response)).id || (await findWebhook(service, ownerId(context), {}))?.id;
		saveState(context, state, desired, id ?? '', secrets);
		return true;
	});
}

/** @param known the secret that stays; a new one by default */
function secretsFor(
	{ verification }: DesiredRegistration,
	isNewKey: boolean,
	known = newSecret(),
): Secrets {
	return {
		secret: usesSecret(verification) ? known : undefined,
		apiKey: usesApiKey(verification) && isNewKey ? newSecret() : undefined,
	};
}

async function tolerateOutage(
	context: IHookFunctions,
	work: (desired: DesiredRegistration, state: RegistrationState) => Promise<boolean>,
): Promise<boolean> {
	const state = claimState(context);
	let desired: DesiredRegistration | undefined;
	try {
		desired = desiredRegistration(context);
		return await work(desired, state);
	} catch (error) {
		const { isOutage, message } = toServiceError(error);
		const isActive = desired !== undefined && state.active === JSON.stringify(desired);
		if (!isAtStart(context) && !(isOutage && isActive)) throw notRegistered(context, error);
		// For polls, which have no other way to know the address.
		const isNewOrOwn =
			state.webhookId === undefined || ownerIn(state.address ?? '') === ownerId(context);
		if (desired && isNewOrOwn) state.address = desired.address;
		const node = context.getNode().name;
		context.logger.warn(userMessage('registrationNotChecked', { node, reason: message }).message);
		return true;
	}
}

/**
 * The trigger's `delete`. The service can't delete a webhook, and n8n unpublishes and publishes again whenever
 * a changed trigger is published (`trigger-diff.js` of n8n). So a production webhook stays registered unless
 * the user wants it switched off. A test webhook is always switched off.
 *
 * It never throws: n8n would call it again (`deregisterExternalWebhookWithRetry` in
 * `workflow-trigger-activator.js` of n8n), and n8n 1 would keep a callback address that nobody uses. A failure is a line
 * in n8n's log.
 */
export async function deactivate(context: IHookFunctions): Promise<boolean> {
	const state = claimState(context);
	const isTest = state.isTest === true;
	// Not the owner by the mode: n8n calls `delete` in mode `internal`, also for a test (`test-webhooks.js`).
	const owner = ownerId(context, isTest);
	const isKept =
		!isTest && context.getNodeParameter('options.onDeactivation', 'keep') !== 'switchOff';
	// A creation may have been done although it failed.
	if (isKept || (state.webhookId ?? state.address) === undefined) return true;
	const status = 'INACTIVE';
	delete state.active;
	try {
		const service = await Service.connect(context);
		const found = await findWebhook(service, owner, { ...state });
		if (found && !hasStatus(found, status))
			await patchWebhook(service, found.id, webhookBody({ ...found, status }));
	} catch (error) {
		const { message: reason } = toServiceError(error);
		const node = context.getNode().name;
		context.logger.warn(userMessage('webhookNotSwitchedOff', { node, status, reason }).message);
	}
	return true;
}

function saveState(
	context: IHookFunctions,
	state: RegistrationState,
	desired: DesiredRegistration,
	webhookId: string,
	{ secret, apiKey }: Secrets,
): void {
	state.webhookId = webhookId;
	state.address = desired.address;
	state.active = JSON.stringify(desired);
	state.registeredAt = Date.now();
	if (secret !== undefined) state.secretHash = secretHash(secret);
	else delete state.secretHash;
	if (apiKey !== undefined) state.apiKeyHash = secretHash(apiKey);
	else if (!usesApiKey(desired.verification)) delete state.apiKeyHash;
	state.isTest = context.getMode() === 'manual' || undefined;
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
