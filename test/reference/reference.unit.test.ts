import type { IDataObject, IExecuteFunctions, INodeParameters } from 'n8n-workflow';

import { positiveAmount } from '../../nodes/fields/validators';
import type { Values } from '../../nodes/fields/validators';
import type { ValidationError } from '../../nodes/fields/validateFields';
import type { EditorMessage } from '../../nodes/messages/userMessage';
import { amountField, textField } from '../../nodes/fields/field';
import {
	generatedReference,
	isSameIdentity,
	normalizeBatchId,
	parseBatchIdentity,
	type BatchIdentity,
} from '../../nodes/reference/batchIdentity';
import {
	differingColumns,
	findKeyColumns,
	keyOf,
	type KeyColumn,
} from '../../nodes/reference/keyColumns';
import { contextOf } from '../batch/evaluated';

describe('generated references', () => {
	// Computed by another implementation of RFC 9562, from the namespace and the parts as JSON.
	test.each([
		[[], 'b4aa18d5-d26c-5ddd-9726-99c12a4bb107'],
		[['payouts', 'b-1', 'E-1'], '2f0baf50-01bc-5930-aa34-3c01f0814d8e'],
		[['payouts', 'b-1', [['month', '11']], 2], '0effd14b-c238-57af-bd98-3ff0df3d722c'],
	])('generates for %j the UUID %s', (parts, uuid) => {
		expect(generatedReference(parts, 'uuid')).toBe(uuid);
		expect(generatedReference(parts, 'hex32')).toBe(uuid.replaceAll('-', ''));
	});
});

describe('the Batch ID', () => {
	test.each([
		['payroll-2026-11', 'payroll-2026-11'],
		[' Payroll  2026_11 ', 'payroll-2026-11'],
		['PAYROLL – 2026‑11', 'payroll-2026-11'],
		['payroll−2026—11', 'payroll-2026-11'],
		['payroll__2026＿-\u00a011', 'payroll-2026-11'],
		['Nómina\u200b mayo'.normalize('NFD'), 'nómina-mayo'],
		['2026-1-11', '2026-1-11'],
		['2026-11-1', '2026-11-1'],
		['202611', '202611'],
		['payroll-', 'payroll-'],
		['-payroll', '-payroll'],
		['a.b/c', 'a.b/c'],
	])('compares %j as %j', (batchId, text) => {
		expect(normalizeBatchId(batchId)).toBe(text);
		expect(normalizeBatchId(text)).toBe(text);
	});
});

