import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { ValidationError } from '../../nodes/fields/validateFields';
import { positiveAmount, referenceText } from '../../nodes/fields/validators';
import { amountField, choiceField, textField } from '../../nodes/fields/field';
import { ExecutionState } from '../../nodes/ledger/executionState';
import type { MoneyEndpoint } from '../../nodes/batch/endpoint';
import { isTool } from '../../nodes/batch/batchContext';
import { parseRows } from '../../nodes/batch/parseRows';
import type { Row } from '../../nodes/batch/payment';
import type { UserMessage } from '../../nodes/messages/userMessage';
import { generatedReference } from '../../nodes/reference/batchIdentity';
import { yieldRegularly } from '../../nodes/batch/yieldRegularly';
import { batchOf, sentOf } from './builders';

const description = '';

const ENDPOINT = {
	path: '/pay',
	name: 'Pay',
	reference: { field: 'externalReference', form: 'uuid', payeeField: 'account' },
	payee: ({ account }) =>
		account === undefined ? undefined : { name: '', id: String(account), account: '' },
	fields: [
		choiceField({
			name: 'speed',
			label: 'Speed',
			required: true,
			options: [
				{ name: 'Fast', value: 'fast' },
				{ name: 'Slow', value: 'slow' },
			],
			default: 'fast',
			description,
		}),
		textField({ name: 'account', label: 'Account', to: 'account', required: true, description }),
		amountField({
			name: 'amount',
			label: 'Amount',
			to: 'transaction.amount',
			required: true,
			validate: positiveAmount({ places: 2 }),
			headerAliases: { names: ['Monto'] },
			description,
		}),
		choiceField({
			name: 'currency',
			label: 'Currency',
			to: 'transaction.currency',
			required: true,
			options: [
				{ name: 'Boliviano', value: 'BOB' },
				{ name: 'Dollar', value: 'USD' },
			],
			default: 'BOB',
			description,
		}),
		textField({ name: 'note', label: 'Note', to: 'note', optional: true, description }),
		textField({
			name: 'externalReference',
			label: 'External Reference',
			to: 'external_reference',
			required: true,
			validate: referenceText(),
			description,
		}),
	],
	amount: () => undefined,
} as Partial<MoneyEndpoint> as MoneyEndpoint;

/** A parameter that holds an expression. */
class Expression {
	constructor(
		readonly raw: string,
		readonly give: (itemIndex: number) => unknown,
	) {}
}

interface Around {
	endpoint?: MoneyEndpoint;
	/** What n8n gives for an expression that the node builds itself. */
	evaluate?: (code: string, itemIndex: number) => unknown;
	/** The type of the node. */
	type?: string;
	isToolExecution?: () => boolean;
	/** What n8n’s context keeps for the execution. */
	kept?: IDataObject;
}

function contextOf(
	items: IDataObject[],
	parameters: Record<string, unknown>,
	{ evaluate = () => 0, type = 'partnerPayments', isToolExecution, kept = {} }: Around = {},
): IExecuteFunctions {
	return {
		evaluateExpression: evaluate,
		getContext: () => kept,
		getInputData: () => items.map((json) => ({ json })),
		getExecutionId: () => '1',
		getNode: () => ({ type }),
		getParentNodes: () => [],
		isToolExecution,
		getNodeParameter(
			name: string,
			itemIndex: number,
			otherwise: unknown,
			options?: { rawExpressions?: boolean },
		) {
			const given: Record<string, unknown> = { referenceSource: 'given', ...parameters };
			// A test names an option without the collection.
			const key = name.replace(/^options\./, '');
			const value = key in given ? given[key] : otherwise;
			if (!(value instanceof Expression)) return value;
			return options?.rawExpressions ? value.raw : value.give(itemIndex);
		},
	} as unknown as IExecuteFunctions;
}

interface Parsed {
	payments: Array<{ row: Row }>;
	rejection?: UserMessage;
	hints: unknown[];
}

