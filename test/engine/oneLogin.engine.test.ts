import { type ICredentialDataDecryptedObject } from 'n8n-workflow';

import { type Fault } from '../../sandbox/faults';
import { status } from './faultCases';
import { QR_PAYOUT } from './samples';
import { useService } from './service';

const service = useService();

const STORED = 'credential-1';
const LOGIN = { path: '/v2/auth/login' };

const loginCalls = (): number =>
	service.sandbox.core.traffic.requests().filter(({ path }) => path.endsWith('/auth/login')).length;

const change = (changes: ICredentialDataDecryptedObject): void =>
	service.credentials.save(STORED, { ...service.credentials.stored(STORED), ...changes });

const payouts = {
	...QR_PAYOUT,
	image: '={{ $json.reference }}',
	externalReference: '={{ $json.reference }}',
};
const items = Array.from({ length: 300 }, (_, index) => ({ reference: `r-${index}` }));
const onError = 'continueRegularOutput' as const;

describe('a failing login', () => {
	test.each([1, 10])('tries a wrong password once in 300 rows, %d at once', async (concurrency) => {
		change({ password: 'mistyped secret' });

		const { json } = await service.run(
			{ ...payouts, options: { concurrency } },
			{ items, onError },
		);

		expect(loginCalls()).toBe(1);
		expect(service.sent()).toEqual([]);
		expect(json).toHaveLength(300);
		expect(json.every(({ outcome }) => outcome === 'notSent')).toBe(true);
		const explained = json.filter(({ message }) =>
			/does not accept this email/.test(String(message)),
		);
		expect(explained).toHaveLength(300);
	});

	test.each<[string, Fault]>([
		['the service is down', status(503)],
		['it answers a page', { type: 'html' }],
		['it answers no token', { type: 'json', body: { success: true } }],
		['the connection breaks', { type: 'reset' }],
	])('tries a failing login once for 300 rows if %s', async (_, fault) => {
		await service.sandbox.admin.addFault({ match: LOGIN, times: 'always', fault });

		const { json } = await service.run(payouts, { items, onError });

		expect(loginCalls()).toBe(1);
		expect(service.sent()).toEqual([]);
		expect(json.every(({ outcome }) => outcome === 'notSent')).toBe(true);
	});
});

describe('a login slower than Timeout', () => {
	const timeout = 1;
	const slow = { match: LOGIN, fault: { type: 'latency', ms: 1_500 } } as const;

	test('does not count the login towards the timeout of a payment', async () => {
		await service.sandbox.admin.addFault(slow);

		const { json } = await service.run(
			{ ...payouts, options: { timeout } },
			{
				items: items.slice(0, 12),
				onError,
			},
		);

		expect(json.map(({ outcome }) => outcome)).toEqual(Array(12).fill('created'));
		expect(loginCalls()).toBe(1);
	});
});