describe('the identity of a batch', () => {
	const read = (parameters: INodeParameters, items?: IDataObject[]) => {
		const given = parseBatchIdentity(contextOf(parameters, items), 'keyColumns');
		return given.ok ? given.value : given.error;
	};

	test('identifies a batch by its Batch ID and its key columns in the order listed', () => {
		const keyColumns = ' Month,Employee ID , ,áccount,';
		expect(read({ batchId: ' Nómina\u00a0 mayo'.normalize('NFD'), keyColumns })).toEqual({
			batchId: 'nómina-mayo',
			keyColumns: ['Month', 'Employee ID', 'áccount'],
		});
	});

	test('identifies a batch without key columns', () => {
		expect(read({ batchId: 'b-1' })).toEqual({ batchId: 'b-1', keyColumns: [] });
	});

	test('reads a repeated key column once, where it is first', () => {
		expect(read({ batchId: 'b-1', keyColumns: 'Month, id, month' })).toMatchObject({
			keyColumns: ['Month', 'id'],
		});
	});

	test.each([
		['#', '"#"'],
		['id, -', '"-"'],
		[',', '","'],
		[' , , ', '", ,"'],
		['={{ "°" }}', '"°"'],
	])('rejects the key columns %j, of which one has no name', (keyColumns, shown) => {
		expect(read({ batchId: 'b-1', keyColumns })).toMatchObject({
			code: 'keyColumnUnnamed',
			message: `Key Columns has ${shown}, which has no letter or digit`,
		});
	});

	test.each<[string, unknown, string]>([
		['a number', 7, '7'],
		['no', false, 'false'],
		['an expression', '={{ "b-" + 7 }}', 'b-7'],
		['an expression that gives a number', '={{ 7 }}', '7'],
		['parts', '={{ $json.month }}-{{ $json.no }}', '11-7'],
		['a column', '={{ $json.month }}', '11'],
		// It is literal text: no expression returned it.
		['the word for what is missing', 'undefined', 'undefined'],
		[
			'a word that only begins or ends so',
			'={{ "annulled nullify Nano" }}',
			'annulled nullify Nano',
		],
	])('accepts %s as the Batch ID', (_, batchId, text) => {
		const row = { month: 11, no: 7 };
		expect(read({ batchId: batchId as string }, [row, row])).toEqual({
			batchId: normalizeBatchId(text),
			keyColumns: [],
		});
	});

	test.each([
		undefined,
		'',
		' \u00a0\u200b',
		'={{ "" }}',
		'={{ null }}',
		'={{ undefined }}',
		'={{ $json.none }}',
	])('rejects a missing Batch ID: %j', (batchId) => {
		expect(read({ batchId, keyColumns: 'month' } as INodeParameters)).toEqual({
			code: 'batchIdMissing',
			message: 'Batch ID is required when Reference Source is Generated From Batch ID',
			hint: 'Name the batch, and use the same name when you run it again.',
		});
	});

	const ROWS = [
		{ a: 'b-0', batch: { id: 7 }, list: [1] },
		{ a: 'b-1', batch: { id: 7 }, list: [1] },
	];

	describe.each<[string, (raw: string) => INodeParameters]>([
		['Batch ID', (batchId) => ({ batchId, keyColumns: 'a' })],
		['Key Columns', (keyColumns) => ({ batchId: 'b', keyColumns })],
	])('invalid %s', (label, parameters) => {
		test.each([
			[
				'the time',
				'={{ $now.hour }}',
				'volatile',
				'is based on the time, the execution or randomness, so it changes whenever the rows run again',
			],
			[
				'randomness',
				'={{ Math.random() }}',
				'volatile',
				'is based on the time, the execution or randomness, so it changes whenever the rows run again',
			],
			[
				'a value that differs from row to row',
				'={{ $json.a }}',
				'differsFromRowToRow',
				'is "b-0" for row 1 (item 0), but "b-1" for row 2 (item 1)',
			],
			[
				'an empty part',
				'=x-{{ $json.none }}',
				'partEmpty',
				'is incomplete: {{ $json.none }} is empty',
			],
			[
				'a part that is not text',
				'=x-{{ $json.batch }}',
				'partNotText',
				'must be text, but {{ $json.batch }} gives an object',
			],
			[
				'an object',
				'={{ $json.batch }}',
				'partNotText',
				'must be text, but the expression gives an object',
			],
			[
				'a list',
				'={{ $json.list }}',
				'partNotText',
				'must be text, but the expression gives a list',
			],
			...[
				['undefined', '={{ "x-" + $json.none }}'],
				['null', '={{ "x-" + null }}'],
				['NaN', '={{ "x-" + 0 / 0 }}'],
				['[object Object]', '={{ "x-" + $json.batch }}'],
				['Invalid DateTime', '={{ "x-" + DateTime.fromISO("x").toFormat("yyyy") }}'],
			].map(([value, raw]) => [
				`${value} inside`,
				raw,
				'valueMissing',
				`contains "${value}", which an expression gives when a value is missing`,
			]),
		])('rejects a batch identity with %s', (_, raw, code, message) => {
			expect(read(parameters(raw), ROWS)).toEqual({
				code,
				message: `${label} ${message}`,
				hint: expect.stringMatching(/^\S.*\.$/) as string,
			});
		});

		test('rejects a batch identity that cannot be evaluated', () => {
			expect(read(parameters('={{ nothing(( }}'), ROWS)).toEqual({
				code: 'expressionFails',
				message: expect.stringMatching(`^${label} cannot be evaluated \\(.+\\)$`) as string,
				hint: 'Correct the expression.',
			});
		});
	});

	test('rejects a Batch ID that n8n cannot read', () => {
		const context = {
			getNodeParameter: () => {
				throw new Error('no such parameter');
			},
		} as unknown as IExecuteFunctions;
		const identity = parseBatchIdentity(context, 'keyColumns');
		expect(identity.ok ? identity.value : identity.error).toEqual({
			code: 'expressionFails',
			message: 'Batch ID cannot be evaluated (no such parameter)',
			hint: 'Correct the expression.',
		});
	});
});

