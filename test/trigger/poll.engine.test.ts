import { type INodeParameters } from 'n8n-workflow';

import { logLines } from '../engine/log';
import { CREDENTIAL_ID } from '../engine/runNode';
import { useService } from '../engine/service';
import { logged, onlyWebhook, stopClock, TestTrigger, writings } from './trigger';

const service = useService();

/** Another n8n with its own address. */
const ELSEWHERE = { instance: 'instance-2', address: 'http://other.example/' };
const LOGS = { path: '/v2/webhooks/logs' };
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

beforeEach(() => {
	stopClock();
	logLines.length = 0;
});
afterEach(() => jest.useRealTimers());

let trigger: TestTrigger;
let id = '';

/** A trigger with a registered webhook that does not poll yet. */
async function registered(parameters: INodeParameters = {}): Promise<void> {
	trigger = new TestTrigger(service, parameters);
	await trigger.register();
	({ id } = onlyWebhook(service));
}

/** A trigger that has polled once. */
async function published(parameters: INodeParameters = {}): Promise<void> {
	await registered(parameters);
	await trigger.start();
	// Until then, looks don't touch the webhook.
	jest.advanceTimersByTime(90_000);
}

const numbered = (count: number): string[] =>
	Array.from({ length: count }, (_, number) => `event ${number + 1}`);

/** Logs events that were not delivered, one a second. */
function missed(names: string[]): void {
	for (const [index, name] of names.entries()) {
		logged(service, id, { name, minutes: 1 + (names.length - index) / 60 });
	}
}

const delivered = (name: string, minutes = 0) =>
	logged(service, id, { name, minutes, status: 'SUCCESS' });

const fail = async (status: number, match = LOGS) =>
	await service.sandbox.admin.addFault({
		match,
		times: 'always',
		fault: { type: 'status', status },
	});

/** The message while the service answers 503. */
const AWAY =
	/^The trigger could not check for missed events\. The service could not .* \(status 503\).* Every poll tries again. This is reported once\.$/;

/** The requests for the delivery logs. */
const logRequests = () => service.sent().filter(({ path }) => path.endsWith('/logs'));

describe('the polling schedule', () => {
	test.each([
		['everyMinute', /^[1-5]?\d \* \* \* \* \*$/],
		['every5Minutes', /^[1-5]?\d \*\/5 \* \* \* \*$/],
		['every15Minutes', /^[1-5]?\d \*\/15 \* \* \* \*$/],
		['everyHour', /^([1-5]?\d) \1 \* \* \* \*$/],
	])('uses n8n’s cron trigger for %s', async (choice, expression) => {
		await published({ checkForMissedEvents: choice });
		expect(trigger.expressions).toEqual([expect.stringMatching(expression)]);
	});

	test('polls each trigger at its own second, the same after every start', async () => {
		const expressions = new Set<string>();
		for (let number = 0; number < 20; number++) {
			for (let start = 0; start < 2; start++) {
				trigger = new TestTrigger(service, {}, { nodeId: `node-${number}` });
				await trigger.start();
				expressions.add(trigger.expressions[0]);
				expect(expressions.size).toBeLessThanOrEqual(number + 1);
			}
		}
		expect(expressions.size).toBeGreaterThan(10);
	});

	test('neither schedules nor sends anything with Never', async () => {
		await registered({ checkForMissedEvents: 'never' });
		const before = service.sent().length;
		await trigger.start();
		expect(trigger.expressions).toEqual([]);
		expect(service.sent()).toHaveLength(before);
	});

	test('neither schedules nor sends anything while a person tests', async () => {
		await registered();
		const before = service.sent().length;
		await trigger.start('manual', 'manual');
		expect(trigger.expressions).toEqual([]);
		expect(service.sent()).toHaveLength(before);
	});
});

test('sends two requests in a poll that finds nothing, and starts no execution', async () => {
	await published();
	const before = service.sent().length;
	await trigger.poll();
	const paths = service.sent().map(({ path }) => path);
	expect(paths.slice(before)).toEqual([`/v2/webhooks/${id}`, '/v2/webhooks/logs']);
	expect(trigger.started).toEqual([]);
});

