import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { chainOf } from './batch-support.mjs';
import { executionsByWorker, useQueueStage } from './queue-support.mjs';
import { CREDENTIAL_TYPE, NODE_TYPE, useStage } from './support.mjs';
import { drain, registerForLogs, restart, send, until, withdrawal } from './trigger-support.mjs';

const GET_STATUS = 'Get Status';
const WAIT = 'Wait';
const DONE = 'Done';

/** n8n keeps an execution in memory that waits less than 65 seconds (`Wait.node.js` of n8n-nodes-base). */
const WAIT_SECONDS = 66;

/** The loop of docs/reference/operations.md. */
function loopOf(stage, rows) {
	const credentials = {
		[CREDENTIAL_TYPE]: { id: stage.credential.id, name: stage.credential.name },
	};
	const condition = {
		id: randomUUID(),
		leftValue: '={{ $json.mayBecomeFinal !== false && $runIndex < 3 }}',
		rightValue: '',
		operator: { type: 'boolean', operation: 'true', singleValue: true },
	};
	const options = { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 };
	const workflow = chainOf(
		[
			{
				name: GET_STATUS,
				type: NODE_TYPE,
				typeVersion: 1,
				parameters: { resource: 'transaction', operation: 'getStatus', findBy: 'input' },
				credentials,
			},
			{
				name: 'If',
				type: 'n8n-nodes-base.if',
				typeVersion: 2.2,
				parameters: { conditions: { options, combinator: 'and', conditions: [condition] } },
			},
			{
				name: WAIT,
				type: 'n8n-nodes-base.wait',
				typeVersion: 1.1,
				parameters: { amount: WAIT_SECONDS, unit: 'seconds' },
				webhookId: randomUUID(),
			},
			{ name: DONE, type: 'n8n-nodes-base.noOp', typeVersion: 1, parameters: {} },
		],
		{ rows },
	);
	const to = (node) => [{ node, type: 'main', index: 0 }];
	const connections = {
		...workflow.connections,
		If: { main: [to(WAIT), to(DONE)] },
		[WAIT]: { main: [to(GET_STATUS)] },
	};
	return { ...workflow, connections };
}

/** Runs the loop over two payments, and lets something happen to n8n while it waits. */
async function runLoop(stage, happen) {
	await stage.sandbox.change({ deliveryRetries: 0 });
	await registerForLogs(stage);
	const references = ['A', 'B'];
	const events = references.map((externalReference) => withdrawal({ externalReference }));
	for (const event of events) await send(stage, { ...event, status: 'processing_transaction' });
	await drain(stage);

	const rows = references.map((reference) => ({ reference }));
	const { id } = await stage.n8n.createWorkflow(loopOf(stage, rows));
	const executionId = await stage.n8n.startWorkflow(id);
	await until(async () => {
		const [{ status }] = await stage.n8n.listExecutions(id);
		return status === 'waiting';
	}, 'the execution waits');
	// First: what happens to n8n may take longer than the wait.
	for (const event of events) await send(stage, event);
	await drain(stage);
	await happen();

	const execution = await stage.n8n.waitForExecution(executionId);
	assert.equal(execution.status, 'success', execution.error?.message);
	assert.deepEqual(
		execution.runs(GET_STATUS).map(({ data }) => data.main[0].map(({ json }) => json.allFinal)),
		[
			[false, false],
			[true, true],
		],
	);
	assert.deepEqual(
		execution.items(DONE).map(({ json }) => [json.reference, json.status]),
		references.map((reference) => [reference, 'completed_transaction']),
	);
	return executionId;
}

describe('a loop of Get Status and Wait', () => {
	const stage = useStage('status-loop', { sandboxArgs: ['--state-clock', '0'] });

	it('ends with all final statuses although n8n restarts while it waits', async () => {
		await runLoop(stage, async () => await restart(stage));
	});
});

describe('a loop of Get Status and Wait in queue mode', () => {
	const use = useQueueStage('status-loop-queue', { sandboxArgs: ['--state-clock', '0'] });

	it('holds no worker, so it ends although all workers and main are killed while it waits', async () => {
		const { stage } = use;
		const id = await runLoop(stage, async () => {
			for (const worker of stage.workers) await worker.kill();
			await stage.main.kill();
			await stage.revive();
		});
		assert.ok(executionsByWorker(stage).some((ran) => ran.has(id)));
	});
});
