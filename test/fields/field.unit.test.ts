import {
	choiceField,
	columnName,
	locator,
	locatorField,
	secretField,
	textField,
	withNames,
} from '../../nodes/fields/field';
import { bankCode, uuid } from '../../nodes/fields/validators';
import { read } from './read';

const SPEC = { name: 'note', label: 'Note', to: 'transaction.note', description: 'What it is for' };

const OPTIONS = [
	{ name: 'Wire', value: 'wire' },
	{ name: 'ACH', value: 'ach' },
];

test('a secret field is masked by the editor and accepts any text', () => {
	const secret = secretField(SPEC);
	expect(secret.form).toEqual({
		type: 'string',
		default: '',
		description: 'What it is for',
		typeOptions: { password: true },
	});
	expect(read(secret.validate, 'x')).toBe('x');
});

describe('a drop-down list', () => {
	test('a drop-down list without a default has an empty choice, so that the user has to choose', () => {
		const { form } = choiceField({ ...SPEC, options: OPTIONS });
		expect(form).toMatchObject({
			type: 'options',
			default: '',
			options: [
				{ name: 'ACH', value: 'ach' },
				{ name: 'Not Specified', value: '' },
				{ name: 'Wire', value: 'wire' },
			],
		});
	});
});

describe('an entry of the account', () => {
	const field = locatorField({
		...SPEC,
		validate: uuid(),
		locator: locator('searchWallets', 'e.g. 1b9d6bcd-…'),
	});

	test('an entry of the account is chosen from a searchable list, or by its ID', () => {
		expect(field.form).toMatchObject({
			type: 'resourceLocator',
			default: { mode: 'list', value: '' },
			modes: [
				{
					name: 'list',
					type: 'list',
					typeOptions: { searchListMethod: 'searchWallets', searchable: true },
				},
				{ name: 'id', type: 'string', placeholder: 'e.g. 1b9d6bcd-…' },
			],
		});
		expect(read(field.validate, 'main')).toBe('rejected: notUuid');
	});

	test.each([
		['1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed', true],
		[' 1B9D6BCD-BBFD-4B2D-9B5D-AB8DFBBD4BED ', true],
		['1b9d6bcd-bbfd-4b2d-9b5d', false],
		['x1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed', false],
		['1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bedx', false],
	])('an entry of the account has an ID that the editor checks: %j', (id, isValid) => {
		const [rule] = field.form.modes?.[1].validation ?? [];
		const { regex, errorMessage } = (rule as { properties: Record<string, string> }).properties;
		expect(new RegExp(regex).test(id)).toBe(isValid);
		expect(errorMessage).toMatch(/UUID/);
	});
});

test.each([
	['transaction.bank_code', 'bank_code'],
	['amount', 'amount'],
	[undefined, 'note'],
])('a field of the service at %p has the column %s', (to, column) => {
	expect(columnName(textField({ ...SPEC, to }))).toBe(column);
});

test('a field takes the names of a table, if it has any', () => {
	const named = textField({ ...SPEC, validate: uuid(), validateNamed: bankCode });
	const codes = new Map([['union', '1014']]);
	expect(read(withNames(named, codes).validate, 'Banco Unión')).toBe('1014');
	expect(withNames(named, undefined)).toBe(named);
	const plain = textField({ ...SPEC, validate: uuid() });
	expect(withNames(plain, codes)).toBe(plain);
});
