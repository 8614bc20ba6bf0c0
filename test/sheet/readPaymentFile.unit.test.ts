import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { readPaymentFile } from '../../nodes/PartnerPayments/resources/payout/readPaymentFile';
import { userMessage } from '../../nodes/messages/userMessage';
import { pageQuestions } from '../../nodes/sheet/form';
import { readingQuestion } from '../../nodes/sheet/question';
import { nodeWith } from '../operations/context';
import { sheetJs } from './workbook';

const HEADERS = ['Nombres', 'Apellidos', 'CI', 'Código de banco', 'Cuenta', 'Monto', 'Novedad'];

/** A payroll in which Pedro is held: only his row has a remark. */
const FILE = [
	HEADERS,
	['Ana', 'Rojas', '1498123', '1014', '10000012345678', '2.520,50', ''],
	['Luz', 'Paz', '1498124', '1014', '10000012345679', '1.000,00', ''],
	['Pedro', 'Mamani', '1498125', '1014', '10000012345670', '900,00', '$& FALLECIDO <b>'],
];

const csv = (rows: string[][]) => Buffer.from(rows.map((row) => row.join(';')).join('\n'));

const DEFAULTS = { currencyType: 'BOB', fundingSource: 'balance', description: 'Sueldo' };

/** The items of each output. */
async function run(
	parameters: INodeParameters = {},
	bytes: Buffer = csv(FILE),
): Promise<IDataObject[][]> {
	const context = Object.assign(
		nodeWith({
			readFrom: 'file',
			binaryPropertyName: 'data',
			payments: 'createBank',
			defaultValues: DEFAULTS,
			...parameters,
		}),
		{
			helpers: {
				assertBinaryData: () => undefined,
				getBinaryDataBuffer: async () => await Promise.resolve(bytes),
			},
		},
	);
	const outputs = await readPaymentFile.executeOutputs.call(context as never);
	return outputs.map((items) => items.map(({ json }) => json));
}

type Fields = Array<{
	fieldName?: string;
	fieldType?: string;
	fieldValue?: string;
	fieldOptions?: { values: Array<{ option: string }> };
}>;

/** What n8n's Form gives if somebody chooses the first option of each question, and all that can be paid. */
function firstOptions({ formFields }: IDataObject): IDataObject {
	return Object.fromEntries(
		(formFields as unknown as Fields).flatMap(
			({ fieldName, fieldType, fieldValue, fieldOptions: { values } = { values: [] } }) => {
				const options = values.map(({ option }) => option);
				const chosen = fieldType === 'checkbox' ? options.slice(0, -1) : options[0];
				return fieldName === undefined ? [] : [[fieldName, fieldValue ?? chosen ?? '']];
			},
		),
	);
}

test('gives either payments and a summary or questions', async () => {
	const [payments, [asked], summary] = await run();
	expect(payments).toEqual([]);
	expect(summary).toEqual([]);
	expect(asked.questions).toMatchObject([
		{
			id: 'payRows',
			kind: 'several',
			candidates: [{ value: 'states.Novedad=' }, { value: 'rows.4' }, { value: '(none)' }],
		},
	]);
	// Where check boxes are, no page has the text of another field: n8n would not read it.
	const types = (asked.formFields as IDataObject[]).map(({ fieldType }) => fieldType);
	expect(types).toEqual(['html', 'hiddenField', 'hiddenField', 'checkbox']);
	const answers = { ...firstOptions(asked), answered: asked.answered } as IDataObject;
	const [paid, none, [read]] = await run({ answers: JSON.stringify(answers) });
	expect(none).toEqual([]);
	expect(paid.map(({ firstName, amount, key }) => [firstName, amount, key])).toEqual([
		['Ana', 2520.5, '1498123'],
		['Luz', 1000, '1498124'],
		['Pedro', 900, '1498125'],
	]);
	expect(read).toMatchObject({ count: 3, headerRow: 1, confirmed: [{ row: 4 }] });
});

/** Two columns may hold the amount. */
const GROSS = [
	['Nombres', 'Apellidos', 'CI', 'Código de banco', 'Cuenta', 'Sueldo', 'Monto neto'],
	['Ana', 'Rojas', '1498123', '1014', '10000012345678', '2.520,50', '2.300,50'],
	['Luz', 'Paz', '1498124', '1014', '10000012345679', '1.000,00', '900,00'],
];

