import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import {
	all,
	assertAccounted,
	bankRows,
	chainOf,
	evidence,
	figures,
	NEVER_ANSWERED,
	outcomes,
	payRows,
	referenceOf,
	references,
	reported,
	injectFault,
} from './batch-support.mjs';
import { NODE, useStage } from './support.mjs';
import { until } from './trigger-support.mjs';

const stage = useStage('batch', { sandboxArgs: ['--state-clock', '0'] });

beforeEach(async () => {
	await stage.sandbox.reset();
	// The service accepts duplicates, so that only the node can prevent them.
	await stage.sandbox.change({ duplicateReferences: 'accept' });
});

async function create(workflow) {
	return (await stage.n8n.createWorkflow(workflow)).id;
}

describe('a batch that is stopped in a real n8n', () => {
	/** The rows that were answered, those in flight, and those that were not sent. */
	const KNOWN_AGAIN = [...all(5, 'alreadySent'), ...all(3, 'unknown'), ...all(4)];

	/** Stops an execution of twelve rows while three requests wait for the sandbox. */
	async function stopMidway(settings = {}) {
		for (const number of [5, 6, 7]) await injectFault(stage, referenceOf(number), NEVER_ANSWERED);
		const node = payRows(stage, { options: { concurrency: 3 } });
		const workflowId = await create(chainOf([node], { rows: bankRows(12), settings }));
		const logged = stage.n8n.logs().length;
		const id = await stage.n8n.startWorkflow(workflowId);
		await until(
			async () => (await evidence(stage)).created.includes(referenceOf(7)),
			'three payments are in flight',
		);
		await stage.n8n.stopExecution(id);
		// The node logs its end. No row is sent after that.
		const report = await until(() => {
			const log = stage.n8n.logs().slice(logged);
			const isLogged = references(8).every((one) => lineOf(log, one));
			return log.includes('the execution was cancelled') && isLogged && log;
		}, 'the node has logged the payments in flight');
		return { workflowId, id, report };
	}

	const lineOf = (text, reference) => text.split('\n').find((line) => line.includes(reference));

	/**
	 * n8n 2 rejects a retry without stored data. n8n 1 does so too, or fails before it starts, or runs nothing and
	 * calls that a success.
	 */
	const mayRetryBeEmpty = () => stage.n8n.version.startsWith('1.');

	/** The retry on n8n 1, if the node ran. */
	async function retriedOnN8n1(id) {
		const retried = await stage.n8n.retryExecution(id).catch((error) => {
			assert.match(error.message, /cannot be retried|aborted before starting/);
		});
		return retried && retried.runs(NODE).length > 0 ? retried : undefined;
	}

	/** The retry of an execution without stored data. */
	async function assertRetryPaysNothing(id) {
		const { posted } = await evidence(stage);
		if (mayRetryBeEmpty()) assert.equal(await retriedOnN8n1(id), undefined);
		else await assert.rejects(stage.n8n.retryExecution(id), /cannot be retried/);
		assert.deepEqual((await evidence(stage)).posted, posted);
	}

	it('sends no further row and reports the references', async (t) => {
		const { workflowId, id, report } = await stopMidway();
		let found = await evidence(stage);
		t.diagnostic(figures(12, found));
		assert.deepEqual([...found.posted].sort(), references(8));
		for (const counted of ['5 created', '3 unknown', '4 not sent']) {
			assert.ok(report.includes(counted), report);
		}
		for (const number of [0, 1, 2, 3, 4, 5, 6, 7]) {
			const reference = referenceOf(number);
			const line = lineOf(report, reference) ?? 'nothing';
			assert.ok(line.includes(`row ${number + 1} (item ${number})`), line);
			assert.ok(line.includes(number < 5 ? found.ids.get(reference) : 'unknown'), line);
		}
		assert.ok(!report.includes('Quispe'));

		// n8n stores no data of a stopped execution, so there is nothing to retry.
		const stored = await stage.n8n.getExecution(id);
		assert.equal(stored.status, 'canceled');
		assert.deepEqual(stored.runs(NODE), []);
		await assertRetryPaysNothing(id);

		// The same rows are run again: the node knows what was sent, and what no answer has proved.
		await stage.sandbox.clearFaults();
		const again = await stage.n8n.runWorkflow(workflowId);
		found = await evidence(stage);
		assert.deepEqual(outcomes(again), KNOWN_AGAIN);
		assert.deepEqual(found.created, references(12));
		assertAccounted(reported(again), found);
	});

	it('pays nothing twice if it is retried from saved progress', async (t) => {
		const { id } = await stopMidway({ saveExecutionProgress: true });
		await stage.sandbox.clearFaults();
		const { posted } = await evidence(stage);
		const retried = mayRetryBeEmpty()
			? await retriedOnN8n1(id)
			: await stage.n8n.retryExecution(id);
		const found = await evidence(stage);
		// n8n 1 has the progress only if it was saved before the end.
		if (!retried) {
			assert.deepEqual(found.posted, posted);
			return;
		}
		t.diagnostic(figures(12, found, ', executions 2'));
		// The saved progress is from before the node ran, so it knows them from its ledger.
		assert.deepEqual(outcomes(retried), KNOWN_AGAIN);
		assert.deepEqual(found.created, references(12));
		assert.equal(found.posted.length, 12);
		assertAccounted(reported(retried), found);
	});
});
