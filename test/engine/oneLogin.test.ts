import { type ICredentialDataDecryptedObject } from 'n8n-workflow';

import { type Fault } from '../../sandbox/faults';
import { status } from './faultCases';
import { BANK_MINIMAL, QR_PAYOUT } from './samples';
import { useService } from './service';

const service = useService();

const STORED = 'credential-1';
const LOGIN = { path: '/v2/auth/login' };

const loginCalls = (): number =>
	service.sandbox.core.traffic.requests().filter(({ path }) => path.endsWith('/auth/login')).length;

const change = (changes: ICredentialDataDecryptedObject): void =>
	service.credentials.save(STORED, { ...service.credentials.stored(STORED), ...changes });

const payouts = { ...QR_PAYOUT, externalReference: '={{ $json.reference }}' };
const items = Array.from({ length: 300 }, (_, index) => ({ reference: `r-${index}` }));
const onError = 'continueRegularOutput' as const;

describe('a login that fails costs a batch of 300 rows one call', () => {
	test.each([1, 10])('with a wrong password, %d at once', async (concurrency) => {
		change({ password: 'mistyped secret' });

		const { json } = await service.run(
			{ ...payouts, options: { concurrency } },
			{ items, onError },
		);

		expect(loginCalls()).toBe(1);
		expect(service.sent()).toEqual([]);
		expect(json).toHaveLength(300);
		expect(json.every(({ outcome }) => outcome === 'notSent')).toBe(true);
		const told = json.filter(({ message }) => /does not accept this email/.test(String(message)));
		expect(told).toHaveLength(300);
	});

	test.each<[string, Fault]>([
		['the service is down', status(503)],
		['it answers a page', { type: 'html' }],
		['it answers no token', { type: 'json', body: { success: true } }],
		['the connection breaks', { type: 'reset' }],
	])('when %s', async (_, fault) => {
		await service.sandbox.admin.addFault({ match: LOGIN, times: 'always', fault });

		const { json } = await service.run(payouts, { items, onError });

		expect(loginCalls()).toBe(1);
		expect(service.sent()).toEqual([]);
		expect(json.every(({ outcome }) => outcome === 'notSent')).toBe(true);
	});

	test('when the password was changed while the token was in use', async () => {
		await service.run({ ...BANK_MINIMAL });
		await service.sandbox.admin.revokeTokens();
		service.sandbox.core.traffic.reset();
		await service.sandbox.admin.addFault({ match: LOGIN, times: 'always', fault: status(401) });
		// A row that meets its 401 when the login has failed already.
		await service.sandbox.admin.addFault({
			match: { path: '/v2/transactions/payouts/qr', bodyContains: '"r-0"' },
			fault: { type: 'latency', ms: 400 },
		});

		const { json } = await service.run(payouts, { items, onError });

		expect(loginCalls()).toBe(1);
		expect(service.sent().length).toBeLessThanOrEqual(10);
		expect(json.every(({ outcome }) => outcome === 'notSent')).toBe(true);
	});

	test('and the next execution tries anew', async () => {
		await service.sandbox.admin.addFault({ match: LOGIN, fault: status(503) });

		await service.run(payouts, { items: items.slice(0, 20), onError });
		const { json } = await service.run(payouts, { items: items.slice(0, 20), onError });

		expect(loginCalls()).toBe(2);
		expect(json.every(({ outcome }) => outcome === 'created')).toBe(true);
	});

	test('also where an account is asked for once an item', async () => {
		change({ password: 'mistyped secret' });

		const { json } = await service.run(
			{ resource: 'account', operation: 'get' },
			{ items: items.slice(0, 20), onError },
		);

		expect(json).toHaveLength(20);
		expect(loginCalls()).toBe(1);
	});
});

describe('a login that takes longer than Timeout', () => {
	const timeout = 1;
	const slow = { match: LOGIN, fault: { type: 'latency', ms: 1_500 } } as const;

	test('does not take the time of the payment', async () => {
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

	test('nor where it renews a token', async () => {
		await service.run({ ...BANK_MINIMAL });
		await service.sandbox.admin.revokeTokens();
		await service.sandbox.admin.addFault(slow);

		const { json } = await service.run(
			{ ...payouts, options: { timeout } },
			{
				items: items.slice(0, 12),
				onError,
			},
		);

		expect(json.map(({ outcome }) => outcome)).toEqual(Array(12).fill('created'));
	});

	test('leaves the payment its own limit', async () => {
		await service.sandbox.admin.addFault(slow);
		await service.sandbox.admin.addFault({
			match: { path: '/v2/transactions/payouts/qr' },
			fault: { type: 'hang' },
		});

		const { json } = await service.run(
			{ ...payouts, options: { timeout } },
			{
				items: items.slice(0, 1),
				onError,
			},
		);

		expect(json).toMatchObject([
			{ outcome: 'unknown', message: 'The service did not answer in time' },
		]);
	});

	test('and a payment that was cancelled meanwhile is not sent', async () => {
		await service.sandbox.admin.addFault(slow);
		let cancel = (): void => {};
		const { preAuthentication } = service.credentials;
		service.credentials.preAuthentication = async (...args) => {
			const renewed = preAuthentication.apply(service.credentials, args);
			cancel();
			return await renewed;
		};

		const { json } = await service.run(payouts, {
			items: items.slice(0, 2),
			onError,
			onStart: (execution) => {
				cancel = () => execution.cancel();
			},
		});

		expect(service.sent()).toEqual([]);
		expect(json).toMatchObject([{ outcome: 'notSent' }, { outcome: 'notSent' }]);
	});
});
