import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventKey, startCollector } from '../harness/collector.mjs';
import { useStage } from './support.mjs';
import {
	drain,
	eventWorkflow,
	publish,
	RECOVER,
	send,
	settledExecutions,
	startAgain,
	TRIGGER,
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

describe('n8n that is killed while events flow', () => {
	it('has processed every event once, by trigger, recovery and the retry of what it calls crashed', async (context) => {
		await stage.sandbox.change({ deliveryRetries: 1, deliveryRetryDelaysMs: [1] });
		const { id } = await stage.n8n.createWorkflow(eventWorkflow(stage, collector, { recover: {} }));
		await publish(stage.n8n, id);

		// They flow at a steady pace, before, while and after n8n is gone.
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
		await startAgain(stage);
		await flowing;
		await drain(stage);
		// n8n looks after the executions that were under way by itself, some time after its start.
		const ended = await settledExecutions(stage.n8n, id);

		const handled = new Set(collector.counts.keys());

		const recovery = await stage.n8n.runWorkflow(id, { timeoutMs: 120_000 });
		assert.equal(recovery.status, 'success', recovery.error?.message);

		// What is missing now was under way at the kill. n8n lists it, and only that, as crashed.
		const crashed = await Promise.all(
			ended
				.filter(({ status }) => status === 'crashed')
				.map(async (execution) => ({ id: execution.id, key: await eventOf(execution.id) })),
		);
		const missing = events.map(eventKey).filter((key) => !collector.counts.has(key));
		assert.deepEqual(
			missing.filter((key) => !crashed.some((execution) => execution.key === key)),
			[],
			'missing, and not among the crashed',
		);

		// All of them are retried, but for those that were killed after the handler had done its work, which a person
		// sees in the handler's own records. What recovery has given out meanwhile is not given out again.
		const unhandled = crashed.filter(({ key }) => !handled.has(key));
		await Promise.all(
			unhandled.map(async (execution) => {
				const { status } = await stage.n8n.retryExecution(execution.id);
				assert.equal(status, 'success');
			}),
		);
		await until(() => collector.counts.size === EVENTS, 'all events were processed');

		assert.deepEqual(
			[...collector.counts.keys()].sort(),
			events.map(eventKey).sort(),
			'exactly these events',
		);
		assert.deepEqual(collector.repeated, []);
		context.diagnostic(
			`${EVENTS} events: ${handled.size} handled at first, ${recovery.json(RECOVER).length} recovered, ` +
				`${missing.length} by retrying ${unhandled.length} of ${crashed.length} crashed executions; 0 lost, 0 twice`,
		);
	});
});

/** The event that an execution began with, as n8n stored it before anything ran. */
async function eventOf(executionId) {
	const { data } = await stage.n8n.getExecution(executionId);
	const { node, data: input } = data.executionData.nodeExecutionStack[0];
	assert.equal(node.name, TRIGGER);
	return eventKey(input.main[0][0].json.payload);
}
