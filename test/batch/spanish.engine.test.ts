/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type IDataObject, type INodeParameters } from 'n8n-workflow';

import { useService } from '../engine/service';
import {
	BANK,
	bank,
	bankBody,
	bankRow,
	GOING_ON,
	outcomes,
	referenceOf,
	reported,
	posted,
} from './batch';
import { without } from '../without';

const service = useService();

/** The columns of `bankRow` as an accountant in Bolivia calls them. */
const SPANISH: Record<string, string> = {
	external_reference: 'Referencia externa',
	funding_source: 'Origen de fondos',
	first_name: 'Nombre',
	last_name: 'Apellido',
	destination_id_number: 'CI',
	bank_code: 'Banco',
	destination_account: 'Cuenta',
	amount: 'Monto',
	currency_type: 'Moneda',
	description: 'Glosa',
};

const GENERATED: INodeParameters = { referenceSource: 'generated', batchId: 'payroll-2026-11' };

const spanish = (row: IDataObject, more: Record<string, string> = {}): IDataObject =>
	Object.fromEntries(
		Object.entries(row).map(([column, cell]) => [more[column] ?? SPANISH[column] ?? column, cell]),
	) as IDataObject;

const sent = (): IDataObject[] => service.bodies() as IDataObject[];
const transaction = (): IDataObject => sent()[0].transaction as IDataObject;

describe('a planilla with Spanish headers', () => {
	test('pays a planilla with Spanish headers', async () => {
		const row = spanish(
			bankRow(0, { currency_type: 'Bolivianos', amount: '100,50', funding_source: 'Saldo' }),
		);
		const result = await service.run(BANK, { items: [row] });
		expect(outcomes(result)).toEqual(['created']);
		expect(sent()).toEqual([bankBody(0)]);
	});

	test('generates the same references as with English headers, with and without key columns', async () => {
		for (const keyColumns of ['', 'CI, Cuenta']) {
			const items = [0, 1].map((number) => bankRow(number));
			const english = await service.run(
				bank(
					{ dryRun: true },
					{ ...GENERATED, keyColumns: keyColumns && 'destination_id_number, destination_account' },
				),
				{ items },
			);
			const result = await service.run(bank({ dryRun: true }, { ...GENERATED, keyColumns }), {
				items: items.map((row) => spanish(row)),
			});
			expect(outcomes(result)).toEqual(['ready', 'ready']);
			expect(reported(result).map(({ reference }) => reference)).toEqual(
				reported(english).map(({ reference }) => reference),
			);
		}
	});

	test('recognizes headers without accents, in upper case, with dots and blanks', async () => {
		const row = spanish(bankRow(0), {
			destination_id_number: ' c.i. ',
			bank_code: 'CODIGO DE BANCO',
			destination_account: 'N° de Cuenta',
			amount: '\ufeffLIQUIDO PAGABLE',
			description: 'Descripción',
		});
		await service.run(BANK, { items: [row] });
		expect(sent()).toEqual([bankBody(0)]);
	});

	test('joins two last names, or uses the only one', async () => {
		const row = without(spanish(bankRow(0)), 'Apellido');
		const other = without(spanish(bankRow(1)), 'Apellido');
		const items = [
			{ ...row, 'Apellido Paterno': 'Quispe ', 'Apellido Materno': '0' },
			{ ...other, 'Apellido Paterno': 'Quispe 1', 'Apellido Materno': ' ' },
		];
		await service.run(bank({ concurrency: 1 }), { items });
		expect(sent()).toEqual([bankBody(0), bankBody(1)]);
	});

	test('reads rows whose empty cells are missing, as in XLSX files', async () => {
		const company = without(spanish(bankRow(1, { entity_type: 'company' })), 'Apellido');
		const result = await service.run(bank({ concurrency: 1 }), {
			items: [spanish(bankRow(0)), { ...company, Nombre: 'Imprenta S.R.L.' }],
		});
		expect(outcomes(result)).toEqual(['created', 'created']);
		expect(sent()[1].transaction).toMatchObject({ first_name: 'Imprenta S.R.L.' });
	});

	test.each([
		['currency_type', 'Bolivianos', 'BOB'],
		['currency_type', 'Bs.', 'BOB'],
		['currency_type', 'DÓLARES', 'USD'],
		['currency_type', '$us', 'USD'],
		['currency_type', 'S/.', 'PEN'],
		['document_type', 'C.I.', 'national_id'],
		['document_type', 'Cédula de identidad', 'national_id'],
		['document_type', 'NIT', 'tax_id'],
		['document_type', 'pasaporte', 'passport'],
		['entity_type', 'Persona natural', 'individual'],
		['entity_type', 'EMPRESA', 'company'],
		['country', 'Perú', 'PE'],
	])('understands in the column %s: %s', async (column, cell, code) => {
		await service.run(BANK, { items: [bankRow(0, { country: 'PE', [column]: cell })] });
		expect(transaction()[column]).toBe(code);
	});
});

