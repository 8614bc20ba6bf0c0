/**
 * A node remembers what it paid to whom, not only which references it sent: tests what people do with a file that
 * was paid. The service accepts duplicates, so that only the node can prevent them.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import { startCollector } from '../harness/collector.mjs';
import {
	all,
	bankRow,
	bankRows,
	chainOf,
	changeOptions,
	connectionTo,
	csvNodes,
	evidence,
	FAILED_AFTER,
	generated,
	injectFault,
	LOST,
	outcomes,
	payFields,
	payRows,
	referenceOf,
	REJECTED,
	reported,
	rowsWithoutReference,
	withCredential,
	writeCsv,
} from './batch-support.mjs';
import { NODE, partnerPayments, runNode, useStage } from './support.mjs';
import { edit, EVENTS } from './trigger-support.mjs';

const COUNT = 12;

/** The row that is corrected after it was paid. */
const CORRECTED = 4;

const CORRECTIONS = /** @type {const} */ ([
	['amount', { amount: '900.00' }],
	['account', { destination_account: '77001' }],
]);

const STATUS = 'Status';

const stage = useStage('remembered', { sandboxArgs: ['--state-clock', '0'] });

let collector;
before(async () => {
	collector = await startCollector();
});
after(() => collector.close());

beforeEach(async () => {
	await stage.sandbox.reset();
	await stage.sandbox.change({ duplicateReferences: 'accept' });
});

/** Logs in. Otherwise the first requests arrive with a revoked token, and use up the faults. */
async function logIn() {
	const node = partnerPayments(stage, { resource: 'payout', operation: 'getBalances' });
	const execution = await runNode(stage, node);
	assert.equal(execution.status, 'success', execution.error?.message);
}

/** Has the service log all events. */
async function logEvents() {
	const execution = await runNode(
		stage,
		partnerPayments(stage, {
			resource: 'webhook',
			operation: 'create',
			url: collector.url,
			additionalFields: { description: 'All events' },
			events: EVENTS,
		}),
	);
	assert.equal(execution.status, 'success', execution.error?.message);
}

/** Has all payments arrive. */
async function settle() {
	const { sandbox } = stage;
	await sandbox.admin('POST', '/transactions/status', { status: 'completed_transaction' });
	await sandbox.admin('POST', '/deliveries/drain');
}

/** A workflow that reads a file and passes its rows through these nodes. */
async function fileWorkflow(...nodes) {
	const name = `${randomUUID()}.csv`;
	const file = writeCsv(stage, name, [{}]);
	const workflow = chainOf([...csvNodes(file), ...nodes]);
	const { id } = await stage.n8n.createWorkflow(workflow);
	return {
		id,
		workflow,
		name,
		async run(rows) {
			writeCsv(stage, name, rows);
			return await stage.n8n.runWorkflow(id);
		},
		/** Changes the parameters of the payment node, which keeps its idempotency store. */
		change: (parameters) =>
			edit(stage.n8n, id, ({ nodes: stored }) => {
				Object.assign(stored.find((one) => one.name === NODE).parameters, parameters);
			}),
	};
}

const correct = (rows, changes) =>
	rows.map((row, index) => (index === CORRECTED ? { ...row, ...changes } : row));

const without = (rows, ...columns) =>
	rows.map((row) =>
		Object.fromEntries(Object.entries(row).filter(([column]) => !columns.includes(column))),
	);

/** The amounts and accounts that each person was paid, by document number. */
async function paid() {
	const payments = {};
	for (const { request } of (await evidence(stage)).transactions) {
		const { destination_id_number, amount, destination_account } = request.transaction;
		(payments[destination_id_number] ??= []).push(`${amount} to ${destination_account}`);
	}
	return payments;
}

/** What these rows say has been paid, and nothing else. */
async function assertPaid(rows) {
	const expected = {};
	for (const { destination_id_number, amount, destination_account } of rows) {
		(expected[destination_id_number] ??= []).push(`${Number(amount)} to ${destination_account}`);
	}
	assert.deepEqual(await paid(), expected);
}

