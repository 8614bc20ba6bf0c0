/**
 * The payment node must understand a person's options, and a person its reports, without ambiguity:
 * money depends on it.
 */
import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import {
	all,
	bankRows,
	chainOf,
	changeOptions,
	evidence,
	FAILED_AFTER,
	figures,
	generated,
	IN_ORDER,
	LOST,
	NEVER_ANSWERED,
	outcomes,
	payRows,
	referenceOf,
	references,
	reported,
	rowsWithoutReference,
	injectFault,
	withCredential,
} from './batch-support.mjs';
import { NODE, useStage } from './support.mjs';
import { until } from './trigger-support.mjs';

const BALANCES = { method: 'GET', path: '/v2/transactions/payouts/balance' };
const LOGINS = { method: 'POST', path: '/v2/auth/login' };

const stage = useStage('idempotency-errors', { sandboxArgs: ['--state-clock', '0'] });

beforeEach(async () => {
	await stage.sandbox.reset();
	await stage.sandbox.change({ duplicateReferences: 'accept' });
});

async function run(workflow) {
	const { id } = await stage.n8n.createWorkflow(workflow);
	return await stage.n8n.runWorkflow(id, { timeoutMs: 300_000 });
}

const withColumns = (rows, ...columns) =>
	rows.map((row, index) => ({ ...row, ...columns[index % columns.length] }));

/** Nothing was sent, and the message names the cause. */
async function assertRejected(t, execution, name, count) {
	const found = await evidence(stage);
	t.diagnostic(figures(count, found));
	assert.equal(found.posted.length, 0, `${found.posted.length} payments were sent`);
	assert.equal(execution.status, 'error');
	const { message, description } = execution.error;
	assert.ok(message.includes(name), `${message}\n${description}`);
}

describe('a boolean option that is set by an expression', () => {
	const payWith = (options, column) =>
		run(chainOf([payRows(stage, { options })], { rows: withColumns(bankRows(6), column) }));

	for (const [name, expression, column] of [
		['the text "true"', '={{ $json.dry }}', { dry: 'true' }],
		['the text " TRUE "', '={{ $json.dry }}', { dry: ' TRUE ' }],
		['the text "yes"', '={{ $json.dry }}', { dry: 'yes' }],
		['the text "sí"', '={{ $json.dry }}', { dry: 'sí' }],
		['the number 1', '={{ 1 }}', {}],
		['an expression behind spaces', '= {{ true }}', {}],
	]) {
		it(`turns Dry Run on with ${name}, and sends nothing`, async (t) => {
			const execution = await payWith({ dryRun: expression }, column);
			const found = await evidence(stage);
			t.diagnostic(figures(6, found));
			assert.equal(found.posted.length, 0, `${found.posted.length} payments were sent`);
			assert.equal(execution.status, 'success', execution.error?.message);
			assert.deepEqual(outcomes(execution), all(6, 'ready'));
			for (const [number, { request }] of execution.json(NODE).entries()) {
				assert.equal(request.method, 'POST');
				assert.equal(request.body.external_reference, referenceOf(number));
			}
		});
	}

	for (const [name, expression, column] of [
		['the text "maybe"', '={{ $json.dry }}', { dry: 'maybe' }],
		['an empty text', '={{ $json.dry }}', { dry: '' }],
		['a column that is not there', '={{ $json.dri }}', { dry: 'true' }],
		['the number 2', '={{ 2 }}', {}],
	]) {
		it(`rejects ${name} for Dry Run, and sends nothing`, async (t) => {
			const execution = await payWith({ dryRun: expression }, column);
			await assertRejected(t, execution, 'Dry Run', 6);
		});
	}

	it('stores no references in a dry run, so the same rows can be paid', async (t) => {
		const node = payRows(stage, { options: { dryRun: true } });
		const { id } = await stage.n8n.createWorkflow(chainOf([node], { rows: bankRows(6) }));
		assert.deepEqual(outcomes(await stage.n8n.runWorkflow(id)), all(6, 'ready'));
		await changeOptions(stage, id, { dryRun: false });
		const execution = await stage.n8n.runWorkflow(id);
		const found = await evidence(stage);
		t.diagnostic(figures(6, found, ', runs 2'));
		assert.deepEqual(outcomes(execution), all(6));
		assert.deepEqual(found.created, references(6));
	});

	it('turns Check Balance First on with the text "true"', async (t) => {
		const options = { checkBalance: '={{ $json.check }}' };
		const paid = await payWith(options, { check: 'true' });
		assert.deepEqual(outcomes(paid), all(6));
		// The reset before this test has revoked the token, so the first request may be rejected and repeated.
		const read = (await stage.sandbox.requests(BALANCES)).filter(({ status }) => status === 200);
		assert.equal(read.length, 1, 'the balance was read');
		const { posted } = await evidence(stage);

		await stage.sandbox.admin('PUT', '/balances', {
			balances: [{ type: 'withdrawal_ach', balance: 600, fiat: 'BOB' }],
		});
		const execution = await payWith(options, { check: 'true' });
		const found = await evidence(stage);
		t.diagnostic(figures(12, found));
		assert.deepEqual(found.posted, posted);
		assert.equal(execution.status, 'error');
		for (const sum of ['600', '603']) assert.ok(execution.error.message.includes(sum));
	});

	it('rejects the text "maybe" for Check Balance First', async (t) => {
		const execution = await payWith({ checkBalance: '={{ $json.check }}' }, { check: 'maybe' });
		await assertRejected(t, execution, 'Check Balance First', 6);
	});
});

