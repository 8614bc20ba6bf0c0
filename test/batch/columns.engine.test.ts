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

test.each(['amount', 'first_name', 'Monto', 'x'])(
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

	test.each(['x'])(
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

	test.each(['__proto__', 'constructor'])('ignores a column named %s', async (header) => {
		const row = JSON.parse(
			`{${JSON.stringify(header)}:{"amount":1},${JSON.stringify(bankRow(0)).slice(1)}`,
		) as IDataObject;
		const result = await service.run(bank({ includeInput: true }), { items: [row] });
		expect(outcomes(result)).toEqual(['created']);
		expect(service.bodies()).toEqual([bankBody(0)]);
		expect(({} as IDataObject).amount).toBeUndefined();
	});
});

describe('cells as spreadsheets contain them', () => {
	test.each<[unknown, RegExp]>([['1.234,50', /more than one amount/]])(
		'rejects the amount %j with the item and the reason',
		async (cell, reason) => {
			const items = [bankRow(0), bankRow(1, { amount: cell } as IDataObject)];
			const result = await service.run(BANK, { items });
			expect(posted(service)).toEqual([]);
			expect(result.error?.description).toMatch(/^<li>Row 2, María José Quispe 1: Amount \(/m);
			expect(result.error?.description).toMatch(reason);
		},
	);
});

describe('the country of a currency', () => {
	const peru = { ...bankRow(0), currency_type: 'PEN' };

	test.each(['PEN'])(
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

	test('prefers a filled cell to the default value', async () => {
		await service.run(bank({}, same), { items: [bankRow(0)] });
		expect(transaction()).toMatchObject({
			currency_type: 'BOB',
			description: 'Sueldo, noviembre',
			country: 'PE',
		});
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
