import { LoadOptionsContext } from 'n8n-core';
import { type INode, type INodeListSearchResult, Workflow } from 'n8n-workflow';

import { PartnerPayments } from '../../nodes/PartnerPayments/PartnerPayments.node';
import { seed } from '../../sandbox/seed';
import { useQuickSleep } from './quickSleep';
import { additionalData, CREDENTIAL_ID, CREDENTIAL_TYPE } from './runNode';
import { CRYPTO } from './samples';
import { useService } from './service';

const service = useService();
useQuickSleep();

type Method = 'searchBusinessClients' | 'searchFundingWallets' | 'searchWallets' | 'searchWebhooks';

/** Requests a list like the editor. */
async function search(
	method: Method,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	const type = new PartnerPayments();
	const node: INode = {
		id: 'node',
		name: 'Partner Payments',
		type: 'n8n-nodes-partner-payments.partnerPayments',
		typeVersion: 1,
		position: [0, 0],
		parameters: {},
		credentials: { [CREDENTIAL_TYPE]: { id: CREDENTIAL_ID, name: CREDENTIAL_ID } },
	};
	const workflow = new Workflow({
		nodes: [node],
		connections: {},
		active: false,
		nodeTypes: {
			getByName: () => type,
			getByNameAndVersion: () => type,
			getKnownTypes: () => ({}),
		},
	});
	const context = new LoadOptionsContext(workflow, node, additionalData(service.credentials), '');
	const found = type.methods?.listSearch?.[method];
	if (!found) throw new Error(`The node has no ${method}`);
	return await found.call(context, filter, paginationToken);
}

const METHODS: Array<
	[Method, string, () => { ids: string[]; clear: () => void; add: (count: number) => void }]
> = [
	[
		'searchBusinessClients',
		'/v2/business-clients',
		() => ({
			ids: service.business.clients.map(({ id }) => id),
			clear: () => service.business.clients.splice(0),
			add: (businessClients) => seed(service.business, { businessClients }),
		}),
	],
	[
		'searchWallets',
		'/v2/wallets',
		() => ({
			ids: [...service.business.wallets.keys()],
			clear: () => service.business.wallets.clear(),
			add: (wallets) => seed(service.business, { wallets }),
		}),
	],
	[
		'searchWebhooks',
		'/v2/webhooks',
		() => ({
			ids: [...service.business.webhooks.keys()],
			clear: () => service.business.webhooks.clear(),
			add: (webhooks) => seed(service.business, { webhooks }),
		}),
	],
];

describe.each(METHODS)('%s', (method, path, kept) => {
	test.each([0, 1, 100, 101, 1000])('returns all of %i entries, page by page', async (count) => {
		kept().clear();
		kept().add(count);

		const values: unknown[] = [];
		let token: string | undefined;
		do {
			const { results, paginationToken } = await search(method, undefined, token);
			values.push(...results.map(({ value }) => value));
			token = paginationToken as string | undefined;
		} while (token !== undefined);

		expect(values).toEqual(kept().ids);
	});

	test('finds an entry by its ID', async () => {
		kept().add(30);
		const wanted = kept().ids.at(-1);

		const { results } = await search(method, ` ${String(wanted).toUpperCase()} `);

		expect(results.map(({ value }) => value)).toEqual([wanted]);
	});

	test('finds nothing for a text that no entry has', async () => {
		kept().add(3);

		expect(await search(method, 'no entry has this')).toEqual({ results: [] });
	});

	test('reports a wrong login without the password', async () => {
		service.credentials.save(CREDENTIAL_ID, { ...service.login, password: 'mistyped secret' });

		const error = await search(method).catch((caught: Error) => caught);

		expect(error).toMatchObject({
			message: expect.stringMatching(
				/^The list cannot be shown\. .*does not accept this email and password/,
			),
			description: 'Choose By ID and enter the ID.',
		});
		expect(JSON.stringify(error)).not.toContain('mistyped secret');
	});

	test('reports that the service cannot be reached', async () => {
		service.credentials.save(CREDENTIAL_ID, {
			...service.login,
			baseUrl: 'http://127.0.0.1:1/api',
		});

		await expect(search(method)).rejects.toThrow(
			/^The list cannot be shown\. Cannot log in at 127\.0\.0\.1:1: nothing answers there/,
		);
	});

	test('repeats the error message of the service', async () => {
		await service.sandbox.admin.addFault({
			match: { path },
			fault: { type: 'status', status: 403, body: { statusCode: 403, message: 'Not for you' } },
		});

		await expect(search(method)).rejects.toThrow(/^The list cannot be shown\. .*Not for you/);
	});

	test('does not read another response as an empty list', async () => {
		await service.sandbox.admin.addFault({
			match: { path },
			fault: { type: 'json', body: { message: 'hello' } },
		});

		await expect(search(method)).rejects.toThrow(/lacks the expected list/);
	});
});

