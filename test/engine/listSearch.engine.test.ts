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

type Method = 'searchWallets' | 'searchWebhooks';

/** Requests a list like the editor. */
async function search(method: Method, filter?: string): Promise<INodeListSearchResult> {
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
	return await found.call(context, filter);
}

const METHODS: Array<[Method, () => Iterable<string>]> = [
	['searchWallets', () => service.business.wallets.keys()],
	['searchWebhooks', () => service.business.webhooks.keys()],
];

describe.each(METHODS)('%s', (method, ids) => {
	test('finds an entry by its ID', async () => {
		seed(service.business, { wallets: 30, webhooks: 30 });
		const wanted = [...ids()].at(-1);

		const { results } = await search(method, ` ${String(wanted).toUpperCase()} `);

		expect(results.map(({ value }) => value)).toEqual([wanted]);
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
});
