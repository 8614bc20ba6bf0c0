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

/** What only a real n8n shows of an output, by operation. That it is the documented one, the engine tests say. */
const CHECKS = {
	'deposit.createQr': async (_, { n8n, execution, parameters }) => {
		const [{ binary }] = execution.items(NODE);
		const file = binary.data;
		assert.equal(file.fileName, `${parameters.referenceId}.png`);
		const image = await n8n.readBinary(file);
		assert.equal(image.subarray(0, 8).toString('hex'), PNG_SIGNATURE);
	},
	'transaction.getStatus, of a row': ([row]) => {
		assert.equal(row.employee, 'Ana');
		assert.equal(row.status, 'completed_transaction');
	},
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

	for (const sample of [...SAMPLES, STATUS_OF_A_ROW]) {
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
			await check?.(execution.json(NODE), { n8n, parameters, execution });
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
