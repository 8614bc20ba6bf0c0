import {
	amountField,
	choiceField,
	secretField,
	textField,
	type Field,
} from '../../nodes/fields/field';
import {
	showValue,
	toBody,
	validateFields,
	validationErrorText,
	type ValidationError,
} from '../../nodes/fields/validateFields';
import { documentNumber, positiveAmount, uuid } from '../../nodes/fields/validators';

const DESCRIPTION = { description: '' };

const currency = choiceField({
	...DESCRIPTION,
	name: 'currencyType',
	label: 'Currency',
	to: 'transaction.currency_type',
	options: [
		{ name: 'BOB', value: 'BOB' },
		{ name: 'USD', value: 'USD' },
		{ name: 'CLP', value: 'CLP' },
	],
	required: true,
});
const amount = amountField({
	...DESCRIPTION,
	name: 'amount',
	label: 'Amount',
	to: 'transaction.amount',
	validate: positiveAmount({ places: 2 }),
	required: true,
});
const country = textField({
	...DESCRIPTION,
	name: 'country',
	label: 'Country',
	to: 'country',
	requiredWhen: { currencyType: ['CLP'] },
});
const note = textField({ ...DESCRIPTION, name: 'note', label: 'Note' });

/** Validates fields with these values. A function is an expression. */
const validate = (
	fields: Field[],
	cells: Record<string, unknown>,
	formats?: Parameters<typeof validateFields>[2],
) =>
	validateFields(
		fields,
		({ name }) => {
			const cell = cells[name];
			return typeof cell === 'function' ? (cell as () => unknown)() : cell;
		},
		formats,
	);

const codesOf = (errors: ValidationError[]): string[] =>
	errors.map(({ field, code }) => `${field}: ${code}`);

describe('the fields of an item', () => {
	test('give the values to send, and no value of an empty field', () => {
		const { values, errors } = validate([currency, amount, country, note], {
			currencyType: 'bob',
			amount: ' 1,250.50 ',
			country: ' ',
		});
		expect(errors).toEqual([]);
		expect({ ...values }).toEqual({ currencyType: 'BOB', amount: 1250.5 });
	});

	test('give all errors at once', () => {
		const { values, errors } = validate([currency, amount, note], {
			currencyType: 'EUR',
			note: 'x',
		});
		expect(codesOf(errors)).toEqual(['Currency: notAChoice', 'Amount: required']);
		expect({ ...values }).toEqual({ note: 'x' });
	});

	test('the fields of an item may have any name, also one that objects inherit', () => {
		const field = textField({
			...DESCRIPTION,
			name: 'b',
			label: 'B',
			requiredWhen: { constructor: [''] },
		});
		expect(codesOf(validate([field], {}).errors)).toEqual(['B: requiredWhen']);
	});

	test('the fields of an item are amounts in the formats of their columns', () => {
		const formats = new Map([['amount', { decimal: ',', isChosen: false } as const]]);
		expect(validate([amount], { amount: '1.250' }, formats).values.amount).toBe(1250);
		expect(codesOf(validate([amount], { amount: '1.250' }).errors)).toEqual([
			'Amount: ambiguousAmount',
		]);
	});

	test('report an expression that fails, with n8n’s reason, and read the others', () => {
		const { values, errors } = validate([amount, note], {
			amount: () => {
				throw new Error('No path back');
			},
			note: 'x',
		});
		expect(errors).toMatchObject([
			{ field: 'Amount', code: 'expressionFails', message: 'cannot be evaluated (No path back)' },
		]);
		expect({ ...values }).toEqual({ note: 'x' });
	});
});

describe('a field with a condition', () => {
	const asset = textField({
		...DESCRIPTION,
		name: 'asset',
		label: 'Asset',
		onlyWhen: { currencyType: ['USD', 'CLP'], note: ['conversion'] },
		required: true,
	});

	test.each<[string, Record<string, string>, unknown]>([
		['all parts of the condition hold', { currencyType: 'USD', note: 'conversion' }, 'USDC'],
		['one part does not', { currencyType: 'USD', note: 'balance' }, undefined],
		['another part does not', { currencyType: 'BOB', note: 'conversion' }, undefined],
		['a field of the condition is empty', { currencyType: 'USD' }, undefined],
	])('a field with a condition is sent only if all parts hold: %s', (_, cells, sent) => {
		const { values, errors } = validate([currency, note, asset], { ...cells, asset: 'USDC' });
		expect(errors).toEqual([]);
		expect(values.asset).toBe(sent);
	});

	test('a field with a condition is required if it holds, and says when in both languages', () => {
		const { errors } = validate([currency, note, asset], {
			currencyType: 'CLP',
			note: 'conversion',
		});
		expect(errors).toMatchObject([
			{
				field: 'Asset',
				code: 'requiredWhen',
				message: 'is required when Currency is USD or CLP and Note is conversion',
				es: { message: 'es obligatorio si Moneda es USD o CLP y Note es conversion' },
			},
		]);
		expect(validate([currency, note, asset], { currencyType: 'BOB' }).errors).toEqual([]);
	});

	test('a field with a condition is optional unless its own condition requires it', () => {
		expect(validate([currency, country], { currencyType: 'BOB' }).errors).toEqual([]);
		expect(validate([currency, country], { currencyType: 'CLP' }).errors).toMatchObject([
			{ field: 'Country', message: 'is required when Currency is CLP' },
		]);
	});

	test('a field with a condition may say why it is required', () => {
		const explained: Field = { ...country, missing: 'countryMissing' };
		expect(codesOf(validate([currency, explained], { currencyType: 'CLP' }).errors)).toEqual([
			'Country: countryMissing',
		]);
	});

	test('names a field that is not in the form by its name', () => {
		const field = textField({
			...DESCRIPTION,
			name: 'b',
			label: 'B',
			requiredWhen: { other: [''] },
		});
		expect(validate([field], {}).errors[0].message).toBe('is required when other is ');
	});
});

