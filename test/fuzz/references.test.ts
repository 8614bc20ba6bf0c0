import * as fc from 'fast-check';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { ExecutionState } from '../../nodes/ledger/executionState';
import type { MoneyEndpoint } from '../../nodes/batch/endpoint';
import type { Row } from '../../nodes/batch/payment';
import { parseRows } from '../../nodes/batch/parseRows';
import { generatedReference } from '../../nodes/reference/batchIdentity';
import { holds } from './holds';
import { BANK, batchOf, QR } from '../batch/builders';

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
		getParentNodes: () => [],
		getNode: () => ({ type: 'n8n-nodes-partner-payments.partnerPayments' }),
		getNodeParameter: (name: string, _: number, otherwise: unknown) => all[name] ?? otherwise,
	} as unknown as IExecuteFunctions;
	const state = new ExecutionState(context, endpoint.path);
	return await parseRows(batchOf({ context, endpoint, state }));
}

const references = (rows: Row[]): string[] => {
	for (const { errors } of rows) expect(errors).toEqual([]);
	return rows.map(({ reference }) => reference);
};

const name = fc.constantFrom('Ana', 'José', 'Núñez', 'O’Brien', 'Ñandú', '李', '😀');

const person = fc.stringMatching(/^[1-9]\d{5,11}$/);

const payment = fc.record({
	first_name: name,
	last_name: name,
	bank_code: fc.stringMatching(/^0?\d{3}$/),
	destination_account: fc.stringMatching(/^\d{6,14}$/),
	cents: fc.integer({ min: 1, max: 10 ** 9 }),
	description: fc.constantFrom('Salary', 'Bonus'),
	document_type: fc.constantFrom('', 'national_id', 'CI', 'NIT', 'pasaporte'),
	country: fc.constantFrom('', 'BO', 'PE', 'Perú'),
});

type Payment = typeof payment extends fc.Arbitrary<infer One> ? One : never;

/** How the rows of a sheet are written. */
const style = fc.record({
	zeros: fc.nat(3),
	isNumber: fc.boolean(),
	amount: fc.nat(4),
	isSpanish: fc.boolean(),
	isReversed: fc.boolean(),
	note: fc.constantFrom('', 'seen', 'paid 30/11'),
	row: fc.boolean(),
});

type Style = typeof style extends fc.Arbitrary<infer One> ? One : never;

const amounts = (cents: number): Array<string | number> => {
	const text = (cents / 100).toFixed(2);
	return [text, cents / 100, `${text}00`, ` ${text}`, `0${text}`];
};

const SPANISH: Record<string, string> = {
	destination_id_number: 'CI',
	bank_code: 'Código de banco',
	destination_account: 'N° DE CUENTA',
	amount: 'Monto',
	currency_type: 'Moneda',
	description: 'Glosa',
	document_type: 'Tipo de documento',
	country: 'País',
};

const isSafe = (digits: string) => Number.isSafeInteger(Number(digits));

/** The row of a person in a sheet. */
const rowOf = (document: string, { cents, ...rest }: Payment, how: Style, at = 0): IDataObject => {
	const columns: Array<[string, unknown]> = [
		...Object.entries(rest),
		[
			'destination_id_number',
			how.isNumber && isSafe(document) ? Number(document) : `${'0'.repeat(how.zeros)}${document} `,
		],
		['funding_source', 'balance'],
		['currency_type', how.zeros % 2 ? 'bob' : 'BOB'],
		['amount', amounts(cents)[how.amount]],
		...(how.note === '' ? [] : [['note', how.note] as [string, unknown]]),
		...(how.row ? [['Nro.', at + 1] as [string, unknown]] : []),
	];
	if (how.isReversed) columns.reverse();
	return Object.fromEntries(
		columns.map(([header, cell]) => [
			how.isSpanish ? (SPANISH[header] ?? header.toUpperCase().replaceAll('_', ' ')) : header,
			cell,
		]),
	) as IDataObject;
};

/** A sheet: one row for each person. */
const people = fc.uniqueArray(person, { minLength: 1, maxLength: 8 });

const batchId = fc.string({ minLength: 1 }).filter((text) => text.trim() !== '');

