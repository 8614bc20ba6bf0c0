import { type INodeParameters, type WorkflowActivateMode } from 'n8n-workflow';

import { type Webhook } from '../../sandbox/state';
import { logLines } from '../engine/log';
import { CREDENTIAL_ID } from '../engine/runNode';
import { useService } from '../engine/service';
import { onlyWebhook, stopClock, TestTrigger, writings } from './trigger';

const service = useService();

const HOOK = { path: '/v2/webhooks' };
const ONE_HOOK = { method: 'PATCH', path: '/v2/webhooks/*' };
/** Where an export is published that may bring along what the workflow kept. */
const ELSEWHERE = { instance: 'instance-2', address: 'http://other.example/' };
const SECOND_MS = 1_000;
const NOT_REGISTERED = /is not registered at the payments service, so no events arrive/;

const fail = async (match: object, status: number, times: number | 'always' = 'always') =>
	await service.sandbox.admin.addFault({ match, times, fault: { type: 'status', status } });

const all = (): Webhook[] => [...service.business.webhooks.values()];

beforeEach(() => {
	logLines.length = 0;
});

describe('a publication', () => {
	test('registers the webhook once, as the node wants it', async () => {
		const trigger = new TestTrigger(service, { events: ['failed_transaction'] });
		await trigger.register();
		const { url, events, status, description } = onlyWebhook(service);
		expect({ events, status, description }).toEqual({
			events: ['failed_transaction'],
			status: 'ACTIVE',
			description: 'n8n: Orders',
		});
		expect(new URL(url).searchParams.get('secret')).toMatch(/^[0-9a-f]{64}$/);
		expect(JSON.stringify(trigger.kept)).not.toContain(new URL(url).searchParams.get('secret'));

		await trigger.register('update');
		expect(onlyWebhook(service).url).toBe(url);
		expect(writings(service)).toEqual(['POST']);
	});

	test.each([
		['of the same workflow', {}],
		['of another workflow', { workflowId: 'workflow-2' }],
		['of the same node on another n8n', { instance: 'instance-2', nodeId: 'node' }],
	])('never takes the webhook %s', async (_, place) => {
		const first = new TestTrigger(service, {}, { nodeId: 'node' });
		await first.register();
		const { id, url } = onlyWebhook(service);
		const other = new TestTrigger(service, {}, { address: 'http://other.example/', ...place });
		// An export may bring along what the workflow kept.
		other.keep(first.kept);
		await other.register();

		expect(all()).toHaveLength(2);
		expect(service.business.webhooks.get(id)?.url).toBe(url);
		expect(other.kept.webhookId).not.toBe(id);
		await other.remove();
		expect(service.business.webhooks.get(id)?.status).toBe('ACTIVE');
	});

	test('that fails switches no webhook off but its own', async () => {
		const first = new TestTrigger(service);
		await first.register();
		const other = new TestTrigger(service, { onDeactivation: 'switchOff' }, ELSEWHERE);
		other.keep(first.kept);
		await fail(HOOK, 503, 1);
		await expect(other.register()).rejects.toThrow(NOT_REGISTERED);
		await other.remove();
		expect(onlyWebhook(service).status).toBe('ACTIVE');
	});

	test('leaves the webhook of a node that was removed alone', async () => {
		const removed = new TestTrigger(service);
		await removed.register();
		await removed.remove();
		const { url } = onlyWebhook(service);
		await new TestTrigger(service, { events: ['failed_transaction'] }).register();
		expect(all()).toHaveLength(2);
		expect(all()[0]).toMatchObject({ url, events: ['completed_transaction'] });
	});

	test('knows its own webhook after n8n’s address has changed', async () => {
		const trigger = new TestTrigger(service);
		await trigger.register();
		const { id, url } = onlyWebhook(service);
		trigger.place.address = 'https://new.example/hooks/';
		await trigger.register();
		const changed = onlyWebhook(service);
		expect(changed.id).toBe(id);
		expect(changed.url).toContain('https://new.example/hooks/');
		// Events under way carry the secret.
		expect(new URL(changed.url).searchParams.get('secret')).toBe(
			new URL(url).searchParams.get('secret'),
		);
	});

	test('knows its own by the secret, where the address names no owner', async () => {
		const trigger = new TestTrigger(service);
		await trigger.register();
		const webhook = onlyWebhook(service);
		const secret = new URL(webhook.url).searchParams.get('secret');
		webhook.url = `http://older.example/path?secret=${secret}`;
		await trigger.register();
		expect(onlyWebhook(service).url).toContain(`owner=`);
		// It was this node's all the time, and so are the events from before.
		expect(trigger.kept).not.toHaveProperty('since');
		expect(onlyWebhook(service).url).toContain(`secret=${secret}`);
	});

	test('is content with a slash that the service added', async () => {
		const trigger = new TestTrigger(service);
		await trigger.register();
		onlyWebhook(service).url = onlyWebhook(service).url.replace('?', '/?');
		for (let times = 0; times < 4; times++) await trigger.register();
		expect(onlyWebhook(service).url).toContain('/?');
		expect(writings(service)).toEqual(['POST']);
	});

	test('reads a list with a hole in it', async () => {
		const trigger = new TestTrigger(service);
		await trigger.register();
		const { id, url: callbalckUrl, description } = onlyWebhook(service);
		const events = { transaction: ['completed_transaction'] };
		const body = [null, { id, callbalckUrl, description, status: 'ACTIVE', events }];
		await service.sandbox.admin.addFault({ match: HOOK, fault: { type: 'json', body } });
		await trigger.register();
		expect(writings(service)).toEqual(['POST']);
	});

	test('repairs all that is different', async () => {
		const trigger = new TestTrigger(service);
		await trigger.register();
		Object.assign(onlyWebhook(service), { status: 'INACTIVE', events: ['failed_transaction'] });
		trigger.set({ options: { description: 'Accounting' } });
		await trigger.register();
		expect(onlyWebhook(service)).toMatchObject({
			status: 'ACTIVE',
			events: ['completed_transaction'],
			description: 'Accounting',
		});
		expect(writings(service)).toEqual(['POST', 'PATCH']);
	});

	test('by a person sends a new API key, and n8n’s start does not', async () => {
		const trigger = new TestTrigger(service, {
			verification: 'apiKey',
			verificationHeader: 'x-api-key',
		});
		const keys = new Set<string>();
		for (const times of [1, 2, 3]) {
			await trigger.register();
			keys.add(onlyWebhook(service).apiKey);
			expect(keys.size).toBe(times);
		}
		const { kept } = trigger;
		await trigger.register('init');
		await trigger.register('leadershipChange');
		keys.add(onlyWebhook(service).apiKey);
		expect(keys.size).toBe(3);
		expect(trigger.kept).toEqual({ ...kept, registeredAt: expect.any(Number) as number });
	});

	test('of Together without catching up is refused, in words', async () => {
		const trigger = new TestTrigger(service, {
			startWorkflow: 'allNewEvents',
			checkForMissedEvents: 'never',
		});
		await expect(trigger.register()).rejects.toThrow(
			/Once for All New Events needs Check for Missed Events/,
		);
		expect(all()).toHaveLength(0);
		// There is nobody to tell when n8n starts, and nothing to keep.
		await trigger.register('init');
		expect(trigger.kept).toEqual({});
	});

	test.each([{ startWorkflow: 'allNewEvents' }, { checkForMissedEvents: 'never' }])(
		'with %p is one',
		async (one) => {
			await new TestTrigger(service, one).register();
			expect(all()).toHaveLength(1);
		},
	);

	test('asks for the list once, and sends an API key where deliveries bring one', async () => {
		const [own, other] = ['a', 'b'].map((nodeId) => new TestTrigger(service, {}, { nodeId }));
		other.set({ verification: 'apiKey', verificationHeader: 'x-api-key' });
		await own.register();
		await other.register();
		const hooks = service.sent().filter(({ path }) => path === '/v2/webhooks');
		expect(hooks.map(({ method }) => method)).toEqual(['GET', 'POST', 'GET', 'POST']);
		const [first, second] = hooks.filter(({ method }) => method === 'POST').map(({ body }) => body);
		expect(first).not.toHaveProperty('apiKey');
		// The sandbox shows no secret.
		expect(second).toHaveProperty('apiKey', '***');
		expect(all()[1].apiKey).toMatch(/^[0-9a-f]{64}$/);
	});

	test('says why it failed, and what to do', async () => {
		const trigger = new TestTrigger(service, { events: ['completed_transaction'] });
		await service.sandbox.admin.addFault({
			match: HOOK,
			fault: { type: 'status', status: 400, body: { message: 'Too many webhooks.' } },
		});
		const refused = (await trigger.register().catch((error: unknown) => error)) as Error;
		expect(refused.message).toMatch(
			/^The webhook of "Trigger" is not registered at the payments service, so no events arrive\. .*Too many webhooks$/,
		);
		expect(refused).toMatchObject({
			description:
				'Check the Partner Payments credential with its test button. Then unpublish the workflow and publish it.',
		});

		service.credentials.save(CREDENTIAL_ID, { ...service.login, password: 'wrong' });
		const noLogin = (await trigger.register().catch((error: unknown) => error)) as Error;
		expect(noLogin).toMatchObject({
			description: 'Then unpublish the workflow and publish it.',
		});
	});
});

