import { type INodeParameters } from 'n8n-workflow';

import { useService } from '../engine/service';
import { logged, names, onlyWebhook, stopClock, TestTrigger } from './trigger';

const service = useService();

const MINUTE_MS = 60_000;

beforeEach(stopClock);
afterEach(() => jest.useRealTimers());

let trigger: TestTrigger;
let id = '';

async function registered(parameters: INodeParameters = {}): Promise<void> {
	trigger = new TestTrigger(service, parameters);
	await trigger.register();
	({ id } = onlyWebhook(service));
}

const numbered = (count: number, name = 'event'): string[] =>
	Array.from({ length: count }, (_, number) => `${name} ${number + 1}`);

/** Logs undelivered events, one a second, the last one a minute ago. */
function missed(names: string[]): void {
	for (const [index, name] of names.entries()) {
		logged(service, id, { name, minutes: 1 + (names.length - index) / 60 });
	}
}

/** The requests for the logs since the last call, by status filter and page. */
function logRequests(): string[] {
	const all = service.sent().filter(({ path }) => path.endsWith('/logs'));
	service.sandbox.core.traffic.forgetRequests();
	return all.map(({ query }) => {
		const { status = 'all', page } = query as Record<string, string | undefined>;
		return `${status} ${page}`;
	});
}

/** Runs what was started as n8n does, and returns the references that the handler got by execution. */
async function handled(from = 0): Promise<unknown[][]> {
	const executions = [];
	for (const { items } of trigger.started.slice(from)) {
		const { json } = await trigger.execute(items);
		executions.push(names(json));
	}
	return executions;
}

/** Restarts n8n, and polls for a while. */
async function restart(): Promise<void> {
	await trigger.end();
	await trigger.register('init');
	await trigger.start('init');
	for (let poll = 0; poll < 5; poll++) {
		jest.advanceTimersByTime(5 * MINUTE_MS);
		await trigger.poll();
	}
}

describe('a service that accepts 60 requests a minute', () => {
	test('gives the trigger all of 9,000 log entries, 4,000 in each execution', async () => {
		await registered();
		for (let number = 0; number < 9_000; number++) {
			const minutes = 23 * 60 - number / 9;
			const status = number % 2_000 === 0 ? 'ERROR' : 'SUCCESS';
			logged(service, id, { name: `${number}`, minutes, status });
		}
		service.sandbox.core.change({ requestsPerMinute: 60 });
		trigger.isQuick = false;
		await trigger.start();
		expect(trigger.started).toEqual([]);
		await trigger.pass(5 * MINUTE_MS);

		const pages = logRequests();
		expect(new Set(pages).size).toBe(90);
		// A request is repeated for each time that the service made it wait.
		expect(pages.length - 90).toBeLessThanOrEqual(4);
		expect(trigger.started).toHaveLength(1);
		service.sandbox.core.change({ requestsPerMinute: null });
		for (let piece = 2; piece <= 3; piece++) {
			// An execution with a piece ends before the next one starts.
			trigger.started[piece - 2].end();
			await trigger.untilIdle();
			expect(trigger.started).toHaveLength(piece);
		}
		const all = trigger.transactions.flat();
		expect(all).toHaveLength(9_000);
		expect(new Set(all).size).toBe(9_000);
	}, 120_000);

	test('gives the trigger 10 missed events at a later check', async () => {
		await registered();
		for (let number = 0; number < 3_000; number++) {
			logged(service, id, { name: `${number}`, minutes: 23 * 60 - number / 3, status: 'SUCCESS' });
		}
		await trigger.start();
		service.sandbox.core.change({ requestsPerMinute: 60 });
		// Others use up what the service accepts.
		for (let number = 0; number < 60; number++) {
			await fetch(`${service.sandbox.baseUrl}/v2/wallets`);
		}
		missed(numbered(10));
		trigger.beginPoll();
		await trigger.pass(2 * MINUTE_MS);

		expect(trigger.transactions.flat()).toEqual(expect.arrayContaining(numbered(10)));
	}, 120_000);
});

describe('more undelivered events than a check covers', () => {
	const poll = async (times: number) => {
		for (let count = 0; count < times; count++) {
			jest.advanceTimersByTime(5 * MINUTE_MS);
			await trigger.poll();
		}
	};

	test('are handled once each if they are missed while the trigger runs, and not again after a restart', async () => {
		await registered();
		await trigger.start();
		missed(numbered(4_500));
		await poll(3);
		// One reports that no delivery has arrived for an hour.
		const executions = await handled();
		expect(executions.map(({ length }) => length)).toEqual([4_000, 0, 500]);
		expect(new Set(executions.flat()).size).toBe(4_500);

		await restart();
		expect((await handled(3)).flat()).toEqual([]);
	}, 120_000);

	test('are handled once each if n8n was down', async () => {
		await registered();
		await trigger.end();
		missed(numbered(6_000));
		await restart();
		// A full check comes every hour.
		await poll(20);
		const events = (await handled()).flat();
		expect(events).toHaveLength(6_000);
		expect(new Set(events).size).toBe(6_000);
	}, 120_000);
});

describe('600 events that were missed while the trigger runs', () => {
	beforeEach(async () => {
		await registered();
		await trigger.start();
		missed(numbered(600));
		await trigger.poll();
	});

	test('are handled once, and three restarts start three executions, which emit nothing', async () => {
		expect((await handled()).flat()).toEqual(numbered(600));
		for (let count = 1; count <= 3; count++) {
			await restart();
			expect(trigger.started).toHaveLength(1 + count);
		}
		expect(await handled(1)).toEqual([[], [], []]);
	});

	test('are each emitted again to a handler that failed at one of them, and to nobody else', async () => {
		const [{ items }] = trigger.started;
		await trigger.execute(items);
		await restart();
		expect(await handled(1)).toEqual([[]]);

		const { json } = await trigger.execute(items, 'retry');
		expect(names(json)).toEqual(numbered(600));
	});

	test('hide no later event', async () => {
		const { logs } = service.business;
		const rewrite = (from: number) => {
			const all = logs.all().sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
			logs.clear();
			for (const entry of all.slice(from)) logs.add(entry);
		};
		for (let number = 1; number <= 3; number++) {
			jest.advanceTimersByTime(5 * MINUTE_MS);
			// The service deletes an old entry at the same time.
			logged(service, id, { name: `new ${number}` });
			rewrite(1);
			await trigger.poll();
			expect(trigger.transactions.at(-1)).toEqual([`new ${number}`]);
			// The service may log an event late, far behind the newest.
			logged(service, id, { name: `late ${number}`, minutes: 25 });
			rewrite(0);
			await trigger.poll();
			expect(trigger.transactions.at(-1)).toEqual([`late ${number}`]);
		}
	});
});

test('new events that come with known ones at a restart are emitted without these', async () => {
	await registered();
	await trigger.start();
	missed(numbered(50));
	await trigger.poll();
	await handled();
	await trigger.end();
	missed(numbered(70));
	const before = trigger.started.length;
	await restart();
	expect(await handled(before)).toEqual([numbered(70).slice(50)]);
});
