import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { fillIn, nameOf, SAMPLES } from '../../test/fixtures/samples.cjs';
import {
	CREDENTIAL_TYPE,
	NODE,
	NODE_TYPE,
	partnerPayments,
	runNode,
	useStage,
} from './support.mjs';
import { asPartner, serviceWallets } from './trigger-support.mjs';

const PNG_SIGNATURE = '89504e470d0a1a0a';

/**
 * An item in the sandbox's logs, and a form that finds it there.
 *
 * @type {import('../../test/fixtures/samples.cjs').Sample}
 */
const STATUS_OF_A_ROW = {
	resource: 'transaction',
	operation: 'getStatus',
	title: 'of a row',
	needsWebhook: true,
	items: [{ json: { employee: 'Ana', reference: 'seeded-30' } }],
	request: { method: 'GET', path: '/v2/webhooks/logs', query: { page: '1', limit: '100' } },
};

/** @type {import('../../test/fixtures/samples.cjs').Sample} */
const NEWEST_TRANSACTIONS = {
	resource: 'transaction',
	operation: 'getAll',
	title: 'the newest three',
	needsWebhook: true,
	parameters: { returnAll: false, limit: 3, filters: { status: ['completed_transaction'] } },
	request: { method: 'GET', path: '/v2/webhooks/logs', query: { page: '1', limit: '100' } },
};

const isCreated = ([item]) => assert.equal(item.outcome, 'created');

/** The checks of outputs by operation, or by title for special samples. */
const CHECKS = {
	'account.get': ([user], { sandbox }) => {
		assert.equal(user.email, sandbox.email);
		assert.ok(!('accessToken' in user));
	},
	'businessClient.create': ([client]) =>
		assert.deepEqual(Object.keys(client), ['clientId', 'clientLink']),
	'businessClient.get': ([client], context) => assert.equal(client.id, context.client),
	'businessClient.getAll': (clients) =>
		assert.ok(clients.length > 0 && clients.every(({ id }) => id)),
	'deposit.createQr': async ([deposit], { n8n, execution, parameters }) => {
		assert.equal(deposit.outcome, 'created');
		assert.equal('qrCodeBase64' in deposit, parameters.reading?.includeBase64 === true);
		const [{ binary }] = execution.items(NODE);
		const file = binary[parameters.outputBinaryField ?? 'data'];
		assert.equal(file.mimeType, 'image/png');
		assert.equal(file.fileName, `${parameters.referenceId}.png`);
		const image = await n8n.readBinary(file);
		assert.equal(image.subarray(0, 8).toString('hex'), PNG_SIGNATURE);
	},
	'payout.createBank': async ([payout], { sandbox, parameters }) => {
		assert.equal(payout.outcome, 'created');
		assert.equal(payout.reference, parameters.externalReference);
		const [transaction] = await sandbox.transactions();
		assert.equal(payout.transactionId, transaction.id);
		// Only a payout that waits for crypto has a code.
		const names = Object.keys(payout).filter((name) => name !== 'code');
		assert.deepEqual(names.slice(0, 8), [
			'outcome',
			'payee',
			'amount',
			'currency',
			'message',
			'reference',
			'transactionId',
			'status',
		]);
	},
	'payout.createCrypto': isCreated,
	'payout.createQr': isCreated,
	'payout.fundConversions': isCreated,
	'payout.getBalances': (balances) =>
		assert.ok(balances.length > 0 && balances.every(({ fiat }) => fiat)),
	'quote.getAll': (quotes) => {
		assert.equal(quotes[0].pair, 'USDC/BOB');
		assert.ok(quotes.every(({ pair }) => pair === 'USDC/BOB'));
	},
	'transaction.getStatus': ([{ status }]) => assert.equal(status, 'notFound'),
	'transaction.getStatus, of a row': ([row]) => {
		assert.equal(row.employee, 'Ana');
		assert.equal(row.status, 'completed_transaction');
		assert.equal(row.isFinal, true);
	},
	'transaction.getAll, the newest three': (transactions) =>
		assert.deepEqual(
			transactions.map(({ reference }) => reference),
			['seeded-30', 'seeded-29', 'seeded-28'],
		),
	'wallet.get': ([wallet], { wallets }) => assert.deepEqual(wallet, wallets[0]),
	'wallet.getAll': (wallets, context) => assert.deepEqual(wallets, context.wallets),
	'wallet.addAsset': ([{ assets }]) =>
		assert.ok(
			assets.some(({ symbol, blockchain }) => symbol === 'USDT' && blockchain === 'Ethereum'),
		),
	'webhook.create': ([webhook]) => {
		assert.ok(webhook.id);
		assert.ok(!('apiKey' in webhook));
	},
	'webhook.get': ([{ id }], { webhook }) => assert.equal(id, webhook),
	'webhook.update': ([{ id, description }], { webhook }) => {
		assert.equal(id, webhook);
		assert.equal(description, 'Tesorería');
	},
	'webhookLog.replay': (events) =>
		assert.ok(events.length > 0 && events.every(({ transactionType }) => transactionType)),
};

