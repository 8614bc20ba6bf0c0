import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventKey, startCollector } from '../harness/collector.mjs';
import { useStage } from './support.mjs';
import {
	drain,
	eventsOf,
	eventWorkflow,
	publish,
	send,
	finishedExecutions,
	startAgain,
	unpublish,
	until,
	withdrawal,
} from './trigger-support.mjs';

const EVENTS = 150;
const PAUSE_MS = 40;

const stage = useStage('trigger-crash', { sandboxArgs: ['--state-clock', '0'] });
let collector;

before(async () => {
	collector = await startCollector();
});
after(() => collector?.close());

describe('an n8n that is killed while it handles events', () => {
	it('handles every event at least once, with a retry of the executions that crashed', async (context) => {
		await stage.sandbox.change({ deliveryRetries: 1, deliveryRetryDelaysMs: [1] });
		const { id } = await stage.n8n.createWorkflow(
			eventWorkflow(stage, collector, { trigger: { checkForMissedEvents: 'everyMinute' } }),
		);
		await publish(stage.n8n, id);
		// The first poll that knows the webhook emits all events in one execution: it has to come before them.
		await unpublish(stage.n8n, id);
		await publish(stage.n8n, id);
		await until(async () => {
			const reads = await stage.sandbox.requests({ path: '/v2/webhooks/logs' });
			return reads.some(({ status }) => status === 200);
		}, 'the first poll is over');

		// Events arrive at a steady rate before, during and after the outage of n8n.
		const events = Array.from({ length: EVENTS }, () => withdrawal());
		const flowing = (async () => {
			for (const event of events) {
				await send(stage, event);
				await sleep(PAUSE_MS);
			}
		})();
		await collector.distinct(EVENTS / 5);
		await stage.n8n.kill('SIGKILL');
		await stage.n8n.whenEnded;
		const atKill = collector.counts.size;
		const since = new Date().toISOString();
		await startAgain(stage);
		await flowing;
		await drain(stage);

		// The missing events were in flight at the kill. n8n lists exactly these as crashed.
		const missing = () => events.map(eventKey).filter((key) => !collector.counts.has(key));
		const crashed = await until(async () => {
			// n8n recovers the executions in flight some time after its start.
			const executions = await finishedExecutions(stage.n8n, id, { since });
			const found = await Promise.all(
				executions
					.filter(({ status }) => status === 'crashed')
					.map(async (execution) => ({
						id: execution.id,
						keys: await eventsOf(stage.n8n, execution.id),
					})),
			);
			const begun = new Set(found.flatMap(({ keys }) => keys));
			return missing().every((key) => begun.has(key)) && found;
		}, 'only events in flight are missing');

		// All are retried except those killed after the handler was done, which a person
		// sees in the handler's records.
		const left = new Set(missing());
		const unhandled = crashed.filter(({ keys }) => keys.some((key) => left.has(key)));
		for (const execution of unhandled) {
			const { status } = await stage.n8n.retryExecution(execution.id);
			assert.equal(status, 'success');
		}
		await collector.distinct(EVENTS);
		await finishedExecutions(stage.n8n, id, { since });

		assert.deepEqual(
			[...collector.counts.keys()].sort(),
			events.map(eventKey).sort(),
			'exactly these events',
		);
		assert.deepEqual(collector.repeated, []);
		context.diagnostic(
			`${EVENTS} events: ${atKill} handled before the kill, ${EVENTS - atKill - left.size} after it, ` +
				`${left.size} by retrying ${unhandled.length} of ${crashed.length} crashed executions; 0 lost, 0 twice`,
		);
	});
});
