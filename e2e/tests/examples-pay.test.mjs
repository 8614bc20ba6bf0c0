/** Examples that pay without a file on a disk: from a table, from a sheet, and on the last working day. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import {
	addTableRows,
	changeTableRow,
	deleteTable,
	readExample,
	tableRows,
} from '../harness/examples.mjs';
import { startGoogleSheets } from '../harness/googleSheets.mjs';
import { EXAMPLES_DIR } from '../harness/paths.mjs';
import { listen } from '../harness/ports.mjs';
import { useStage } from './support.mjs';
import { allExecutions, drain, publish, unpublish, until } from './trigger-support.mjs';

// Not in `before`: n8n needs its address when it starts, and these run at the same time.
const google = await startGoogleSheets();
after(() => google.close());
const { env } = google;

const stage = useStage('examples-pay', { sandboxArgs: ['--state-clock', '0'], env });

const PAYOUTS = '/v3/transactions/payouts/bank';
const PAY = 'Pay each row';
const WAIT = 'Wait 5 minutes';
const REVIEW = 'Report rows to review (replace me)';

const nodeOf = ({ nodes }, name) => nodes.find((node) => node.name === name);

/** @type {string[]} */
const published = [];

afterEach(async () => {
	for (const id of published.splice(0)) await unpublish(stage.n8n, id);
});

/** Imports and publishes an example that waits only a moment. */
async function start(name, change = async (/** @type {any} */ _workflow) => {}) {
	const example = readExample(name, stage);
	nodeOf(example, WAIT).parameters = { amount: 1, unit: 'seconds' };
	await change(example);
	const { id } = await stage.n8n.createWorkflow(example);
	await publish(stage.n8n, id);
	published.push(id);
	return id;
}

/** The account that a payment goes to. */
const accountOf = ({ request }) => request.transaction.destination_account;

/** Sets the status of the payments to these accounts, and waits until the events are logged. */
async function move(status, accounts) {
	const book = await stage.sandbox.transactions();
	const ids = book.filter((one) => accounts.includes(accountOf(one))).map(({ id }) => id);
	await stage.sandbox.admin('POST', '/transactions/status', { status, ids });
	await drain(stage);
}

/** Waits until the service has that many payments. */
const received = (count) =>
	until(
		async () => (await stage.sandbox.transactions()).length === count,
		`${count} payments are made`,
	);

/** Whether every reference and every account was paid at most once. */
async function assertPaidOnce() {
	const { duplicates } = await stage.sandbox.counters();
	assert.equal(duplicates, 0);
	const accounts = (await stage.sandbox.transactions()).map(accountOf);
	assert.equal(new Set(accounts).size, accounts.length);
}

/**
 * Where a twin has its rows.
 *
 * @typedef {object} Place
 * @property {string} example
 * @property {(workflow: any) => Promise<void>} empty prepares the place and the workflow
 * @property {() => Promise<any[]>} rows
 * @property {(rows: object[]) => Promise<void>} add
 * @property {(row: any, data: object) => Promise<void>} change
 */

const TABLE = 'payroll';

/** @type {Place} */
const dataTable = {
	example: 'pay-from-data-table',
	// The first execution creates it.
	empty: () => deleteTable(stage.n8n, TABLE),
	rows: () => tableRows(stage.n8n, TABLE),
	add: (rows) => addTableRows(stage.n8n, TABLE, rows),
	change: ({ id }, data) => changeTableRow(stage.n8n, TABLE, id, data),
};

/** n8n's own nodes of Google Sheets, with a Google on this machine. */
/** @type {Place} */
const googleSheet = {
	example: 'pay-from-google-sheet',
	async empty({ nodes }) {
		const own = nodes.filter(({ type }) => type === 'n8n-nodes-base.googleSheets');
		assert.equal(own.length, 5);
		const { id, name, type } = await stage.n8n.createCredential(google.credential());
		for (const node of own) {
			node.parameters.authentication = 'serviceAccount';
			node.credentials = { [type]: { id, name } };
		}
		const [spreadsheet] = nodeOf({ nodes }, 'Settings').parameters.assignments.assignments;
		spreadsheet.value = google.url;
		const { columns } = nodeOf({ nodes }, 'Write outcome').parameters;
		google.create(
			TABLE,
			columns.schema.map(({ id: column }) => column),
		);
	},
	rows: async () => google.rows,
	// A sheet has a formula in `payment`.
	add: async (rows) =>
		google.add(
			rows.map((/** @type {any} */ row) => ({
				...row,
				payment: `${row.period} ${row.destination_id_number}`,
			})),
		),
	change: async ({ row_number: number }, data) => google.change(number, data),
};

