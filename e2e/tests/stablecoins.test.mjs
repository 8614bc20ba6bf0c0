/**
 * The example "Pay a payroll in stablecoins" with 200 rows in three currencies, 40 % of them conversions, under faults.
 * What the sandbox has is compared with what the workflow reports.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { bankRow } from './batch-support.mjs';
import { parseCsv } from '../harness/csv.mjs';
import { deleteTable, readExample, tableRows } from '../harness/examples.mjs';
import { useStage } from './support.mjs';
import {
	allExecutions,
	drain,
	publish,
	registerForLogs,
	serviceWallets,
	unpublish,
	until,
} from './trigger-support.mjs';

const EXAMPLE = 'pay-payroll-in-stablecoins';
const TABLE = 'payouts_to_fund';
const ASK = 'Send the address of the form';
const UPLOAD = 'Payroll form';
const DECIDE = 'What now?';
const REPORT = 'Create report';
const FUND = 'Fund conversions';

const ROWS = 200;
const isConversion = (number) => number % 5 < 2;
const CURRENCIES = [
	{ currency_type: 'BOB', country: 'BO' },
	{ currency_type: 'PEN', country: 'PE' },
	{ currency_type: 'USD', country: 'BO' },
];

describe('the example "Pay a payroll in stablecoins"', () => {
	const stage = useStage('stablecoins', { sandboxArgs: ['--state-clock', '0'] });

	const rows = Array.from({ length: ROWS }, (_, number) =>
		bankRow(number, {
			...CURRENCIES[number % 3],
			funding_source: isConversion(number) ? 'conversion' : 'balance',
			// A name with digits is asked about.
			last_name: `Quispe ${[...String(number)].map((digit) => 'abcdefghij'[Number(digit)]).join('')}`,
		}),
	);

	// A payroll has no references: they are made from the Batch ID.
	const columns = Object.keys(rows[0]).filter((name) => name !== 'external_reference');
	const lines = rows.map((row) => columns.map((name) => JSON.stringify(row[name])).join(','));
	const file = [columns.join(','), ...lines, ''].join('\n');

	/** @type {string[]} */
	const published = [];

	afterEach(async () => {
		for (const id of published.splice(0)) await unpublish(stage.n8n, id);
	});

	beforeEach(async () => {
		await stage.sandbox.reset();
		await stage.sandbox.change({ waitForFunding: true, deliveryRetries: 0 });
		await deleteTable(stage.n8n, TABLE);
		await registerForLogs(stage);
	});

	/** Imports and publishes the example; gives its ID and the address of its form. */
	async function importExample() {
		const workflow = readExample(EXAMPLE, stage);
		const wallets = await serviceWallets(stage);
		const { walletId } = wallets.find(({ assets }) =>
			assets.some(({ symbol, blockchain }) => symbol === 'USDC' && blockchain === 'Polygon'),
		);
		const node = (name) => workflow.nodes.find((one) => one.name === name).parameters;
		node(FUND).walletId = { __rl: true, mode: 'id', value: walletId };
		Object.assign(node('Show the report'), { resumeAmount: 1, resumeUnit: 'seconds' });
		// It looks up the payments twice, not for an hour.
		for (const { conditions } of node('Final?').rules.values) {
			const [condition] = conditions.conditions;
			condition.leftValue = condition.leftValue.replace(
				/\$prevNode\.runIndex (===|<) 7/,
				'$prevNode.runIndex $1 1',
			);
		}
		const form = workflow.nodes.find(({ name }) => name === UPLOAD);
		form.webhookId = randomUUID();
		// As a user who asks somebody else.
		const fields = {
			form: '$execution.resumeFormUrl',
			message: '$json.summary.text',
			ready: '$json.summary.readyText',
		};
		workflow.nodes.push({
			id: ASK,
			name: ASK,
			type: 'n8n-nodes-base.set',
			typeVersion: 3.4,
			position: [1344, -176],
			executeOnce: true,
			parameters: {
				assignments: {
					assignments: Object.entries(fields).map(([name, code]) => ({
						id: name,
						name,
						value: `={{ ${code} }}`,
						type: 'string',
					})),
				},
			},
		});
		workflow.connections[DECIDE].main[4].unshift({ node: ASK, type: 'main', index: 0 });
		const { id } = await stage.n8n.createWorkflow(workflow);
		await publish(stage.n8n, id);
		published.push(id);
		return { workflowId: id, address: `${stage.n8n.url}/form/${form.parameters.options.path}` };
	}

	/**
	 * Posts the fields of a form.
	 *
	 * @param {string} address
	 * @param {Array<string | Blob>} values
	 */
	async function fillIn(address, values) {
		const body = new FormData();
		for (const [number, value] of values.entries()) {
			if (value instanceof Blob) body.append(`field-${number}`, value, 'payroll.csv');
			else body.append(`field-${number}`, value);
		}
		const response = await fetch(address, { method: 'POST', body });
		assert.ok(response.ok, `${response.status} ${await response.text()}`);
	}

	/** Uploads the file and approves what the form shows. */
	async function start({ workflowId, address }, answer = {}) {
		const before = new Set((await allExecutions(stage.n8n, workflowId)).map(({ id }) => id));
		await fillIn(address, [new Blob([file], { type: 'text/csv' }), 'salaries 2026-11']);
		const { id } = await until(
			async () =>
				(await allExecutions(stage.n8n, workflowId)).find(({ id: one }) => !before.has(one)),
			'the file is uploaded',
		);
		const waiting = await until(async () => {
			const latest = await stage.n8n.getExecution(id);
			assert.notEqual(latest.status, 'error', latest.error?.message);
			return latest.status === 'waiting' && latest.json(ASK).length > 0 && latest;
		}, 'the form is open');
		const [{ form, message, ready }] = waiting.json(ASK);
		// n8n answers as soon as the execution waits or ends, and not if it is killed.
		void fillIn(form, ['', 'Ana Rojas', answer.decision ?? `Approve ${ready}`, '99999']).catch(
			() => {},
		);
		return { id, message };
	}

	async function run(workflow) {
		const { id, message } = await start(workflow);
		const execution = await stage.n8n.waitForExecution(id);
		assert.equal(execution.status, 'success', execution.error?.message);
		return { execution, message };
	}

	const transactions = async () => await stage.sandbox.transactions();

	/** What was sent from a wallet arrives. */
	async function arrive() {
		for (const { id, type, status } of await transactions()) {
			if (type !== 'withdrawal_crypto' || status === 'completed_transaction') continue;
			await setStatus(id, 'completed_transaction');
		}
		await drain(stage);
	}

	const setStatus = async (id, status) =>
		await stage.sandbox.admin('POST', `/transactions/${id}/status`, { status });

	/**
	 * Each payout was created once, and funded at most once, with its exact amount; no other was funded.
	 *
	 * @param {{ never?: string[] }} [options] payouts that have ended
	 */
	async function assertFundedOnce({ never = [] } = {}) {
		const all = await transactions();
		const payouts = all.filter(({ type }) => type === 'withdrawal_ach');
		assert.equal(new Set(payouts.map(({ reference }) => reference)).size, payouts.length);
		const fundings = all.filter(({ type }) => type === 'withdrawal_crypto');
		const byAddress = new Map(payouts.map((one) => [one.funding?.address, one]));
		const funded = fundings.map(({ request, amount, asset, blockchain }) => {
			const payout = byAddress.get(request.destinationWallet);
			assert.ok(payout?.funding, `nothing waits at ${request.destinationWallet}`);
			assert.equal(Number(amount), Number(payout.funding.amount));
			assert.deepEqual([asset, blockchain], [payout.funding.asset, payout.funding.blockchain]);
			assert.ok(!never.includes(payout.id), 'a payout that has ended was funded');
			return payout.id;
		});
		assert.equal(new Set(funded).size, funded.length, 'a payout was funded twice');
		return { payouts, funded: new Set(funded) };
	}

	/** The verdict on a payout that the sandbox's book gives. */
	const verdictOf = ({ status, funding }) =>
		({
			failed_transaction: /^Did not arrive/,
			expired_transaction: /^Did not arrive/,
			processing_transaction: /^On its way/,
		})[status] ?? (funding ? /^Created(, waits for|; funding details unknown)/ : /^On its way/);

	/** The report equals the sandbox's book, row by row. Rows of lost answers are looked up, not guessed. */
	function assertReport(execution, payouts, lost = []) {
		const [{ html }] = execution.json(REPORT);
		const [, csv] = /href="data:text\/csv;[^,"]*base64,([^"]+)"/.exec(html) ?? [];
		const lines = parseCsv(Buffer.from(csv, 'base64').toString('utf8'));
		assert.equal(lines.length, ROWS);
		const byReference = new Map(lines.map((line) => [line.reference, line]));
		for (const payout of payouts) {
			const { reference, id, amount, asset } = payout;
			const line = byReference.get(reference);
			assert.ok(line, reference);
			if (lost.includes(reference)) assert.equal(line.verdict, 'Created; funding details unknown');
			assert.match(line.verdict, verdictOf(payout), reference);
			assert.equal(line.transactionId, id);
			assert.deepEqual([Number(line.amount), line.currency], [Number(amount), asset]);
		}
		return html;
	}

	it('pays, funds and reports 200 rows, shows the cost first, and funds nothing twice', async () => {
		const workflow = await importExample();
		const { execution, message } = await run(workflow);
		assert.match(
			message,
			/Cost: about [\d,.]+ USDC \(estimate\): .* BOB at .*; .* PEN at .*USD at/,
		);
		const { payouts, funded } = await assertFundedOnce();
		assert.equal(payouts.length, ROWS);
		assert.equal(funded.size, payouts.filter(({ funding }) => funding).length);
		assert.equal(funded.size, (ROWS * 2) / 5);
		assert.equal((await tableRows(stage.n8n, TABLE)).length, funded.size);
		const html = assertReport(execution, payouts);
		assert.match(html, /Approved by Ana Rojas\. Cost: about [\d,.]+ USDC \(estimate\)/);
		assert.deepEqual(
			new Set(execution.json(FUND).map(({ outcome }) => outcome)),
			new Set(['created']),
		);
		await arrive();
		await run(workflow);
		await assertFundedOnce();
		assert.equal((await transactions()).length, payouts.length + funded.size);
	});
});
