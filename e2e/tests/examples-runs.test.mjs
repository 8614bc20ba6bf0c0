/** Runs the examples and checks the requests to the service and the results. */
import assert from 'node:assert/strict';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setOptions } from '../../test/fixtures/form.cjs';
import { startCollector } from '../harness/collector.mjs';
import { parseCsv } from '../harness/csv.mjs';
import { deleteTable, readExample, tableRows } from '../harness/examples.mjs';
import { EXAMPLES_DIR } from '../harness/paths.mjs';
import { resultFiles } from '../harness/payroll.mjs';
import { partnerPayments, runNode, useStage } from './support.mjs';
import {
	allExecutions,
	drain,
	edit,
	EVENTS,
	publish,
	unpublish,
	until,
} from './trigger-support.mjs';

const stage = useStage('examples-runs', { sandboxArgs: ['--state-clock', '0'] });

const ALERT = 'Send alert (replace me)';

const REVIEW = 'Report rows to review (replace me)';

/** @typedef {import('../harness/csv.mjs').Row} Row */

/**
 * Imports an example, with an optional change.
 *
 * @param {string} name
 * @param {(example: any) => void} [change]
 */
async function importExample(name, change = () => {}) {
	const example = readExample(name, stage);
	change(example);
	return (await stage.n8n.createWorkflow(example)).id;
}

/** Changes a value in the node Settings, as a user does. */
function setting(name, value) {
	return ({ nodes }) => {
		const settings = nodes.find((node) => node.name === 'Settings');
		const assignment = settings.parameters.assignments.assignments.find(
			(entry) => entry.name === name,
		);
		assignment.value = typeof value === 'object' ? JSON.stringify(value) : value;
	};
}

async function runSuccessfully(id) {
	const execution = await stage.n8n.runWorkflow(id);
	assert.equal(execution.status, 'success', execution.error?.message);
	return execution;
}

/** Sets the service's response to one path. */
async function answer(route, body) {
	await stage.sandbox.clearFaults();
	await stage.sandbox.addFault({
		match: { path: route },
		times: 'always',
		fault: { type: 'json', body },
	});
}

/** The number of requests to the service, without those with another test's token. */
async function answered(route) {
	const requests = await stage.sandbox.requests({ path: route });
	return requests.filter(({ status }) => status === 200).length;
}

const readCsv = (name) => parseCsv(readFileSync(path.join(stage.filesFolder, name), 'utf8'));

/** @returns {Promise<string>} the identifier of a webhook that gets these events */
async function createWebhook(
	description,
	url,
	events = ['pending_transaction', 'completed_transaction'],
) {
	const execution = await runNode(
		stage,
		partnerPayments(stage, {
			resource: 'webhook',
			operation: 'create',
			url,
			additionalFields: { description },
			events,
		}),
	);
	assert.equal(execution.status, 'success', execution.error?.message);
	return execution.json('Node')[0].id;
}

describe('the examples with a schedule', () => {
	for (const name of ['low-balance-alert', 'best-quote-watcher']) {
		it(`${name} runs on its schedule after it is published`, async () => {
			const id = await importExample(name, ({ nodes }) => {
				const schedule = nodes.find(({ type }) => type.endsWith('.scheduleTrigger'));
				schedule.parameters.rule.interval = [{ field: 'seconds', secondsInterval: 1 }];
			});
			await publish(stage.n8n, id);
			const execution = await until(async () => {
				// The first one: others may start before it has created its table.
				const first = (await allExecutions(stage.n8n, id)).at(-1);
				return ['success', 'error'].includes(first?.status) && first;
			}, 'the schedule has run it');
			await unpublish(stage.n8n, id);
			assert.equal(execution.mode, 'trigger');
			assert.equal(execution.status, 'success');
		});
	}
});

