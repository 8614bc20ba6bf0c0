import assert from 'node:assert/strict';
import { cpSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, it } from 'node:test';
import { parseCsv } from '../harness/csv.mjs';
import { readExample } from '../harness/examples.mjs';
import { EXAMPLES_DIR } from '../harness/paths.mjs';
import { comparePayroll, resultFiles } from '../harness/payroll.mjs';
import { useStage } from './support.mjs';

describe('the payroll example in a real n8n', () => {
	const stage = useStage('payroll');
	let workflowId;

	beforeEach(async () => {
		await stage.sandbox.reset();
		for (const file of resultFiles(stage.filesFolder)) rmSync(file);
		// A separate workflow, because the node remembers what it has paid.
		const example = readExample('pay-payroll-from-spreadsheet', stage);
		workflowId = (await stage.n8n.createWorkflow(example)).id;
	});

	it('pays every row once, with the exact values of the file', async () => {
		const rows = await pay('payroll.csv');
		assert.equal(rows.execution.status, 'success', rows.execution.error?.message);
		assert.equal(rows.results.length, 200);
		const transactions = await stage.sandbox.transactions();
		assert.deepEqual(comparePayroll(rows.input, rows.results, transactions), []);
	});

	it('pays nothing twice if it is run again', async () => {
		await stage.sandbox.change({ duplicateReferences: 'accept' });
		const first = await pay('payroll.csv');
		const { execution, results, resultFile } = await pay('payroll.csv');
		assert.equal((await stage.sandbox.transactions()).length, 200);
		assert.equal(execution.status, 'success', execution.error?.message);
		assert.equal(results.length, 200);
		assert.ok(results.every(({ outcome }) => outcome === 'alreadySent'));
		// The result file of the first run still exists.
		assert.notEqual(resultFile, first.resultFile);
		assert.deepEqual(read(first.resultFile), first.results);
	});

	it('pays the valid rows of a file with mistakes and explains each invalid one', async () => {
		const { execution, input, results } = await pay('payroll-with-mistakes.csv');
		assert.equal(execution.status, 'success', execution.error?.message);
		const [{ subject, message }] = execution.json('Report rows to review (replace me)');
		assert.match(
			`${subject}: ${message}`,
			/: (\d+) of \d+ rows to review: 0 conflict, 0 rejected, \1 notSent, 0 unknown\. payroll-result-\S+\.csv gives the reason/,
		);
		assert.equal(results.length, input.length);
		assert.deepEqual(
			results.map(({ external_reference }) => external_reference),
			input.map(({ external_reference }) => external_reference),
		);

		const paid = results.filter(({ outcome }) => outcome === 'created');
		const transactions = await stage.sandbox.transactions();
		assert.deepEqual(
			transactions.map(({ id }) => id).sort(),
			paid.map(({ transactionId }) => transactionId).sort(),
		);

		const reasons = results.filter(({ outcome }) => outcome === 'notSent');
		assert.equal(paid.length + reasons.length, input.length);
		for (const [name, pattern] of Object.entries({
			Tomás: /at most 2 decimals/,
			Rocío: /more than 0/,
			Efraín: /1\.234,50/,
			Jimena: /digits/,
			Julián: /5 to 20/,
			Verónica: /Last Name/,
			Iván: /EUR/,
			Belén: /200/,
			Camila: /UUID/,
			Ramón: /Bank Code/,
		})) {
			const reason = reasons.find(({ first_name }) => first_name === name);
			assert.match(reason?.message ?? 'not among those that were not sent', pattern, name);
		}
		// A duplicate reference in one file.
		assert.ok(reasons.some(({ first_name }) => first_name === 'Noemí'));
	});

	async function pay(file) {
		const { filesFolder, n8n } = stage;
		const given = path.join(filesFolder, 'bonuses.csv');
		cpSync(path.join(EXAMPLES_DIR, file), given);
		const execution = await n8n.runWorkflow(workflowId);
		const [resultFile] = resultFiles(filesFolder);
		const input = read(given);
		return { execution, input, results: read(resultFile), resultFile };
	}

	function read(file) {
		return parseCsv(readFileSync(file, 'utf8'));
	}
});
