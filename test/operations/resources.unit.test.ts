import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeListSearchResult,
	INodeParameters,
} from 'n8n-workflow';

import { LISTS } from '../../nodes/PartnerPayments/listSearch/lists';
import type { Operation } from '../../nodes/PartnerPayments/operations/operation';
import { RESOURCES } from '../../nodes/PartnerPayments/resources';
import { ServiceError } from '../../nodes/service/errors';
import { Service } from '../../nodes/service/transport';
import { nodeWith, runOperation } from './context';

/** The operations that send one request, and the lists of the editor. */

const ID = '1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed';
const OTHER = '5f0c6f6e-3b1d-4f7e-9a53-0c1d2e3f4a5b';
const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';

const byId = (value: string) => ({ __rl: true, mode: 'id', value });

afterEach(() => jest.restoreAllMocks());

/** A service with one answer, and the requests that it got. */
function answering(answer: unknown) {
	const request = jest.fn<Promise<unknown>, [IDataObject]>(async () =>
		answer instanceof Error ? await Promise.reject(answer) : await Promise.resolve(answer),
	);
	jest.spyOn(Service, 'connect').mockResolvedValue({ request, waitedMs: 0 } as unknown as Service);
	return { requests: () => request.mock.calls.map(([sent]) => sent) };
}

function operationNamed(name: string): Operation {
	const [resource, operation] = name.split('.');
	const found = RESOURCES.find(({ value }) => value === resource)?.operations.find(
		({ value }) => value === operation,
	);
	if (!found) throw new Error(`No operation ${name}`);
	return found;
}

const run = async (name: string, parameters: INodeParameters, answer: unknown) => {
	const { requests } = answering(answer);
	const { json } = await runOperation(operationNamed(name), parameters);
	return { json, requests: requests() };
};

const CLIENTS: IDataObject[] = [
	{ id: ID, name: 'Ana', status: 'Active', type: 'individual' },
	{ id: OTHER, name: 'Roca SRL', status: 'Pending', type: 'company' },
];
const WALLETS: IDataObject[] = [{ walletId: ID }, { walletId: OTHER }];
const QUOTES: IDataObject[] = [
	{ pair: 'USDC/BOB', transactionType: 'deposit_qr' },
	{ pair: 'BOB/USDC', transactionType: 'withdrawal_ach' },
];
const ALL = { returnAll: true };

describe('a list', () => {
	test.each<[string, string, INodeParameters, unknown, number[]]>([
		['businessClient.getAll', '/v2/business-clients', ALL, CLIENTS, [0, 1]],
		['businessClient.getAll', '/v2/business-clients', { limit: 1 }, CLIENTS, [0]],
		[
			'businessClient.getAll',
			'/v2/business-clients',
			{ filters: { status: ['Pending'] } },
			CLIENTS,
			[1],
		],
		[
			'businessClient.getAll',
			'/v2/business-clients',
			{ filters: { type: 'individual' } },
			CLIENTS,
			[0],
		],
		[
			'businessClient.getAll',
			'/v2/business-clients',
			{ filters: { type: 'company', status: ['Active'] } },
			CLIENTS,
			[],
		],
		['wallet.getAll', '/v2/wallets', ALL, WALLETS, [0, 1]],
		['wallet.getAll', '/v2/wallets', { limit: 1 }, WALLETS, [0]],
		['quote.getAll', '/v2/quotes', ALL, QUOTES, [0, 1]],
		['quote.getAll', '/v2/quotes', { limit: 1 }, QUOTES, [0]],
		['quote.getAll', '/v2/quotes', { filters: { pair: ['BOB/USDC'] } }, QUOTES, [1]],
		['quote.getAll', '/v2/quotes', { filters: { transactionType: ['deposit_qr'] } }, QUOTES, [0]],
		[
			'quote.getAll',
			'/v2/quotes',
			{ filters: { pair: 'USDC/BOB', transactionType: 'withdrawal_ach' } },
			QUOTES,
			[],
		],
		['webhook.getAll', '/v2/webhooks', ALL, CLIENTS, [0, 1]],
		['webhook.getAll', '/v2/webhooks', { limit: 1 }, CLIENTS, [0]],
	])('%s reads %s with %j', async (name, path, parameters, answer, found) => {
		const { json, requests } = await run(
			name,
			parameters,
			name.startsWith('wallet') ? { wallets: answer } : answer,
		);
		expect(requests).toStrictEqual([{ method: 'GET', path }]);
		expect(json).toEqual(found.map((index) => (answer as IDataObject[])[index]));
	});

	test('of quotes is filtered by the service, too', async () => {
		const parameter = [
			{ name: 'pair', value: 'x' },
			{ name: '', value: 'dropped' },
		];
		const options = { queryParameters: { parameter } };
		const { requests } = await run('quote.getAll', { options }, QUOTES);
		expect(requests).toEqual([{ method: 'GET', path: '/v2/quotes', query: { pair: 'x' } }]);
		const unnamed = { queryParameters: { parameter: parameter.slice(1) } };
		expect((await run('quote.getAll', { options: unnamed }, QUOTES)).requests).toStrictEqual([
			{ method: 'GET', path: '/v2/quotes' },
		]);
	});

	test('of balances is whole', async () => {
		const { json, requests } = await run('payout.getBalances', {}, [{ a: 1 }, { a: 2 }]);
		expect(json).toEqual([{ a: 1 }, { a: 2 }]);
		expect(requests).toEqual([{ method: 'GET', path: '/v2/transactions/payouts/balance' }]);
	});
});