describe('every operation in a real n8n', () => {
	const stage = useStage('operations');

	beforeEach(() => stage.sandbox.reset());

	it('is tested below', async () => {
		const { properties } = (await stage.n8n.types('nodes')).find(({ name }) => name === NODE_TYPE);
		const offered = properties
			.filter(({ name }) => name === 'operation')
			.flatMap(({ displayOptions, options }) =>
				options.map(({ value }) => `${displayOptions.show.resource[0]}.${value}`),
			)
			// n8n adds this operation to point to the HTTP Request node.
			.filter((operation) => !operation.endsWith('.__CUSTOM_API_CALL__'));
		const tried = new Set(SAMPLES.map(({ resource, operation }) => `${resource}.${operation}`));
		// Needs no service: the examples run it.
		tried.add('payout.readPaymentFile').add('transaction.createReport');
		assert.deepEqual(
			offered.filter((operation) => !tried.has(operation)),
			[],
		);
	});

	for (const sample of [...SAMPLES, STATUS_OF_A_ROW, NEWEST_TRANSACTIONS]) {
		it(nameOf(sample), async () => {
			const { sandbox, n8n } = stage;
			const wallets = await serviceWallets(stage);
			const webhook = sample.needsWebhook ? await seedWebhook(stage) : '';
			const [{ id: client }] = await asPartner(stage, 'GET', '/v2/business-clients');
			const existing = { client, wallet: wallets[0].walletId, webhook };
			await sandbox.admin('DELETE', '/requests');

			const { resource, operation, items } = sample;
			const { parameters, request } = fillIn(sample, existing);
			const execution = await runNode(stage, partnerPayments(stage, parameters), { items });
			assert.equal(execution.status, 'success', describeError(execution));

			const { method, path, query = {}, body } = request;
			// The reset before this test has revoked the token, so the first request may be rejected and repeated.
			const received = (await sandbox.requests({ method, path })).filter(
				({ status }) => status !== 401,
			);
			assert.ok(received.length >= 1, `${method} ${path} was not received`);
			// One item makes one request, unless pages are read.
			if (method !== 'GET') assert.equal(received.length, 1);
			if (body) assert.deepEqual(received[0].body, body);
			for (const [name, wanted] of Object.entries(query)) {
				assert.equal(received[0].query[name], wanted, name);
			}
			const check = CHECKS[nameOf(sample)] ?? CHECKS[`${resource}.${operation}`];
			const context = { ...existing, wallets, sandbox, n8n, parameters, execution };
			await check?.(execution.json(NODE), context);
			for (const { pairedItem } of execution.items(NODE)) assert.deepEqual(pairedItem, { item: 0 });
		});
	}

	for (const [methodName, parameter, expected] of /** @type {const} */ ([
		['searchWallets', 'walletId', async () => (await serviceWallets(stage)).map((w) => w.walletId)],
		['searchWebhooks', 'webhookId', async () => [await seedWebhook(stage)]],
	])) {
		it(`offers the account’s entries in a list (${methodName})`, async () => {
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
	return id;
}

function describeError({ error }) {
	return [error?.message, error?.description].filter(Boolean).join('\n');
}
