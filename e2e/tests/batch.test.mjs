import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, it } from 'node:test';
import {
	all,
	assertAccounted,
	bankRow,
	bankRows,
	chainOf,
	csvNodes,
	evidence,
	figures,
	generated,
	IN_ORDER,
	loopOf,
	LOST,
	NEVER_ANSWERED,
	NOT_COMMITTED,
	outcomes,
	payRows,
	referenceOf,
	references,
	REJECTED,
	reported,
	RETRY_ON_FAIL,
	rowsWithoutReference,
	startWiretap,
	injectFault,
	withCredential,
	writeCsv,
} from './batch-support.mjs';
import { NODE, useStage } from './support.mjs';
import { allExecutions, startAgain, until } from './trigger-support.mjs';

const stage = useStage('batch', { sandboxArgs: ['--state-clock', '0'] });
const workflows = [];

beforeEach(async () => {
	await stage.sandbox.reset();
	// The service accepts duplicates, so that only the node can prevent them.
	await stage.sandbox.change({ duplicateReferences: 'accept' });
});

async function create(workflow) {
	const { id } = await stage.n8n.createWorkflow(workflow);
	workflows.push(id);
	return id;
}

async function run(workflow) {
	return await stage.n8n.runWorkflow(await create(workflow), { timeoutMs: 180_000 });
}

/** One of twelve rows meets a fault; `held` says whether its outcome stays unknown. */
const FAULTS = [
	{ name: 'a reset after the service committed', fault: LOST, held: true, created: 12, sent: 12 },
	{
		name: 'a reset before it committed',
		fault: NOT_COMMITTED,
		held: true,
		created: 11,
		sent: 12,
	},
	{
		name: 'a status 500',
		fault: { type: 'status', status: 500 },
		held: true,
		created: 11,
		sent: 12,
	},
	{ name: 'a rejection', fault: REJECTED, held: false, created: 12, sent: 13 },
	{
		name: 'a status 429',
		fault: { type: 'status', status: 429, retryAfter: 1 },
		held: false,
		created: 12,
		sent: 13,
	},
];

describe('Retry On Fail in a real n8n', () => {
	for (const { name, fault, held, created, sent } of FAULTS) {
		it(`pays nothing twice after ${name}`, async (t) => {
			await injectFault(stage, referenceOf(6), fault);
			const node = payRows(stage, { options: { concurrency: 3 }, ...RETRY_ON_FAIL });
			const execution = await run(chainOf([node], { rows: bankRows(12) }));
			const found = await evidence(stage);
			t.diagnostic(figures(12, found));

			assert.equal(execution.status, held ? 'error' : 'success', execution.error?.message);
			const rows = reported(execution);
			const expected = all(12);
			if (held) expected[6] = 'unknown';
			assert.deepEqual(
				rows.map(({ outcome }) => outcome),
				expected,
			);
			assertAccounted(rows, found);
			assert.equal(found.created.length, created);
			assert.equal(found.posted.length, sent);
			assert.equal(found.logins, 1);
			if (held) {
				const { message } = execution.error;
				assert.match(message, /11 created/);
				assert.match(message, /1 unknown/);
				assert.ok(message.includes(rows[6].hint), message);
			}
		});
	}

	for (const onError of ['continueRegularOutput', 'continueErrorOutput']) {
		it(`pays nothing twice if the first row is invalid (${onError})`, async (t) => {
			const rows = [bankRow(9, { amount: 'all' }), ...bankRows(5)];
			const node = payRows(stage, { onError, ...RETRY_ON_FAIL });
			const execution = await run(chainOf([node], { rows }));
			const found = await evidence(stage);
			t.diagnostic(figures(6, found));

			assert.equal(execution.status, 'success', execution.error?.message);
			assert.deepEqual(outcomes(execution), ['notSent', ...all(5)]);
			assert.deepEqual(found.created, references(5));
			assert.equal(found.posted.length, 5);
			assertAccounted(reported(execution), found);
		});
	}
});

