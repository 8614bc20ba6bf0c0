/**
 * A payment is sent once in queue mode too: two worker processes share only n8n's database. The
 * service accepts duplicates.
 */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { randomUUID } from 'node:crypto';
import {
	all,
	assertAccounted,
	assertPaidOnceInAll,
	bankRow,
	bankRows,
	chainOf,
	changeOptions,
	csvNodes,
	evidence,
	generated,
	describeFigures,
	MAX_UNCONFIRMED,
	outcomes,
	payRows,
	reported,
	rowsWithoutReference,
	slowDown,
	untilCreated,
	untilQuiet,
	webhookWorkflowOf,
	writeCsv,
} from './batch-support.mjs';
import { executionsByWorker, useQueueStage } from './queue-support.mjs';
import { figuresTable, NAMED_FIGURES, unlessQuick } from './support.mjs';
import { allExecutions, publish, finishedExecutions, until } from './trigger-support.mjs';

const TIMEOUT = { timeoutMs: 300_000 };
const EXECUTIONS = 20;

const use = useQueueStage('idempotency-queue', {
	sandboxArgs: ['--state-clock', '0'],
	env: {
		// How soon n8n notices that a worker is gone. The default is up to a minute.
		QUEUE_WORKER_LOCK_DURATION: '10000',
		QUEUE_WORKER_LOCK_RENEW_TIME: '2000',
		QUEUE_WORKER_STALLED_INTERVAL: '3000',
	},
});
const figures = figuresTable('Payments once, on two workers', NAMED_FIGURES);

beforeEach(async () => {
	const { sandbox } = use.stage;
	await sandbox.reset();
	await sandbox.change({ duplicateReferences: 'accept' });
});
afterEach(async () => {
	await use.stage.revive();
});

/** The worker that ran an execution. */
const workerOf = (id) => executionsByWorker(use.stage).findIndex((ran) => ran.has(String(id)));

describe('the same file started twice within 100 ms', () => {
	const COUNT = 200;
	const MAX_ROUNDS = 10;
	/** Payees so far. */
	let first = 0;

	/** A file and a workflow that pays it. `fill` writes other payees. */
	async function batch() {
		const { stage } = use;
		const name = `${randomUUID()}.csv`;
		const fill = () => {
			const file = writeCsv(stage, name, rowsWithoutReference(COUNT, first));
			first += COUNT;
			return file;
		};
		const node = payRows(stage, { parameters: generated('payroll-2026-11') });
		const { id } = await stage.n8n.createWorkflow(chainOf([...csvNodes(fill()), node]));
		return { id, fill };
	}

	/** Starts it twice. Every row is paid once and reported as created once. Returns whether each worker ran one. */
	async function startTwice(id, store) {
		const { stage } = use;
		const before = (await evidence(stage)).created.length;
		const ids = await Promise.all([stage.n8n.startWorkflow(id), stage.n8n.startWorkflow(id)]);
		const both = await Promise.all(ids.map((each) => stage.n8n.waitForExecution(each, TIMEOUT)));
		const found = await evidence(stage);
		const twice = found.created.length - new Set(found.created).size;
		const workers = new Set(ids.map(workerOf)).size;
		const [gap] = both.map(({ startedAt }) =>
			Math.abs(Date.parse(startedAt) - Date.parse(both[1].startedAt)),
		);
		figures.push([
			`${COUNT} rows started twice, ${store} store, on ${workers === 2 ? 'two workers' : 'one worker'}`,
			`${found.created.length - before} paid, ${twice} twice; started ${gap} ms apart`,
		]);
		assert.equal(twice, 0, `${twice} of ${COUNT} rows were paid twice`);
		assert.equal(found.created.length - before, COUNT);
		for (const execution of both) {
			assert.equal(execution.status, 'success', execution.error?.message);
			assert.equal(reported(execution).length, COUNT);
		}
		const [one, other] = both.map((execution) => outcomes(execution));
		for (const [index, outcome] of one.entries()) {
			assert.deepEqual([outcome, other[index]].sort(), ['alreadySent', 'created']);
		}
		const rows = both.flatMap((execution) => reported(execution));
		const created = rows.filter(({ outcome }) => outcome === 'created');
		assert.ok(
			created.every(({ reference, transactionId }) => found.ids.get(reference) === transactionId),
		);
		return workers === 2;
	}

	it('pays every row once on two workers, with an empty idempotency store and with a filled one', async () => {
		await slowDown(use.stage, 20);
		const apart = { empty: 0, filled: 0 };
		// The worker of an execution is random.
		for (let round = 0; round < MAX_ROUNDS && Math.min(apart.empty, apart.filled) < 2; round++) {
			const { id, fill } = await batch();
			if (await startTwice(id, 'empty')) apart.empty += 1;
			fill();
			if (await startTwice(id, 'filled')) apart.filled += 1;
		}
		assert.ok(apart.empty > 0 && apart.filled > 0, 'two workers ran it at the same time');
	});
});

