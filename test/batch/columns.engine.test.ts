import { type IDataObject, type INodeParameters } from 'n8n-workflow';

import { useService } from '../engine/service';
import {
	BANK,
	bank,
	bankBody,
	bankRow,
	bankRows,
	hints,
	KINDS,
	ON_ERROR,
	outcomes,
	reported,
	rowsOf,
} from './batch';
import { without } from '../without';

const service = useService();

/** The row with some of its columns under another header. */
function renamed(names: Record<string, string>, row = bankRow(0)): IDataObject {
	return Object.fromEntries(
		Object.entries(row).map(([column, cell]) => [names[column] ?? column, cell]),
	);
}

const transaction = (): IDataObject => service.bodies()[0].transaction as IDataObject;

test.each([...Object.keys(bankRow(0)), 'Complemento', 'Monto', 'Total', 'Moneda', 'Estado', 'x'])(
	'gives each row its outcome if a cell below %s has no text',
	async (header) => {
		for (const cell of [{ toString: 1 }, [{ toString: 1 }]]) {
			const items = bankRows(3).map((row, number) =>
				number === 1 ? { ...row, [header]: cell } : row,
			);
			const result = await service.run(bank({ dryRun: true }), {
				items: items as IDataObject[],
				onError: 'continueRegularOutput',
			});
			expect(reported(result)).toHaveLength(3);
			if (header in bankRow(0)) expect(reported(result)[1].outcome).toBe('notSent');
		}
	},
);