const hintsOf = (execution, { node = NODE, run = -1 } = {}) =>
	(execution.runs(node).at(run)?.hints ?? []).map(({ message }) => message).join('\n');

const EMPTY_STORE = /had not sent anything before/;

describe('a row that is corrected after it was paid, in the same batch', () => {
	const rows = rowsWithoutReference(COUNT);

	for (const onError of ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput']) {
		for (const [what, changes] of CORRECTIONS) {
			it(`is a conflict and not paid if its ${what} is corrected, while a late joiner is paid (${onError})`, async () => {
				const { run } = await fileWorkflow(
					payRows(stage, { parameters: generated('payroll-2026-11'), onError }),
				);
				assert.deepEqual(outcomes(await run(rows)), all(COUNT));

				const [joiner] = rowsWithoutReference(1, COUNT);
				const file = [...correct(rows, changes), joiner];
				const again = await run(file);
				await assertPaid([...rows, joiner]);
				const expected = all(COUNT, 'alreadySent').with(CORRECTED, 'conflict');
				assert.deepEqual(outcomes(again), [...expected, 'created']);
				assert.equal(again.status, onError === 'stopWorkflow' ? 'error' : 'success');
				const conflict = reported(again)[CORRECTED];
				assert.match(conflict.message, /The earlier payment stands/);
				if (onError !== 'stopWorkflow') {
					// Sums and reports must not take it for paid.
					const { payee, amount, currency } = conflict;
					assert.deepEqual({ payee, amount, currency }, { payee: '', amount: '', currency: '' });
				}
				const success = again.json(NODE).map(({ outcome }) => outcome);
				if (onError === 'continueErrorOutput') assert.ok(!success.includes('conflict'));

				// Neither a retry nor another run takes the corrected values for those that were sent.
				if (onError === 'stopWorkflow') {
					const retried = await stage.n8n.retryExecution(again.id);
					assert.deepEqual(outcomes(retried), [...expected, 'created']);
				}
				assert.deepEqual(outcomes(await run(file)), [...expected, 'alreadySent']);
				const asBefore = await run([...rows, joiner]);
				assert.deepEqual(outcomes(asBefore), all(COUNT + 1, 'alreadySent'));
				await assertPaid([...rows, joiner]);
			});
		}
	}
});

describe('a given reference that is sent again with other values', () => {
	const rows = bankRows(COUNT);
	const NODES = /** @type {const} */ ([
		['a file', payRows],
		[
			'a file with Check Delivery Logs',
			(...[one, settings]) => payRows(one, { options: { checkDeliveryLogs: 31 }, ...settings }),
		],
		[
			'fields',
			(...[one, settings]) =>
				payFields(one, {
					parameters: { externalReference: '={{ $json.external_reference }}' },
					...settings,
				}),
		],
	]);

	for (const [source, node] of NODES) {
		for (const [what, changes] of CORRECTIONS) {
			for (const onError of ['continueRegularOutput', 'continueErrorOutput']) {
				it(`is a conflict in ${source}, and Get Status does not say that the corrected ${what} arrived (${onError})`, async () => {
					await logEvents();
					const status = {
						name: STATUS,
						...partnerPayments(stage, { resource: 'transaction', operation: 'getStatus' }),
					};
					const workflow = await fileWorkflow(node(stage, { onError }), status);
					await edit(stage.n8n, workflow.id, ({ connections }) => {
						connections[NODE] = connectionTo(STATUS, STATUS);
					});
					assert.deepEqual(outcomes(await workflow.run(rows)), all(COUNT));
					await settle();

					const again = await workflow.run(correct(rows, changes));
					await assertPaid(rows);
					assert.equal(again.status, 'success', again.error?.message);
					assert.deepEqual(outcomes(again), all(COUNT, 'alreadySent').with(CORRECTED, 'conflict'));
					const statuses = again.runs(STATUS).flatMap((_, run) => again.json(STATUS, { run }));
					assert.equal(statuses.length, COUNT);
					for (const row of statuses) {
						assert.equal(row.status, 'completed_transaction');
						const isConflict = row.reference === referenceOf(CORRECTED);
						assert.equal(row.outcome, isConflict ? 'conflict' : 'created');
						assert.equal(row.amount, isConflict ? '' : '100.50');
						if (isConflict) assert.match(row.message, /earlier payment/);
					}
				});
			}
		}
	}
});