async function read(
	items: IDataObject[],
	parameters: Record<string, unknown>,
	around: Around = {},
): Promise<Parsed> {
	const { endpoint = ENDPOINT } = around;
	const context = contextOf(items, parameters, around);
	const batch = batchOf({
		context,
		endpoint,
		isTool: isTool(context),
		state: new ExecutionState(context, endpoint.path),
		options: { language: 'en' },
		yieldNow: yieldRegularly(),
	});
	const payments = (await parseRows(batch)).map((row) => ({ row }));
	const { rejection, hints } = batch;
	return { payments, rejection, hints };
}

/** All values come from the fields of the form, the reference too. */
const FIELDS = {
	speed: 'slow',
	account: 'A-1',
	amount: '10.50',
	currency: 'BOB',
	externalReference: 'r-1',
};

const COLUMNS = { mappingMode: 'autoMapInputData' };

const GENERATED = { referenceSource: 'generated', batchId: 'payroll' };

/** A spreadsheet row. */
const cells = (reference: string, more: IDataObject = {}): IDataObject => ({
	account: 'A-1',
	amount: '10.50',
	currency: 'BOB',
	external_reference: reference,
	...more,
});

/** A spreadsheet row without a reference. */
const bare = (more: IDataObject = {}): IDataObject => ({
	account: 'A-1',
	amount: '10.50',
	currency: 'BOB',
	...more,
});

const fromJson = (raw: string, column: string, items: IDataObject[]): Expression =>
	new Expression(raw, (itemIndex) => items[itemIndex][column]);

const rowsOf = ({ payments }: Parsed) => payments.map(({ row }) => row);

const referencesOf = (batch: Parsed): string[] => rowsOf(batch).map(({ reference: own }) => own);

const errorsOf = (batch: Parsed): Array<readonly ValidationError[]> =>
	rowsOf(batch).map(({ errors }) => errors);

/** Without the hints, which come from the message catalogue. */
const errorTexts = (batch: Parsed): string[][] =>
	errorsOf(batch).map((errors) =>
		errors.map(({ field, value, message }) => `${field} (${value ?? ''}) ${message}`),
	);

describe('parsing a batch', () => {
	test('reads a row for each item from the fields, with its values and request', async () => {
		const items = [{ id: 'Ab-1' }, { id: 'Ab-2' }];
		const batch = await read(items, {
			...FIELDS,
			note: 'Salary',
			externalReference: fromJson('={{ $json.id }}', 'id', items),
		});
		const common = { speed: 'slow', account: 'A-1', amount: 10.5, currency: 'BOB', note: 'Salary' };
		expect(batch).toEqual({
			payments: ['1', '2'].map((number, itemIndex) => ({
				row: {
					itemIndex,
					reference: `Ab-${number}`,
					idempotencyKey: `ab-${number}`,
					values: { ...common, externalReference: `Ab-${number}` },
					body: {
						account: 'A-1',
						transaction: { amount: 10.5, currency: 'BOB' },
						note: 'Salary',
						external_reference: `Ab-${number}`,
					},
					errors: [],
				},
			})),
			rejection: undefined,
			hints: [],
		});
	});

	test('reads rows from columns, not from hidden fields', async () => {
		const hidden = new Expression('={{ Math.random() }}', () => 'hidden');
		const parameters = { ...COLUMNS, account: hidden, externalReference: hidden };
		const batch = await read([cells('r-1')], parameters);
		expect(batch).toEqual({
			payments: [
				{
					row: {
						itemIndex: 0,
						reference: 'r-1',
						idempotencyKey: 'r-1',
						values: {
							speed: 'fast',
							account: 'A-1',
							amount: 10.5,
							currency: 'BOB',
							externalReference: 'r-1',
						},
						body: {
							account: 'A-1',
							transaction: { amount: 10.5, currency: 'BOB' },
							external_reference: 'r-1',
						},
						errors: [],
					},
				},
			],
			rejection: undefined,
			hints: [],
		});
	});

	test('returns unread rows and the reason if columns are missing', async () => {
		const batch = await read([{ account: 'A-1' }, { account: 'A-2' }], COLUMNS);
		expect(batch).toEqual({
			payments: [0, 1].map((itemIndex) => ({
				row: { itemIndex, reference: '', idempotencyKey: '', values: {}, body: {}, errors: [] },
			})),
			rejection: expect.objectContaining({ code: 'columnsMissing' }) as unknown,
			hints: [],
		});
	});

	test('attaches its own errors to each row', async () => {
		const batch = await read([cells('r-1', { amount: 'all' }), cells('r-2')], COLUMNS);
		expect(errorTexts(batch)).toEqual([['Amount ("all") must be a number'], []]);
	});
});

