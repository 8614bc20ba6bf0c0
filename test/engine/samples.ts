import { type IDataObject, type INodeParameters } from 'n8n-workflow';

import { type TestService } from './service';

export const EVM_ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';
export const TRON_ADDRESS = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
export const REFERENCE = '5f0c6f6e-3b1d-4f7e-9a53-0c1d2e3f4a5b';
export const UNKNOWN_ID = '9f8d7c6b-5a4e-4d3c-8b2a-1f0e9d8c7b6a';

/** An operation with its form filled in, and the request that the service must receive for it. */
export interface Sample {
	name: string;
	parameters: (service: TestService) => INodeParameters | Promise<INodeParameters>;
	method: 'GET' | 'POST' | 'PATCH';
	path: string | ((service: TestService) => string);
	query?: IDataObject;
	/** Further requests, by their paths. */
	more?: string[];
	body?: IDataObject | ((service: TestService) => IDataObject);
}

export const BANK_MINIMAL: INodeParameters = {
	resource: 'payout',
	operation: 'createBank',
	firstName: 'María José',
	destinationIdNumber: '0812345',
	bankCode: '0010',
	destinationAccount: '0012345678',
	amount: '1250.50',
	currencyType: 'BOB',
	description: 'Salary November 2026',
	fundingSource: 'balance',
	externalReference: REFERENCE,
};

export const CRYPTO: INodeParameters = {
	resource: 'payout',
	operation: 'createCrypto',
	blockchain: 'TRON',
	destinationWallet: TRON_ADDRESS,
	asset: 'USDT',
	amount: '100.25',
	externalReference: 'supplier-2026-0042',
};

export const QR_PAYOUT: INodeParameters = {
	resource: 'payout',
	operation: 'createQr',
	qrSource: 'text',
	image: 'content of a QR code',
	fundingSource: 'balance',
	assetDeposit: 'USDC',
	blockchain: 'Polygon',
	externalReference: 'QR-2026-0042',
};

export const QR_DEPOSIT: INodeParameters = {
	resource: 'deposit',
	operation: 'createQr',
	fundingSource: 'balance',
	fiatAmount: '350.5',
	fiatCurrency: 'BOB',
	country: 'BO',
	referenceId: 'order-2026-0042',
};

const firstWallet = (service: TestService): string => [...service.business.wallets.keys()][0];

/** A webhook that exists at the service. */
export async function aWebhook(service: TestService): Promise<string> {
	const { json } = await service.run({
		resource: 'webhook',
		operation: 'create',
		url: 'http://127.0.0.1:9/callback',
		events: ['completed_transaction'],
		status: 'ACTIVE',
	});
	service.sandbox.core.traffic.forgetRequests();
	return String(json[0].id);
}

const newestWebhook = (service: TestService): string =>
	[...service.business.webhooks.keys()].at(-1) ?? '';