describe('headers', () => {
	test.each([
		'amount',
		'Amount',
		'AMOUNT',
		' amount ',
		'\ufeffamount',
		'amount\u00a0',
		'a-mount',
		'a_mount',
		'a mount',
		'ａｍｏｕｎｔ',
	])('recognizes %j as the column of the amount', async (header) => {
		await service.run(BANK, { items: [renamed({ amount: header })] });
		expect(service.bodies()).toEqual([bankBody(0)]);
	});

	test('recognizes many spellings of headers at once', async () => {
		const row = renamed({
			external_reference: '\ufeffExternal Reference',
			funding_source: 'FUNDING-SOURCE',
			first_name: 'firstName',
			last_name: 'Last  Name',
			destination_id_number: 'Destination_ID_Number',
			bank_code: 'bankcode',
			destination_account: 'destination.account',
			currency_type: 'Currency',
			description: 'Description ',
		});
		await service.run(BANK, { items: [row] });
		expect(service.bodies()).toEqual([bankBody(0)]);
	});

	test('recognizes headers that differ from row to row', async () => {
		const items = [bankRow(0), renamed({ amount: 'Amount' }, bankRow(1))];
		await service.run(bank({ concurrency: 1 }), { items });
		expect(service.bodies()).toEqual([bankBody(0), bankBody(1)]);
	});

	test.each([
		['amuont', 'amount', 'Amount'],
		['Descripton', 'description', 'Description'],
		['destination acount', 'destination_account', 'Destination Account'],
		['externalreferences', 'external_reference', 'External Reference'],
	])('suggests a field for %j instead of a required column', async (header, column, label) => {
		const result = await service.run(BANK, { items: [renamed({ [column]: header })] });
		expect(service.sent()).toEqual([]);
		expect(result.error?.message).toContain(`The input has no column for ${label}.\n`);
		expect(result.error?.message).toContain(`"${header}": did you mean ${label}?`);
	});

	test.each([
		['contry', 'Country', 'PE'],
		['refund_adress', 'Refund Address', '0x52908400098527886E0F7030069857D2E4169EE7'],
		['Document Typ', 'Document Type', 'CI'],
	])(
		'rejects %j instead of an optional column, whose value would not be sent',
		async (header, label, cell) => {
			const items = [bankRow(0), { ...bankRow(1), [header]: cell }];
			const result = await service.run(BANK, { items });
			expect(service.sandbox.core.traffic.requests()).toEqual([]);
			expect(reported(result)).toEqual([
				expect.objectContaining({
					item: 1,
					outcome: 'notSent',
					message: `Column "${header}" ("${cell}") matches no field. Did you mean "${label}"? Rename the column, or remove it.`,
				}),
			]);
		},
	);

	test.each(['contry', 'refund_adress', 'Document Typ'])(
		'ignores %j without a value',
		async (header) => {
			const result = await service.run(BANK, { items: [{ ...bankRow(0), [header]: ' ' }] });
			expect(outcomes(result)).toEqual(['created']);
			expect(service.bodies()).toEqual([bankBody(0)]);
		},
	);

	test.each<[string, string, IDataObject]>([
		['currencytyp', 'currency_type', { currencyType: 'BOB' }],
		['contry', 'country', { country: 'BO' }],
		['descripton', 'description', { description: 'Salary' }],
	])(
		'rejects %j next to a default value, and does not send the default',
		async (header, column, defaultValues) => {
			const row = without(bankRow(0), column);
			const cell = { currency_type: 'USD', country: 'PE', description: 'Bonus' }[column] as string;
			for (const onError of ON_ERROR) {
				const result = await service.run(
					{ ...BANK, defaultValues: defaultValues as INodeParameters },
					{ items: [{ ...row, [header]: cell }], onError },
				);
				expect(service.sandbox.core.traffic.requests()).toEqual([]);
				expect(reported(result)).toEqual([
					expect.objectContaining({
						outcome: 'notSent',
						message: expect.stringContaining(`Column "${header}" ("${cell}") matches no field.`),
					}),
				]);
			}
		},
	);

	test('ignores columns that belong to no field', async () => {
		const foreign = { Employee: 'E-1', Department: 'Sales', notes: '', IBAN: 'x', id: 7, date: 1 };
		const result = await service.run(BANK, { items: [{ ...foreign, ...bankRow(0) }] });
		expect(service.bodies()).toEqual([bankBody(0)]);
		expect(hints(result)).toEqual([expect.stringMatching(/^1 item: 1 created; /)]);
	});

	test('ignores Tipo de cuenta and other usual columns of payrolls', async () => {
		const others = {
			'#': 1,
			Agencia: 'Central',
			'Tipo de cuenta': 'Caja de ahorro',
			Cargo: 'Contadora',
			'Fecha de pago': '2026-11-30',
			Correo: 'maria@example.com',
			Celular: '71234567',
			Observaciones: 'Reemplazo',
		};
		const result = await service.run(BANK, { items: [{ ...others, ...bankRow(0) }] });
		expect(outcomes(result)).toEqual(['created']);
		expect(service.bodies()).toEqual([bankBody(0)]);
	});

	test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', 'prototype'])(
		'ignores a column named %s',
		async (header) => {
			const row = JSON.parse(
				`{${JSON.stringify(header)}:{"amount":1},${JSON.stringify(bankRow(0)).slice(1)}`,
			) as IDataObject;
			const result = await service.run(bank({ includeInput: true }), { items: [row] });
			expect(outcomes(result)).toEqual(['created']);
			expect(service.bodies()).toEqual([bankBody(0)]);
			expect(({} as IDataObject).amount).toBeUndefined();
		},
	);

	test.each(['constructor', 'toString', '__proto__'])(
		'does not take %s for a missing column',
		async (header) => {
			const row = renamed({ amount: header });
			const result = await service.run(BANK, { items: [row] });
			expect(service.sent()).toEqual([]);
			expect(reported(result)[0].message).toMatch(
				/^The input has no column for Amount\.\nColumns found: [^\n]*$/,
			);
		},
	);
});