describe('undelivered events', () => {
	test('emits undelivered events once, the oldest first', async () => {
		await published();
		missed(numbered(3));
		await trigger.poll();
		expect(trigger.transactions).toEqual([['event 1', 'event 2', 'event 3']]);
		await trigger.poll();
		jest.advanceTimersByTime(2 * HOUR_MS);
		await trigger.poll();
		expect(trigger.started).toHaveLength(1);
	});

	test.each([
		['another n8n that exported the workflow', ELSEWHERE],
		['a removed node of the same name', { nodeId: 'another' }],
	])('ignores events of the webhook of %s', async (_, place) => {
		await registered();
		missed(['missed']);
		delivered('handled', 30);
		const before = { ...onlyWebhook(service) };
		const { kept } = trigger;
		trigger = new TestTrigger(
			service,
			{ events: ['completed_transaction', 'failed_transaction'] },
			{ ...trigger.place, ...place },
		);
		trigger.keep(kept);
		await trigger.start('init');
		// A poll may come before registration, even more than once: the registration is not known yet.
		await trigger.poll();
		expect(trigger.started).toEqual([]);
		expect(onlyWebhook(service)).toEqual(before);

		await trigger.register();
		expect(service.business.webhooks.get(id)).toEqual(before);
		({ id } = [...service.business.webhooks.values()][1]);
		missed(['own']);
		await trigger.poll();
		expect(trigger.transactions).toEqual([['own']]);
	});

	test('emits an event again if n8n could not start its execution', async () => {
		await published();
		missed(numbered(2));
		trigger.startError = new Error('the database is away');
		await trigger.poll();
		expect(trigger.started).toEqual([]);
		expect(logLines.join()).toContain('could not start an execution of "Trigger"');
		trigger.startError = undefined;
		await trigger.poll();
		expect(trigger.transactions).toEqual([['event 1', 'event 2']]);
	});

	test('emits an event again if a worker was killed before its execution began', async () => {
		await published();
		trigger.isQuick = false;
		missed(['event 1']);
		await trigger.poll();
		trigger.started[0].end({ status: 'error', data: { resultData: { runData: {} } } });
		await trigger.poll();
		expect(trigger.transactions).toEqual([['event 1'], ['event 1']]);

		const lastNodeExecuted = 'Handler';
		trigger.started[1].end({
			status: 'error',
			data: { resultData: { runData: {}, lastNodeExecuted } },
		});
		await trigger.poll();
		expect(trigger.transactions).toHaveLength(2);
	});

	test('starts another execution with the others if one has reported some', async () => {
		await published();
		trigger.isQuick = false;
		missed(['event 1']);
		await trigger.poll();
		const error = { context: { code: 'eventsUndecidable' } };
		const report = {
			status: 'error',
			data: { resultData: { runData: {}, lastNodeExecuted: 'Trigger', error } },
		};
		trigger.started[0].end(report);
		await trigger.untilIdle();
		expect(trigger.transactions).toEqual([['event 1'], ['event 1']]);
		trigger.started[1].end();
		await trigger.poll();
		expect(trigger.started).toHaveLength(2);
	});

	test('emits events although log entries have no date or one in the future', async () => {
		await published();
		logged(service, id, {
			name: 'future',
			createdAt: new Date(Date.now() + HOUR_MS / 2).toISOString(),
		});
		logged(service, id, { name: 'undated', createdAt: 'yesterday' });
		logged(service, id, { name: 'event 1' });
		await trigger.poll();
		expect(trigger.transactions.flat().sort()).toEqual(['event 1', 'future', 'undated']);
		logged(service, id, { name: 'event 2' });
		await trigger.poll();
		expect(trigger.started).toHaveLength(2);
		expect(trigger.transactions[1]).toEqual(['event 2']);
	});
});

describe('delivered events that n8n may have lost', () => {
	test('checks delivered events at the first poll, and again every hour', async () => {
		await registered();
		for (const [index, name] of numbered(3).entries()) delivered(name, 60 - index);
		await trigger.start();
		expect(trigger.transactions).toEqual([numbered(3)]);

		delivered('event 4');
		jest.advanceTimersByTime(30 * MINUTE_MS);
		await trigger.poll();
		expect(trigger.started).toHaveLength(1);

		jest.advanceTimersByTime(30 * MINUTE_MS);
		await trigger.poll();
		expect(trigger.transactions.slice(1)).toEqual([['event 4']]);
	});

	test('checks delivered events after an hour, even if the poll is slightly early', async () => {
		await published();
		await trigger.poll();
		delivered('a');
		jest.advanceTimersByTime(HOUR_MS - 20);
		await trigger.poll();
		expect(trigger.transactions).toEqual([['a']]);
	});

	test('checks delivered events every hour, although each poll finds failed ones', async () => {
		await published();
		await trigger.poll();
		delivered('lost on its way');
		for (let minutes = 0; minutes < 60; minutes += 5) {
			jest.advanceTimersByTime(5 * MINUTE_MS);
			missed([`missed after ${minutes}`]);
			await trigger.poll();
		}
		expect(trigger.transactions.flat()).toContain('lost on its way');
	});

	test('emits what a look finds in one execution', async () => {
		await published();
		jest.advanceTimersByTime(HOUR_MS);
		delivered('a', 24);
		delivered('b', 23);
		missed(['c', 'd']);
		await trigger.poll();
		const batches = trigger.started.map(({ items }) => [
			...new Set(items.map(({ json }) => json.partnerPaymentsEventId)),
		]);
		expect(batches.map((ids) => ids.length)).toEqual([1]);
	});
});

