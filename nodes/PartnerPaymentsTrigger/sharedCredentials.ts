import type { ICredentialDataDecryptedObject, ITriggerFunctions } from 'n8n-workflow';

import { CREDENTIAL, Service } from '../service/transport';

/** Less than the shortest interval of polls, so that each poll of a trigger reads the credential as it is by then. */
const SHARED_MS = 50_000;

interface SharedCredential {
	data: ICredentialDataDecryptedObject;
	/** When it was decrypted (milliseconds since 1970). */
	since: number;
}

/**
 * By ID: credentials that a poll has used with success. n8n needs more CPU to decrypt one than for the rest of a
 * check, and the triggers of an account poll within the same minute.
 */
const shared = new Map<string, SharedCredential>();

/**
 * Runs a poll with the credential of another one, if that succeeded less than a minute ago.
 *
 * @param signal ends the requests of the poll
 * @throws what the poll throws, and NodeOperationError if the credential can't be used
 */
export async function withSharedCredential(
	context: ITriggerFunctions,
	signal: AbortSignal,
	poll: (service: Service) => Promise<void>,
): Promise<void> {
	const now = Date.now();
	for (const [id, { since }] of shared) if (Math.abs(now - since) > SHARED_MS) shared.delete(id);
	const id = context.getNode().credentials?.[CREDENTIAL]?.id ?? '';
	const known = shared.get(id);
	const service = await Service.connect(context, { signal, credentials: known?.data });
	shared.delete(id);
	await poll(service);
	// The last trigger may have ended meanwhile, and with it what is kept.
	if (!signal.aborted) shared.set(id, known ?? { data: service.credentials, since: now });
}

/** Forgets all credentials. */
export function forgetCredentials(): void {
	shared.clear();
}