describe('a batch that is spelled in another way', () => {
	const invoice = (number, changes = {}) => ({
		...rowsWithoutReference(1, number)[0],
		invoice: `e${number}`,
		...changes,
	});
	const invoices = Array.from({ length: COUNT }, (_, number) => invoice(number));
	const BATCH = generated('payroll-2026-11');
	const KEYED = generated('payroll-2026-11', 'invoice');
	const renamed = without(invoices, 'invoice').map((row, number) => ({
		...row,
		'Nro. factura': `e${number}`,
	}));
	const capitals = invoices.map((row) => ({ ...row, invoice: row.invoice.toUpperCase() }));
	const dated = invoices.map((row) => ({ ...row, month: '11' }));

	/** Spellings, and what becomes of each row that was paid. */
	const SPELLINGS = /** @type {const} */ ([
		['a blank in the Batch ID', BATCH, { batchId: 'payroll 2026-11' }, invoices, 'alreadySent'],
		['capitals in the Batch ID', BATCH, { batchId: 'PAYROLL-2026-11' }, invoices, 'alreadySent'],
		['an en dash in the Batch ID', BATCH, { batchId: 'payroll–2026–11' }, invoices, 'alreadySent'],
		['a renamed Key Column', KEYED, { keyColumns: 'Nro. factura' }, renamed, 'alreadySent'],
		// Another batch, whose rows duplicate those of the last days.
		['a further Key Column', KEYED, { keyColumns: 'invoice, month' }, dated, 'notSent'],
		['capitals in the key', KEYED, {}, capitals, 'alreadySent'],
		// Rejected: it means no column.
		['the Key Column #', BATCH, { keyColumns: '#' }, invoices, 'notSent'],
	]);

	for (const [spelling, first, changes, rows, outcome] of SPELLINGS) {
		it(`pays nobody twice with ${spelling}`, async () => {
			const { run, change } = await fileWorkflow(
				payRows(stage, { parameters: first, onError: 'continueRegularOutput' }),
			);
			assert.deepEqual(outcomes(await run(invoices)), all(COUNT));
			await change(changes);
			const again = await run(rows);
			await assertPaid(invoices);
			assert.deepEqual(outcomes(again), all(COUNT, outcome));
		});
	}
});

describe('the error output of a payment node that leads into another payment node', () => {
	const SECOND = 'Second';
	const rows = bankRows(COUNT);
	const [FAILED, NEVER_ANSWERED, DECLINED] = [2, 5, 7];

	/** A workflow whose second node gets what failed in the first one. */
	async function secondNode(settings = {}) {
		const workflow = await fileWorkflow(
			payRows(stage, { onError: 'continueErrorOutput' }),
			payRows(stage, { name: SECOND, onError: 'continueErrorOutput', ...settings }),
		);
		await edit(stage.n8n, workflow.id, ({ connections }) => {
			connections[NODE] = connectionTo(null, SECOND);
		});
		return workflow;
	}

	for (const [how, second] of /** @type {const} */ ([
		['the same references', {}],
		['generated references', { parameters: generated('second-attempt') }],
		[
			'references of its own',
			{
				parameters: {
					columnMapping: { column: [{ field: 'externalReference', header: 'other' }] },
				},
			},
		],
	])) {
		it(`pays no row whose outcome is unknown, but a rejected one, with ${how}`, async () => {
			await logIn();
			await injectFault(stage, referenceOf(FAILED), FAILED_AFTER);
			await injectFault(stage, referenceOf(NEVER_ANSWERED), LOST);
			await injectFault(stage, referenceOf(DECLINED), REJECTED);
			const { run } = await secondNode(second);
			const withOther = rows.map((row, number) => ({ ...row, other: referenceOf(100 + number) }));
			const execution = await run(withOther);
			await assertPaid([...rows.filter((_, number) => number !== DECLINED), rows[DECLINED]]);
			const { posted } = await evidence(stage);
			assert.equal(posted.length, COUNT + 1);
			assert.deepEqual(outcomes(execution, { node: SECOND }), ['notSent', 'notSent', 'created']);
			for (const { code } of reported(execution, { node: SECOND }).slice(0, 2)) {
				assert.equal(code, 'unknownOutcomeInInput');
			}
		});
	}

	for (const [what, changes, code] of /** @type {const} */ ([
		['was paid with another amount', { amount: '900.00' }, 'conflictInInput'],
		['was paid to another account', { destination_account: '77001' }, 'conflictInInput'],
		['duplicates an earlier payment', { external_reference: referenceOf(99) }, 'duplicateInInput'],
	])) {
		it(`pays no row that ${what}`, async () => {
			const { run } = await secondNode();
			await run(rows);
			const execution = await run(correct(rows, changes));
			await assertPaid(rows);
			const [{ outcome, code: reason }, ...others] = reported(execution, { node: SECOND });
			assert.deepEqual([outcome, reason, others], ['notSent', code, []]);
		});
	}
});

