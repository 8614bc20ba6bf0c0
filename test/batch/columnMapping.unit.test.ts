import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { positiveAmount } from '../../nodes/fields/validators';
import { amountField, textField, type Field } from '../../nodes/fields/field';
import type { AmountFormat } from '../../nodes/fields/money';
import type { MoneyEndpoint } from '../../nodes/batch/endpoint';
import type { UserMessage } from '../../nodes/messages/userMessage';
import { readColumnMapping } from '../../nodes/batch/columnMapping';
import { BANK, DEPOSIT } from './builders';
import { contextOf } from './evaluated';

const headerAliases = new Map(
	[...DEPOSIT.fields, ...BANK.fields].map((field) => [field.name, field.headerAliases]),
);

const text = (name: string, label: string, more: Partial<Field> = {}): Field => ({
	...textField({ name, label, to: name, required: true, description: '' }),
	headerAliases: headerAliases.get(name),
	...more,
});

const money = (name: string, label: string, more: Partial<Field> = {}): Field => ({
	...amountField({
		name,
		label,
		to: name,
		required: true,
		description: '',
		validate: positiveAmount({ places: 2 }),
	}),
	headerAliases: headerAliases.get(name),
	...more,
});

const AMOUNT = money('amount', 'Amount');
const LAST_NAME = text('lastName', 'Last Name');
const REFERENCE = text('externalReference', 'External Reference');

const FIELDS = [AMOUNT, LAST_NAME, REFERENCE, text('note', 'Note', { required: false })];

/** The mapped columns of the rows as plain lists, or why they cannot be read. */
function columnsOf(
	items: IDataObject[],
	parameters: INodeParameters = {},
	fields = FIELDS,
	read = fields,
): Partial<UserMessage> & {
	columns?: Record<string, string[][]>;
	formats?: Record<string, AmountFormat>;
} {
	const endpoint = { fields, reference: { field: 'externalReference', form: 'uuid' } };
	const given = readColumnMapping(
		contextOf({ options: parameters }, items),
		endpoint as unknown as MoneyEndpoint,
		read,
	);
	if (!given.ok) return given.error;
	const { map, formats } = given.value;
	return { columns: Object.fromEntries(map.columns), formats: Object.fromEntries(formats) };
}

const ROW = { amount: '10', 'Last Name': 'Flores', external_reference: 'r-1' };

const COLUMNS = {
	amount: [['amount']],
	lastName: [['Last Name']],
	externalReference: [['external_reference']],
};

const NAME_THE_COLUMN =
	'Choose the column under Column Mapping. Enter a value that is the same in every row under Default Values. Rows without references need Reference Source: Generated From Batch ID.';

describe('rows', () => {
	test('finds the columns of the fields', () => {
		expect(columnsOf([ROW])).toEqual({ columns: COLUMNS, formats: {} });
	});

	test('finds columns that only one row has', () => {
		const { amount: cell, ...rest } = ROW;
		expect(columnsOf([rest, { amount: cell }])).toEqual({ columns: COLUMNS, formats: {} });
	});

	test.each<[string, IDataObject[]]>([
		['no cells', [{}]],
		['empty cells only', [{ a: ' ', b: null }, { b: '' }]],
	])('leaves %s for the rows to report', (_, items) => {
		expect(columnsOf(items)).toEqual({ columns: {}, formats: {} });
	});
});

describe('missing columns', () => {
	test('lists all missing columns with the columns found', () => {
		expect(
			columnsOf([
				{ a: 1, b: '' },
				{ b: 2, c: ' ' },
			]),
		).toEqual({
			code: 'columnsMissing',
			message:
				'The input has no column for Amount, Last Name and External Reference.\nColumns found: "a", "b", "c".',
			hint: NAME_THE_COLUMN,
		});
	});

	test('reports only columns that the rows must have', () => {
		const given = columnsOf([{ amount: 1 }], {}, FIELDS, [AMOUNT, LAST_NAME]);
		expect(given).toEqual({
			code: 'columnsMissing',
			message: 'The input has no column for Last Name.\nColumns found: "amount".',
			hint: NAME_THE_COLUMN,
		});
	});

	test.each<[string, Field]>([
		['may be left out', text('country', 'Country', { required: false })],
		[
			'is there under a condition only',
			text('country', 'Country', { onlyWhen: { amount: ['1'] } }),
		],
		['is not sent', text('country', 'Country', { to: undefined })],
	])('does not require the column of a field that %s', (_, field) => {
		expect(columnsOf([ROW], {}, [...FIELDS, field])).toMatchObject({ columns: COLUMNS });
	});

	test.each(['Flores', '={{ $json.none }}'])(
		'does not require a column whose default value is %j',
		(same) => {
			expect(
				columnsOf([{ amount: 1 }], { defaultValues: { lastName: same, externalReference: same } }),
			).toMatchObject({ columns: { amount: [['amount']] } });
		},
	);

	const headers = (count: number) =>
		Object.fromEntries(Array.from({ length: count }, (_, index) => [`h${index + 1}`, 'x']));

	test('lists at most 40 columns found', () => {
		expect(columnsOf([headers(40)]).message).toMatch(/^Columns found: "h1", .*, "h40"\.$/m);
		expect(columnsOf([headers(41)]).message).toMatch(/, "h40" and 1 more\.$/);
		expect(columnsOf([headers(45)]).message).toMatch(/, "h40" and 5 more\.$/);
	});
});