/** The references of people, whatever is paid to them and however the sheet is written. */
const readSheet = async (
	documents: string[],
	paid: Payment[],
	how: Style,
	id: string,
): Promise<string[]> =>
	references(
		await read(
			BANK,
			documents.map((document, at) => rowOf(document, paid[at % paid.length], how, at)),
			{ batchId: id },
		),
	);

const payments = fc.array(payment, { minLength: 1, maxLength: 3 });

/** Texts that name the same batch. */
const respelled = fc.constantFrom<(id: string) => string>(
	(id) => id,
	(id) => ` ${id}\u00a0`,
	(id) => id.replaceAll('-', ' – '),
	(id) => id.replaceAll('-', '_'),
	(id) => id.replaceAll('-', '\u2011'),
	(id) => id.toUpperCase(),
	(id) => id.normalize('NFD'),
);

const words = fc
	.array(fc.constantFrom('payroll', 'nómina', '2026', '11', '1', 'a'), {
		minLength: 1,
		maxLength: 4,
	})
	.map((some) => some.join('-'));

holds(
	'reference: is the same for the same payee, whatever else a row says and however it is written',
	fc.asyncProperty(
		people,
		fc.tuple(payments, payments),
		fc.tuple(style, style),
		words,
		respelled,
		async (documents, [paid, corrected], [plain, other], id, respell) => {
			const first = await readSheet(documents, paid, plain, id);
			expect(new Set(first).size).toBe(documents.length);
			for (const reference of first) expect(reference).toMatch(SHAPE.uuid);
			expect(await readSheet(documents, corrected, other, respell(id))).toEqual(first);
		},
	),
	0.5,
);

holds(
	'reference: a further row of a payee has none and is an error, wherever it is',
	fc.asyncProperty(
		people.chain((some) => fc.array(fc.constantFrom(...some), { minLength: 1, maxLength: 12 })),
		fc.array(fc.tuple(payment, style), { minLength: 12, maxLength: 12 }),
		async (documents, rows) => {
			// The headers of one file are all of one kind.
			const [[, { isSpanish }]] = rows;
			const items = documents.map((document, at) =>
				rowOf(document, rows[at][0], { ...rows[at][1], isSpanish }, at),
			);
			const all = await read(BANK, items, { batchId: 'b' });
			for (const [at, document] of documents.entries()) {
				const isFirst = documents.indexOf(document) === at;
				expect(all[at].errors).toHaveLength(isFirst ? 0 : 1);
				expect(all[at].reference === '').toBe(!isFirst);
			}
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

/** What a key is compared by, written independently of the node. */
function comparable(value: unknown): string {
	const json = stored(value);
	const text = (typeof json === 'string' ? json : JSON.stringify(json)).trim().toLowerCase();
	return /^\d{1,40}(\.0+)?$/.test(text) ? String(BigInt(text.split('.')[0])) : text;
}

const keyRow = (cells: Record<string, unknown>, image: string): IDataObject =>
	({
		...cells,
		image,
		asset_deposit: 'USDC',
		blockchain: 'Polygon',
		funding_source: 'balance',
	}) as IDataObject;

holds(
	'reference: depends on the cells of key columns alone, whatever their type and the name of the column',
	fc.asyncProperty(
		fc.uniqueArray(cell, { maxLength: 8, selector: comparable }),
		batchId,
		fc.nat(1000),
		async (keys, id, number) => {
			const qr = (header: string, key: unknown, index: number): IDataObject =>
				keyRow({ [header]: key, kind: 'x' }, `code ${index * number}`);
			const given = references(
				await read(
					QR,
					keys.map((key, index) => qr('Order ID', key, index)),
					{ batchId: id, keyColumns: 'order_id, kind' },
				),
			);
			expect(new Set(given).size).toBe(keys.length);
			for (const reference of given) expect(reference).toMatch(SHAPE.hex32);

			const again = keys.map((key) => qr('Pedido', stored(key), number)).reverse();
			const renamed = { batchId: id, keyColumns: 'Pedido, kind' };
			expect(references(await read(QR, again, renamed)).reverse()).toEqual(given);
		},
	),
	0.5,
);
