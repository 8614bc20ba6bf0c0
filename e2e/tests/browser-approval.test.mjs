/** The approval of a payroll as the approver sees it. The requests to the service are the evidence. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe } from 'node:test';
import { parseCsv } from '../harness/csv.mjs';
import { Editor } from '../harness/editor.mjs';
import { readExample } from '../harness/examples.mjs';
import { EXAMPLES_DIR } from '../harness/paths.mjs';
import { comparePayroll, resultFiles } from '../harness/payroll.mjs';
import { useBrowser } from './browser-support.mjs';
import { until } from './trigger-support.mjs';

const ASK = 'Ask for approval (replace me)';
const WAIT = 'Wait for the decision';
const NOT_PAID = 'Report that nothing was paid (replace me)';
const PAYOUTS = '/v3/transactions/payouts/bank';

const PHONE = { width: 360, height: 740 };
const DESKTOP = { width: 1280, height: 800 };

describe('the approval of a payroll in a browser', () => {
	/** Two tabs of people without an n8n account. */
	let tab, otherTab;
	/** The payer's tab, signed in to n8n. */
	let editor;

	const { stage, inBrowser, contactsOnlyThisMachine } = useBrowser(
		'browser-approval',
		async ({ n8n }, browser) => {
			tab = await browser.openPage();
			otherTab = await browser.openPage();
			editor = new Editor(await browser.openPage(), n8n);
			await editor.signIn();
			return tab;
		},
		{ sandboxArgs: ['--state-clock', '0'] },
	);

	const payrollFile = () => path.join(stage.filesFolder, 'payroll-to-approve.csv');
	const readRows = () => parseCsv(readFileSync(payrollFile(), 'utf8'));
	const readResult = (file) => parseCsv(readFileSync(file, 'utf8'));

	/** Writes a payroll with that many rows where the example reads it. */
	function writePayroll(count, change = (text) => text) {
		const text = readFileSync(path.join(EXAMPLES_DIR, 'payroll.csv'), 'utf8');
		const lines = text.split('\n').slice(0, count + 1);
		writeFileSync(payrollFile(), change(`${lines.join('\n')}\n`));
		return readRows();
	}

	beforeEach(async () => {
		await stage.sandbox.reset();
		for (const file of resultFiles(stage.filesFolder)) rmSync(file);
	});

	/** @param {(example: any) => void} [change] */
	async function importExample(name, change = () => {}) {
		const example = readExample(name, stage);
		change(example);
		return (await stage.n8n.createWorkflow(example)).id;
	}

	/** Runs the workflow until it waits for a person. */
	async function ask(workflow) {
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

	/** What is above the fields. */
	const formHeader = () => tab.locator('.form-header').first();

	/** The same as text, with the cells of a row as in the message. */
	async function formText() {
		const text = await formHeader().innerText();
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
			const { id, form, message } = await ask(await importExample('approve-payroll'));
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

	inBrowser('the form fits a phone and shows a name as it is in the file', async () => {
		const [{ first_name: first }] = writePayroll(1);
		const name = '<img src="http://127.0.0.1:9/">Ana & <b>Cía</b>';
		writeFileSync(
			payrollFile(),
			readFileSync(payrollFile(), 'utf8').replace(first, `"${name.replaceAll('"', '""')}"`),
		);
		const asked = await ask(await importExample('approve-payroll'));
		await tab.setViewportSize(PHONE);
		await tab.goto(asked.form);
		const page = await formText();
		assert.ok(page.includes('1 payment'), page);
		assert.ok(page.includes(`1: ${name}`), page);
		assert.equal(await formHeader().locator('img').count(), 0);
		assert.ok(
			await tab.evaluate(
				() => globalThis.document.documentElement.scrollWidth <= globalThis.innerWidth,
			),
			'the page is wider than the phone',
		);
		await tab.setViewportSize(DESKTOP);
		await stage.n8n.stopExecution(asked.id);
	});

	inBrowser('nothing is paid if the approver rejects it', async () => {
		writePayroll(12);
		const asked = await ask(await importExample('approve-payroll'));
		await tab.goto(asked.form);
		await fillIn(tab, { name: 'Rosa Mamani', decision: 'Reject', reason: 'Row 7 is too much.' });
		await submit(tab, 'Nothing is paid.');
		await assertNothingPaid(asked, 'Rosa Mamani rejected it. Row 7 is too much.');
	});

	inBrowser('only one of two simultaneous answers counts', async () => {
		const rows = writePayroll(12);
		const asked = await ask(await importExample('approve-payroll'));
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

	inBrowser('the form tells what was paid before, and a paid file asks nobody', async () => {
		writePayroll(12);
		const workflow = await importExample('approve-payroll');
		const approve = async () => {
			const asked = await ask(workflow);
			await tab.goto(asked.form);
			const page = await formText();
			await fillIn(tab, { name: 'Rosa Mamani', decision: 'Approve' });
			await submit(tab);
			const execution = await stage.n8n.waitForExecution(asked.id);
			assert.equal(execution.status, 'success', execution.error?.message);
			return page;
		};
		assert.match(await approve(), /12 payments.*Nobody was paid from here before/s);
		assert.equal((await sent()).length, 12);

		const again = await stage.n8n.runWorkflow(workflow);
		assert.deepEqual(again.json(ASK), []);
		assert.match(
			again.json(NOT_PAID)[0].message,
			/^All of this was paid before.*Paid before, not paid again: 12/s,
		);

		// One person joins, and the account of another one has changed.
		const rows = writePayroll(13);
		const { destination_account: account, external_reference: reference } = rows[4];
		const changed = readFileSync(payrollFile(), 'utf8')
			.replace(account, `9${account}`)
			.replace(reference, randomUUID());
		writeFileSync(payrollFile(), changed);
		const page = await approve();
		for (const text of [
			'2 payments',
			'Paid before, not paid again: 11',
			`5: ${[rows[4].first_name, rows[4].last_name].filter(Boolean).join(' ')}\n`,
			'account changed',
			'\nnew: ',
		]) {
			assert.ok(page.includes(text), `${text} is not in:\n${page}`);
		}
		assert.equal((await sent()).length, 14);
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
