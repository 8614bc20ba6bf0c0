/**
 * A payment is sent once, however it is run again: tests the references and the idempotency store in one
 * n8n process. The service accepts duplicates, so that only the node can prevent them.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, it } from 'node:test';
import {
	all,
	assertAccounted,
	assertPaidOnceInAll,
	bankRows,
	callOf,
	chainOf,
	connectionTo,
	csvNodes,
	evidence,
	FAILED_AFTER,
	figures,
	generated,
	IN_ORDER,
	describeFigures,
	lastExecution,
	outcomes,
	payRows,
	referenceOf,
	references,
	reported,
	RETRY_ON_FAIL,
	rowsWithoutReference,
	slowDown,
	START,
	injectFault,
	subWorkflowOf,
	untilCreated,
	untilQuiet,
	writeCsv,
} from './batch-support.mjs';
import { NODE, useStage } from './support.mjs';
import { publish, startAgain } from './trigger-support.mjs';

const TIMEOUT = { timeoutMs: 300_000 };

const stage = useStage('idempotency', { sandboxArgs: ['--state-clock', '0'] });

beforeEach(async () => {
	// A test that fails after killing n8n must not fail the others.
	if (stage.n8n.hasEnded) await startAgain(stage);
	await stage.sandbox.reset();
	await stage.sandbox.change({ duplicateReferences: 'accept' });
});

async function create(workflow) {
	return (await stage.n8n.createWorkflow(workflow)).id;
}

describe('a sub-workflow that pays', () => {
	/** A workflow that calls a paying one, which stops at the first failure. */
	async function parentAndSub(settings = {}) {
		const sub = await create(subWorkflowOf(payRows(stage, { options: IN_ORDER })));
		// n8n 1 calls a sub-workflow as it is stored, and cannot activate it.
		if (!stage.n8n.version.startsWith('1.')) await publish(stage.n8n, sub);
		const parent = await create(chainOf([callOf(sub, settings)], { rows: bankRows(6) }));
		return { sub, parent };
	}

	it('pays nothing twice if Retry On Fail calls it again after a 500 for a payment that was created', async (t) => {
		await injectFault(stage, referenceOf(3), FAILED_AFTER);
		const { sub, parent } = await parentAndSub(RETRY_ON_FAIL);
		const { status } = await stage.n8n.runWorkflow(parent);
		const found = await evidence(stage);
		t.diagnostic(figures(6, found));
		assert.deepEqual(found.created, references(6));
		assert.equal(found.posted.length, 6);
		// Nobody knows of the fourth, so each call fails, and the others are paid in the second.
		assert.equal(status, 'error');
		const last = await lastExecution(stage, sub);
		assert.deepEqual(outcomes(last), [
			...all(3, 'alreadySent'),
			'unknown',
			...all(2, 'alreadySent'),
		]);
		assertAccounted(reported(last), found);
	});
});

describe('a batch of a thousand rows that was stopped, run again with the same file', () => {
	const COUNT = 1_000;

	/** A workflow that pays a file, with a function that runs it to the end. */
	async function batch() {
		// It takes seconds, so that it can be stopped in the middle.
		await slowDown(stage, 200);
		const file = writeCsv(stage, `${randomUUID()}.csv`, rowsWithoutReference(COUNT));
		const node = payRows(stage, {
			parameters: generated('payroll-2026-11'),
			onError: 'continueRegularOutput',
		});
		return { node, file };
	}

	async function alone() {
		const { node, file } = await batch();
		const id = await create(chainOf([...csvNodes(file), node]));
		return {
			workflowId: id,
			startId: id,
			count: COUNT,
			again: () => stage.n8n.runWorkflow(id, TIMEOUT),
		};
	}

	async function assertPaidOnce(t, paying) {
		const secondRun = await assertPaidOnceInAll(stage, paying);
		t.diagnostic(describeFigures(secondRun));
		assert.ok(
			secondRun.first > 0 && secondRun.first < COUNT,
			'the batch was interrupted in the middle',
		);
	}

	it('pays each row once after SIGKILL of n8n and after the unconfirmed rows were paid again', async (t) => {
		const paying = await alone();
		await stage.n8n.startWorkflow(paying.startId);
		await untilCreated(stage, COUNT * 0.3);
		await stage.n8n.kill();
		await untilQuiet(stage);
		await startAgain(stage);
		await assertPaidOnce(t, paying);
	});
});

describe('a Remove Duplicates node in the same workflow, which shares n8n’s processed items', () => {
	const MODES = /** @type {const} */ ([
		[
			'entries',
			'before',
			'removeItemsWithAlreadySeenKeyValues',
			{ dedupeValue: '={{ $json.number }}' },
		],
		[
			'the latest number',
			'after',
			'removeItemsUpToStoredIncrementalKey',
			{ incrementalDedupeValue: '={{ $json.number }}' },
		],
		[
			'the latest date',
			'before',
			'removeItemsUpToStoredDate',
			{ dateDedupeValue: '={{ $json.date }}' },
		],
	]);
	const OTHER = 'Remove Duplicates';
	const COUNT = 12;
	const rows = bankRows(COUNT).map((row, number) => ({
		...row,
		number: number + 1,
		date: `2026-11-${10 + number}T00:00:00Z`,
	}));

	for (const [name, order, logic, values] of MODES) {
		it(`keeps ${name} ${order} the payments, which are sent once in two runs`, async (t) => {
			const other = {
				name: OTHER,
				type: 'n8n-nodes-base.removeDuplicates',
				typeVersion: 2,
				position: [220, order === 'before' ? -200 : 200],
				parameters: {
					operation: 'removeItemsSeenInPreviousExecutions',
					logic,
					...values,
					options: { scope: 'workflow' },
				},
			};
			const workflow = chainOf([payRows(stage), other], { rows });
			// Next to each other; the upper one runs first.
			const [[toPayments], [toOther]] = connectionTo(NODE, OTHER).main;
			workflow.connections = { [START]: { main: [[toPayments, toOther]] } };
			const id = await create(workflow);

			const first = await stage.n8n.runWorkflow(id);
			assert.deepEqual(outcomes(first), all(COUNT));
			const again = await stage.n8n.runWorkflow(id);
			const found = await evidence(stage);
			t.diagnostic(figures(COUNT, found, ', runs 2'));
			const twice = found.created.length - new Set(found.created).size;
			assert.equal(twice, 0, `${twice} of ${COUNT} rows were paid twice`);
			assert.deepEqual(outcomes(again), all(COUNT, 'alreadySent'));
			assert.deepEqual(found.created, references(COUNT));
			// Its processed items stay as they are.
			assert.equal(first.json(OTHER).length, COUNT);
			assert.equal(again.json(OTHER).length, 0);
			assert.equal(again.json(OTHER, { output: 1 }).length, COUNT);
		});
	}
});