describe('"Retry execution" in a real n8n', () => {
	for (const loadWorkflow of [false, true]) {
		const version = loadWorkflow ? 'the workflow as it is now' : 'the workflow as it was';
		it(`sends only the unsent rows, with ${version}`, async (t) => {
			await injectFault(stage, referenceOf(5), REJECTED);
			await injectFault(stage, referenceOf(7), LOST);
			const node = payRows(stage, { options: IN_ORDER });
			const failed = await run(chainOf([node], { rows: bankRows(12) }));
			assert.equal(failed.status, 'error');
			assert.deepEqual(outcomes(failed), [...all(5), 'rejected', ...all(6, 'notSent')]);

			// The second fault acts now, and the row that it leaves unknown stays unknown.
			const retried = await stage.n8n.retryExecution(failed.id, { loadWorkflow });
			assert.notEqual(retried.id, failed.id);
			assert.deepEqual(outcomes(retried), [...all(7), 'unknown', ...all(4, 'notSent')]);

			const again = await stage.n8n.retryExecution(retried.id, { loadWorkflow });
			const found = await evidence(stage);
			t.diagnostic(figures(12, found, ', executions 3'));
			assert.equal(again.status, 'error');
			assert.deepEqual(outcomes(again), [...all(7), 'unknown', ...all(4)]);
			assert.match(again.error.message, /11 created/);
			assert.match(again.error.message, /1 unknown/);
			assertAccounted(reported(again), found);
			assert.deepEqual(found.created, references(12));
			assert.equal(found.posted.length, 13);

			// A finished batch has nothing left to send.
			const last = await stage.n8n.retryExecution(again.id, { loadWorkflow });
			assert.deepEqual(outcomes(last), outcomes(again));
			assert.equal((await evidence(stage)).posted.length, 13);
		});
	}

	it('pays again the references that the current workflow lists', async (t) => {
		await stage.sandbox.change({ duplicateReferences: 'conflict' });
		await injectFault(stage, referenceOf(2), NOT_COMMITTED);
		await injectFault(stage, referenceOf(4), LOST);
		const workflow = (options) =>
			chainOf([payRows(stage, { options: { ...IN_ORDER, ...options } })], { rows: bankRows(6) });
		const id = await create(workflow({}));
		let execution = await stage.n8n.runWorkflow(id);
		execution = await stage.n8n.retryExecution(execution.id);
		assert.deepEqual(outcomes(execution), [
			'created',
			'created',
			'unknown',
			'created',
			'unknown',
			'notSent',
		]);

		const { nodes } = workflow({
			ifAlreadySent: 'payAgain',
			referencesToPayAgain: [2, 4].map(referenceOf).join(', '),
		});
		await stage.n8n.updateWorkflow(id, { nodes });
		const retried = await stage.n8n.retryExecution(execution.id, { loadWorkflow: true });
		const found = await evidence(stage);
		t.diagnostic(figures(6, found, ', executions 3'));
		// The service rejects the duplicate, which doesn't show who created it and is no new failure.
		assert.deepEqual(outcomes(retried), [...all(4), 'unknown', 'created']);
		assert.deepEqual(found.created, references(6));
		assertAccounted(reported(retried), { ...found, duplicates: 0 });
		assert.equal(found.duplicates, 1, 'the duplicate that the service rejected');
	});
});

