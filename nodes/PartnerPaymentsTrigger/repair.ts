import type { IHookFunctions, ITriggerFunctions, IWebhookFunctions } from 'n8n-workflow';

import { type UserMessage, userMessage } from '../messages/userMessage';
import { DAY_MS, HOUR_MS } from '../service/time';
import { toServiceError } from '../service/errors';
import type { Service } from '../service/transport';
import {
	knownSecretIn,
	secretIn,
	usesApiKey,
	usesSecret,
	type Verification,
	withSecret,
} from '../logs/callbackSecret';
import { chosenEvents } from '../logs/event';
import {
	ACTIVE,
	drift,
	findWebhook,
	isSamePlace,
	lacksEvents,
	patchWebhook,
	type RegisteredWebhook,
	webhookBody,
} from '../logs/webhooks';
import { ownerId, readOwnState } from './registrationState';

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
	return { address: withSecret(address, secret), description, status: ACTIVE, events };
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

/** The trigger repairs its webhook at most this often: another n8n may have a copy of it, and repair it, too. */
const REPAIR_MS = HOUR_MS;

/** What the logs say about deliveries (dates by the service's clock, milliseconds since 1970). */
interface Arrivals {
	/** Of the newest entry. */
	newest: number;
	/** Of the newest attempt, if it arrived. */
	arrivedAt: number;
}

/** A repair: when (milliseconds since 1970), the names of what had drifted, and why the service rejected it, if so. */
interface Repair {
	at: number;
	names: string[];
	rejection?: unknown;
}

/** Checks the registration of a published trigger at each look, and repairs it. */
export class RegistrationCheck {
	/** The alarm for what only a person can repair. */
	alarm?: UserMessage;

	/** Whether the service has to call an address with a secret, and shows none. */
	private isSecretHidden = false;

	private last: Repair = { at: -Infinity, names: [] };

	/** The date of the newest entry when something was first seen to differ; undefined if nothing does. */
	private differsSince?: number;

	constructor(
		private readonly context: ITriggerFunctions,
		private readonly desired: DesiredWebhook,
	) {}

	/** The header in which the service has to send the API key; empty without one, or if the secret may be wrong. */
	get header(): string {
		const isUsed = usesApiKey(this.desired.verification) && !this.isSecretHidden;
		return isUsed ? apiKeyHeader(this.context) : '';
	}

	/** Whether nothing was repaired for a day: nobody else changes the webhook any more. */
	private get isQuiet(): boolean {
		return Date.now() - this.last.at > DAY_MS;
	}

	/**
	 * Checks the webhook, and repairs it: once an hour, and while deliveries arrive only if an event is missing. What is
	 * to be repaired a second time in a row is changed by somebody else.
	 *
	 * @param signal nothing is repaired once the trigger is no longer published
	 * @returns the ID of the webhook, if it is known
	 * @throws ServiceError if the service is unavailable or rejects the request
	 */
	async check(
		service: Service,
		signal: AbortSignal,
		{ newest, arrivedAt }: Arrivals,
	): Promise<string | undefined> {
		const state = readOwnState(this.context);
		const found = await findWebhook(service, ownerId(this.context), state);
		if (!found) {
			this.alarm = userMessage('webhookMissing');
			return state.webhookId;
		}
		const secret = knownSecretIn(found.address, state.secretHash);
		const desired = { ...this.desired, address: state.address ?? found.address };
		const names = drift(found, targetWebhook(desired, { secret }));
		if (this.isQuiet || this.alarm?.code !== 'repairNotKept') this.alarm = undefined;
		this.isSecretHidden = usesSecret(this.desired.verification) && secret === undefined;
		if (this.isSecretHidden) {
			// Without the secret, nothing can be repaired. If all else is right, the service may only hide it: see `deliveryAlarm`.
			const isHidden =
				secretIn(found.address) === undefined &&
				isSamePlace(found.address, desired.address) &&
				names.every((name) => name === 'address' || name === COSMETIC);
			if (!isHidden) this.alarm = userMessage('secretLost');
			return found.id;
		}
		this.differsSince = names.length > 0 ? (this.differsSince ?? newest) : undefined;
		// One that was late arrives even if the webhook is switched off.
		const isRecent = Date.now() - arrivedAt < REPAIR_MS;
		const isArriving = isRecent && arrivedAt > (this.differsSince ?? Infinity);
		if (names.length === 0 || (isArriving && !lacksEvents(found, desired))) return found.id;
		if (Date.now() - this.last.at < REPAIR_MS) {
			if (this.last.rejection) throw this.last.rejection;
		} else if (!signal.aborted) {
			await this.repair(service, found, desired, secret, names);
			this.differsSince = newest;
		}
		return found.id;
	}

	private async repair(
		service: Service,
		found: RegisteredWebhook,
		desired: Omit<DesiredRegistration, 'verification'>,
		secret: string | undefined,
		names: string[],
	): Promise<void> {
		const before = this.isQuiet ? [] : this.last.names;
		const again = names.filter((name) => name !== COSMETIC && before.includes(name));
		await reconcile(service, found, desired, { secret }).catch((rejection: unknown) => {
			if (!toServiceError(rejection).isOutage) this.last = { at: Date.now(), names: [], rejection };
			throw rejection;
		});
		this.last = { at: Date.now(), names };
		const changes = names.join(', ');
		if (again.length > 0) this.alarm = userMessage('repairNotKept', { changes: again.join(', ') });
		const node = this.context.getNode().name;
		this.context.logger.info(userMessage('webhookRepaired', { node, changes }).message);
	}
}
