import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { useService } from '../engine/service';
import { BANK, hints, outcomes, reported } from './batch';

const service = useService();

const HEADERS = ['Nro', 'Nombre completo', 'C.I.', 'Banco', 'Cuenta', 'Monto', 'Glosa'];
const JUANA = [
	1,
	'Quispe Mamani Juana',
	'1498123 LP',
	'Banco Unión',
	'1000-0012-3456',
	2520.5,
	'S',
];
const PEDRO = [2, 'Condori Apaza Pedro', '6012345', 'BISA', '2080001234', 2706, 'S'];
const ELENA = [3, 'Rojas Vargas Elena', '8345671', 'BISA', '2080005678', 3666, 'S'];

/** The lines of a file as Extract From File gives them with Header Row off. */
const lines = (...rows: unknown[][]): IDataObject[] =>
	rows.map((row) => ({ row: row as IDataObject[] }));

const READING: IDataObject = {
	fullName: 'surnamesFirst2',
	documentSuffix: 'removePlace',
	accountSeparators: 'remove',
	bankNames: {
		bank: [
			{ name: 'Banco Unión', code: '1014' },
			{ name: 'BISA', code: '1009' },
		],
	},
};

/** The form for such a file. */
const form = (
	reading: IDataObject = {},
	more: INodeParameters = {},
	before: IDataObject = {},
): INodeParameters => ({
	...BANK,
	referenceSource: 'generated',
	batchId: 'payroll-2026-11',
	defaultValues: { currencyType: 'BOB', fundingSource: 'balance' },
	options: { ...READING, ...reading, ...before } as INodeParameters,
	...more,
});

const sentTo = (): unknown[] =>
	service
		.bodies()
		.map(({ transaction }) => (transaction as IDataObject).destination_id_number)
		.sort();