describe('reading the batch identity again', () => {
	const EARLIER: BatchIdentity = { batchId: 'nómina-mayo', keyColumns: ['Employee ID', 'month'] };
	const isSame = (parameters: INodeParameters, earlier = EARLIER) =>
		isSameIdentity(contextOf(parameters), 'keyColumns', earlier);

	test.each([
		['Nómina mayo', 'Employee ID,month', true],
		[' Nómina\u00a0mayo', 'Employee\u00a0ID , month,', true],
		['Nómina junio', 'Employee ID,month', false],
		['Nómina mayo', 'Employee ID', false],
		['Nómina mayo', 'month,Employee ID', false],
		['Nómina mayo', 'Employee ID,month,year', false],
		['Nómina mayo', 'Employee ID,year', false],
		['Nómina mayo', '', false],
		['={{ "Nómina " + "mayo" }}', '={{ "Employee ID, month" }}', true],
	])('compares the Batch ID %j and key columns %j: %p', (batchId, keyColumns, is) => {
		expect(isSame({ batchId, keyColumns })).toBe(is);
	});

	test('recognizes an empty batch identity', () => {
		expect(isSame({}, { batchId: '', keyColumns: [] })).toBe(true);
		expect(isSame({})).toBe(false);
	});
});

const FIELDS = [
	amountField({
		name: 'amount',
		label: 'Amount',
		to: 'transaction.net_amount',
		description: '',
		validate: positiveAmount({ places: 2 }),
	}),
	textField({ name: 'lastName', label: 'Last Name', to: 'last_name', description: '' }),
	textField({ name: 'note', label: 'Note', to: 'note', description: '' }),
];

/** The columns of a key that is found, or why there is none. */
function columnsOf(
	keyColumns: string[],
	rows: IDataObject[],
	columns?: Record<string, string[][]>,
): KeyColumn[] | EditorMessage {
	const map = columns && { columns: new Map(Object.entries(columns)) };
	const found = findKeyColumns({ batchId: 'b', keyColumns }, rows, FIELDS, map);
	return found.ok ? found.value : found.error;
}

describe('finding key columns', () => {
	test('finds the headers of all rows, in the order listed', () => {
		const rows = [{ 'employee-id': 1 }, { MONTH: '', 'Employee ID': 2, other: 'x' }];
		expect(columnsOf(['Month', 'Employee ID'], rows)).toEqual([
			{ name: 'Month', headers: ['MONTH'] },
			{ name: 'Employee ID', headers: ['employee-id', 'Employee ID'] },
		]);
		expect(columnsOf([], rows)).toEqual([]);
	});

	const MAPPED = {
		amount: [['Monto a pagar', 'Importe']],
		lastName: [['Apellido paterno'], ['Apellido materno']],
	};
	const ROW = {
		'Monto a pagar': '1',
		Importe: '1',
		'Apellido paterno': 'Q',
		'Apellido materno': 'M',
	};

	test.each(['net_amount', 'Monto a pagar', 'importe'])('finds the field of %s', (name) => {
		expect(columnsOf([name], [ROW], MAPPED)).toEqual([
			{ name, headers: ['Monto a pagar', 'Importe'], field: 'amount' },
		]);
	});

	test('prefers a column of the input to the name of a field', () => {
		expect(columnsOf(['net_amount'], [{ ...ROW, 'Net Amount': 'a' }], MAPPED)).toEqual([
			{ name: 'net_amount', headers: ['Net Amount'] },
		]);
	});

	test('finds a part of a value as a column of its own', () => {
		expect(columnsOf(['Apellido paterno'], [ROW], MAPPED)).toEqual([
			{ name: 'Apellido paterno', headers: ['Apellido paterno'] },
		]);
	});

	test('finds two names of one column once', () => {
		expect(columnsOf(['Importe', 'net_amount'], [ROW], MAPPED)).toEqual([
			{ name: 'Importe', headers: ['Monto a pagar', 'Importe'], field: 'amount' },
		]);
	});

	test.each(['Amount', 'last_name', 'note', 'toString', 'gone'])(
		'rejects %s, which is no column of the input',
		(name) => {
			expect(columnsOf(['Importe', name], [ROW], MAPPED)).toMatchObject({
				code: 'keyColumnMissing',
				message: `The input has no column for the Key Column "${name}".\nColumns found: "Monto a pagar", "Importe", "Apellido paterno", "Apellido materno".`,
			});
		},
	);
});