/** The names of the rows in the tests, whose position decides document and account. */
const PEOPLE = ['paid', 'declined', 'invalid', 'lost', 'never', 'failed', 'stuck', 'draft'];

const account = (person) => `70000000${PEOPLE.indexOf(person)}`;

function rowOf(index, { first = 'Ana', bank = '1001', state = 'READY', to = '' } = {}) {
	return {
		period: '2026-11',
		state,
		first_name: first,
		last_name: 'Quispe',
		destination_id_number: String(5_000_000 + index),
		bank_code: bank,
		destination_account: to,
		amount: 100.01 + index,
		currency_type: 'BOB',
		description: 'Salary',
	};
}

for (const { example, empty, rows, add, change: changeRow } of [dataTable, googleSheet]) {
	describe(`the example ${example}`, () => {
		/** Publishes it, without rows. */
		async function startEmpty(change = (/** @type {any} */ _workflow) => {}) {
			await stage.sandbox.reset();
			const id = await start(example, async (workflow) => {
				await empty(workflow);
				change(workflow);
			});
			const execution = await stage.n8n.runWorkflow(id);
			assert.equal(execution.status, 'success', execution.error?.message);
			assert.deepEqual(await stage.sandbox.transactions(), []);
			return id;
		}

		const rowTo = async (to) =>
			(await rows()).find(({ destination_account: own }) => own === to) ?? assert.fail(to);
		const change = async (person, data) => await changeRow(await rowTo(account(person)), data);

		/** The states by person, after comparing the rows with what the service has. */
		async function states() {
			const book = new Map(
				(await stage.sandbox.transactions()).map((one) => [accountOf(one), one]),
			);
			const found = {};
			for (const [index, person] of PEOPLE.entries()) {
				const row = await rowTo(account(person));
				const transaction = book.get(account(person));
				found[person] = row.state;
				assert.equal(row.destination_id_number, String(5_000_000 + index));
				// Also of the payment that has failed, if the row was changed and may not be paid again.
				assert.equal(row.transaction_id ?? '', transaction?.id ?? '', person);
				if (row.transaction_id) assert.equal(row.reference, transaction.reference);
			}
			await assertPaidOnce();
			return found;
		}

		async function run(id, meanwhile = async () => {}) {
			const executionId = await stage.n8n.startWorkflow(id);
			await meanwhile();
			const execution = await stage.n8n.waitForExecution(executionId);
			assert.equal(execution.status, 'success', execution.error?.message);
			return execution;
		}

		it('pays rows that are READY once, and its states are true after every run', async () => {
			const id = await startEmpty();
			const post = { method: 'POST', path: PAYOUTS };
			for (const [person, fault] of /** @type {const} */ ([
				['declined', { type: 'status', status: 422 }],
				['lost', { type: 'reset', when: 'after' }],
				['never', { type: 'reset', when: 'before' }],
			])) {
				await stage.sandbox.addFault({ match: { ...post, bodyContains: account(person) }, fault });
			}
			await add(
				PEOPLE.map((person, index) =>
					rowOf(index, {
						to: account(person),
						bank: person === 'invalid' ? 'Banco Unión' : '1001',
						state: person === 'draft' ? '' : 'READY',
					}),
				),
			);

			const first = await run(id, async () => {
				await received(4);
				await move('completed_transaction', ['paid', 'lost'].map(account));
				await move('failed_transaction', [account('failed')]);
			});
			const expected = {
				paid: 'ARRIVED',
				declined: 'REJECTED',
				invalid: 'NOT_SENT',
				lost: 'ARRIVED',
				never: 'UNKNOWN',
				failed: 'FAILED',
				stuck: 'CREATED',
				draft: '',
			};
			assert.deepEqual(await states(), expected);
			for (const person of ['declined', 'invalid', 'never', 'failed']) {
				const { message } = await rowTo(account(person));
				assert.notEqual(message ?? '', '', person);
			}
			const [{ subject, message }] = first.json(REVIEW);
			assert.equal(subject, 'Rows of the payroll to review: 4');
			assert.match(message, /^REJECTED: Ana Quispe, 101\.01 BOB\. /m);

			// The formula gives a second row of a payee the same key, wherever somebody sorts it.
			const copies = example === googleSheet.example ? ['790000000'] : [];
			for (const to of copies) {
				await add([rowOf(0, { to })]);
				google.reverse();
			}
			const second = await run(id);
			assert.deepEqual(await states(), expected);
			assert.equal((await stage.sandbox.transactions()).length, 4);
			for (const to of copies) {
				assert.match(second.json(REVIEW)[0].message, /^READY: Ana Quispe, 100\.01 BOB\. /m);
				const bonus = { period: '2026-11 bonus', payment: '2026-11 bonus 5000000', amount: 50 };
				await changeRow(await rowTo(to), bonus);
			}

			await change('declined', { state: 'READY' });
			await change('invalid', { state: 'READY', bank_code: '1001' });
			await change('draft', { state: 'READY' });
			await change('paid', { state: 'READY' });
			await change('never', { state: 'READY' });
			await change('failed', { state: 'READY', amount: 1 });
			await run(id, async () => {
				await received(7 + copies.length);
				const arrived = ['declined', 'invalid', 'draft', 'stuck'].map(account);
				await move('completed_transaction', [...arrived, ...copies]);
			});
			assert.deepEqual(await states(), {
				paid: 'ARRIVED',
				declined: 'ARRIVED',
				invalid: 'ARRIVED',
				lost: 'ARRIVED',
				never: 'UNKNOWN',
				failed: 'CONFLICT',
				stuck: 'ARRIVED',
				draft: 'ARRIVED',
			});
			for (const to of copies) assert.equal((await rowTo(to)).state, 'ARRIVED');
			// A payment that is said to be sent was sent as the row has it.
			for (const transaction of await stage.sandbox.transactions()) {
				const row = await rowTo(accountOf(transaction));
				if (row.state !== 'CONFLICT') {
					assert.equal(transaction.request.transaction.amount, row.amount);
				}
			}
			const sent = await stage.sandbox.requests(post);
			const accepted = sent.map(({ body }) => body.transaction.destination_account);
			// Only the one that was declined, and then corrected, was sent twice.
			assert.equal(accepted.filter((to) => to === account('declined')).length, 2);
			assert.equal(accepted.length, 9 + copies.length);
		});

		if (example !== dataTable.example) return;
	});
}