const secretOf = ({ url }: Webhook) => new URL(url).searchParams.get('secret');

describe('a secret', () => {
	test('that somebody has put there is replaced by a new one', async () => {
		const trigger = new TestTrigger(service);
		await trigger.register();
		const foreign = '0'.repeat(64);
		onlyWebhook(service).url = onlyWebhook(service).url.replace(/secret=\w+/, `secret=${foreign}`);
		await trigger.register();
		expect(secretOf(onlyWebhook(service))).toMatch(/^[0-9a-f]{64}$/);
		expect(secretOf(onlyWebhook(service))).not.toBe(foreign);
	});

	test('stays where the workflow has forgotten it, for events under way carry it', async () => {
		const trigger = new TestTrigger(service);
		await trigger.register();
		const secret = secretOf(onlyWebhook(service));
		const { kept } = trigger;
		const again = new TestTrigger(service, {}, trigger.place);
		await again.register();
		expect(secretOf(onlyWebhook(service))).toBe(secret);
		expect(again.kept).toEqual({ ...kept, registeredAt: expect.any(Number) as number });
	});
});

describe('events from before', () => {
	beforeEach(stopClock);
	afterEach(() => jest.useRealTimers());

	const withoutOwner = (webhook: Webhook) => {
		webhook.url = webhook.url.replace(/owner=\w+&?/, '');
	};

	test('are not this node’s at a webhook that somebody has made for its address', async () => {
		const trigger = new TestTrigger(service);
		await trigger.register();
		const webhook = onlyWebhook(service);
		service.business.webhooks.clear();
		const id = '5f0c6f6e-3b1d-4f7e-9a53-0c1d2e3f4a5b';
		service.business.webhooks.set(id, { ...webhook, id });
		withoutOwner(onlyWebhook(service));
		await trigger.register();
		expect(trigger.kept).toMatchObject({ webhookId: id, since: Date.now() });
	});

	test('are not surely its own where its address is not kept', async () => {
		const trigger = new TestTrigger(service);
		await trigger.register();
		const { webhookId, secretHash } = trigger.kept;
		const again = new TestTrigger(service, {}, trigger.place);
		again.keep({ webhookId, secretHash });
		await again.register();
		expect(again.kept.since).toBe(Date.now());
	});

	test('are its own at a webhook whose address lost its owner', async () => {
		const trigger = new TestTrigger(service);
		await trigger.register();
		withoutOwner(onlyWebhook(service));
		await trigger.register();
		expect(onlyWebhook(service).url).toContain('owner=');
		expect(trigger.kept).not.toHaveProperty('since');
	});
});