describe('key columns that number the rows', () => {
	const isRejected = (cells: unknown[], name: string, more: string[] = []) => {
		const rows = cells.map((cell) => ({ [name]: cell, A: 'x' })) as IDataObject[];
		const found = columnsOf([name, ...more], rows);
		return !Array.isArray(found) && found.code === 'keyColumnIsRowNumber';
	};

	test.each(['Nro.', 'No.', 'nº', 'N°', 'ITEM', 'Ítem', 'Fila', 'Row', 'row_number'])(
		'rejects numbers under %s',
		(name) => {
			expect(isRejected([1, 2, 3], name)).toBe(true);
			expect(isRejected([1, 2, 3], name, ['A'])).toBe(true);
			expect(isRejected(['7', ' 003', ''], name)).toBe(true);
			expect(isRejected([12], name)).toBe(true);
		},
	);

	test.each<[string, unknown[]]>([
		['are codes', ['F-1', 'F-2']],
		['repeat', [1, 2, 1]],
		['are all missing', ['', null]],
		['are long', ['1234567890123456']],
	])('accepts values under Nro. that %s', (_, cells) => {
		expect(isRejected(cells, 'Nro.')).toBe(false);
	});

	test.each<[unknown[], boolean]>([
		[[1, 2], true],
		[['1', '', ' 3'], true],
		[[1], false],
		[['', 2], false],
		[[2, 1], false],
		[[0, 1], false],
		[[1, 2, 4], false],
		[['E1', 'E2'], false],
	])('under any name: %j are row numbers: %p', (cells, is) => {
		expect(isRejected(cells, 'Legajo')).toBe(is);
		// Together with another column they may be meant, such as the months of an employee.
		expect(isRejected(cells, 'Legajo', ['A'])).toBe(false);
	});
});