describe('the rows of a file', () => {
	const FILE = lines(['Imprenta Sur'], [], HEADERS, JUANA, [], PEDRO, [
		'',
		'TOTAL',
		'',
		'',
		'',
		5226.5,
	]);

	test('are paid, and titles, empty rows and the total are left out and named', async () => {
		const result = await service.run(form(), { items: FILE });
		expect(outcomes(result)).toEqual(['created', 'created']);
		expect(reported(result).map(({ item }) => item)).toEqual([3, 5]);
		expect(sentTo()).toEqual(['1498123', '6012345']);
		expect(hints(result)[0]).toContain(
			'; columns: First Name <- Nombre completo, Last Name <- the same (such as Juana + Quispe Mamani), ',
		);
		expect(hints(result)[0]).toMatch(
			/; column names in row 3; 1 empty row left out; row 7 is a total, 5,226\.50 BOB, and no payment$/,
		);
	});

	test('pay a company by its whole name, and show a name that is split', async () => {
		const firm = [4, 'Constructora Andina S.R.L.', '1020304055', 'BISA', '2080009012', 9, 'S'];
		const result = await service.run(form(), { items: lines(HEADERS, firm, JUANA) });
		const { transaction } = service.bodies()[0];
		expect(transaction).toMatchObject({ first_name: 'Constructora Andina S.R.L.' });
		expect(transaction).not.toHaveProperty('last_name');
		expect(hints(result)[0]).toContain('Last Name <- the same (such as Juana + Quispe Mamani), ');
	});

	test('keep the numbers that they have in the file', async () => {
		const items = lines(['Imprenta Sur'], HEADERS, JUANA, [2, '', 'x', '', '', 1]);
		const result = await service.run(form(), { items });
		expect(service.sent()).toEqual([]);
		expect(result.error?.description).toContain('Row 4 (item 3): ');
	});

	test('have the names of their columns in the result', async () => {
		const result = await service.run(form({ includeInput: true }), { items: FILE });
		expect(result.json[0]).toMatchObject({ outcome: 'created', 'C.I.': '1498123 LP', Nro: 1 });
		expect(result.json.map(({ row }) => row)).toEqual([4, 6]);
	});

	test('are found in cells that are numbered, as from a CSV file without column names', async () => {
		const items = FILE.map(
			({ row }) => ({ row: { ...(row as unknown as object) } }) as IDataObject,
		);
		expect(outcomes(await service.run(form(), { items }))).toEqual(['created', 'created']);
	});

	test.each([
		['UTF-8 that the reading node took for Latin1', 'utf8'],
		['Latin1', 'latin1'],
	] as const)('keep all letters of a CSV file in %s', async (_, encoding) => {
		const asRead = (cell: unknown): unknown =>
			typeof cell === 'string' ? Buffer.from(cell, encoding).toString('latin1') : cell;
		const headers = HEADERS.map((header) => (header === 'Glosa' ? 'Descripción' : header));
		const maria = [4, 'Ñáñez Güémez María José', '6012345', 'Banco Unión', '2080001234', 9, 'Año'];
		const items = lines(...[headers, maria].map((row) => row.map(asRead)));
		expect(outcomes(await service.run(form(), { items }))).toEqual(['created']);
		expect(service.bodies()[0].transaction).toMatchObject({
			first_name: 'María José',
			last_name: 'Ñáñez Güémez',
			description: 'Año',
			bank_code: '1014',
		});
	});

	test('keep the quotes and dashes of a CSV file in Windows-1252', async () => {
		// As SheetJS reads the bytes of `O’Brien`, `Sueldo – AÑO “B” €`.
		const ana = [1, 'Quispe O\u0092Brien Ana', '6012345', 'BISA', '2080001234', 9];
		const items = lines(HEADERS, [...ana, 'Sueldo \u0096 A\u00d1O \u0093B\u0094 \u0080']);
		expect(outcomes(await service.run(form(), { items }))).toEqual(['created']);
		expect(service.bodies()[0].transaction).toMatchObject({
			last_name: 'Quispe O’Brien',
			description: 'Sueldo – AÑO “B” €',
		});
	});

	test.each([
		['Estado', 'baja'],
		['Estado', 'De baja'],
		['ESTADO DEL TRABAJADOR', 'Retirado'],
		['Situación', 'INACTIVO'],
		['Status', 'Inactive'],
		['Activo', 'No'],
		['Vigente', false],
		['Pagar', 'NO'],
		['Observaciones', 'No pagar, renunció'],
		['Observaciones', 'NO PAGAR HASTA NUEVO AVISO, POR FAVOR CONSULTAR'],
		['Obs.', 'Ya se pagó'],
		['Obs.', 'No abonar'],
		['Observaciones', 'No depositar hasta nuevo aviso'],
		['Observaciones', 'Pagar con cheque'],
		['Observaciones', 'Cobra en efectivo'],
		['Observaciones', 'En efectivo'],
		['Observaciones', 'De baja desde el 15/11'],
		['Observaciones', 'Dado de baja'],
		['Observaciones', 'Se retiró el 10/11'],
		['Observaciones', 'Pago anulado'],
		['Comentarios', 'NO PAGAR'],
		['Estatus', 'Inactivo'],
		['Nota', 'Anulado'],
		['Activo', 'N'],
		['Activo', 0],
	])('are not paid if %s is %j', async (header, cell) => {
		const items = lines(
			[...HEADERS, header],
			[...JUANA, cell],
			[...PEDRO, cell === false || 'Activo'],
		);
		const result = await service.run(form(), { items, onError: 'continueRegularOutput' });
		expect(outcomes(result)).toEqual(['notSent', 'created']);
		expect(reported(result)[0].message).toContain('says that this row must not be paid');
		expect(sentTo()).toEqual(['6012345']);
	});

	test.each([
		['Pagado', 'S'],
		['Pagado', 1],
		['Pagado', '✓'],
	])('are not paid again if %s is %j', async (header, cell) => {
		const items = lines([...HEADERS, header], [...JUANA, cell], [...PEDRO, '']);
		const result = await service.run(form(), { items, onError: 'continueRegularOutput' });
		expect(outcomes(result)).toEqual(['notSent', 'created']);
	});

	test.each([
		['Pagado', 'S/ 100'],
		['Pagado', '1,250.00'],
		['Saldo por pagar', 0],
		['Observaciones', 'No pagado'],
		['Observaciones', 'Pendiente'],
	])('are paid if %s is %j', async (header, cell) => {
		const items = lines([...HEADERS, header], [...JUANA, cell], [...PEDRO, '']);
		expect(outcomes(await service.run(form(), { items }))).toEqual(['created', 'created']);
	});

	test('name the columns that were not used, and accounts that are numbers', async () => {
		const headers = [...HEADERS, 'Cargo', 'Sección', 'Firma'];
		const pedro = [...PEDRO.map((cell, index) => (index === 4 ? 2080001234 : cell)), 'Chofer', 'B'];
		const items = lines(headers, [...JUANA, 'Costurera', '', ''], pedro);
		const spanish = await service.run(form({ language: 'es' }, {}, { dryRun: true }), { items });
		const { mapping, html } = spanish.json[0].summary as IDataObject;
		const text =
			'columnas que no se usan: Cargo, Sección; las cuentas son números en 1 fila: revisa sus ceros iniciales';
		expect(mapping).toContain(`; ${text}`);
		expect(html).toContain(text);
		expect(hints(await service.run(form(), { items }))[0]).toMatch(
			/; columns not used: Cargo, Sección; accounts are numbers in 1 row: check their leading zeros$/,
		);
	});

	test('are asked about if a comma may have cut the cents off, whatever the next column is', async () => {
		const headers = [...HEADERS.slice(0, -1), 'Sección'];
		const juana = [...JUANA.slice(0, 5), '2520', '50'];
		const file = (cents: string) => lines(headers, juana, [...PEDRO.slice(0, 5), '2706', cents]);
		const more = { defaultValues: { ...(form().defaultValues as object), description: 'S' } };
		const asked = await service.run(form({}, more), { items: file('00') });
		expect(service.sent()).toEqual([]);
		expect(asked.error?.message).toContain('They may be digits of the amounts');
		const result = await service.run(form({}, more), { items: file('10') });
		expect(outcomes(result)).toEqual(['created', 'created']);
	});

	test('are asked about if no row has the column names', async () => {
		const result = await service.run(form(), { items: lines(JUANA, PEDRO) });
		expect(service.sent()).toEqual([]);
		expect(result.error?.message).toContain('No row of the input has the column names.');
	});

	test('are read below the row that Header Row names, also if a title has the column names', async () => {
		const [, , headers, ...rows] = FILE.map(({ row }) => row as unknown as unknown[]);
		const titles = ['Imprenta Sur', '__EMPTY', '__EMPTY_1', '__EMPTY_2', '__EMPTY_3', '__EMPTY_4'];
		const named = [headers, ...rows].map(
			(cells) =>
				Object.fromEntries(titles.map((title, index) => [title, cells[index]])) as IDataObject,
		);
		const more = { defaultValues: { ...(form().defaultValues as object), description: 'S' } };
		const asked = await service.run(form({}, more), { items: named });
		expect(service.sent()).toEqual([]);
		expect(asked.error?.message).toMatch(
			/not in the first row of the file, but in row 1 \(item 0\)/,
		);
		const result = await service.run(form({ headerRow: 1 }, more), { items: named });
		expect(outcomes(result)).toEqual(['created', 'created']);
	});
});

