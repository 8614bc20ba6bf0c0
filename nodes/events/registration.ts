import { createHash } from 'node:crypto';
import type { IHookFunctions, ITriggerFunctions, IWebhookFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { toServiceError } from '../service/errors';
import { objectIn } from '../service/answers';
import { Service } from '../service/transport';
import { newSecret, ownerIn, secretHash, secretIn, withOwner, withSecret } from './callbackSecret';
import type { Problem } from './giveOut';
import {
	ACTIVE,
	listWebhooks,
	patchWebhook,
	readWebhook,
	sameAddress,
	webhookBody,
	WEBHOOKS_PATH,
	type RegisteredWebhook,
} from './webhooks';

/** How a delivery shows that it comes from the service. */
export type Verification = 'apiKey' | 'callbackSecret' | 'both' | 'none';

export const usesSecret = (verification: Verification) =>
	verification === 'callbackSecret' || verification === 'both';

export const usesApiKey = (verification: Verification) =>
	verification === 'apiKey' || verification === 'both';

/**
 * What this node keeps of its registration, in the workflow's static data. Of secrets only hashes:
 * static data is not encrypted. Only n8n's hooks write it: they alone are sure to be saved.
 */
export interface Registration {
	webhookId?: string;
	/** The callback address without its secret. */
	address?: string;
	secretHash?: string;
	apiKeyHash?: string;
	/** What was registered last, while it is known to be switched on. */
	active?: string;
	/** From when on its events are this node's (milliseconds since 1970), if it had another owner before. */
	since?: number;
	/** Made while listening for a test event. n8n does not tell it to `delete`. */
	isTest?: boolean;
}

/** What is kept under this node's name, which may be another node's registration. */
export function registrationOf(
	context: IHookFunctions | ITriggerFunctions | IWebhookFunctions,
): Registration {
	return context.getWorkflowStaticData('node') as Registration;
}

/**
 * The registration of this node, to read. A removed node of the same name may have left another one, or
 * an export of another n8n may have brought one along: nothing of that is this node's.
 */
export function ownRegistration(context: IHookFunctions | ITriggerFunctions): Registration {
	const kept = registrationOf(context);
	return isOwn(context, kept) ? kept : {};
}

/** The registration of this node, to read and to change: what is another one's is forgotten. */
function claimRegistration(context: IHookFunctions): Registration {
	const kept = registrationOf(context);
	if (!isOwn(context, kept)) {
		for (const name of Object.keys(kept)) delete kept[name as keyof Registration];
	}
	return kept;
}

function isOwn(
	context: IHookFunctions | ITriggerFunctions,
	{ address = '', isTest }: Registration,
): boolean {
	const owner = ownerIn(address);
	return owner === undefined || owner === ownerOf(context, isTest);
}

/** What the service shall have registered for this node. */
interface Wanted {
	/** Without the secret. */
	address: string;
	events: string[];
	description: string;
	verification: Verification;
}

/**
 * By which the service's list shows whose webhook it is: this node's, of this workflow, on this n8n. An
 * export that is published elsewhere, a copied workflow and a test of the same node are other owners.
 */
function ownerOf(
	context: IHookFunctions | ITriggerFunctions,
	isTest = context.getMode() === 'manual',
): string {
	const kind = isTest ? 'test' : 'published';
	const parts = [context.getInstanceId(), context.getWorkflow().id, context.getNode().id, kind];
	return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}

function wantedBy(context: IHookFunctions): Wanted {
	const address = context.getNodeWebhookUrl('default');
	if (address === undefined) {
		throw new NodeOperationError(context.getNode(), 'n8n gives this trigger no callback address');
	}
	if (
		context.getNodeParameter('startWorkflow', 'each') === 'together' &&
		context.getNodeParameter('catchUp', 'every5Minutes') === 'never'
	) {
		throw new NodeOperationError(context.getNode(), 'Together needs a Catch Up other than Never', {
			description: 'Choose how often under Catch Up, or set Start Workflow to For Each Event.',
		});
	}
	return { ...upkeepOf(context), address: withOwner(address, ownerOf(context)) };
}

/** n8n starts, and nobody is there to be told. Otherwise a person publishes, or tests. */
function isAtStart(context: IHookFunctions): boolean {
	return ['init', 'leadershipChange'].includes(context.getActivationMode());
}

/**
 * n8n's `checkExists`: whether the service has this node's webhook, as the node wants it. What is
 * different is changed here, so that a second one is never created.
 *
 * @throws NodeOperationError when a person publishes and the service refuses, or is away while the
 *   webhook is not known to be on. When n8n starts, it never throws: n8n would take the callback address
 *   away. Catching up looks at the registration anyway.
 */
export async function checkExists(context: IHookFunctions): Promise<boolean> {
	return await orTolerate(context, async (wanted, kept) => {
		const service = await Service.connect(context);
		const found = findOwn(await listWebhooks(service), ownerOf(context), kept, wanted.address);
		if (found) await change(context, service, found, wanted, kept);
		return found !== undefined;
	});
}

/** n8n's `create`, after `checkExists` said no. Throws as that does. */
export async function create(context: IHookFunctions): Promise<boolean> {
	return await orTolerate(context, async (wanted, kept) => {
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
			id = findOwn(await listWebhooks(service), ownerOf(context), {}, address)?.id ?? '';
		}
		keep(context, kept, wanted, id, secret, apiKey);
		return true;
	});
}