describe('a loop in which one node is the dry run and the payment', () => {
	const CHECKED = 'Only checked?';
	const AGAIN = 'Rows again';
	const rows = rowsWithoutReference(COUNT);

	/** The node checks in its first run, and pays in the second with what the first has shown. */
	async function approvalLoop() {
		const workflow = await fileWorkflow(
			payRows(stage, {
				parameters: generated('payroll-2026-11'),
				options: {
					dryRun: '={{ $runIndex === 0 }}',
					approvalCode: `={{ $runIndex === 0 ? '' : $('${CHECKED}').first(0, 0).json.summary.fingerprint }}`,
				},
				onError: 'continueRegularOutput',
			}),
			{
				name: CHECKED,
				type: 'n8n-nodes-base.if',
				typeVersion: 2.2,
				parameters: {
					conditions: {
						options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 },
						combinator: 'and',
						conditions: [
							{
								id: 'checked',
								leftValue: '={{ $runIndex === 0 }}',
								rightValue: '',
								operator: { type: 'boolean', operation: 'true', singleValue: true },
							},
						],
					},
					options: {},
				},
			},
			{
				name: AGAIN,
				type: 'n8n-nodes-base.code',
				typeVersion: 2,
				parameters: { jsCode: "return $('Get Rows').all();" },
			},
		);
		await edit(stage.n8n, workflow.id, ({ connections }) => {
			connections[CHECKED] = connectionTo(AGAIN);
			connections[AGAIN] = connectionTo(NODE);
		});
		return workflow;
	}

	it('says of a file that was paid that nothing is ready, and pays nothing', async () => {
		const { run } = await approvalLoop();
		const first = await run(rows);
		assert.equal(first.status, 'success', first.error?.message);
		const [shown] = first.json(NODE, { run: 0 });
		assert.deepEqual(outcomes(first, { run: 0 }), all(COUNT, 'ready'));
		assert.equal(shown.summary.isStoreEmpty, true);
		assert.deepEqual(outcomes(first, { run: 1 }), all(COUNT));

		const again = await run(rows);
		assert.deepEqual(outcomes(again, { run: 0 }), all(COUNT, 'alreadySent'));
		const [{ summary }] = again.json(NODE, { run: 0 });
		assert.equal(summary.ready, 0);
		assert.equal(summary.alreadySent, COUNT);
		assert.equal(summary.isStoreEmpty, false);
		assert.deepEqual(outcomes(again, { run: 1 }), all(COUNT, 'alreadySent'));
		await assertPaid(rows);
	});

	it('shows a corrected row and a late joiner, and pays only who joined', async () => {
		const { run } = await approvalLoop();
		await run(rows);
		const [joiner] = rowsWithoutReference(1, COUNT);
		const changed = [...correct(rows, { amount: '900' }), joiner];
		const again = await run(changed);
		const expected = all(COUNT, 'alreadySent').with(CORRECTED, 'conflict');
		assert.deepEqual(outcomes(again, { run: 0 }), [...expected, 'ready']);
		assert.deepEqual(outcomes(again, { run: 1 }), [...expected, 'created']);
		await assertPaid([...rows, joiner]);
	});
});

