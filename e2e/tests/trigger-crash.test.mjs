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
		const beforeTheKill = collector.counts.size;
		await startAgain(stage);
		await flowing;
		await drain(stage);
		// n8n looks after the executions that were under way by itself, some time after its start.
		const ended = await settledExecutions(stage.n8n, id);

		const recovery = await stage.n8n.runWorkflow(id, { timeoutMs: 120_000 });
		assert.equal(recovery.status, 'success', recovery.error?.message);
		const afterRecovery = collector.counts.size;

		// What is missing now was under way at the kill. n8n lists it, and only that, as crashed.
		const crashed = ended.filter(({ status }) => status === 'crashed');
		assert.ok(EVENTS - afterRecovery <= crashed.length, 'an event is missing that did not crash');
		for (const execution of crashed) {
			if (collector.counts.size === EVENTS) break;
			await stage.n8n.retryExecution(execution.id);
		}
		await until(() => collector.counts.size === EVENTS, 'all events were processed');

		assert.deepEqual(
			[...collector.counts.keys()].sort(),
			events.map(eventKey).sort(),
			'exactly these events',
		);
		assert.deepEqual(collector.repeated, []);
		context.diagnostic(
			`${EVENTS} events: ${beforeTheKill} before the kill, ${recovery.json(RECOVER).length} recovered, ${EVENTS - afterRecovery} by retry of ${crashed.length} crashed executions, 0 lost, 0 twice`,
		);
	});
});
