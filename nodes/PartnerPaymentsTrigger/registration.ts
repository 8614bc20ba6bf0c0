import type { IDataObject, IHookFunctions, IWebhookFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { toServiceError } from '../shared/errors';
import { objectIn } from '../shared/operation';
import { Service } from '../shared/transport';
import {
	ACTIVE,
	listWebhooks,
	readWebhook,
	sameAddress,
	WEBHOOKS_PATH,
	type RegisteredWebhook,
	type TriggerWebhook,
	type TriggerWebhooks,
} from '../shared/webhooks';
import {
	newSecret,
	secretHash,
	secretIn,
	withSecret,
	withWorkflow,
} from '../shared/callbackSecret';

/** How a delivery shows that it comes from the service. */
export type Verification = 'apiKey' | 'callbackSecret' | 'both' | 'none';

export const usesSecret = (verification: Verification) =>
	verification === 'callbackSecret' || verification === 'both';

export const usesApiKey = (verification: Verification) =>
	verification === 'apiKey' || verification === 'both';

/**
 * What this node keeps of its registration, in the workflow's static data. Of secrets only hashes:
 * static data is not encrypted.
 */
export interface Registration {
	webhookId?: string;
	/** The callback address without its secret. */
	address?: string;
	secretHash?: string;
	apiKeyHash?: string;
	/** What was asked for last: with the same wishes, a service that is away changes nothing. */
	wishes?: string;
	/** Made while listening for a test event. n8n does not tell it to `delete`. */
	isTest?: boolean;
}

/** The registration of this node, to read and to change. */
export function registrationOf(context: IHookFunctions | IWebhookFunctions): Registration {
	return context.getWorkflowStaticData('node') as Registration;
}

interface Wishes {
	address: string;
	events: string[];
	description: string;
	verification: Verification;
}

function wishesOf(context: IHookFunctions): Wishes {
	const address = context.getNodeWebhookUrl('default');
	if (address === undefined) {
		throw new NodeOperationError(context.getNode(), 'n8n gives this trigger no callback address');
	}
	const options = context.getNodeParameter('options', {}) as { description?: string };
	return {
		address,
		events: context.getNodeParameter('events', []) as string[],
		description: options.description?.trim() || `n8n: ${context.getWorkflow().name ?? 'workflow'}`,
		verification: context.getNodeParameter('verification', 'callbackSecret') as Verification,
	};
}

/**
 * n8n's `checkExists`: whether the service has this node's webhook, as the node wants it. What is
 * different is repaired here, so that a second one is never created.
 *
 * A service that cannot be asked does not undo what was registered before with the same wishes:
 * n8n would drop the callback address, and the events with it.
 */
export async function checkExists(context: IHookFunctions): Promise<boolean> {
	const wishes = wishesOf(context);
	const kept = registrationOf(context);
	let found: RegisteredWebhook | undefined;
	try {
		const service = await Service.connect(context);
		const webhooks = await listWebhooks(service);
		found = findOwn(webhooks, wishes.address, kept) ?? findLeftOver(context, webhooks);
		if (found) await repair(context, service, found, wishes, kept);
	} catch (error) {
		const fault = toServiceError(error);
		if (kept.webhookId !== undefined && kept.wishes === JSON.stringify(wishes)) {
			context.logger.warn(
				`Partner Payments Trigger: the registration could not be checked and is kept as it is. ${fault.message}`,
			);
			share(context, kept.webhookId, wishes.address);
			return true;
		}
		throw notRegistered(context, error);
	}
	return found !== undefined;
}

/** n8n's `create`, after `checkExists` said no. */
export async function create(context: IHookFunctions): Promise<boolean> {
	const wishes = wishesOf(context);
	const kept = registrationOf(context);
	const { verification, address } = wishes;
	const secret = usesSecret(verification) ? newSecret() : undefined;
	const apiKey = usesApiKey(verification) ? newSecret() : undefined;
	try {
		const service = await Service.connect(context);
		const answer = await service.request({
			method: 'POST',
			path: WEBHOOKS_PATH,
			body: bodyOf(context, wishes, secret, apiKey),
		});
		let { id } = readWebhook(objectIn(answer));
		if (id === '') id = findOwn(await listWebhooks(service), address, {})?.id ?? '';
		keep(context, kept, wishes, id, secret, apiKey);
	} catch (error) {
		throw notRegistered(context, error);
	}
	return true;
}

/**
 * n8n's `delete`. The service has no way to delete a webhook, and n8n deactivates and activates
 * again whenever a changed trigger is published, so a production webhook stays registered unless
 * the user wants it switched off. A test webhook is always switched off.
 *
 * It never throws: n8n would try again, or keep a callback address that nobody wants.
 */
export async function remove(context: IHookFunctions): Promise<boolean> {
	const kept = registrationOf(context);
	if (kept.isTest !== true) {
		const { [context.getNode().id]: shared } = sharedWebhooks(context);
		if (shared) shared.isUnused = true;
		if (context.getNodeParameter('onDeactivation', 'keep') !== 'switchOff') return true;
	}

	const options = context.getNodeParameter('options', {}) as { offStatus?: string };
	const status = options.offStatus?.trim() || 'INACTIVE';
	try {
		const { address } = wishesOf(context);
		const service = await Service.connect(context);
		const found = findOwn(await listWebhooks(service), address, kept);
		if (found && found.status !== status) {
			await service.request({
				method: 'PATCH',
				path: `${WEBHOOKS_PATH}/${encodeURIComponent(found.id)}`,
				body: {
					url: found.address,
					description: found.description,
					status,
					events: { transaction: found.events },
				},
			});
		}
	} catch (error) {
		context.logger.warn(
			`Partner Payments Trigger: the webhook could not be switched off (status ${status}), so the service goes on calling it. ${toServiceError(error).message}`,
		);
	}
	return true;
}

/** The webhook of this node: at its address, or the one it registered before its address changed. */
function findOwn(
	webhooks: RegisteredWebhook[],
	address: string,
	{ webhookId, address: oldAddress }: Registration,
): RegisteredWebhook | undefined {
	const own = webhooks.filter((webhook) => sameAddress(webhook.address, address));
	return (
		own.find(({ id }) => id === webhookId) ??
		own.find(({ status }) => status === ACTIVE) ??
		own[0] ??
		webhooks.find(
			(webhook) =>
				webhookId !== undefined &&
				webhook.id === webhookId &&
				oldAddress !== undefined &&
				sameAddress(webhook.address, oldAddress),
		)
	);
}

/**
 * The webhook of a trigger that was deleted from this workflow. The service keeps it for ever, so a
 * new trigger takes it over.
 */
function findLeftOver(
	context: IHookFunctions,
	webhooks: RegisteredWebhook[],
): RegisteredWebhook | undefined {
	if (context.getMode() === 'manual') return undefined;
	const shared = sharedWebhooks(context);
	for (const [nodeId, { webhookId, address, isUnused }] of Object.entries(shared)) {
		const found = webhooks.find(({ id }) => id === webhookId);
		if (isUnused !== true || !found || !sameAddress(found.address, address)) continue;
		delete shared[nodeId];
		return found;
	}
	return undefined;
}

async function repair(
	context: IHookFunctions,
	service: Service,
	found: RegisteredWebhook,
	wishes: Wishes,
	kept: Registration,
): Promise<void> {
	const { verification, events, description, address } = wishes;
	const present = secretIn(found.address);
	const known =
		present !== undefined &&
		(kept.secretHash === undefined || kept.secretHash === secretHash(present));
	// The secret stays as long as it is the one we know: events under way carry it.
	const secret = usesSecret(verification) ? (known ? present : newSecret()) : undefined;
	const apiKey =
		usesApiKey(verification) && kept.apiKeyHash === undefined ? newSecret() : undefined;

	const asWished =
		found.address === callbackOf(context, address, secret) &&
		found.status === ACTIVE &&
		found.description === description &&
		sameSet(found.events, events) &&
		apiKey === undefined;
	if (!asWished) {
		await service.request({
			method: 'PATCH',
			path: `${WEBHOOKS_PATH}/${encodeURIComponent(found.id)}`,
			body: bodyOf(context, wishes, secret, apiKey),
		});
	}
	keep(context, kept, wishes, found.id, secret, apiKey);
}

function bodyOf(
	context: IHookFunctions,
	{ address, description, events }: Wishes,
	secret: string | undefined,
	apiKey: string | undefined,
): IDataObject {
	return {
		url: callbackOf(context, address, secret),
		description,
		...(apiKey !== undefined && { apiKey }),
		status: ACTIVE,
		events: { transaction: events },
	};
}

/** What the service calls. In queue mode Recover Missed Events finds its workflow's webhooks by it. */
function callbackOf(context: IHookFunctions, address: string, secret: string | undefined): string {
	const { id } = context.getWorkflow();
	const named =
		id === undefined || context.getMode() === 'manual' ? address : withWorkflow(address, id);
	return secret === undefined ? named : withSecret(named, secret);
}

function keep(
	context: IHookFunctions,
	kept: Registration,
	wishes: Wishes,
	webhookId: string,
	secret: string | undefined,
	apiKey: string | undefined,
): void {
	const { address, verification } = wishes;
	kept.webhookId = webhookId;
	kept.address = address;
	kept.wishes = JSON.stringify(wishes);
	if (secret !== undefined) kept.secretHash = secretHash(secret);
	else delete kept.secretHash;
	if (apiKey !== undefined) kept.apiKeyHash = secretHash(apiKey);
	else if (!usesApiKey(verification)) delete kept.apiKeyHash;

	if (context.getMode() === 'manual') kept.isTest = true;
	else share(context, webhookId, address);
}

function share(context: IHookFunctions, webhookId: string, address: string): void {
	if (context.getMode() === 'manual') return;
	sharedWebhooks(context)[context.getNode().id] = { webhookId, address };
}

function sharedWebhooks(context: IHookFunctions): Record<string, TriggerWebhook> {
	const shared = context.getWorkflowStaticData('global') as TriggerWebhooks;
	shared.partnerPaymentsWebhooks ??= {};
	return shared.partnerPaymentsWebhooks;
}

function sameSet(a: string[], b: string[]): boolean {
	return a.length === b.length && new Set([...a, ...b]).size === a.length;
}

/** Read in n8n's log and in the publication status: n8n 2 shows it nowhere else. */
function notRegistered(context: IHookFunctions, error: unknown): NodeOperationError {
	const fault = toServiceError(error);
	const reason =
		error instanceof NodeOperationError ? error.message : fault.message.replace(/\.$/, '');
	return new NodeOperationError(
		context.getNode(),
		`The webhook of "${context.getNode().name}" is not registered at the payments service, so no events arrive. ${reason}`,
		{
			description: `${fault.isLogin ? '' : 'Check the Partner Payments credential with its test button. '}Publish the workflow again when this is settled.`,
		},
	);
}