describe('the same file in another workflow with an empty idempotency store', () => {
	beforeEach(() => stage.sandbox.change({ duplicateReferences: 'conflict' }));

	/** Runs a file of rows with generated references. */
	async function pay(file, parameters, settings = {}) {
		const options = { includeInput: true, duplicatePayments: 'allow' };
		const node = payRows(stage, { parameters, options, ...settings });
		return await run(chainOf([...csvNodes(file), node]));
	}

	for (const [name, keyColumns] of [
		['the payee', ''],
		['key columns', 'Employee ID, month'],
	]) {
		it(`creates nothing twice, with references generated from ${name}`, async (t) => {
			const rows = rowsWithoutReference(15).map((row, number) => ({
				employee_id: `E-${number}`,
				month: '2026-11',
				...row,
				// Equal but for the document number and the key.
				...(number > 12 && { last_name: 'Quispe 0', destination_account: '1000' }),
			}));
			const parameters = generated('payroll-2026-11', keyColumns);
			const first = await pay(writeCsv(stage, 'payroll.csv', rows), parameters);
			assert.equal(first.status, 'success', first.error?.message);
			const paid = reported(first).map(({ reference }) => reference);
			const { created } = await evidence(stage);
			assert.equal(new Set(paid).size, 15);
			assert.deepEqual([...paid].sort(), created);

			const stopped = await pay(path.join(stage.filesFolder, 'payroll.csv'), parameters);
			assert.equal(stopped.status, 'error');
			assert.match(stopped.error.message, /already has this reference/);
			assert.deepEqual(
				reported(stopped).map(({ reference }) => reference),
				paid,
			);
			assert.ok(outcomes(stopped).every((outcome) => ['unknown', 'notSent'].includes(outcome)));
			assert.ok(outcomes(stopped).includes('unknown'));

			const goOn = { onError: 'continueRegularOutput' };
			const second = await pay(path.join(stage.filesFolder, 'payroll.csv'), parameters, goOn);
			assert.deepEqual(outcomes(second), all(15, 'unknown'));
			for (const { reference, message, httpStatus } of reported(second)) {
				assert.ok(paid.includes(reference));
				assert.match(message, /already has this reference/);
				assert.equal(httpStatus, 409);
			}

			// In reverse order, with the result of the first run in additional columns.
			const written = first.json(NODE).reverse();
			assert.ok(written.every(({ amount, transactionId }) => amount && transactionId));
			const again = await pay(writeCsv(stage, 'written.csv', written), parameters, goOn);
			assert.deepEqual(outcomes(again), all(15, 'alreadySent'));
			assert.deepEqual(
				reported(again)
					.map(({ reference }) => reference)
					.sort(),
				created,
			);

			const found = await evidence(stage);
			t.diagnostic(figures(15, found, ', runs 4 (duplicates were rejected)'));
			assert.deepEqual(found.created, created);
		});
	}
});

describe('invalid rows in a real n8n', () => {
	/** The invalid value of a row, its field, and the expected message. */
	const BAD = /** @type {const} */ ([
		[{ amount: '-1' }, 'Amount', /"-1"/],
		[{ amount: '1.234,50' }, 'Amount', /1\.234,50/],
		[{ currency_type: 'EUR' }, 'Currency', /EUR/],
		[{ bank_code: '' }, 'Bank Code', /required/],
		[{ destination_id_number: '0812A' }, 'Destination ID Number', /digits/],
		[{ first_name: ' ' }, 'First Name', /required/],
		[{ entity_type: 'individual', last_name: '' }, 'Last Name', /required/],
		[{ external_reference: 'E-7' }, 'Reference', /UUID/],
		[{ description: 'x'.repeat(1_000) }, 'Description', /1000/],
		[
			{ external_reference: referenceOf(0) },
			'Reference',
			/is the same as in row 1, María José Quispe 0, 100\.50 BOB/,
		],
	]);
	/** The start of a row's line: the row number from 1, and the payee. */
	const ROW_LINE = /^(?:<li>)?(Row \d+), /;
	/** The first and the last row are valid. */
	const rows = [
		bankRow(0),
		...BAD.map(([changes], index) => bankRow(index + 1, changes)),
		bankRow(11),
	];

	it('stop the batch before it sends anything, and the error lists all ten of twelve', async (t) => {
		const execution = await run(chainOf([payRows(stage)], { rows }));
		const found = await evidence(stage);
		t.diagnostic(figures(12, found));
		// Not even a login.
		assert.equal((await stage.sandbox.counters()).requests, 0);

		assert.equal(execution.status, 'error');
		const stored = execution.nodeError(NODE);
		for (const error of [execution.error, stored]) {
			assert.match(error.message, /10 of 12/);
			const lines = error.description.split('\n').filter((line) => ROW_LINE.test(line));
			assert.equal(lines.length, 10);
			for (const [index, [, field, pattern]] of BAD.entries()) {
				assert.equal(ROW_LINE.exec(lines[index])?.[1], `Row ${index + 2}`);
				assert.ok(lines[index].includes(field), `${field} in ${lines[index]}`);
				assert.match(lines[index], pattern);
			}
			const reports = error.context.rows;
			assert.ok(reports.every(({ outcome }) => outcome === 'notSent'));
			for (const [index, [, field]] of BAD.entries()) {
				const { message } = reports.find(({ item }) => item === index + 1);
				assert.ok(message.includes(field), message);
			}
		}
	});

	for (const onError of ['continueRegularOutput', 'continueErrorOutput']) {
		it(`go to the error output, and the valid rows are paid (${onError})`, async (t) => {
			const execution = await run(chainOf([payRows(stage, { onError })], { rows }));
			const found = await evidence(stage);
			t.diagnostic(figures(12, found));

			assert.equal(execution.status, 'success', execution.error?.message);
			assert.deepEqual(outcomes(execution), ['created', ...all(10, 'notSent'), 'created']);
			assert.deepEqual(found.created, [referenceOf(0), referenceOf(11)]);
			assert.equal(found.posted.length, 2);
			const [good, bad] = [0, 1].map((output) => execution.items(NODE, { output }));
			const apart = onError === 'continueErrorOutput';
			assert.equal(good.length, apart ? 2 : 12);
			assert.equal(bad.length, apart ? 10 : 0);
			for (const [index, [, field]] of BAD.entries()) {
				const { json } = apart ? bad[index] : good[index + 1];
				assert.ok(json.error.message.includes(field), json.error.message);
				for (const value of Object.values(json.error)) {
					assert.ok(['string', 'number'].includes(typeof value), JSON.stringify(json.error));
				}
				// n8n adds the input columns to the error.
				if (apart) assert.equal(json.last_name, rows[index + 1].last_name);
			}
		});
	}
});

