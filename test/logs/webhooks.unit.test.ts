import type { IDataObject } from 'n8n-workflow';

import { secretHash, withOwner, withSecret } from '../../nodes/logs/callbackSecret';
import {
	drift,
	findWebhook,
	listWebhooks,
	readWebhook,
	type RegisteredWebhook,
} from '../../nodes/logs/webhooks';
import { ServiceError } from '../../nodes/service/errors';
import type { Service } from '../../nodes/service/transport';

const ADDRESS = 'https://n8n.example/webhook/1';

const SECRET = 'a'.repeat(64);

const webhook = (changes: Partial<RegisteredWebhook> = {}): RegisteredWebhook => ({
	id: 'one',
	address: withSecret(withOwner(ADDRESS, 'me'), SECRET),
	events: ['completed_transaction'],
	status: 'ACTIVE',
	description: 'Orders',
	...changes,
});

describe('reading webhooks', () => {
	test.each<[string, IDataObject, Partial<RegisteredWebhook>]>([
		[
			'as it is listed',
			{ callbalckUrl: ADDRESS, events: { transaction: ['completed_transaction'] } },
			{ address: ADDRESS, events: ['completed_transaction'] },
		],
		[
			'as it is listed, spelt right',
			{ callbackUrl: ADDRESS, events: { transaction: [] } },
			{ address: ADDRESS, events: [] },
		],
		[
			'as it was created',
			{ url: ADDRESS, events: ['completed_transaction'] },
			{ address: ADDRESS, events: ['completed_transaction'] },
		],
		['without events', { url: ADDRESS, events: null }, { events: [] }],
		['with events of another kind', { events: { wallet: ['x'] } }, { events: [] }],
		['with what is no event', { events: ['a', 7, null] }, { events: ['a'] }],
		['with one event', { events: { transaction: 'a' } }, { events: [] }],
	])('reads a webhook %s', (_, given, read) => {
		expect(readWebhook({ id: 'one', ...given })).toMatchObject(read);
	});

	test('reads missing fields as empty text', () => {
		expect(readWebhook({ id: 7, status: null, description: {} })).toEqual({
			id: '',
			address: '',
			events: [],
			status: '',
			description: '',
		});
	});

	test('skips list entries that are no webhooks', async () => {
		const request = jest.fn().mockResolvedValue([null, { id: 'one' }, 'text']);
		const list = await listWebhooks({ request } as unknown as Service);
		expect(request.mock.calls).toEqual([[{ method: 'GET', path: '/v2/webhooks' }]]);
		expect(list.map(({ id }) => id)).toEqual(['one']);
	});
});

describe('the trigger’s own webhook', () => {
	const SHOWN = { url: withSecret(withOwner(ADDRESS, 'me'), SECRET), status: 'ACTIVE' };
	const kept = { webhookId: 'one', secretHash: secretHash(SECRET), address: ADDRESS };

	/** Finds it at a service that lists webhooks, and retrieves some others by their IDs. */
	async function find(list: IDataObject[], retrieved: IDataObject | number, known: object = kept) {
		const request = async ({ path }: { path: string }) => {
			if (path === '/v2/webhooks') return await Promise.resolve({ webhooks: list, total: 9 });
			if (typeof retrieved === 'object') return retrieved;
			throw new ServiceError({ code: 'x', message: 'x' }, { status: retrieved });
		};
		return (await findWebhook({ request } as unknown as Service, 'me', known))?.id;
	}

	test.each<[string, IDataObject[], IDataObject | number, string | undefined]>([
		['known by its ID', [], SHOWN, 'one'],
		['known by its ID, with a hidden address', [], { ...SHOWN, url: '***' }, 'one'],
		[
			'known by its ID, at the address from before n8n moved',
			[],
			{ ...SHOWN, url: 'https://old.example/hooks/webhook/1/' },
			'one',
		],
		['moved to another path', [], { ...SHOWN, url: 'https://n8n.example/webhook/2' }, undefined],
		['named by its owner, at a service without Retrieve', [{ ...SHOWN, id: 'two' }], 405, 'two'],
		['gone, and another one names it', [{ ...SHOWN, id: 'two' }], 404, 'two'],
		['gone, and one has its secret', [{ id: 'two', url: withSecret(ADDRESS, SECRET) }], 404, 'two'],
		[
			'gone, and an active one is preferred',
			[
				{ ...SHOWN, id: 'off', status: 'off' },
				{ ...SHOWN, id: 'on' },
			],
			404,
			'on',
		],
		['gone', [{ id: 'two', url: ADDRESS }], 404, undefined],
		['taken over by another owner', [], { ...SHOWN, url: withOwner(ADDRESS, 'you') }, undefined],
		[
			'gone, and one has its secret and another owner',
			[{ id: 'two', url: withSecret(withOwner(ADDRESS, 'you'), SECRET) }],
			404,
			undefined,
		],
	])('is found if it is %s', async (_, list, retrieved, id) => {
		expect(await find(list, retrieved)).toBe(id);
	});

	test('is not looked for during an outage', async () => {
		const error = new ServiceError({ code: 'x', message: 'x' }, { status: 503, isOutage: true });
		const request = jest.fn().mockRejectedValue(error);
		await expect(findWebhook({ request } as unknown as Service, 'me', kept)).rejects.toBe(error);
		expect(request).toHaveBeenCalledTimes(1);
	});
});

describe('drift', () => {
	const as = webhook({ events: ['a', 'b'] });

	test.each<[Partial<RegisteredWebhook>, string[]]>([
		[{}, []],
		[{ events: ['b', 'a'] }, []],
		[{ events: ['a'] }, ['events']],
		[{ events: ['a', 'b', 'c'] }, ['events']],
		[{ events: ['a', 'c'] }, ['events']],
		[{ events: ['A', 'B'], status: 'active' }, []],
		[{ events: ['a', 'a'] }, ['events']],
		[{ status: 'INACTIVE' }, ['status']],
		[{ description: 'Mine' }, []],
		[{ address: ADDRESS }, ['address']],
		[{ address: withOwner(ADDRESS, 'me') }, ['address']],
		[{ address: withSecret(ADDRESS, SECRET) }, ['address']],
		[{ address: as.address.replace('n8n.', 'x.') }, ['address']],
		[{ address: '', status: '', events: [] }, ['address', 'status', 'events']],
	])('finds in %p the drift %p', (changes, names) => {
		expect(drift({ ...as, ...changes }, as)).toEqual(names);
	});
});