describe('amounts', () => {
	const amountsOf = (batch: Parsed) => rowsOf(batch).map(({ values }) => values.amount);

	test('reads amounts with the decimal separator that their column proves', async () => {
		const items = [cells('r-1', { amount: '1.250,50' }), cells('r-2', { amount: '12,5' })];
		expect(amountsOf(await read(items, COLUMNS))).toEqual([1250.5, 12.5]);
	});

	test.each([
		['1250,50', 1250.5],
		['1.250,5', 1250.5],
		['1,250.50', 1250.5],
		['1,250', undefined],
		['1.250', undefined],
	])('reads %j alone in a field as %j', async (amount, expected) => {
		expect(amountsOf(await read([{}], { ...FIELDS, amount }))).toEqual([expected]);
	});
});

describe('cells of a row', () => {
	test('leaves out rows that are empty or have only a number', async () => {
		const empty = { account: ' ', amount: null, currency: '', external_reference: undefined };
		const items = [empty as IDataObject, cells('r-1'), { 'N°': 3 }, cells('r-2')];
		const batch = await read(items, COLUMNS);
		expect(rowsOf(batch).map(({ itemIndex }) => itemIndex)).toEqual([1, 3]);
	});

	test('rejects an input of empty rows', async () => {
		const batch = await read([{}, { amount: '' }], COLUMNS);
		expect(batch.rejection?.code).toBe('noRows');
		expect(rowsOf(batch)).toHaveLength(2);
	});

	test('fills only empty cells with default values', async () => {
		const parameters = { ...COLUMNS, 'defaultValues.currency': 'USD' };
		const items = [cells('r-1'), cells('r-2', { currency: ' ' })];
		const batch = await read(items, parameters);
		expect(rowsOf(batch).map(({ values }) => values.currency)).toEqual(['BOB', 'USD']);
	});

	test('does not fill empty cells with the first choice of the form', async () => {
		const batch = await read([cells('r-1'), cells('r-2', { currency: '' })], COLUMNS);
		expect(errorsOf(batch)).toEqual([
			[],
			[{ field: 'Currency', code: 'required', message: 'is required', hint: 'Enter a value.' }],
		]);
	});

	test('uses the first choice of a field that only shapes the form, unless one is given', async () => {
		const speed = async (more: IDataObject, parameters = {}) =>
			rowsOf(await read([cells('r-1', more)], { ...COLUMNS, ...parameters }))[0].values.speed;
		const given = { 'defaultValues.speed': 'slow' };
		expect(await speed({})).toBe('fast');
		expect(await speed({}, given)).toBe('slow');
		expect(await speed({ speed: 'slow' })).toBe('slow');
		expect(await speed({ speed: 'fast' }, given)).toBe('fast');
	});

	test('reports two columns of one field that differ, after the other errors', async () => {
		const items = [cells('r-1', { amount: 'all', Account: 'A-2' })];
		expect(errorsOf(await read(items, COLUMNS))).toEqual([
			[
				expect.objectContaining({ field: 'Amount', value: '"all"' }),
				{
					field: 'Account',
					code: 'columnsDiffer',
					message: 'has different values in the columns "account" and "Account"',
					hint: 'Keep one of these columns.',
				},
			],
		]);
	});
});

