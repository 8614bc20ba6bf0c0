import type { IHookFunctions, NodeOperationError } from 'n8n-workflow';

import { objectIn } from '../service/responses';
import { toOperationError, toServiceError } from '../service/errors';
import { Service } from '../service/transport';
import {
	knownSecretIn,
	newSecret,
	ownerIn,
	secretHash,
	usesApiKey,
	usesSecret,
	withOwner,
} from '../webhooks/callbackSecret';
import { claimState, ownerId, type RegistrationState } from './registrationState';
import { userMessage } from '../webhooks/messages';
import {
	ACTIVE,
	callbackOf,
	drift,
	findOwnWebhook,
	listWebhooks,
	patchWebhook,
	readWebhook,
	type RegisteredWebhook,
	webhookBody,
	WEBHOOKS_PATH,
} from '../webhooks/webhooks';
import { apiKeyHeader, desiredWebhook, type DesiredWebhook } from './repair';

/** What should be registered at the service for this node. */
interface DesiredRegistration extends DesiredWebhook {
	/** Without the secret. */
	address: string;
}

function desiredRegistration(context: IHookFunctions): DesiredRegistration {
	const address = context.getNodeWebhookUrl('default');
	if (address === undefined) {
		throw toOperationError(context.getNode(), userMessage('noCallbackAddress'));
	}
	if (
		context.getNodeParameter('startWorkflow', 'eachEvent') === 'allNewEvents' &&
		context.getNodeParameter('checkForMissedEvents', 'every5Minutes') === 'never'
	) {
		throw toOperationError(context.getNode(), userMessage('noCheckForMissedEvents'));
	}
	const desired = desiredWebhook(context);
	if (usesApiKey(desired.verification) && apiKeyHeader(context) === '') {
		throw toOperationError(context.getNode(), userMessage('apiKeyHeaderMissing'));
	}
	return { ...desired, address: withOwner(address, ownerId(context)) };
}

/**
 * Whether n8n starts, when there is nobody to tell (`active-workflow-manager.js` of n8n). Otherwise a person
 * publishes, or tests.
 */
function isAtStart(context: IHookFunctions): boolean {
	return ['init', 'leadershipChange'].includes(context.getActivationMode());
}

/**
 * The trigger's `checkExists`. A webhook that is not as the node wants it is changed here, so that a
 * second one is never created.
 *
 * @returns whether the service has this node's webhook; true as well where that cannot be known and
 *   nothing is thrown
 * @throws NodeOperationError when a person publishes and the service refuses, or is away while the webhook
 *   is not known to be on. When n8n starts, it never throws: n8n would take the callback address away
 *   (`clearRegisteredWebhook` in `webhook-trigger-registrar.js` of n8n). Catching up checks the
 *   registration later.
 */
export async function checkExists(context: IHookFunctions): Promise<boolean> {
	return await tolerateOutage(context, async (wanted, kept) => {
		const service = await Service.connect(context);
		const found = findOwnWebhook(
			await listWebhooks(service),
			ownerId(context),
			kept,
			wanted.address,
		);
		if (found) await update(context, service, found, wanted, kept);
		return found !== undefined;
	});
}

/** The trigger's `create`, which n8n calls after `checkExists` gave false. Throws as that does. */
export async function create(context: IHookFunctions): Promise<boolean> {
	return await tolerateOutage(context, async (wanted, kept) => {
		const { verification, address, events, description } = wanted;
		const secret = usesSecret(verification) ? newSecret() : undefined;
		const apiKey = usesApiKey(verification) ? newSecret() : undefined;
		const service = await Service.connect(context);
		const answer = await service.request({
			method: 'POST',
			path: WEBHOOKS_PATH,
			body: {
				...webhookBody({
					address: callbackOf(address, secret),
					description,
					status: ACTIVE,
					events,
				}),
				...(apiKey !== undefined && { apiKey }),
			},
		});
		let { id } = readWebhook(objectIn(answer));
		if (id === '') {
			id = findOwnWebhook(await listWebhooks(service), ownerId(context), {}, address)?.id ?? '';
		}
		saveState(context, kept, wanted, id, secret, apiKey);
		return true;
	});
}

async function tolerateOutage(
	context: IHookFunctions,
	work: (wanted: DesiredRegistration, kept: RegistrationState) => Promise<boolean>,
): Promise<boolean> {
	const kept = claimState(context);
	let wanted: DesiredRegistration | undefined;
	try {
		wanted = desiredRegistration(context);
		return await work(wanted, kept);
	} catch (error) {
		const { isOutage, message } = toServiceError(error);
		const isOn = wanted !== undefined && kept.active === JSON.stringify(wanted);
		if (!isAtStart(context) && !(isOutage && isOn)) throw notRegistered(context, error);
		// Kept for catching up, which has no other way to know the address.
		const isNewOrOwn =
			kept.webhookId === undefined || ownerIn(kept.address ?? '') === ownerId(context);
		if (wanted && isNewOrOwn) kept.address = wanted.address;
		const node = context.getNode().name;
		context.logger.warn(userMessage('registrationNotChecked', { node, reason: message }).message);
		return true;
	}
}

