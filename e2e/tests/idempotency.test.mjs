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
	CALL,
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
	loopOf,
	outcomes,
	payRows,
	referenceOf,
	references,
	REJECTED,
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
import { NODE, partnerPayments, useStage } from './support.mjs';
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

async function run(workflow) {
	return await stage.n8n.runWorkflow(await create(workflow), TIMEOUT);
}

describe('"Retry execution" of the original', () => {
	/** An execution of forty rows that stopped at the fourth, whose outcome is unknown. */
	async function stopped() {
		await slowDown(stage, 20);
		await injectFault(stage, referenceOf(3), FAILED_AFTER);
		const node = payRows(stage, { options: IN_ORDER });
		const failed = await run(chainOf([node], { rows: bankRows(40) }));
		assert.deepEqual(outcomes(failed), [...all(3), 'unknown', ...all(36, 'notSent')]);
		return failed;
	}

	async function assertSentOnce(t, executions) {
		const found = await evidence(stage);
		t.diagnostic(figures(40, found, `, executions ${executions.length + 1}`));
		const twice = found.created.length - new Set(found.created).size;
		assert.equal(twice, 0, `${twice} of 40 rows were paid twice`);
		assert.deepEqual([...found.posted].sort(), references(40));
		for (const execution of executions) {
			const rows = reported(execution);
			assert.equal(rows.length, 40);
			assert.deepEqual(
				rows.slice(0, 4).map(({ outcome }) => outcome),
				[...all(3), 'unknown'],
			);
			assertAccounted(rows, found);
		}
		return executions.map((execution) => outcomes(execution).slice(4));
	}

	it('sends every reference of the original at most once in two simultaneous retries', async (t) => {
		const { id } = await stopped();
		const both = await Promise.all([stage.n8n.retryExecution(id), stage.n8n.retryExecution(id)]);
		const [one, other] = await assertSentOnce(t, both);
		for (const [index, outcome] of one.entries()) {
			assert.deepEqual([outcome, other[index]].sort(), ['alreadySent', 'created']);
		}
	});
});

describe('a sub-workflow that pays', () => {
	/** A workflow that calls a paying one, which stops at the first failure. */
	async function parentAndSub(settings = {}) {
		const sub = await create(subWorkflowOf(payRows(stage, { options: IN_ORDER })));
		await publish(stage.n8n, sub);
		const parent = await create(chainOf([callOf(sub, settings)], { rows: bankRows(6) }));
		return { sub, parent };
	}

	const FAULTS = [
		['a rejection in the middle', REJECTED, false],
		['a 500 after it was created', FAILED_AFTER, true],
	];

	/** Checks that every reference was sent at most once and that the sub-workflow's last report is correct. */
	async function assertTrue(t, parent, sub, wasCreated) {
		const found = await evidence(stage);
		t.diagnostic(figures(6, found));
		const twice = found.created.length - new Set(found.created).size;
		assert.equal(twice, 0, `${twice} of 6 rows were paid twice`);
		assert.equal(parent.status, 'success', parent.error?.message);
		assert.deepEqual(found.created, references(6));
		// The rejected one is sent again, the unknown one is not.
		assert.equal(found.posted.length, wasCreated ? 6 : 7);
		const execution = await lastExecution(stage, sub);
		assert.deepEqual(outcomes(execution), [
			...all(3, 'alreadySent'),
			wasCreated ? 'alreadySent' : 'created',
			...all(2),
		]);
		assertAccounted(reported(execution), found);
		assert.deepEqual(
			parent.json(CALL).map(({ outcome }) => outcome),
			outcomes(execution),
		);
	}

	for (const [name, fault, wasCreated] of FAULTS) {
		it(`pays nothing twice if Retry On Fail calls it again after ${name}`, async (t) => {
			await injectFault(stage, referenceOf(3), fault);
			const { sub, parent } = await parentAndSub(RETRY_ON_FAIL);
			const execution = await stage.n8n.runWorkflow(parent);
			await assertTrue(t, execution, sub, wasCreated);
		});
	}
});