describe('the example "Low balance alert"', () => {
	const TABLE = 'payout_balances';

	beforeEach(async () => {
		await stage.sandbox.reset();
		await deleteTable(stage.n8n, TABLE);
	});

	const setBalances = (...balances) =>
		stage.sandbox.admin('PUT', '/balances', {
			balances: balances.map(([balance, fiat]) => ({ type: 'withdrawal_ach', balance, fiat })),
		});

	it('alerts once about a low balance, and again only after it was fine', async () => {
		const id = await importExample('low-balance-alert');
		const alerts = async (...balances) => {
			await setBalances(...balances);
			const execution = await runSuccessfully(id);
			return execution.json(ALERT).map(({ subject, message }) => [subject, message]);
		};
		const alert = [
			'Low balance: withdrawal_ach BOB',
			'withdrawal_ach BOB has 6999.99 BOB left. Your minimum is 7000 BOB.',
		];

		assert.deepEqual(await alerts([7000, 'BOB'], [1000, 'USD']), []);
		assert.deepEqual(await alerts([6999.99, 'BOB'], [1000, 'USD']), [alert]);
		assert.deepEqual(await alerts([5, 'BOB'], [1000, 'USD']), []);
		assert.deepEqual(
			(await tableRows(stage.n8n, TABLE)).map(({ account, balance, minimum, state, alerted }) => ({
				account,
				balance,
				minimum,
				state,
				alerted,
			})),
			[
				{ account: 'withdrawal_ach BOB', balance: 5, minimum: 7000, state: 'low', alerted: true },
				{
					account: 'withdrawal_ach USD',
					balance: 1000,
					minimum: 1000,
					state: 'fine',
					alerted: null,
				},
			],
		);
		assert.deepEqual(await alerts([8000, 'BOB']), []);
		assert.deepEqual(await alerts([6999.99, 'BOB']), [alert]);

		assert.equal(await answered('/v2/transactions/payouts/balance'), 5);
	});
});

describe('the example "Best quote watcher"', () => {
	const TABLE = 'best_quotes';
	const quote = (pair, transactionType, partnerExchangeRate) => ({
		transactionType,
		pair,
		serviceExchangeRate: 7,
		partnerExchangeRate,
		partnerPctFee: 0.5,
		timeStamp: '2026-11-21T08:00:00.000Z',
	});
	const WATCH = [
		{ pair: 'USDC/BOB', better: 'higher', target: 6.9 },
		{ pair: 'BOB/USDC', better: 'lower', target: 7 },
		{ pair: 'USDT/BOB', better: 'higher', target: 6, type: 'withdrawal_ach' },
		{ pair: 'USDT/XYZ', better: 'higher', target: 1 },
	];

	beforeEach(async () => {
		await stage.sandbox.reset();
		await deleteTable(stage.n8n, TABLE);
	});

	it('finds the best quote of each pair', async () => {
		await answer('/v2/quotes', [
			quote('USDC/BOB', 'withdrawal_express', 6.85),
			quote('USDC/BOB', 'withdrawal_ach', '6.95'),
			quote('USDC/BOB', 'deposit_express', null),
			quote('BOB/USDC', 'deposit_express', 7.1),
			quote('BOB/USDC', 'withdrawal_express', 7.05),
			quote('USDT/BOB', 'withdrawal_express', 9),
			quote('USDT/BOB', 'withdrawal_ach', 6),
		]);
		const id = await importExample('best-quote-watcher', setting('watch', WATCH));
		const execution = await runSuccessfully(id);
		assert.deepEqual(
			(await tableRows(stage.n8n, TABLE)).map(
				({ watch, transaction_type: type, rate, state, alerted }) => [
					watch,
					type,
					rate,
					state,
					alerted,
				],
			),
			[
				['USDC/BOB', 'withdrawal_ach', 6.95, 'reached', true],
				['BOB/USDC', 'withdrawal_express', 7.05, 'waiting', null],
				['USDT/BOB withdrawal_ach', 'withdrawal_ach', 6, 'reached', true],
				['USDT/XYZ', '', null, 'no quote', null],
			],
		);
		assert.deepEqual(
			execution.json(ALERT).map(({ subject, message }) => [subject, message]),
			[
				[
					'USDC/BOB is at 6.95',
					'The best quote for USDC/BOB is 6.95 (withdrawal_ach, fee 0.5 %). You were waiting for 6.9.',
				],
				[
					'USDT/BOB withdrawal_ach is at 6',
					'The best quote for USDT/BOB withdrawal_ach is 6 (withdrawal_ach, fee 0.5 %). You were waiting for 6.',
				],
			],
		);
	});
});

