import { type INodeParameters, type WorkflowActivateMode } from 'n8n-workflow';

import { TRANSACTION_EVENTS } from '../../nodes/service/enums';
import { type Webhook } from '../../sandbox/state';
import { logLines } from '../engine/log';
import { useQuickSleep } from '../engine/quickSleep';
import { CREDENTIAL_ID } from '../engine/runNode';
import { useService } from '../engine/service';
import { onlyWebhook, stopClock, TestTrigger, writings } from './trigger';

const service = useService();

const HOOK = { path: '/v2/webhooks*' };
const ONE_HOOK = { method: 'PATCH', path: '/v2/webhooks/*' };
const SECOND_MS = 1_000;
/** For so long after a publication, looks don't touch the webhook. */
const PUBLICATION_MS = 90_000;
const NOT_REGISTERED = /is not registered at the payments service, so no events arrive/;

const fail = async (match: object, status: number, times: number | 'always' = 'always') =>
	await service.sandbox.admin.addFault({ match, times, fault: { type: 'status', status } });

/** The service processes the request, but responds a second later. */
const isSlow = async (match: object) =>
	await service.sandbox.admin.addFault({
		match,
		times: 1,
		fault: { type: 'latency', ms: SECOND_MS },
	});

const all = (): Webhook[] => [...service.business.webhooks.values()];

beforeEach(() => {
	logLines.length = 0;
});