describe('given references', () => {
	/** Rows whose reference is an expression. */
	const given = async (expression: Expression, items: IDataObject[] = [{}], around: Around = {}) =>
		await read(items, { ...FIELDS, externalReference: expression }, around);

	test('gives a missing reference no key, and finds no duplicates among missing ones', async () => {
		const batch = await read([{}, {}], { ...FIELDS, externalReference: '' });
		expect(rowsOf(batch).map(({ reference: own, idempotencyKey: key }) => [own, key])).toEqual([
			['', ''],
			['', ''],
		]);
		expect(errorTexts(batch)).toEqual([
			['External Reference () is required'],
			['External Reference () is required'],
		]);
	});

	test('rejects rows that repeat an earlier reference', async () => {
		const items = [cells('Ab'), cells('other'), cells('aB'), cells(' ab ')];
		const problem = (value: string) => ({
			field: 'External Reference',
			value,
			code: 'duplicateReference',
			message: 'is the same as in row 1 (item 0)',
			hint: 'Give every payment its own reference.',
		});
		expect(errorsOf(await read(items, COLUMNS))).toEqual([
			[],
			[],
			[problem('"aB"')],
			[problem('"ab"')],
		]);
	});

	test('rejects the batch for a random reference, but still reads its rows', async () => {
		const batch = await given(new Expression('={{ Math.random() }}', () => 'r-1'));
		expect(batch).toMatchObject({
			rejection: {
				code: 'volatile',
				message:
					'External Reference is based on the time, the execution or randomness, so it changes whenever the rows run again',
				hint: expect.stringMatching(/^Use an input column/) as unknown,
			},
			hints: [],
		});
		expect(referencesOf(batch)).toEqual(['r-1']);
		expect(errorTexts(batch)).toEqual([[]]);
	});

	test('accepts a reference that is the same all day', async () => {
		const batch = await given(
			new Expression('={{ $today.toISODate() }}', () => '2026-11-23'),
			[{}],
			{ evaluate: (code) => (code.includes('plus(') ? '2026-11-24' : '2026-11-23') },
		);
		expect(batch).toMatchObject({ rejection: undefined, hints: [] });
		expect(errorTexts(batch)).toEqual([[]]);
	});

	test('rejects a reference that changes between two readings', async () => {
		let times = 0;
		const batch = await given(
			new Expression('={{ $json.list.shift() }}', (itemIndex) =>
				itemIndex === 0 ? 'same' : `r-${(times += 1)}`,
			),
			[{}, {}],
		);
		expect(errorsOf(batch)).toEqual([
			[],
			[
				{
					field: 'External Reference',
					code: 'volatile',
					message:
						'is based on the time, the execution or randomness, so it changes whenever the rows run again',
					hint: expect.stringMatching(/^Use an input column/) as unknown,
				},
			],
		]);
	});

	test.each(['={{ $json.id }}', '={{ $json["Order ID"] }}', "={{ $json.order['id'] }}"])(
		'reads a reference only once if it is just the column %s',
		async (raw) => {
			const seen: number[] = [];
			const batch = await given(new Expression(raw, () => `r-${seen.push(0)}`));
			expect(errorTexts(batch)).toEqual([[]]);
			expect(referencesOf(batch)).toEqual(['r-1']);
		},
	);

	test('rejects a composed reference with a part that is empty or no text', async () => {
		const items = [{ id: '1' }, { id: '' }, { id: { a: 1 } }, { id: ['1'] }];
		const batch = await given(
			new Expression('=pay-{{ $json.id }}', (itemIndex) => `pay-${itemIndex}`),
			items as IDataObject[],
			{ evaluate: (_, itemIndex) => items[itemIndex].id },
		);
		expect(errorTexts(batch)).toEqual([
			[],
			['External Reference () is incomplete: {{ $json.id }} is empty'],
			['External Reference () must be text, but {{ $json.id }} gives an object'],
			['External Reference () must be text, but {{ $json.id }} gives a list'],
		]);
	});

	test('reports a composed reference without any value once, as missing', async () => {
		const batch = await given(new Expression('={{ $json.a }}{{ $json.b }}', () => ''), [{}], {
			evaluate: () => '',
		});
		expect(errorTexts(batch)).toEqual([['External Reference () is required']]);
	});

	test('accepts a date in a reference of one expression, which n8n turns into text', async () => {
		const batch = await given(
			new Expression('={{ new Date($json.day) }}', () => '2026-11-23T00:00:00.000Z'),
			[{}],
			{ evaluate: () => new Date(0) },
		);
		expect(batch).toMatchObject({ rejection: undefined, hints: [] });
		expect(errorTexts(batch)).toEqual([[]]);
	});

	test('allows an endpoint without a reference field', async () => {
		const fields = ENDPOINT.fields.filter(({ name }) => name !== 'externalReference');
		const batch = await read([{}], FIELDS, { endpoint: { ...ENDPOINT, fields } });
		expect(referencesOf(batch)).toEqual(['']);
	});
});

