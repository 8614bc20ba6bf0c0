import * as fc from 'fast-check';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { ExecutionState } from '../../nodes/state/executionState';
import type { MoneyEndpoint } from '../../nodes/payments/endpoint';
import type { Row } from '../../nodes/payments/payment';
import { parseRows } from '../../nodes/payments/parseRows';
import { generatedReference } from '../../nodes/payments/reference';
import { holds } from './holds';
import { BANK, batchOf, QR } from '../payments/builders';

/** Section 4.6: a UUID. Section 4.11: at most 32 characters. */
const SHAPE = {
	uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
	hex32: /^[0-9a-f]{12}5[0-9a-f]{3}[89ab][0-9a-f]{15}$/,
};

const form = fc.constantFrom('uuid' as const, 'hex32' as const);

/** Any JSON values. */
const parts = fc.array(fc.jsonValue(), { maxLength: 6 });

holds(
	'reference: has the length and the form of its endpoint, and is the same every time',
	fc.property(parts, form, (some, kind) => {
		const reference = generatedReference(some, kind);
		expect(reference).toMatch(SHAPE[kind]);
		expect(generatedReference(JSON.parse(JSON.stringify(some)) as unknown[], kind)).toBe(reference);
	}),
);

holds(
	'reference: differs for any other input',
	fc.property(
		fc.uniqueArray(parts, { selector: (some) => JSON.stringify(some) }),
		form,
		(all, kind) => {
			const references = all.map((some) => generatedReference(some, kind));
			expect(new Set(references).size).toBe(all.length);
		},
	),
);

/** Parses rows of columns; n8n is replaced as far as that needs it. */
async function read(
	endpoint: MoneyEndpoint,
	items: IDataObject[],
	parameters: IDataObject,
): Promise<Row[]> {
	const all: IDataObject = {
		mappingMode: 'autoMapInputData',
		referenceSource: 'generated',
		...parameters,
	};
	const context = {
		evaluateExpression: () => 0,
		getContext: () => ({}),
		getInputData: () => items.map((json) => ({ json })),
		getNode: () => ({ type: 'n8n-nodes-partner-payments.partnerPayments' }),
		getNodeParameter: (name: string, _: number, otherwise: unknown) => all[name] ?? otherwise,
	} as unknown as IExecuteFunctions;
	const state = new ExecutionState(context, endpoint.path);
	const payments = await parseRows(batchOf({ context, endpoint, state }));
	return payments.map(({ row }) => row);
}

const references = (rows: Row[]): string[] => {
	for (const { errors: errors } of rows) expect(errors).toEqual([]);
	return rows.map(({ reference }) => reference);
};

const name = fc.constantFrom('Ana', 'José', 'Núñez', 'O’Brien', 'Ñandú', '李', '😀');

const payment = fc.record({
	first_name: name,
	last_name: name,
	destination_id_number: fc.stringMatching(/^\d{5,12}$/),
	bank_code: fc.stringMatching(/^0?\d{3}$/),
	destination_account: fc.stringMatching(/^\d{6,14}$/),
	cents: fc.integer({ min: 1, max: 10 ** 9 }),
	description: fc.constantFrom('Salary', 'Bonus'),
});

type Payment = typeof payment extends fc.Arbitrary<infer One> ? One : never;

/** A few payments, so that equal rows occur. */
const rows = fc
	.array(payment, { minLength: 1, maxLength: 5 })
	.chain((some) => fc.array(fc.constantFrom(...some), { minLength: 1, maxLength: 12 }));

const amounts = (cents: number): Array<string | number> => {
	const text = (cents / 100).toFixed(2);
	return [text, cents / 100, `${text}00`, ` ${text}`, `0${text}`];
};

/** The row as in a sheet. `style` decides its spelling, its order and its other columns. */
const rowOf = ({ cents, ...rest }: Payment, style = 0): IDataObject => {
	const columns: Array<[string, string | number]> = [
		...Object.entries(rest),
		['funding_source', 'balance'],
		['currency_type', style % 2 ? 'bob' : 'BOB'],
		['amount', amounts(cents)[style % 5]],
		...(style % 3 ? ([['note', `seen ${style} times`]] as Array<[string, string]>) : []),
	];
	if (style % 7 > 3) columns.reverse();
	return Object.fromEntries(
		columns.map(([header, value]) => [
			style % 4 === 3 ? header.toUpperCase().replaceAll('_', ' ') : header,
			value,
		]),
	);
};

