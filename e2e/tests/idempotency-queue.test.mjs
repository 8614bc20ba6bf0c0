/**
 * A payment is sent once in queue mode too: two worker processes share only n8n's database. The
 * service accepts duplicates.
 */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { randomUUID } from 'node:crypto';
import {
	all,
	chainOf,
	csvNodes,
	evidence,
	generated,
	outcomes,
	payRows,
	reported,
	rowsWithoutReference,
	slowDown,
	writeCsv,
} from './batch-support.mjs';
import { executionsByWorker, useQueueStage } from './queue-support.mjs';
import { figuresTable, NAMED_FIGURES } from './support.mjs';

const TIMEOUT = { timeoutMs: 300_000 };

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

	/**
	 * Starts it twice. Every row is paid once and reported as created once. The other execution may have seen its claim
	 * before its proof. Returns whether each worker ran one.
	 */
	async function startTwice(id, ledger) {
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
			`${COUNT} rows started twice, ${ledger} ledger, on ${workers === 2 ? 'two workers' : 'one worker'}`,
			`${found.created.length - before} paid, ${twice} twice; started ${gap} ms apart`,
		]);
		assert.equal(twice, 0, `${twice} of ${COUNT} rows were paid twice`);
		assert.equal(found.created.length - before, COUNT);
		for (const execution of both) {
			assert.equal(reported(execution).length, COUNT, execution.error?.message);
		}
		const [one, other] = both.map((execution) => outcomes(execution));
		for (const [index, outcome] of one.entries()) {
			const pair = [outcome, other[index]].sort().join(', ');
			assert.match(pair, /^(alreadySent, created|created, unknown)$/);
		}
		const rows = both.flatMap((execution) => reported(execution));
		const created = rows.filter(({ outcome }) => outcome === 'created');
		assert.ok(
			created.every(({ reference, transactionId }) => found.ids.get(reference) === transactionId),
		);
		return workers === 2;
	}

	it('pays every row once on two workers, with an empty ledger and with a filled one', async () => {
		await slowDown(use.stage, 20);
		const apart = { empty: 0, filled: 0 };
		// The worker of an execution is random.
		for (let round = 0; round < MAX_ROUNDS && Math.min(apart.empty, apart.filled) < 2; round++) {
			const { id, fill } = await batch();
			if (await startTwice(id, 'empty')) apart.empty += 1;
			fill();
			if (await startTwice(id, 'filled')) apart.filled += 1;
			// By now, each payment is proved.
			const later = await use.stage.n8n.runWorkflow(id);
			assert.deepEqual(outcomes(later), all(COUNT, 'alreadySent'));
		}
		assert.ok(apart.empty > 0 && apart.filled > 0, 'two workers ran it at the same time');
	});
});