test('skips a poll while another one is reading', async () => {
	await published();
	const before = logRequests().length;
	trigger.beginPoll();
	trigger.beginPoll();
	await trigger.untilIdle();
	expect(logRequests()).toHaveLength(before + 1);
});

describe('Once for All New Events', () => {
	test('starts one execution for each poll, with all new events', async () => {
		await published({ startWorkflow: 'allNewEvents' });
		delivered('a', 2);
		missed(['b']);
		await trigger.poll();
		await trigger.poll();
		missed(['c']);
		delivered('d');
		await trigger.poll();
		expect(trigger.transactions).toEqual([
			['a', 'b'],
			['c', 'd'],
		]);
	});

	test('starts none with an event that a check missed while other entries left', async () => {
		await published({ startWorkflow: 'allNewEvents' });
		missed(['a', 'b']);
		await trigger.poll();
		const [entry] = service.business.logs.all();
		entry.webhookId = '5f0c6f6e-3b1d-4f7e-9a53-0c1d2e3f4a5b';
		await trigger.poll();
		entry.webhookId = id;
		await trigger.poll();
		expect(trigger.transactions).toEqual([['a', 'b']]);
	});
});

describe('the lookback window', () => {
	test.each([
		[168, {}],
		[2, { options: { lookbackHours: 2 } }],
		[168, { options: { lookbackHours: 0 } }],
	])('begins %d hours before the first look', async (hours, parameters) => {
		await registered(parameters);
		logged(service, id, { name: 'in', minutes: 60 * hours - 1 });
		logged(service, id, { name: 'out', minutes: 60 * hours + 1 });
		await trigger.start();
		expect(trigger.transactions).toEqual([['in']]);
	});

	test.each(['eachEvent', 'allNewEvents'])(
		'has events that n8n answered before it was down for longer than a day (%s)',
		async (startWorkflow) => {
			await published({ startWorkflow });
			delivered('answered');
			await trigger.end();
			jest.advanceTimersByTime(30 * HOUR_MS);
			await trigger.register('init');
			await trigger.start('init');
			expect(trigger.transactions).toEqual([['answered']]);
			const { json } = trigger.started[0].items[0];
			expect(json).toMatchObject({ wasHandled: true });
		},
	);

	test('is read later if the service was away at the start', async () => {
		await registered();
		logged(service, id, { name: 'missed', minutes: 30 * 60 });
		await fail(503);
		await trigger.start();
		await trigger.outlastOutage();
		await service.sandbox.admin.clearFaults();
		delivered('just now');
		await trigger.poll();
		await trigger.poll();
		expect(trigger.transactions).toEqual([['missed', 'just now']]);
	});
});