describe('one entry', () => {
	test.each<[string, INodeParameters, unknown, string, IDataObject]>([
		['webhook.get', { webhookId: byId(ID) }, { id: ID }, `/v2/webhooks/${ID}`, { id: ID }],
	])('%s is found by its ID', async (name, parameters, answer, path, entry) => {
		const { json, requests } = await run(name, parameters, answer);
		expect(json).toEqual([entry]);
		expect(requests).toEqual([{ method: 'GET', path }]);
	});

	test.each<[string, string, string]>([
		['wallet.addAsset', 'walletId', 'Wallet'],
		['webhook.get', 'webhookId', 'Webhook'],
		['webhook.update', 'webhookId', 'Webhook'],
	])('%s has no other path', async (name, field, label) => {
		const { requests } = answering({});
		await expect(runOperation(operationNamed(name), { [field]: byId('../x') })).rejects.toThrow(
			`${label} must be a UUID`,
		);
		expect(requests()).toEqual([]);
	});
});

describe('a change', () => {
	const url = 'http://127.0.0.1:9/callback';
	const CLIENT = {
		name: 'Comercial Ñandú',
		email: 'ventas@example.com',
		type: 'company',
		country: 'BO',
	};

	test.each<[string, INodeParameters, IDataObject]>([
		[
			'wallet.addAsset',
			{ walletId: byId(ID), symbol: 'USDC', asset: 'USDC', blockchain: 'Polygon' },
			{ method: 'POST', path: `/v2/wallets/${ID}/assets` },
		],
		[
			'businessClient.create',
			CLIENT,
			{ method: 'POST', path: '/v2/business-clients', body: CLIENT },
		],
		[
			'webhook.create',
			{ url, events: ['completed_transaction'], status: 'ACTIVE' },
			{
				method: 'POST',
				path: '/v2/webhooks',
				body: { url, events: { transaction: ['completed_transaction'] }, status: 'ACTIVE' },
			},
		],
		[
			'webhook.update',
			{ webhookId: byId(ID), updateFields: { description: 'Orders' } },
			{ method: 'PATCH', path: `/v2/webhooks/${ID}`, body: { description: 'Orders' } },
		],
	])('%s is sent as the form says, and returns the answer', async (name, parameters, sent) => {
		const { json, requests } = await run(name, parameters, { id: ID });
		expect(json).toEqual([{ id: ID }]);
		expect(requests).toMatchObject([sent]);
	});

	test('of a webhook needs a field', async () => {
		const { requests } = answering({});
		await expect(
			runOperation(operationNamed('webhook.update'), { webhookId: byId(ID) }),
		).rejects.toThrow('Update Fields has no field with a value');
		expect(requests()).toEqual([]);
	});

	test.each<[string, INodeParameters]>([
		['webhook.create', { url, events: ['completed_transaction'], status: 'ACTIVE' }],
		['webhook.get', { webhookId: byId(ID) }],
	])('%s returns no secret of a callback address', async (name, parameters) => {
		const secret = 'a'.repeat(64);
		const { json } = await run(name, parameters, { id: ID, url: `${url}?secret=${secret}` });
		expect(json).toEqual([{ id: ID, url: `${url}?secret=***` }]);
	});

	test.each(['businessClient.create', 'webhook.create'])(
		'%s is not sent if it is invalid',
		async (name) => {
			const { requests } = answering({});
			await expect(runOperation(operationNamed(name), {})).rejects.toThrow(/is required/);
			expect(requests()).toEqual([]);
		},
	);
});