describe('generated references', () => {
	const PARAMETERS = { ...COLUMNS, ...GENERATED };

	const ofPayee = (account: string, { batchId = 'payroll' } = {}): string =>
		generatedReference(['/pay', batchId, account], 'uuid');

	const ofKeys = (...keys: string[]): string =>
		generatedReference(['/pay', 'payroll', keys], 'uuid');

	const DISTINGUISH =
		'Remove the row if it was copied. If both are due, add a column to Key Columns that distinguishes them and never changes, such as an invoice number. If rows of this batch were already sent, keep Key Columns as they are: pay this row alone, with another Batch ID.';

	test('generates references from the payee alone', async () => {
		const items = [bare(), bare({ account: 'A-2', amount: '7', note: 'Bonus', extra: 1 })];
		const batch = await read(items, PARAMETERS);
		const expected = [ofPayee('A-1'), ofPayee('A-2')];
		expect(referencesOf(batch)).toEqual(expected);
		expect(rowsOf(batch).map(({ idempotencyKey: key }) => key)).toEqual(expected);
		expect(rowsOf(batch)[0].body).toEqual({
			account: 'A-1',
			transaction: { amount: 10.5, currency: 'BOB' },
			external_reference: expected[0],
		});
		expect(batch).toMatchObject({ rejection: undefined, hints: [] });
		expect(errorTexts(batch)).toEqual([[], []]);

		const corrected = [bare({ amount: '9', currency: 'USD', note: 'x' }), bare({ account: 'A-2' })];
		expect(referencesOf(await read(corrected, PARAMETERS))).toEqual(expected);
	});

	test('generates the reference of an invalid row if its payee is known', async () => {
		const items = [bare({ amount: 'all' }), bare({ account: '', employee: 'Ana' })];
		const batch = await read(items, PARAMETERS);
		expect(referencesOf(batch)).toEqual([ofPayee('A-1'), '']);
		expect(rowsOf(batch)[1].values).not.toHaveProperty('externalReference');
	});

	test('rejects each further row of a payee, and names the columns that distinguish them', async () => {
		const items = [
			bare({ 'Nro.': 1, Invoice: 'F-1' }),
			bare({ 'Nro.': 2, account: 'A-2' }),
			bare({ 'Nro.': 3, Invoice: 'F-2', amount: '11' }),
			bare({ 'Nro.': 4, Invoice: 'f-1', amount: 'all' }),
			bare({ 'Nro.': 5, Invoice: 'F-1' }),
		];
		const batch = await read(items, PARAMETERS);
		const error = { field: 'Account', value: '"A-1"', hint: DISTINGUISH };
		const SAME = 'is the same as in row 1 (item 0)';
		expect(errorsOf(batch)).toEqual([
			[],
			[],
			[
				{
					...error,
					code: 'secondRow',
					message: `${SAME}. The rows differ in "amount" and "Invoice"`,
				},
			],
			[
				expect.objectContaining({ field: 'Amount' }),
				{ ...error, code: 'secondRow', message: `${SAME}. The rows differ in "amount"` },
			],
			[{ ...error, code: 'copiedRow', message: `${SAME}, and so is every other column` }],
		]);
		expect(referencesOf(batch)).toEqual([ofPayee('A-1'), ofPayee('A-2'), '', '', '']);
		expect(rowsOf(batch).map(({ idempotencyKey: key }) => key)).toEqual(referencesOf(batch));
		for (const { body, values } of rowsOf(batch).slice(2)) {
			expect(body).not.toHaveProperty('external_reference');
			expect(values).not.toHaveProperty('externalReference');
		}
	});

	test('names a limited number of columns in which two rows differ', async () => {
		const wide = (cell: number) =>
			bare(Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`column ${at}`, cell])));
		const [, [error]] = errorsOf(await read([wide(1), wide(2)], PARAMETERS));
		expect(error.message).toMatch(/"column 6" and "column 7"$/);
	});

	describe('in the runs of a loop', () => {
		/** Reads a row in a run, and sends it if it is valid. */
		const payInRuns = () => {
			const kept = {};
			return async (
				run: number,
				row: IDataObject,
				{ isSent = true, ...parameters }: { isSent?: boolean } & Record<string, unknown> = {},
			): Promise<string[][]> => {
				const around = { kept, evaluate: () => run };
				const items = [row];
				const batch = await read(items, { ...PARAMETERS, ...parameters }, around);
				const [{ errors, idempotencyKey: key, reference }] = rowsOf(batch);
				const state = new ExecutionState(contextOf(items, {}, around), '/pay');
				if (isSent && !errors.length) state.sending(key, sentOf(reference, 0));
				return errorTexts(batch);
			};
		};

		test('rejects a second row of a payee that an earlier run sent', async () => {
			const pay = payInRuns();
			expect(await pay(0, bare({ Invoice: 'F-1' }))).toEqual([[]]);
			expect(await pay(1, bare({ account: 'A-2' }))).toEqual([[]]);
			expect(await pay(2, bare({ Invoice: 'F-2' }))).toEqual([
				['Account ("A-1") is the same as in row 1 (item 0) of run 1 of this node'],
			]);
			expect(await pay(4, bare(), { batchId: 'bonus' })).toEqual([[]]);
		});

		test('compares the runs of a loop as numbers, of which it may have more than ten', async () => {
			const pay = payInRuns();
			expect(await pay(2, bare())).toEqual([[]]);
			expect(await pay(10, bare())).toEqual([[expect.stringContaining('of run 3 of this node')]]);
		});

		test('accepts a row again that no earlier run sent, or that this run sent', async () => {
			const pay = payInRuns();
			expect(await pay(0, bare(), { isSent: false })).toEqual([[]]);
			expect(await pay(1, bare())).toEqual([[]]);
			expect(await pay(1, bare())).toEqual([[]]);
		});

		test('accepts a repeated key, which is the same payment', async () => {
			const pay = payInRuns();
			const keyed = { keyColumns: 'Invoice' };
			expect(await pay(0, bare({ Invoice: 'F-1' }), keyed)).toEqual([[]]);
			expect(await pay(1, bare({ Invoice: 'F-1' }), keyed)).toEqual([[]]);
		});
	});

	test('ignores a column or hidden field of references if they are generated', async () => {
		const hidden = new Expression('={{ Math.random() }}', () => 'old');
		expect(referencesOf(await read([cells('old')], PARAMETERS))).toEqual([ofPayee('A-1')]);
		const batch = await read([{}], { ...FIELDS, ...GENERATED, externalReference: hidden });
		expect(batch.rejection).toBeUndefined();
		expect(referencesOf(batch)).toEqual([ofPayee('A-1')]);
	});

	test('reads a key column that is a field as the field', async () => {
		const { amount: sum, ...rest } = bare();
		const items = [{ ...rest, Monto: sum }];
		const keyed = { ...GENERATED, keyColumns: 'Monto' };
		expect(referencesOf(await read(items, { ...COLUMNS, ...keyed }))).toEqual([ofKeys('10.5')]);
		expect(referencesOf(await read(items, { ...FIELDS, ...keyed }))).toEqual([ofKeys('10.50')]);
	});

	test('rejects a row that repeats a key, and names the columns in which it differs', async () => {
		const items = [bare({ id: 'E-1' }), bare({ id: 'e-1', Invoice: 'F-2' }), bare({ id: 'E-1' })];
		const batch = await read(items, { ...PARAMETERS, keyColumns: 'id' });
		expect(errorTexts(batch)).toEqual([
			[],
			['Key Columns () is the same as in row 1 (item 0). The rows differ in "Invoice"'],
			['Key Columns () is the same as in row 1 (item 0), and so is every other column'],
		]);
		expect(referencesOf(batch)).toEqual([ofKeys('e-1'), '', '']);
	});

	test('needs key columns if the endpoint names no payee', async () => {
		const endpoint: MoneyEndpoint = {
			...ENDPOINT,
			reference: { field: 'externalReference', form: 'uuid' },
		};
		expect((await read([bare()], PARAMETERS, { endpoint })).rejection).toMatchObject({
			code: 'keyColumnsNeeded',
			message: 'Pay needs Key Columns to generate references, because its rows name no payee',
		});
		const keyed = { ...PARAMETERS, keyColumns: 'id' };
		const batch = await read([bare({ id: 'E-1' })], keyed, { endpoint });
		expect(batch.rejection).toBeUndefined();
		expect(referencesOf(batch)).toEqual([ofKeys('e-1')]);
	});

	test('rejects generated references without a Batch ID', async () => {
		const batch = await read([bare()], { ...PARAMETERS, batchId: ' ' });
		expect(batch).toMatchObject({
			rejection: { code: 'batchIdMissing' },
			hints: [],
		});
		expect(referencesOf(batch)).toEqual(['']);
		expect(errorTexts(batch)).toEqual([[]]);
	});

	test.each<[string, string, Record<string, unknown>]>([
		['field', 'account', FIELDS],
		['default value', 'defaultValues.account', COLUMNS],
	])('rejects generated references if the payee is a random %s', async (_, path, source) => {
		const chance = new Expression('={{ Math.random() }}', () => '1');
		const parameters = { ...source, ...GENERATED, [path]: chance };
		const batch = await read([bare()], parameters);
		expect(batch).toMatchObject({
			rejection: {
				code: 'volatilePayee',
				message:
					'Account is based on the time, the execution or randomness, so it changes whenever the rows run again, and the reference is generated from it',
			},
			hints: [],
		});
		expect(referencesOf(batch)).toEqual(['']);

		const keyed = await read([bare({ id: 'E-1' })], { ...parameters, keyColumns: 'id' });
		expect(keyed.rejection).toBeUndefined();
		expect(referencesOf(keyed)).toEqual([ofKeys('e-1')]);
	});

	test.each<[string, string, Record<string, unknown>]>([
		['is not sent', 'speed', FIELDS],
		['belongs to the other mapping mode', 'defaultValues.account', FIELDS],
		['belongs to the fields', 'account', COLUMNS],
		['is not of the payee', 'note', FIELDS],
		['is a default value of another field', 'defaultValues.note', COLUMNS],
		['is the reference itself', 'externalReference', FIELDS],
	])('allows a random parameter that %s', async (_, path, source) => {
		const chance = new Expression('={{ Math.random() }}', () => 'slow');
		const batch = await read([bare()], { ...source, ...GENERATED, [path]: chance });
		expect(batch.rejection).toBeUndefined();
		expect(referencesOf(batch)).toEqual([ofPayee('A-1')]);
	});

	test('rejects a Batch ID that changed while the rows were read', async () => {
		let name = 'payroll';
		const account = new Expression('={{ $json.account }}', () => {
			name = 'bonus';
			return 'A-1';
		});
		const batchId = new Expression('={{ $json.batch }}', () => name);
		const parameters = { ...FIELDS, ...GENERATED, batchId, account };
		expect((await read([{}], parameters)).rejection).toMatchObject({
			code: 'batchChanged',
			message: 'Batch ID or Key Columns changed while the rows were read',
		});

		name = 'payroll';
		const ofTool = await read([{}], parameters, { type: 'partnerPaymentsTool' });
		expect(ofTool.rejection?.code).toBe('toolNeedsReference');
	});

	test('rejects generated references of an agent, but accepts given ones', async () => {
		const around = { type: 'partnerPaymentsTool' };
		const batch = await read([bare()], PARAMETERS, around);
		expect(batch.rejection).toMatchObject({
			code: 'toolNeedsReference',
			message: 'An AI agent has to give each payment a reference',
		});
		expect(referencesOf(batch)).toEqual([ofPayee('A-1')]);
		expect((await read([cells('r-1')], COLUMNS, around)).rejection).toBeUndefined();
	});
});