describe('names in the lists', () => {
	test('shows a wallet’s assets, blockchain, shortened address and unusual status', async () => {
		const [first, second] = service.business.wallets.values();
		second.status = 'FROZEN';

		const { results } = await search('searchWallets');

		const [{ walletAddress }] = first.assets;
		expect(results[0].name).toBe(
			`USDC on Polygon ${walletAddress.slice(0, 6)}…${walletAddress.slice(-4)}`,
		);
		expect(results[1].name).toMatch(/^USDT on TRON T\S+ \(FROZEN\)$/);
	});

	test('shows a business client’s name, email and status', async () => {
		seed(service.business, { businessClients: 2 });

		const { results } = await search('searchBusinessClients', 'client-2@');

		expect(results).toEqual([
			{
				name: 'Seeded client 2, client-2@example.com (Active)',
				value: service.business.clients.at(-1)?.id,
			},
		]);
	});

	test('shows no secret in a webhook’s address', async () => {
		seed(service.business, { webhooks: 1 });
		const [webhook] = service.business.webhooks.values();
		webhook.url = 'https://n8n.example/webhook/abc?secret=not-for-anyone';

		const { results } = await search('searchWebhooks');

		expect(results[0].name).toContain('https://n8n.example/webhook/abc');
		expect(JSON.stringify(results)).not.toContain('not-for-anyone');
	});
});

describe('picked entries', () => {
	const picked = (mode: string, value: string) => ({ __rl: true, mode, value });

	test.each(['list', 'id'])('sends the wallet picked by %s', async (mode) => {
		const [walletId] = service.business.wallets.keys();

		await service.run({ ...CRYPTO, walletId: picked(mode, walletId) });
		await service.run({
			resource: 'wallet',
			operation: 'addAsset',
			walletId: picked(mode, walletId),
			symbol: 'USDC',
			blockchain: 'TRON',
		});

		expect(service.sent()).toMatchObject([
			{ body: { walletId } },
			{ path: `/v2/wallets/${walletId}/assets`, body: { symbol: 'USDC', blockchain: 'TRON' } },
		]);
	});

	test.each(['list', 'id'])('requests the webhook picked by %s', async (mode) => {
		seed(service.business, { webhooks: 1 });
		const [id] = service.business.webhooks.keys();
		const webhookId = picked(mode, id);

		await service.run({ resource: 'webhook', operation: 'get', webhookId });
		await service.run({
			resource: 'webhook',
			operation: 'update',
			webhookId,
			updateFields: { description: 'x' },
		});
		await service.run({ resource: 'webhookLog', operation: 'getAll', filters: { webhookId } });

		expect(service.sent()).toMatchObject([
			{ method: 'GET', path: `/v2/webhooks/${id}` },
			{ method: 'PATCH', path: `/v2/webhooks/${id}` },
			{ method: 'GET', path: '/v2/webhooks/logs', query: { webhookId: id } },
		]);
	});

	test('validates a picked entry from an expression', async () => {
		const { error } = await service.run(
			{ ...CRYPTO, walletId: picked('id', '={{ $json.id }}') },
			{ items: [{ id: '../..' }] },
		);

		expect(error?.message).toMatch(/^Row 1, T\w{33}, 100\.25 USDT: Wallet .*must be a UUID/);
		expect(service.sent()).toEqual([]);
	});
});

test('offers for funding the wallets that can pay, with what they can pay', async () => {
	const [usdc, usdt] = [...service.business.wallets.values()];
	usdc.assets.push({ ...usdc.assets[0], symbol: 'BTC' });
	usdc.assets.push({ ...usdc.assets[0], blockchain: 'Solana' });
	usdt.assets = [{ ...usdt.assets[0], symbol: 'ETH' }];
	const { results } = await search('searchFundingWallets');
	expect(results.map(({ value }) => value)).toEqual([usdc.walletId]);
	expect(results[0].name).toMatch(/^USDC on Polygon \S+$/);
});
