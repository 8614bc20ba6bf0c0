import { type IDataObject, type INodeParameters } from 'n8n-workflow';

import { seed } from '../../sandbox/seed';
import {
	aWebhook,
	BANK_MINIMAL,
	CRYPTO,
	QR_DEPOSIT,
	QR_PAYOUT,
	REFERENCE,
	UNKNOWN_ID,
} from './samples';
import { useService } from './service';
import { without } from '../without';

const service = useService();

/** The fields of every row of a batch, at every endpoint. */
const ROW_KEYS = [
	'outcome',
	'payee',
	'amount',
	'currency',
	'message',
	'reference',
	'transactionId',
	'status',
	'paidTo',
	'row',
];

const keys = (json: IDataObject | undefined): string[] => Object.keys(json ?? {}).sort();

/** A PNG of one pixel. */
const PNG =
	'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe('payouts', () => {
	test('returns the response of a bank payout with the outcome of its row', async () => {
		const { outputs } = await service.run(BANK_MINIMAL);

		const [transaction] = service.sandbox.core.state.transactions.values();
		expect(outputs).toEqual([
			[
				{
					json: {
						transaction_id: transaction.id,
						external_reference: REFERENCE,
						deposit_address: null,
						amount_deposit: null,
						transactions: [
							{
								transaction_id: transaction.id,
								status: 'pending_transaction',
								message: expect.any(String),
							},
						],
						outcome: 'created',
						payee: 'María José',
						amount: '1250.50',
						currency: 'BOB',
						reference: REFERENCE,
						transactionId: transaction.id,
						status: 'pending_transaction',
						message: expect.any(String),
						paidTo: '0010 0012345678',
						row: 1,
					},
					pairedItem: { item: 0 },
				},
			],
		]);
	});

	test('returns the request and the response of a crypto payout', async () => {
		const [walletId] = service.business.wallets.keys();
		const { json } = await service.run({ ...CRYPTO, walletId });

		expect(json).toEqual([
			{
				walletId,
				blockchain: 'TRON',
				destinationWallet: CRYPTO.destinationWallet,
				asset: 'USDT',
				amount: '100.25',
				externalReference: 'supplier-2026-0042',
				transactionId: expect.any(String),
				status: 'pending_transaction',
				message: expect.any(String),
				outcome: 'created',
				payee: CRYPTO.destinationWallet,
				currency: 'USDT',
				reference: 'supplier-2026-0042',
				paidTo: 'TRON',
				row: 1,
			},
		]);
	});

	test('returns the only transaction of a QR payout', async () => {
		const { json } = await service.run({ ...QR_PAYOUT, fundingSource: 'conversion', amount: 20 });

		expect(keys(json[0])).toEqual(
			[
				...ROW_KEYS,
				'code',
				'hint',
				'toFund',
				'external_reference',
				'transactions',
				'amount_deposit',
				'deposit_address',
			].sort(),
		);
		expect(json[0].toFund).toEqual({
			amount: expect.stringMatching(/^\d+(\.\d+)?$/),
			asset: QR_PAYOUT.assetDeposit,
			blockchain: QR_PAYOUT.blockchain,
			address: json[0].deposit_address,
		});
		expect(json[0].transactions).toEqual({
			transaction_id: json[0].transactionId,
			status: 'pending_transaction',
			message: expect.any(String),
		});
	});

	test.each<[string, IDataObject]>([
		[
			'a list of transactions',
			{
				external_reference: 'QR-2026-0042',
				transactions: [{ transaction_id: 'id-1', status: 'processing_transaction' }],
			},
		],
		[
			'fields that are not documented',
			{
				transactions: {
					transaction_id: 'id-1',
					status: 'processing_transaction',
					provider: { id: 7 },
				},
			},
		],
	])('reads %s in the response of a QR payout', async (_, body) => {
		await service.sandbox.admin.addFault({
			match: { path: '/v2/transactions/payouts/qr' },
			fault: { type: 'json', body },
		});

		const { json } = await service.run(QR_PAYOUT);

		expect(json).toEqual([
			{
				...body,
				outcome: 'created',
				payee: '',
				amount: '',
				currency: '',
				paidTo: '',
				row: 1,
				reference: 'QR-2026-0042',
				transactionId: 'id-1',
				status: 'processing_transaction',
				message: '',
			},
		]);
	});

	test('returns an item for each balance', async () => {
		const { outputs } = await service.run({ resource: 'payout', operation: 'getBalances' });

		expect(outputs[0]).toEqual(
			service.business.balances.map((json) => ({ json, pairedItem: { item: 0 } })),
		);
	});
});

