import type { IDataObject } from 'n8n-workflow';

import { secretHash, withOwner, withSecret } from '../../nodes/logs/callbackSecret';
import {
	drift,
	findOwnWebhook,
	listWebhooks,
	readWebhook,
	type RegisteredWebhook,
} from '../../nodes/logs/webhooks';
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
			changedAt: '',
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
	const other = webhook({
		id: 'other',
		address: withOwner('https://n8n.example/webhook/2', 'you'),
	});
	const kept = { webhookId: 'one', secretHash: secretHash(SECRET) };

	test.each<[string, RegisteredWebhook]>([
		['names its owner', webhook({ address: withOwner('https://old.example/', 'me') })],
		['is at its address', webhook({ address: ADDRESS })],
		['is at its address, with a slash', webhook({ address: `${ADDRESS}//?a=b` })],
		['has its secret', webhook({ address: withSecret('https://old.example/', SECRET) })],
		['has its ID, and no address', webhook({ address: '' })],
		['has its ID, and a masked address', webhook({ address: 'https://***' })],
		['has its ID, and a cut address', webhook({ address: 'https://n8n.example/web…' })],
		['has its ID, and dots', webhook({ address: 'https://n8n.example/webhook/•••' })],
		['has its ID, and a word', webhook({ address: 'https://n8n.example/[REDACTED]' })],
		['has its ID, and letters', webhook({ address: 'https://n8n.example/webhook/xxxx' })],
	])('recognizes a webhook as its own if it %s', (_, own) => {
		expect(findOwnWebhook([other, own], 'me', kept, ADDRESS)).toBe(own);
	});

	test.each<[string, RegisteredWebhook]>([
		['has another owner', webhook({ address: withOwner('https://old.example/', 'you') })],
		['has another ID, and no address', webhook({ id: 'two', address: '' })],
		[
			'has its ID, a masked address and another owner',
			webhook({ address: withOwner('https://***/', 'you') }),
		],
		['has another path', webhook({ address: `${ADDRESS}0` })],
		['is on another host', webhook({ address: ADDRESS.replace('n8n.', 'x.') })],
		[
			'has another secret',
			webhook({ address: withSecret('https://old.example/', 'b'.repeat(64)) }),
		],
		[
			'has its secret, and another owner',
			webhook({ address: withSecret(withOwner('https://old.example/', 'you'), SECRET) }),
		],
	])('does not recognize a webhook that %s', (_, one) => {
		expect(findOwnWebhook([one], 'me', kept, ADDRESS)).toBeUndefined();
	});

	test('does not recognize a webhook without a secret if the state has none', () => {
		const one = webhook({ address: 'https://old.example/' });
		expect(findOwnWebhook([one], 'me', {}, ADDRESS)).toBeUndefined();
		expect(findOwnWebhook([webhook({ address: '' })], 'me', {})).toBeUndefined();
	});

	test('prefers an active webhook, in any letters', () => {
		const off = webhook({ id: 'off', status: 'INACTIVE' });
		const on = webhook({ id: 'on', status: 'active' });
		expect(findOwnWebhook([off, on], 'me', {})).toBe(on);
	});

	test('prefers the registered webhook, then an active one, then the first', () => {
		const off = webhook({ id: 'off', status: 'INACTIVE' });
		const on = webhook({ id: 'on' });
		expect(findOwnWebhook([off, on, webhook()], 'me', { webhookId: 'off' })).toBe(off);
		expect(findOwnWebhook([off, on, webhook()], 'me', {})).toBe(on);
		expect(findOwnWebhook([off, webhook({ status: 'OFF' })], 'me', {})).toBe(off);
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
		[{ events: ['a', 'a'] }, ['events']],
		[{ events: ['a', 'b', 'b'] }, ['events']],
		[{ status: 'INACTIVE' }, ['status']],
		[{ description: 'Mine' }, ['description']],
		[{ address: as.address.replace('/1?', '/1/?') }, []],
		[{ address: ADDRESS }, ['address']],
		[{ address: withOwner(ADDRESS, 'me') }, ['address']],
		[{ address: withSecret(ADDRESS, SECRET) }, ['address']],
		[{ address: as.address.replace('n8n.', 'x.') }, ['address']],
		[
			{ address: '', status: '', events: [], description: '' },
			['address', 'status', 'events', 'description'],
		],
	])('finds in %p the drift %p', (changes, names) => {
		expect(drift({ ...as, ...changes }, as)).toEqual(names);
	});
});
