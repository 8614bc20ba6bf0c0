import { type ICredentialDataDecryptedObject, type INodeParameters } from 'n8n-workflow';

import { BANK_MINIMAL, QR_PAYOUT } from './samples';
import { useService } from './service';

const service = useService();

const WALLETS = { resource: 'wallet', operation: 'getAll' };
const STORED = 'credential-1';

const EACH_REFERENCE = {
	...QR_PAYOUT,
	image: '={{ $json.reference }}',
	externalReference: '={{ $json.reference }}',
};

const logins = () => {
	const { logins: succeeded, loginFailures: failed } = service.sandbox.core.traffic.counters();
	return { succeeded, failed };
};

const change = (changes: ICredentialDataDecryptedObject): void =>
	service.credentials.save(STORED, { ...service.credentials.stored(STORED), ...changes });

describe('a wrong password', () => {
	beforeEach(() => change({ password: 'mistyped secret' }));

	test.each<[string, INodeParameters]>([
		['a read', WALLETS],
		['a payout', BANK_MINIMAL],
	])('explains a wrong password after one login for %s', async (_, parameters) => {
		const { error, thrown } = await service.run(parameters);

		expect(error?.message).toMatch(
			/The service does not accept this email and password: Invalid credentials\. Check Email and Password in the Partner Payments credential\./,
		);
		expect(logins()).toEqual({ succeeded: 0, failed: 1 });
		expect(service.sent()).toEqual([]);
		expect(JSON.stringify([error, thrown])).not.toContain('mistyped secret');
	});

	test.each([1, 10])('tries a wrong password once in 300 rows, %d at once', async (concurrency) => {
		const items = Array.from({ length: 300 }, (_, index) => ({ reference: `r-${index}` }));
		const { json } = await service.run(
			{ ...EACH_REFERENCE, options: { concurrency } },
			{ items, onError: 'continueRegularOutput' },
		);

		expect(logins()).toEqual({ succeeded: 0, failed: 1 });
		expect(service.sent()).toEqual([]);
		expect(json.map(({ outcome }) => outcome)).toEqual(items.map(() => 'notSent'));
		const explained = json.filter(({ message }) => /does not accept this/.test(String(message)));
		expect(explained).toHaveLength(300);
	});
});

describe('expired tokens', () => {
	test('renews a token once for a whole batch, and resends every row once', async () => {
		await service.run(WALLETS);
		await service.sandbox.admin.revokeTokens();
		service.sandbox.core.traffic.reset();

		const { json } = await service.run(EACH_REFERENCE, {
			items: Array.from({ length: 40 }, (_, index) => ({ reference: `r-${index}` })),
		});

		expect(json.every(({ outcome }) => outcome === 'created')).toBe(true);
		expect(logins()).toEqual({ succeeded: 1, failed: 0 });
		expect(service.sandbox.core.transactions.counters()).toEqual({
			transactionsCreated: 40,
			duplicates: 0,
		});
		const { byStatus } = service.sandbox.core.traffic.counters();
		expect(byStatus['401']).toBeLessThanOrEqual(10);
	});

	test('stores the renewed token', async () => {
		await service.run(WALLETS);
		const before = service.credentials.stored(STORED).sessionToken;
		await service.sandbox.admin.revokeTokens();

		await service.run(WALLETS);

		const after = service.credentials.stored(STORED).sessionToken;
		expect(after).not.toBe(before);
		expect(await service.run(WALLETS)).toMatchObject({ error: undefined });
		expect(logins()).toEqual({ succeeded: 2, failed: 0 });
	});
});

describe('an edited credential', () => {
	test('does not use the old account’s token after an edit', async () => {
		await service.run(WALLETS);
		const other = { email: 'other@example.com', password: 'another secret', name: 'Other' };
		const business = service.sandbox.core.state.addUser(other);
		const [own] = business.wallets.keys();
		change({ email: other.email, password: other.password });

		const { json } = await service.run(WALLETS);

		expect(json.map(({ walletId }) => walletId)).toContain(own);
		expect(logins()).toEqual({ succeeded: 2, failed: 0 });
	});
});
