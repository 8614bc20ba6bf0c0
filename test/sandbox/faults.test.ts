import type { FaultRule } from '../../sandbox/faults';
import { bankPayout, paths, Service } from './service';

describe('an injected fault', () => {
	let service: Service;

	beforeAll(async () => {
		service = await Service.start();
	});
	beforeEach(async () => {
		await service.admin.reset();
		await service.login();
	});
	afterAll(() => service.sandbox.close());

	const pay = (body: unknown = bankPayout()) => service.call('POST', paths.bank, body);
	const strike = (fault: FaultRule['fault'], rule: Partial<FaultRule> = {}) =>
		service.admin.addFault({ match: { path: paths.bank }, ...rule, fault });
	const created = async () => (await service.admin.counters()).transactionsCreated;

	it.each([400, 401, 403, 409, 422, 500, 502, 503])(
		'answers %d without processing the request',
		async (status) => {
			await strike({ type: 'status', status });
			const answer = await pay();
			expect(answer.status).toBe(status);
			expect(answer.body).toEqual({
				statusCode: status,
				message: expect.any(String),
				...(status !== 401 && { error: expect.any(String) }),
			});
			expect(await created()).toBe(0);
			expect((await pay()).status).toBe(201);
		},
	);

	it('answers an error after the transaction was created', async () => {
		await strike({ type: 'status', status: 500, when: 'after' });
		expect((await pay()).status).toBe(500);
		expect(await created()).toBe(1);
	});

	it.each([
		['before', 0],
		['after', 1],
	] as const)('resets the connection %s the transaction is created', async (when, count) => {
		await strike({ type: 'reset', when });
		const request = bankPayout();
		expect(await service.failure('POST', paths.bank, request)).toBe('ECONNRESET');
		expect(await created()).toBe(count);
		const reference = String(request.external_reference);
		expect(await service.admin.transactions({ reference })).toHaveLength(count);
		const [seen] = await service.admin.requests({ path: paths.bank });
		expect(seen).toMatchObject({ status: 'reset', body: request });
		expect((await service.admin.counters()).byStatus).toMatchObject({ reset: 1 });
	});

	it.each([
		['before', 0],
		['after', 1],
	] as const)('hangs %s the transaction is created', async (when, count) => {
		await strike({ type: 'hang', when });
		const abort = new AbortController();
		const answer = service.send(paths.bank, {
			method: 'POST',
			headers: {
				authorization: `Bearer ${service.token}`,
				'content-type': 'application/json',
			},
			body: JSON.stringify(bankPayout()),
			signal: abort.signal,
		});
		const rejected = expect(answer).rejects.toThrow(/abort/);
		while ((await service.admin.requests({ path: paths.bank }))[0]?.status !== 'hang');
		expect(await service.admin.counters()).toMatchObject({
			inFlight: 1,
			transactionsCreated: count,
		});
		abort.abort();
		await rejected;
		while ((await service.admin.counters()).inFlight > 0);
	});

	it('lets some requests pass, then acts as often as set', async () => {
		const { id } = await strike({ type: 'status', status: 500 }, { skip: 1, times: 2 });
		const statuses = [];
		for (let i = 0; i < 5; i++) statuses.push((await pay()).status);
		expect(statuses).toEqual([201, 500, 500, 201, 201]);
		expect(await service.admin.faults()).toEqual([
			expect.objectContaining({ id, seen: 5, hits: 2 }),
		]);
	});

	it.each<[FaultRule['match'], number]>([
		[{ method: 'post' }, 500],
		[{ method: 'GET' }, 201],
		[{ path: '/v3/*' }, 500],
		[{ path: `/api${paths.bank}` }, 500],
		[{ path: '*payouts*' }, 500],
		[{ path: '/v2/*' }, 201],
		[{ path: '/v3' }, 201],
		[{ bodyContains: '"first_name":"Zoe"' }, 500],
		[{ bodyContains: 'Yves' }, 201],
		[undefined, 500],
	])('injects a fault only into requests like %j', async (match, status) => {
		await strike({ type: 'status', status: 500 }, { match });
		expect((await pay(bankPayout({}, { first_name: 'Zoe' }))).status).toBe(status);
	});
});

it('accepts as many requests a minute as its setting says, and tells when the next one may come', async () => {
	const service = await Service.start({ requestsPerMinute: 3 });
	const statuses = [];
	let retryAfter = NaN;
	for (let number = 0; number < 4; number++) {
		const { status, headers } = await service.call('GET', '/v2/wallets');
		statuses.push(status);
		retryAfter = Number(headers.get('retry-after'));
	}
	// The first one was the login.
	expect(statuses).toEqual([200, 200, 429, 429]);
	expect(retryAfter).toBeGreaterThan(50);
	expect(retryAfter).toBeLessThanOrEqual(60);
	await service.admin.change({ requestsPerMinute: null });
	expect((await service.call('GET', '/v2/wallets')).status).toBe(200);
	await service.sandbox.close();
});
