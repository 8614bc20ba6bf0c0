import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { textField } from '../../nodes/fields/field';
import {
	fieldReaders,
	inCollection,
	parameterReaders,
	plainValue,
	rawParameter,
} from '../../nodes/fields/parameters';
import { contextOf } from '../batch/evaluated';

/** Reads all parameters of all items, and how often n8n evaluated them together and alone. */
function readAll(parameters: INodeParameters, items: IDataObject[] = [{}]) {
	const context = contextOf(parameters, items);
	const together = jest.spyOn(context, 'evaluateExpression');
	const single = jest.spyOn(context, 'getNodeParameter');
	const paths = Object.keys(parameters);
	const readers = parameterReaders(context, paths);
	// It has looked at what is stored, and evaluated nothing yet.
	single.mockClear();
	const values = items.map((_, itemIndex) => {
		const read = readers(itemIndex);
		return paths.map((path) => {
			try {
				return read(path);
			} catch (error) {
				return `failed: ${(error as Error).message}`;
			}
		});
	});
	return { values, together: together.mock.calls.length, single: single.mock.calls.length };
}

const A = '={{ $json.a }}';
const B = '={{ $json.b }}';

describe('parameters of many items', () => {
	test('that are not expressions are not evaluated', () => {
		expect(readAll({ a: '5', b: 7, c: '', d: true }, [{}, {}])).toEqual({
			values: [
				['5', 7, '', true],
				['5', 7, '', true],
			],
			together: 0,
			single: 0,
		});
	});

	test('parameters of many items are evaluated together for each item, and alone only for the first', () => {
		const items = [
			{ a: 'x', b: 1 },
			{ a: 'y', b: 2 },
			{ a: 'z', b: 3 },
		];
		expect(readAll({ a: A, b: B }, items)).toEqual({
			values: [
				['x', 1],
				['y', 2],
				['z', 3],
			],
			together: 3,
			single: 2,
		});
	});

	test('parameters of many items are evaluated alone again for the first item with other types of values', () => {
		const items = [
			{ a: 'x', b: 1 },
			{ a: null, b: 2 },
			{ a: null, b: 3 },
			{ a: 'y', b: 4 },
		];
		const { values, together, single } = readAll({ a: A, b: B }, items);
		expect(values.map(([, b]) => b)).toEqual([1, 2, 3, 4]);
		expect(values.map(([a]) => a ?? '')).toEqual(['x', '', '', 'y']);
		expect([together, single]).toEqual([4, 4]);
	});

	test('parameters of many items are read for an item only when one of them is', () => {
		const context = contextOf({ a: A, b: B }, [{ a: 1, b: 2 }]);
		const evaluate = jest.spyOn(context, 'evaluateExpression');
		const read = parameterReaders(context, ['a', 'b'])(0);
		expect(evaluate).not.toHaveBeenCalled();
		expect([read('a'), read('b'), read('a')]).toEqual([1, 2, 1]);
		expect(evaluate).toHaveBeenCalledTimes(1);
	});

	test('parameters of many items may have a comment at the end of an expression', () => {
		const { values, together } = readAll({ a: '={{ $json.a // the first }}', b: B }, [
			{ a: 1, b: 2 },
		]);
		expect(values).toEqual([[1, 2]]);
		expect(together).toBe(1);
	});

	test('parameters of many items have n8n’s own values if they are dates, lists or objects', () => {
		const items = [{ a: ['x'], b: 1 }];
		const { values, single } = readAll({ a: A, b: B, c: '={{ new Date(0) }}' }, items);
		expect(values).toEqual([[['x'], 1, new Date(0)]]);
		// The list and the date, and the number to compare it.
		expect(single).toBe(3);
	});

	test('parameters of many items may be lists or objects with expressions', () => {
		const { values } = readAll({ a: { value: A }, b: B, c: B }, [{ a: 1, b: 2 }]);
		expect(values).toEqual([[{ value: 1 }, 2, 2]]);
	});
});

describe('expressions that are evaluated alone', () => {
	test.each([
		['there is only one', { a: A, b: '5' }],
		['one has text around it', { a: 'x', b: `${A} BOB` }],
		['one has two parts', { a: `${A}{{ $json.b }}`, b: '5' }],
		['one is empty', { a: A, b: '={{ }}' }],
		['one refers to other parameters', { a: A, b: '={{ $parameter.a }}' }],
		['one changes the item by an assignment', { a: '={{ ($json.b = 5, $json.a) }}', b: B }],
		['one changes the item by a method', { a: '={{ Object.assign($json, { b: 5 }).a }}', b: B }],
		['one counts', { a: '={{ $json.a++ }}', b: B }],
		['one that has text around it changes the item', { a: A, b: B, c: '={{ delete $json.b }} x' }],
	])('expressions that are evaluated alone are never evaluated together if %s', (_, parameters) => {
		expect(readAll(parameters, [{ a: 1, b: 2 }]).together).toBe(0);
	});

	test.each([
		'={{ $json.a === 1 }}',
		'={{ $json.a >= 1 }}',
		'={{ $json.settled }}',
		'={{ [1].map(x => x)[0] }}',
	])('expressions that are evaluated alone do not include one that only compares: %s', (a) => {
		expect(readAll({ a, b: B }, [{ a: 1, b: 2 }]).together).toBe(1);
	});

	test('include all from then on if one has another value each time', () => {
		const items = [{ b: 1 }, { b: 2 }, { b: 3 }];
		const { values, together } = readAll({ a: '={{ Math.random() }}', b: B }, items);
		expect(together).toBe(1);
		expect(values.map(([, b]) => b)).toEqual([1, 2, 3]);
	});

	test('show which of them fails, and do not fail the others', () => {
		const a = `={{ $json.a === 1 ? $('No such node').first() : $json.a }}`;
		const { values } = readAll({ a, b: B }, [
			{ a: 'x', b: 1 },
			{ a: 1, b: 2 },
			{ a: 'z', b: 3 },
		]);
		expect(values[0]).toEqual(['x', 1]);
		expect(values[1]).toEqual([expect.stringMatching(/^failed: /), 2]);
		expect(values[2]).toEqual(['z', 3]);
	});

	const fails = { a: '={{ $json.a.toUpperCase() }}', b: B };
	const bad = { a: 1, b: 1 };
	const good = { a: 'x', b: 1 };

	test('include all after three items that failed one after the other', () => {
		expect(readAll(fails, [bad, bad, bad, good, good]).together).toBe(3);
	});

	test('expressions that are evaluated alone do not include all if an item between them did not fail', () => {
		expect(readAll(fails, [bad, bad, good, bad, bad, good]).together).toBe(6);
	});
});

describe('a parameter as it is stored', () => {
	test('a parameter as it is stored is not evaluated, and is empty if it is hidden', () => {
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

	test('fields of many items are read from their parameters, the optional ones from their collection', () => {
		const readers = fieldReaders(contextOf(parameters, items), [amount, country]);
		expect(items.map((_, itemIndex) => [amount, country].map(readers(itemIndex)))).toEqual([
			[1, 'BO'],
			[2, 'PE'],
		]);
	});

	test('fields of many items are read from another collection if the operation has one', () => {
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