describe('the example "Onboard a list of clients"', () => {
	const RESULT = 'clients-result.csv';
	let id;

	before(async () => {
		id = await importExample('onboard-clients');
	});

	beforeEach(async () => {
		await stage.sandbox.reset();
		await deleteTable(stage.n8n, 'onboarded_clients');
		rmSync(path.join(stage.filesFolder, RESULT), { force: true });
	});

	async function onboard(...lines) {
		const file = path.join(stage.filesFolder, 'clients.csv');
		if (lines.length === 0) cpSync(path.join(EXAMPLES_DIR, 'clients.csv'), file);
		else writeFileSync(file, ['name,email,type,country', ...lines, ''].join('\n'));
		return await stage.n8n.runWorkflow(id);
	}

	/** The requested clients by email address. */
	async function created() {
		const requests = await stage.sandbox.requests({ method: 'POST', path: '/v2/business-clients' });
		return requests.map(({ body }) => body.email);
	}

	it('creates each client once and saves its link for later runs', async () => {
		const clients = parseCsv(readFileSync(path.join(EXAMPLES_DIR, 'clients.csv'), 'utf8'));
		const emails = clients.map(({ email }) => email);

		const first = await onboard();
		assert.equal(first.status, 'success', first.error?.message);
		assert.deepEqual(await created(), emails);
		const rows = readCsv(RESULT);
		assert.deepEqual(
			rows.map(({ name, email, type, country }) => ({ name, email, type, country })),
			clients,
		);
		for (const { outcome, verificationLink, clientId } of rows) {
			assert.equal(outcome, 'created');
			assert.equal(verificationLink, `https://verification.example/onboarding/${clientId}`);
		}

		const second = await onboard();
		assert.equal(second.status, 'success', second.error?.message);
		assert.deepEqual(await created(), emails);
		assert.deepEqual(
			readCsv(RESULT),
			rows.map((row) => ({ ...row, outcome: 'exists', status: 'Pending' })),
		);
	});

	it('creates the missing clients if it is run again after a failure', async () => {
		const list = ['A,a@example.com,company,BO', 'B,b@example.com,company,BO'];
		// The first is rejected. The second is created, but its response is lost.
		const match = { method: 'POST', path: '/v2/business-clients' };
		await stage.sandbox.addFault({ match, fault: { type: 'status', status: 503 } });
		await stage.sandbox.addFault({ match, fault: { type: 'reset', when: 'after' } });
		const first = await onboard(...list);
		assert.equal(first.json(REVIEW).length, 1);
		assert.deepEqual(
			readCsv(RESULT).map(({ outcome }) => outcome),
			['failed', 'failed'],
		);

		const second = await onboard(...list);
		assert.equal(second.status, 'success', second.error?.message);
		const [a, b] = readCsv(RESULT);
		assert.equal(a.outcome, 'created');
		assert.equal(b.outcome, 'exists');
		assert.match(b.message, /Its link is not saved here/);
		assert.equal((await created()).filter((email) => email === 'b@example.com').length, 1);
	});
});

