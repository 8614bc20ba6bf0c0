import type { IHookFunctions, ITriggerFunctions, IWebhookFunctions } from 'n8n-workflow';

import type { UserMessage } from '../service/messages';
import type { Service } from '../service/transport';
import { knownSecretIn, secretIn, usesSecret, type Verification } from '../logs/callbackSecret';
import { chosenEvents } from '../logs/event';
import {
	ACTIVE,
	callbackUrl,
	drift,
	findOwnWebhook,
	isHidden,
	listWebhooks,
	patchWebhook,
	type RegisteredWebhook,
	webhookBody,
} from '../logs/webhooks';
import { userMessage } from './messages';
import { ownerId, readOwnState, type RegistrationState } from './registrationState';

/** What the trigger's parameters ask of its webhook. n8n evaluates them on publication. */
export interface DesiredWebhook {
	events: string[];
	description: string;
	verification: Verification;
}

/** The same with the callback address, which has no secret yet. */
export interface DesiredRegistration extends DesiredWebhook {
	address: string;
}

/** What proves that a delivery comes from the service. The service never shows the API key. */
export interface Secrets {
	/** Undefined to have none in the address. */
	secret?: string;
	/** Undefined to keep the one that the service has. */
	apiKey?: string;
}

/** The name of the header in which the service sends the API key, in lower case. */
export function apiKeyHeader(
	context: IHookFunctions | ITriggerFunctions | IWebhookFunctions,
): string {
	return String(context.getNodeParameter('options.verificationHeader', '')).trim().toLowerCase();
}

export function desiredWebhook(context: IHookFunctions | ITriggerFunctions): DesiredWebhook {
	const { description = '' } = context.getNodeParameter('options', {}) as { description?: string };
	return {
		description: description.trim() || `n8n: ${context.getWorkflow().name ?? ''}`,
		events: chosenEvents(context.getNodeParameter('events', []) as string[]),
		verification: context.getNodeParameter(
			'options.verification',
			'callbackSecret',
		) as Verification,
	};
}

/** The webhook that the service should have. */
export function targetWebhook(
	{ address, description, events }: Omit<DesiredRegistration, 'verification'>,
	{ secret }: Secrets,
): Omit<RegisteredWebhook, 'id'> {
	return { address: callbackUrl(address, secret), description, status: ACTIVE, events };
}

/** Lists the account's webhooks and returns the owner's; undefined if there is none. */
export async function findWebhook(
	service: Service,
	owner: string,
	state: RegistrationState,
): Promise<RegisteredWebhook | undefined> {
	return findOwnWebhook(await listWebhooks(service), owner, state, state.address);
}

/**
 * Makes a registered webhook the desired one, if it has drifted or gets a new API key.
 *
 * @returns the names of what had drifted
 * @throws ServiceError if the service is unavailable or rejects the change
 */
export async function reconcile(
	service: Service,
	found: RegisteredWebhook,
	desired: Omit<DesiredRegistration, 'verification'>,
	secrets: Secrets,
): Promise<string[]> {
	const { apiKey } = secrets;
	const target = targetWebhook(desired, secrets);
	const changes = drift(found, target);
	if (apiKey !== undefined || changes.length > 0) {
		await patchWebhook(service, found.id, { ...webhookBody(target), apiKey });
	}
	return changes;
}

/** A drift of the description alone affects nothing. */
const COSMETIC = 'description';

/** What the service still shows otherwise after a repair. */
interface Unkept {
	/** The webhook as it is shown. While this stays the same, it isn't repaired again. */
	shown: string;
	/** The names of what differs. */
	names: string[];
	/** From when on deliveries prove that it works (by the service's clock, milliseconds since 1970). */
	since?: number;
	/** Whether it works; undefined if that isn't known yet. */
	works?: boolean;
}