describe('ambiguous columns', () => {
	test('rejects rows whose columns of one field differ, with both headers', async () => {
		const items = [0, 1, 2].map((number) => ({ ...spanish(bankRow(number)), Importe: '7' }));
		const result = await service.run(BANK, { items });
		expect(posted(service)).toEqual([]);
		expect(result.error?.message).toBe('Nothing was sent. Invalid items: 3 of 3');
		expect(reported(result)[0].message).toContain('"Monto" and "Importe"');
	});

	test('does not guess whether Nombre alone is the whole name', async () => {
		const row = without(spanish(bankRow(0)), 'Apellido');
		const result = await service.run(BANK, { items: [row] });
		expect(posted(service)).toEqual([]);
		expect(result.error?.message).toContain('no column for First Name.');
	});

	test('does not read Monto US$ as an amount in another currency', async () => {
		for (const [header, currency] of [
			['Monto US$', 'USD'],
			['Importe en dólares', 'USD'],
			['Líquido pagable (Bs.)', 'BOB'],
		]) {
			const row = spanish(bankRow(0), { amount: header });
			const right = await service.run(bank({ dryRun: true }), {
				items: [{ ...row, Moneda: currency }],
			});
			expect(outcomes(right)).toEqual(['ready']);
			const wrong = await service.run(BANK, { items: [{ ...row, Moneda: 'PEN', country: 'PE' }] });
			expect(posted(service)).toEqual([]);
			expect(reported(wrong)[0].message).toContain(
				`Column "${header}" ("100.50") is in ${currency}, but Currency is PEN.`,
			);
		}
	});
});

describe('missing columns', () => {
	const rows = Array.from({ length: 30 }, (_, number) => {
		const row = without(spanish(bankRow(number), { amount: 'Sueldo liquido' }), 'Moneda', 'CI');
		return row;
	});

	test('reports missing columns once for all rows', async () => {
		const result = await service.run(BANK, { items: rows });
		expect(posted(service)).toEqual([]);
		expect(result.error?.message).toBe(
			'Nothing was sent. The input has no column for Destination ID Number, Amount and Currency.',
		);
		expect(result.error?.description?.split('\n').slice(1)).toEqual([
			'Columns found: "Referencia externa", "Origen de fondos", "Nombre", "Apellido", "Banco", "Cuenta", "Sueldo liquido", "Glosa".',
			'Choose the column under Column Mapping. Enter a value that is the same in every row under Default Values. Rows without references need Reference Source: Generated From Batch ID.',
		]);
		expect(result.error?.description).toMatch(/^30 rows: 30 not sent\. /);
	});

	test.each(GOING_ON)('reports missing columns in each row (%s)', async (onError) => {
		const result = await service.run(BANK, { items: rows, onError });
		expect(posted(service)).toEqual([]);
		expect(reported(result)).toHaveLength(30);
		for (const { outcome, message } of reported(result)) {
			expect(outcome).toBe('notSent');
			expect(message).toMatch(/^The input has no column for /);
		}
	});

	test.each(['Mar\ufffda', 'MarÃ\u00ada', 'NuÃ±ez'])(
		'does not pay %j, a name with lost letters',
		async (name) => {
			const row = bankRow(0, { first_name: name });
			const result = await service.run(BANK, { items: [row] });
			expect(posted(service)).toEqual([]);
			expect(result.error?.message).toContain('was read with the wrong encoding');
		},
	);
});

describe('Column Mapping', () => {
	const named = (...column: Array<{ field: string; header: string }>): INodeParameters =>
		bank({}, { columnMapping: { column } });

	test('uses the mapped column, whatever other columns are called', async () => {
		const row = { ...spanish(bankRow(0)), Importe: '7', amount: 8, Pago: '100,50' };
		await service.run(named({ field: 'amount', header: 'Pago' }), { items: [row] });
		expect(sent()).toEqual([bankBody(0)]);
	});

	test('generates the same references with a mapped column', async () => {
		const reference = async (parameters: INodeParameters, row: IDataObject) => {
			const result = await service.run(
				{ ...bank({ dryRun: true }, GENERATED), ...parameters },
				{ items: [row] },
			);
			return reported(result)[0].reference;
		};
		expect(
			await reference(
				{ columnMapping: { column: [{ field: 'amount', header: 'Pago' }] } },
				spanish(bankRow(0), { amount: 'Pago' }),
			),
		).toBe(await reference({}, bankRow(0)));
	});
});

