import { type IDataObject, type INodeParameters } from 'n8n-workflow';

import { CONDITIONS } from '../../nodes/PartnerPaymentsTrigger/alarms';
import { isObject } from '../../nodes/service/json';
import { useService } from '../engine/service';
import { logged, onlyWebhook, stopClock, TestTrigger, writings } from './trigger';

const service = useService();

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const LIST = { method: 'GET', path: '/v2/webhooks' };
const ONE = { method: 'GET', path: '/v2/webhooks/*-*' };
const LOGS = { method: 'GET', path: '/v2/webhooks/logs' };

beforeEach(stopClock);
afterEach(() => jest.useRealTimers());

let trigger: TestTrigger;
let id = '';

/** A trigger that has polled once, five minutes ago. */
async function published(parameters: INodeParameters = {}, address?: string): Promise<void> {
	trigger = new TestTrigger(service, parameters, address === undefined ? {} : { address });
	await trigger.register();
	({ id } = onlyWebhook(service));
	await trigger.start();
	jest.advanceTimersByTime(5 * MINUTE_MS);
}

const fault = async (match: object, what: object, times: number | 'always' = 'always') =>
	await service.sandbox.admin.addFault({ match, times, fault: what } as never);

/** Removes the event from the newest entry of the log. */
const withoutEvent = (changes = {}) =>
	Object.assign(service.business.logs.all().at(-1) ?? {}, { payload: null, ...changes });

/** Polls every five minutes. */
async function polls(count: number): Promise<void> {
	for (let number = 0; number < count; number++) {
		await trigger.pollInOutage();
		jest.advanceTimersByTime(150_000);
	}
}

const failed = (name: string, statusCode: number | null, minutes = 1) =>
	logged(service, id, { name, minutes, statusCode: statusCode as number });

const delivered = (name: string, minutes = 0.5) =>
	logged(service, id, { name, minutes, status: 'SUCCESS' });

describe('a check that fails', () => {
	test.each([502, 503, 429])('reports nothing if one request gets %d', async (status) => {
		for (const match of [LIST, LOGS]) {
			await published();
			await fault(match, { type: 'status', status }, 1);
			failed('missed', 503);
			await trigger.pollInOutage();
			expect(trigger.errors).toEqual([]);
			expect(trigger.transactions).toEqual([['missed']]);
			service.renew();
		}
	});

	test.each([502, 429])('reports nothing if one repair or login gets %d', async (status) => {
		for (const match of [{ method: 'PATCH' }, { path: '/v2/auth/login' }]) {
			await published();
			await service.sandbox.admin.revokeTokens();
			onlyWebhook(service).status = 'INACTIVE';
			await fault(match, { type: 'status', status }, 1);
			failed('missed', 503);
			await trigger.pollInOutage();
			await polls(1);
			expect(trigger.errors).toEqual([]);
			expect(trigger.transactions).toEqual([['missed']]);
			expect(onlyWebhook(service).status).toBe('ACTIVE');
			service.renew();
		}
	});

	test('sends few requests to a service that asks to wait for two hours, and reports it once', async () => {
		await published();
		service.sandbox.core.traffic.forgetRequests();
		await fault({}, { type: 'status', status: 429, retryAfter: 7_200 });
		await polls(3);
		// The list of webhooks, and the logs.
		expect(service.sent()).toHaveLength(3 * 2);
		expect(trigger.errors).toEqual([expect.stringMatching(/could not check for missed events/)]);

		await service.sandbox.admin.clearFaults();
		failed('missed', 503);
		await polls(1);
		expect(trigger.transactions.slice(1)).toEqual([['missed']]);
		expect(trigger.errors).toHaveLength(1);
	});
});

test('an outage that was reported does not hide that the service then rejects the login', async () => {
	await published();
	await service.sandbox.admin.revokeTokens();
	await fault({}, { type: 'status', status: 503 });
	await polls(3);
	await service.sandbox.admin.clearFaults();
	await fault({ path: '/v2/auth/login' }, { type: 'status', status: 401 });
	await polls(3);
	expect(trigger.errors).toEqual([
		expect.stringMatching(/could not check for missed events/),
		expect.stringMatching(/does not accept this email and password/),
	]);
});

