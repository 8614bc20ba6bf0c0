import { type IDataObject } from 'n8n-workflow';

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
	posted,
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

	test.each(['currencytyp', 'Mon.', 'x'])(
		'pays nothing in a default currency if the column %j names another one',
		async (header) => {
			const row = without(bankRow(0), 'currency_type');
			for (const onError of ON_ERROR) {
				const result = await service.run(
					{ ...BANK, defaultValues: { currencyType: 'BOB' } },
					{ items: [{ ...row, [header]: 'Dólares' }], onError },
				);
				expect(posted(service)).toEqual([]);
				expect(reported(result)[0].message).toContain('is in USD, but Currency is BOB');
			}
		},
	);

	test('ignores columns that belong to no field', async () => {
		const foreign = { Employee: 'E-1', Department: 'Sales', notes: '', IBAN: 'x', id: 7, date: 1 };
		const result = await service.run(BANK, { items: [{ ...foreign, ...bankRow(0) }] });
		expect(service.bodies()).toEqual([bankBody(0)]);
		expect(hints(result)).toEqual([expect.stringMatching(/^1 item: 1 created; /)]);
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
			expect(posted(service)).toEqual([]);
			expect(reported(result)[0].message).toMatch(
				/^The input has no column for Amount\.\nColumns found: [^\n]*$/,
			);
		},
	);
});

describe('cells as spreadsheets contain them', () => {
	test.each<[unknown, RegExp]>([
		['1.234,50', /more than one amount/],
		[0, /must be more than 0/],
	])('rejects the amount %j with the item and the reason', async (cell, reason) => {
		const items = [bankRow(0), bankRow(1, { amount: cell } as IDataObject)];
		const result = await service.run(BANK, { items });
		expect(posted(service)).toEqual([]);
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
		['bank_code', 'Banco Unión', /Bank Code \("Banco Unión"\) is a bank name without a code/],
		['bank_code', 'N/A', /is a bank name without a code/],
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
		expect(posted(service)).toEqual([]);
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
			expect(posted(service)).toEqual([]);
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
		expect(posted(service)).toEqual([]);
		expect(result.error?.message).toMatch(/has 1000 characters, but may have at most \d+./);
	});
});

describe('rows', () => {
	test.each([
		['without cells', {}],
		['with empty cells only', { amount: '', first_name: ' ', bank_code: null }],
	])('leaves out a row %s', async (_, empty) => {
		const result = await service.run(bank({}, { defaultValues: { description: 'Bonus' } }), {
			items: [empty, bankRow(0)],
		});
		expect(service.bodies()).toEqual([bankBody(0)]);
		expect(reported(result)).toEqual([expect.objectContaining({ item: 1, outcome: 'created' })]);
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
