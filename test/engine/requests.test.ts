import { SAMPLES, type Sample } from './samples';
import { useService } from './service';

const service = useService();

const given = <T>(value: T | ((from: typeof service) => T) | undefined): T | undefined =>
	typeof value === 'function' ? (value as (from: typeof service) => T)(service) : value;

describe('the request that the service receives', () => {
	test.each(SAMPLES)('$name', async (sample: Sample) => {
		const { parameters, method, path, query = {}, body, more = [] } = sample;
		const filledIn = await parameters(service);

		const { error } = await service.run(filledIn);

		expect(error).toBeUndefined();
		expect(service.sent()).toStrictEqual([
			{ method, path: given(path), query, body: given(body) },
			...more.map((other) => ({ method: 'GET', path: other, query: {}, body: undefined })),
		]);
	});

	test.each(SAMPLES.filter(({ body }) => body))(
		'$name: is JSON with a bearer token',
		async ({ parameters }) => {
			await service.run(await parameters(service));

			const { headers } = service.sandbox.core.traffic.requests().at(-1) ?? {};
			expect(headers).toMatchObject({
				'content-type': expect.stringMatching(/^application\/json/),
				authorization: 'Bearer ***',
			});
		},
	);
});

describe('an apiKey', () => {
	test('reaches the service as it was typed', async () => {
		await service.run({
			resource: 'webhook',
			operation: 'create',
			url: 'http://127.0.0.1:9/callback',
			events: ['completed_transaction'],
			status: 'ACTIVE',
			additionalFields: { apiKey: 'key-of-the-webhook' },
		});

		expect([...service.business.webhooks.values()]).toMatchObject([
			{ apiKey: 'key-of-the-webhook' },
		]);
	});
});

describe('one login serves all requests of an execution', () => {
	test('with twenty items', async () => {
		await service.run(
			{ resource: 'wallet', operation: 'getAll' },
			{ items: Array.from({ length: 20 }, () => ({})) },
		);

		expect(service.sent()).toHaveLength(20);
		expect(service.sandbox.core.traffic.counters().logins).toBe(1);
		expect(service.credentials.counters).toEqual({
			decrypted: 1,
			preAuthentications: 1,
			saved: 1,
		});
	});

	test('and the next execution needs none', async () => {
		await service.run({ resource: 'wallet', operation: 'getAll' });
		await service.run({ resource: 'wallet', operation: 'getAll' });

		expect(service.sent()).toHaveLength(2);
		expect(service.sandbox.core.traffic.counters().logins).toBe(1);
	});
});