describe('the example that the form shows', () => {
	const wallet = textField({
		...DESCRIPTION,
		name: 'walletId',
		label: 'Wallet',
		placeholder: 'e.g. 1b9d6bcd-bbfd-…',
	});
	const email = textField({
		...DESCRIPTION,
		name: 'email',
		label: 'Email',
		placeholder: 'e.g. maria@example.com',
	});
	const page = textField({
		...DESCRIPTION,
		name: 'page',
		label: 'Page',
		placeholder: 'e.g. https://example.com',
	});
	const name = textField({
		...DESCRIPTION,
		name: 'name',
		label: 'Name',
		placeholder: 'e.g. María',
	});

	test.each([
		[wallet, ' 1b9d6bcd-bbfd-… '],
		[email, 'maria@example.com'],
		[page, 'https://example.com'],
	])(
		'the example that the form shows is no value of a field that is unique: $label',
		(field, raw) => {
			expect(codesOf(validate([field], { [field.name]: raw }).errors)).toEqual([
				`${field.label}: placeholder`,
			]);
		},
	);

	test('the example that the form shows may be a real name or amount, and other values are no example', () => {
		expect(validate([name], { name: 'María' }).errors).toEqual([]);
		expect(validate([amount], { amount: '1250.50' }).errors).toEqual([]);
		expect(validate([email], { email: 'ana@example.com' }).errors).toEqual([]);
		expect(codesOf(validate([email], { email: {} }).errors)).toEqual(['Email: notText']);
	});
});

describe('an invalid value', () => {
	const document = textField({
		...DESCRIPTION,
		name: 'document',
		label: 'Destination ID Number',
		validate: documentNumber(5, 20),
	});

	test('an invalid value is in its error, and the text of the error in both languages', () => {
		const [error] = validate([document], { document: '12 345' }).errors;
		expect(error.value).toBe('"12 345"');
		expect(validationErrorText(error)).toMatch(
			/^Destination ID Number \("12 345"\) must have digits only\. Remove /,
		);
		expect(validationErrorText(error, 'es')).toMatch(
			/^Documento \("12 345"\) solo puede tener dígitos\. Quita /,
		);
	});

	test('that is missing is not shown', () => {
		const [error] = validate([currency], {}).errors;
		expect(validationErrorText(error)).toBe('Currency is required. Enter a value.');
	});

	test('that is secret is not shown', () => {
		const secret: Field = {
			...secretField({ ...DESCRIPTION, name: 'secret', label: 'Secret' }),
			validate: uuid(),
		};
		const [error] = validate([secret], { secret: 'hunter2' }).errors;
		expect(error.code).toBe('notUuid');
		expect(JSON.stringify(error)).not.toContain('hunter2');
	});
});

describe('a value in a message', () => {
	test.each<[unknown, string]>([
		['a "b"', String.raw`"a \"b\""`],
		['a\nb', String.raw`"a\nb"`],
		['a\u202eb\u200b', String.raw`"a\u202eb\u200b"`],
		['a\u0085b', String.raw`"a\u0085b"`],
		[12.5, '"12.5"'],
		[{ a: 1 }, String.raw`"{\"a\":1}"`],
		[undefined, '"undefined"'],
		[() => 1, '"() => 1"'],
	])('a value in a message is quoted and on one line: %p as %s', (raw, shown) => {
		expect(showValue(raw)).toBe(shown);
	});

	test('a value in a message has at most 60 characters, each of them whole', () => {
		expect(showValue('x'.repeat(60))).toBe(`"${'x'.repeat(60)}"`);
		expect(showValue('x'.repeat(61))).toBe(`"${'x'.repeat(60)}…"`);
		expect(showValue('🧾'.repeat(60))).toBe(`"${'🧾'.repeat(60)}"`);
		expect(showValue('🧾'.repeat(61))).toBe(`"${'🧾'.repeat(60)}…"`);
	});
});

describe('the body of a request', () => {
	test('the body of a request has the values at the places of the service, and no others', () => {
		const { values } = validate([currency, amount, country, note], {
			currencyType: 'USD',
			amount: 5,
			country: 'BO',
			note: 'x',
		});
		expect(toBody([currency, amount, country, note], values)).toEqual({
			transaction: { currency_type: 'USD', amount: 5 },
			country: 'BO',
		});
		expect(toBody([currency, amount, country], { amount: 5 })).toEqual({
			transaction: { amount: 5 },
		});
		expect(toBody([{ ...note, to: 'a.b.c' }], { note: 'x' })).toEqual({ a: { b: { c: 'x' } } });
	});
});