describe('10,000 rows in a real n8n', () => {
	it('are created once each in one execution', async (t) => {
		const count = 10_000;
		const file = writeCsv(stage, 'large.csv', bankRows(count));
		// Without a delay, a response arrives before n8n has sent the next request.
		await injectFault(stage, '', { type: 'latency', ms: 10 }, { times: 'always' });
		const id = await create(chainOf([...csvNodes(file), payRows(stage)]));
		const execution = await stage.n8n.runWorkflow(id, { timeoutMs: 240_000 });
		assert.equal(execution.status, 'success', execution.error?.message);

		const found = await evidence(stage);
		const { executionTime, hints } = execution.runs(NODE)[0];
		t.diagnostic(
			figures(
				count,
				found,
				`, in flight at most ${found.maxInFlight}, node ${executionTime} ms, execution ${execution.duration} ms`,
			),
		);
		assert.deepEqual(found.created, references(count));
		assert.equal(found.posted.length, count);
		assert.equal(found.duplicates, 0);
		assert.equal(found.logins, 1);
		assert.ok(found.maxInFlight > 1 && found.maxInFlight <= 50);

		const items = execution.items(NODE);
		assert.equal(items.length, count);
		const wrong = items.findIndex(
			({ json, pairedItem }, index) =>
				json.outcome !== 'created' ||
				json.reference !== referenceOf(index) ||
				json.transactionId !== found.ids.get(json.reference) ||
				pairedItem.item !== index,
		);
		assert.equal(wrong, -1, JSON.stringify(items[wrong]));
		assert.ok(
			hints.some(({ message }) => /10000 created.*1005000.* BOB/.test(message)),
			JSON.stringify(hints),
		);
	});
});