describe('the lists of the editor', () => {
	const WEBHOOKS = [
		{ id: ID, description: 'Orders', url: 'https://a.example/x?secret=1', status: 'ACTIVE' },
		{ id: OTHER, url: 'https://b.example', status: 'INACTIVE' },
	];

	const list = async (
		name: keyof typeof LISTS,
		answer: unknown,
		...search: [string?, string?]
	): Promise<INodeListSearchResult> => {
		answering(answer);
		return await LISTS[name].call(nodeWith({}) as unknown as ILoadOptionsFunctions, ...search);
	};
	const asset = (symbol: string, blockchain: string, walletAddress = ADDRESS) => ({
		symbol,
		blockchain,
		walletAddress,
	});

	test('name wallets with their assets, and a status that is not the usual one', async () => {
		const wallets = [
			{
				walletId: ID,
				status: 'ACTIVE',
				assets: [asset('USDC', 'Polygon'), asset('USDC', 'x', '')],
			},
			{ walletId: OTHER, status: 'BLOCKED', assets: null },
			{ walletId: 'short-id-of-14', status: 'ACTIVE' },
		];
		expect(await list('searchWallets', { wallets })).toEqual({
			results: [
				{ name: 'USDC on Polygon 0x5290…9EE7, USDC on x', value: ID },
				{ name: 'Wallet 5f0c6f…4a5b (no assets) (BLOCKED)', value: OTHER },
				{ name: 'Wallet short-id-of-14 (no assets)', value: 'short-id-of-14' },
			],
		});
	});

	test('name webhooks with description, address and status', async () => {
		expect(await list('searchWebhooks', WEBHOOKS)).toEqual({
			results: [
				{ name: 'Orders: https://a.example/x (ACTIVE)', value: ID },
				{ name: 'https://b.example (INACTIVE)', value: OTHER },
			],
		});
	});

	test.each<[string, string[]]>([
		['', [ID, OTHER]],
		[' orders ', [ID]],
		[ID.toUpperCase(), [ID]],
		['x (active', [ID]],
		['nobody', []],
	])('find %j in names and IDs', async (wanted, found) => {
		const { results } = await list('searchWebhooks', WEBHOOKS, wanted);
		expect(results.map(({ value }) => value)).toEqual(found);
	});

	test('come in pages', async () => {
		const many = (count: number) =>
			Array.from({ length: count }, (_, index) => ({ id: `id-${index}`, url: 'x', status: 'y' }));
		const page = async (count: number, token?: string) => {
			const { results, paginationToken } = await list('searchWebhooks', many(count), 'x', token);
			return [results.length, results[0]?.value, paginationToken];
		};
		expect(await page(100)).toEqual([100, 'id-0', undefined]);
		expect(await page(101)).toEqual([100, 'id-0', '100']);
		expect(await page(101, '100')).toEqual([1, 'id-100', undefined]);
		expect(await page(250, '100')).toEqual([100, 'id-100', '200']);
	});

	test('say why they cannot be shown', async () => {
		const error = new ServiceError({ code: 'notAllowed', message: 'Not allowed', hint: '' });
		await expect(list('searchWallets', error)).rejects.toThrow(
			'The list cannot be shown. Not allowed',
		);
	});
});
