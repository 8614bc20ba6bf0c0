import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import {
	CREDENTIAL_TYPE,
	NODE,
	NODE_TYPE,
	partnerPayments,
	runNode,
	serviceWallets,
	useStage,
} from './support.mjs';

const REFERENCE = '5f0c6f6e-3b1d-4f7e-9a53-0c1d2e3f4a5b';
const POLYGON_ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';
const CALLBACK = 'http://127.0.0.1:9/callback';
const PNG_SIGNATURE = '89504e470d0a1a0a';

/**
 * Every operation once: the parameters as a user sets them, and the very request that the service must receive.
 * `prepare` gives what both depend on; `check` looks at the items that come out.
 */
const CASES = [
	{
		operation: 'account.get',
		request: { method: 'POST', path: '/v2/auth/login' },
		check: ([user], { sandbox }) => {
			assert.equal(user.email, sandbox.email);
			assert.ok(!('accessToken' in user));
		},
	},
	{
		operation: 'businessClient.create',
		parameters: {
			name: 'Comercial Ñandú',
			email: 'maria@example.com',
			type: 'company',
			country: 'BO',
		},
		request: {
			method: 'POST',
			path: '/v2/business-clients',
			body: {
				name: 'Comercial Ñandú',
				email: 'maria@example.com',
				type: 'company',
				country: 'BO',
			},
		},
		check: ([client]) => assert.deepEqual(Object.keys(client), ['clientId', 'clientLink']),
	},
	{
		operation: 'businessClient.getAll',
		parameters: { returnAll: true },
		request: { method: 'GET', path: '/v2/business-clients' },
		check: (clients) => assert.ok(clients.length > 0 && clients.every(({ id }) => id)),
	},
	{
		operation: 'deposit.createQr',
		title: 'from the balance, with the QR code as a PNG file',
		parameters: {
			fundingSource: 'balance',
			fiatAmount: '150.50',
			fiatCurrency: 'BOB',
			country: 'BO',
			referenceId: 'order-42',
			additionalFields: { description: 'Pedido 42', qrExpirationTime: '01:30:00' },
		},
		request: {
			method: 'POST',
			path: '/v2/transactions/deposit/qr',
			body: {
				fundingSource: 'balance',
				fiatAmount: 150.5,
				fiatCurrency: 'BOB',
				country: 'BO',
				referenceId: 'order-42',
				description: 'Pedido 42',
				qrExpirationTime: '01:30:00',
			},
		},
		check: async ([deposit], { n8n, execution }) => {
			assert.equal(deposit.outcome, 'created');
			assert.ok(!('qrCodeBase64' in deposit));
			const { data } = execution.items(NODE)[0].binary;
			assert.equal(data.mimeType, 'image/png');
			assert.equal(data.fileName, 'order-42.png');
			const image = await n8n.readBinary(data);
			assert.equal(image.subarray(0, 8).toString('hex'), PNG_SIGNATURE);
		},
	},
	{
		operation: 'deposit.createQr',
		title: 'by conversion',
		parameters: {
			fundingSource: 'conversion',
			cryptoAmount: '25',
			fiatCurrency: 'BOB',
			country: 'BO',
			asset: 'USDT',
			blockchain: 'Polygon',
			depositAddress: POLYGON_ADDRESS,
			referenceId: 'order-43',
			// Left over from the other funding source: must not be sent.
			fiatAmount: '99',
		},
		request: {
			method: 'POST',
			path: '/v2/transactions/deposit/qr',
			body: {
				fundingSource: 'conversion',
				cryptoAmount: 25,
				fiatCurrency: 'BOB',
				country: 'BO',
				asset: 'USDT',
				blockchain: 'Polygon',
				depositAddress: POLYGON_ADDRESS,
				referenceId: 'order-43',
			},
		},
		check: ([deposit]) => assert.equal(deposit.outcome, 'created'),
	},
	{
		operation: 'payout.createBank',
		parameters: {
			fundingSource: 'balance',
			externalReference: REFERENCE,
			amount: '1148.29',
			currencyType: 'BOB',
			bankCode: '0071',
			destinationAccount: '0041870023',
			entityType: 'individual',
			firstName: 'Noemí',
			lastName: 'Callisaya Peña',
			destinationIdNumber: '0498123',
			description: 'Sueldo, noviembre',
			additionalFields: { country: 'BO', documentType: 'national_id' },
		},
		request: {
			method: 'POST',
			path: '/v3/transactions/payouts/bank',
			body: {
				funding_source: 'balance',
				external_reference: REFERENCE,
				transaction: {
					amount: 1148.29,
					currency_type: 'BOB',
					bank_code: '0071',
					destination_account: '0041870023',
					entity_type: 'individual',
					first_name: 'Noemí',
					last_name: 'Callisaya Peña',
					destination_id_number: '0498123',
					description: 'Sueldo, noviembre',
					country: 'BO',
					document_type: 'national_id',
				},
			},
		},
		check: async ([payout], { sandbox }) => {
			assert.equal(payout.outcome, 'created');
			assert.equal(payout.reference, REFERENCE);
			const [transaction] = await sandbox.transactions();
			assert.equal(payout.transactionId, transaction.id);
			assert.deepEqual(Object.keys(payout).slice(0, 5), [
				'outcome',
				'reference',
				'transactionId',
				'status',
				'message',
			]);
		},
	},
	{
		operation: 'payout.createCrypto',
		prepare: async ({ wallets }) => ({ walletId: wallets[0].walletId }),
		parameters: ({ walletId }) => ({
			walletId,
			destinationWallet: POLYGON_ADDRESS,
			amount: '100.12345678',
			asset: 'USDC',
			blockchain: 'Polygon',
			externalReference: 'supplier-42',
		}),
		request: ({ walletId }) => ({
			method: 'POST',
			path: '/v2/transactions/payouts/crypto',
			body: {
				walletId,
				destinationWallet: POLYGON_ADDRESS,
				amount: '100.12345678',
				asset: 'USDC',
				blockchain: 'Polygon',
				externalReference: 'supplier-42',
			},
		}),
		check: ([payout]) => assert.equal(payout.outcome, 'created'),
	},
	{
		operation: 'payout.createQr',
		title: 'from text',
		parameters: {
			qrSource: 'text',
			image: '00020101021126360014br.gov',
			fundingSource: 'balance',
			assetDeposit: 'USDC',
			blockchain: 'Polygon',
			externalReference: 'QR-42',
		},
		request: {
			method: 'POST',
			path: '/v2/transactions/payouts/qr',
			body: {
				image: '00020101021126360014br.gov',
				funding_source: 'balance',
				asset_deposit: 'USDC',
				blockchain: 'Polygon',
				external_reference: 'QR-42',
			},
		},
		check: ([payout]) => assert.equal(payout.outcome, 'created'),
	},
	{
		operation: 'payout.createQr',
		title: 'from a file, by conversion',
		items: [
			{
				json: {},
				binary: {
					data: { data: 'iVBORw0KGgo=', mimeType: 'image/png', fileName: 'qr.png' },
				},
			},
		],
		parameters: {
			qrSource: 'binary',
			binaryPropertyName: 'data',
			fundingSource: 'conversion',
			amount: '12.5',
			assetDeposit: 'USDT',
			blockchain: 'TRON',
			externalReference: 'QR-43',
		},
		request: {
			method: 'POST',
			path: '/v2/transactions/payouts/qr',
			body: {
				image: 'data:image/png;base64,iVBORw0KGgo=',
				funding_source: 'conversion',
				amount: 12.5,
				asset_deposit: 'USDT',
				blockchain: 'TRON',
				external_reference: 'QR-43',
			},
		},
		check: ([payout]) => assert.equal(payout.outcome, 'created'),
	},
	{
		operation: 'payout.getBalances',
		request: { method: 'GET', path: '/v2/transactions/payouts/balance' },
		check: (balances) => assert.ok(balances.length > 0 && balances.every(({ fiat }) => fiat)),
	},
	{
		operation: 'quote.getAll',
		parameters: {
			returnAll: true,
			filters: { pair: ['USDC/BOB'], transactionType: ['withdrawal_ach'] },
		},
		request: { method: 'GET', path: '/v2/quotes' },
		check: (quotes) => {
			assert.equal(quotes.length, 1);
			assert.equal(quotes[0].pair, 'USDC/BOB');
			assert.equal(quotes[0].transactionType, 'withdrawal_ach');
		},
	},
	{
		operation: 'transaction.getStatus',
		prepare: seedWebhook,
		items: [{ json: { employee: 'Ana', reference: 'seeded-30' } }],
		request: { method: 'GET', path: '/v2/webhooks/logs', query: { page: '1', limit: '100' } },
		check: ([row]) => {
			assert.equal(row.employee, 'Ana');
			assert.equal(row.status, 'completed_transaction');
			assert.equal(row.isFinal, true);
		},
	},
	{
		operation: 'transaction.getAll',
		prepare: seedWebhook,
		parameters: {
			returnAll: false,
			limit: 3,
			filters: { status: ['completed_transaction'], transactionType: ['withdrawal_crypto'] },
		},
		request: { method: 'GET', path: '/v2/webhooks/logs', query: { page: '1', limit: '100' } },
		check: (transactions) => {
			assert.deepEqual(
				transactions.map(({ reference }) => reference),
				['seeded-30', 'seeded-29', 'seeded-28'],
			);
		},
	},
	{
		operation: 'wallet.getAll',
		parameters: { returnAll: true },
		request: { method: 'GET', path: '/v2/wallets' },
		check: (wallets, context) => assert.deepEqual(wallets, context.wallets),
	},
	{
		operation: 'wallet.addAsset',
		prepare: async ({ wallets }) => ({ walletId: wallets[0].walletId }),
		parameters: ({ walletId }) => ({ walletId, symbol: 'USDT', blockchain: 'Ethereum' }),
		request: ({ walletId }) => ({
			method: 'POST',
			path: `/v2/wallets/${walletId}/assets`,
			body: { symbol: 'USDT', blockchain: 'Ethereum' },
		}),
		check: ([wallet]) =>
			assert.ok(
				wallet.assets.some(
					({ symbol, blockchain }) => symbol === 'USDT' && blockchain === 'Ethereum',
				),
			),
	},
	{
		operation: 'webhook.create',
		parameters: {
			url: CALLBACK,
			events: ['completed_transaction', 'failed_transaction'],
			status: 'ACTIVE',
			additionalFields: { description: 'Contabilidad', apiKey: 'only-for-this-test' },
		},
		request: {
			method: 'POST',
			path: '/v2/webhooks',
			body: {
				url: CALLBACK,
				events: { transaction: ['completed_transaction', 'failed_transaction'] },
				status: 'ACTIVE',
				description: 'Contabilidad',
				// The sandbox shows no secrets.
				apiKey: '***',
			},
		},
		check: ([webhook]) => {
			assert.ok(webhook.id);
			assert.ok(!('apiKey' in webhook));
		},
	},
	{
		operation: 'webhook.get',
		prepare: seedWebhook,
		parameters: ({ webhookId }) => ({ webhookId }),
		request: ({ webhookId }) => ({ method: 'GET', path: `/v2/webhooks/${webhookId}` }),
		check: ([webhook], { webhookId }) => assert.equal(webhook.id, webhookId),
	},
	{
		operation: 'webhook.getAll',
		prepare: seedWebhook,
		parameters: { returnAll: true },
		request: { method: 'GET', path: '/v2/webhooks' },
		check: ([webhook], { webhookId }) => assert.equal(webhook.id, webhookId),
	},
	{
		operation: 'webhook.update',
		prepare: seedWebhook,
		parameters: ({ webhookId }) => ({ webhookId, updateFields: { description: 'Tesorería' } }),
		request: ({ webhookId }) => ({
			method: 'PATCH',
			path: `/v2/webhooks/${webhookId}`,
			body: { description: 'Tesorería' },
		}),
		check: ([webhook]) => assert.equal(webhook.description, 'Tesorería'),
	},
	{
		operation: 'webhookLog.getAll',
		prepare: seedWebhook,
		parameters: ({ webhookId }) => ({
			returnAll: false,
			limit: 3,
			filters: { status: 'SUCCESS', webhookId },
		}),
		request: ({ webhookId }) => ({
			method: 'GET',
			path: '/v2/webhooks/logs',
			query: { status: 'SUCCESS', webhookId },
		}),
		check: (logs) => {
			assert.equal(logs.length, 3);
			assert.ok(logs.every(({ status }) => status === 'SUCCESS'));
		},
	},
	{
		operation: 'webhookLog.replay',
		prepare: seedWebhook,
		parameters: ({ webhookId }) => ({
			replayBy: 'period',
			from: '2000-01-01T00:00:00.000Z',
			filters: { webhookId },
		}),
		request: ({ webhookId }) => ({
			method: 'GET',
			path: '/v2/webhooks/logs',
			query: { webhookId },
		}),
		check: (events) =>
			assert.ok(events.length > 0 && events.every(({ transactionType }) => transactionType)),
	},
];