describe('a batch that is stopped in a real n8n', () => {
	/** Stops an execution of twelve rows while three requests wait for the sandbox. */
	async function stopMidway(settings, nodeSettings = {}) {
		for (const number of [5, 6, 7]) await injectFault(stage, referenceOf(number), NEVER_ANSWERED);
		const node = payRows(stage, { options: { concurrency: 3 }, ...nodeSettings });
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
			return log.includes('the execution was cancelled') && lineOf(log, referenceOf(7)) && log;
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

	for (const onError of ['stopWorkflow', 'continueRegularOutput']) {
		it(`sends no further row and reports the references (${onError})`, async (t) => {
			const { workflowId, id, report } = await stopMidway({}, { onError });
			let found = await evidence(stage);
			t.diagnostic(figures(12, found));
			assert.deepEqual([...found.posted].sort(), references(8));
			for (const counted of ['5 created', '3 unknown', '4 not sent']) {
				assert.ok(report.includes(counted), report);
			}
			for (const number of [0, 1, 2, 3, 4, 5, 6, 7]) {
				const reference = referenceOf(number);
				const line = lineOf(report, reference) ?? 'nothing';
				assert.ok(line.includes(`Row ${number + 1} (item ${number})`), line);
				assert.ok(line.includes(number < 5 ? found.ids.get(reference) : 'unknown'), line);
			}
			assert.ok(!report.includes('Quispe'));

			// n8n stores no data of a stopped execution, so there is nothing to retry.
			const stored = await stage.n8n.getExecution(id);
			assert.equal(stored.status, 'canceled');
			assert.deepEqual(stored.runs(NODE), []);
			await assertRetryPaysNothing(id);

			// The same rows are run again: the node knows what was sent.
			await stage.sandbox.clearFaults();
			const again = await stage.n8n.runWorkflow(workflowId);
			found = await evidence(stage);
			assert.equal(again.status, 'success', again.error?.message);
			assert.deepEqual(outcomes(again), [...all(8, 'alreadySent'), ...all(4)]);
			assert.deepEqual(found.created, references(12));
			assertAccounted(reported(again), found);
		});
	}

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
		// The saved progress is from before the node ran, so it knows them from the idempotency store.
		assert.deepEqual(outcomes(retried), [...all(8, 'alreadySent'), ...all(4)]);
		assert.deepEqual(found.created, references(12));
		assert.equal(found.posted.length, 12);
		assertAccounted(reported(retried), found);
	});

	it('pays nothing twice if it is retried after the workflow’s timeout', async (t) => {
		for (const number of [5, 6, 7]) await injectFault(stage, referenceOf(number), NEVER_ANSWERED);
		const node = payRows(stage, { options: { concurrency: 3 } });
		const stopped = await run(
			chainOf([node], { rows: bankRows(12), settings: { executionTimeout: 15 } }),
		);
		assert.equal(stopped.status, 'canceled');
		if (mayRetryBeEmpty()) return await assertRetryPaysNothing(stopped.id);
		// n8n stores it twice: at once, and later with the node's error.
		const stored = await until(async () => {
			const execution = await stage.n8n.getExecution(stopped.id);
			return execution.nodeError(NODE) && execution;
		}, 'the end of the node is stored');
		assert.deepEqual(outcomes(stored), [...all(5), ...all(3, 'unknown'), ...all(4, 'notSent')]);

		await stage.sandbox.clearFaults();
		const retried = await stage.n8n.retryExecution(stopped.id);
		const found = await evidence(stage);
		t.diagnostic(figures(12, found, ', executions 2'));
		assert.deepEqual(outcomes(retried), [...all(5), ...all(3, 'unknown'), ...all(4)]);
		assert.deepEqual(found.created, references(12));
		assert.equal(found.posted.length, 12);
		assertAccounted(reported(retried), found);
	});
});