describe('amounts of a column', () => {
	const amounts = async (
		cells: unknown[],
		options: IDataObject = {},
	): Promise<Array<number | string>> => {
		const result = await service.run(bank({ concurrency: 1, ...options }), {
			items: cells.map((amount, number) => bankRow(number, { amount } as IDataObject)),
			onError: 'continueRegularOutput',
		});
		const bodies = new Map(
			sent().map((body) => [body.external_reference, (body.transaction as IDataObject).amount]),
		);
		return reported(result).map(({ outcome, message }, number) =>
			outcome === 'created'
				? (bodies.get(referenceOf(number)) as number)
				: message.replace(/^Amount \([^)]*\) /, '').replace(/\. .*/s, ''),
		);
	};
	test.each<[unknown[], Array<number | string>]>([
		[
			['1.234,56', '1.250', '980', '1234,5', 12.5],
			[1234.56, 1250, 980, 1234.5, 12.5],
		],
	])('reads the amounts %j as %j', async (cells, read) => {
		expect(await amounts(cells)).toEqual(read);
	});

	test('says what to do about an ambiguous amount', async () => {
		const result = await service.run(BANK, { items: [bankRow(0, { amount: '1.250' })] });
		expect(result.error?.description).toContain('without thousands separators');
	});
});

describe('the example planilla', () => {
	/** The cells of a file: no field of the example contains a separator or a line break. */
	const table = (text: string, delimiter: string): string[][] =>
		text
			.trim()
			.split(/\r?\n/)
			.map((line) => line.split(delimiter));

	const [header, ...lines] = table(
		readFileSync(join(__dirname, '../../examples/planilla.csv'), 'latin1'),
		';',
	);

	/** Rows as n8n’s nodes return them. `edit` changes the cells of the file. */
	const rows = (edit: (cell: string, column: string) => unknown, headers = header): IDataObject[] =>
		lines.map((cells) =>
			Object.fromEntries(
				cells.map((cell, index) => [headers[index], edit(cell, header[index])] as const),
			),
		) as IDataObject[];

	const AMOUNT = 'Líquido pagable';
	const point = (cell: string) => cell.replaceAll('.', '').replace(',', '.');
	const asNumber = (cell: string, column: string) =>
		column === AMOUNT ? Number(point(cell)) : column === 'Nro.' ? Number(cell) : cell;

	const VARIANTS: Array<[string, IDataObject[]]> = [
		['a CSV with semicolons and decimal commas', rows((cell) => cell)],
		[
			'a CSV with commas and decimal points',
			rows((cell, c) => (c === AMOUNT ? point(cell) : cell)),
		],
		[
			'a CSV with thousands separators',
			rows((cell, c) => (c === AMOUNT ? point(cell).replace(/\B(?=(\d{3})+\.)/g, ',') : cell)),
		],
		[
			'a CSV with a byte order mark',
			rows(
				(cell) => cell,
				header.map((name, index) => (index === 0 ? `\ufeff"${name}"` : name)),
			),
		],
		[
			'an XLSX, whose empty cells are not there',
			rows(asNumber).map(
				(row) =>
					Object.fromEntries(Object.entries(row).filter(([, cell]) => cell !== '')) as IDataObject,
			),
		],
		['a Google sheet', rows(asNumber).map((row, index) => ({ row_number: index + 2, ...row }))],
		[
			'a file with the names of the service',
			rows(asNumber).map((row) => ({
				last_name: `${String(row['Apellido paterno'])} ${String(row['Apellido materno'])}`.trim(),
				first_name: row.Nombres,
				destination_id_number: row.CI,
				bank_code: row['Código de banco'],
				destination_account: row['Nro. de cuenta'],
				amount: row[AMOUNT],
				currency_type: row.Moneda === 'Dólares' ? 'USD' : 'BOB',
				description: row.Glosa,
			})),
		],
	];

	const parameters = bank(
		{ includeInput: true },
		{ ...GENERATED, defaultValues: { fundingSource: 'balance' } },
	);
	let expected: string[];

	test.each(VARIANTS)('pays the example from %s with the same references', async (_, items) => {
		expect(items).toHaveLength(30);
		const result = await service.run(parameters, { items });
		expect(outcomes(result)).toEqual(items.map(() => 'created'));
		const references = reported(result).map(({ reference }) => reference);
		expected ??= references;
		expect(references).toEqual(expected);
		expect(new Set(sent().map((body) => body.external_reference))).toEqual(new Set(references));
		// The output keeps the columns of the file, except for those that have the names of its own fields.
		expect(result.json).toEqual(
			items.map((row) => expect.objectContaining(without(row, 'amount')) as unknown),
		);
		// Payee, amount and currency have the same names for every file.
		for (const [item, { payee, amount, currency }] of result.json.entries()) {
			const row = rows((cell) => cell)[item];
			expect({ payee, amount, currency }).toEqual({
				payee: [row.Nombres, row['Apellido paterno'], row['Apellido materno']]
					.filter(Boolean)
					.join(' '),
				amount: point(String(row[AMOUNT])),
				currency: row.Moneda === 'Dólares' ? 'USD' : 'BOB',
			});
		}
	});

	test('finds the payments again in its own output, by the columns of the file', async () => {
		const items = rows((cell) => cell);
		const { json } = await service.run(parameters, { items });
		json[0].amount = '9.99';
		const again = await service.run(parameters, { items: json });
		expect(outcomes(again)).toEqual(items.map(() => 'alreadySent'));
		expect(again.json[0]).toMatchObject({ amount: '2650.00', 'Líquido pagable': '2.650,00' });
	});
});