describe('a total', () => {
	const file = (...totals: unknown[][]) => lines(HEADERS, JUANA, PEDRO, ...totals);

	test.each<[string, unknown[][]]>([
		['of all rows', [['', '', '', '', '', 5226.5]]],
		['with a word in the column of the name', [['', 'Totales', '', '', '', '5226.50']]],
		[
			'of an area, and one of all',
			[
				['Subtotal', '', '', '', '', 5226.5],
				ELENA,
				['', '', '', '', '', 3666],
				['Total', '', '', '', '', 8892.5],
			],
		],
	])('%s is no payment', async (_, totals) => {
		const result = await service.run(form(), { items: file(...totals) });
		expect(result.error).toBeUndefined();
		expect(new Set(outcomes(result))).toEqual(new Set(['created']));
	});

	test.each<[string, unknown[]]>([
		['is not the sum', ['', 'TOTAL', '', '', '', 5226.51]],
		['is no number', ['', 'TOTAL', '', '', '', '5.226.5']],
	])('that %s stops the batch, whatever On Error is', async (_, total) => {
		for (const onError of ['stopWorkflow', 'continueRegularOutput'] as const) {
			const result = await service.run(form(), { items: file(total), onError });
			expect(service.sent()).toEqual([]);
			expect(reported(result).map(({ outcome }) => outcome)).toEqual(['notSent', 'notSent']);
		}
	});

	test('that cannot be checked makes no payment of the notes below it', async () => {
		const result = await service.run(form({}, {}, { dryRun: true }), {
			items: file(
				ELENA.with(5, 'much'),
				['', 'TOTAL', '', '', '', 8892.5],
				[],
				['', 'Elaborado por', '', '', 'Revisado por'],
			),
			onError: 'continueRegularOutput',
		});
		expect(reported(result).map(({ item }) => item)).toEqual([1, 2, 3]);
		const { summary } = result.json[0] as { summary: { text: string; ready: number } };
		expect(summary.ready).toBe(0);
		expect(summary.text).toContain('The total in row 5 (item 4) cannot be checked');
		expect(summary.text).toContain(
			'1 row is not paid:\n- Row 4, Elena Rojas Vargas: Amount ("much")',
		);
	});

	test('is not taken for one if its row names somebody', async () => {
		for (const who of [
			['', 'Flores Ana', '', '', '', 5226.5],
			['', '', '7654321', '', '', 5226.5],
			['', '', '', '', '3000112233', 5226.5],
			['Ana Flores', '', '', '', '', 5226.5],
		]) {
			const result = await service.run(form(), { items: file(who) });
			expect(service.sent()).toEqual([]);
			expect(result.error?.message).toMatch(/1 of 3 items are invalid/);
		}
	});

	test('hides no payment below it', async () => {
		const result = await service.run(form(), {
			items: file(['', 'TOTAL', '', '', '', 5226.5], ['', 'Flores Ana', '7654321', '', '', '']),
		});
		expect(service.sent()).toEqual([]);
		expect(result.error?.message).toMatch(/1 of 3 items are invalid/);
	});
});

