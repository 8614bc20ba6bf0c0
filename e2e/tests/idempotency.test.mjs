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
	changeOptions,
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
	paidTwice,
	payFields,
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
import { NODE, partnerPayments, unlessQuick, useStage } from './support.mjs';
import { edit, publish, startAgain, until } from './trigger-support.mjs';

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

/** The payment node's hints. */
const hintsOf = (execution) =>
	(execution.runs(NODE).at(-1)?.hints ?? []).map(({ message }) => message).join('\n');

describe('a reference that changes between attempts', () => {
	/** An expression for a UUID with a number in it. */
	const uuidWith = (number) =>
		`={{ '00000000-0000-4000-8000-' + String(${number}).padStart(12, '0').slice(-12) }}`;

	const CHANGING = [
		['External Reference', '$now.toMillis()', uuidWith('$now.toMillis() * 100 + $itemIndex')],
		['External Reference', '$execution.id', uuidWith('$execution.id * 100 + $itemIndex')],
		['External Reference', 'Math.random()', uuidWith('Math.floor(Math.random() * 1e12)')],
		['Batch ID', '$now.toMillis()', '=payroll-{{ $now.toMillis() }}'],
		['Batch ID', 'the minute', "=payroll-{{ $now.toFormat('yyyy-MM-dd HH:mm') }}"],
		['Batch ID', 'new Date()', '=payroll-{{ new Date().getTime() }}'],
		['Batch ID', '$execution.id', '=payroll-{{ $execution.id }}'],
		['Batch ID', 'Math.random()', '=payroll-{{ Math.random() }}'],
	];

	for (const [field, name, expression] of CHANGING) {
		it(`is rejected if ${field} uses ${name}, also with Retry On Fail and a retry`, async (t) => {
			await injectFault(stage, '"destination_account":"1006"', REJECTED, { times: 3 });
			const settings = { options: { concurrency: 3 }, ...RETRY_ON_FAIL };
			const node =
				field === 'Batch ID'
					? payRows(stage, { parameters: generated(expression), ...settings })
					: payFields(stage, { parameters: { externalReference: expression }, ...settings });
			const failed = await run(chainOf([node], { rows: rowsWithoutReference(12) }));
			if (failed.status === 'error') await stage.n8n.retryExecution(failed.id);

			const found = await evidence(stage);
			t.diagnostic(figures(12, found, `, accounts paid twice ${paidTwice(found).length}`));
			assert.deepEqual(paidTwice(found), [], 'accounts that were paid twice');
			assert.deepEqual(found.posted, [], 'nothing is sent');
			assert.equal(failed.status, 'error');
			const { message, description } = failed.error;
			assert.ok(message.includes(field === 'Batch ID' ? field : 'Reference'), message);
			// The hint.
			assert.match(`${message}\n${description}`, /payroll-2026-11|column/i);
		});
	}

	it('is accepted if the Batch ID is a date, with a hint that it means new payments tomorrow', async (t) => {
		const node = payRows(stage, { parameters: generated('=payroll-{{ $today.toISODate() }}') });
		const execution = await run(chainOf([node], { rows: rowsWithoutReference(3) }));
		const found = await evidence(stage);
		t.diagnostic(figures(3, found));
		assert.deepEqual(outcomes(execution), all(3));
		assert.equal(found.created.length, 3);
		assert.match(hintsOf(execution), /Batch ID depends on the date/);
	});

	it('pays nobody twice if a person changes the Batch ID before a retry', async (t) => {
		await injectFault(stage, '"destination_account":"1005"', REJECTED);
		const node = payRows(stage, { parameters: generated('payroll-a'), options: IN_ORDER });
		const id = await create(chainOf([node], { rows: rowsWithoutReference(12) }));
		const failed = await stage.n8n.runWorkflow(id);
		assert.deepEqual(outcomes(failed), [...all(5), 'rejected', ...all(6, 'notSent')]);
		const sent = reported(failed).slice(0, 5);

		await edit(stage.n8n, id, ({ nodes }) => {
			nodes.find(({ name }) => name === NODE).parameters.batchId = 'payroll-b';
		});
		const retried = await stage.n8n.retryExecution(failed.id, { loadWorkflow: true });
		const found = await evidence(stage);
		t.diagnostic(figures(12, found, `, accounts paid twice ${paidTwice(found).length}`));
		assert.deepEqual(paidTwice(found), [], 'accounts that were paid twice');
		// They are reported under the reference that was sent.
		assert.deepEqual(
			reported(retried)
				.slice(0, 5)
				.map(({ reference }) => reference),
			sent.map(({ reference }) => reference),
		);
		assertAccounted(reported(retried), found);
	});
});

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

	it('sends every reference of the original at most once after a first retry', async (t) => {
		const { id } = await stopped();
		const first = await stage.n8n.retryExecution(id);
		const second = await stage.n8n.retryExecution(id);
		const [sent, again] = await assertSentOnce(t, [first, second]);
		assert.deepEqual(sent, all(36));
		assert.deepEqual(again, all(36, 'alreadySent'));
	});

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

		it(`pays nothing twice if a retry of its parent calls it again after ${name}`, async (t) => {
			await injectFault(stage, referenceOf(3), fault);
			const { sub, parent } = await parentAndSub();
			const failed = await stage.n8n.runWorkflow(parent);
			assert.equal(failed.status, 'error');
			const retried = await stage.n8n.retryExecution(failed.id);
			await assertTrue(t, retried, sub, wasCreated);
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

	it('pays each row under its own reference, and none again in a later execution', async (t) => {
		const id = await create(loop());
		const execution = await stage.n8n.runWorkflow(id);
		const found = await evidence(stage);
		t.diagnostic(figures(4, found));
		assertOnePaymentEach(execution, found);

		const again = await stage.n8n.runWorkflow(id);
		assert.deepEqual(
			again.runs(NODE).flatMap((_, run) => outcomes(again, { run })),
			all(4, 'alreadySent'),
		);
		assert.deepEqual((await evidence(stage)).posted, found.posted);
	});

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

	for (const onError of ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput']) {
		it(`sends nothing and reports all rows as already sent on the success output (${onError})`, async (t) => {
			const { id, posted, paid } = await paidFile({ onError });
			const again = await stage.n8n.runWorkflow(id);
			const found = await evidence(stage);
			t.diagnostic(figures(COUNT, found, ', runs 2'));
			assert.deepEqual(found.posted, posted, 'nothing is sent again');
			assert.equal(again.status, 'success', again.error?.message);
			const items = again.json(NODE);
			assert.deepEqual(
				items.map(({ outcome, reference }) => [outcome, reference]),
				paid.map((reference) => ['alreadySent', reference]),
			);
			for (const item of items) {
				assert.ok(!('error' in item));
				assert.ok(item.message);
				assert.deepEqual(Object.keys(item).slice(0, 9), [
					'outcome',
					'payee',
					'amount',
					'currency',
					'message',
					'code',
					'reference',
					'transactionId',
					'status',
				]);
			}
			assert.deepEqual(again.json(NODE, { output: 1 }), []);
		});
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

	it('sends nothing, not even new rows, if If Already Sent is Stop', async (t) => {
		const { id, name, posted, paid } = await paidFile({ options: { ifAlreadySent: 'stop' } });
		writeCsv(stage, name, rowsWithoutReference(COUNT + 2));
		const again = await stage.n8n.runWorkflow(id);
		const found = await evidence(stage);
		t.diagnostic(figures(COUNT + 2, found, ', runs 2'));
		assert.deepEqual(found.posted, posted, 'nothing is sent');
		assert.equal(again.status, 'error');
		const { message, description } = again.error;
		assert.match(`${message}\n${description}`, /already sent/i);
		for (const reference of paid) assert.ok(`${message}\n${description}`.includes(reference));

		// The stopped run has recorded nothing, so the new rows can be paid.
		await changeOptions(stage, id, { ifAlreadySent: 'skip' });
		const later = await stage.n8n.runWorkflow(id);
		assert.deepEqual(outcomes(later), [...all(COUNT, 'alreadySent'), ...all(2)]);
	});

	for (const [name, chosen, separator] of /** @type {const} */ ([
		['exactly those of a list', [2, 7, 11], ',\n '],
		['all of them with their count', undefined, undefined],
	])) {
		it(`pays ${name} again if If Already Sent is Pay Again`, async (t) => {
			const { id, posted, paid } = await paidFile();
			const list = chosen?.map((index) => paid[index]) ?? paid;
			assert.deepEqual(outcomes(await stage.n8n.runWorkflow(id)), all(COUNT, 'alreadySent'));
			await changeOptions(stage, id, {
				...(chosen
					? { ifAlreadySent: 'payAgain', referencesToPayAgain: list.join(separator) }
					: { ifAlreadySent: 'payAllAgain', countToPayAgain: COUNT }),
			});
			const again = await stage.n8n.runWorkflow(id);
			const found = await evidence(stage);
			t.diagnostic(figures(COUNT, found, ', runs 3 (duplicates were asked for)'));
			assert.deepEqual(found.posted.slice(posted.length).sort(), [...list].sort());
			assert.deepEqual(
				outcomes(again),
				paid.map((reference) => (list.includes(reference) ? 'created' : 'alreadySent')),
			);
		});
	}

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

	/** The same in a sub-workflow whose parent retries on failure. */
	async function called() {
		const { node, file } = await batch();
		const sub = await create(subWorkflowOf(node));
		await publish(stage.n8n, sub);
		const parent = await create(chainOf([...csvNodes(file), callOf(sub, RETRY_ON_FAIL)]));
		return {
			workflowId: sub,
			startId: parent,
			count: COUNT,
			async again() {
				await stage.n8n.runWorkflow(parent, TIMEOUT);
				return await lastExecution(stage, sub);
			},
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

	for (const [name, make, options] of /** @type {const} */ ([
		['SIGKILL of n8n', alone, {}],
		[
			'SIGKILL of n8n in a sub-workflow with a retrying parent',
			called,
			unlessQuick('test/simulation/payments'),
		],
	])) {
		it(
			`pays each row once after ${name} and after the unconfirmed rows were paid again`,
			options,
			async (t) => {
				const paying = await make();
				await stage.n8n.startWorkflow(paying.startId);
				await untilCreated(stage, COUNT * 0.3);
				await stage.n8n.kill();
				await untilQuiet(stage);
				await startAgain(stage);
				await assertPaidOnce(t, paying);
			},
		);
	}

	it('pays each row once after a cancellation and after the unconfirmed rows were paid again', async (t) => {
		const paying = await alone();
		const logged = stage.n8n.logs().length;
		const id = await stage.n8n.startWorkflow(paying.startId);
		await untilCreated(stage, COUNT * 0.3);
		await stage.n8n.stopExecution(id);
		// The node logs its end. No row is sent after that.
		await until(
			() => stage.n8n.logs().slice(logged).includes('the execution was cancelled'),
			'the node has ended',
		);
		await untilQuiet(stage);
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