describe('a node that has an empty store although its payments were made', () => {
	const rows = rowsWithoutReference(COUNT);
	const COPY = 'Copy';
	const BATCH = { parameters: generated('payroll-2026-11') };

	const COPIES = /** @type {const} */ ({
		async 'a copied node'({ id }) {
			await edit(stage.n8n, id, (workflow) => {
				const node = workflow.nodes.find(({ name }) => name === NODE);
				workflow.nodes.push({ ...structuredClone(node), id: randomUUID(), name: COPY });
				workflow.connections['Get Rows'] = connectionTo(COPY);
			});
			return { id, node: COPY };
		},
		async 'a node that was removed and added again'({ id }) {
			await edit(stage.n8n, id, ({ nodes }) => {
				nodes.find(({ name }) => name === NODE).id = randomUUID();
			});
			return { id, node: NODE };
		},
		async 'a duplicated workflow'({ workflow }) {
			return { id: (await stage.n8n.createWorkflow(workflow)).id, node: NODE };
		},
	});

	for (const [name, copy] of Object.entries(COPIES)) {
		it(`is said before anything is sent, and Check Delivery Logs finds the payments (${name})`, async () => {
			await logEvents();
			const original = await fileWorkflow(payRows(stage, BATCH));
			assert.deepEqual(outcomes(await original.run(rows)), all(COUNT));
			await stage.sandbox.admin('POST', '/deliveries/drain');
			const { posted } = await evidence(stage);

			const { id, node } = await copy(original);
			await changeOptions(stage, id, { dryRun: true }, { node });
			const dry = await stage.n8n.runWorkflow(id);
			assert.match(hintsOf(dry, { node }), EMPTY_STORE);
			assert.equal(dry.json(node)[0].summary.isStoreEmpty, true);

			await changeOptions(stage, id, { dryRun: false, checkDeliveryLogs: 31 }, { node });
			const [joiner] = rowsWithoutReference(1, COUNT);
			writeCsv(stage, original.name, [...rows, joiner]);
			const checked = await stage.n8n.runWorkflow(id);
			assert.deepEqual(outcomes(checked, { node }), [...all(COUNT, 'alreadySent'), 'created']);
			assert.deepEqual((await evidence(stage)).posted.length, posted.length + 1);
			await assertPaid([...rows, joiner]);
		});
	}

	it('pays nobody twice if the host name of the credential is spelled in another way', async () => {
		const { credential, sandbox } = stage;
		const other = await stage.n8n.createCredential({
			...sandbox.credential({ baseUrl: sandbox.baseUrl.replace('127.0.0.1', 'localhost') }),
			name: 'Another host name',
		});
		assert.notEqual(other.id, credential.id);
		const { id, run } = await fileWorkflow(
			payRows(stage, { ...BATCH, onError: 'continueRegularOutput' }),
		);
		assert.deepEqual(outcomes(await run(rows)), all(COUNT));
		await edit(stage.n8n, id, ({ nodes }) => {
			const index = nodes.findIndex(({ name }) => name === NODE);
			nodes[index] = withCredential(nodes[index], other);
		});
		const again = await run(rows);
		await assertPaid(rows);
		assert.deepEqual(outcomes(again), all(COUNT, 'notSent'));
	});

	it('pays nobody again if Pay All Again is left on', async () => {
		const { id, run } = await fileWorkflow(
			payRows(stage, { ...BATCH, onError: 'continueRegularOutput' }),
		);
		await run(rows);
		await changeOptions(stage, id, {
			ifAlreadySent: 'payAllAgain',
			countToPayAgain: COUNT,
		});
		assert.deepEqual(outcomes(await run(rows)), all(COUNT));
		const { posted } = await evidence(stage);
		assert.equal(posted.length, 2 * COUNT);
		const left = await run([...rows, bankRow(COUNT)]);
		assert.deepEqual((await evidence(stage)).posted, posted);
		assert.equal(reported(left).filter(({ outcome }) => outcome === 'created').length, 0);
	});
});
