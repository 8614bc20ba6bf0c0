import type { INodeParameters } from 'n8n-workflow';

import { textField } from '../../nodes/fields/field';
import { uuid } from '../../nodes/fields/validators';
import {
	isChosen,
	pathId,
	readDate,
	readLimit,
	requestBody,
} from '../../nodes/PartnerPayments/operations/itemParameters';
import { nodeWith } from './context';

const ID = '5f0c6f6e-3b1d-4f7e-9a53-0c1d2e3f4a5b';

/** What a function throws. */
function thrownBy(run: () => unknown): { message: string; description?: string; context: object } {
	try {
		run();
	} catch (error) {
		return error as ReturnType<typeof thrownBy>;
	}
	throw new Error('Nothing was thrown');
}

describe('the body of a request', () => {
	const fields = [
		textField({
			name: 'clientId',
			label: 'Client',
			to: 'client',
			required: true,
			validate: uuid(),
			description: '',
		}),
		textField({ name: 'note', label: 'Note', to: 'more.note', required: true, description: '' }),
		textField({ name: 'town', label: 'Town', to: 'town', optional: true, description: '' }),
	];
	const body = (parameters: INodeParameters, collection?: string) =>
		requestBody(nodeWith(parameters, [{}, {}]), fields, 1, collection);

	test('has the fields of the form at their places', () => {
		expect(body({ clientId: ID, note: 'x' })).toEqual({ client: ID, more: { note: 'x' } });
		expect(body({ clientId: ID, note: 'x', additionalFields: { town: 'La Paz' } })).toEqual({
			client: ID,
			more: { note: 'x' },
			town: 'La Paz',
		});
		expect(body({ clientId: ID, note: 'x', own: { town: 'La Paz' } }, 'own')).toMatchObject({
			town: 'La Paz',
		});
	});

	test('is not made of invalid fields: the error names all of them', () => {
		const error = thrownBy(() => body({ clientId: 'no', note: '' }));
		expect(error.message).toMatch(/^\[Item 1\] .*Client.* Note is required/);
		expect(error.description).toBe('Nothing was sent for this item.');
		expect(error.context).toMatchObject({ code: 'notUuid', itemIndex: 1 });
	});
});

describe('an ID for a path', () => {
	const read = (id: unknown) => pathId(nodeWith({ id } as INodeParameters), 'Wallet', 'id', 0);

	test('is the UUID of a locator or of a text', () => {
		expect(read(ID)).toBe(ID);
		expect(read({ __rl: true, mode: 'id', value: ` ${ID.toUpperCase()}` })).toBe(ID.toUpperCase());
	});

	const OTHER_PATHS = ['..', '%2e%2e%2f', 'logs', '{}', 'http://127.0.0.1:9/x'];
	const ENDS = ['/..', '/assets', '?x=1', '#', '%00', '\n/x'];

	test.each(['', undefined, null, ...OTHER_PATHS, ...ENDS.map((end) => ID + end)])(
		'is not %j',
		(id) => {
			expect(thrownBy(() => read(id)).message).toMatch(/^\[Item 0\] Wallet must be/);
		},
	);
});

describe('a date', () => {
	const read = (from: unknown) => {
		const context = Object.assign(nodeWith({}), { getNodeParameter: () => from });
		return readDate(context, 'From', 'from', 0);
	};

	test.each(['', undefined, null])('may be empty: %j', (from) => {
		expect(read(from)).toBeUndefined();
	});

	test.each(['2026-11-21T08:00:00Z', { toString: () => '2026-11-21T08:00:00Z' }])(
		'is read as a time: %j',
		(from) => {
			expect(read(from)).toBe(Date.UTC(2026, 10, 21, 8));
		},
	);

	test('may be no text that is none', () => {
		expect(thrownBy(() => read('soon'))).toMatchObject({
			message: '[Item 0] From must be a date and time',
			context: { code: 'notADate' },
		});
	});
});

describe('Limit', () => {
	const read = (parameters: INodeParameters) => readLimit(nodeWith(parameters), 0);

	test.each<[INodeParameters, number]>([
		[{}, 50],
		[{ returnAll: true, limit: 5 }, Infinity],
		[{ returnAll: false, limit: 5 }, 5],
		[{ limit: '7' }, 7],
		[{ limit: 1 }, 1],
		// Of an expression: only true is all.
		[{ returnAll: 'true', limit: 5 }, 5],
	])('is read from %j as %d', (parameters, limit) => {
		expect(read(parameters)).toBe(limit);
	});

	test.each([0, -1, 1.5, 'many', ''])('is a whole number of 1 or more, not %j', (limit) => {
		expect(thrownBy(() => read({ limit }))).toMatchObject({
			message: '[Item 0] Limit must be a whole number of 1 or more',
			context: { code: 'wrongLimit' },
		});
	});
});

test.each<[string | string[] | undefined, unknown, boolean]>([
	[undefined, 'a', true],
	['', 'a', true],
	[[], 'a', true],
	[[''], 'a', true],
	['a', 'a', true],
	['a', 'b', false],
	[['a', 'b'], 'b', true],
	[['a', 'b'], 'c', false],
	[['a', ''], '', false],
	[['a'], undefined, false],
])('the filter %j passes %j: %p', (chosen, value, passes) => {
	expect(isChosen(chosen, value)).toBe(passes);
});