const batchId = fc.string({ minLength: 1 }).filter((text) => text.trim() !== '');

holds(
	'reference: differs for each row of a sheet, even for equal rows',
	fc.asyncProperty(rows, batchId, async (rows, id) => {
		const given = references(
			await read(
				BANK,
				rows.map((row) => rowOf(row)),
				{ batchId: id },
			),
		);
		expect(new Set(given).size).toBe(rows.length);
		for (const reference of given) expect(reference).toMatch(SHAPE.uuid);
	}),
	0.5,
);

holds(
	'reference: is the same in any spelling of the sheet',
	fc.asyncProperty(rows, batchId, fc.nat(1000), async (rows, id, style) => {
		const plain = rows.map((row) => rowOf(row));
		const other = rows.map((row, index) => rowOf(row, style + index));
		expect(references(await read(BANK, other, { batchId: ` ${id} ` }))).toEqual(
			references(await read(BANK, plain, { batchId: id })),
		);
	}),
	0.5,
);

holds(
	'reference: is the same in another order of the sheet, or in a part of it',
	fc.asyncProperty(
		rows.chain((rows) => fc.tuple(fc.constant(rows), fc.shuffledSubarray(rows))),
		batchId,
		async ([rows, some], id) => {
			const whole = references(
				await read(
					BANK,
					rows.map((row) => rowOf(row)),
					{ batchId: id },
				),
			);
			const part = references(
				await read(
					BANK,
					some.map((row) => rowOf(row)),
					{ batchId: id },
				),
			);
			expect(whole).toEqual(expect.arrayContaining(part));
			if (some.length === rows.length) expect([...part].sort()).toEqual([...whole].sort());
		},
	),
	0.5,
);

holds(
	'reference: differs for each row of another batch',
	fc.asyncProperty(
		rows,
		fc.uniqueArray(batchId, { minLength: 2, maxLength: 2, selector: (id) => id.trim() }),
		async (rows, [a, b]) => {
			const items = rows.map((row) => rowOf(row));
			const first = references(await read(BANK, items, { batchId: a }));
			const second = new Set(references(await read(BANK, items, { batchId: b })));
			expect(first.filter((reference) => second.has(reference))).toEqual([]);
		},
	),
	0.5,
);

/** The possible values of a key column. */
const cell = fc.oneof(
	fc.string({ minLength: 1 }).filter((text) => text.trim() !== ''),
	fc.integer(),
	fc.boolean(),
	fc.date({ noInvalidDate: true }),
	fc.array(fc.integer(), { minLength: 1, maxLength: 3 }),
);

/** A cell after n8n has stored the execution. */
const stored = (value: unknown): unknown => JSON.parse(JSON.stringify(value)) as unknown;

holds(
	'reference: depends on the cells of key columns alone, whatever their type',
	fc.asyncProperty(
		fc.uniqueArray(cell, {
			maxLength: 8,
			selector: (value) => {
				const json = stored(value);
				return typeof json === 'string' ? json.trim() : JSON.stringify(json);
			},
		}),
		batchId,
		fc.nat(1000),
		async (keys, id, style) => {
			const qr = (key: unknown, index: number): IDataObject => ({
				'Order ID': key as string,
				image: `code ${index * style}`,
				asset_deposit: 'USDC',
				blockchain: 'Polygon',
				funding_source: 'balance',
			});
			const parameters = { batchId: id, keyColumns: 'order_id' };
			const given = references(await read(QR, keys.map(qr), parameters));
			expect(new Set(given).size).toBe(keys.length);
			for (const reference of given) expect(reference).toMatch(SHAPE.hex32);

			const again = keys.map((key) => qr(stored(key), style)).reverse();
			expect(references(await read(QR, again, parameters)).reverse()).toEqual(given);
		},
	),
	0.5,
);