describe('a file that runs again with other settings', () => {
	const FILE = lines(HEADERS, JUANA, PEDRO);

	/** The settings of the second run, its Key Columns, and whether the money is still the same. */
	test.each<[string, string, IDataObject, string]>([
		['Full Name', '', { fullName: 'namesFirst1' }, 'alreadySent'],
		[
			'Full Name, which is a Key Column',
			'Nombre completo',
			{ fullName: 'namesFirst1' },
			'alreadySent',
		],
		['Account Separators', '', { accountSeparators: 'keep' }, 'alreadySent'],
		[
			'Account Separators of a Key Column',
			'C.I., Cuenta',
			{ accountSeparators: 'keep' },
			'alreadySent',
		],
		[
			'a code in Bank Names of a Key Column',
			'C.I., Banco',
			{
				bankNames: {
					bank: [
						{ name: 'Unión', code: '1099' },
						{ name: 'Bisa', code: '1098' },
					],
				},
			},
			'conflict',
		],
	])('pays nobody twice after a change of %s', async (_, keyColumns, reading, outcome) => {
		const first = await service.run(form({}, { keyColumns }), { items: FILE });
		expect(outcomes(first)).toEqual(['created', 'created']);
		const again = await service.run(form(reading, { keyColumns }), {
			items: FILE,
			onError: 'continueRegularOutput',
		});
		expect(outcomes(again)).toEqual([outcome, outcome]);
		expect(sentTo()).toEqual(['1498123', '6012345']);
	});

	test('pays nobody twice after titles were removed and cells corrected', async () => {
		await service.run(form(), { items: lines(['Imprenta Sur'], [], ...[HEADERS, JUANA, PEDRO]) });
		const corrected = JUANA.map((cell) =>
			String(cell).replace(' LP', '').replaceAll('-', '').replace('Banco Unión', '1014'),
		);
		const named = [corrected, PEDRO].map(
			(cells) =>
				Object.fromEntries(HEADERS.map((header, index) => [header, cells[index]])) as IDataObject,
		);
		const again = await service.run(form(), { items: named });
		expect(outcomes(again)).toEqual(['alreadySent', 'alreadySent']);
	});
});