describe('publishing', () => {
	useQuickSleep();

	test('registers a webhook for every event that the service knows with All Events', async () => {
		await new TestTrigger(service, { events: ['completed_transaction', 'all'] }).register();
		expect(onlyWebhook(service).events).toEqual(TRANSACTION_EVENTS.map(({ value }) => value));
	});

	test('registers one webhook with the chosen events', async () => {
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
	])('never takes over the webhook %s', async (_, place) => {
		const first = new TestTrigger(service, {}, { nodeId: 'node' });
		await first.register();
		const { id, url } = onlyWebhook(service);
		const other = new TestTrigger(service, {}, { address: 'http://other.example/', ...place });
		// An export may bring the registration state along.
		other.keep(first.kept);
		await other.register();

		expect(all()).toHaveLength(2);
		expect(service.business.webhooks.get(id)?.url).toBe(url);
		expect(other.kept.webhookId).not.toBe(id);
		await other.remove();
		expect(service.business.webhooks.get(id)?.status).toBe('ACTIVE');
	});

	test('leaves the webhook of a removed node alone', async () => {
		const removed = new TestTrigger(service);
		await removed.register();
		await removed.remove();
		const { url } = onlyWebhook(service);
		await new TestTrigger(service, { events: ['failed_transaction'] }).register();
		expect(all()).toHaveLength(2);
		expect(all()[0]).toMatchObject({ url, events: ['completed_transaction'] });
	});

	test('recognizes its webhook after n8n’s address has changed', async () => {
		const trigger = new TestTrigger(service);
		await trigger.register();
		const { id, url } = onlyWebhook(service);
		trigger.place.address = 'https://new.example/hooks/';
		await trigger.register();
		const changed = onlyWebhook(service);
		expect(changed.id).toBe(id);
		expect(changed.url).toContain('https://new.example/hooks/');
		// Deliveries in flight carry the secret.
		expect(new URL(changed.url).searchParams.get('secret')).toBe(
			new URL(url).searchParams.get('secret'),
		);
	});

	test('recognizes its webhook by the secret if the address names no owner', async () => {
		const trigger = new TestTrigger(service);
		await trigger.register();
		const webhook = onlyWebhook(service);
		const secret = new URL(webhook.url).searchParams.get('secret');
		webhook.url = `http://older.example/path?secret=${secret}`;
		await trigger.register();
		expect(onlyWebhook(service).url).toContain(`owner=`);
		expect(onlyWebhook(service).url).toContain(`secret=${secret}`);
	});

	test('reads a list of webhooks that contains null', async () => {
		const trigger = new TestTrigger(service);
		await trigger.register();
		const { id, url: callbalckUrl, description } = onlyWebhook(service);
		const events = { transaction: ['completed_transaction'] };
		const body = [null, { id, callbalckUrl, description, status: 'ACTIVE', events }];
		await service.sandbox.admin.addFault({ match: HOOK, fault: { type: 'json', body } });
		await trigger.register();
		expect(writings(service)).toEqual(['POST']);
	});

	test('repairs all drift at once', async () => {
		const trigger = new TestTrigger(service);
		await trigger.register();
		Object.assign(onlyWebhook(service), { status: 'INACTIVE', events: ['failed_transaction'] });
		await trigger.register();
		expect(onlyWebhook(service)).toMatchObject({
			status: 'ACTIVE',
			events: ['completed_transaction'],
		});
		expect(writings(service)).toEqual(['POST', 'PATCH']);
	});

	test('rejects Once for All New Events without Check for Missed Events', async () => {
		const trigger = new TestTrigger(service, {
			startWorkflow: 'allNewEvents',
			checkForMissedEvents: 'never',
		});
		await expect(trigger.register()).rejects.toThrow(
			/Once for All New Events needs Check for Missed Events/,
		);
		expect(all()).toHaveLength(0);
		// Nobody sees an error when n8n starts, and there is no state to keep.
		await trigger.register('init');
		expect(trigger.kept).toEqual({});
	});

	test.each([{ startWorkflow: 'allNewEvents' }, { checkForMissedEvents: 'never' }])(
		'accepts %p without the other option',
		async (one) => {
			await new TestTrigger(service, one).register();
			expect(all()).toHaveLength(1);
		},
	);

	test('says why the registration failed and what to do', async () => {
		const trigger = new TestTrigger(service, { events: ['completed_transaction'] });
		await service.sandbox.admin.addFault({
			match: HOOK,
			fault: { type: 'status', status: 400, body: { message: 'Too many webhooks.' } },
		});
		const rejected = (await trigger.register().catch((error: unknown) => error)) as Error;
		expect(rejected.message).toMatch(
			/^The webhook of "Trigger" is not registered at the payments service, so no events arrive\. .*Too many webhooks$/,
		);
		expect(rejected).toMatchObject({
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

describe('the callback secret', () => {
	test('replaces a secret that somebody else has set', async () => {
		const trigger = new TestTrigger(service);
		await trigger.register();
		const foreign = '0'.repeat(64);
		onlyWebhook(service).url = onlyWebhook(service).url.replace(/secret=\w+/, `secret=${foreign}`);
		await trigger.register();
		expect(secretOf(onlyWebhook(service))).toMatch(/^[0-9a-f]{64}$/);
		expect(secretOf(onlyWebhook(service))).not.toBe(foreign);
	});

	test('keeps the secret if the state was lost, because deliveries in flight carry it', async () => {
		const trigger = new TestTrigger(service);
		await trigger.register();
		const secret = secretOf(onlyWebhook(service));
		const { kept } = trigger;
		const again = new TestTrigger(service, {}, trigger.place);
		await again.register();
		expect(secretOf(onlyWebhook(service))).toBe(secret);
		expect(again.kept).toEqual(kept);
	});
});

test('changing Verify Deliveries removes the secret from the webhook and the state, or sets a new one', async () => {
	const trigger = new TestTrigger(service, { verifyDeliveries: false });
	await trigger.register();
	expect(secretOf(onlyWebhook(service))).toBeNull();
	trigger.set({ verifyDeliveries: true });
	await trigger.register();
	expect(secretOf(onlyWebhook(service))).toMatch(/^[0-9a-f]{64}$/);
	trigger.set({ verifyDeliveries: false });
	await trigger.register();
	expect(secretOf(onlyWebhook(service))).toBeNull();
	expect(trigger.kept).not.toHaveProperty('secretHash');
});

test('unpublishing leaves the webhook as it is', async () => {
	const trigger = new TestTrigger(service);
	await trigger.register();
	const before = service.sent().length;
	await trigger.remove();
	expect(onlyWebhook(service).status).toBe('ACTIVE');
	expect(service.sent()).toHaveLength(before);
});

describe('starting n8n during an outage', () => {
	useQuickSleep();

	test('keeps the address of a new trigger if n8n starts during an outage', async () => {
		const trigger = new TestTrigger(service);
		await fail(HOOK, 503);
		await trigger.register('init');
		expect(trigger.kept).toEqual({
			address: expect.stringContaining('http://n8n.example/webhook/') as string,
		});
	});

	test('keeps an address of an unknown owner if n8n starts during an outage', async () => {
		const kept = { webhookId: 'webhook', address: 'http://older.example/path' };
		const trigger = new TestTrigger(service);
		trigger.keep(kept);
		await fail(HOOK, 503);
		await trigger.register('init');
		expect(trigger.kept).toEqual(kept);
	});
});

describe('test webhooks', () => {
	const sameNode = (of: TestTrigger) => {
		const other = new TestTrigger(service, {}, of.place);
		other.keep(of.kept);
		return other;
	};

	test('registers a separate test webhook, and switches it off afterwards', async () => {
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

		// The next test uses the same webhook.
		await listening.listen();
		expect(all().map(({ status }) => status)).toEqual(['ACTIVE', 'ACTIVE']);
	});

	test('never takes over a test webhook that was left behind', async () => {
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

describe('creating a webhook', () => {
	test('finds a created webhook in the list if the response has no identifier', async () => {
		const trigger = new TestTrigger(service);
		await service.sandbox.admin.addFault({
			match: { method: 'POST', path: '/v2/webhooks' },
			fault: { type: 'json', status: 201, body: { success: true } },
		});
		await trigger.register();
		expect(trigger.kept.webhookId).toBe(onlyWebhook(service).id);
	});
});

const PERSON: WorkflowActivateMode[] = ['activate', 'update'];
const START: WorkflowActivateMode[] = ['init', 'leadershipChange'];

describe.each([
	[
		'a rejection by the service',
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
])('after %s', (_, happen) => {
	useQuickSleep();

	test.each(PERSON)('reports a failed registration when a person publishes (%s)', async (mode) => {
		const trigger = new TestTrigger(service);
		await trigger.register();
		await happen(trigger);
		await expect(trigger.register(mode)).rejects.toThrow(NOT_REGISTERED);
	});

	test.each(START)('only logs a failed registration when n8n starts (%s)', async (mode) => {
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

describe('outages', () => {
	useQuickSleep();

	test.each([500, 503, 408, 429])(
		'tolerates status %d while the webhook is known to be on',
		async (status) => {
			const trigger = new TestTrigger(service);
			await trigger.register();
			await fail(HOOK, status);
			await trigger.register();
			expect(writings(service)).toEqual(['POST']);
		},
	);

	test.each(PERSON)('fails the first publication during an outage (%s)', async (mode) => {
		await fail(HOOK, 503);
		await expect(new TestTrigger(service).register(mode)).rejects.toThrow(NOT_REGISTERED);
	});

	test('fails a publication with other events during an outage', async () => {
		const trigger = new TestTrigger(service);
		await trigger.register();
		trigger.set({ events: ['failed_transaction'] });
		await fail(HOOK, 503);
		await expect(trigger.register()).rejects.toThrow(NOT_REGISTERED);
	});
});

describe('repairing drift', () => {
	beforeEach(stopClock);
	afterEach(() => jest.useRealTimers());

	const published = async (parameters: INodeParameters = {}): Promise<TestTrigger> => {
		const trigger = new TestTrigger(service, parameters);
		await trigger.register();
		await trigger.start();
		jest.advanceTimersByTime(PUBLICATION_MS);
		return trigger;
	};

	test.each<[string, (webhook: Webhook) => void]>([
		['status', (webhook) => (webhook.status = 'INACTIVE')],
		['events', (webhook) => (webhook.events = ['failed_transaction'])],
		[
			'address',
			(webhook) => (webhook.url = webhook.url.replace('http://n8n.example', 'http://x.example')),
		],
	])('repairs the %s during a poll', async (what, change) => {
		const trigger = await published();
		const before = structuredClone(onlyWebhook(service));
		change(onlyWebhook(service));
		await trigger.poll();
		expect({ ...onlyWebhook(service), updatedAt: '' }).toEqual({ ...before, updatedAt: '' });
		expect(logLines.join()).toContain(`repaired the webhook of "Trigger" at the service: ${what}`);
		await trigger.poll();
		expect(writings(service)).toEqual(['POST', 'PATCH']);
		expect(trigger.errors).toEqual([]);
	});

	test('repairs an address that changed during an outage', async () => {
		const trigger = await published();
		await trigger.end();
		trigger.place.address = 'https://new.example/hooks/';
		await fail({ path: '/v2/webhooks/*-*' }, 503);
		const registration = trigger.register('init');
		await trigger.pass(10_000);
		await registration;
		await trigger.start('init');
		await service.sandbox.admin.clearFaults();
		jest.advanceTimersByTime(90_000);
		await trigger.poll();
		expect(onlyWebhook(service).url).toContain('https://new.example/hooks/');
	});

	test('checks the webhook in the second poll, even if the first could not read the logs', async () => {
		const trigger = new TestTrigger(service);
		await trigger.register();
		await fail({ path: '/v2/webhooks/logs' }, 503);
		await trigger.start();
		onlyWebhook(service).status = 'INACTIVE';
		await trigger.pass(PUBLICATION_MS);
		await trigger.pollInOutage();
		expect(onlyWebhook(service).status).toBe('ACTIVE');
	});

	test('trusts the secret of the webhook if the state has none', async () => {
		const trigger = await published();
		trigger.keep({ secretHash: undefined });
		await trigger.poll();
		expect(trigger.errors).toEqual([]);
	});

	test.each<[string, () => void, RegExp]>([
		['is gone', () => service.business.webhooks.clear(), /is no longer registered at the service/],
		[
			'has got another secret',
			() => {
				const webhook = onlyWebhook(service);
				webhook.url = webhook.url.replace(/secret=[0-9a-f]+/, `secret=${'0'.repeat(64)}`);
			},
			/The webhook has lost its secret/,
		],
	])('says what to do if the webhook %s, and changes nothing', async (_, change, words) => {
		const trigger = await published();
		const kept = trigger.kept;
		change();
		await trigger.poll();
		await trigger.poll();
		expect(trigger.errors).toHaveLength(1);
		expect(trigger.errors[0]).toMatch(words);
		expect(trigger.errors[0]).toMatch(/Unpublish the workflow, then publish it/);
		expect(writings(service)).toEqual(['POST']);
		expect(trigger.kept).toEqual(kept);

		// The hint works.
		await trigger.remove();
		await trigger.register();
		expect(all().filter(({ status }) => status === 'ACTIVE')).toHaveLength(1);
		await trigger.poll();
		expect(trigger.errors).toHaveLength(1);
	});
});

describe('polling while n8n publishes', () => {
	beforeEach(stopClock);
	afterEach(() => jest.useRealTimers());

	test('does not report a webhook as missing while it is being registered', async () => {
		const trigger = new TestTrigger(service);
		await isSlow({ method: 'POST', ...HOOK });
		const publication = trigger.register();
		await trigger.start();
		await trigger.poll();
		expect(all()).toEqual([]);
		expect(trigger.errors).toEqual([]);

		await jest.advanceTimersByTimeAsync(SECOND_MS);
		await publication;
		await trigger.poll();
		expect(all()).toHaveLength(1);
		expect(trigger.errors).toEqual([]);
	});

	test('does not report a secret as lost while it is being replaced', async () => {
		const trigger = new TestTrigger(service);
		await trigger.register();
		const webhook = onlyWebhook(service);
		webhook.url = webhook.url.replace(/secret=[0-9a-f]+/, `secret=${'0'.repeat(64)}`);
		jest.advanceTimersByTime(SECOND_MS);
		trigger.place.address = 'https://new.example/hooks/';
		await isSlow(ONE_HOOK);
		const publication = trigger.register();
		await trigger.start();
		await trigger.poll();
		expect(trigger.errors).toEqual([]);

		await jest.advanceTimersByTimeAsync(SECOND_MS);
		await publication;
		await trigger.poll();
		expect(trigger.errors).toEqual([]);
		expect(writings(service)).toEqual(['POST', 'PATCH']);
		expect(onlyWebhook(service).url).toContain('https://new.example/hooks/');
	});

	test('reports a missing webhook once a publication has failed', async () => {
		const trigger = new TestTrigger(service);
		await trigger.start();
		jest.advanceTimersByTime(89_999);
		await trigger.poll();
		expect(trigger.errors).toEqual([]);
		jest.advanceTimersByTime(1);
		await trigger.poll();
		expect(trigger.errors).toEqual([expect.stringContaining('is no longer registered')]);
	});

	test('reports a missing webhook although the clock was set back', async () => {
		const trigger = new TestTrigger(service);
		await trigger.start();
		jest.setSystemTime(Date.now() - 90_000);
		await trigger.poll();
		expect(trigger.errors).toEqual([expect.stringContaining('is no longer registered')]);
	});
});