async function orTolerate(
	context: IHookFunctions,
	work: (wanted: Wanted, kept: Registration) => Promise<boolean>,
): Promise<boolean> {
	const kept = claimRegistration(context);
	let wanted: Wanted | undefined;
	try {
		wanted = wantedBy(context);
		return await work(wanted, kept);
	} catch (error) {
		const { isOutage, message } = toServiceError(error);
		const isOn = wanted !== undefined && kept.active === JSON.stringify(wanted);
		if (!isAtStart(context) && !(isOutage && isOn)) throw notRegistered(context, error);
		context.logger.warn(
			`Partner Payments Trigger: the registration of "${context.getNode().name}" could not be looked at and stays as it is; catching up looks again. ${message}`,
		);
		return true;
	}
}

/**
 * n8n's `delete`. The service has no way to delete a webhook, and n8n unpublishes and publishes
 * again whenever a changed trigger is published, so a production webhook stays registered unless
 * the user wants it switched off. A test webhook is always switched off.
 *
 * It never throws: n8n would try again, or keep a callback address that nobody wants.
 */
export async function remove(context: IHookFunctions): Promise<boolean> {
	const kept = claimRegistration(context);
	if (kept.isTest !== true && context.getNodeParameter('onDeactivation', 'keep') !== 'switchOff') {
		return true;
	}
	if (kept.webhookId === undefined) return true;
	const options = context.getNodeParameter('options', {}) as { offStatus?: string };
	const status = options.offStatus?.trim() || 'INACTIVE';
	delete kept.active;
	try {
		const service = await Service.connect(context);
		// n8n does not tell that it was a test.
		const owner = ownerOf(context, kept.isTest === true);
		const found = findOwn(await listWebhooks(service), owner, kept, kept.address);
		if (found && found.status !== status) {
			await patchWebhook(service, found.id, webhookBody({ ...found, status }));
		}
	} catch (error) {
		context.logger.warn(
			`Partner Payments Trigger: the webhook of "${context.getNode().name}" could not be switched off (status ${status}), so the service goes on calling it. ${toServiceError(error).message}`,
		);
	}
	return true;
}

/**
 * The webhook of this node: the one that names it as its owner, or that calls its address, or, where
 * the address names no owner, that has its secret. Never one of another node, also not of one that was
 * removed.
 */
function findOwn(
	webhooks: RegisteredWebhook[],
	owner: string,
	kept: Registration,
	address = '',
): RegisteredWebhook | undefined {
	const own = webhooks.filter((webhook) => {
		const named = ownerIn(webhook.address);
		const secret = secretIn(webhook.address);
		return (
			named === owner ||
			sameAddress(webhook.address, address) ||
			(named === undefined && secret !== undefined && secretHash(secret) === kept.secretHash)
		);
	});
	return (
		own.find(({ id }) => id === kept.webhookId) ??
		own.find(({ status }) => status === ACTIVE) ??
		own[0]
	);
}

async function change(
	context: IHookFunctions,
	service: Service,
	found: RegisteredWebhook,
	wanted: Wanted,
	kept: Registration,
): Promise<void> {
	const { verification, events, description, address } = wanted;
	const present = secretIn(found.address);
	const isKnown =
		present !== undefined &&
		(kept.secretHash === undefined || kept.secretHash === secretHash(present));
	// The secret stays as long as it is the one we know: events under way carry it.
	const secret = usesSecret(verification) ? (isKnown ? present : newSecret()) : undefined;
	// The service shows no API key: a person who publishes makes sure that it is ours.
	const isNewKey = !isAtStart(context) || kept.apiKeyHash === undefined;
	const apiKey = usesApiKey(verification) && isNewKey ? newSecret() : undefined;

	// What came before is not in this node's memory: another one may have given it out. Somebody may also
	// have taken the mark out of this node's own address.
	const wasOwn = kept.webhookId === found.id ? (kept.address ?? '') : found.address;
	if (ownerIn(wasOwn) !== ownerIn(address)) kept.since = Date.now();
	const as = { address: callbackOf(address, secret), description, status: ACTIVE, events };
	if (apiKey !== undefined || differences(found, as).length > 0) {
		await patchWebhook(service, found.id, {
			...webhookBody(as),
			...(apiKey !== undefined && { apiKey }),
		});
	}
	keep(context, kept, wanted, found.id, secret, apiKey);
}

