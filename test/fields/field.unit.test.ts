import {
	adjusted,
	choiceField,
	columnName,
	locator,
	locatorField,
	secretField,
	textField,
} from '../../nodes/fields/field';
import { accountNumber, uuid } from '../../nodes/fields/validators';
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

test('a field is validated as an option says, if there is one for it', () => {
	const settings = { documentSuffix: 'reject', accountSeparators: 'remove' } as const;
	const account = textField({
		...SPEC,
		validate: accountNumber(),
		adjustable: {
			option: 'accountSeparators',
			validate: ({ accountSeparators }) => accountNumber(accountSeparators),
		},
	});
	expect(read(account.validate, '123-456')).toBe('rejected: accountSeparated');
	expect(read(adjusted(account, settings).validate, '123-456')).toBe('123456');
	const plain = textField({ ...SPEC, validate: accountNumber() });
	expect(adjusted(plain, settings)).toBe(plain);
});