describe('a log entry without an event', () => {
	const UNREADABLE = [expect.stringMatching(/^Log entries have no event that can be read, .*: 1/)];

	test.each([
		['SUCCESS', 'allNewEvents', UNREADABLE],
		['SUCCESS', 'eachEvent', []],
		['FAILED', 'allNewEvents', UNREADABLE],
		['FAILED', 'eachEvent', UNREADABLE],
	])(
		'is reported unless its delivery has started the workflow: %s, %s',
		async (status, startWorkflow, errors) => {
			await published({ startWorkflow });
			delivered('event', 1);
			withoutEvent({ status });
			// A full check comes every hour.
			await polls(12);
			expect(trigger.errors).toEqual(errors);
		},
	);
});

describe('deliveries that never arrive', () => {
	test.each([
		['right', 10],
		['two hours fast', -50],
	])(
		'are not reported for events from before the trigger started, if the service’s clock is %s',
		async (_, minutes) => {
			trigger = new TestTrigger(service);
			await trigger.register();
			({ id } = onlyWebhook(service));
			for (let number = 0; number < 6; number++) failed(`event ${number}`, null, minutes);
			jest.advanceTimersByTime(10 * MINUTE_MS);
			await trigger.start();
			await polls(2);
			expect(trigger.errors).toEqual([]);
			for (let number = 6; number < 9; number++) {
				failed(`event ${number}`, null, minutes - 1);
				jest.advanceTimersByTime(31 * MINUTE_MS);
				await polls(2);
			}
			expect(trigger.errors).toEqual([
				expect.stringMatching(/Deliveries do not arrive.* no answer/),
			]);
		},
	);
});

/** The codes of the alarms so far. */
const raised = () =>
	trigger.started.flatMap(({ items }) =>
		items.flatMap(({ json: { partnerPaymentsAlarm: alarm } }) =>
			isObject(alarm) ? [alarm.code] : [],
		),
	);

/** The service shows the webhook otherwise than it was registered. */
async function shows(change: (webhook: IDataObject) => void): Promise<void> {
	await service.sandbox.admin.clearFaults();
	const { url: callbalckUrl, description, status, events } = onlyWebhook(service);
	const shown = { id, callbalckUrl, description, status, events: { transaction: events } };
	change(shown);
	await fault(LIST, { type: 'json', body: [shown] });
	await fault(ONE, { type: 'json', body: shown });
}

const inAddress = (pattern: RegExp, text: string) => (webhook: IDataObject) => {
	webhook.callbalckUrl = String(webhook.callbalckUrl).replace(pattern, text);
};