/** Checks the registration of a published trigger at each poll, and repairs it. */
export class RegistrationCheck {
	/** Whether the address at the service shows the right secret, if there has to be one. */
	isSecretShown = true;

	private problem?: UserMessage;

	private unkept?: Unkept;

	constructor(
		private readonly context: ITriggerFunctions,
		private readonly desired: DesiredWebhook,
	) {}

	/** The alarm for what only a person can repair. */
	get alarm(): UserMessage | undefined {
		if (this.unkept?.works !== false) return this.problem;
		return userMessage('repairNotKept', { changes: this.unkept.names.join(', ') });
	}

	/** Whether `decide` has to be called. */
	get isUndecided(): boolean {
		return this.unkept !== undefined && this.unkept.works === undefined;
	}

	/**
	 * Checks the webhook, and repairs it. A repair that the service doesn't keep isn't repeated.
	 *
	 * @param isPublished whether the trigger is still published: once it isn't, nothing is repaired
	 * @returns the ID of the webhook, if it is known
	 * @throws ServiceError if the service is unavailable or rejects the request
	 */
	async check(service: Service, isPublished: () => boolean): Promise<string | undefined> {
		const { context } = this;
		const state = readOwnState(context);
		const found = await findWebhook(service, ownerId(context), state);
		this.problem = found ? undefined : userMessage('webhookMissing');
		if (!found) return state.webhookId;
		const { id } = found;
		const secret = knownSecretIn(found.address, state.secretHash);
		this.isSecretShown = !usesSecret(this.desired.verification) || secret !== undefined;
		const desired = { ...this.desired, address: state.address ?? found.address };
		if (!this.isSecretShown) {
			// The service may mask addresses: deliveries show whether it has the secret. But without the secret,
			// the webhook can't be repaired. A secret that isn't masked is another one: n8n was killed before it
			// stored what a publication had set.
			const changes = drift(found, targetWebhook(desired, {}));
			if (
				secretIn(found.address) !== undefined ||
				changes.some((name) => name !== COSMETIC && name !== 'address') ||
				isElsewhere(found.address, desired.address)
			) {
				this.problem = userMessage('secretLost');
			}
			return id;
		}
		if (this.unkept?.shown === JSON.stringify(found) || !isPublished()) return id;
		const target = targetWebhook(desired, { secret });
		// Deliveries show whether an address is right that the service hides.
		const known = (webhook: RegisteredWebhook) =>
			isHidden(webhook.address) ? { ...webhook, address: target.address } : webhook;
		const changes = await reconcile(service, known(found), desired, { secret });
		this.unkept = undefined;
		if (changes.length === 0) return id;
		const shown = (await findWebhook(service, ownerId(context), state)) ?? found;
		const names = drift(known(shown), target);
		if (names.length > 0) {
			const works = names.every((name) => name === COSMETIC) || undefined;
			this.unkept = { shown: JSON.stringify(shown), names, works };
		}
		this.log(changes.filter((name) => !names.includes(name)));
		return id;
	}

	/**
	 * Decides whether a repair that the service didn't keep matters: not if a later delivery arrived.
	 *
	 * @param newest the date of the newest log entry (by the service's clock, milliseconds since 1970)
	 */
	decide(newest: number, isArriving: (since: number) => boolean): void {
		const { unkept } = this;
		if (!unkept || unkept.works !== undefined) return;
		if (unkept.since === undefined) unkept.since = newest;
		else unkept.works = isArriving(unkept.since);
	}

	private log(changes: string[]): void {
		if (changes.length === 0) return;
		const node = this.context.getNode().name;
		this.context.logger.info(
			userMessage('webhookRepaired', { node, changes: changes.join(', ') }).message,
		);
	}
}

/** Whether an address that may be masked is on another server. */
function isElsewhere(shown: string, address: string): boolean {
	if (!URL.canParse(shown)) return false;
	const { origin } = new URL(shown);
	return !isHidden(origin) && origin !== new URL(address).origin;
}