describe('Loop Over Items with one row at a time, equal payments and Key Columns', () => {
	const rows = Array.from({ length: 4 }, (_, week) => ({ week, ...rowsWithoutReference(1)[0] }));
	const loop = () =>
		loopOf(
			payRows(stage, {
				parameters: generated('payroll-2026-11', 'destination_id_number, week'),
				options: { duplicatePayments: 'allow' },
			}),
			{ rows, batchSize: 1 },
		);

	/** Each run's row has its own reference and transaction. */
	function assertOnePaymentEach(execution, found) {
		assert.equal(execution.status, 'success', execution.error?.message);
		const reports = execution.runs(NODE).flatMap((_, run) => reported(execution, { run }));
		assert.deepEqual(
			reports.map(({ outcome }) => outcome),
			all(4),
		);
		for (const column of ['reference', 'transactionId']) {
			const distinct = new Set(reports.map((report) => report[column]));
			assert.equal(distinct.size, 4, `${distinct.size} of 4 rows have a distinct ${column}`);
		}
		assertAccounted(reports, found);
		assert.equal(found.created.length, 4);
	}

	it('pays each row once if it is retried from the row that failed', async (t) => {
		// With a revoked token, the first payment would arrive and count twice.
		const balances = { resource: 'payout', operation: 'getBalances' };
		await run(chainOf([{ name: NODE, ...partnerPayments(stage, balances) }]));
		await injectFault(stage, '', REJECTED, { skip: 2 });
		const failed = await run(loop());
		assert.equal(failed.status, 'error', 'a row was rejected');
		assert.ok(failed.runs(NODE).length > 1, 'it was not the first');
		const retried = await stage.n8n.retryExecution(failed.id);
		const found = await evidence(stage);
		t.diagnostic(figures(4, found));
		assertOnePaymentEach(retried, found);
		assert.equal(found.posted.length, 5);
	});
});

describe('the same file in another execution', () => {
	const COUNT = 15;

	/** A workflow that has paid a file once. */
	async function paidFile(settings = {}) {
		const name = `${randomUUID()}.csv`;
		const file = writeCsv(stage, name, rowsWithoutReference(COUNT));
		const node = payRows(stage, { parameters: generated('payroll-2026-11'), ...settings });
		const id = await create(chainOf([...csvNodes(file), node]));
		const first = await stage.n8n.runWorkflow(id);
		assert.deepEqual(outcomes(first), all(COUNT));
		const { posted } = await evidence(stage);
		return { id, name, posted, paid: reported(first).map(({ reference }) => reference) };
	}

	it('pays only the rows that were added', async (t) => {
		const { id, name, posted } = await paidFile();
		// New rows also come first, because a row's position doesn't identify it.
		const [first, last, ...rows] = rowsWithoutReference(COUNT + 2);
		writeCsv(stage, name, [...rows.slice(-2), first, last, ...rows.slice(0, -2)]);
		const again = await stage.n8n.runWorkflow(id);
		const found = await evidence(stage);
		t.diagnostic(figures(COUNT + 2, found, ', runs 2'));
		assert.deepEqual(outcomes(again), [...all(2), ...all(COUNT, 'alreadySent')]);
		assert.equal(found.posted.length, posted.length + 2);
		assertAccounted(reported(again), found);
	});

	it('pays every row once if it is started twice at the same moment', async (t) => {
		await slowDown(stage, 20);
		const file = writeCsv(stage, 'twice.csv', rowsWithoutReference(200));
		const node = payRows(stage, { parameters: generated('payroll-2026-11') });
		const id = await create(chainOf([...csvNodes(file), node]));
		const ids = await Promise.all([stage.n8n.startWorkflow(id), stage.n8n.startWorkflow(id)]);
		const both = await Promise.all(ids.map((each) => stage.n8n.waitForExecution(each, TIMEOUT)));
		const found = await evidence(stage);
		t.diagnostic(figures(200, found, ', executions 2'));
		const twice = found.created.length - new Set(found.created).size;
		assert.equal(twice, 0, `${twice} of 200 rows were paid twice`);
		assert.equal(found.created.length, 200);
		const [one, other] = both.map((execution) => outcomes(execution));
		for (const [index, outcome] of one.entries()) {
			assert.deepEqual([outcome, other[index]].sort(), ['alreadySent', 'created']);
		}
		for (const execution of both) assertAccounted(reported(execution), found);
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
		['entries', 'removeItemsWithAlreadySeenKeyValues', { dedupeValue: '={{ $json.number }}' }],
		[
			'the latest number',
			'removeItemsUpToStoredIncrementalKey',
			{ incrementalDedupeValue: '={{ $json.number }}' },
		],
		['the latest date', 'removeItemsUpToStoredDate', { dateDedupeValue: '={{ $json.date }}' }],
	]);
	const OTHER = 'Remove Duplicates';
	const COUNT = 12;
	const rows = bankRows(COUNT).map((row, number) => ({
		...row,
		number: number + 1,
		date: `2026-11-${10 + number}T00:00:00Z`,
	}));

	for (const [name, logic, values] of MODES) {
		for (const [order, position] of /** @type {const} */ ([
			['before', -200],
			['after', 200],
		])) {
			it(`keeps ${name} ${order} the payments, which are sent once in two runs`, async (t) => {
				const other = {
					name: OTHER,
					type: 'n8n-nodes-base.removeDuplicates',
					typeVersion: 2,
					position: [220, position],
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
	}
});
