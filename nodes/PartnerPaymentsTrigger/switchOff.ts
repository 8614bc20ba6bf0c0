import type { IHookFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { rethrow, toServiceError } from '../service/errors';
import { Service } from '../service/transport';
import { findWebhook, hasStatus, patchWebhook, webhookBody } from '../logs/webhooks';
import { userMessage } from '../messages/userMessage';
import type { RegistrationState } from './registrationState';

/** How long to try again while the service is unavailable: once a minute for a day. */
const PAUSE_MS = 60_000;
const MAX_ATTEMPTS = 24 * 60;

/** By owner: the task that switches its webhook off. A publication removes it, and the next task replaces it. */
const tasks = new Map<string, symbol>();

/**
 * Switches the webhook of an owner off. If the service is unavailable, this happens later, unless n8n ends. It
 * never throws.
 */
export async function switchOff(
	context: IHookFunctions,
	owner: string,
	state: RegistrationState,
	status: string,
): Promise<void> {
	const task = Symbol(owner);
	const isWanted = () => tasks.get(owner) === task;
	tasks.set(owner, task);
	// The hooks of a later publication change the state.
	const known = { ...state };
	try {
		const service = await Service.connect(context);
		const attempt = async () => {
			const found = await findWebhook(service, owner, known);
			if (!found || hasStatus(found, status) || !isWanted()) return;
			await patchWebhook(service, found.id, webhookBody({ ...found, status }));
		};
		await attempt().catch((error: unknown) => {
			if (!toServiceError(error).isOutage) return rethrow(error as Error);
			report(context, 'webhookNotYetSwitchedOff', status, error);
			void repeat(attempt, isWanted).catch((last: unknown) =>
				report(context, 'webhookNotSwitchedOff', status, last),
			);
		});
	} catch (error) {
		report(context, 'webhookNotSwitchedOff', status, error);
	}
}

/** @throws the error of the last attempt */
async function repeat(attempt: () => Promise<void>, isWanted: () => boolean): Promise<void> {
	for (let left = MAX_ATTEMPTS; isWanted(); left--) {
		await sleep(PAUSE_MS);
		if (!isWanted()) return;
		try {
			return await attempt();
		} catch (error) {
			if (left === 0 || !toServiceError(error).isOutage) return rethrow(error as Error);
		}
	}
}

function report(
	context: IHookFunctions,
	code: 'webhookNotSwitchedOff' | 'webhookNotYetSwitchedOff',
	status: string,
	error: unknown,
): void {
	const { message: reason } = toServiceError(error);
	const node = context.getNode().name;
	context.logger.warn(userMessage(code, { node, status, reason }).message);
}

/** The owner is published, so its webhook must not be switched off any more. */
export function keepOn(owner: string): void {
	tasks.delete(owner);
}
