import type { IDataObject, IExecuteFunctions, INodeParameters } from 'n8n-workflow';

import { amount } from '../../nodes/fields/validators';
import type { ValidationError } from '../../nodes/fields/validateFields';
import { amountField, textField } from '../../nodes/fields/field';
import {
	validateContent,
	canonicalContent,
	generatedReference,
	isSameIdentity,
	keyColumnResolver,
	keyValues,
	parseBatchIdentity,
	type BatchIdentity,
} from '../../nodes/payments/reference';
import { contextOf } from './evaluated';

const TODAY = '={{ $now.toFormat("yyyy-MM-dd") }}';

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

test('normalizes letters and blanks in the content of a payment', () => {
	const body = {
		name: ' José\u00a0 Núñez '.normalize('NFD'),
		transaction: { amount: 10.5, sent: true, note: null, list: [' a '] },
	};
	expect(canonicalContent(body)).toBe(
		'{"name":"José Núñez","transaction":{"amount":10.5,"sent":true,"note":null,"list":["a"]}}',
	);
});

describe('the identity of a batch', () => {
	const read = (parameters: INodeParameters, items?: IDataObject[]) => {
		const given = parseBatchIdentity(contextOf(parameters, items));
		if (!given.ok) return given.error;
		const { identity, hints } = given.value;
		return { batchId: identity.batchId, keys: [...identity.keyColumns], hints };
	};

	test('identifies a batch by its Batch ID and sorted key columns', () => {
		const keyColumns = ' Month,Employee ID , ,áccount,- ';
		expect(read({ batchId: ' Nómina\u00a0 mayo'.normalize('NFD'), keyColumns })).toEqual({
			batchId: 'Nómina mayo',
			keys: [
				['account', 'áccount'],
				['employeeid', 'Employee ID'],
				['month', 'Month'],
			],
			hints: [],
		});
	});

	test('identifies a batch without key columns', () => {
		expect(read({ batchId: 'b-1' })).toEqual({ batchId: 'b-1', keys: [], hints: [] });
	});

	test('reads a repeated key column once, in its last spelling', () => {
		expect(read({ batchId: 'b-1', keyColumns: 'Month, month' })).toMatchObject({
			keys: [['month', 'month']],
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
			batchId: text,
			keys: [],
			hints: [],
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

	test('warns that a Batch ID with today’s date changes tomorrow', () => {
		expect(read({ batchId: `=payroll-${TODAY.slice(1)}` })).toMatchObject({
			hints: [
				expect.stringMatching(
					/^Batch ID is "payroll-\d{4}-\d\d-\d\d" today and changes tomorrow\. The same rows would then be new payments\.$/,
				),
			],
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
				'volatileTime',
				'depends on the time, so it changes whenever the rows run again',
			],
			[
				'randomness',
				'={{ Math.random() }}',
				'volatileRandomness',
				'is random, so it changes whenever the rows run again',
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
			['an object', '={{ $json.batch }}', 'batchIdNotText', 'must be text, but is an object'],
			['a list', '={{ $json.list }}', 'batchIdNotText', 'must be text, but is a list'],
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
		const identity = parseBatchIdentity(context);
		expect(identity.ok ? identity.value : identity.error).toEqual({
			code: 'expressionFails',
			message: 'Batch ID cannot be evaluated (no such parameter)',
			hint: 'Correct the expression.',
		});
	});
});

describe('reading the batch identity again', () => {
	const EARLIER: BatchIdentity = {
		batchId: 'Nómina mayo',
		keyColumns: new Map([
			['employeeid', 'Employee ID'],
			['month', 'month'],
		]),
	};
	const isSame = (parameters: INodeParameters, earlier = EARLIER) =>
		isSameIdentity(contextOf(parameters), earlier);

	test.each([
		['Nómina mayo', 'Employee ID,month', true],
		[' Nómina\u00a0mayo', 'MONTH , employee_id,', true],
		['Nómina junio', 'Employee ID,month', false],
		['Nómina mayo', 'Employee ID', false],
		['Nómina mayo', 'Employee ID,month,year', false],
		['Nómina mayo', 'Employee ID,year', false],
		['Nómina mayo', '', false],
		['Nómina junio', 'month', false],
		['={{ "Nómina " + "mayo" }}', '={{ "month, employee id" }}', true],
	])('compares the Batch ID %j and key columns %j: %p', (batchId, keyColumns, is) => {
		expect(isSame({ batchId, keyColumns })).toBe(is);
	});

	test('recognizes an empty batch identity', () => {
		expect(isSame({}, { batchId: '', keyColumns: new Map() })).toBe(true);
		expect(isSame({})).toBe(false);
	});
});

describe('content of references', () => {
	const AMOUNT = { path: 'amount', label: 'Amount' };
	const NOTE = { path: 'note', label: 'Note' };
	const check = (parameters: INodeParameters) => {
		const result = validateContent(contextOf(parameters, [{ a: 1 }, { a: 2 }]), [AMOUNT, NOTE]);
		return result.ok ? { hints: result.value } : result.error;
	};

	test.each<INodeParameters>([
		{},
		{ amount: 7, note: 'x' },
		{ amount: '={{ $json.a }}', note: 'of {{ $now }}' },
	])('accepts %j as content', (parameters) => {
		expect(check(parameters)).toEqual({ hints: [] });
	});

	test('warns about each field that depends on the day', () => {
		const hint = (label: string) =>
			`${label} depends on today’s date, and the reference is generated from it. Tomorrow the same rows would be new payments.`;
		expect(check({ amount: TODAY, note: TODAY })).toEqual({
			hints: [hint('Amount'), hint('Note')],
		});
		expect(check({ amount: 7, note: TODAY })).toEqual({ hints: [hint('Note')] });
	});

	test.each([
		['$now.hour', 'depends on the time, so it changes whenever the rows run again'],
		['$execution.id', 'depends on the execution, so it changes whenever the rows run again'],
		['Math.random()', 'is random, so it changes whenever the rows run again'],
	])('rejects content based on %s', (code, reason) => {
		expect(check({ amount: TODAY, note: `={{ ${code} }}` })).toEqual({
			code: 'volatileContent',
			message: `Note ${reason}, and the reference is generated from it`,
			hint: 'Enter Key Columns to generate the reference from them, or remove the value from this field.',
		});
	});
});

describe('key columns that are fields', () => {
	const FIELDS = [
		amountField({
			name: 'amount',
			label: 'Amount',
			to: 'transaction.net_amount',
			description: '',
			validate: amount({ places: 2 }),
		}),
		textField({ name: 'lastName', label: 'Last Name', to: 'last_name', description: '' }),
		textField({ name: 'note', label: 'Note', to: 'note', description: '' }),
	];
	const nameKey = keyColumnResolver(FIELDS, {
		columns: new Map([
			['amount', [['Monto a pagar', 'Importe']]],
			['lastName', [['Apellido paterno'], ['Apellido materno']]],
		]),
	});

	test.each(['netamount', 'montoapagar', 'importe'])('names %s after its field', (word) => {
		expect(nameKey(word)).toEqual({ name: 'netamount', headers: ['Monto a pagar', 'Importe'] });
	});

	test.each(['lastname', 'apellidopaterno', 'apellidomaterno'])(
		'does not name %s after the field of which it is a part',
		(word) => {
			expect(nameKey(word)).toBeUndefined();
		},
	);

	test.each(['note', 'employeeid', 'Importe', 'amount'])('names %s after no field', (word) => {
		expect(nameKey(word)).toBeUndefined();
	});
});

describe('the key of a row', () => {
	type NameKey = Parameters<typeof keyValues>[2];

	/** The key, and its errors. */
	const keyOf = (row: IDataObject, columns: string[], nameKey?: NameKey) => {
		const errors: ValidationError[] = [];
		const keyColumns = new Map(
			columns.map((column) => [column.toLowerCase().replaceAll(' ', ''), column]),
		);
		const key = keyValues(row, { batchId: 'b', keyColumns }, nameKey, errors);
		return errors.length > 0 ? { key, errors } : key;
	};

	test('reads key cells under normalized headers, sorted by header', () => {
		const row = { Year: 2026, 'employee-id': ' E\u00a01 ', MONTH: '11', other: 'x' };
		const key = [
			['employeeid', 'E 1'],
			['month', '11'],
			['year', '2026'],
		];
		expect(keyOf(row, ['Month', 'Year', 'Employee ID'])).toEqual(key);
		expect(keyOf(row, ['Year', 'Month', 'Employee ID'])).toEqual(key);
		expect(keyOf(row, ['Employee ID', 'Month', 'Year'])).toEqual(key);
	});

	test('reads an empty key without key columns', () => {
		expect(keyOf({ a: 1 }, [])).toEqual([]);
	});

	test('names keys after their fields, sorted by name', () => {
		const names = new Map([
			['monto', { name: 'amount', headers: ['Monto'] }],
			['banco', { name: 'bankcode', headers: ['Código', 'Banco'] }],
		]);
		const row = { Monto: '10', Banco: 'x', Account: 7 };
		expect(keyOf(row, ['Monto', 'Banco', 'Account'], (word) => names.get(word))).toEqual([
			['account', '7'],
			['amount', '10'],
			['bankcode', 'x'],
		]);
	});

	const DAY = new Date(Date.UTC(2026, 10, 30));

	test.each<[unknown, string]>([
		[' José '.normalize('NFD'), 'José'],
		[11, '11'],
		[0, '0'],
		[false, 'false'],
		[DAY, '2026-11-30T00:00:00.000Z'],
		[DAY.toISOString(), '2026-11-30T00:00:00.000Z'],
		[{ toJSON: () => ' a  b ' }, 'a b'],
		[[1, 'x'], '[1,"x"]'],
		[{ a: 'x' }, '{"a":"x"}'],
	])('reads the key cell %j as %j', (cell, text) => {
		expect(keyOf({ id: cell } as IDataObject, ['id'])).toEqual([['id', text]]);
	});

	test('accepts two columns of one name with the same value', () => {
		const key = [['id', '7']];
		expect(keyOf({ ID: 7, id: '7' }, ['id'])).toEqual(key);
		expect(keyOf({ ID: ' ', id: '7' }, ['id'])).toEqual(key);
		expect(keyOf({ ID: '7', id: null }, ['id'])).toEqual(key);
	});

	const EVERY_ITEM = 'Every item needs a value in each key column.';

	test.each<[string, IDataObject, Partial<ValidationError>]>([
		['is missing', { id: 1 }, { code: 'keyMissing', message: 'is not in the input' }],
		[
			'is empty',
			{ 'Employee ID': ' \u00a0', employee_id: '' },
			{ code: 'keyEmpty', message: 'is empty' },
		],
		[
			'holds two values',
			{ 'Employee ID': 1, employee_id: 2, employeeid: 1 },
			{
				code: 'columnsDiffer',
				message:
					'has different values in the columns "Employee ID" and "employee_id" and "employeeid"',
				hint: 'Keep one of these columns.',
			},
		],
	])('reads no key if a column %s', (_, row, problem) => {
		expect(keyOf({ ...row, a: 1 }, ['a', 'Employee ID', 'gone'])).toEqual({
			key: undefined,
			errors: [{ field: 'Key column "Employee ID"', hint: EVERY_ITEM, ...problem }],
		});
	});

	test('reads no inherited property as a key column', () => {
		const names: NameKey = () => ({
			name: 'to',
			headers: ['toString'],
		});
		expect(keyOf({ a: 1 }, ['toString'], names)).toMatchObject({
			errors: [{ code: 'keyEmpty' }],
		});
		expect(keyOf({ a: 1 }, ['toString'])).toMatchObject({
			errors: [{ code: 'keyMissing' }],
		});
	});
});