/**
 * The trigger's `delete`. The service has no way to delete a webhook, and n8n unpublishes and publishes
 * again whenever a changed trigger is published (`trigger-diff.js` of n8n), so a production webhook stays
 * registered unless the user wants it switched off. A test webhook is always switched off.
 *
 * It never throws: n8n would call it again (`deregisterExternalWebhookWithRetry` in
 * `workflow-trigger-activator.js` of n8n), and n8n 1 would keep a callback address that nobody wants.
 */
export async function deactivate(context: IHookFunctions): Promise<boolean> {
	const kept = claimState(context);
	if (
		kept.isTest !== true &&
		context.getNodeParameter('options.onDeactivation', 'keep') !== 'switchOff'
	) {
		return true;
	}
	if (kept.webhookId === undefined) return true;
	const options = context.getNodeParameter('options', {}) as { offStatus?: string };
	const status = options.offStatus?.trim() || 'INACTIVE';
	delete kept.active;
	try {
		const service = await Service.connect(context);
		// n8n calls `delete` in mode `internal` for a test, too (`test-webhooks.js` of n8n).
		const owner = ownerId(context, kept.isTest === true);
		const found = findOwnWebhook(await listWebhooks(service), owner, kept, kept.address);
		if (found && found.status !== status) {
			await patchWebhook(service, found.id, webhookBody({ ...found, status }));
		}
	} catch (error) {
		const node = context.getNode().name;
		const { message: reason } = toServiceError(error);
		context.logger.warn(userMessage('webhookNotSwitchedOff', { node, status, reason }).message);
	}
	return true;
}

async function update(
	context: IHookFunctions,
	service: Service,
	found: RegisteredWebhook,
	wanted: DesiredRegistration,
	kept: RegistrationState,
): Promise<void> {
	const { verification, events, description, address } = wanted;
	// The secret stays as long as it is the one we know, because events under way carry it.
	const known = knownSecretIn(found.address, kept.secretHash);
	const secret = usesSecret(verification) ? (known ?? newSecret()) : undefined;
	// The service does not show the API key, so a new one is set whenever a person publishes.
	const isNewKey = !isAtStart(context) || kept.apiKeyHash === undefined;
	const apiKey = usesApiKey(verification) && isNewKey ? newSecret() : undefined;

	// Events from before are not this node's: another node may have given them out. If the owner is missing
	// because somebody took it out of this node's own address, the address that was kept still has it.
	const wasOwn = kept.webhookId === found.id ? (kept.address ?? '') : found.address;
	if (ownerIn(wasOwn) !== ownerIn(address)) kept.since = Date.now();
	const as = { address: callbackOf(address, secret), description, status: ACTIVE, events };
	if (apiKey !== undefined || drift(found, as).length > 0) {
		await patchWebhook(service, found.id, {
			...webhookBody(as),
			...(apiKey !== undefined && { apiKey }),
		});
	}
	saveState(context, kept, wanted, found.id, secret, apiKey);
}

function saveState(
	context: IHookFunctions,
	kept: RegistrationState,
	wanted: DesiredRegistration,
	webhookId: string,
	secret: string | undefined,
	apiKey: string | undefined,
): void {
	kept.webhookId = webhookId;
	kept.address = wanted.address;
	kept.active = JSON.stringify(wanted);
	kept.registeredAt = Date.now();
	if (secret !== undefined) kept.secretHash = secretHash(secret);
	else delete kept.secretHash;
	if (apiKey !== undefined) kept.apiKeyHash = secretHash(apiKey);
	else if (!usesApiKey(wanted.verification)) delete kept.apiKeyHash;
	kept.isTest = context.getMode() === 'manual' || undefined;
}

/**
 * The error of a registration. n8n 2 shows it only in its log and in the publication status
 * (`publication-status-reporter.js` of n8n).
 */
function notRegistered(context: IHookFunctions, error: unknown): NodeOperationError {
	const fault = toServiceError(error);
	const reason = fault.message.replace(/\.$/, '');
	const hint = fault.isLogin ? '' : 'Check the Partner Payments credential with its test button. ';
	const node = context.getNode();
	return toOperationError(node, userMessage('notRegistered', { node: node.name, reason, hint }));
}
