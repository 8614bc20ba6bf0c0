/** The payroll desk with files as programs write them. What the sandbox received is the evidence. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { before, describe, it } from 'node:test';
import { readExample } from '../harness/examples.mjs';
import { ensureN8n } from '../harness/install.mjs';
import { writeSheet } from '../harness/spreadsheet.mjs';
import { useStage } from './support.mjs';
import { allExecutions, publish, until } from './trigger-support.mjs';

const PAYOUTS = '/v3/transactions/payouts/bank';
const DECIDE = 'What now?';
const READ = 'Get rows';
const PAY = 'Check, then pay each row';

const HEADERS = ['Nombre completo', 'CI', 'Banco', 'Cuenta', 'Líquido pagable'];
const PEOPLE = [
	['Ñáñez Güémez María José', '1498123', 'BISA', '2080001234', '1.250,50'],
	['Peña O’Brien José', '6012345', 'Banco Unión', '001041870023', '2.650,00'],
	['Quispe Apaza Ana', '8345671', 'BNB', '100123456789', '999,99'],
];
/** Latin1 has no curly apostrophe. */
const IN_LATIN1 = PEOPLE.map(([name, ...cells]) => [name.replace('’', ''), ...cells]);
const THOUSAND = Array.from({ length: 1_000 }, (_, number) => [
	'Ñáñez Güémez María José',
	String(1_000_000 + number),
	'BISA',
	`00${20_800_000 + number}`,
	`${2_000 + number},50`,
]);
const CODES = { BISA: '1009', 'Banco Unión': '1014', BNB: '1001' };

const textOf = (rows, delimiter = ';', end = '\r\n') =>
	rows.map((cells) => cells.join(delimiter) + end).join('');
const quoted = (rows) => rows.map((cells) => cells.map((cell) => `"${cell}"`));
/** Amounts with a decimal comma that is not in quotation marks. */
const cents = (cells) => [...cells.slice(0, -1), cells[4].replace('.', '')];
const TABLE = [HEADERS, ...PEOPLE];
const CSV = textOf(TABLE);
const WINDOWS_1252 = Buffer.from(CSV.replace('’', '\u0092'), 'latin1');

/** @type {Array<[name: string, content: string | Buffer, options?: { people?: string[][], asked?: RegExp }]>} */
const CSV_FILES = [
	['in UTF-8', CSV],
	['in UTF-8 with a byte order mark', `\ufeff${CSV}`],
	['in Windows-1252', WINDOWS_1252],
	['in Latin1', Buffer.from(textOf([HEADERS, ...IN_LATIN1]), 'latin1'), { people: IN_LATIN1 }],
	['in UTF-16 with tabs', Buffer.from(`\ufeff${textOf(TABLE, '\t')}`, 'utf16le')],
	['with commas and quotation marks', textOf(quoted(TABLE), ',')],
	['with pipes', textOf(TABLE, '|')],
	['with a line that names the delimiter', `sep=;\r\n${CSV}`],
	['with carriage returns only', textOf(TABLE, ';', '\r')],
	['with line breaks in cells', textOf(quoted(TABLE)).replaceAll('Güémez ', 'Güémez\r\n')],
	[
		'with a title, empty rows and a total',
		`PLANILLA, noviembre, 2026;;;;\r\n;;;;\r\n${CSV};;;;\r\n;;;TOTAL;4.900,49\r\n`,
	],
	['with 1,000 rows', textOf([HEADERS, ...THOUSAND]), { people: THOUSAND }],
	[
		'with commas that separate columns and decimals',
		textOf([HEADERS, ...PEOPLE.map(cents)], ','),
		{ asked: /Row has 6 filled cells, but there are fewer column names/ },
	],
	[
		'with such commas, and one more column',
		textOf([[...HEADERS, 'Sección'], ...PEOPLE.map((cells) => [...cents(cells), ''])], ','),
		{ asked: /They may be digits of the amounts/ },
	],
	[
		'in the encoding of DOS',
		Buffer.from(CSV.replaceAll('í', '¡'), 'latin1'),
		{ asked: /no column/ },
	],
];

describe('the payroll desk', () => {
	const stage = useStage('desk-files', { sandboxArgs: ['--state-clock', '0'] });
	let desk;

	before(async () => {
		const example = readExample('payroll-desk', stage);
		const node = (name) => example.nodes.find((one) => one.name === name);
		const form = node('Payroll form');
		form.webhookId = randomUUID();
		// It pays after the check without a decision, and asks for no status.
		example.connections[DECIDE].main = [[{ node: READ, type: 'main', index: 0 }], [], []];
		node(READ).executeOnce = true;
		// Its polls would start executions, too.
		node('All events').disabled = true;
		const { id } = await stage.n8n.createWorkflow(example);
		await publish(stage.n8n, id);
		desk = { id, address: `${stage.n8n.url}/form/${form.webhookId}` };
	});

	/** Uploads a file; gives what the node said about the rows. */
	async function upload(content, file) {
		await stage.sandbox.reset();
		const before = new Set((await allExecutions(stage.n8n, desk.id)).map(({ id }) => id));
		const body = new FormData();
		body.append('field-0', new Blob([content]), file);
		body.append('field-1', `salaries ${randomUUID()}`);
		const response = await fetch(desk.address, { method: 'POST', body });
		assert.ok(response.ok, `${response.status} ${await response.text()}`);
		const { id } = await until(
			async () => (await allExecutions(stage.n8n, desk.id)).find(({ id: one }) => !before.has(one)),
			'the file is uploaded',
		);
		const execution = await stage.n8n.waitForExecution(id);
		assert.equal(execution.status, 'success', execution.error?.message);
		return JSON.stringify(execution.json(PAY));
	}

	const sent = async () =>
		(await stage.sandbox.requests({ method: 'POST', path: PAYOUTS }))
			.filter(({ status }) => status !== 401)
			.map(({ body: { transaction } }) => [
				`${transaction.last_name} ${transaction.first_name}`,
				transaction.destination_id_number,
				transaction.bank_code,
				transaction.destination_account,
				transaction.amount,
			]);

	const dueTo = (people) =>
		people.map(([name, document, bank, account, amount]) => [
			name,
			document,
			CODES[bank],
			account,
			Number(amount.replace('.', '').replace(',', '.')),
		]);

	const byDocument = (payments) => payments.toSorted(([, a], [, b]) => a.localeCompare(b));

	for (const [name, content, { people = PEOPLE, asked } = {}] of CSV_FILES) {
		it(`${asked ? 'asks about' : 'pays'} a CSV file ${name}`, async () => {
			const said = await upload(content, 'planilla.csv');
			if (asked) {
				assert.match(said, asked);
				assert.deepEqual(await sent(), []);
			} else {
				assert.deepEqual(byDocument(await sent()), byDocument(dueTo(people)), said);
			}
		});
	}

	for (const file of ['planilla.xlsx', 'planilla.xls', 'planilla.ods']) {
		it(`pays ${file}, with texts and numbers as amounts`, async () => {
			const written = path.join(stage.folder, file);
			const [first, ...others] = PEOPLE;
			const mixed = [[...first.slice(0, -1), 1250.5], ...others];
			writeSheet(await ensureN8n(), written, [['PLANILLA'], [], HEADERS, ...mixed]);
			const said = await upload(readFileSync(written), file);
			assert.deepEqual(byDocument(await sent()), byDocument(dueTo(PEOPLE)), said);
		});
	}
});
