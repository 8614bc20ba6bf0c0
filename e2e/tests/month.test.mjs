/**
 * A month of a firm, in the order in which it happens: every person is paid what was meant, once, and each report is
 * true. The service accepts duplicates, so that only the node can prevent them.
 */
import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import {
	chainOf,
	changeOptions,
	csvNodes,
	evidence,
	generated,
	injectFault,
	payRows,
	REJECTED,
	reported,
	writeCsv,
} from './batch-support.mjs';
import { NODE, useStage } from './support.mjs';
import { edit } from './trigger-support.mjs';

const TIMEOUT = { timeoutMs: 300_000 };

const stage = useStage('month', { sandboxArgs: ['--state-clock', '0'] });

beforeEach(async () => {
	await stage.sandbox.reset();
	await stage.sandbox.change({ duplicateReferences: 'accept' });
});

const PEOPLE = 200;

/** A person's row of a planilla. */
function salary(number, { month = 'November', ...changes } = {}) {
	return {
		Nombres: `Nombre ${number}`,
		Apellidos: `Quispe ${number}`,
		CI: String(4_000_000 + number),
		'Código de banco': '1001',
		'Nro. de cuenta': `00${10_000 + number}`,
		'Líquido pagable': String(2_000 + number),
		Moneda: 'BOB',
		Glosa: `Salary ${month} 2026`,
		'Origen de fondos': 'Saldo',
		...changes,
	};
}

/** The workflow that pays a file, and what was reported of each row, by document number. */
async function firm(name, parameters) {
	const node = payRows(stage, { parameters, onError: 'continueRegularOutput' });
	const file = writeCsv(stage, name, [salary(0)]);
	const workflow = chainOf([...csvNodes(file), node]);
	const { id } = await stage.n8n.createWorkflow(workflow);
	return {
		id,
		async pay(rows, batchId) {
			writeCsv(stage, name, rows);
			await edit(stage.n8n, id, ({ nodes }) => {
				nodes.find((one) => one.name === NODE).parameters.batchId = batchId;
			});
			const execution = await stage.n8n.runWorkflow(id, TIMEOUT);
			const report = reported(execution);
			assert.equal(report.length, rows.length, 'every row is reported');
			await assertTrue(rows, report);
			return {
				count: (outcome) => report.filter((row) => row.outcome === outcome).length,
				of: (row) => report[rows.indexOf(row)],
				hints: (execution.runs(NODE).at(-1)?.hints ?? []).map(({ message }) => message).join('\n'),
			};
		},
	};
}

/** What a row says is what the service has, wherever the row is reported as sent. */
async function assertTrue(rows, report) {
	const { transactions } = await evidence(stage);
	const byReference = new Map(transactions.map((one) => [one.reference, one.request.transaction]));
	for (const [index, { outcome, reference }] of report.entries()) {
		if (!['created', 'alreadySent'].includes(outcome)) continue;
		const sent = byReference.get(reference);
		assert.ok(sent, `${reference} is reported as ${outcome}`);
		const row = rows[index];
		assert.equal(sent.amount, Number(row['Líquido pagable']));
		assert.equal(sent.destination_account, row['Nro. de cuenta']);
	}
}

/** What each person was paid, by document number and purpose. */
async function paid() {
	const { transactions } = await evidence(stage);
	const amounts = {};
	for (const { request } of transactions) {
		const { destination_id_number, description, amount } = request.transaction;
		(amounts[`${destination_id_number} ${description}`] ??= []).push(amount);
	}
	return amounts;
}