describe('every operation in a real n8n', () => {
	const stage = useStage('operations');

	beforeEach(() => stage.sandbox.reset());

	it('is tried below', async () => {
		const { properties } = (await stage.n8n.types('nodes')).find(({ name }) => name === NODE_TYPE);
		const offered = properties
			.filter(({ name }) => name === 'operation')
			.flatMap(({ displayOptions, options }) =>
				options.map(({ value }) => `${displayOptions.show.resource[0]}.${value}`),
			)
			// n8n adds this one by itself, to point to the HTTP Request node.
			.filter((operation) => !operation.endsWith('.__CUSTOM_API_CALL__'));
		const tried = new Set(CASES.map(({ operation }) => operation));
		assert.deepEqual(
			offered.filter((operation) => !tried.has(operation)),
			[],
		);
	});

	for (const { operation, title, items, prepare, parameters, request, check } of CASES) {
		it([operation, title].filter(Boolean).join(', '), async () => {
			const { sandbox, n8n } = stage;
			const wallets = await serviceWallets(stage);
			const context = { ...stage, n8n, sandbox, wallets };
			Object.assign(context, await prepare?.(context));
			await sandbox.admin('DELETE', '/requests');

			const [resource, value] = operation.split('.');
			const node = partnerPayments(stage, {
				resource,
				operation: value,
				...given(parameters, context),
			});
			const execution = await runNode(stage, node, { items });
			assert.equal(execution.status, 'success', describeError(execution));

			const expected = given(request, context);
			const { method, path } = expected;
			// The reset before this test has ended the token, so the first request may be refused and sent again.
			const received = (await sandbox.requests({ method, path })).filter(
				({ status }) => status !== 401,
			);
			assert.ok(received.length >= 1, `${method} ${path} was not received`);
			// One item makes one request, except where pages are read.
			if (method !== 'GET') assert.equal(received.length, 1);
			if (expected.body) assert.deepEqual(received[0].body, expected.body);
			for (const [name, wanted] of Object.entries(expected.query ?? {})) {
				assert.equal(received[0].query[name], wanted, name);
			}
			await check(execution.json(NODE), { ...context, execution });
			for (const { pairedItem } of execution.items(NODE)) assert.deepEqual(pairedItem, { item: 0 });
		});
	}

	for (const [methodName, parameter, expected] of [
		['searchWallets', 'walletId', async () => (await serviceWallets(stage)).map((w) => w.walletId)],
		['searchWebhooks', 'webhookId', async () => [(await seedWebhook(stage)).webhookId]],
	]) {
		it(`offers entries of the account to choose from (${methodName})`, async () => {
			const values = await expected();
			const { id, name } = stage.credential;
			const answer = await stage.n8n.rest(
				'POST',
				'/dynamic-node-parameters/resource-locator-results',
				{
					path: `parameters.${parameter}`,
					methodName,
					nodeTypeAndVersion: { name: NODE_TYPE, version: 1 },
					currentNodeParameters: {},
					credentials: { [CREDENTIAL_TYPE]: { id, name } },
				},
			);
			assert.deepEqual(answer.results.map(({ value }) => value).sort(), values.sort());
		});
	}
});

async function seedWebhook({ sandbox }) {
	await sandbox.admin('POST', '/seed', { webhooks: 1, webhookLogs: 30 });
	const [{ id }] = await sandbox.admin('GET', '/webhooks');
	return { webhookId: id };
}

function given(value, context) {
	return typeof value === 'function' ? value(context) : value;
}

function describeError({ error }) {
	return [error?.message, error?.description].filter(Boolean).join('\n');
}
