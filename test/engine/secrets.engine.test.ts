import { type INodeParameters } from 'n8n-workflow';

import { FAULT_CASES } from './faultCases';
import { logLines } from './log';
import { useQuickSleep } from './quickSleep';
import { type RunResult } from './runNode';
import { BANK_MINIMAL, CRYPTO, QR_DEPOSIT, QR_PAYOUT, SAMPLES } from './samples';
import { useService } from './service';

const service = useService();

const JWT = /eyJ[\w-]{10,}\.[\w-]+/;
const API_KEY = 'key-of-the-webhook';

/** Every text that can be reached from a value, including properties that JSON omits. */
function textsIn(value: unknown, seen = new Set<unknown>(), texts: string[] = []): string[] {
	if (typeof value === 'string') texts.push(value);
	if (typeof value !== 'object' || value === null || seen.has(value)) return texts;
	seen.add(value);
	if (Buffer.isBuffer(value)) texts.push(value.toString('latin1'));
	for (const key of Reflect.ownKeys(value)) {
		// n8n puts the workflow’s node here, with what the user typed.
		if (key === 'node') continue;
		texts.push(String(key));
		textsIn((value as Record<PropertyKey, unknown>)[key], seen, texts);
	}
	if (value instanceof Map || value instanceof Set) textsIn([...value.entries()], seen, texts);
	return texts;
}

/** Checks what n8n gets to show, to save and to log. */
function expectNoSecret({ outputs, thrown, error, run }: RunResult): void {
	const texts = textsIn([outputs, thrown, error, run.data.resultData, logLines]);
	expect(texts.length).toBeGreaterThan(20);
	const secrets = [service.password, API_KEY, JWT, /Bearer /i];
	const found = secrets.flatMap((secret) =>
		texts
			.filter((text) => (typeof secret === 'string' ? text.includes(secret) : secret.test(text)))
			.map((text) => `${String(secret)} in ${text.slice(0, 200)}`),
	);
	expect(found).toEqual([]);
}

beforeEach(() => {
	logLines.length = 0;
});

describe('secrets in the output', () => {
	useQuickSleep();

	test.each(SAMPLES)('reveals no secret: $name', async ({ fillIn }) => {
		const { parameters, items } = await fillIn(service);
		expectNoSecret(await service.run(parameters, { items }));
	});

	test.each(['v1', 'v2'])('reveals no secret in the account by login %s', async (loginVersion) => {
		service.credentials.save('credential-1', { ...service.login, loginVersion });

		expectNoSecret(await service.run({ resource: 'account', operation: 'get' }));
	});

	const RUNS: Array<[string, () => INodeParameters, string]> = [
		['a bank payout', () => BANK_MINIMAL, '/v3/transactions/payouts/bank'],
		['a QR payout', () => QR_PAYOUT, '/v2/transactions/payouts/qr'],
		['a QR deposit', () => QR_DEPOSIT, '/v2/transactions/deposit/qr'],
		[
			'a crypto payout',
			() => ({ ...CRYPTO, walletId: [...service.business.wallets.keys()][0] }),
			'/v2/transactions/payouts/crypto',
		],
		[
			'a new webhook',
			() => ({
				resource: 'webhook',
				operation: 'create',
				url: 'http://127.0.0.1:9/c',
				events: ['completed_transaction'],
				status: 'ACTIVE',
				additionalFields: { apiKey: `={{ "${API_KEY}" }}` },
			}),
			'/v2/webhooks',
		],
	];

	describe.each(RUNS)('%s', (_, parameters, path) => {
		test.each(FAULT_CASES)('reveals no secret after $name', async ({ fault, times }) => {
			await service.sandbox.admin.addFault({ match: { path }, times, fault });
			expectNoSecret(await service.run(parameters()));
		});

		test.each(FAULT_CASES)('reveals no secret after $name at login', async ({ fault, times }) => {
			await service.sandbox.admin.addFault({ match: { path: '/v2/auth/login' }, times, fault });
			expectNoSecret(await service.run(parameters(), { onError: 'continueErrorOutput' }));
		});
	});
});