describe('a value for all items that is set by an expression', () => {
	const DIFFERENT = /** @type {const} */ ([
		['Batch ID', 'differs', generated('={{ $json.batch }}'), [{ batch: 'a' }, { batch: 'b' }]],
		['Batch ID', 'is an object', generated('={{ $json.batch }}'), [{ batch: { month: 11 } }]],
		['Batch ID', 'has an empty part', generated('=payroll-{{ $json.missing }}'), [{}]],
		[
			'Batch ID',
			'has an empty part in one item',
			generated('=payroll-{{ $json.month }}'),
			[{ month: '11' }, { month: '11' }, { month: '' }],
		],
		[
			'Key Columns',
			'differs',
			generated('payroll', '={{ $json.keys }}'),
			[{ keys: 'last_name' }, { keys: 'last_name, amount' }],
		],
		[
			'Key Columns',
			'is an object',
			generated('payroll', '={{ $json.keys }}'),
			[{ keys: { last_name: true } }],
		],
	]);
	for (const [name, what, parameters, columns] of DIFFERENT) {
		it(`names ${name} that ${what} in the error, and sends nothing`, async (t) => {
			const rows = withColumns(rowsWithoutReference(6), ...columns);
			const execution = await run(chainOf([payRows(stage, { parameters })], { rows }));
			await assertRejected(t, execution, name, 6);
		});
	}

	for (const [name, options, columns] of /** @type {const} */ ([
		['Maximum Amount', { maximumAmount: '={{ $json.limit }}' }, [{ limit: 500 }, { limit: 50 }]],
		['Dry Run', { dryRun: '={{ $json.dry }}' }, [{ dry: false }, { dry: true }]],
		['Concurrency', { concurrency: '={{ $json.most }}' }, [{ most: 1 }, { most: 2 }]],
	])) {
		it(`names ${name} that differs between items in the error, and sends nothing`, async (t) => {
			const rows = withColumns(bankRows(6), ...columns);
			const execution = await run(chainOf([payRows(stage, { options })], { rows }));
			await assertRejected(t, execution, name, 6);
		});
	}

	it('is valid if it is the same for all items, and rows in another order are recognised', async (t) => {
		const parameters = generated('=payroll-{{ $json.month }}', '={{ $json.keys }}');
		const rows = withColumns(rowsWithoutReference(6), { month: '2026-11', keys: 'last_name' });
		const sort = {
			name: 'Sort',
			type: 'n8n-nodes-base.code',
			typeVersion: 2,
			parameters: { jsCode: 'return $input.all();' },
		};
		const { id } = await stage.n8n.createWorkflow(
			chainOf([sort, payRows(stage, { parameters })], { rows }),
		);
		assert.deepEqual(outcomes(await stage.n8n.runWorkflow(id)), all(6));

		const { nodes } = await stage.n8n.rest('GET', `/workflows/${id}`);
		nodes.find(({ name }) => name === 'Sort').parameters.jsCode = 'return $input.all().reverse();';
		await stage.n8n.updateWorkflow(id, { nodes });
		const again = await stage.n8n.runWorkflow(id);
		const found = await evidence(stage);
		t.diagnostic(figures(6, found, ', runs 2'));
		assert.deepEqual(outcomes(again), all(6, 'alreadySent'));
		assert.equal(found.posted.length, 6);
	});
});