/** In which respects a webhook is not as it should be. */
function differences(
	found: RegisteredWebhook,
	as: Pick<RegisteredWebhook, 'address' | 'status' | 'events' | 'description'>,
): string[] {
	const isSet = new Set([...found.events, ...as.events]).size === as.events.length;
	return [
		...(isSameCallback(found.address, as.address) ? [] : ['address']),
		...(found.status === as.status ? [] : ['status']),
		...(isSet && found.events.length === as.events.length ? [] : ['events']),
		...(found.description === as.description ? [] : ['description']),
	];
}

/** The service may write an address in another way than it was given. */
function isSameCallback(a: string, b: string): boolean {
	return sameAddress(a, b) && secretIn(a) === secretIn(b) && ownerIn(a) === ownerIn(b);
}

/** What the service calls. */
function callbackOf(address: string, secret: string | undefined): string {
	return secret === undefined ? address : withSecret(address, secret);
}

function keep(
	context: IHookFunctions,
	kept: Registration,
	wanted: Wanted,
	webhookId: string,
	secret: string | undefined,
	apiKey: string | undefined,
): void {
	kept.webhookId = webhookId;
	kept.address = wanted.address;
	kept.active = JSON.stringify(wanted);
	if (secret !== undefined) kept.secretHash = secretHash(secret);
	else delete kept.secretHash;
	if (apiKey !== undefined) kept.apiKeyHash = secretHash(apiKey);
	else if (!usesApiKey(wanted.verification)) delete kept.apiKeyHash;
	if (context.getMode() === 'manual') kept.isTest = true;
}

/** What catching up wants of the registration: read when the workflow is published. */
export type Upkeep = Pick<Wanted, 'events' | 'description' | 'verification'>;

export function upkeepOf(context: IHookFunctions | ITriggerFunctions): Upkeep {
	const { description = '' } = context.getNodeParameter('options', {}) as { description?: string };
	return {
		description: description.trim() || `n8n: ${context.getWorkflow().name ?? 'workflow'}`,
		events: context.getNodeParameter('events', []) as string[],
		verification: context.getNodeParameter('verification', 'callbackSecret') as Verification,
	};
}

/** The advice where a new secret is needed: only a publication can keep one. */
export const PUBLISH_ANEW =
	'Unpublish the workflow and publish it again (n8n 1: switch it off and on), which registers it anew. Until then Catch Up gives out what the service logs.';

/**
 * Looks at the registration from time to time, and repairs what somebody has switched off or changed.
 *
 * @returns the webhook, if it is known, and what only a person can repair
 * @throws ServiceError when the service cannot be asked, or refuses
 */
export async function repair(
	context: ITriggerFunctions,
	service: Service,
	{ events, description, verification }: Upkeep,
): Promise<{ webhookId?: string; problem?: Problem }> {
	const kept = ownRegistration(context);
	const found = findOwn(await listWebhooks(service), ownerOf(context), kept, kept.address);
	if (!found) {
		const { webhookId } = kept;
		const message = 'The webhook is not registered at the service any more';
		return { webhookId, problem: { message, advice: PUBLISH_ANEW } };
	}
	const { id: webhookId } = found;
	const secret = secretIn(found.address);
	const isLost =
		usesSecret(verification) &&
		(secret === undefined ||
			(kept.secretHash !== undefined && kept.secretHash !== secretHash(secret)));
	if (isLost) {
		const message =
			'The secret of the webhook is lost: somebody has changed its address at the service';
		return { webhookId, problem: { message, advice: PUBLISH_ANEW } };
	}
	const address = callbackOf(kept.address ?? found.address, secret);
	const as = { address, description, status: ACTIVE, events };
	const changed = differences(found, as);
	if (changed.length > 0) {
		await patchWebhook(service, webhookId, webhookBody(as));
		context.logger.info(
			`Partner Payments Trigger: repaired the webhook of "${context.getNode().name}" at the service: ${changed.join(', ')}`,
		);
	}
	return { webhookId };
}

/** Read in n8n's log and in the publication status: n8n 2 shows it nowhere else. */
function notRegistered(context: IHookFunctions, error: unknown): NodeOperationError {
	const fault = toServiceError(error);
	const reason = fault.message.replace(/\.$/, '');
	return new NodeOperationError(
		context.getNode(),
		`The webhook of "${context.getNode().name}" is not registered at the payments service, so no events arrive. ${reason}`,
		{
			description: `${fault.isLogin ? '' : 'Check the Partner Payments credential with its test button. '}Unpublish the workflow and publish it again when this is settled.`,
		},
	);
}
