/* eslint-disable @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import path from 'node:path';
import { startSandbox } from '../../sandbox/server';
import { bankPayout, paths, Service } from './service';

describe('the admin API', () => {
	let service: Service;

	beforeAll(async () => {
		service = await Service.start({ tokenLifetimeSeconds: 60 });
	});
	beforeEach(async () => {
		await service.admin.reset();
		await service.login();
	});
	afterAll(() => service.sandbox.close());

	it('counts requests to the service but not to itself', async () => {
		await service.call('GET', '/v2/wallets');
		await service.call('GET', '/v2/webhooks/00000000-0000-4000-8000-000000000000');
		await service.call('GET', '/nowhere');
		await service.call('POST', paths.bank, bankPayout());
		const counters = await service.admin.counters();
		expect(counters).toEqual({
			requests: 5,
			byEndpoint: {
				'POST /v2/auth/login': 1,
				'GET /v2/wallets': 1,
				'GET /v2/webhooks/{id}': 1,
				'GET (unknown)': 1,
				'POST /v3/transactions/payouts/bank': 1,
			},
			byStatus: { 200: 2, 201: 1, 404: 2 },
			logins: 1,
			loginFailures: 0,
			connections: expect.any(Number),
			inFlight: 0,
			maxInFlight: 1,
			duplicates: 0,
			transactionsCreated: 1,
			deliveries: { attempts: 0, succeeded: 0, failed: 0, pending: 0 },
		});
		expect(counters.connections).toBeGreaterThanOrEqual(1);
	});

	it('shows received requests in order and without secrets', async () => {
		const events = { transaction: ['failed_transaction'] };
		const webhook = { url: 'http://127.0.0.1:9/', apiKey: 'secret', events };
		await service.call('POST', '/v2/webhooks', webhook);
		await service.call('GET', '/v2/webhooks/logs?limit=5');

		const requests = await service.admin.requests();
		expect(requests.map(({ method, path, status }) => [method, path, status])).toEqual([
			['POST', '/v2/auth/login', 200],
			['POST', '/v2/webhooks', 201],
			['GET', '/v2/webhooks/logs', 200],
		]);
		expect(requests[0].body).toEqual({ email: 'partner@example.com', password: '***' });
		expect(requests[1].body).toEqual({ ...webhook, apiKey: '***' });
		expect(requests[1].headers).toMatchObject({
			authorization: 'Bearer ***',
			'content-type': 'application/json',
		});
		expect(requests[2].query).toEqual({ limit: '5' });
		expect(JSON.stringify(requests)).not.toContain(service.token);
		expect(JSON.stringify(await service.admin.webhooks())).not.toContain('secret');

		expect(await service.admin.requests({ method: 'post', limit: 1 })).toEqual([requests[1]]);
		expect(await service.admin.requests({ path: '/api/v2/auth/login' })).toEqual([requests[0]]);
		await service.admin.clearRequests();
		expect(await service.admin.requests()).toEqual([]);
		await service.admin.change({ recordRequests: false });
		await service.call('GET', '/v2/wallets');
		expect(await service.admin.requests()).toEqual([]);
	});

	it('resets everything, and keeps the settings on request', async () => {
		await service.call('POST', paths.bank, bankPayout());
		await service.admin.change({ successStatus: 200 });
		await service.admin.addFault({ fault: { type: 'reset' } });
		await service.admin.reset({ keepSettings: true });
		expect((await service.admin.settings()).successStatus).toBe(200);
		expect(await service.admin.transactions()).toEqual([]);
		expect(await service.admin.faults()).toEqual([]);
		expect(await service.admin.counters()).toMatchObject({ requests: 0, logins: 0 });
		expect((await service.call('GET', '/v2/wallets')).status).toBe(401);

		await service.admin.reset();
		const { successStatus, tokenLifetimeSeconds } = await service.admin.settings();
		expect([successStatus, tokenLifetimeSeconds]).toEqual([201, 60]);
	});

	it('rejects a listening address that other machines can reach', async () => {
		await expect(startSandbox({ host: '0.0.0.0' })).rejects.toThrow(/other machines/);
	});
});

describe('the command line', () => {
	const root = path.join(__dirname, '..', '..');

	it('prints one line of JSON when it is ready and exits on a signal', async () => {
		// Without the command line of tsx, which on a busy machine doesn't wait for how its child ends after a signal.
		const args = ['--import', 'tsx', path.join('sandbox', 'main.ts'), '--port', '0', '--json'];
		const child = spawn(process.execPath, args, { cwd: root });
		const exit = once(child, 'exit');
		const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
		const { baseUrl, adminUrl, consoleUrl, email, password } = JSON.parse(line) as Record<
			string,
			string
		>;
		expect(baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api$/);
		expect(adminUrl).toBe(baseUrl.replace(/api$/, 'admin'));
		expect(consoleUrl).toBe(baseUrl.replace(/api$/, 'console'));
		const login = await fetch(`${baseUrl}/v2/auth/login`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({ email, password }),
		});
		expect(login.status).toBe(200);
		child.kill('SIGTERM');
		expect(await exit).toEqual([0, null]);
	});
});