/** Every operation twice: with required fields only, and with all there are. */
export const SAMPLES: Sample[] = [
	{
		name: 'business client: create',
		parameters: () => ({
			resource: 'businessClient',
			operation: 'create',
			name: ' Comercial Illimani ',
			email: 'ventas@example.com',
			type: 'company',
			country: 'BO',
		}),
		method: 'POST',
		path: '/v2/business-clients',
		body: {
			name: 'Comercial Illimani',
			email: 'ventas@example.com',
			type: 'company',
			country: 'BO',
		},
	},
	{
		name: 'business client: get many',
		parameters: () => ({ resource: 'businessClient', operation: 'getAll', returnAll: true }),
		method: 'GET',
		path: '/v2/business-clients',
	},
	{
		name: 'deposit: create QR from the balance, required fields only',
		parameters: () => QR_DEPOSIT,
		method: 'POST',
		path: '/v2/transactions/deposit/qr',
		body: {
			fundingSource: 'balance',
			fiatAmount: 350.5,
			fiatCurrency: 'BOB',
			country: 'BO',
			referenceId: 'order-2026-0042',
		},
	},
	{
		name: 'deposit: create QR with conversion and all fields',
		parameters: () => ({
			...QR_DEPOSIT,
			fundingSource: 'conversion',
			cryptoAmount: 25,
			fiatCurrency: 'USD',
			asset: 'USDT',
			blockchain: 'TRON',
			depositAddress: TRON_ADDRESS,
			additionalFields: { description: 'Order 42', qrExpirationTime: '01:30:00' },
			outputBinaryField: 'qr',
			options: { includeBase64: true },
		}),
		method: 'POST',
		path: '/v2/transactions/deposit/qr',
		body: {
			fundingSource: 'conversion',
			cryptoAmount: 25,
			fiatCurrency: 'USD',
			country: 'BO',
			asset: 'USDT',
			blockchain: 'TRON',
			depositAddress: TRON_ADDRESS,
			referenceId: 'order-2026-0042',
			description: 'Order 42',
			qrExpirationTime: '01:30:00',
		},
	},
	{
		name: 'payout: create bank, required fields only',
		parameters: () => BANK_MINIMAL,
		method: 'POST',
		path: '/v3/transactions/payouts/bank',
		body: {
			funding_source: 'balance',
			external_reference: REFERENCE,
			transaction: {
				first_name: 'María José',
				destination_id_number: '0812345',
				bank_code: '0010',
				destination_account: '0012345678',
				amount: 1250.5,
				currency_type: 'BOB',
				description: 'Salary November 2026',
			},
		},
	},
	{
		name: 'payout: create bank with all fields',
		parameters: () => ({
			...BANK_MINIMAL,
			entityType: 'individual',
			lastName: 'Quispe Mamani',
			currencyType: 'PEN',
			fundingSource: 'conversion',
			additionalFields: {
				assetDeposit: 'USDT',
				blockchain: 'Ethereum',
				country: 'PE',
				documentType: 'passport',
				refundAddress: EVM_ADDRESS,
			},
		}),
		method: 'POST',
		path: '/v3/transactions/payouts/bank',
		body: {
			funding_source: 'conversion',
			external_reference: REFERENCE,
			asset_deposit: 'USDT',
			blockchain: 'Ethereum',
			refund_address: EVM_ADDRESS,
			transaction: {
				entity_type: 'individual',
				first_name: 'María José',
				last_name: 'Quispe Mamani',
				destination_id_number: '0812345',
				bank_code: '0010',
				destination_account: '0012345678',
				amount: 1250.5,
				currency_type: 'PEN',
				description: 'Salary November 2026',
				country: 'PE',
				document_type: 'passport',
			},
		},
	},
	{
		name: 'payout: create crypto',
		parameters: (service) => ({ ...CRYPTO, walletId: firstWallet(service) }),
		method: 'POST',
		path: '/v2/transactions/payouts/crypto',
		body: (service) => ({
			walletId: firstWallet(service),
			blockchain: 'TRON',
			destinationWallet: TRON_ADDRESS,
			asset: 'USDT',
			amount: '100.25',
			externalReference: 'supplier-2026-0042',
		}),
	},
	{
		name: 'payout: create QR from the balance',
		parameters: () => QR_PAYOUT,
		method: 'POST',
		path: '/v2/transactions/payouts/qr',
		body: {
			image: 'content of a QR code',
			funding_source: 'balance',
			asset_deposit: 'USDC',
			blockchain: 'Polygon',
			external_reference: 'QR-2026-0042',
		},
	},
	{
		name: 'payout: create QR with conversion',
		parameters: () => ({ ...QR_PAYOUT, fundingSource: 'conversion', amount: '12.34567' }),
		method: 'POST',
		path: '/v2/transactions/payouts/qr',
		body: {
			image: 'content of a QR code',
			funding_source: 'conversion',
			amount: 12.34567,
			asset_deposit: 'USDC',
			blockchain: 'Polygon',
			external_reference: 'QR-2026-0042',
		},
	},
	{
		name: 'payout: get balances',
		parameters: () => ({ resource: 'payout', operation: 'getBalances' }),
		method: 'GET',
		path: '/v2/transactions/payouts/balance',
	},
	{
		name: 'quote: get many',
		parameters: () => ({ resource: 'quote', operation: 'getAll' }),
		method: 'GET',
		path: '/v2/quotes',
	},
	{
		name: 'quote: get many with query parameters of the user',
		parameters: () => ({
			resource: 'quote',
			operation: 'getAll',
			options: {
				queryParameters: {
					parameter: [
						{ name: 'pair', value: 'USDC/BOB' },
						{ name: '', value: 'left out' },
					],
				},
			},
		}),
		method: 'GET',
		path: '/v2/quotes',
		query: { pair: 'USDC/BOB' },
	},
	{
		name: 'transaction: get status',
		parameters: () => ({
			resource: 'transaction',
			operation: 'getStatus',
			findBy: 'list',
			referencesOrIds: REFERENCE,
		}),
		method: 'GET',
		path: '/v2/webhooks/logs',
		query: { page: '1', limit: '100' },
		// Whether there is any webhook, because the logs do not know it.
		more: ['/v2/webhooks'],
	},
	{
		name: 'transaction: get many with all filters',
		parameters: () => ({
			resource: 'transaction',
			operation: 'getAll',
			filters: {
				status: ['completed_transaction'],
				transactionType: ['withdrawal_crypto'],
				from: '2026-11-01T00:00:00.000Z',
				to: '2026-12-01T00:00:00.000Z',
			},
		}),
		method: 'GET',
		path: '/v2/webhooks/logs',
		query: { page: '1', limit: '100' },
	},
	{
		name: 'wallet: add asset',
		parameters: (service) => ({
			resource: 'wallet',
			operation: 'addAsset',
			walletId: firstWallet(service),
			symbol: 'USDT',
			blockchain: 'Ethereum',
		}),
		method: 'POST',
		path: (service) => `/v2/wallets/${firstWallet(service)}/assets`,
		body: { symbol: 'USDT', blockchain: 'Ethereum' },
	},
	{
		name: 'wallet: get many',
		parameters: () => ({ resource: 'wallet', operation: 'getAll', returnAll: true }),
		method: 'GET',
		path: '/v2/wallets',
	},
	{
		name: 'webhook: create, required fields only',
		parameters: () => ({
			resource: 'webhook',
			operation: 'create',
			url: 'http://127.0.0.1:9/callback',
			events: ['completed_transaction', 'failed_transaction'],
			status: 'ACTIVE',
		}),
		method: 'POST',
		path: '/v2/webhooks',
		body: {
			url: 'http://127.0.0.1:9/callback',
			events: { transaction: ['completed_transaction', 'failed_transaction'] },
			status: 'ACTIVE',
		},
	},
	{
		name: 'webhook: create with all fields',
		parameters: () => ({
			resource: 'webhook',
			operation: 'create',
			url: 'http://127.0.0.1:9/callback',
			events: ['pending_transaction'],
			status: 'ACTIVE',
			additionalFields: { apiKey: 'key-of-the-webhook', description: 'Accounting workflow' },
		}),
		method: 'POST',
		path: '/v2/webhooks',
		body: {
			url: 'http://127.0.0.1:9/callback',
			events: { transaction: ['pending_transaction'] },
			status: 'ACTIVE',
			// The sandbox does not show secrets.
			apiKey: '***',
			description: 'Accounting workflow',
		},
	},
	{
		name: 'webhook: get',
		parameters: async (service) => ({
			resource: 'webhook',
			operation: 'get',
			webhookId: await aWebhook(service),
		}),
		method: 'GET',
		path: (service) => `/v2/webhooks/${newestWebhook(service)}`,
	},
	{
		name: 'webhook: get many',
		parameters: () => ({ resource: 'webhook', operation: 'getAll', limit: 5 }),
		method: 'GET',
		path: '/v2/webhooks',
	},
	{
		name: 'webhook: update one field',
		parameters: async (service) => ({
			resource: 'webhook',
			operation: 'update',
			webhookId: await aWebhook(service),
			updateFields: { description: 'Another text' },
		}),
		method: 'PATCH',
		path: (service) => `/v2/webhooks/${newestWebhook(service)}`,
		body: { description: 'Another text' },
	},
	{
		name: 'webhook: update all fields',
		parameters: async (service) => ({
			resource: 'webhook',
			operation: 'update',
			webhookId: await aWebhook(service),
			updateFields: {
				url: 'http://127.0.0.1:9/moved',
				events: ['expired_transaction', 'reject_transaction'],
				status: 'INACTIVE',
				apiKey: 'key-of-the-webhook',
				description: 'Another text',
			},
		}),
		method: 'PATCH',
		path: (service) => `/v2/webhooks/${newestWebhook(service)}`,
		body: {
			url: 'http://127.0.0.1:9/moved',
			events: { transaction: ['expired_transaction', 'reject_transaction'] },
			status: 'INACTIVE',
			apiKey: '***',
			description: 'Another text',
		},
	},
	{
		name: 'webhook log: get many',
		parameters: () => ({ resource: 'webhookLog', operation: 'getAll' }),
		method: 'GET',
		path: '/v2/webhooks/logs',
		query: { page: '1', limit: '50' },
	},
	{
		name: 'webhook log: get many with all filters',
		parameters: () => ({
			resource: 'webhookLog',
			operation: 'getAll',
			returnAll: true,
			filters: { status: 'ERROR', webhookId: UNKNOWN_ID },
		}),
		method: 'GET',
		path: '/v2/webhooks/logs',
		query: { page: '1', limit: '100', status: 'ERROR', webhookId: UNKNOWN_ID },
	},
	{
		name: 'webhook log: get many with the filters of the node',
		parameters: () => ({
			resource: 'webhookLog',
			operation: 'getAll',
			filters: { reference: REFERENCE, transactionId: UNKNOWN_ID },
		}),
		method: 'GET',
		path: '/v2/webhooks/logs',
		query: { page: '1', limit: '100' },
	},
];
