import { textField } from '../../nodes/fields/field';
import {
	fieldReaders,
	inCollection,
	parameterReaders,
	plainValue,
	rawParameter,
} from '../../nodes/fields/parameters';
import { contextOf } from '../batch/evaluated';

const A = '={{ $json.a }}';

describe('parameters of many items', () => {
	test('are evaluated only if they are expressions, also in lists and objects', () => {
		const items = [
			{ a: 'x', b: 1 },
			{ a: null, b: 2 },
		];
		const parameters = { a: '={{ $json.a }}', b: { value: '={{ $json.b }}' }, c: '5', d: 7 };
		const context = contextOf(parameters, items);
		const readers = parameterReaders(context, Object.keys(parameters));
		const evaluated = jest.spyOn(context, 'getNodeParameter');
		const values = items.map((_, item) => ['a', 'b', 'c', 'd'].map(readers(item)));
		expect(values).toEqual([
			['x', { value: 1 }, '5', 7],
			[null, { value: 2 }, '5', 7],
		]);
		expect(evaluated).toHaveBeenCalledTimes(4);
	});
});

describe('a parameter as it is stored', () => {
	test('is not evaluated, and is empty if it is hidden', () => {
		const context = contextOf({ a: A });
		expect(rawParameter(context, 'a')).toBe(A);
		expect(rawParameter(context, 'hidden')).toBe('');
		expect(rawParameter(context, 'hidden', 5)).toBe(5);
	});
});

describe('fields of many items', () => {
	const amount = textField({ name: 'amount', label: 'Amount', description: '' });
	const country = textField({ name: 'country', label: 'Country', description: '', optional: true });
	const parameters = {
		amount: '={{ $json.amount }}',
		additionalFields: { country: { __rl: true, mode: 'id', value: '={{ $json.country }}' } },
		more: { country: 'CL' },
	};
	const items = [
		{ amount: 1, country: 'BO' },
		{ amount: 2, country: 'PE' },
	];

	test('are read from their parameters, the optional ones from their collection', () => {
		const readers = fieldReaders(contextOf(parameters, items), [amount, country]);
		expect(items.map((_, itemIndex) => [amount, country].map(readers(itemIndex)))).toEqual([
			[1, 'BO'],
			[2, 'PE'],
		]);
	});

	test('are read from another collection if the operation has one', () => {
		const context = contextOf(parameters, items);
		const read = fieldReaders(context, [amount, country], inCollection('more'))(0);
		expect([read(amount), read(country)]).toEqual([1, 'CL']);
	});
});

test.each<[unknown, unknown]>([
	[{ __rl: true, mode: 'list', value: 'x' }, 'x'],
	[
		{ __rl: true, mode: 'list' },
		{ __rl: true, mode: 'list' },
	],
	[{ value: 'x' }, { value: 'x' }],
	['x', 'x'],
	[null, null],
	[undefined, undefined],
])('takes the value of a choice from a list: %j as %j', (raw, value) => {
	expect(plainValue(raw)).toEqual(value);
});