describe('rows from other nodes in a real n8n', () => {
	/** As in a spreadsheet: numbers as numbers, codes as text. */
	const TYPED = [
		{ amount: 1148.29, bank_code: '0071', destination_account: 41870023 },
		{ amount: 1000, bank_code: '0010', destination_account: 4187002345 },
		{ amount: 0.1, bank_code: '0009', destination_account: 1002 },
	].map((values, number) => ({ ...bankRow(number), destination_id_number: 812345, ...values }));

	async function assertPaidAsTyped(t, execution) {
		assert.equal(execution.status, 'success', execution.error?.description);
		const found = await evidence(stage);
		t.diagnostic(figures(3, found));
		assert.deepEqual(found.created, references(3));
		const received = found.requests.filter(({ status }) => status === 201);
		const byReference = new Map(
			received.map(({ body }) => [body.external_reference, body.transaction]),
		);
		for (const [number, row] of TYPED.entries()) {
			const sent = byReference.get(referenceOf(number));
			assert.equal(sent.amount, row.amount);
			assert.equal(sent.bank_code, row.bank_code);
			assert.equal(sent.destination_account, String(row.destination_account));
			assert.equal(sent.destination_id_number, '812345');
			assert.equal(sent.first_name, 'María José');
		}
	}

	it('are read from an XLSX file', async (t) => {
		const execution = await run(
			chainOf(
				[
					{
						name: 'Make File',
						type: 'n8n-nodes-base.convertToFile',
						typeVersion: 1.1,
						parameters: { operation: 'xlsx', binaryPropertyName: 'data', options: {} },
					},
					{
						name: 'Get Rows',
						type: 'n8n-nodes-base.extractFromFile',
						typeVersion: 1.1,
						parameters: { operation: 'xlsx', binaryPropertyName: 'data', options: {} },
					},
					payRows(stage),
				],
				{ rows: TYPED },
			),
		);
		assert.equal(execution.json('Get Rows')[0].amount, 1148.29);
		await assertPaidAsTyped(t, execution);
	});

	it('are read from a Code node', async (t) => {
		const code = {
			name: 'Code',
			type: 'n8n-nodes-base.code',
			typeVersion: 2,
			parameters: { jsCode: `return ${JSON.stringify(TYPED)}.map((json) => ({ json }));` },
		};
		await assertPaidAsTyped(t, await run(chainOf([code, payRows(stage)])));
	});

	it('are read from a data table', async (t) => {
		const { id: projectId } = await stage.n8n.rest('GET', '/projects/personal');
		const tables = `/projects/${projectId}/data-tables`;
		const columns = Object.entries(TYPED[0]).map(([name, value]) => ({ name, type: typeof value }));
		const { id } = await stage.n8n.rest('POST', tables, { name: 'Payroll', columns });
		await stage.n8n.rest('POST', `${tables}/${id}/insert`, { data: TYPED, returnType: 'count' });
		const table = {
			name: 'Data Table',
			type: 'n8n-nodes-base.dataTable',
			typeVersion: 1,
			parameters: {
				resource: 'row',
				operation: 'get',
				dataTableId: { __rl: true, mode: 'id', value: id },
				returnAll: true,
			},
		};
		await assertPaidAsTyped(t, await run(chainOf([table, payRows(stage)])));
	});

	it('come in batches from Loop Over Items, and a retry starts at the batch that failed', async (t) => {
		await injectFault(stage, referenceOf(12), REJECTED);
		const node = payRows(stage, { options: IN_ORDER });
		const failed = await run(loopOf(node, { rows: bankRows(17), batchSize: 5 }));
		assert.equal(failed.status, 'error');
		assert.equal(failed.runs(NODE).length, 3);

		const retried = await stage.n8n.retryExecution(failed.id);
		const found = await evidence(stage);
		t.diagnostic(figures(17, found, ', runs of the node 4, executions 2'));
		assert.equal(retried.status, 'success', retried.error?.message);
		assert.deepEqual(
			retried.runs(NODE).map((_, run) => outcomes(retried, { run }).length),
			[5, 5, 5, 2],
		);
		assert.deepEqual(found.created, references(17));
		assert.equal(found.posted.length, 18);
		for (const [run] of retried.runs(NODE).entries()) {
			assert.ok(outcomes(retried, { run }).every((outcome) => outcome === 'created'));
		}
	});

	it('pass through two payment nodes that do not affect each other', async (t) => {
		// The second node reads the columns next to the results of the first.
		await injectFault(stage, '"destination_account":"1003"', LOST, { skip: 1 });
		const pay = (name, batchId, options = {}) =>
			payRows(stage, {
				name,
				parameters: generated(batchId),
				options: { ...IN_ORDER, ...options },
			});
		const failed = await run(
			chainOf([pay('Salaries', 'salaries', { includeInput: true }), pay('Bonus', 'bonus')], {
				rows: rowsWithoutReference(6),
			}),
		);
		assert.deepEqual(outcomes(failed, { node: 'Salaries' }), all(6));
		assert.deepEqual(outcomes(failed, { node: 'Bonus' }), [
			...all(3),
			'unknown',
			...all(2, 'notSent'),
		]);

		const retried = await stage.n8n.retryExecution(failed.id);
		const found = await evidence(stage);
		t.diagnostic(figures(6, found, ', nodes 2, executions 2'));
		assert.deepEqual(outcomes(retried, { node: 'Bonus' }), [...all(3), 'unknown', ...all(2)]);
		assert.equal(found.created.length, 12);
		assert.equal(found.posted.length, 12);
		assertAccounted(
			['Salaries', 'Bonus'].flatMap((node) => reported(retried, { node })),
			found,
		);
	});
});