describe('the key of a row', () => {
	/** The key, and its errors. */
	const keyFrom = (row: IDataObject, columns: KeyColumn[], values: Values = {}) => {
		const errors: ValidationError[] = [];
		const key = keyOf(row, values, columns, errors);
		return errors.length > 0 ? { key, errors } : key;
	};
	const ID: KeyColumn = { name: 'id', headers: ['ID', 'id'] };

	test('consists of the values in the order of the columns', () => {
		const columns = ['b', 'a', 'c'].map((name) => ({ name, headers: [name] }));
		expect(keyFrom({ a: 1, b: 'x', c: true }, columns)).toEqual(['x', '1', 'true']);
		expect(keyFrom({ a: 1 }, [])).toEqual([]);
	});

	const DAY = new Date(Date.UTC(2026, 10, 30));

	test.each<[unknown, string]>([
		[' José '.normalize('NFD'), 'josé'],
		['E0', 'e0'],
		[11, '11'],
		['11', '11'],
		['0011', '11'],
		['11.0', '11'],
		['11.00', '11'],
		['11.50', '11.50'],
		['1.10', '1.10'],
		[0, '0'],
		['000', '0'],
		['0.0', '0'],
		['-07', '-07'],
		['07a', '07a'],
		[`${'0'.repeat(40)}7`, `${'0'.repeat(40)}7`],
		[false, 'false'],
		[DAY, '2026-11-30t00:00:00.000z'],
		[DAY.toISOString(), '2026-11-30t00:00:00.000z'],
		[{ toJSON: () => ' a  b ' }, 'a b'],
		[[1, 'x'], '[1,"x"]'],
		[{ a: 'x' }, '{"a":"x"}'],
	])('reads the key cell %j as %j', (cell, text) => {
		expect(keyFrom({ id: cell } as IDataObject, [ID])).toEqual([text]);
	});

	test('takes the value of a field as the node reads it', () => {
		const column = { name: 'Monto', headers: ['Monto'], field: 'amount' };
		expect(keyFrom({ Monto: '1.250,50' }, [column], { amount: 1250.5 })).toEqual(['1250.5']);
		expect(keyFrom({ Monto: 'all' }, [column])).toEqual(['all']);
		expect(keyFrom({ Monto: '' }, [column], { amount: 7 })).toMatchObject({
			errors: [{ code: 'keyEmpty' }],
		});
	});

	test('accepts two columns of one name with the same value', () => {
		expect(keyFrom({ ID: 7, id: '7' }, [ID])).toEqual(['7']);
		expect(keyFrom({ ID: ' ', id: '7' }, [ID])).toEqual(['7']);
		expect(keyFrom({ ID: '7', id: null }, [ID])).toEqual(['7']);
	});

	test.each<[string, IDataObject, Partial<ValidationError>]>([
		['is empty', { ID: ' \u00a0', id: '' }, { code: 'keyEmpty', message: 'is empty' }],
		['is missing in the row', {}, { code: 'keyEmpty', message: 'is empty' }],
		[
			'holds two values',
			{ ID: 1, id: 2 },
			{
				code: 'columnsDiffer',
				message: 'has different values in the columns "ID" and "id"',
				hint: 'Keep one of these columns.',
			},
		],
	])('is missing if a column %s', (_, row, problem) => {
		const columns = [{ name: 'a', headers: ['a'] }, ID, { name: 'gone', headers: ['gone'] }];
		expect(keyFrom({ ...row, a: 1 }, columns)).toEqual({
			key: undefined,
			errors: [
				{
					field: 'Key column "id"',
					hint: 'Every item needs a value in each key column.',
					...problem,
				},
			],
		});
	});

	test('has no inherited property', () => {
		expect(keyFrom({ a: 1 }, [{ name: 'toString', headers: ['toString'] }])).toMatchObject({
			errors: [{ code: 'keyEmpty' }],
		});
	});
});

describe('the columns in which rows differ', () => {
	test.each<[IDataObject, IDataObject, string[]]>([
		[{ a: 1, b: 'x', c: 2 }, { a: 1, b: 'y', c: 3 }, ['b', 'c']],
		[{ a: ' 01 ', b: 'X', c: '2.0' }, { c: 2, b: 'x', a: 1 }, []],
		[{ a: 'x', b: 'y' }, { a: 'y', b: 'x' }, ['a', 'b']],
		// A key column needs a value in each row.
		[{ a: 1, b: '' }, { a: 1, b: 'x' }, []],
		[{ a: 1, b: 'x' }, { a: 1 }, ['b']],
		[
			{ '#': 1, 'Nro.': 1, row_number: 2, a: 'x' },
			{ '#': 2, 'Nro.': 2, row_number: 3, a: 'x' },
			[],
		],
		[{ a: [1], b: { c: 1 } }, { a: [2], b: { c: 1 } }, ['a']],
	])('of %j and %j are %j', (row, other, columns) => {
		expect(differingColumns(row, other)).toEqual(columns);
	});
});