test('asks nothing of the next file with the same columns', async () => {
	const [, [asked]] = await run({}, csv(GROSS));
	expect(asked.questions).toMatchObject([{ id: 'columns.amount' }]);
	const net = {
		...firstOptions(asked),
		'columns.amount': 'Monto neto (2.300,50, 900,00, Σ 3,200.50)',
	};
	const [, , [{ remember }]] = await run({ answers: JSON.stringify(net) }, csv(GROSS));
	const { headers, answers } = remember as { headers: string; answers: IDataObject };
	// As a Data Table keeps them, next to those about another file.
	const rememberedFiles = JSON.stringify([
		{ headers: 'a|b', answers: '{"columns.amount":"Sueldo"}' },
		{ headers, answers: JSON.stringify(answers) },
	]);
	const next = [GROSS[0], ['Eva', 'Sosa', '1498126', '1014', '10000012345671', '800,00', '700,00']];
	const [paid] = await run({ rememberedFiles }, csv(next));
	expect(paid.map(({ amount }) => amount)).toEqual([700]);
	const others = [
		[...GROSS[0], 'Bono'],
		[...GROSS[1], '5'],
	];
	expect((await run({ rememberedFiles }, csv(others)))[1]).toHaveLength(1);
});

test('compares with payments that are kept as numbers, or in part', async () => {
	const next = [
		['Nombres', 'Apellidos', 'CI', 'Código de banco', 'Cuenta', 'Monto'],
		['Ana', 'Rojas', '1498123', '1014', '10000012345678', '2300,50'],
		['Luz', 'Paz', '1498124', '1014', '10000012345679', '900,00'],
	];
	const [, , [{ remember }]] = await run({}, csv(next));
	const { headers, payments } = remember as { headers: string; payments: IDataObject[] };
	const kept = [{ ...payments[0], key: 1498123, account: 10000012345678 }, { key: '1498124' }];
	const rememberedFiles = JSON.stringify([{ headers, name: 'May', payments: kept }]);
	const [, , [{ comparison }]] = await run({ rememberedFiles }, csv(next));
	expect(comparison).toMatchObject({
		changes: [{ before: { key: '1498124', account: '', amount: '' } }],
	});
});

test('asks again which sheet is meant, whatever was meant in an earlier file', async () => {
	const book = (...months: string[]) => {
		const sheets = sheetJs.utils.book_new();
		for (const name of months)
			sheetJs.utils.book_append_sheet(sheets, sheetJs.utils.aoa_to_sheet(FILE.slice(0, 3)), name);
		return sheetJs.write(sheets, { type: 'buffer', bookType: 'xlsx' });
	};
	const answers = JSON.stringify({ answered: { sheet: 'May' } });
	const [paid, , [{ remember }]] = await run({ answers }, book('April', 'May'));
	expect(paid).toHaveLength(2);
	const rememberedFiles = JSON.stringify(remember);
	const [, [{ questions }]] = await run({ rememberedFiles }, book('May', 'June'));
	expect(questions).toMatchObject([{ id: 'sheet' }]);
	expect((await run({ rememberedFiles }, book('June')))[0]).toHaveLength(2);
});

test.each([
	['a row', FILE],
	[
		'the rows below a total',
		FILE.slice(0, 2).concat([['TOTAL', '', '', '', '', '2.520,50', '']], FILE.slice(2, 3)),
	],
])('remembers no answer about %s', async (_name, rows) => {
	const [, [asked]] = await run({}, csv(rows));
	const answers = JSON.stringify(firstOptions(asked));
	const [, , [{ remember }]] = await run({ answers }, csv(rows));
	expect(JSON.stringify(remember)).not.toContain('rows');
	const rememberedFiles = JSON.stringify(remember);
	expect((await run({ rememberedFiles }, csv(rows)))[1]).toHaveLength(1);
});

/** What n8n's Form gives if somebody chooses these options of the only question. */
function choose({ formFields, questions, answered }: IDataObject, ...options: RegExp[]): string {
	const fields = formFields as unknown as Fields;
	const [{ id }] = questions as Array<{ id: string }>;
	const { values = [] } = fields.find(({ fieldName }) => fieldName === id)?.fieldOptions ?? {};
	const chosen = options.map((one) => values.find(({ option }) => one.test(option))?.option ?? '');
	const { page } = firstOptions({ formFields } as IDataObject);
	return JSON.stringify({ [id]: chosen, page, answered });
}