describe('a wrong password', () => {
	for (const onError of ['continueRegularOutput', 'continueErrorOutput', 'stopWorkflow']) {
		it(`causes one login in a batch of 300 rows (${onError})`, async (t) => {
			const credential = await stage.n8n.createCredential(
				stage.sandbox.credential({ password: 'not-the-password' }),
			);
			const node = withCredential(payRows(stage, { onError }), credential);
			const execution = await run(chainOf([node], { rows: bankRows(300) }));
			const logins = await stage.sandbox.requests(LOGINS);
			const found = await evidence(stage);
			t.diagnostic(figures(300, found, `, login requests ${logins.length}`));
			assert.equal(logins.length, 1, `${logins.length} failed logins`);
			assert.deepEqual(found.posted, []);
			if (onError === 'stopWorkflow') {
				assert.match(execution.error.message, /does not accept this email and password/);
				return;
			}
			assert.deepEqual(outcomes(execution), all(300, 'notSent'));
			const messages = reported(execution).map(({ message }) => message);
			assert.ok(messages.every(Boolean));
			assert.ok(messages.some((message) => /does not accept this email and/.test(message)));
		});
	}
});

describe('the report of a large batch', () => {
	const COUNT = 1_500;

	const missing = (text, wanted) => wanted.filter((reference) => !text.includes(reference));

	/** Every reference is reported, unknown ones before created ones. */
	function assertReported(text, { unknown, created }) {
		const lost = missing(text, [...unknown, ...created]);
		assert.equal(
			lost.length,
			0,
			`${lost.length} references are missing, ${missing(text, unknown).length} unknown among them`,
		);
		const firstCreated = Math.min(...created.map((reference) => text.indexOf(reference)));
		for (const reference of unknown) {
			assert.ok(text.indexOf(reference) < firstCreated, `${reference} comes after a created one`);
		}
	}

	it('loses no reference if the execution is cancelled', async (t) => {
		// Two are unknown; then three stay in flight.
		const unknown = [400, 1_050, 1_200, 1_201, 1_202].map(referenceOf);
		for (const reference of unknown.slice(0, 2)) await injectFault(stage, reference, LOST);
		for (const reference of unknown.slice(2)) await injectFault(stage, reference, NEVER_ANSWERED);
		const created = references(1_200).filter((reference) => !unknown.includes(reference));
		const node = payRows(stage, {
			onError: 'continueRegularOutput',
			options: { concurrency: 3 },
		});
		const { id } = await stage.n8n.createWorkflow(chainOf([node], { rows: bankRows(COUNT) }));
		const start = stage.n8n.logs().length;
		const execution = await stage.n8n.startWorkflow(id);
		await until(
			async () => (await stage.sandbox.counters()).transactionsCreated >= 1_203,
			'three payments are in flight',
		);
		await stage.n8n.stopExecution(execution);
		const logged = () => stage.n8n.logs().slice(start);
		await until(() => /execution was cancelled/.test(logged()), 'the node logs its end');
		// The node writes one log entry, but a reader may see only part of it.
		await until(() => missing(logged(), [...unknown, ...created]).length === 0, 'all are logged', {
			timeoutMs: 10_000,
		}).catch(() => {});
		t.diagnostic(figures(COUNT, await evidence(stage)));
		assertReported(logged(), { unknown, created });
		assert.ok(logged().includes('Row 401 (item 400)'), 'rows are counted from 1');
	});

	it('loses no reference if the batch stops', async (t) => {
		await injectFault(stage, referenceOf(1_400), FAILED_AFTER);
		const execution = await run(
			chainOf([payRows(stage, { options: IN_ORDER })], { rows: bankRows(COUNT) }),
		);
		const found = await evidence(stage);
		t.diagnostic(figures(COUNT, found));
		assert.deepEqual(found.created, references(1_401));
		assert.equal(execution.status, 'error');
		const { message, description } = execution.error;
		assertReported(description, { unknown: [referenceOf(1_400)], created: references(1_400) });
		assert.ok(
			message.startsWith('Row 1401, María José Quispe 1400, 100.50 BOB, reference '),
			message,
		);
		assert.deepEqual(
			reported(execution).map(({ item, outcome }) => [item, outcome]),
			[...all(1_400), 'unknown', ...all(99, 'notSent')].map((outcome, item) => [item, outcome]),
		);
	});
});

describe('the message of an exception', () => {
	it('explains what to do about an unknown row', async (t) => {
		await injectFault(stage, referenceOf(1), FAILED_AFTER);
		const execution = await run(
			chainOf([payRows(stage, { options: IN_ORDER })], { rows: bankRows(3) }),
		);
		t.diagnostic(figures(3, await evidence(stage)));
		assert.equal(execution.status, 'error');
		const { message } = execution.error;
		const { outcome, hint } = reported(execution)[1];
		assert.equal(outcome, 'unknown');
		assert.ok(hint, 'the row has a hint');
		assert.ok(message.includes(hint), message);
	});
});