describe('the example pay-every-month', () => {
	const EVERY_MORNING = 'Every morning';
	const REMIND = 'Remind (replace me)';
	const SEND = 'Send the report (replace me)';
	const rows =
		readFileSync(path.join(EXAMPLES_DIR, 'planilla.csv'), 'latin1').trim().split('\r\n').length - 1;
	/** The files that can be downloaded. */
	const files = new Map();
	let url;
	const server = http.createServer(({ url: asked }, response) => {
		const file = files.get(asked);
		response.writeHead(file ? 200 : 404).end(file);
	});

	before(async () => {
		url = `http://127.0.0.1:${await listen(server)}`;
	});

	after(() => server.close());

	beforeEach(async () => {
		files.clear();
		await stage.sandbox.reset();
	});

	/** Changes the day on which n8n believes to be. */
	const on = (day) => (workflow) => {
		const node = nodeOf(workflow, 'This month');
		const text = JSON.stringify(node.parameters);
		node.parameters = JSON.parse(text.replaceAll('$now', `DateTime.fromISO('${day}T08:00')`));
	};

	const give = (period) =>
		files.set(`/payroll-${period}.xlsx`, readFileSync(path.join(EXAMPLES_DIR, 'planilla.xlsx')));

	async function begin(change = (/** @type {any} */ _workflow) => {}) {
		return await start('pay-every-month', async (workflow) => {
			const { parameters } = nodeOf(workflow, 'Get the file');
			parameters.url = parameters.url.replace('https://files.example.com', url);
			change(workflow);
		});
	}

	/** Changes the day in a workflow that is published. */
	async function runOn(id, day) {
		const { nodes } = await stage.n8n.rest('GET', `/workflows/${id}`);
		const original = nodeOf(readExample('pay-every-month', stage), 'This month').parameters;
		nodeOf({ nodes }, 'This month').parameters = structuredClone(original);
		on(day)({ nodes });
		await stage.n8n.updateWorkflow(id, { nodes });
		return await stage.n8n.startWorkflow(id, { trigger: EVERY_MORNING });
	}

	/** Lets all payments arrive, and waits for the end. */
	async function finish(executionId, count) {
		await received(count);
		await move('completed_transaction', (await stage.sandbox.transactions()).map(accountOf));
		const execution = await stage.n8n.waitForExecution(executionId);
		assert.equal(execution.status, 'success', execution.error?.message);
		return execution;
	}

	it('pays on the last working day, and pays nobody again if it is run in the next month', async () => {
		give('2026-11');
		const id = await begin();
		for (const day of ['2026-11-26', '2026-11-27', '2026-11-28', '2026-11-29']) {
			const early = await stage.n8n.waitForExecution(await runOn(id, day));
			assert.deepEqual([early.status, early.runs(PAY), early.runs(REMIND)], ['success', [], []]);
		}
		// One row is rejected, so that something is left for December.
		await stage.sandbox.addFault({
			match: { method: 'POST', path: PAYOUTS },
			fault: { type: 'status', status: 422 },
		});
		const paid = await finish(await runOn(id, '2026-11-30'), rows - 1);
		assert.equal(paid.json(SEND)[0].subject, `Payroll 2026-11: 1 of ${rows} payments to review`);
		assert.ok(paid.items(SEND)[0].binary.data, 'the report is attached');

		const next = await stage.n8n.waitForExecution(await runOn(id, '2026-12-01'));
		assert.deepEqual([next.status, next.runs('Get the file')], ['success', []]);
		const byHand = await finish(await stage.n8n.startWorkflow(id), rows);
		assert.equal(byHand.json(SEND)[0].subject, `Payroll 2026-11: 0 of ${rows} payments to review`);
		assert.equal((await stage.sandbox.transactions()).length, rows);
		await assertPaidOnce();
	});

	it('reminds of a missing file, and pays nothing', async () => {
		give('2026-10');
		const id = await begin();
		for (const day of ['2026-11-28', '2026-11-30']) {
			const execution = await stage.n8n.waitForExecution(await runOn(id, day));
			assert.equal(execution.status, 'success', execution.error?.message);
			const [{ subject, message }] = execution.json(REMIND);
			assert.equal(subject, 'The payroll 2026-11 needs you');
			assert.match(message, /Payday: 2026-11-30\. .*404/);
			assert.deepEqual(execution.runs(PAY), []);
		}
		const [{ message }] = (await stage.n8n.runWorkflow(id)).json(REMIND);
		assert.match(message, /Nothing was paid now\. Payday: \d/);
		assert.deepEqual(await stage.sandbox.transactions(), []);
	});

	it('starts the error workflow if it fails', async () => {
		const alert = await stage.n8n.createWorkflow(readExample('alert-on-failure', stage));
		await publish(stage.n8n, alert.id);
		give('2026-11');
		await begin((workflow) => {
			on('2026-11-30')(workflow);
			workflow.settings.errorWorkflow = alert.id;
			nodeOf(workflow, EVERY_MORNING).parameters.rule.interval = [
				{ field: 'seconds', secondsInterval: 1 },
			];
			nodeOf(workflow, 'Read the file').parameters.binaryPropertyName = 'nothing';
		});
		const { id: alerted } = await until(
			async () =>
				(await allExecutions(stage.n8n, alert.id)).find(({ status }) => status === 'success'),
			'the alert is written',
		);
		const execution = await stage.n8n.getExecution(alerted);
		const [{ subject, message }] = execution.json('Send alert (replace me)');
		assert.equal(subject, 'Pay on the last working day failed');
		assert.match(message, /nothing/);
		assert.deepEqual(await stage.sandbox.transactions(), []);
	});
});