describe('QR codes from a file', () => {
	const parameters = { ...QR_PAYOUT, qrSource: 'binary', binaryPropertyName: 'code' };
	const withFile = (mimeType: string, data: string) => [
		{ json: {}, binary: { code: { mimeType, data } } },
	];

	test('sends an image as a data URI', async () => {
		await service.run(parameters, { items: withFile('image/png', PNG) });

		expect(service.bodies()).toMatchObject([{ image: `data:image/png;base64,${PNG}` }]);
	});

	test('sends a text file as its text', async () => {
		const data = Buffer.from(' 000201 content \n').toString('base64');
		await service.run(parameters, { items: withFile('text/plain', data) });

		expect(service.bodies()).toMatchObject([{ image: '000201 content' }]);
	});

	test.each(['qr', 'constructor', '__proto__'])(
		'reports a missing file named %s before anything is sent',
		async (binaryPropertyName) => {
			const { error } = await service.run(
				{ ...parameters, binaryPropertyName },
				{ items: withFile('image/png', PNG) },
			);

			expect(error?.message).toMatch(
				/^Row 1 \(item 0\): Input Binary Field .*names no file of this item/,
			);
			expect(service.sent()).toEqual([]);
		},
	);
});

describe('QR deposits', () => {
	const answerKeys = [
		'transactionId',
		'type',
		'referenceId',
		'country',
		'countryName',
		'requestedCryptoAmount',
		'asset',
		'calculatedFiatAmount',
		'fiatCurrency',
		'exchangeRate',
		'transactionStatus',
		'feeAmount',
	];

	test('returns the image as a PNG file named after the reference, without base64 text', async () => {
		const { outputs } = await service.run(QR_DEPOSIT);

		const [{ json, binary = {}, pairedItem }] = outputs[0];
		expect(keys(json)).toEqual([...new Set([...answerKeys, ...ROW_KEYS])].sort());
		expect(pairedItem).toEqual({ item: 0 });
		expect(Object.keys(binary)).toEqual(['data']);
		expect(binary.data).toMatchObject({
			fileName: 'order-2026-0042.png',
			mimeType: 'image/png',
			fileExtension: 'png',
		});
		const image = Buffer.from(binary.data.data, 'base64');
		expect(image.subarray(0, 8)).toEqual(
			Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
		);
	});

	test('stores the image in the chosen field, and includes its text with Include Base64', async () => {
		const { outputs } = await service.run({
			...QR_DEPOSIT,
			outputBinaryField: 'qr',
			options: { includeBase64: true },
		});

		const [{ json, binary = {} }] = outputs[0];
		expect(Object.keys(binary)).toEqual(['qr']);
		expect(json.qrCodeBase64).toBe(`data:image/png;base64,${binary.qr.data}`);
	});

	test('omits characters from the file name that a file system does not allow', async () => {
		const { outputs } = await service.run({ ...QR_DEPOSIT, referenceId: '../Año 1/ß?.png' });

		const name = outputs[0][0].binary?.data.fileName ?? '';
		expect(name).toMatch(/\.png$/);
		expect(name).not.toMatch(/[/\\?*:|"<>]/);
		expect(name).toContain('Año');
	});

	test.each<[string, IDataObject]>([
		['is no PNG', { transactionId: 'id-1', qrCodeBase64: 'data:image/svg+xml;base64,PHN2Zz4=' }],
		['is missing', { transactionId: 'id-1' }],
	])('returns a created deposit even if the image %s', async (_, body) => {
		await service.sandbox.admin.addFault({
			fault: { type: 'json', body },
			match: { path: '/v2/t*' },
		});

		const { outputs } = await service.run(QR_DEPOSIT);

		expect(outputs[0]).toEqual([
			{
				json: expect.objectContaining({ ...body, outcome: 'created', transactionId: 'id-1' }),
				pairedItem: { item: 0 },
			},
		]);
	});
});

describe('lists', () => {
	const cases: Array<[string, INodeParameters, () => unknown[]]> = [
		[
			'wallets',
			{ resource: 'wallet', operation: 'getAll' },
			() => [...service.business.wallets.values()],
		],
		[
			'business clients',
			{ resource: 'businessClient', operation: 'getAll' },
			() => service.business.clients,
		],
		[
			'webhooks',
			{ resource: 'webhook', operation: 'getAll' },
			() =>
				[...service.business.webhooks.values()].map(({ id }) => expect.objectContaining({ id })),
		],
	];

	test.each(cases)('returns all %s with Return All', async (_, parameters, kept) => {
		seed(service.business, { wallets: 60, businessClients: 60, webhooks: 60 });

		const { outputs } = await service.run({ ...parameters, returnAll: true });

		expect(outputs[0].map(({ json }) => json)).toEqual(kept());
		expect(outputs[0].length).toBeGreaterThan(50);
		expect(outputs[0].every(({ pairedItem }) => (pairedItem as { item: number }).item === 0)).toBe(
			true,
		);
	});

	test.each(cases)('returns 50 %s by default', async (_, parameters, kept) => {
		seed(service.business, { wallets: 60, businessClients: 60, webhooks: 60 });

		const { json } = await service.run(parameters);

		expect(json).toEqual(kept().slice(0, 50));
	});

	test.each(cases)('returns as many %s as Limit says', async (_, parameters) => {
		seed(service.business, { wallets: 9, businessClients: 9, webhooks: 9 });

		const { json } = await service.run({ ...parameters, limit: 3 });

		expect(json).toHaveLength(3);
	});

	test.each<[string, IDataObject, string[]]>([
		['one status', { status: ['Active'] }, ['Seeded client 2']],
		['two statuses', { status: ['Active', 'Onboarding'] }, ['Seeded client 1', 'Seeded client 2']],
		['a type', { type: 'company' }, ['Seeded client 2', 'Seeded client 4']],
		['status and type', { status: 'Rejected', type: 'individual' }, ['Seeded client 3']],
		['nothing', { status: [] }, [1, 2, 3, 4].map((number) => `Seeded client ${number}`)],
	])('filters business clients by %s', async (_, filters, names) => {
		service.business.clients.splice(0);
		seed(service.business, { businessClients: 4 });

		const { json } = await service.run({
			resource: 'businessClient',
			operation: 'getAll',
			filters: filters as INodeParameters,
		});

		expect(json.map(({ name }) => name)).toEqual(names);
	});

	test.each(['list', 'id'])('gets a business client and a wallet picked by %s', async (mode) => {
		seed(service.business, { businessClients: 4, wallets: 4 });
		const client = service.business.clients[2];
		const wallet = [...service.business.wallets.values()][2];
		const picked = (id: string) => ({
			__rl: true,
			mode,
			value: mode === 'id' ? id.toUpperCase() : id,
		});
		const get = async (resource: string, field: string, id: string) =>
			(await service.run({ resource, operation: 'get', [field]: picked(id) })).json;

		expect(await get('businessClient', 'clientId', client.id)).toEqual([client]);
		expect(await get('wallet', 'walletId', wallet.walletId)).toEqual([wallet]);
	});

	test('says that the account has no such business client or wallet', async () => {
		for (const [resource, field] of [
			['businessClient', 'clientId'],
			['wallet', 'walletId'],
		]) {
			const { error } = await service.run({ resource, operation: 'get', [field]: UNKNOWN_ID });
			expect(error?.message).toBe(`[Item 0] The account has none with the ID ${UNKNOWN_ID}`);
			expect(error?.description).toBe('Choose one from the list.');
		}
	});

	test.each(['0', '-1', '1.5', 'many'])('rejects a limit of %s', async (limit) => {
		const { error } = await service.run({
			resource: 'wallet',
			operation: 'getAll',
			limit: `={{ "${limit}" }}`,
		});

		expect(error?.message).toBe('[Item 0] Limit must be a whole number of 1 or more');
		expect(service.sent()).toEqual([]);
	});

	test('passes undocumented fields through', async () => {
		const wallets = [{ walletId: 'w', status: 'FROZEN', risk: { level: 2 }, tags: ['a'] }];
		await service.sandbox.admin.addFault({
			fault: { type: 'json', body: { wallets, more: 1 } },
			match: { path: '/v2/wallets' },
		});

		const { json } = await service.run({ resource: 'wallet', operation: 'getAll' });

		expect(json).toEqual(wallets);
	});

	test.each([{}, { data: [] }, 'text', null])(
		'rejects a response of %j instead of a list',
		async (body) => {
			await service.sandbox.admin.addFault({
				fault: { type: 'json', body },
				match: { path: '/v2/business-clients' },
				times: 'always',
			});

			const { error } = await service.run({ resource: 'businessClient', operation: 'getAll' });

			expect(error?.message).toBe('[Item 0] The response of the service lacks the expected list');
		},
	);

	test('pairs every output item with its input item', async () => {
		const { outputs } = await service.run(
			{ resource: 'wallet', operation: 'getAll', limit: '={{ $json.limit }}' },
			{ items: [{ limit: 2 }, { limit: 1 }] },
		);

		expect(outputs[0].map(({ pairedItem }) => pairedItem)).toEqual([
			{ item: 0 },
			{ item: 0 },
			{ item: 1 },
		]);
	});
});

describe('quotes', () => {
	const get = async (filters: INodeParameters): Promise<Array<[unknown, unknown]>> => {
		const { json } = await service.run({
			resource: 'quote',
			operation: 'getAll',
			returnAll: true,
			filters,
		});
		return json.map(({ pair, transactionType }) => [pair, transactionType]);
	};

	test('returns quotes with their rates', async () => {
		const { json } = await service.run({ resource: 'quote', operation: 'getAll' });

		expect(json.length).toBeGreaterThan(0);
		expect(keys(json[0])).toEqual([
			'pair',
			'partnerExchangeRate',
			'partnerPctFee',
			'serviceExchangeRate',
			'timeStamp',
			'transactionType',
		]);
	});

	test('filters quotes by pair', async () => {
		const found = await get({ pair: ['USDC/BOB', 'BOB/USDT'] });

		expect(new Set(found.map(([pair]) => pair))).toEqual(new Set(['USDC/BOB', 'BOB/USDT']));
	});

	test('filters quotes by transaction type', async () => {
		const found = await get({ transactionType: ['withdrawal_ach'] });

		expect(new Set(found.map(([, type]) => type))).toEqual(new Set(['withdrawal_ach']));
	});

	test('filters quotes by pair and transaction type', async () => {
		const all = await get({});
		const [[pair, type]] = all;

		expect(await get({ pair: [pair as string], transactionType: [type as string] })).toEqual(
			all.filter(([otherPair, otherType]) => otherPair === pair && otherType === type),
		);
	});

	test('filters quotes before Limit applies', async () => {
		const { json } = await service.run({
			resource: 'quote',
			operation: 'getAll',
			limit: 1,
			filters: { transactionType: ['withdrawal_ach'] },
		});

		expect(json).toMatchObject([{ transactionType: 'withdrawal_ach' }]);
	});
});

describe('webhooks', () => {
	const fields = {
		url: 'http://127.0.0.1:9/callback',
		events: ['completed_transaction'],
		status: 'ACTIVE',
	};

	test.each<[string, INodeParameters]>([
		['create', { ...fields, additionalFields: { apiKey: 'key-of-the-webhook' } }],
		['update', { updateFields: { ...fields, apiKey: 'key-of-the-webhook' } }],
	])('returns the response without the API key: %s', async (operation, parameters) => {
		const webhookId = operation === 'update' ? await aWebhook(service) : '';

		const { json } = await service.run({
			resource: 'webhook',
			operation,
			...(webhookId && { webhookId }),
			...parameters,
		});

		expect(json).toEqual([
			{
				id: webhookId || expect.any(String),
				url: fields.url,
				description: '',
				events: ['completed_transaction'],
			},
		]);
		expect([...service.business.webhooks.values()]).toMatchObject([
			{ apiKey: 'key-of-the-webhook' },
		]);
	});

	test.each<[string, INodeParameters]>([
		['get', {}],
		['getAll', {}],
	])('keeps the service’s spelling and drops the API key: %s', async (operation, parameters) => {
		const webhookId = await aWebhook(service);
		const webhook = {
			id: webhookId,
			callbalckUrl: fields.url,
			apiKey: 'key-of-the-webhook',
			description: '',
			status: 'ACTIVE',
			events: { transaction: ['completed_transaction'] },
			createdAt: '2026-11-01T00:00:00.000Z',
			updatedAt: '2026-11-01T00:00:00.000Z',
		};
		await service.sandbox.admin.addFault({
			match: { path: '/v2/webhooks*' },
			fault: { type: 'json', body: operation === 'getAll' ? [webhook] : webhook },
		});

		const { json } = await service.run({
			resource: 'webhook',
			operation,
			...(operation === 'get' && { webhookId }),
			...parameters,
		});

		const shown = without(webhook, 'apiKey');
		expect(json).toEqual([shown]);
	});
});

describe('the account', () => {
	test.each(['v1', 'v2'])('returns the user of login %s without a token', async (loginVersion) => {
		service.credentials.save('credential-1', { ...service.login, loginVersion });

		const { outputs } = await service.run({ resource: 'account', operation: 'get' });

		const user = without(service.business.user, 'password');
		expect(outputs).toEqual([[{ json: user, pairedItem: { item: 0 } }]]);
		expect(
			service.sandbox.core.traffic.requests().map(({ method, path }) => [method, path]),
		).toEqual([['POST', `/${loginVersion}/auth/login`]]);
		expect(JSON.stringify(outputs)).not.toMatch(/eyJ|accessToken/);
	});
});