describe('recognizing an AI agent’s tool', () => {
	const NODE = 'n8n-nodes-partner-payments.partnerPayments';

	test.each<[string, Around]>([
		['its type ends in Tool', { type: `${NODE}Tool` }],
		['n8n reports one', { type: NODE, isToolExecution: () => true }],
		[
			'its type is one, although n8n reports none',
			{ type: `${NODE}Tool`, isToolExecution: () => false },
		],
	])('recognizes a tool if %s', (_, around) => {
		expect(isTool(contextOf([], {}, around))).toBe(true);
	});

	test.each<[string, Around]>([
		['n8n reports none', { type: NODE, isToolExecution: () => false }],
		['n8n reports nothing', { type: NODE }],
		['its type only begins with Tool', { type: 'Tool.partnerPayments' }],
	])('recognizes no tool if %s', (_, around) => {
		expect(isTool(contextOf([], {}, around))).toBe(false);
	});
});

describe('many items', () => {
	beforeEach(() => void jest.useFakeTimers({ now: 1_000_000 }));
	afterEach(() => void jest.useRealTimers());

	test('yields to other work every 10 ms, also when it reads references again', async () => {
		const seen: number[] = [];
		const slow = new Expression('={{ $json.id.trim() }}', (itemIndex) => {
			seen.push(itemIndex);
			jest.setSystemTime(Date.now() + 5);
			return `r-${itemIndex}`;
		});
		const items = Array.from({ length: 5 }, () => ({}));
		let batch: Parsed | undefined;
		void read(items, { ...FIELDS, externalReference: slow }).then((one) => (batch = one));

		const stretches: number[][] = [];
		// Runs everything that needs no timer.
		for (let step = 0; step < 100; step++) await Promise.resolve();
		while (!batch && stretches.length < 20) {
			stretches.push(seen.splice(0));
			expect(jest.getTimerCount()).toBe(1);
			await jest.runOnlyPendingTimersAsync();
		}
		expect([...stretches, seen]).toEqual([[], [0, 1], [2, 3], [4, 0], [1, 2], [3, 4], []]);
		expect(referencesOf(batch as Parsed)).toEqual(['r-0', 'r-1', 'r-2', 'r-3', 'r-4']);
	});
});