describe('what a file cannot say', () => {
	test.each([
		['en', 'Banks: BISA -> 1009 (1 row); These banks have no code: "Unión <b>" (rows 2 and 4)'],
		[
			'es',
			'Bancos: BISA -> 1009 (1 fila); Estos bancos no tienen código: "Unión ‹b>" (filas 2 y 4)',
		],
	])('lists them once on the page of a dry run, too (%s)', async (language, text) => {
		const bankNames = { bank: [{ name: 'BISA', code: '1009' }] };
		const rows = [
			JUANA,
			PEDRO,
			[3, 'Rojas Vargas Elena', '8345671', 'Unión <b>', '2080005678', 9, 'S'],
		];
		rows[0] = JUANA.map((cell) => (cell === 'Banco Unión' ? 'Unión <b>' : cell));
		const result = await service.run(form({ language, bankNames }, {}, { dryRun: true }), {
			items: lines(HEADERS, ...rows),
			onError: 'continueRegularOutput',
		});
		const { text: page } = result.json[0].summary as { text: string };
		expect(page).toContain(text.replace('<', '\u2039'));
	});

	test('lists all names of banks without a code at once, with their rows', async () => {
		const bankNames = { bank: [{ name: 'Otro', code: '1' }] };
		const result = await service.run(form({ bankNames }), {
			items: lines(HEADERS, JUANA, PEDRO, ELENA),
		});
		expect(service.sent()).toEqual([]);
		expect(result.error?.message).toContain(
			'These banks have no code: "Banco Unión" (row 2), "BISA" (rows 3 and 4).',
		);
	});

	test('names the codes that were taken for names of banks, with how many rows they are', async () => {
		const mapped = async (...rows: unknown[][]) =>
			hints(await service.run(form(), { items: lines(HEADERS, ...rows) }))[0];
		const LUIS = ['', 'Flores Luis', '7654321', ' 1009 ', '3000112233', 100, 'S'];
		const text = await mapped(
			JUANA,
			PEDRO,
			ELENA.with(3, '<Bisa>'),
			ELENA.with(3, 'BISA').with(2, '55555'),
			LUIS,
		);
		expect(text).toContain(
			'; Banco Unión -> 1014 (1 row); BISA -> 1009 (2 rows); ‹Bisa> -> 1009 (1 row); ',
		);
		expect(text).not.toContain('<Bisa');
		expect(text).not.toContain('1009 -> 1009');
	});

	test('sends the other rows if On Error continues', async () => {
		const bankNames = { bank: [{ name: 'bisa s.a.', code: '1009' }] };
		const result = await service.run(form({ bankNames }), {
			items: lines(HEADERS, JUANA, PEDRO),
			onError: 'continueRegularOutput',
		});
		expect(outcomes(result)).toEqual(['notSent', 'created']);
	});

	test.each([
		[{ bank: [{ name: '', code: '1' }] }, 'has the name'],
		[{ bank: [{ name: 'BISA', code: 'Banco Bisa' }] }, 'has the name'],
		[
			{
				bank: [
					{ name: 'BISA', code: '1' },
					{ name: 'Banco Bisa S.A.', code: '2' },
				],
			},
			'twice',
		],
	])('rejects Bank Names %j', async (bankNames, words) => {
		const result = await service.run(form({ bankNames }), { items: lines(HEADERS, JUANA) });
		expect(service.sent()).toEqual([]);
		expect(result.error?.message).toContain(words);
	});

	test('does not split the name of a company', async () => {
		const headers = [...HEADERS, 'Tipo de persona'];
		const items = lines(
			headers,
			['', 'Textiles Illimani del Sur', ...PEDRO.slice(2), 'Empresa'],
			[...ELENA, 'Natural'],
		);
		await service.run(form({ concurrency: 1 }), { items });
		expect(service.bodies().map(({ transaction }) => transaction)).toEqual([
			expect.objectContaining({ first_name: 'Textiles Illimani del Sur' }),
			expect.objectContaining({ first_name: 'Elena', last_name: 'Rojas Vargas' }),
		]);
		expect(service.bodies()[0].transaction).not.toHaveProperty('last_name');
	});

	test('asks about an amount a hundred times the others, unless a maximum allows it', async () => {
		const items = lines(HEADERS, JUANA, PEDRO, ELENA.with(5, 270650));
		const asked = await service.run(form(), { items });
		expect(service.sent()).toEqual([]);
		expect(asked.error?.message).toContain('The amount 270650 in row 4, Elena Rojas Vargas');
		const result = await service.run(form({}, {}, { maximumAmount: 300000 }), { items });
		expect(outcomes(result)).toEqual(['created', 'created', 'created']);
	});

	test.each([
		['account and amount exchanged', HEADERS.with(4, 'Monto').with(5, 'Cuenta')],
		['one column more', [...HEADERS.with(4, 'Monto').with(5, 'Cuenta'), 'Tipo de documento']],
	])('asks about a second table with %s, also if On Error continues', async (_, headers) => {
		const result = await service.run(form(), {
			items: lines(HEADERS, JUANA, PEDRO, [], headers, ELENA.with(4, '3666').with(5, '2080005678')),
			onError: 'continueRegularOutput',
		});
		expect(service.sent()).toEqual([]);
		expect(JSON.stringify(reported(result))).toContain('A second table begins in row 5');
	});

	test('rejects a row whose cells do not fit the column names', async () => {
		const result = await service.run(form(), { items: lines(HEADERS, [...JUANA, 'rest'], PEDRO) });
		expect(service.sent()).toEqual([]);
		expect(result.error?.description).toContain('Row has 8 filled cells');
	});
});