describe('two columns for one field', () => {
	test('rejects two columns of a field with different values, and names both', async () => {
		const result = await service.run(BANK, { items: [{ ...bankRow(0), Amount: '7' }] });
		expect(service.sent()).toEqual([]);
		expect(result.error?.message).toContain('"amount" and "Amount"');
	});

	test('accepts two columns of a field with the same value', async () => {
		await service.run(BANK, { items: [{ ...bankRow(0), Amount: '100.50' }] });
		expect(service.bodies()).toEqual([bankBody(0)]);
	});

	test('accepts two columns of a field if one is empty', async () => {
		await service.run(BANK, { items: [{ Amount: ' ', ...bankRow(0), 'AMOUNT-': null }] });
		expect(service.bodies()).toEqual([bankBody(0)]);
	});
});

describe('two columns that can be one field', () => {
	test.each<[string, string, string, IDataObject]>([
		['the gross and the net amount', 'amount', 'Amount', { Monto: '300', Líquido: '100.50' }],
		[
			'the ledger and the CBU',
			'destination_account',
			'Destination Account',
			{ Cuenta: '510201', CBU: '0170204660' },
		],
		[
			'our account and the payee’s',
			'destination_account',
			'Destination Account',
			{ 'Cuenta origen': '90010', Cuenta: '1000' },
		],
		['Importe and Importe neto', 'amount', 'Amount', { Importe: '300', 'Importe neto': '100.50' }],
		[
			'an amount and what is received',
			'amount',
			'Amount',
			{ Importe: '300', 'A percibir': '100.50' },
		],
		['an amount and fees', 'amount', 'Amount', { Monto: '300', Honorarios: '100.50' }],
		['an amount and a remuneration', 'amount', 'Amount', { Monto: '300', Remuneración: '100.50' }],
		['an amount and what is due', 'amount', 'Amount', { Amount: '300', Due: '100.50' }],
		['an amount and the net pay', 'amount', 'Amount', { Amount: '300', 'Take-home': '100.50' }],
		[
			'an account and an IBAN',
			'destination_account',
			'Destination Account',
			{ Account: '510201', IBAN: 'ES9121000418450200051332' },
		],
		[
			'an account and a card',
			'destination_account',
			'Destination Account',
			{ Cuenta: '510201', 'N° de tarjeta': '99120044' },
		],
		[
			'a ledger account and the payee’s',
			'destination_account',
			'Destination Account',
			{ Account: '510201', GL: '99120044' },
		],
		[
			'a posting and a tax number',
			'destination_id_number',
			'Destination ID Number',
			{ 'Document number': '20261101', 'Tax ID': '0812345' },
		],
		[
			'a document and an identity card',
			'destination_id_number',
			'Destination ID Number',
			{ Documento: '20261101', 'Identity card': '0812345' },
		],
		['two codes of a bank', 'bank_code', 'Bank Code', { Bank: '1001', 'Routing number': '1014' }],
		[
			'an invoice and a document',
			'destination_id_number',
			'Destination ID Number',
			{ Documento: '20261101', CI: '0812345' },
		],
	])(
		'asks for %s before anything is sent, however errors are handled',
		async (_, column, label, cells) => {
			const items = bankRows(2).map((row) => ({ ...without(row, column), ...cells }));
			for (const onError of ON_ERROR) {
				const result = await service.run(BANK, { items, onError });
				expect(service.sandbox.core.traffic.requests()).toEqual([]);
				const [{ message }] = reported(result);
				expect(message).toContain(`More than one column can be ${label}. In row 1 (item 0), `);
				for (const [header, cell] of Object.entries(cells)) {
					expect(message).toContain(`"${header}" has "${String(cell)}"`);
				}
			}
		},
	);

	test('pays what Column Mapping says', async () => {
		const row = { ...without(bankRow(0), 'amount'), Monto: '300', Líquido: '100.50' };
		const columnMapping = { column: [{ field: 'amount', header: 'Líquido' }] };
		await service.run(bank({}, { columnMapping }), { items: [row] });
		expect(service.bodies()).toEqual([bankBody(0)]);
	});

	test('pays the account whose column names the payee, next to our own', async () => {
		const row = renamed({ destination_account: 'Cuenta destino' });
		await service.run(BANK, { items: [{ 'Cuenta origen': '90010', ...row }] });
		expect(service.bodies()).toEqual([bankBody(0)]);
	});
});