describe('items that are a file as people write it', () => {
	const extract = (operation: string, options = {}, more = {}) => ({
		name: 'Get rows',
		type: 'n8n-nodes-base.extractFromFile',
		parameters: { operation, options },
		...more,
	});

	test.each<[string, string | undefined, IDataObject, ...Array<ReturnType<typeof extract>>]>([
		['lines without column names', 'itemsAreFile', { row: ['Ana', '10'] }],
		['a column without a name', 'itemsAreFile', { ...ROW, __EMPTY_1: 'x' }],
		['the number of a row in a file', undefined, { ...ROW, row: 7 }],
		['cells that another node has converted', 'cellsConverted', ROW, extract('xlsx')],
		['cells of the second node before', 'cellsConverted', ROW, extract('csv'), extract('ods')],
		['cells as they are', undefined, ROW, extract('xlsx', { rawData: true })],
		['texts of a CSV file', undefined, ROW, extract('csv')],
		['a node that is switched off', undefined, ROW, extract('xls', {}, { disabled: true })],
	])('are rejected, or not: %s', (_, code, item, ...parents) => {
		const endpoint = { fields: FIELDS, reference: { field: 'externalReference', form: 'uuid' } };
		const given = readColumnMapping(
			contextOf({}, [item], parents),
			endpoint as unknown as MoneyEndpoint,
			FIELDS,
		);
		expect(given.ok ? undefined : given.error.code).toBe(code);
	});
});

describe('Column Mapping', () => {
	const named = (
		entries: Array<{ field?: string; header?: unknown }>,
		items: IDataObject[] = [{ ...ROW, Pay: 1 }],
	) => columnsOf(items, { columnMapping: { column: entries } } as unknown as INodeParameters);

	/** The column of the amount. */
	const amountIn = (header: unknown, items: IDataObject[]) => {
		const given = named([{ field: 'amount', header }], items);
		return given.columns?.amount ?? given.code;
	};

	test('accepts an empty mapping', () => {
		expect(columnsOf([ROW], { columnMapping: {} })).toMatchObject({ columns: COLUMNS });
	});

	test('ignores the spelling of a header, but prefers an exact match', () => {
		expect(amountIn(' net-pay', [{ ...ROW, 'Net Pay': 1 }])).toEqual([['Net Pay']]);
		const items = [{ ...ROW, X: 0, PAY: 1, Pay: 2, pay: 3 }];
		expect(amountIn('Pay', items)).toEqual([['Pay']]);
		expect(amountIn('pay', items)).toEqual([['pay']]);
		expect(amountIn('pAY', items)).toEqual([['PAY']]);
	});

	test('accepts a number as a header', () => {
		expect(amountIn(2026, [{ ...ROW, 2026: 7 }])).toEqual([['2026']]);
	});

	test.each([
		['={{ $json.Pay }}', 'Pay'],
		['={{$json.Pay}}', 'Pay'],
		['= {{ $json.Pay }} ', 'Pay'],
		['={{ $json.$Pay_2 }}', '$Pay_2'],
		['={{ $json["Net pay"] }}', 'Net pay'],
		["={{ $json['Net pay'] }}", 'Net pay'],
	])('accepts %j, as the editor writes a dropped column', (header, column) => {
		// The cells differ from row to row, but they are not read.
		const cells = (cell: number) => ({ ...ROW, Pay: cell, $Pay_2: cell, 'Net pay': cell });
		expect(amountIn(header, [cells(1), cells(2)])).toEqual([[column]]);
	});

	test.each([
		'={{ "Pay" }}',
		'=P{{ $json.rest }}',
		'={{ $json.of.pay }}',
		'={{ $json["a"] + "" }}',
	])('accepts the header from the expression %j', (header) => {
		const items = [{ ...ROW, Pay: 1, rest: 'ay', a: 'Pay', of: { pay: 'Pay' } }];
		expect(amountIn(header, items)).toEqual([['Pay']]);
	});

	test('rejects a header that differs from row to row', () => {
		const given = named(
			[
				{ field: 'note', header: 'Pay' },
				{ field: 'amount', header: '={{ $json.of.pay }}' },
			],
			['Pay', 'Net'].map((pay) => ({ ...ROW, Pay: 1, Net: 2, of: { pay } })),
		);
		expect(given).toEqual({
			code: 'differsFromRowToRow',
			message: 'Column Mapping > Amount is "Pay" for row 1 (item 0), but "Net" for row 2 (item 1)',
			hint: expect.stringMatching(/^Use one value for all items of a batch/) as string,
		});
	});

	const pay = { field: 'amount', header: 'Pay' };

	test.each([
		['an unknown field', '"nope"', [{ ...pay, field: 'nope' }]],
		['no field', '""', [{ ...pay, field: undefined }]],
		['a label for the field', '"Amount"', [{ ...pay, field: 'Amount' }]],
		['a field twice', 'Amount', [pay, { ...pay, header: 'amount' }]],
		...[undefined, '', ' \u00a0', '={{ undefined }}', '={{ null }}', '={{ "" }}'].map(
			(header) => [`the header ${header}`, 'Amount', [{ ...pay, header }]] as const,
		),
	] as const)('rejects %s', (_, shown, entries) => {
		expect(named([...entries])).toEqual({
			code: 'mappingInvalid',
			message: `Column Mapping needs one column for ${shown}`,
			hint: 'Choose each field of this operation once and enter the header of its column, or remove the entry.',
		});
	});

	test.each([
		['Gone', '"Gone"'],
		['={{ $json.Gone }}', '"Gone"'],
		['={{ $json["Net pay"] }}', '"Net pay"'],
	])('rejects the missing header %j', (header, shown) => {
		expect(named([{ field: 'amount', header }], [{ Pay: 1 }, { Pay: 2, b: 3 }])).toEqual({
			code: 'mappedColumnMissing',
			message: `Column Mapping has ${shown} for Amount, but the input has no such column.\nColumns found: "Pay", "b".`,
			hint: 'Enter the header exactly as in the input.',
		});
	});
});