describe('the examples that report and reconcile payments', () => {
	const PAYOUTS = '/v3/transactions/payouts/bank';
	const ASK = 'Ask the service (replace me)';
	const RECONCILED_FILE = /^reconciled-.*\.csv$/;
	const REPORT_FILE = /^payroll-report-.*\.csv$/;
	/** The events that the trigger registers if all are chosen. */
	const HOUR = 3_600_000;
	const PROCESSING = { status: 'processing_transaction', afterMs: HOUR };
	const COMPLETED = { status: 'completed_transaction', afterMs: HOUR };
	let collector;

	before(async () => {
		collector = await startCollector();
	});

	after(() => collector.close());

	beforeEach(async () => {
		await stage.sandbox.reset();
		for (const name of readdirSync(stage.filesFolder)) {
			if (/result|report|reconcil/.test(name)) rmSync(path.join(stage.filesFolder, name));
		}
	});

	/** Writes a payroll with that many rows where the examples read it. */
	function writePayroll(count) {
		const text = readFileSync(path.join(EXAMPLES_DIR, 'payroll.csv'), 'utf8');
		const lines = text
			.trimEnd()
			.split('\n')
			.slice(0, count + 1);
		writeFileSync(path.join(stage.filesFolder, 'payroll.csv'), `${lines.join('\n')}\n`);
		return parseCsv(`${lines.join('\n')}\n`);
	}

	/** Imports the example that pays a spreadsheet, with the file of `writePayroll`. */
	const importPayroll = () =>
		importExample(
			'pay-payroll-from-spreadsheet',
			setting('payrollFile', path.join(stage.filesFolder, 'payroll.csv')),
		);

	/** Injects a fault into the payment of a row, once. */
	const spoil = (/** @type {Row} */ { external_reference: reference }, fault) =>
		stage.sandbox.addFault({
			match: { method: 'POST', path: PAYOUTS, bodyContains: reference },
			fault,
		});

	/** Sets the lifecycle of a row's payment. */
	const lifecycle = (/** @type {Row} */ { external_reference: reference }, steps) =>
		stage.sandbox.addLifecycle({ match: { reference }, steps });

	/** Advances the service's clock and waits until all events are logged. */
	async function letPass(ms) {
		await stage.sandbox.advance(ms);
		await drain(stage);
	}

	/** Sets the status of some rows' payments and waits until the events are logged. */
	async function move(status, rows) {
		const book = await stage.sandbox.transactions();
		const references = rows.map((row) => row.external_reference);
		const ids = book.filter(({ reference }) => references.includes(reference)).map(({ id }) => id);
		await stage.sandbox.admin('POST', '/transactions/status', { status, ids });
		await drain(stage);
	}

	/** The files of a kind, the oldest first, by the time in their names. */
	const filesLike = (pattern) =>
		readdirSync(stage.filesFolder)
			.filter((name) => pattern.test(name))
			.sort();

	/** The differences of a report from the file and from the service, empty if all agree. */
	async function differences(report, rows) {
		const book = new Map(
			(await stage.sandbox.transactions()).map((transaction) => [
				transaction.reference,
				transaction,
			]),
		);
		const found = [];
		if (report.length !== rows.length) found.push(`${report.length} of ${rows.length} rows`);
		for (const [index, row] of rows.entries()) {
			const { external_reference: reference, first_name: first, last_name: last } = row;
			const line = report.find((entry) => entry.reference === reference);
			const transaction = book.get(reference);
			book.delete(reference);
			const expected = {
				row: String(index + 1),
				payee: [first, last].filter(Boolean).join(' '),
				currency: row.currency_type,
				account: [row.bank_code, row.destination_account].join(' '),
				status: transaction?.status ?? 'notFound',
				transactionId: transaction?.id ?? '',
			};
			for (const [column, value] of Object.entries(expected)) {
				if (line?.[column] !== value) {
					found.push(`${reference}: ${column} is ${line?.[column]} and not ${value}`);
				}
			}
			const hasArrived = transaction?.status === 'completed_transaction';
			if ((line?.verdict === 'Arrived') !== hasArrived) {
				found.push(`${reference}: verdict is ${line?.verdict}`);
			}
			if (Number(line?.amount) !== Number(row.amount)) found.push(`${reference}: amount`);
			// A payment that failed is a conflict when its file is run again.
			if (['created', 'conflict'].includes(line?.outcome) !== (transaction !== undefined)) {
				found.push(`${reference}: outcome is ${line?.outcome}`);
			}
		}
		for (const reference of book.keys()) found.push(`${reference} is in no row`);
		return found;
	}

	it('"Pay and report" reports the status of every payment and continues in a second run', async () => {
		await createWebhook('All events', collector.url, EVENTS);
		const rows = writePayroll(200);
		const [declined, lost, never, failed, rejected, expired, late, stuck] = [
			3, 30, 60, 90, 95, 100, 120, 125,
		].map((index) => rows[index]);
		await spoil(declined, { type: 'status', status: 422 });
		await spoil(lost, { type: 'reset', when: 'after' });
		await spoil(never, { type: 'reset', when: 'before' });
		await lifecycle(failed, [PROCESSING, { status: 'failed_transaction', afterMs: HOUR }]);
		await lifecycle(rejected, [{ status: 'reject_transaction', afterMs: HOUR }]);
		await lifecycle(expired, [{ status: 'expired_transaction', afterMs: HOUR }]);
		await lifecycle(late, [PROCESSING, { ...COMPLETED, afterMs: 20 * HOUR }]);
		await lifecycle(stuck, []);
		// About every third of the others sends its processing event after its completion.
		await stage.sandbox.addLifecycle({
			probability: 0.3,
			seed: 1,
			steps: [{ ...PROCESSING, eventLast: true }, COMPLETED],
		});
		await stage.sandbox.addLifecycle({ steps: [PROCESSING, COMPLETED] });

		// Enough time for one more reading, but not for the late payment.
		const workflow = await importExample('pay-and-report', setting('waitMinutes', 0.15));
		const id = await stage.n8n.startWorkflow(workflow);
		await until(
			async () => (await stage.sandbox.transactions()).length === 198,
			'all payments are made',
		);
		await letPass(3 * HOUR);
		const first = await stage.n8n.waitForExecution(id);

		const [firstFile] = filesLike(REPORT_FILE);
		const report = readCsv(firstFile);
		assert.deepEqual(await differences(report, rows), []);
		/** @type {Array<[Row, string, string]>} */
		const toReview = [
			[declined, 'rejected', 'notFound'],
			[never, 'unknown', 'notFound'],
			[failed, 'created', 'failed_transaction'],
			[rejected, 'created', 'reject_transaction'],
			[expired, 'created', 'expired_transaction'],
			[late, 'created', 'processing_transaction'],
			[stuck, 'created', 'pending_transaction'],
		];
		assert.deepEqual(
			report
				.filter(({ verdict }) => verdict !== 'Arrived')
				.map((line) => [line.reference, line.outcome, line.status]),
			toReview.map(([row, ...expected]) => [row.external_reference, ...expected]),
		);
		// The reason of the rejection, not that the logs lack it.
		assert.match(report[3].verdict, /^Rejected: /);
		assert.match(report[60].verdict, /^Not known: /);
		assert.match(report[60].message, /The logs do not have it/);
		// What is on its way needs nobody.
		assert.equal(first.status, 'success', first.error?.message);
		const [{ subject, message, file }] = first.json(REVIEW);
		assert.equal(subject, 'Payroll 2026-11: 5 of 200 payments to review');
		assert.match(message, /Arrived: 193 .*On its way: 2 .*Not known: 1 /s);
		const page = readFileSync(path.join(stage.filesFolder, file), 'utf8');
		for (const [row] of toReview.slice(0, 5)) assert.ok(page.includes(row.external_reference));
		assert.ok(page.indexOf('Not known') < page.indexOf('All rows, in the order of the file'));

		// A day later. The service has all but the one that never arrived; it accepts the rejected one now.
		await letPass(24 * HOUR);
		const again = await stage.n8n.startWorkflow(workflow);
		await until(
			async () => (await stage.sandbox.transactions()).length === 199,
			'the rejected one is paid',
		);
		await letPass(3 * HOUR);
		const second = await stage.n8n.waitForExecution(again);
		const [unchanged, secondFile, ...others] = filesLike(REPORT_FILE);
		assert.deepEqual(others, []);
		assert.equal(unchanged, firstFile);
		assert.deepEqual(readCsv(firstFile), report);
		const reconciled = readCsv(secondFile);
		assert.deepEqual(await differences(reconciled, rows), []);
		assert.deepEqual(
			reconciled
				.filter(({ verdict }) => verdict !== 'Arrived')
				.map((line) => [line.reference, line.outcome, line.status]),
			[
				[never.external_reference, 'unknown', 'notFound'],
				...toReview
					.filter(([row]) => [failed, rejected, expired, stuck].includes(row))
					.map(([row, outcome, status]) => [
						row.external_reference,
						row === stuck ? outcome : 'conflict',
						status,
					]),
			],
		);
		assert.equal(second.json(REVIEW)[0].subject, 'Payroll 2026-11: 4 of 200 payments to review');
		assert.equal((await stage.sandbox.transactions()).length, 199);
	});

	it('"Reconcile unknown payments" separates created rows from rows to ask about, which can be paid again', async () => {
		await createWebhook('All events', collector.url, EVENTS);
		const rows = writePayroll(6);
		const [, lost, never, declined, failed, neverEither] = rows;
		await spoil(lost, { type: 'reset', when: 'after' });
		await spoil(failed, { type: 'reset', when: 'after' });
		await spoil(never, { type: 'reset', when: 'before' });
		await spoil(neverEither, { type: 'reset', when: 'before' });
		await spoil(declined, { type: 'status', status: 422 });
		const payroll = await importPayroll();
		assert.equal((await runSuccessfully(payroll)).json(REVIEW).length, 1);
		await move('failed_transaction', [failed]);
		await move('completed_transaction', [rows[0], lost]);

		const [resultFile] = resultFiles(stage.filesFolder);
		const reconcile = await importExample(
			'reconcile-unknown-payments',
			setting('resultFile', resultFile),
		);
		const execution = await runSuccessfully(reconcile);
		const reconciled = readCsv(filesLike(RECONCILED_FILE)[0]);
		assert.deepEqual(
			reconciled.map(({ reference, outcome, status }) => [reference, outcome, status]),
			[
				[lost.external_reference, 'created', 'completed_transaction'],
				[never.external_reference, 'unknown', 'notFound'],
				[failed.external_reference, 'created', 'failed_transaction'],
				[neverEither.external_reference, 'unknown', 'notFound'],
			],
		);
		const book = await stage.sandbox.transactions();
		for (const { reference, transactionId } of reconciled) {
			const transaction = book.find((entry) => entry.reference === reference);
			assert.equal(transactionId, transaction?.id ?? '');
		}
		assert.deepEqual(
			reconciled.map(({ verdict, row }) => [verdict.split(':')[0], row]),
			[
				['Arrived', '2'],
				['Not known', '3'],
				['Did not arrive', '5'],
				['Not known', '6'],
			],
		);
		assert.equal(reconciled[0].payee, [lost.first_name, lost.last_name].filter(Boolean).join(' '));
		assert.equal(execution.json('Nothing to do').length, 2);
		const [{ subject, references }, ...others] = execution.json(ASK);
		assert.deepEqual(others, []);
		assert.equal(subject, 'Payments that are not in the logs: 2');
		assert.equal(references, `${never.external_reference}\n${neverEither.external_reference}`);

		// The service has neither: they are paid again, together with the rejected one.
		await edit(stage.n8n, payroll, ({ nodes }) => {
			const { parameters } = nodes.find(({ name }) => name === 'Pay each row');
			setOptions(parameters, { ifAlreadySent: 'payAgain', referencesToPayAgain: references });
		});
		const again = await stage.n8n.runWorkflow(payroll);
		assert.equal(again.status, 'success', again.error?.message);
		assert.deepEqual(
			(await stage.sandbox.transactions()).map(({ reference }) => reference).sort(),
			rows.map((row) => row.external_reference).sort(),
		);
	});

	it('"Reconcile payments" finds the differences between the file, the logs and the service', async () => {
		await createWebhook('All events', collector.url, EVENTS);
		const file = path.join(stage.filesFolder, 'payroll.csv');
		const rows = writePayroll(5);
		const [arrived, failed, never, otherAmount, unplanned] = rows;
		await spoil(never, { type: 'reset', when: 'before' });
		await lifecycle(failed, [{ status: 'failed_transaction', afterMs: HOUR }]);
		await stage.sandbox.addLifecycle({ steps: [PROCESSING, COMPLETED] });
		assert.equal((await runSuccessfully(await importPayroll())).json(REVIEW).length, 1);
		await letPass(3 * HOUR);
		const lines = readFileSync(file, 'utf8').split('\n');
		const lineOf = (/** @type {Row} */ { external_reference: reference }) =>
			lines.findIndex((line) => line.includes(reference));
		lines[lineOf(otherAmount)] = lines[lineOf(otherAmount)].replace(otherAmount.amount, '1.01');
		lines.splice(lineOf(unplanned), 1);
		writeFileSync(file, lines.join('\n'));

		const execution = await runSuccessfully(await importExample('reconcile-payments'));
		const book = new Map((await stage.sandbox.transactions()).map((one) => [one.reference, one]));
		assert.deepEqual(
			readCsv(filesLike(/^reconciliation-.*\.csv$/).at(-1)).map((line) => [
				line.reference,
				line.finding,
				line.status,
				line.transactionId,
			]),
			Object.entries({ notInFile: unplanned, otherAmount, failed, notFound: never, arrived }).map(
				([finding, { external_reference: reference }]) => {
					const { status = '', id = '' } = book.get(reference) ?? {};
					return [reference, finding, status, id];
				},
			),
		);
		const [{ subject, message }] = execution.json(REVIEW);
		assert.equal(subject, '4 of 5 payments to review');
		assert.match(message, /^Not in the file: /);
		// It made no payment.
		assert.equal(book.size, 4);
	});
});