describe('problems', () => {
	test('reports each different problem', async () => {
		await published();
		await fail(503);
		await trigger.pollInOutage();
		await trigger.pollInOutage();
		await service.sandbox.admin.clearFaults();
		service.business.webhooks.clear();
		await trigger.pollInOutage();
		expect(trigger.errors).toHaveLength(2);
		expect(trigger.errors[1]).toContain('is no longer registered at the service');
	});

	test('reports a problem as soon as n8n can start an execution', async () => {
		await published();
		await fail(503);
		trigger.startError = new Error('the database is away');
		await trigger.pollInOutage();
		trigger.startError = undefined;
		await trigger.pollInOutage();
		await trigger.pollInOutage();
		expect(trigger.errors).toHaveLength(1);
	});

	test('emits events in spite of a problem', async () => {
		await published();
		service.business.webhooks.clear();
		missed(['event 1']);
		await trigger.pollInOutage();
		expect(trigger.transactions.flat()).toContain('event 1');
		expect(trigger.errors).toHaveLength(1);

		await fail(503);
		missed(['event 2']);
		await trigger.pollInOutage();
		await service.sandbox.admin.clearFaults();
		await trigger.pollInOutage();
		expect(trigger.transactions.flat()).toContain('event 2');
	});

	test('emits events although the webhook cannot be checked', async () => {
		await published();
		await fail(503, { path: '/v2/webhooks/*-*' });
		missed(['event 1']);
		await trigger.pollInOutage();
		expect(trigger.transactions.flat()).toContain('event 1');
		expect(trigger.errors).toEqual([]);
		await trigger.pollInOutage();
		expect(trigger.errors).toEqual([expect.stringMatching(AWAY)]);
	});

	test('reports a rejected login once', async () => {
		await published();
		service.credentials.save(CREDENTIAL_ID, { ...service.login, password: 'wrong' });
		await trigger.pass(MINUTE_MS);
		await trigger.poll();
		await trigger.poll();
		expect(trigger.errors).toEqual([
			expect.stringContaining('The trigger could not check for missed events'),
		]);
	});

	test('reports a rejected login once after n8n has started, and emits missed events when it works again', async () => {
		await published();
		await trigger.end();
		service.credentials.save(CREDENTIAL_ID, { ...service.login, password: 'wrong' });
		missed(['event 1']);
		await trigger.register('init');
		await trigger.start('init');
		for (let minute = 0; minute < 5; minute++) {
			await trigger.pass(MINUTE_MS);
			await trigger.poll();
		}
		expect(trigger.errors).toEqual([expect.stringMatching(/password/i)]);
		expect(trigger.transactions.flat()).not.toContain('event 1');

		service.credentials.save(CREDENTIAL_ID, service.login);
		for (let minute = 0; minute < 2; minute++) {
			await trigger.pass(MINUTE_MS);
			await trigger.poll();
		}
		expect(trigger.transactions.flat()).toContain('event 1');
		expect(trigger.errors).toHaveLength(1);
	});

	test('reports a deleted credential once', async () => {
		await published();
		trigger.chooseCredential('gone');
		await trigger.poll();
		await trigger.poll();
		expect(trigger.errors).toEqual([
			expect.stringContaining('The trigger could not check for missed events'),
		]);
	});

	test('reports nothing while the webhook is not yet registered', async () => {
		trigger = new TestTrigger(service);
		await trigger.start();
		expect(trigger.started).toEqual([]);
		await trigger.register();
		({ id } = onlyWebhook(service));
		missed(['event 1']);
		await trigger.poll();
		expect(trigger.transactions).toEqual([['event 1']]);
	});
});

describe('unpublishing', () => {
	test('stops polling', async () => {
		await published();
		trigger.isQuick = false;
		missed(numbered(25));
		await trigger.poll();
		await trigger.end();
		const before = service.sent().length;
		for (const { end } of trigger.started) end();
		await trigger.untilIdle();
		await jest.advanceTimersByTimeAsync(60_000);
		await trigger.poll();
		expect(trigger.started).toHaveLength(1);
		expect(service.sent()).toHaveLength(before);
	});

	test('reports no problem after unpublishing', async () => {
		await published();
		await fail(503);
		trigger.beginPoll();
		await trigger.end();
		await trigger.untilIdle();
		expect(trigger.errors).toEqual([]);
	});

	test('emits no events after unpublishing, even if a poll is reading', async () => {
		await published();
		missed(numbered(3));
		trigger.beginPoll();
		await trigger.end();
		await trigger.untilIdle();
		expect(trigger.started).toEqual([]);
	});
});

test('never writes the registration state in a poll', async () => {
	await registered();
	const { kept } = trigger;
	missed(numbered(3));
	delivered('event 4', 20);
	await trigger.start();
	jest.advanceTimersByTime(90_000);
	Object.assign(onlyWebhook(service), { status: 'INACTIVE', events: ['failed_transaction'] });
	await trigger.poll();
	await fail(503);
	await trigger.pollInOutage();
	await service.sandbox.admin.clearFaults();
	service.business.webhooks.clear();
	jest.advanceTimersByTime(2 * HOUR_MS);
	await trigger.poll();
	expect(trigger.kept).toEqual(kept);
	expect(writings(service)).toEqual(['POST', 'PATCH']);
});