describe(`${EXECUTIONS} executions of one workflow at once`, () => {
	const ROWS = 50;

	it('pay every row once with different rows, and nothing in a second run', async () => {
		const { stage } = use;
		await slowDown(stage, 20);
		const { workflow, path } = webhookWorkflowOf(payRows(stage));
		const { id } = await stage.n8n.createWorkflow(workflow);
		await publish(stage.n8n, id);
		const portions = Array.from({ length: EXECUTIONS }, (_, portion) =>
			Array.from({ length: ROWS }, (__, row) => bankRow(portion * ROWS + row)),
		);
		const count = EXECUTIONS * ROWS;

		const post = (rows) =>
			stage.webhooks[0].fetch(path, {
				method: 'POST',
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify({ rows }),
			});
		// A webhook processor may learn later than main that the workflow is published. Without rows, nothing is paid.
		await until(async () => (await post([])).ok, 'the webhook is there');
		await finishedExecutions(stage.n8n, id, TIMEOUT);

		/** Posts all parts at once and returns the executions that they started. */
		async function payAll(what) {
			const seen = new Set((await allExecutions(stage.n8n, id)).map((execution) => execution.id));
			const answers = await Promise.all(portions.map(post));
			assert.ok(answers.every(({ ok }) => ok));
			const news = async () =>
				(await finishedExecutions(stage.n8n, id, TIMEOUT)).filter(
					(execution) => !seen.has(execution.id),
				);
			const started = await until(
				async () => {
					const found = await news();
					return found.length >= EXECUTIONS && found;
				},
				'all executions have ended',
				TIMEOUT,
			);
			const executions = await Promise.all(
				started.map((execution) => stage.n8n.getExecution(execution.id)),
			);
			const workers = started.map((execution) => workerOf(execution.id));
			const found = await evidence(stage);
			const twice = found.created.length - new Set(found.created).size;
			figures.push([
				`${EXECUTIONS} executions of ${ROWS} rows at once, ${what}`,
				`${found.created.length} paid, ${twice} twice; executions by worker ${[0, 1].map((worker) => workers.filter((own) => own === worker).length).join(' + ')}`,
			]);
			assert.equal(twice, 0, `${twice} of ${count} rows were paid twice`);
			assert.equal(found.created.length, count);
			assert.equal(found.posted.length, count);
			assert.ok(new Set(workers).size > 1, 'both workers ran some');
			for (const execution of executions) {
				assert.equal(execution.status, 'success', execution.error?.message);
				assert.equal(reported(execution).length, ROWS);
			}
			const rows = executions.flatMap((execution) => reported(execution));
			assertAccounted(rows, found);
			return rows.map(({ outcome }) => outcome);
		}

		assert.deepEqual(await payAll('the first time'), all(count));
		assert.deepEqual(await payAll('all of them again'), all(count, 'alreadySent'));
	});
});

describe('a batch of a thousand rows whose worker was killed, run again with the same file', () => {
	const COUNT = 1_000;

	it('pays each row once after the unconfirmed rows were paid again', async () => {
		const { stage } = use;
		await slowDown(stage, 20);
		const file = writeCsv(stage, 'killed.csv', rowsWithoutReference(COUNT));
		const node = payRows(stage, {
			parameters: generated('payroll-2026-11'),
			onError: 'continueRegularOutput',
		});
		const { id } = await stage.n8n.createWorkflow(chainOf([...csvNodes(file), node]));
		const killed = await stage.n8n.startWorkflow(id);
		await untilCreated(stage, COUNT * 0.3);
		await stage.workers[workerOf(killed)].kill();
		// An operator doesn't rerun a batch while it is still being paid.
		const { status } = await stage.n8n.waitForExecution(killed, TIMEOUT);
		assert.ok(['crashed', 'error'].includes(status), status);
		await untilQuiet(stage);
		await stage.revive();
		const secondRun = await assertPaidOnceInAll(stage, {
			workflowId: id,
			count: COUNT,
			again: () => stage.n8n.runWorkflow(id, TIMEOUT),
		});
		figures.push([
			`SIGKILL of the worker that pays ${COUNT} rows, and again`,
			describeFigures(secondRun),
		]);
		assert.ok(
			secondRun.first > 0 && secondRun.first < COUNT,
			'the batch was interrupted in the middle',
		);
	});
});

