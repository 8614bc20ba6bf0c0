import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, it } from 'node:test';
import {
	all,
	assertAccounted,
	bankRows,
	chainOf,
	csvNodes,
	evidence,
	figures,
	LOST,
	NEVER_ANSWERED,
	outcomes,
	payRows,
	referenceOf,
	references,
	REJECTED,
	reported,
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
			assert.ok(line.includes(`Row ${number + 1} (item ${number})`), line);
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