describe('a webhook that the service shows otherwise', () => {
	test.each<[string, (webhook: IDataObject) => void]>([
		['another description', (webhook) => (webhook.description = 'Mine')],
		['the status in lower case', (webhook) => (webhook.status = 'active')],
		['a slash at the end of the path', inAddress(/\?/, '/?')],
		[
			'the events in capitals',
			(webhook) => (webhook.events = { transaction: ['COMPLETED_TRANSACTION'] }),
		],
	])('is neither changed nor reported: %s', async (_, change) => {
		await published();
		await shows(change);
		await polls(3);
		expect(writings(service)).toEqual(['POST']);
		expect(trigger.errors).toEqual([]);
	});

	test('is repaired once an hour, and the second time in a row is reported: somebody else changes it', async () => {
		await published();
		const hour = async () => {
			await polls(3);
			jest.advanceTimersByTime(HOUR_MS);
		};
		await shows((webhook) => (webhook.status = 'SUSPENDED'));
		await hour();
		expect(writings(service)).toEqual(['POST', 'PATCH']);
		expect(trigger.errors).toEqual([]);
		await hour();
		expect(writings(service)).toEqual(['POST', 'PATCH', 'PATCH']);
		expect(trigger.errors).toEqual([expect.stringMatching(/changed again .*repaired it: status/)]);
	});

	test.each<[string, boolean, IDataObject]>([
		['is not repaired', false, { status: 'ENABLED' }],
		['is repaired if it lacks an event', true, { events: { transaction: [] } }],
	])('%s while deliveries arrive', async (_, isRepaired, changes) => {
		await published({ startWorkflow: 'allNewEvents' });
		await shows((webhook) => Object.assign(webhook, changes));
		await polls(1);
		expect(writings(service)).toEqual(['POST', 'PATCH']);
		for (let time = 0; time < 6; time++) {
			delivered(`event ${time}`);
			await polls(2);
			jest.advanceTimersByTime(HOUR_MS / 2);
		}
		const patches = writings(service).filter((method) => method === 'PATCH');
		expect(patches.length > 1).toBe(isRepaired);
	});

	test('is reported before any delivery if it shows another secret', async () => {
		await published();
		await shows(inAddress(/secret=\w+/, `secret=${'0'.repeat(64)}`));
		await polls(3);
		expect(writings(service)).toEqual(['POST']);
		expect(trigger.errors).toEqual([expect.stringContaining('has lost its secret')]);
	});
});

describe('entries of the logs', () => {
	test.each([404, 401])(
		'are not taken for new attempts, at any start, if they have no date: status %d',
		async (statusCode) => {
			await published();
			for (let number = 0; number < 3; number++) failed(`event ${number}`, statusCode);
			for (const entry of service.business.logs.all()) {
				Object.assign(entry, { createdAt: null, updatedAt: null });
			}
			await polls(2);
			for (let restart = 0; restart < 3; restart++) {
				await trigger.end();
				await trigger.start();
				await polls(2);
			}
			expect(trigger.errors).toEqual([]);
			expect(trigger.transactions.flat()).toEqual(
				expect.arrayContaining(['event 0', 'event 1', 'event 2']),
			);
		},
	);
});

describe('what several triggers have in common', () => {
	const polled = async (triggers: TestTrigger[]) => {
		for (const one of triggers) await one.pollInOutage();
		jest.advanceTimersByTime(5 * MINUTE_MS);
	};

	test('five triggers of an account whose login is rejected log in once an hour, and one reports it', async () => {
		const triggers = Array.from({ length: 5 }, () => new TestTrigger(service));
		for (const one of triggers) {
			await one.register();
			await one.start();
		}
		await service.sandbox.admin.revokeTokens();
		await fault({ path: '/v2/auth/login' }, { type: 'status', status: 401 });
		const requests = () => service.sandbox.core.traffic.requests();
		const before = requests().length;
		const logins = () =>
			requests()
				.slice(before)
				.filter(({ path }) => path.endsWith('/login')).length;
		for (let check = 0; check < 3; check++) await polled(triggers);
		expect(logins()).toBe(1);
		const errors = () => triggers.flatMap((one) => one.errors);
		expect(errors()).toEqual([expect.stringMatching(/does not accept this email and password/)]);

		jest.advanceTimersByTime(HOUR_MS);
		for (let check = 0; check < 3; check++) await polled(triggers);
		expect(logins()).toBe(2);
		expect(errors()).toHaveLength(1);

		// The one that has reported it ends, so another one does.
		await triggers.shift()?.end();
		await polled(triggers);
		expect(errors()).toEqual([expect.stringMatching(/does not accept this email and password/)]);
	});

	test('a restored copy of n8n and the original change the webhook once an hour each, and both report the other', async () => {
		const original = new TestTrigger(service);
		await original.register();
		await original.start();
		const copy = new TestTrigger(
			service,
			{},
			{ ...original.place, address: 'http://copy.example/' },
		);
		copy.keep(original.kept);
		await copy.register('init');
		await copy.start('init');
		const registered = writings(service).length;
		for (let hour = 1; hour <= 3; hour++) {
			for (let check = 0; check < 6; check++) await polled([original, copy]);
			expect(writings(service).length - registered).toBeLessThanOrEqual(2 * hour);
		}
		for (const one of [original, copy])
			expect(one.errors).toEqual([
				expect.stringMatching(/another n8n with a copy of this workflow/),
			]);
		expect(service.business.webhooks.size).toBe(1);
	}, 60_000);
});

