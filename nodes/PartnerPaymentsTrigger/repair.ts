import type { ITriggerFunctions } from 'n8n-workflow';

import { type EditorMessage, userMessage } from '../messages/userMessage';
import { DAY_MS, HOUR_MS } from '../service/time';
import { toServiceError } from '../service/errors';
import type { Service } from '../service/transport';
import { knownSecretIn, withSecret } from '../logs/callbackSecret';
import { drift, findWebhook, lacksEvents, patchWebhook, webhookBody } from '../logs/webhooks';
import { desiredWebhook, isVerified, ownerId, readOwnState } from './registration';

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
	alarm?: EditorMessage;

	private readonly isVerified: boolean;

	private readonly desired: ReturnType<typeof desiredWebhook>;

	private last: Repair = { at: -Infinity, names: [] };

	/** The date of the newest entry when something was first seen to differ; undefined if nothing does. */
	private differsSince?: number;

	constructor(private readonly context: ITriggerFunctions) {
		this.isVerified = isVerified(context);
		this.desired = desiredWebhook(context);
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
		const secret = found && knownSecretIn(found.address, state.secretHash);
		if (!found || (this.isVerified && secret === undefined)) {
			// Nothing can be repaired without them.
			this.alarm = userMessage(found ? 'secretLost' : 'webhookMissing');
			return found?.id ?? state.webhookId;
		}
		if (this.isQuiet || this.alarm?.code !== 'repairNotKept') this.alarm = undefined;
		const address = withSecret(
			state.address ?? found.address,
			this.isVerified ? secret : undefined,
		);
		const desired = { ...this.desired, address };
		const names = drift(found, desired);
		this.differsSince = names.length > 0 ? (this.differsSince ?? newest) : undefined;
		// One that was late arrives even if the webhook is switched off.
		const isRecent = Date.now() - arrivedAt < REPAIR_MS;
		const isArriving = isRecent && arrivedAt > (this.differsSince ?? Infinity);
		if (names.length === 0 || (isArriving && !lacksEvents(found, desired))) return found.id;
		if (Date.now() - this.last.at < REPAIR_MS) {
			if (this.last.rejection) throw this.last.rejection;
		} else if (!signal.aborted) {
			const before = this.isQuiet ? [] : this.last.names;
			await patchWebhook(service, found.id, webhookBody(desired)).catch((rejection: unknown) => {
				if (!toServiceError(rejection).isOutage)
					this.last = { at: Date.now(), names: [], rejection };
				throw rejection;
			});
			this.last = { at: Date.now(), names };
			this.differsSince = newest;
			const changes = names.join(', ');
			const again = names.filter((name) => before.includes(name)).join(', ');
			if (again !== '') this.alarm = userMessage('repairNotKept', { changes: again });
			const node = this.context.getNode().name;
			this.context.logger.info(userMessage('webhookRepaired', { node, changes }).message);
		}
		return found.id;
	}
}
