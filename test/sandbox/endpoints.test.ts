import {
	anyDecimal,
	anyTime,
	anyUuid,
	balanceDeposit,
	bankPayout,
	conversionDeposit,
	cryptoPayout,
	evm,
	paths,
	qrPayout,
	Service,
} from './service';

const created = {
	transaction_id: anyUuid,
	status: 'pending_transaction',
	message: expect.any(String),
};

describe('a successful request', () => {
	let service: Service;
	let walletId: string;

	beforeAll(async () => {
		service = await Service.start();
		const { body } = await service.call('GET', '/v2/wallets');
		walletId = String(body.wallets[0].walletId);
	});
	afterAll(() => service.sandbox.close());

	it('creates and lists business clients (4.2, 4.3)', async () => {
		const fields = { name: 'New', email: 'new@example.com', type: 'company', country: 'BO' };
		const { status, body } = await service.call('POST', '/v2/business-clients', fields);
		expect(status).toBe(201);
		expect(body).toEqual({ clientId: anyUuid, clientLink: expect.stringMatching(/^https:\/\//) });

		const list = await service.call('GET', '/v2/business-clients');
		expect(list.status).toBe(200);
		expect(list.body).toHaveLength(4);
		expect(list.body[3]).toEqual({
			id: body.clientId,
			...fields,
			status: 'Pending',
			externalClientId: null,
		});
	});

	it('lists wallets and adds assets (4.4, 4.5)', async () => {
		const wallet = {
			walletId: anyUuid,
			status: 'ACTIVE',
			createdAt: anyTime,
			assets: [
				{
					id: anyUuid,
					symbol: 'USDC',
					blockchain: 'Polygon',
					walletAddress: expect.stringMatching(/^0x[0-9a-f]{40}$/),
					legacyAddress: null,
				},
			],
		};
		const list = await service.call('GET', '/v2/wallets');
		expect(list.body).toEqual({ wallets: [wallet, expect.any(Object)] });

		const asset = { symbol: 'USDT', blockchain: 'TRON' };
		const added = await service.call('POST', `/v2/wallets/${walletId}/assets`, asset);
		expect(added.status).toBe(201);
		expect(added.body.assets).toEqual([
			wallet.assets[0],
			{
				id: anyUuid,
				...asset,
				walletAddress: expect.stringMatching(/^T[1-9A-HJ-NP-Za-km-z]{33}$/),
				legacyAddress: null,
			},
		]);
		const again = await service.call('POST', `/v2/wallets/${walletId}/assets`, asset);
		expect(again.body).toEqual(added.body);
	});

	it('creates bank payouts (4.6)', async () => {
		const request = bankPayout();
		const { status, body } = await service.call('POST', paths.bank, request);
		expect(status).toBe(201);
		expect(body).toEqual({
			transaction_id: anyUuid,
			external_reference: request.external_reference,
			deposit_address: null,
			amount_deposit: null,
			transactions: [{ ...created, transaction_id: body.transaction_id }],
		});
	});

	it('returns where to fund a bank payout by conversion', async () => {
		const fields = { funding_source: 'conversion', blockchain: 'TRON', asset_deposit: 'USDT' };
		const request = bankPayout(fields, { currency_type: 'USD', amount: 99.5 });
		const { body } = await service.call('POST', paths.bank, request);
		expect(body.deposit_address).toMatch(/^T/);
		expect(body.amount_deposit).toBe('100.000000');
	});

	it.each([
		['balance', balanceDeposit(), '10.00', 'USDC'],
		['conversion', conversionDeposit(), '10.25', 'USDT'],
	])('creates QR deposits from %s (4.7)', async (_name, request, _amount, asset) => {
		const { status, body } = await service.call('POST', paths.deposit, request);
		expect(status).toBe(201);
		expect(body).toEqual({
			transactionId: anyUuid,
			type: 'deposit_express',
			referenceId: request.referenceId,
			country: 'BO',
			countryName: 'Bolivia',
			requestedCryptoAmount: anyDecimal,
			asset,
			calculatedFiatAmount: anyDecimal,
			fiatCurrency: request.fiatCurrency,
			exchangeRate: anyDecimal,
			qrCodeBase64: expect.stringMatching(/^data:image\/png;base64,/),
			transactionStatus: 'pending_transaction',
			feeAmount: anyDecimal,
		});
		const image = Buffer.from(String(body.qrCodeBase64).split(',')[1], 'base64');
		expect(image.subarray(0, 8).toString('hex')).toBe('89504e470d0a1a0a');
		expect(image.subarray(-8).toString('latin1')).toContain('IEND');
	});

	it('returns quotes for every valid pair and type, with filters (4.8)', async () => {
		const all = await service.call('GET', '/v2/quotes');
		const quotes = Object.values(all.body);
		expect(quotes.length).toBeGreaterThanOrEqual(17);
		for (const quote of quotes) {
			expect(quote).toEqual({
				transactionType: expect.any(String),
				pair: expect.any(String),
				serviceExchangeRate: expect.any(Number),
				partnerExchangeRate: expect.any(Number),
				partnerPctFee: 0.5,
				timeStamp: anyTime,
			});
		}
		expect(new Set(quotes.map(({ pair }) => pair)).size).toBe(17);

		const some = await service.call(
			'GET',
			'/v2/quotes?pair=USDC/BOB&transactionType=withdrawal_ach',
		);
		expect(some.body).toHaveLength(1);
		expect(some.body[0]).toMatchObject({ pair: 'USDC/BOB', transactionType: 'withdrawal_ach' });
		expect((await service.call('GET', '/v2/quotes?pair=USD/BOB')).status).toBe(400);
		expect((await service.call('GET', '/v2/quotes?transactionType=x')).status).toBe(400);
		expect((await service.call('GET', '/v2/quotes?currency=x')).status).toBe(400);
	});

	it('accepts other names for the quote filters', async () => {
		await service.admin.change({ quotePairParameter: 'currencyPair' });
		expect((await service.call('GET', '/v2/quotes?currencyPair=EURC/EUR')).body).toHaveLength(1);
		expect((await service.call('GET', '/v2/quotes?pair=EURC/EUR')).status).toBe(400);
	});

	it('lists balances (4.9)', async () => {
		const { status, body } = await service.call('GET', '/v2/transactions/payouts/balance');
		expect(status).toBe(200);
		expect(body[0]).toEqual({
			type: 'withdrawal_ach',
			balance: expect.any(Number),
			fiat: 'BOB',
			lastCredit: anyTime,
			lastDebit: anyTime,
		});
	});

	it('creates crypto payouts (4.10)', async () => {
		const request = cryptoPayout(walletId);
		const { status, body } = await service.call('POST', paths.crypto, request);
		expect(status).toBe(201);
		expect(body).toEqual({
			...request,
			transactionId: anyUuid,
			status: 'pending_transaction',
			message: expect.any(String),
		});
	});

	it('creates QR payouts whose transactions are one object (4.11)', async () => {
		const request = qrPayout();
		const { status, body } = await service.call('POST', paths.qrPayout, request);
		expect(status).toBe(201);
		expect(body).toEqual({
			external_reference: request.external_reference,
			transactions: created,
			amount_deposit: anyDecimal,
			deposit_address: expect.stringMatching(/^0x/),
		});

		const fromBalance = qrPayout({ funding_source: 'balance', amount: undefined });
		const second = await service.call('POST', paths.qrPayout, fromBalance);
		expect(second.body).toEqual({
			external_reference: fromBalance.external_reference,
			transactions: created,
			amount_deposit: anyDecimal,
		});
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

	it('adds a slash to addresses and a null to the list of webhooks if set', async () => {
		await service.admin.change({ webhookTrailingSlash: true, webhookListNull: true });
		const events = { transaction: ['completed_transaction'] };
		const url = 'https://partner.example/hook?secret=a%2Fb';
		const { body } = await service.call('POST', '/v2/webhooks', { url, events });
		const slashed = 'https://partner.example/hook/?secret=a%2Fb';
		expect(body.url).toBe(slashed);
		await service.call('PATCH', `/v2/webhooks/${body.id}`, { url });
		const list = await service.call('GET', '/v2/webhooks');
		const [none, ...webhooks] = Object.values(list.body);
		expect(none).toBeNull();
		expect(webhooks).toContainEqual(expect.objectContaining({ callbalckUrl: slashed }));
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

	it('answers creations other than the bank payout with the status in the settings', async () => {
		await service.admin.change({ successStatus: 200 });
		const statusOf = async (path: string, body: unknown) =>
			(await service.call('POST', path, body)).status;
		expect(await statusOf(paths.bank, bankPayout())).toBe(201);
		expect(await statusOf(paths.crypto, cryptoPayout(walletId, { destinationWallet: evm }))).toBe(
			200,
		);
		expect(await statusOf(paths.qrPayout, qrPayout())).toBe(200);
		expect(await statusOf(paths.deposit, balanceDeposit())).toBe(200);
	});
});
