/** The approval of a payroll as the approver sees it. The requests to the service are the evidence. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe } from 'node:test';
import { parseCsv } from '../harness/csv.mjs';
import { readExample } from '../harness/examples.mjs';
import { EXAMPLES_DIR } from '../harness/paths.mjs';
import { answerQuestions, chooseDecision, useBrowser } from './browser-support.mjs';
import { allExecutions, publish, unpublish, until } from './trigger-support.mjs';

const ASK = 'Ask for approval (replace me)';
const DECIDE = 'Decide';
const SEND = 'Send the report (replace me)';
const NOT_PAID = 'Report that nothing was paid (replace me)';
const PAYOUTS = '/v3/transactions/payouts/bank';
const BUTTONS = { next: 'Continue', send: 'Send the decision' };

describe('the approval of a payroll in a browser', () => {
	/** Three tabs of people without an n8n account. */
	let clerk, tab, otherTab;
	/** The workflow of a test. */
	let workflow;

	const { stage, inBrowser, contactsOnlyThisMachine } = useBrowser(
		'browser-approval',
		async (_, browser) => {
			[clerk, tab, otherTab] = [
				await browser.openPage(),
				await browser.openPage({ viewport: { width: 390, height: 844 } }),
				await browser.openPage(),
			];
			return tab;
		},
		{ sandboxArgs: ['--state-clock', '0'] },
	);

	beforeEach(async () => {
		await stage.sandbox.reset();
	});

	afterEach(async () => {
		await unpublish(stage.n8n, workflow);
	});

	/** Publishes the example, and uploads that many rows, with some of their columns. */
	async function upload(count, { seconds = 600, without = ['description'] } = {}) {
		const example = readExample('approve-payroll', stage);
		const nodeOf = (wanted) => example.nodes.find(({ name }) => name === wanted);
		Object.assign(nodeOf(DECIDE).parameters, { resumeAmount: seconds, resumeUnit: 'seconds' });
		({ id: workflow } = await stage.n8n.createWorkflow(example));
		await publish(stage.n8n, workflow);
		const text = readFileSync(path.join(EXAMPLES_DIR, 'payroll.csv'), 'utf8');
		// A name of a company among names of people is asked about.
		const [head, ...people] = text.split('\n').filter((line) => !line.includes(',company,'));
		const rows = parseCsv(`${[head, ...people.slice(0, count)].join('\n')}\n`);
		// A description that only some rows have is asked about.
		const columns = head.split(',').filter((column) => !without.includes(column));
		const lines = [columns, ...rows.map((row) => columns.map((column) => row[column]))];
		const file = path.join(stage.folder, 'payroll.csv');
		writeFileSync(file, lines.map((cells) => `${cells.join(',')}\n`).join(''));
		await clerk.goto(`${stage.n8n.url}/form/${nodeOf('Payroll form').parameters.options.path}`);
		await clerk.getByLabel('Payroll file').setInputFiles(file);
		await clerk.getByLabel('Payroll', { exact: true }).fill('salaries 2026-11');
		await clerk.getByRole('button', { name: 'Check the file' }).click();
		return rows;
	}

	/** Uploads a payroll, and gives its rows and the message to the approver, which has the address of the page. */
	async function ask(count, options) {
		const rows = await upload(count, options);
		await answerQuestions(clerk, BUTTONS);
		return { rows, ...(await asked()) };
	}

	/** The message to the approver, once there is one. */
	async function asked() {
		return await until(async () => {
			const [execution] = await allExecutions(stage.n8n, workflow);
			if (!execution) return undefined;
			const messages = (await stage.n8n.getExecution(execution.id)).json(ASK);
			assert.ok(messages.length <= 1);
			const [{ message } = {}] = messages;
			return message && { id: execution.id, message, address: message.match(/http\S+$/)[0] };
		}, 'the approver is asked');
	}

	async function fillIn(page, name, decision) {
		await page.getByLabel('Your name').fill(name);
		return await chooseDecision(page, decision);
	}

	const submit = (page) => page.getByRole('button', { name: BUTTONS.send }).click();

	/** The requests to the service, without those with another test's token. */
	async function sent() {
		const requests = await stage.sandbox.requests({ method: 'POST', path: PAYOUTS });
		return requests.filter(({ status }) => status !== 401);
	}

	/** Every row of the file was paid once with its values, and the report has them. */
	async function assertPaid(id, rows, approvedBy) {
		const paid = (await sent()).map(({ body: { transaction } }) => [
			transaction.destination_account,
			transaction.amount,
		]);
		const due = rows.map((row) => [row.destination_account, Number(row.amount)]);
		assert.deepEqual(paid.toSorted(), due.toSorted());
		const execution = await stage.n8n.getExecution(id);
		const [{ html, count }] = execution.json(SEND);
		assert.equal(count, rows.length);
		assert.ok(html.includes(`Approved by ${approvedBy}.`));
		assert.deepEqual(execution.json(NOT_PAID), []);
	}

	/** Nothing was sent, and the workflow reports the reason. */
	async function assertNothingPaid(id, reason) {
		const execution = await until(async () => {
			const latest = await stage.n8n.getExecution(id);
			return latest.json(NOT_PAID).length && latest;
		}, 'it is reported');
		assert.deepEqual(
			execution.json(NOT_PAID).map(({ subject }) => subject),
			['The payroll salaries 2026-11 was not paid'],
		);
		assert.match(execution.json(NOT_PAID)[0].message, reason);
		assert.deepEqual(await sent(), []);
	}

	inBrowser(
		'the form shows count, totals and everybody who is paid, and exactly these are paid',
		async () => {
			const { id, rows, message, address } = await ask(150);
			await tab.goto(address);
			const page = await tab.locator('.html').innerText();
			for (const text of expectedFigures(rows)) {
				assert.ok(page.includes(text), `${text} is not in:\n${page}`);
				assert.ok(message.includes(text), text);
			}
			for (const row of rows) assert.ok(page.includes(row.destination_account), page);

			// The browser requires a name before it sends anything.
			await chooseDecision(tab, 'Approve');
			await submit(tab);
			await tab.getByText('This field is required').first().waitFor();
			assert.equal((await stage.n8n.getExecution(id)).status, 'waiting');

			// Another person has the same form open and answers too late.
			await otherTab.goto(address);
			await fillIn(otherTab, 'Luis Vega', 'Refuse');
			assert.deepEqual(await sent(), []);
			await fillIn(tab, 'Rosa Mamani', 'Approve');
			await submit(tab);
			await tab.getByText('Approved by Rosa Mamani.').waitFor();
			// As long as the execution runs, n8n answers no request for its page (`waiting-forms.js` of n8n 2.41.1).
			await stage.n8n.waitForExecution(id);
			await submit(otherTab);
			await otherTab.goto(address);
			await otherTab.getByText('Approved by Rosa Mamani.').waitFor();
			await assertPaid(id, rows, 'Rosa Mamani');
		},
	);

	inBrowser('only one of two simultaneous answers counts', async () => {
		const { id, rows, address } = await ask(12);
		await tab.goto(address);
		await otherTab.goto(address);
		await fillIn(tab, 'Rosa Mamani', 'Approve');
		await fillIn(otherTab, 'Luis Vega', 'Refuse');
		await Promise.all([tab, otherTab].map(submit));
		const execution = await until(async () => {
			const latest = await stage.n8n.getExecution(id);
			return (latest.json(SEND).length || latest.json(NOT_PAID).length) && latest;
		}, 'it is decided');
		if (execution.json(SEND).length > 0) await assertPaid(id, rows, 'Rosa Mamani');
		else await assertNothingPaid(id, /^Luis Vega refused it\./);
	});

	inBrowser('nothing is paid if nobody decides in time, and the page says why', async () => {
		// Nothing is asked about the other columns, so nobody has to see a page before it is too late.
		await upload(3, { seconds: 5, without: ['description', 'external_reference'] });
		const { id, address } = await asked();
		await assertNothingPaid(id, /^Nobody decided in time\.$/);
		await tab.goto(address);
		await tab.getByText('Nobody decided in time: nothing was paid').first().waitFor();
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

function thousands(amount) {
	return Number(amount).toLocaleString('en-US', { minimumFractionDigits: 2 });
}
