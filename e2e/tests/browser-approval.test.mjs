/** The approval of a payroll as the approver sees it. The requests to the service are the evidence. */
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe } from 'node:test';
import { parseCsv } from '../harness/csv.mjs';
import { readExample } from '../harness/examples.mjs';
import { EXAMPLES_DIR } from '../harness/paths.mjs';
import { comparePayroll, resultFiles } from '../harness/payroll.mjs';
import { useBrowser } from './browser-support.mjs';
import { until } from './trigger-support.mjs';

const ASK = 'Ask for approval (replace me)';
const WAIT = 'Wait for the decision';
const NOT_PAID = 'Report that nothing was paid (replace me)';
const PAYOUTS = '/v3/transactions/payouts/bank';

describe('the approval of a payroll in a browser', () => {
	/** Two tabs of people without an n8n account. */
	let tab, otherTab;

	const { stage, inBrowser, contactsOnlyThisMachine } = useBrowser(
		'browser-approval',
		async (_, browser) => {
			tab = await browser.openPage();
			otherTab = await browser.openPage();
			return tab;
		},
		{ sandboxArgs: ['--state-clock', '0'] },
	);

	const payrollFile = () => path.join(stage.filesFolder, 'payroll-to-approve.csv');
	const readResult = (file) => parseCsv(readFileSync(file, 'utf8'));

	/** Writes a payroll with that many rows where the example reads it. */
	function writePayroll(count) {
		const text = readFileSync(path.join(EXAMPLES_DIR, 'payroll.csv'), 'utf8');
		const lines = text.split('\n').slice(0, count + 1);
		writeFileSync(payrollFile(), `${lines.join('\n')}\n`);
		return parseCsv(readFileSync(payrollFile(), 'utf8'));
	}

	beforeEach(async () => {
		await stage.sandbox.reset();
		for (const file of resultFiles(stage.filesFolder)) rmSync(file);
	});

	/** Imports the example, and runs it until it waits for a person. */
	async function ask() {
		const { id: workflow } = await stage.n8n.createWorkflow(readExample('approve-payroll', stage));
		const id = await stage.n8n.startWorkflow(workflow);
		const execution = await until(async () => {
			const latest = await stage.n8n.getExecution(id);
			assert.notEqual(latest.status, 'error', latest.error?.message);
			// n8n 1 stores the status before the data.
			return latest.status === 'waiting' && latest.json(ASK).length && latest;
		}, 'the form is open');
		const [{ form, message }] = execution.json(ASK);
		return { id, form, message };
	}

	async function fillIn(page, { name, decision, reason = '' }) {
		await page.getByLabel('Your name').fill(name);
		await page.getByLabel('Decision').selectOption(decision);
		await page.getByLabel('Reason').fill(reason);
	}

	/**
	 * Submits the form; then the page says what happens.
	 *
	 * @param {string | RegExp} [said]
	 */
	async function submit(page, said = /^Approved: \d+ payments are being sent\./) {
		await page.getByRole('button', { name: 'Submit' }).click();
		// n8n’s own page has its heading as the title, too.
		await page.getByText(said).last().waitFor();
	}

	/** n8n's page for an answer that came too late. It does not say that something is paid. */
	async function submitLate(page) {
		await submit(page, 'Form Submitted');
		assert.equal(await page.getByText(/are being sent/).count(), 0);
	}

	/** What is above the fields, with the cells of a row as in the message. */
	async function formText() {
		const text = await tab.locator('.form-header').first().innerText();
		return text.replaceAll('\t', ': ').replaceAll('\u200b', '');
	}

	/** The requests to the service, without those with another test's token. */
	async function sent() {
		const requests = await stage.sandbox.requests({ method: 'POST', path: PAYOUTS });
		return requests.filter(({ status }) => status !== 401);
	}

	/** Every row of the file was paid once with its values, and the result file agrees. */
	async function assertPaid(rows, approvedBy) {
		assert.equal((await sent()).length, rows.length);
		const [file, ...others] = resultFiles(stage.filesFolder);
		assert.deepEqual(others, []);
		const results = readResult(file);
		assert.deepEqual(comparePayroll(rows, results, await stage.sandbox.transactions()), []);
		assert.ok(results.every((row) => row.approvedBy === approvedBy));
		assert.ok(results.every((row) => !Number.isNaN(Date.parse(row.approvedAt))));
	}

	/** Nothing was sent, and the workflow reports the reason. */
	async function assertNothingPaid({ id }, reason) {
		const execution = await stage.n8n.waitForExecution(id);
		assert.equal(execution.status, 'success', execution.error?.message);
		assert.deepEqual(
			execution.json(NOT_PAID).map(({ subject, message }) => [subject, message.trim()]),
			[['Payroll 2026-11 was not paid', reason]],
		);
		assert.deepEqual(await sent(), []);
		assert.deepEqual(resultFiles(stage.filesFolder), []);
	}

	inBrowser(
		'the form shows count, totals and everybody who is paid, and exactly these are paid',
		async () => {
			const rows = writePayroll(200);
			const { id, form, message } = await ask();
			await tab.goto(form);
			const page = await formText();
			const texts = ['Payroll 2026-11', 'This is not a test', ...expectedFigures(rows)];
			for (const text of [...texts, ...expectedPayees(rows)]) {
				assert.ok(page.includes(text), `${text} is not in:\n${page}`);
			}
			for (const text of expectedFigures(rows)) assert.ok(message.includes(text), text);

			// The browser requires a name before it sends anything.
			await tab.getByLabel('Decision').selectOption('Approve');
			await tab.getByRole('button', { name: 'Submit' }).click();
			await tab.getByText('This field is required').first().waitFor();
			assert.equal((await stage.n8n.getExecution(id)).status, 'waiting');

			// Another person has the same form open and answers too late.
			await otherTab.goto(form);
			await fillIn(otherTab, { name: 'Luis Vega', decision: 'Reject' });

			writeFileSync(payrollFile(), 'amount\n1\n');
			assert.deepEqual(await sent(), []);
			await fillIn(tab, { name: 'Rosa Mamani', decision: 'Approve' });
			await submit(tab, `Approved: ${rows.length} payments are being sent.`);
			const execution = await stage.n8n.waitForExecution(id);
			assert.equal(execution.status, 'success', execution.error?.message);
			await submitLate(otherTab);
			await otherTab.goto(form);
			await otherTab.getByText('Form Submitted').waitFor();

			await assertPaid(rows, 'Rosa Mamani');
			assert.deepEqual((await stage.n8n.getExecution(id)).json(NOT_PAID), []);
		},
	);

	inBrowser('only one of two simultaneous answers counts', async () => {
		const rows = writePayroll(12);
		const asked = await ask();
		await tab.goto(asked.form);
		await otherTab.goto(asked.form);
		await fillIn(tab, { name: 'Rosa Mamani', decision: 'Approve' });
		await fillIn(otherTab, { name: 'Luis Vega', decision: 'Reject' });
		await Promise.all(
			[tab, otherTab].map((page) => page.getByRole('button', { name: 'Submit' }).click()),
		);
		const execution = await stage.n8n.waitForExecution(asked.id);
		const [{ Decision: decision }] = execution.json(WAIT);
		if (decision === 'Approve') await assertPaid(rows, 'Rosa Mamani');
		else await assertNothingPaid(asked, 'Luis Vega rejected it.');
	});

	contactsOnlyThisMachine();
});

/** The figures of the page and the message, from the file alone. */
function expectedFigures(rows) {
	const cents = new Map();
	for (const { currency_type: currency, amount } of rows)
		cents.set(currency, (cents.get(currency) ?? 0) + Math.round(Number(amount) * 100));
	return [
		`${rows.length} payments`,
		...[...cents].map(([currency, total]) => `${thousands(total / 100)} ${currency}`),
	];
}

/** Everybody in the list of the page. */
const expectedPayees = (rows) =>
	rows.map(
		({ first_name: first, last_name: last }, index) =>
			`\n${index + 1}: ${[first, last].filter(Boolean).join(' ')}\n`,
	);

function thousands(amount) {
	return Number(amount).toLocaleString('en-US', { minimumFractionDigits: 2 });
}
