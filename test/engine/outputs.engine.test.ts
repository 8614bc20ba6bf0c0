import { type IDataObject, type INodeParameters } from 'n8n-workflow';

import { seed } from '../../sandbox/seed';
import { aWebhook, BANK_MINIMAL, QR_DEPOSIT, QR_PAYOUT, REFERENCE } from './samples';
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

	test('passes undocumented fields through', async () => {
		const wallets = [{ walletId: 'w', status: 'FROZEN', risk: { level: 2 }, tags: ['a'] }];
		await service.sandbox.admin.addFault({
			fault: { type: 'json', body: { wallets, more: 1 } },
			match: { path: '/v2/wallets' },
		});

		const { json } = await service.run({ resource: 'wallet', operation: 'getAll' });

		expect(json).toEqual(wallets);
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
