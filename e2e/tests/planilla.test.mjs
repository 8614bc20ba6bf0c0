/** An accountant's file: Spanish headers, saved by Excel, read by n8n's nodes. */
import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, it } from 'node:test';
import { readExample } from '../harness/examples.mjs';
import { EXAMPLES_DIR } from '../harness/paths.mjs';
import { useStage } from './support.mjs';

const READ = 'Leer planilla';
const ROWS = 'Obtener filas';
const PAY = 'Pagar cada fila';

describe('the planilla example in a real n8n', () => {
	const stage = useStage('planilla', { sandboxArgs: ['--state-clock', '0'] });

	const file = (name) => path.join(EXAMPLES_DIR, name);
	const planilla = readFileSync(file('planilla.csv'), 'latin1');
	const [header, ...lines] = planilla
		.trim()
		.split('\r\n')
		.map((line) => line.split(';'));
	const cells = lines.map((line) =>
		Object.fromEntries(line.map((cell, index) => [header[index], cell])),
	);
	const cents = (text) => Number(text.replaceAll('.', '').replace(',', ''));

	/**
	 * Changes the parameters of nodes.
	 *
	 * @typedef {(nodes: { read: any, rows: any, pay: any }) => void} Change
	 */

	/** The references of the first run, which every other run must repeat. */
	let references;

	beforeEach(async () => {
		await stage.sandbox.reset();
	});

	/**
	 * Runs the example in a new workflow with an empty idempotency store.
	 *
	 * @param {Change} [change]
	 */
	async function run(change = () => {}) {
		const example = readExample('pay-planilla', stage);
		const node = (name) => example.nodes.find((one) => one.name === name);
		change({ read: node(READ).parameters, rows: node(ROWS).parameters, pay: node(PAY).parameters });
		const { id } = await stage.n8n.createWorkflow(example);
		return await stage.n8n.runWorkflow(id);
	}

	const pay = async (/** @type {Change} */ change = () => {}) =>
		await run((nodes) => {
			delete nodes.pay.dryRun;
			change(nodes);
		});

	function give(name, content) {
		if (content === undefined) cpSync(file(name), path.join(stage.filesFolder, name));
		else writeFileSync(path.join(stage.filesFolder, name), content);
	}

	async function isPaid(execution) {
		assert.equal(execution.status, 'success', execution.error?.message);
		const results = execution.json(PAY);
		assert.deepEqual(
			results.map(({ outcome }) => outcome),
			cells.map(() => 'created'),
		);
		references ??= results.map(({ reference }) => reference);
		assert.deepEqual(
			results.map(({ reference }) => reference),
			references,
		);
		const transactions = new Map(
			(await stage.sandbox.transactions()).map((one) => [one.reference, one]),
		);
		assert.equal(transactions.size, cells.length);
		for (const [index, row] of cells.entries()) {
			const { request } = transactions.get(references[index]);
			const { transaction } = request;
			assert.equal(Math.round(transaction.amount * 100), cents(row['Líquido pagable']));
			assert.equal(transaction.first_name, row.Nombres);
			assert.equal(
				transaction.last_name,
				[row['Apellido paterno'], row['Apellido materno']].filter(Boolean).join(' '),
			);
			assert.equal(transaction.destination_id_number, row.CI);
			assert.equal(transaction.destination_account, row['Nro. de cuenta']);
			assert.equal(transaction.currency_type, row.Moneda === 'Dólares' ? 'USD' : 'BOB');
			// The result includes the columns of the file.
			assert.equal(results[index].Nombres, row.Nombres);
			assert.equal(results[index].Cargo, row.Cargo);
		}
	}

	it('shows the total and sends nothing in the dry run', async () => {
		give('planilla.csv');
		const execution = await run();
		assert.equal(execution.status, 'success', execution.error?.message);
		const [{ outcome, summary }] = execution.json(PAY);
		assert.equal(outcome, 'ready');
		const total = (currency) =>
			cells
				.filter(({ Moneda }) => Moneda === currency)
				.reduce((sum, row) => sum + cents(row['Líquido pagable']), 0);
		assert.deepEqual(
			summary.totals.map(({ currency, amount }) => [currency, Math.round(Number(amount) * 100)]),
			[
				['BOB', total('Bolivianos')],
				['USD', total('Dólares')],
			],
		);
		assert.deepEqual(await stage.sandbox.transactions(), []);
	});

	it('is paid from an Excel CSV with semicolons, decimal commas and Latin-1', async () => {
		give('planilla.csv');
		await isPaid(await pay());
	});

	it('is paid from XLSX with the same references', async () => {
		give('planilla.xlsx');
		await isPaid(
			await pay(({ read, rows }) => {
				read.fileSelector = read.fileSelector.replace('planilla.csv', 'planilla.xlsx');
				rows.operation = 'xlsx';
				rows.options = { rawData: true };
			}),
		);
	});
});