describe('n8n’s start while the service is away', () => {
	test('keeps the address of a trigger that is new', async () => {
		const trigger = new TestTrigger(service);
		await fail(HOOK, 503);
		await trigger.register('init');
		expect(trigger.kept).toEqual({
			address: expect.stringContaining('http://n8n.example/webhook/') as string,
		});
	});

	test('leaves an address alone of which it is not known whose it is', async () => {
		const kept = { webhookId: 'webhook', address: 'http://older.example/path' };
		const trigger = new TestTrigger(service);
		trigger.keep(kept);
		await fail(HOOK, 503);
		await trigger.register('init');
		expect(trigger.kept).toEqual(kept);
	});
});

describe('a change of Verify Deliveries', () => {
	test('takes what is not asked for any more out of the webhook, and out of what is kept', async () => {
		const trigger = new TestTrigger(service, { verificationHeader: 'x-api-key' });
		await trigger.register();
		const first = secretOf(onlyWebhook(service));
		expect(trigger.kept).not.toHaveProperty('apiKeyHash');

		trigger.set({ verification: 'both', verificationHeader: 'x-api-key' });
		await trigger.register();
		expect(secretOf(onlyWebhook(service))).toBe(first);
		expect(trigger.kept).toMatchObject({
			secretHash: expect.any(String),
			apiKeyHash: expect.any(String),
		});

		trigger.set({ verification: 'apiKey' });
		await trigger.register();
		expect(secretOf(onlyWebhook(service))).toBeNull();
		expect(trigger.kept).not.toHaveProperty('secretHash');
		expect(trigger.kept).toHaveProperty('apiKeyHash');

		trigger.set({ verification: 'callbackSecret' });
		await trigger.register();
		expect(secretOf(onlyWebhook(service))).toMatch(/^[0-9a-f]{64}$/);
		expect(secretOf(onlyWebhook(service))).not.toBe(first);
		expect(trigger.kept).not.toHaveProperty('apiKeyHash');

		trigger.set({ verification: 'none' });
		await trigger.register();
		expect(secretOf(onlyWebhook(service))).toBeNull();
		expect(trigger.kept).not.toHaveProperty('secretHash');
	});

	test('by n8n’s start gives an API key where there is none', async () => {
		const trigger = new TestTrigger(service);
		await trigger.register();
		trigger.set({ verification: 'both', verificationHeader: 'x-api-key' });
		await trigger.register('init');
		expect(onlyWebhook(service).apiKey).toMatch(/^[0-9a-f]{64}$/);
		expect(trigger.kept).toHaveProperty('apiKeyHash');
	});
});