test('a PATCH that is rejected with a 405 is reported once, without advice on payments, and tried once an hour', async () => {
	await published();
	onlyWebhook(service).status = 'INACTIVE';
	await fault({ method: 'PATCH' }, { type: 'status', status: 405 });
	await polls(3);
	expect(writings(service)).toEqual(['POST', 'PATCH']);
	expect(trigger.errors).toEqual([
		expect.stringContaining(
			'Nothing was created. Correct the value that the service names and try again.',
		),
	]);
	expect(trigger.errors[0]).not.toContain('reference');
	jest.advanceTimersByTime(HOUR_MS);
	await polls(3);
	expect(writings(service)).toEqual(['POST', 'PATCH', 'PATCH']);
	expect(trigger.errors).toHaveLength(1);
});

test('a service that lists only some webhooks gets no second one', async () => {
	await published();
	await fault(LIST, { type: 'json', body: [] });
	await polls(2);
	await trigger.register();
	expect(trigger.errors).toEqual([]);
	expect(service.business.webhooks.size).toBe(1);
});

test('two problems at the same time are reported once each', async () => {
	await published({ startWorkflow: 'allNewEvents' });
	service.business.webhooks.clear();
	for (const name of ['a', 'b', 'c']) failed(name, 401);
	await polls(4);
	expect(trigger.errors).toHaveLength(2);
});

type Condition = keyof typeof CONDITIONS;

interface Case {
	parameters?: INodeParameters;
	address?: string;
	begin: () => Promise<unknown> | void;
	end: () => Promise<void> | void;
}

const clearFaults = async () => await service.sandbox.admin.clearFaults();

const clearLogs = () => service.business.logs.clear();

let names = 0;

/** Three events with this answer, in more than an hour. */
const failures = (statusCode: number) => {
	for (const minutes of [63, 32, 1]) failed(`event ${++names}`, statusCode, minutes);
};

const undeliverable = (statusCode: number): Pick<Case, 'begin' | 'end'> => ({
	begin: () => failures(statusCode),
	end: () => {
		delivered(`event ${++names}`, 0);
		// For an hour after a delivery, n8n may be overloaded.
		jest.advanceTimersByTime(HOUR_MS);
	},
});

const CASES: Record<Condition, Case> = {
	outage: {
		begin: async () => await fault(LOGS, { type: 'status', status: 503 }),
		end: clearFaults,
	},
	rejection: {
		begin: async () => await fault(LOGS, { type: 'status', status: 403 }),
		end: clearFaults,
	},
	registration: {
		begin: async () => {
			await fault(LIST, { type: 'json', body: [] });
			await fault(ONE, { type: 'status', status: 404 });
		},
		end: clearFaults,
	},
	deliveriesRejected: undeliverable(401),
	deliveriesDoNotArrive: undeliverable(404),
	unreadable: {
		begin: () => {
			failed(`event ${++names}`, 503);
			withoutEvent();
		},
		// A full look ends it.
		end: () => {
			clearLogs();
			jest.advanceTimersByTime(HOUR_MS);
		},
	},
};

test.each(Object.entries(CASES) as Array<[Condition, Case]>)(
	'the alarm “%s” is raised once, and again only after it has ended',
	async (condition, { parameters, address, begin, end }) => {
		await published({ startWorkflow: 'allNewEvents', ...parameters }, address);
		for (const count of [1, 2]) {
			await begin();
			await polls(3);
			expect(raised()).toHaveLength(count);
			await end();
			await polls(2);
			expect(raised()).toHaveLength(count);
		}
		expect(CONDITIONS[condition]).toEqual(expect.arrayContaining([...new Set(raised())]));
	},
	120_000,
);