describe('a batch whose worker was killed, run again with corrected rows', () => {
	const COUNT = 1_000;
	/** Shares of the rows that are paid when a worker is killed: with the file as it was, and as it was corrected. */
	const KILLS = [0.3, 0.45];
	const CORRECTIONS = /** @type {const} */ ([
		['amounts', 'generated', { amount: '900.00' }],
		['accounts', 'given', { destination_account: '77001' }],
	]);

	/** Starts a workflow and kills its worker when that many payments were created. */
	async function startAndKill(id, created) {
		const { stage } = use;
		const execution = await stage.n8n.startWorkflow(id);
		await untilCreated(stage, created);
		await stage.workers[workerOf(execution)].kill();
		const { status } = await stage.n8n.waitForExecution(execution, TIMEOUT);
		assert.ok(['crashed', 'error'].includes(status), status);
		await untilQuiet(stage);
		await stage.revive();
	}

	/** What each person was paid, by document number. Nobody is paid twice. */
	async function payments() {
		const { transactions } = await evidence(use.stage);
		const paid = new Map(
			transactions.map(({ reference, request }) => [
				request.transaction.destination_id_number,
				{ reference, ...request.transaction },
			]),
		);
		const twice = transactions.length - paid.size;
		assert.equal(twice, 0, `${twice} of ${COUNT} people were paid twice`);
		return paid;
	}

	for (const [what, source, changes] of CORRECTIONS) {
		it(
			`pays nobody twice, and reports no payment with other values, if ${what} are corrected under ${source} references`,
			unlessQuick('test/simulation'),
			async () => {
				const { stage } = use;
				await slowDown(stage, 20);
				const rows = source === 'given' ? bankRows(COUNT) : rowsWithoutReference(COUNT);
				/** @type {Array<Record<string, any>>} */
				const corrected = rows.map((row) => ({ ...row, ...changes }));
				const name = `${randomUUID()}.csv`;
				const file = writeCsv(stage, name, rows);
				const node = payRows(stage, {
					parameters: source === 'given' ? {} : generated('payroll-2026-11'),
					onError: 'continueRegularOutput',
				});
				const { id } = await stage.n8n.createWorkflow(chainOf([...csvNodes(file), node]));
				for (const share of KILLS) {
					await startAndKill(id, COUNT * share);
					writeCsv(stage, name, corrected);
				}

				/** Runs it to the end. What is reported as sent was sent with the values of its row, or not at all. */
				async function finish() {
					const execution = await stage.n8n.runWorkflow(id, TIMEOUT);
					assert.equal(execution.status, 'success', execution.error?.message);
					const report = reported(execution);
					assert.equal(report.length, COUNT, 'every row is reported');
					const paid = await payments();
					const open = [];
					for (const [index, { outcome, reference }] of report.entries()) {
						const row = corrected[index];
						const payment = paid.get(row.destination_id_number);
						if (!payment) open.push(reference);
						else assert.equal(payment.reference, reference);
						const isSame =
							payment?.amount === Number(row.amount) &&
							payment.destination_account === row.destination_account;
						const isTrue = {
							created: isSame,
							alreadySent: isSame || !payment,
							conflict: !isSame,
							unknown: true,
						}[outcome];
						assert.ok(isTrue, `${reference} is reported as ${outcome}`);
					}
					const count = (outcome) => report.filter((row) => row.outcome === outcome).length;
					return { paid, open, count };
				}

				const { paid, open, count } = await finish();
				figures.push([
					`${KILLS.length} SIGKILL, ${COUNT} rows, ${what} corrected, ${source} references`,
					`${paid.size} paid, 0 twice, ${open.length} unconfirmed; ${['created', 'alreadySent', 'conflict', 'unknown'].map((outcome) => `${count(outcome)} ${outcome}`).join(', ')}`,
				]);
				assert.ok(open.length <= KILLS.length * MAX_UNCONFIRMED);
				for (const outcome of ['created', 'alreadySent', 'conflict']) {
					assert.ok(count(outcome) > 0, `no row is ${outcome}`);
				}
				if (open.length === 0) return;

				await changeOptions(stage, id, {
					ifAlreadySent: 'payAgain',
					referencesToPayAgain: open.join('\n'),
				});
				const again = await finish();
				assert.equal(again.paid.size, COUNT, 'everybody is paid');
				assert.equal(again.count('created'), open.length);
			},
		);
	}
});
