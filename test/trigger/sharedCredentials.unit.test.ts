import type { ITriggerFunctions } from 'n8n-workflow';

import {
	forgetCredentials,
	withSharedCredential,
} from '../../nodes/PartnerPaymentsTrigger/sharedCredentials';
import { CREDENTIAL } from '../../nodes/service/transport';

/** A trigger, as far as a check asks for its credential, and how often n8n decrypted it. */
function trigger() {
	let decrypted = 0;
	const context = {
		getNode: () => ({ credentials: { [CREDENTIAL]: { id: '1', name: 'Payments' } } }),
		getCredentials: async () => {
			decrypted++;
			return await Promise.resolve({ baseUrl: 'https://partner.example' });
		},
	} as unknown as ITriggerFunctions;
	return { context, decrypted: () => decrypted };
}

afterEach(forgetCredentials);

test.each([
	['shares a credential after a check', false, 1],
	['keeps no credential if the last trigger ended during its check', true, 2],
])('%s', async (_, ends, count) => {
	const { context, decrypted } = trigger();
	const ending = new AbortController();
	await withSharedCredential(context, ending.signal, async () => {
		if (!ends) return;
		ending.abort();
		forgetCredentials();
	});
	await withSharedCredential(context, new AbortController().signal, async () => {});
	expect(decrypted()).toBe(count);
});
