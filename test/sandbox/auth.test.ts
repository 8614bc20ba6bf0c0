import { Service } from './service';

const unauthorized = { statusCode: 401, message: 'Unauthorized' };

describe('the login (4.1) and its tokens (5)', () => {
	let service: Service;

	beforeAll(async () => {
		service = await Service.start();
	});
	afterEach(() => service.admin.reset());
	afterAll(() => service.sandbox.close());

	const login = (body: unknown, version = 'v2') =>
		service.call('POST', `/${version}/auth/login`, body);

	it.each(['v1', 'v2'])('answers a %s login with a token and the user', async (version) => {
		const { email, password } = service.sandbox;
		const { status, body } = await login({ email, password }, version);
		expect(status).toBe(200);
		expect(body).toEqual({
			success: true,
			accessToken: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
			user: {
				id: expect.any(String),
				name: 'Example Partner',
				email,
				role: 'partner',
				status: 'ACTIVE',
				completedOnboardingSteps: expect.any(Array),
			},
			message: expect.any(String),
		});
		const [, payload] = String(body.accessToken).split('.');
		const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<
			string,
			number
		>;
		expect(claims).toMatchObject({ email, sub: body.user.id, jti: expect.any(String) });
		expect(claims.exp - claims.iat).toBe(3600);
	});

	it.each([
		['a wrong password', { email: 'partner@example.com', password: 'wrong' }],
		['an unknown user', { email: 'nobody@example.com', password: 'wrong' }],
	])('answers 401 for %s', async (_name, body) => {
		const answer = await login(body);
		expect(answer.status).toBe(401);
		expect(answer.body).toEqual({ statusCode: 401, message: 'Invalid credentials' });
	});

	it.each([
		['GET', '/v2/business-clients'],
		['POST', '/v2/business-clients'],
		['GET', '/v2/wallets'],
		['POST', '/v2/wallets/x/assets'],
		['POST', '/v3/transactions/payouts/bank'],
		['POST', '/v2/transactions/deposit/qr'],
		['GET', '/v2/quotes'],
		['GET', '/v2/transactions/payouts/balance'],
		['POST', '/v2/transactions/payouts/crypto'],
		['POST', '/v2/transactions/payouts/qr'],
		['POST', '/v2/webhooks'],
		['GET', '/v2/webhooks'],
		['GET', '/v2/webhooks/x'],
		['PATCH', '/v2/webhooks/x'],
		['GET', '/v2/webhooks/logs'],
	])('requires a token at %s %s before it validates the request', async (method, path) => {
		for (const authorization of ['', 'Bearer', 'Bearer not.a.token', 'Basic eDp5']) {
			const answer = await service.send(path, { method, headers: { authorization } });
			expect(answer.status).toBe(401);
			expect(answer.body).toEqual(unauthorized);
		}
	});

	it('rejects a token from the millisecond in which it expires', async () => {
		await service.admin.change({ tokenLifetimeSeconds: 0.5 });
		const clock = jest.spyOn(Date, 'now').mockReturnValue(1_700_000_000_123);
		try {
			await service.login();
			clock.mockReturnValue(1_700_000_000_622);
			expect((await service.call('GET', '/v2/wallets')).status).toBe(200);
			clock.mockReturnValue(1_700_000_000_623);
			const answer = await service.call('GET', '/v2/wallets');
			expect(answer.status).toBe(401);
			expect(answer.body).toEqual(unauthorized);
		} finally {
			clock.mockRestore();
		}
	});

	it('revokes the tokens of one user or of all users', async () => {
		const other = { email: 'other@example.com', password: 'secret' };
		await service.admin.addUser(other);
		await service.login(other.email, other.password);
		const otherToken = service.token;
		await service.login();

		expect(await service.admin.revokeTokens('Other@example.com')).toBe(1);
		expect((await service.call('GET', '/v2/wallets')).status).toBe(200);
		expect(await service.admin.revokeTokens()).toBe(1);
		expect((await service.call('GET', '/v2/wallets')).status).toBe(401);
		service.token = otherToken;
		expect((await service.call('GET', '/v2/wallets')).status).toBe(401);
	});
});
