import type { INodeParameters } from 'n8n-workflow';

import type { Fault } from '../../sandbox/faults';
import { seed } from '../../sandbox/seed';
import { useService } from '../engine/service';
import { logged, onlyWebhook, stopClock, TestTrigger, untilDone } from '../trigger/trigger';

const service = useService();

const LOGS = { path: '/v2/webhooks/logs' };

beforeEach(stopClock);
afterEach(() => jest.useRealTimers());

/** The second page fails so often. The pauses are then 0.5, 1.5, 4 and six times 20 seconds. */
const TIMES = 9;
const OUTAGE_MS = 126_000;

const FAULTS: Array<[string, Fault]> = [
	['answers 503', { type: 'status', status: 503 }],
	['breaks connections', { type: 'reset' }],
	['cuts off its answers', { type: 'truncate' }],
	['is replaced by the page of a proxy', { type: 'html', status: 200 }],
];

const failAtSecondPage = async (fault: Fault) =>
	await service.sandbox.admin.addFault({ match: LOGS, skip: 1, times: TIMES, fault });

/** The pages that were requested, in order. */
const pages = () =>
	service
		.sent()
		.filter(({ path }) => path === LOGS.path)
		.map(({ query }) => Number((query as { page: string }).page));

const SECOND = Array.from({ length: TIMES + 1 }, () => 2);

const OPERATIONS: Array<[string, INodeParameters, number]> = [
	['Get Status', { resource: 'transaction', operation: 'getStatus' }, 1],
	[
		'Transaction > Get Many',
		{ resource: 'transaction', operation: 'getAll', returnAll: true },
		250,
	],
	['Webhook Log > Get Many', { resource: 'webhookLog', operation: 'getAll', returnAll: true }, 250],
	[
		'Replay Events',
		{ resource: 'webhookLog', operation: 'replay', from: '2020-01-01T00:00:00Z' },
		250,
	],
];

// One reader serves all of them: each meets one fault, and the trigger each.
test.each(
	OPERATIONS.map(([name, parameters, count], index) => ({
		name,
		parameters,
		count,
		broken: FAULTS[index][0],
		fault: FAULTS[index][1],
	})),
)('$name goes on at its page if the service $broken for two minutes', async (one) => {
	seed(service.business, { webhookLogs: 250 });
	await failAtSecondPage(one.fault);
	const startedAt = Date.now();

	const { json, error } = await untilDone(
		service.run(one.parameters, { items: [{ reference: 'seeded-1' }] }),
		20,
	);

	expect(error).toBeUndefined();
	expect(json).toHaveLength(one.count);
	expect(pages()).toEqual([1, ...SECOND, 3]);
	expect(Date.now() - startedAt).toBeGreaterThanOrEqual(OUTAGE_MS);
});

test.each(FAULTS)(
	'a check for missed events goes on at its page, without an alarm, if the service %s for two minutes',
	async (_, fault) => {
		const trigger = new TestTrigger(service);
		await trigger.register();
		const { id } = onlyWebhook(service);
		for (let number = 1; number <= 250; number++) {
			logged(service, id, { name: `missed ${number}`, minutes: 300 - number });
		}
		await failAtSecondPage(fault);
		await trigger.start();
		await trigger.pass(OUTAGE_MS + 60_000);

		expect(pages()).toEqual([1, ...SECOND, 3]);
		expect(trigger.transactions).toHaveLength(1);
		expect(trigger.transactions[0]).toHaveLength(250);
		expect(trigger.errors).toEqual([]);
	},
);