test('asks once which columns say who is paid, and again only about values that are new', async () => {
	const columns = [...HEADERS.slice(0, -1), 'Cargo', 'Habilitado'];
	const file = ['Contador|x', 'Chofer|x', 'Auxiliar|'].map((cells, index) => [
		...FILE[index + 1].slice(0, -1),
		...cells.split('|'),
	]);
	const [, [first]] = await run({}, csv([columns, ...file]));
	expect(first.questions).toMatchObject([{ id: 'remarks', kind: 'several' }]);
	const [, [second]] = await run(
		{ answers: choose(first, /^Habilitado/) },
		csv([columns, ...file]),
	);
	expect(second.questions).toMatchObject([{ id: 'payRows' }]);
	const answers = choose(second, /^Habilitado: x \(2×/);
	const [paid, , [{ leftOut, remember }]] = await run({ answers }, csv([columns, ...file]));
	expect(paid.map(({ firstName }) => firstName)).toEqual(['Ana', 'Luz']);
	expect(leftOut).toMatchObject([{ row: 4, why: expect.stringContaining('Habilitado') as string }]);

	const rememberedFiles = JSON.stringify(remember);
	const same = await run({ rememberedFiles }, csv([columns, ...file.slice(0, 2)]));
	expect(same.map((items) => items.length)).toEqual([2, 0, 1]);
	const other = [columns, file[0], file[1].with(-1, 'no')];
	const [, [{ questions }]] = await run({ rememberedFiles }, csv(other));
	expect(questions).toMatchObject([{ candidates: [{ value: 'states.Habilitado=no' }, {}] }]);
});

test('says that nobody is left to pay if every row is left out', async () => {
	const empty = await run({}, csv([HEADERS, FILE[1].with(5, '0')]));
	expect(empty.map((items) => items.length)).toEqual([0, 1, 0]);
	expect(empty[1][0].error).toMatchObject({ code: 'noPaymentsLeft' });
});

test('compares the payments with those of the last file with the same columns', async () => {
	const [, , [{ remember }]] = await run({}, csv(FILE.slice(0, 3)));
	const next = [
		HEADERS,
		FILE[1].with(5, '2.600,00'),
		['Eva', 'Sosa', '1498126', '1014', '10000012345671', '700,00', ''],
	];
	const rememberedFiles = JSON.stringify({ ...(remember as IDataObject), name: 'sueldos 2026-10' });
	const [, , [{ comparison, html }]] = await run({ rememberedFiles }, csv(next));
	expect((comparison as IDataObject).changes).toMatchObject([
		{ now: { amount: '2600' }, before: { amount: '2520.5' } },
		{ now: { name: 'Eva Sosa' }, before: undefined },
		{ now: undefined, before: { name: 'Luz Paz' } },
	]);
	expect(html).toContain('Compared with sueldos 2026-10');
	expect(String(html).replace(/\s*<[^>]*>\s*/g, '|')).toContain(
		'|2,520.50 BOB, 10000012345678||2,600.00 BOB, 10000012345678||79.50|',
	);
});

test('gives the same payments again, if it gets its answers back', async () => {
	const [, [asked]] = await run();
	const [paid, , [{ answered }]] = await run({ answers: JSON.stringify(firstOptions(asked)) });
	const again = { decision: 'Approve', answered } as IDataObject;
	expect((await run({ answers: JSON.stringify(again) }))[0]).toEqual(paid);
});

test('knows the first payment of a payee by the payee, whether there is a second one or not', async () => {
	const headers = ['Nombres', 'Apellidos', 'CI', 'Código de banco', 'Cuenta', 'Monto', 'Concepto'];
	const salary = ['Ana', 'Rojas', '01498123', '1014', '10000012345678', '2.520,50', 'sueldo'];
	const bonus = [...salary.slice(0, 5), '300,00', 'bono'];
	const [[once]] = await run({}, csv([headers, salary]));
	const answers = JSON.stringify({ answered: { keyColumn: 'Concepto' } });
	const [twice] = await run({ answers }, csv([headers, salary, bonus]));
	expect([once, ...twice].map(({ key }) => key)).toEqual(['1498123', '1498123', '1498123 bono']);
	const [, [{ questions }]] = await run({ answers }, csv([headers, salary, salary]));
	expect(questions).toMatchObject([
		{ id: 'keyColumn', candidates: [{ value: 'each' }, { value: 'leaveOut' }, { value: 'last' }] },
	]);
	const last = { answers: JSON.stringify({ answered: { keyColumn: 'last' } }) };
	const [corrected] = await run(last, csv([headers, salary, bonus]));
	expect(corrected).toMatchObject([{ key: '1498123', row: 3 }]);
	const each = { answers: JSON.stringify({ answered: { keyColumn: 'each' } }) };
	const [both, , [{ remember }]] = await run(each, csv([headers, salary, salary]));
	expect(both.map(({ key }) => key)).toEqual(['1498123', '1498123 #2']);
	expect((remember as IDataObject).answers).toEqual({});
});

test('reads amounts as they prove, whatever somebody said of an earlier file', async () => {
	const answers = JSON.stringify({ answered: { decimal: ',' } });
	const amounts = async (text: string) =>
		(await run({ answers }, csv([HEADERS, FILE[1].with(5, text)])))[0].map(({ amount }) => amount);
	expect([await amounts('1.250'), await amounts('980.50')]).toEqual([[1250], [980.5]]);
});

test('asks again if the file says another currency or unit than an earlier one', async () => {
	const answered = { 'stated.currencyType=USD': 'pay', 'unit=Planilla en Bs': 'pay' };
	const answers = JSON.stringify({ answered });
	const defaultValues = { ...DEFAULTS, country: 'PE' };
	const asked = async (title: string) => {
		const rows = [[title], ...FILE.slice(0, 2)];
		const [[paid], [page]] = await run({ answers, defaultValues }, csv(rows));
		return paid?.currencyType ?? page.questions;
	};
	expect(await asked('Planilla en dólares')).toBe('USD');
	const candidates = (value: string) => [{ candidates: [{ value }, {}] }];
	expect(await asked('Planilla en soles')).toMatchObject(candidates('stated.currencyType=PEN'));
	expect(await asked('Expresado en euros')).toMatchObject(candidates('stated.currencyType=EUR'));
	expect(await asked('Expresado en pesos')).toMatchObject(candidates('stated.currencyType=pesos'));
	expect(await asked('En miles de Bs')).toMatchObject(candidates('unit=En miles de Bs'));
});

test('takes two columns of amounts for one only if they say the same in every row', async () => {
	const withSecond = (...amounts: string[]) =>
		csv(FILE.slice(0, 3).map((row, index) => [...row.slice(0, 6), ['Importe', ...amounts][index]]));
	const same = await run({}, withSecond('2.520,50', '1.000,00'));
	expect(same[0].map(({ amount }) => amount)).toEqual([2520.5, 1000]);
	const [, [{ questions }]] = await run({}, withSecond('2.520,50', '1.000,10'));
	expect(questions).toMatchObject([{ id: 'columns.amount' }]);
});

test('asks about a field whose column the file does not have', async () => {
	const columnMapping = { column: [{ field: 'amount', header: 'Net salary' }] };
	const [payments, [{ questions }]] = await run({ columnMapping });
	expect(payments).toEqual([]);
	expect(questions).toMatchObject([{ id: 'columns.amount' }]);
});

test.each([
	['from a page with other questions', { page: '1-other' }],
	['that is missing', { payRows: undefined }],
	['that is no choice', { payRows: ['Row 4'] }],
])('takes no answer %s', async (_name, given) => {
	const [, [asked]] = await run();
	const answers = JSON.stringify({ ...firstOptions(asked), ...given });
	expect((await run({ answers }))[1]).toHaveLength(1);
});

test('tells choices apart that begin with the same 160 characters', async () => {
	const long = `${'x'.repeat(200)} `;
	const rows = ['pagar', 'retener'].map((text, index) => [
		...FILE[index + 1].slice(0, -1),
		long + text,
	]);
	const file = csv([FILE[0], ...rows]);
	const [, [first]] = await run({}, file);
	const [, [second]] = await run({ answers: choose(first, /^Novedad/) }, file);
	const answers = choose(second, /^Novedad: x+ #1$/);
	expect((await run({ answers }, file))[0].map(({ firstName }) => firstName)).toEqual(['Ana']);
});

test('shows a choice once whose sample is its value', () => {
	const samples = ['Ethereum'];
	const candidates = [
		{ value: 'Ethereum', samples },
		{ value: 'Polygon', samples },
	];
	const question = readingQuestion('x', userMessage('whichSheet'), candidates);
	const [shown] = pageQuestions([question], 'en');
	expect(shown.candidates.map(({ text }) => text)).toEqual(['Ethereum', 'Polygon (Ethereum)']);
});

test('shows texts of the file as they are', async () => {
	const [, [{ formFields, summary }]] = await run({ options: { language: 'es' } });
	const page = JSON.stringify([formFields, (summary as IDataObject).html]);
	expect(page).toContain('$\u2060& FALLECIDO \u2039b\u203a');
	expect(page).not.toMatch(/\$[&'`$]|<b>/);
	expect(page).toContain('No pagar ninguna');
});

test('shows what stands above the column names to whoever approves', async () => {
	const [, , [{ html }]] = await run({}, csv([['BORRADOR <1>'], ...FILE.slice(0, 3)]));
	expect(html).toContain('<p>BORRADOR &lt;1&gt;</p>');
});

test.each([
	[Buffer.from('\u00d0\u00cf\u0011\u00e0', 'latin1'), 'otherFormat'],
	[Buffer.alloc(0), 'noTable'],
	[Buffer.from('hello'), 'noTable'],
])('says on the page why a file cannot be read (%#)', async (bytes, code) => {
	const [payments, [{ error, formFields }]] = await run({}, bytes);
	expect(payments).toEqual([]);
	expect(error).toMatchObject({ code, hint: expect.any(String) as string });
	expect(JSON.stringify(formFields)).toContain((error as { message: string }).message);
});
