import { anyTime, anyUuid, bankPayout, cryptoPayout, paths, Service } from './service';

describe('a successful request', () => {
	let service: Service;

	beforeAll(async () => {
		service = await Service.start();
	});
	afterAll(() => service.sandbox.close());

	it('returns where to fund a bank payout by conversion', async () => {
		const fields = { funding_source: 'conversion', blockchain: 'TRON', asset_deposit: 'USDT' };
		const request = bankPayout(fields, { currency_type: 'USD', amount: 99.5 });
		const { body } = await service.call('POST', paths.bank, request);
		expect(body.deposit_address).toMatch(/^T/);
		expect(body.amount_deposit).toBe('100.000000');
	});

	it('creates, lists, retrieves and updates webhooks in their two forms (4.12)', async () => {
		const fields = { url: 'https://partner.example/hook', description: 'mine', apiKey: 'key' };
		const events = { transaction: ['completed_transaction', 'failed_transaction'] };
		const { status, body } = await service.call('POST', '/v2/webhooks', { ...fields, events });
		expect(status).toBe(201);
		expect(body).toEqual({ id: anyUuid, ...fields, events: events.transaction });

		const read = {
			id: body.id,
			callbalckUrl: fields.url,
			description: 'mine',
			status: 'ACTIVE',
			events,
			createdAt: anyTime,
			updatedAt: anyTime,
		};
		expect((await service.call('GET', '/v2/webhooks')).body).toEqual([read]);
		expect((await service.call('GET', `/v2/webhooks/${body.id}`)).body).toEqual(read);

		const updated = await service.call('PATCH', `/v2/webhooks/${body.id}`, {
			status: 'INACTIVE',
			events: { transaction: ['expired_transaction'] },
		});
		expect(updated.status).toBe(200);
		expect(updated.body).toEqual({ id: body.id, ...fields, events: ['expired_transaction'] });
		const after = await service.call('GET', `/v2/webhooks/${body.id}`);
		expect(after.body).toMatchObject({ status: 'INACTIVE', callbalckUrl: fields.url });
	});

	it('returns webhook logs in pages, newest first (4.12)', async () => {
		await service.admin.seed({ webhookLogs: 105 });
		const first = await service.call('GET', '/v2/webhooks/logs');
		expect(first.body.pagination).toEqual({ page: 1, limit: 10, total: 105, totalPages: 11 });
		expect(first.body.logs).toHaveLength(10);
		expect(first.body.logs[0]).toEqual({
			id: anyUuid,
			webhookId: anyUuid,
			name: expect.any(String),
			webhookUrl: expect.any(String),
			status: 'ERROR',
			payload: expect.objectContaining({ externalReference: 'seeded-105' }),
			statusCode: 500,
			duration: expect.any(Number),
			retries: 0,
			createdAt: anyTime,
			updatedAt: anyTime,
		});

		const last = await service.call('GET', '/v2/webhooks/logs?page=2&limit=100');
		expect(last.body.pagination).toEqual({ page: 2, limit: 100, total: 105, totalPages: 2 });
		expect(last.body.logs).toHaveLength(5);
		expect(last.body.logs[4].payload.externalReference).toBe('seeded-1');

		const beyond = await service.call('GET', '/v2/webhooks/logs?page=12');
		expect(beyond.body.logs).toEqual([]);
		const good = await service.call('GET', '/v2/webhooks/logs?status=SUCCESS&limit=1');
		expect(good.body.pagination.total).toBe(52);
		const { webhookId } = first.body.logs[0];
		const mine = await service.call('GET', `/v2/webhooks/logs?webhookId=${webhookId}`);
		expect(mine.body.pagination.total).toBe(105);
		const nobody = '00000000-0000-4000-8000-000000000000';
		const none = await service.call('GET', `/v2/webhooks/logs?webhookId=${nobody}`);
		expect(none.body).toEqual({
			logs: [],
			pagination: { page: 1, limit: 10, total: 0, totalPages: 0 },
		});
	});

	it('answers 404 to unknown paths and identifiers', async () => {
		const nobody = '00000000-0000-4000-8000-000000000000';
		const asset = { symbol: 'USDC', blockchain: 'Polygon' };
		for (const [method, path, body] of [
			['GET', `/v2/webhooks/${nobody}`, undefined],
			['PATCH', `/v2/webhooks/${nobody}`, {}],
			['POST', `/v2/wallets/${nobody}/assets`, asset],
			['POST', paths.crypto, cryptoPayout(nobody)],
			['DELETE', `/v2/webhooks/${nobody}`, undefined],
			['GET', '/v2/nothing', undefined],
		] as const) {
			const answer = await service.call(method, path, body);
			expect(answer.status).toBe(404);
			expect(answer.body).toEqual({
				statusCode: 404,
				message: expect.any(String),
				error: 'Not Found',
			});
		}
	});
});