describe('a month of a firm', () => {
	it('pays every salary once, whatever is corrected, added, sorted or renamed', async (t) => {
		const { pay } = await firm('planilla.csv', generated('planilla 2026-11'));
		const november = Array.from({ length: PEOPLE }, (_, number) => salary(number));

		// The service rejects five rows.
		for (const number of [3, 50, 51, 120, 199]) {
			await injectFault(stage, `"destination_id_number":"${4_000_000 + number}"`, REJECTED);
		}
		const first = await pay(november, 'planilla 2026-11');
		assert.deepEqual([first.count('created'), first.count('rejected')], [195, 5]);
		assert.match(first.hints, /had not sent anything before/);

		// They are corrected, and with them what else there was to correct in the file.
		const corrected = november
			.map((row) => ({
				...row,
				Nombres: row.Nombres.toUpperCase(),
				'Tipo de documento': 'CI',
				CI: row.CI.padStart(8, '0'),
				'Tipo de cuenta': 'Caja de ahorro',
			}))
			.reverse();
		const second = await pay(corrected, 'planilla 2026-11');
		assert.deepEqual([second.count('alreadySent'), second.count('created')], [195, 5]);

		// Two people joined late, and are on top of the file.
		const joined = [salary(300), salary(301), ...corrected];
		const third = await pay(joined, 'Planilla 2026_11');
		assert.deepEqual([third.count('alreadySent'), third.count('created')], [200, 2]);

		// An amount and an account are corrected after they were paid: the earlier payments stand.
		const changed = joined.map((row, index) =>
			index === 10
				? { ...row, 'Líquido pagable': '9999' }
				: index === 11
					? { ...row, 'Nro. de cuenta': '777777' }
					: row,
		);
		const fourth = await pay([...changed, salary(302)], 'PLANILLA–2026-11');
		assert.deepEqual(
			[fourth.count('alreadySent'), fourth.count('conflict'), fourth.count('created')],
			[200, 2, 1],
		);
		assert.equal(fourth.of(changed[10]).outcome, 'conflict');

		// The same file is finished on the 1st of the next month, with that month's batch. One person was not paid yet.
		const late = await pay([...joined, salary(303)], 'planilla 2026-12');
		assert.deepEqual([late.count('notSent'), late.count('created')], [202, 1]);
		assert.equal(late.of(joined[0]).code, 'duplicateOfEarlierExecution');

		// Next month's salaries. One person has another account.
		const december = joined.map((row, index) => ({
			...row,
			Glosa: 'Salary December 2026',
			...(index === 5 && { 'Nro. de cuenta': '888888' }),
		}));
		const next = await pay(december, 'planilla 2026-12');
		assert.equal(next.count('created'), 202);
		assert.match(next.hints, /never to this account/);
		const again = await pay(december, 'planilla 2026-12');
		assert.equal(again.count('alreadySent'), 202);

		const amounts = await paid();
		t.diagnostic(`${Object.keys(amounts).length} salaries, ${PEOPLE + 4} people`);
		assert.equal(Object.keys(amounts).length, PEOPLE + 4 + 202);
		for (const [what, list] of Object.entries(amounts)) {
			assert.equal(list.length, 1, `${what} was paid ${list.length} times`);
			const number = Number(what.split(' ')[0]) - 4_000_000;
			assert.equal(list[0], 2_000 + number);
		}
	});

	it('pays vendors with several invoices by their numbers, once each', async () => {
		const { pay, id } = await firm('vendors.csv', generated('invoices', 'Factura'));
		const invoice = (vendor, number, amount, changes = {}) => ({
			...salary(vendor),
			Factura: `F-${number}`,
			Glosa: `Invoice ${number}`,
			'Líquido pagable': String(amount),
			...changes,
		});
		const invoices = [
			invoice(1, 'e0', 100),
			invoice(1, 'e1', 100),
			invoice(2, 'e2', 250.5),
			invoice(3, 'e3', 80),
		];
		const first = await pay(invoices, 'Invoices');
		assert.equal(first.count('created'), 4);

		// The column gets another name, and letters another case: the invoices stay the same.
		await edit(stage.n8n, id, ({ nodes }) => {
			nodes.find((one) => one.name === NODE).parameters.keyColumns = 'Nro. factura';
		});
		const renamed = invoices.map(({ Factura, ...row }) => ({
			'Nro. factura': Factura.toUpperCase(),
			...row,
		}));
		const second = await pay(
			[...renamed, { ...renamed[3], 'Nro. factura': 'F-E4', Glosa: 'Invoice e4' }],
			'invoices',
		);
		assert.deepEqual([second.count('alreadySent'), second.count('created')], [4, 1]);
		for (const list of Object.values(await paid())) assert.equal(list.length, 1);
	});

	it('shows a person what was paid already, and lets nobody pay it by an approval', async () => {
		const { pay, id } = await firm('approved.csv', generated('approved'));
		const rows = Array.from({ length: 20 }, (_, number) => salary(number));
		await changeOptions(stage, id, { dryRun: true });
		const before = await pay(rows, 'approved');
		assert.equal(before.count('ready'), 20);
		const { summary } = before.of(rows[0]);
		assert.equal(summary.isStoreEmpty, true);

		await changeOptions(stage, id, { dryRun: false, approvalCode: summary.fingerprint });
		assert.equal((await pay(rows, 'approved')).count('created'), 20);

		// The same node does both, so its dry run knows what was sent, and its approval pays nothing.
		await changeOptions(stage, id, { dryRun: true, approvalCode: undefined });
		const after = await pay(rows, 'approved');
		assert.equal(after.count('alreadySent'), 20);
		const { alreadySent, ready, fingerprint } = after.of(rows[0]).summary;
		assert.deepEqual([alreadySent, ready], [20, 0]);
		await changeOptions(stage, id, { dryRun: false, approvalCode: fingerprint });
		assert.equal((await pay(rows, 'approved')).count('alreadySent'), 20);
		assert.equal((await evidence(stage)).posted.length, 20);
	});
});