describe('a test', () => {
	const sameNode = (of: TestTrigger) => {
		const other = new TestTrigger(service, {}, of.place);
		other.keep(of.kept);
		return other;
	};

	test('has a webhook of its own, which is switched off when it is over', async () => {
		const trigger = new TestTrigger(service);
		await trigger.register();
		const published = { ...onlyWebhook(service) };
		const listening = sameNode(trigger);
		await listening.listen();
		expect(all()).toHaveLength(2);
		expect(all()[0]).toEqual(published);
		expect(all()[1]).toMatchObject({ status: 'ACTIVE', events: ['completed_transaction'] });
		expect(all()[1].url).toMatch(/^http:\/\/n8n\.example\/webhook\/test\//);
		expect(listening.kept.isTest).toBe(true);

		await listening.endListening();
		expect(all().map(({ status }) => status)).toEqual(['ACTIVE', 'INACTIVE']);
		expect(trigger.kept).not.toHaveProperty('isTest');

		// The next one has the same webhook.
		await listening.listen();
		expect(all().map(({ status }) => status)).toEqual(['ACTIVE', 'ACTIVE']);
	});

	test('that was left behind is not taken for the publication’s', async () => {
		const listening = new TestTrigger(service);
		await listening.listen();
		const { id } = onlyWebhook(service);
		const trigger = sameNode(listening);
		await trigger.register();
		expect(all()).toHaveLength(2);
		expect(trigger.kept.webhookId).not.toBe(id);
		expect(trigger.kept).not.toHaveProperty('isTest');
		await trigger.remove();
		expect(all().map(({ status }) => status)).toEqual(['ACTIVE', 'ACTIVE']);
	});
});

describe('the end of a publication', () => {
	const ended = async (parameters: INodeParameters = {}) => {
		const trigger = new TestTrigger(service, { onDeactivation: 'switchOff', ...parameters });
		await trigger.register();
		await trigger.remove();
		return trigger;
	};

	test('leaves the webhook on, unless told', async () => {
		const trigger = new TestTrigger(service);
		await trigger.register();
		const before = service.sent().length;
		await trigger.remove();
		expect(onlyWebhook(service).status).toBe('ACTIVE');
		expect(service.sent()).toHaveLength(before);
	});

	test('switches it off as it is told, and leaves all else', async () => {
		service.sandbox.core.change({ webhookStatuses: ['ACTIVE', 'DISABLED'] });
		const trigger = new TestTrigger(service, {
			onDeactivation: 'switchOff',
			options: { offStatus: ' DISABLED ' },
		});
		await trigger.register();
		const before = { ...onlyWebhook(service) };
		await trigger.remove();
		expect(onlyWebhook(service)).toEqual({
			...before,
			status: 'DISABLED',
			updatedAt: expect.any(String),
		});
		expect(trigger.kept).not.toHaveProperty('active');
	});

	test.each([undefined, '', ' '])('with the status %p is the usual one', async (offStatus) => {
		await ended(offStatus === undefined ? {} : { options: { offStatus } });
		expect(onlyWebhook(service).status).toBe('INACTIVE');
	});

	test.each(['published', 'a test'])('knows the webhook by its owner (%s)', async (kind) => {
		const trigger = new TestTrigger(service, { onDeactivation: 'switchOff' });
		await (kind === 'published' ? trigger.register() : trigger.listen());
		const webhook = onlyWebhook(service);
		webhook.url = webhook.url.replace('n8n.example', 'moved.example');
		await (kind === 'published' ? trigger.remove() : trigger.endListening());
		expect(onlyWebhook(service).status).toBe('INACTIVE');
	});

	test('does not switch off what is off', async () => {
		const trigger = await ended();
		await trigger.remove();
		expect(writings(service)).toEqual(['POST', 'PATCH']);
	});

	test('asks nothing where nothing was registered', async () => {
		const trigger = new TestTrigger(service, { onDeactivation: 'switchOff' });
		await trigger.remove();
		expect(service.sent()).toEqual([]);
	});
});

describe('a webhook that the service has created', () => {
	test('without saying its identifier is found in its list', async () => {
		const trigger = new TestTrigger(service);
		await service.sandbox.admin.addFault({
			match: { method: 'POST', path: '/v2/webhooks' },
			fault: { type: 'json', status: 201, body: { success: true } },
		});
		await trigger.register();
		expect(trigger.kept.webhookId).toBe(onlyWebhook(service).id);
	});

	test('and shows nowhere is looked for by its address later', async () => {
		const trigger = new TestTrigger(service);
		const answer = (method: string, body: unknown) => ({
			match: { method, path: '/v2/webhooks' },
			times: 'always' as const,
			fault: { type: 'json' as const, status: 201, body },
		});
		await service.sandbox.admin.addFault(answer('POST', { success: true }));
		await service.sandbox.admin.addFault(answer('GET', []));
		await trigger.register();
		expect(trigger.kept.webhookId).toBe('');
		await service.sandbox.admin.clearFaults();
		await trigger.register();
		expect(trigger.kept.webhookId).toBe(onlyWebhook(service).id);
	});

	test('is described as its owner likes', async () => {
		await new TestTrigger(service, { options: { description: ' Accounting ' } }).register();
		await new TestTrigger(service, { options: { description: '  ' } }, { nodeId: 'b' }).register();
		expect(all().map(({ description }) => description)).toEqual(['Accounting', 'n8n: Orders']);
	});
});

const PERSON: WorkflowActivateMode[] = ['activate', 'update'];
const START: WorkflowActivateMode[] = ['init', 'leadershipChange'];

describe.each([
	[
		'a refusal of the service',
		async (trigger: TestTrigger) => {
			trigger.set({ events: ['failed_transaction'] });
			await fail(ONE_HOOK, 400);
		},
	],
	[
		'a wrong password',
		async () => {
			service.credentials.save(CREDENTIAL_ID, { ...service.login, password: 'wrong' });
		},
	],
	[
		'a deleted credential',
		async (trigger: TestTrigger) => {
			trigger.chooseCredential('gone');
		},
	],
])('%s', (_, happen) => {
	test.each(PERSON)('fails a person’s publication (%s)', async (mode) => {
		const trigger = new TestTrigger(service);
		await trigger.register();
		await happen(trigger);
		await expect(trigger.register(mode)).rejects.toThrow(NOT_REGISTERED);
	});

	test.each(START)('does not fail n8n’s start (%s)', async (mode) => {
		const trigger = new TestTrigger(service);
		await trigger.register();
		const kept = trigger.kept;
		await happen(trigger);
		await trigger.register(mode);
		expect(trigger.kept).toEqual(kept);
		expect(logLines.filter((line) => line.startsWith('warn')).join()).toContain(
			'the registration of "Trigger" could not be checked',
		);
	});
});

describe('an outage', () => {
	test.each([500, 503, 408, 429])(
		'(%d) is borne while the webhook is known to be on',
		async (status) => {
			const trigger = new TestTrigger(service);
			await trigger.register();
			await fail(HOOK, status);
			await trigger.register();
			expect(writings(service)).toEqual(['POST']);
		},
	);

	test.each(PERSON)('fails the first publication (%s)', async (mode) => {
		await fail(HOOK, 503);
		await expect(new TestTrigger(service).register(mode)).rejects.toThrow(NOT_REGISTERED);
	});

	test('fails a publication that wants something else', async () => {
		const trigger = new TestTrigger(service);
		await trigger.register();
		trigger.set({ events: ['failed_transaction'] });
		await fail(HOOK, 503);
		await expect(trigger.register()).rejects.toThrow(NOT_REGISTERED);
	});

	test('fails a publication after the webhook was switched off', async () => {
		const trigger = new TestTrigger(service, { onDeactivation: 'switchOff' });
		await trigger.register();
		await trigger.remove();
		expect(onlyWebhook(service).status).toBe('INACTIVE');
		await fail(HOOK, 503);
		await expect(trigger.register()).rejects.toThrow(NOT_REGISTERED);
		await service.sandbox.admin.clearFaults();
		await trigger.register();
		expect(onlyWebhook(service).status).toBe('ACTIVE');
	});

	test('does not fail the end of a publication', async () => {
		const trigger = new TestTrigger(service, { onDeactivation: 'switchOff' });
		await trigger.register();
		await fail(HOOK, 503);
		await trigger.remove();
		expect(logLines.join()).toContain('could not be switched off (status INACTIVE)');
	});
});

describe('catching up', () => {
	beforeEach(stopClock);
	afterEach(() => jest.useRealTimers());

	const published = async (parameters: INodeParameters = {}): Promise<TestTrigger> => {
		const trigger = new TestTrigger(service, parameters);
		await trigger.register();
		await trigger.start();
		return trigger;
	};

	test.each<[string, (webhook: Webhook) => void]>([
		['status', (webhook) => (webhook.status = 'INACTIVE')],
		['events', (webhook) => (webhook.events = ['failed_transaction'])],
		['description', (webhook) => (webhook.description = 'Mine')],
		[
			'address',
			(webhook) => (webhook.url = webhook.url.replace('http://n8n.example', 'http://x.example')),
		],
	])('repairs the %s', async (what, change) => {
		const trigger = await published();
		const before = structuredClone(onlyWebhook(service));
		change(onlyWebhook(service));
		await trigger.turn();
		expect({ ...onlyWebhook(service), updatedAt: '' }).toEqual({ ...before, updatedAt: '' });
		expect(logLines.join()).toContain(`repaired the webhook of "Trigger" at the service: ${what}`);
		await trigger.turn();
		expect(writings(service)).toEqual(['POST', 'PATCH']);
		expect(trigger.errors).toEqual([]);
	});

	test('gives the service an address that changed while the service was away', async () => {
		const trigger = await published();
		await trigger.end();
		trigger.place.address = 'https://new.example/hooks/';
		await fail(HOOK, 503);
		await trigger.register('init');
		await trigger.start('init');
		await service.sandbox.admin.clearFaults();
		await trigger.turn();
		expect(onlyWebhook(service).url).toContain('https://new.example/hooks/');
	});

	test('looks after the webhook at the second turn, also where the first could not read the logs', async () => {
		const trigger = new TestTrigger(service);
		await trigger.register();
		await fail({ path: '/v2/webhooks/logs' }, 503);
		await trigger.start();
		onlyWebhook(service).status = 'INACTIVE';
		await trigger.turn();
		expect(onlyWebhook(service).status).toBe('ACTIVE');
	});

	test('has nothing to repair of a webhook that needs no secret', async () => {
		const trigger = await published({ verification: 'none' });
		await trigger.turn();
		expect(trigger.errors).toEqual([]);
		expect(writings(service)).toEqual(['POST']);
	});

	test('tells all that it repairs', async () => {
		const trigger = await published();
		Object.assign(onlyWebhook(service), { status: 'INACTIVE', events: ['failed_transaction'] });
		await trigger.turn();
		expect(logLines.join()).toContain('at the service: status, events');
	});

	test('takes a secret for the right one where none is kept', async () => {
		const trigger = await published();
		trigger.keep({ secretHash: undefined });
		await trigger.turn();
		expect(trigger.errors).toEqual([]);
	});

	test('keeps an API key', async () => {
		const trigger = new TestTrigger(service, { verification: 'both', verificationHeader: 'x' });
		await trigger.register();
		await trigger.start();
		const { apiKey } = onlyWebhook(service);
		onlyWebhook(service).status = 'INACTIVE';
		await trigger.turn();
		expect(onlyWebhook(service)).toMatchObject({ status: 'ACTIVE', apiKey });
	});

	test.each<[string, () => void, RegExp]>([
		['is gone', () => service.business.webhooks.clear(), /is no longer registered at the service/],
		[
			'has lost its secret',
			() => {
				const webhook = onlyWebhook(service);
				webhook.url = webhook.url.replace(/[?&]secret=[0-9a-f]+/, '');
			},
			/The webhook has lost its secret/,
		],
		[
			'has got another secret',
			() => {
				const webhook = onlyWebhook(service);
				webhook.url = webhook.url.replace(/secret=[0-9a-f]+/, `secret=${'0'.repeat(64)}`);
			},
			/The webhook has lost its secret/,
		],
	])('says what to do when the webhook %s, and changes nothing', async (_, change, words) => {
		const trigger = await published();
		const kept = trigger.kept;
		change();
		await trigger.turn();
		await trigger.turn();
		expect(trigger.errors).toHaveLength(1);
		expect(trigger.errors[0]).toMatch(words);
		expect(trigger.errors[0]).toMatch(/Unpublish the workflow, then publish it/);
		expect(writings(service)).toEqual(['POST']);
		expect(trigger.kept).toEqual(kept);

		// The hint works.
		await trigger.remove();
		await trigger.register();
		expect(all().filter(({ status }) => status === 'ACTIVE')).toHaveLength(1);
		await trigger.turn();
		expect(trigger.errors).toHaveLength(1);
	});
});

describe('a turn while n8n publishes', () => {
	beforeEach(stopClock);
	afterEach(() => jest.useRealTimers());

	/** The service has it, and takes a second before it goes on. */
	const isSlow = async (match: object) =>
		await service.sandbox.admin.addFault({
			match,
			times: 1,
			fault: { type: 'latency', ms: SECOND_MS },
		});

	test('does not call a webhook gone that is being registered', async () => {
		const trigger = new TestTrigger(service);
		await isSlow({ method: 'POST', ...HOOK });
		const publication = trigger.register();
		await trigger.start();
		await trigger.turn();
		expect(all()).toEqual([]);
		expect(trigger.errors).toEqual([]);

		await jest.advanceTimersByTimeAsync(SECOND_MS);
		await publication;
		await trigger.turn();
		expect(all()).toHaveLength(1);
		expect(trigger.errors).toEqual([]);
	});

	test('does not call a secret lost that is being replaced, and undoes nothing', async () => {
		const trigger = new TestTrigger(service);
		await trigger.register();
		const webhook = onlyWebhook(service);
		webhook.url = webhook.url.replace(/secret=[0-9a-f]+/, `secret=${'0'.repeat(64)}`);
		jest.advanceTimersByTime(SECOND_MS);
		trigger.place.address = 'https://new.example/hooks/';
		await isSlow(ONE_HOOK);
		const publication = trigger.register();
		await trigger.start();
		await trigger.turn();
		expect(trigger.errors).toEqual([]);

		await jest.advanceTimersByTimeAsync(SECOND_MS);
		await publication;
		await trigger.turn();
		expect(trigger.errors).toEqual([]);
		expect(writings(service)).toEqual(['POST', 'PATCH']);
		expect(onlyWebhook(service).url).toContain('https://new.example/hooks/');
	});

	test('looks after the webhook when n8n has given up to publish', async () => {
		const trigger = new TestTrigger(service);
		await trigger.start();
		jest.advanceTimersByTime(89_999);
		await trigger.turn();
		expect(trigger.errors).toEqual([]);
		jest.advanceTimersByTime(1);
		await trigger.turn();
		expect(trigger.errors).toEqual([expect.stringContaining('is no longer registered')]);
	});

	test('looks after the webhook although the clock has gone back', async () => {
		const trigger = new TestTrigger(service);
		await trigger.start();
		jest.setSystemTime(Date.now() - 90_000);
		await trigger.turn();
		expect(trigger.errors).toEqual([expect.stringContaining('is no longer registered')]);
	});

	test('does not switch on again what is switched off at the end', async () => {
		const trigger = new TestTrigger(service, { onDeactivation: 'switchOff' });
		await trigger.register();
		await trigger.start();
		await isSlow({ method: 'GET', ...HOOK });
		trigger.beginTurn();
		await trigger.end();
		await trigger.remove();
		await jest.advanceTimersByTimeAsync(SECOND_MS);
		await trigger.settled();
		expect(onlyWebhook(service).status).toBe('INACTIVE');
		expect(writings(service)).toEqual(['POST', 'PATCH']);
	});
});