describe('secrets in a real n8n', () => {
	it('are in no log line, no stored execution and no unencrypted file', async (t) => {
		const folder = path.dirname(stage.filesFolder);
		const password = `Secret-${randomUUID()}`;
		const user = { email: 'secretive@example.com', password };
		await stage.sandbox.admin('POST', '/users', user);
		const wiretap = await startWiretap(stage.sandbox.baseUrl);
		try {
			const data = { ...user, baseUrl: wiretap.url };
			const credential = await stage.n8n.createCredential({
				...stage.sandbox.credential(data),
				name: 'Secretive',
			});
			const pay = (settings, changes) =>
				chainOf([withCredential(payRows(stage, settings), credential)], {
					rows: bankRows(6).map((row) => ({ ...row, ...changes })),
				});
			// Situations that could expose them: each kind of fault, a new login, a wrong password, debug logging.
			await stage.n8n.stop();
			await startAgain(stage, { env: { N8N_LOG_LEVEL: 'debug' } });
			await injectFault(stage, referenceOf(2), LOST);
			await injectFault(stage, referenceOf(3), REJECTED);
			await injectFault(stage, referenceOf(4), { type: 'html', status: 502 });
			const goOn = { onError: 'continueErrorOutput' };
			const mixed = await run(pay(goOn));
			assert.deepEqual(outcomes(mixed).sort(), [...all(3), 'rejected', ...all(2, 'unknown')]);
			// The next execution reads the token from the database.
			await run(pay(goOn));
			assert.equal(wiretap.tokens.size, 1);
			await stage.sandbox.admin('POST', '/tokens/revoke', {});
			await injectFault(stage, '"amount":7', { type: 'status', status: 500 });
			const failed = await run(pay({}, { amount: '7' }));
			assert.equal(failed.status, 'error');
			assert.equal(wiretap.tokens.size, 2, 'one token, and one after it was revoked');

			await stage.n8n.updateCredential(credential.id, {
				...stage.sandbox.credential({ ...data, password: `${password}-wrong` }),
				name: 'Secretive',
			});
			const loggedOut = await run(pay({}));
			assert.match(loggedOut.error.message, /does not accept this email and password/);

			const secrets = [password, ...wiretap.tokens].flatMap((secret) => [
				secret,
				// The part of its base64 that is the same at any offset.
				...[0, 1, 2].map((shift) =>
					Buffer.concat([Buffer.alloc(shift), Buffer.from(secret)])
						.toString('base64')
						.slice(4, -4),
				),
			]);
			const among = (text) => secrets.filter((secret) => text.includes(secret)).length;

			let executions = 0;
			for (const workflowId of workflows) {
				for (const { id } of await allExecutions(stage.n8n, workflowId)) {
					executions++;
					const stored = JSON.stringify(await stage.n8n.rest('GET', `/executions/${id}`));
					assert.equal(among(stored), 0, `execution ${id}`);
					assert.doesNotMatch(stored, /eyJ[\w-]+\.eyJ/, `execution ${id}`);
					assert.ok(!stored.includes(stage.sandbox.password), `execution ${id}`);
				}
			}
			const logs = readdirSync(path.join(folder, 'logs')).filter((name) => name.startsWith('n8n'));
			for (const name of logs) {
				const text = readFileSync(path.join(folder, 'logs', name), 'utf8');
				assert.equal(among(text), 0, name);
				assert.doesNotMatch(text, /eyJ[\w-]+\.eyJ/, name);
				assert.ok(!text.includes(stage.sandbox.password), name);
			}
			// All of n8n's files, including the database and its journal.
			const home = path.join(folder, 'n8n/.n8n');
			const files = readdirSync(home, { recursive: true, withFileTypes: true })
				.filter((entry) => entry.isFile())
				.map(({ parentPath, name }) => path.join(parentPath, name))
				.filter((file) => !file.startsWith(path.join(home, 'nodes')));
			let bytes = 0;
			for (const file of files) {
				const content = readFileSync(file);
				bytes += content.length;
				assert.equal(among(content), 0, file);
				assert.ok(!content.includes(stage.sandbox.password), file);
			}
			const database = files.filter((file) => path.basename(file).startsWith('database.sqlite'));
			assert.ok(database.length > 0);
			assert.ok(database.some((file) => readFileSync(file).includes('Secretive')));
			t.diagnostic(
				`tokens ${wiretap.tokens.size}, executions ${executions}, log files ${logs.length}, ` +
					`files ${files.length} (${(bytes / 1e6).toFixed(1)} MB)`,
			);
		} finally {
			await wiretap.close();
		}
	});
});