describe('the columns that were taken', () => {
	const rows = [renamed({ amount: 'Líquido pagable', destination_account: 'Cuenta' })];
	const TAKEN =
		/Destination Account <- Cuenta, Amount <- Líquido pagable, Currency <- currency_type/;

	test('are in the summary of a dry run and in the hint above the output', async () => {
		const dryRun = await service.run(bank({ dryRun: true }), { items: rows });
		expect(dryRun.json[0].summary).toMatchObject({ mapping: expect.stringMatching(TAKEN) });
		expect(hints(dryRun)).toEqual([expect.stringMatching(TAKEN)]);
		const paid = await service.run(BANK, { items: rows });
		expect(hints(paid)).toEqual([expect.stringMatching(TAKEN)]);
	});
});

describe('cells as spreadsheets contain them', () => {
	test.each<[unknown, number]>([
		[1250.5, 1250.5],
		['1250.50', 1250.5],
		['1,250.00', 1250],
		['1,234,567.89', 1234567.89],
		['1\u00a0250.00', 1250],
		['1\u202f250.00', 1250],
		['\u00a01250.5\u00a0', 1250.5],
		['1234567.0', 1234567],
		['007', 7],
		['.5', 0.5],
		[0.1 + 0.2, 0.3],
		[1.005e2, 100.5],
		[4.35, 4.35],
		['0.07', 0.07],
		['999999999999.99', 999999999999.99],
	])('reads the amount %j', async (cell, sent) => {
		await service.run(BANK, { items: [bankRow(0, { amount: cell } as IDataObject)] });
		expect(transaction().amount).toBe(sent);
	});

	test.each<[unknown, RegExp]>([
		['1.234,50', /more than one amount/],
		['1,25', /more than one amount/],
		['1.250', /more than one amount/],
		['1.250.000', /more than one amount/],
		['10.005', /more than one amount/],
		['12,50.00', /does not use a decimal dot/],
		['Bs 100', /must be a number/],
		['100 BOB', /must be a number/],
		['$100', /must be a number/],
		['(100)', /must be a number/],
		['١٢٣', /must be a number/],
		['0x10', /must be a number/],
		['Infinity', /must be a number/],
		['1e5', /scientific notation/],
		['1E+5', /scientific notation/],
		[1e21, /larger than a number can hold/],
		['-1', /must be more than 0/],
		['0', /must be more than 0/],
		[0, /must be more than 0/],
		['1000.005', /at most 2 decimals/],
		[10.005, /at most 2 decimals/],
		['9999999999999.999', /at most 2 decimals/],
		[true, /must be a number/],
		[{ value: 1 }, /must be a number/],
	])('rejects the amount %j with the item and the reason', async (cell, reason) => {
		const items = [bankRow(0), bankRow(1, { amount: cell } as IDataObject)];
		const result = await service.run(BANK, { items });
		expect(service.sent()).toEqual([]);
		expect(result.error?.description).toMatch(/^<li>Row 2, María José Quispe 1: Amount \(/m);
		expect(result.error?.description).toMatch(reason);
	});

	test.each<[string, unknown, string]>([
		['destination_account', 1234567, '1234567'],
		['destination_account', '0001234567', '0001234567'],
		['destination_account', '1234567.0', '1234567'],
		['destination_account', '\u00a01234567 ', '1234567'],
		['destination_account', 'CR05015202001026284066', 'CR05015202001026284066'],
		['bank_code', 'BNBOBOLX', 'BNBOBOLX'],
		['bank_code', 'BNB', 'BNB'],
		['bank_code', 10, '10'],
		['bank_code', '0010', '0010'],
		['bank_code', '1001.0', '1001'],
		['destination_id_number', 812345, '812345'],
		['destination_id_number', '0812345', '0812345'],
		['destination_id_number', '812345.0', '812345'],
		['destination_id_number', '\u00a0812345', '812345'],
		['description', 42, '42'],
		['currency_type', 'bob', 'BOB'],
		['currency_type', ' usd ', 'USD'],
		['country', 'pe', 'PE'],
		['entity_type', 'Individual', 'individual'],
	])('reads in the column %s the cell %j', async (column, cell, sent) => {
		await service.run(BANK, { items: [bankRow(0, { [column]: cell } as IDataObject)] });
		expect(transaction()[column]).toBe(sent);
	});

	test.each<[string, unknown, RegExp]>([
		['destination_account', '1.23457E+15', /scientific notation/],
		['destination_account', Number('12345678901234567890'), /number with more than 15 digits/],
		['destination_id_number', '81 2345', /digits only/],
		['destination_id_number', 'E812345', /digits only/],
		['external_reference', 17, /must be a UUID/],
		[
			'destination_id_number',
			'5123456-1A',
			/digits only\. Ask the service how it takes such a document\. Do not simply remove the letters/,
		],
		['destination_account', '12\u200b34', /has an invisible character \(U\+200B\) at position 3/],
		['bank_code', '10\u200b01', /has an invisible character/],
		['destination_account', '12 34', /digits and letters only/],
		['destination_account', '123-456', /digits and letters only/],
		['bank_code', 'Banco Unión', /These banks have no code: "Banco Unión" \(row 1\)\. Add them to/],
		['bank_code', 'N/A', /These banks have no code/],
		['destination_id_number', '1498123 LP', /has a place of issue behind the number/],
		['currency_type', '$', /must be one of/],
		['currency_type', 'Pesos', /must be one of/],
		['document_type', 'RUT', /must be one of/],
		['refund_address', '0x123', /must be/],
		['refund_address', 'TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7', /must be a Polygon address .* unless/],
		['refund_address', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD', /has a wrong checksum/],
		['refund_address', '0x0000000000000000000000000000000000000000', /is the zero address/],
		['refund_address', '0xdac17f958d2ee523a2206206994597c13d831ec7', /contract of the token USDT/],
		['first_name', '#N/A', /is an error of the spreadsheet/],
		['last_name', '-', /is a placeholder or an example/],
		['bank_code', '#REF!', /is an error of the spreadsheet/],
		['destination_account', '0000000000', /has no digit other than 0/],
		['destination_id_number', '0000000', /has no digit other than 0/],
		[
			'currency_type',
			'CLP',
			/Country is required for a currency other than BOB and USD\. .*in a column country/s,
		],
	])('rejects in the column %s the cell %j', async (column, cell, reason) => {
		const result = await service.run(BANK, {
			items: [bankRow(0, { funding_source: 'conversion', [column]: cell } as IDataObject)],
		});
		expect(service.sent()).toEqual([]);
		expect(result.error?.message).toMatch(reason);
	});
});

describe('the country of a currency', () => {
	const peru = { ...bankRow(0), currency_type: 'PEN' };

	test.each([
		['a column', {}, { country: 'PE' }],
		['a default value', { defaultValues: { country: 'PE' } }, {}],
	])('accepts it from %s', async (_, parameters, cells) => {
		await service.run(bank({}, parameters), { items: [{ ...peru, ...cells }] });
		expect(transaction()).toMatchObject({ currency_type: 'PEN', country: 'PE' });
	});

	test.each(['CLP', 'COP', 'PEN'])(
		'rejects %s without a country, wherever the values come from',
		async (currency_type) => {
			const row = { ...peru, currency_type };
			const fields = Object.fromEntries(
				Object.keys(row).map((column) => [
					column.replace(/_(.)/g, (__, letter: string) => letter.toUpperCase()),
					`={{ $json.${column} }}`,
				]),
			);
			for (const parameters of [BANK, { ...BANK, mappingMode: 'defineBelow', ...fields }]) {
				const result = await service.run(parameters, { items: [row] });
				expect(result.error?.message).toMatch(/: Country is required for a currency other/);
			}
			expect(service.sent()).toEqual([]);
		},
	);
});

describe('Default Values', () => {
	const same = {
		defaultValues: { currencyType: 'USD', description: 'Bonus', country: 'PE' },
	};

	test('fills missing columns with default values', async () => {
		const row = without(bankRow(0), 'currency_type', 'description');
		await service.run(bank({}, same), { items: [row] });
		expect(transaction()).toMatchObject({
			currency_type: 'USD',
			description: 'Bonus',
			country: 'PE',
		});
	});

	test.each([
		['empty', ''],
		['blank', ' \u00a0'],
		['null', null],
	])('fills a cell that is %s with the default value', async (_, cell) => {
		await service.run(bank({}, same), { items: [bankRow(0, { currency_type: cell })] });
		expect(transaction()).toMatchObject({ currency_type: 'USD', country: 'PE' });
	});

	test('prefers a filled cell to the default value', async () => {
		await service.run(bank({}, same), { items: [bankRow(0)] });
		expect(transaction()).toMatchObject({
			currency_type: 'BOB',
			description: 'Sueldo, noviembre',
			country: 'PE',
		});
	});

	test('validates a default value like a cell', async () => {
		const result = await service.run(
			bank({}, { defaultValues: { description: 'x'.repeat(1_000) } }),
			{
				items: [bankRow(0, { description: '' })],
			},
		);
		expect(service.sent()).toEqual([]);
		expect(result.error?.message).toMatch(/has 1000 characters, but may have at most \d+./);
	});
});

describe('rows', () => {
	test.each([
		['without cells', {}],
		['with empty cells only', { amount: '', first_name: ' ', bank_code: null }],
	])('leaves out a row %s, and says so', async (_, empty) => {
		const result = await service.run(bank({}, { defaultValues: { description: 'Bonus' } }), {
			items: [empty, bankRow(0)],
		});
		expect(service.bodies()).toEqual([bankBody(0)]);
		expect(reported(result)).toEqual([expect.objectContaining({ item: 1, outcome: 'created' })]);
		expect(hints(result)).toEqual([expect.stringMatching(/; 1 empty row left out$/)]);
	});

	test.each(KINDS)('reads the rows of a $name from their columns', async (kind) => {
		const items = rowsOf(kind, 2, service);
		const result = await service.run(
			{ ...kind.parameters, options: { concurrency: 1 } },
			{ items },
		);
		expect(outcomes(result)).toEqual(['created', 'created']);
		expect(service.bodies().map((body) => body[kind.reference])).toEqual(
			items.map((row) => row[kind.reference]),
		);
	});

	test('adds the input columns to the result with Include Input Columns', async () => {
		const items = bankRows(2).map((row, number) => ({ Employee: `E-${number}`, ...row }));
		const result = await service.run(bank({ includeInput: true }), { items });
		expect(result.json).toEqual(
			items.map((row) => expect.objectContaining({ ...row, outcome: 'created' })),
		);
	});

	test('drops the old error of a row from an error output once it is created', async () => {
		const before = await service.run(BANK, {
			items: [bankRow(0, { amount: 'all' }), bankRow(1, { amount: 'all' })],
			onError: 'continueErrorOutput',
		});
		const corrected = before.outputs[1].map(({ json }) => ({ ...json, amount: 5 }));
		const result = await service.run(bank({ includeInput: true }), {
			items: corrected,
			retryOnFail: true,
		});
		expect(outcomes(result)).toEqual(['created', 'created']);
		// n8n and downstream nodes take an item with an error for a failed one.
		for (const json of result.json) expect(json).not.toHaveProperty('error');
	});

	test('keeps the input columns of invalid rows', async () => {
		const items = [{ Employee: 'E-0', ...bankRow(0, { amount: 'all' }) }];
		const result = await service.run(bank({ includeInput: true }), {
			items,
			onError: 'continueRegularOutput',
		});
		expect(result.json).toEqual([
			expect.objectContaining({ Employee: 'E-0', amount: 'all', outcome: 'notSent' }),
		]);
	});
});
