import type { IDataObject } from 'n8n-workflow';

import { amountField, textField, type Field, type HeaderNames } from '../../nodes/fields/field';
import { cellOf, cellUnder, mapColumns, mayMean } from '../../nodes/fields/headers';
import { anyText } from '../../nodes/fields/validators';

const text = (name: string, label: string, to: string, headerAliases?: HeaderNames): Field =>
	textField({ name, label, to, headerAliases, description: '' });

const GIVEN = text('given', 'Given Names', 'person.given_names', {
	names: ['Nombres'],
	namesWith: { field: 'surnames', names: ['Nombre', 'Name'] },
	whole: ['Nombre completo'],
});
const SURNAMES = text('surnames', 'Surnames', 'person.sur_names', {
	names: ['Apellidos'],
	parts: [['Apellido paterno', 'Paterno'], ['Apellido materno', 'Materno'], ['Apellido de casada']],
});
const DOCUMENT = text('document', 'Identity Number', 'person.id_number', {
	names: ['Carnet', 'CI'],
});
const AMOUNT = amountField({
	name: 'amount',
	label: 'Amount',
	to: 'amount',
	headerAliases: { names: ['Monto', 'Importe'] },
	description: '',
	validate: anyText(),
});
/** A field that nobody has another name for. */
const NOTE = text('note', 'Note', 'note');

const FIELDS = [GIVEN, SURNAMES, DOCUMENT, AMOUNT, NOTE];

/** A map as plain values, without what is empty. */
function mapped(headers: string[], chosen: Record<string, string> = {}, fields = FIELDS) {
	const { columns, currencies } = mapColumns(headers, fields, new Map(Object.entries(chosen)));
	return { columns: Object.fromEntries(columns), currencies: Object.fromEntries(currencies) };
}

test.each<[headers: string[], columns: Record<string, string[][]>]>([
	[['given_names'], { given: [['given_names']] }],
	[['GIVEN-NAMES'], { given: [['GIVEN-NAMES']] }],
	[['given'], { given: [['given']] }],
	[['nombres.'], { given: [['nombres.']] }],
	[['Identity Number'], { document: [['Identity Number']] }],
	[['id_number'], { document: [['id_number']] }],
	[['Note'], { note: [['Note']] }],
	...['person', 'Monto total', 'Ciudad', 'Bs', '', 'Nombres (Bs)', 'Saldo Bs', 'Bs Monto', 'en USD']
		.concat('Nombre completo')
		.map((none): [string[], Record<string, string[][]>] => [[none], {}]),
	// A field may have several columns.
	[['Monto', 'x', 'MONTO', 'Importe'], { amount: [['Monto', 'MONTO', 'Importe']] }],
	// A value in several columns.
	[
		['Apellido materno', 'Apellido paterno'],
		{ surnames: [['Apellido paterno'], ['Apellido materno']] },
	],
	[['Ap. Mat.', '1er Apellido', 'Ap. Pat.'], { surnames: [['Ap. Pat.'], ['Ap. Mat.']] }],
	[
		['Paterno', 'Materno', 'Apellido paterno'],
		{ surnames: [['Paterno', 'Apellido paterno'], ['Materno']] },
	],
	[
		['Apellido paterno', 'Apellido de casada'],
		{ surnames: [['Apellido paterno'], ['Apellido de casada']] },
	],
	[['Apellido materno'], {}],
	[['Apellidos', 'Materno', 'Paterno'], { surnames: [['Apellidos']] }],
	// A name that counts with another column.
	[['Nombre'], {}],
	[['Nombre', 'Paterno'], { given: [['Nombre']], surnames: [['Paterno']] }],
	[
		['Nombre', 'Apellidos', 'Nombres'],
		{ given: [['Nombres', 'Nombre']], surnames: [['Apellidos']] },
	],
	[['Apellidos', 'Nombre completo'], { surnames: [['Apellidos']] }],
])('the columns of %j are %j', (headers, columns) => {
	expect(mapped(headers).columns).toEqual(columns);
});

test.each<[headers: string[], chosen: Record<string, string>, columns: Record<string, string[][]>]>(
	[
		[
			['Monto', 'Importe', 'Nombres', 'Total'],
			{ amount: 'Total', note: 'Nombres' },
			{ amount: [['Total']], note: [['Nombres']] },
		],
		[['Paterno', 'x'], { surnames: 'x' }, { surnames: [['x']] }],
		[['Nombre', 'Apellidos', 'x'], { given: 'x' }, { given: [['x']], surnames: [['Apellidos']] }],
	],
)('of %j the user chose %j, and nothing else is taken in its place', (headers, chosen, columns) => {
	expect(mapped(headers, chosen).columns).toEqual(columns);
});

test('a header of two fields is that of the one whose own name it is, or of the first', () => {
	const alias = (name: string, ...names: string[]) => text(name, `Field ${name}`, name, { names });
	const fields = [alias('a', 'b', 'x'), alias('b', 'x')];
	expect(mapped(['b'], {}, fields).columns).toEqual({ b: [['b']] });
	expect(mapped(['x'], {}, fields).columns).toEqual({ a: [['x']] });
	expect(mapped(['x'], {}, fields.toReversed()).columns).toEqual({ b: [['x']] });
});

test.each<[string, string]>([
	['Monto (Bs)', 'BOB'],
	['Monto Bs.', 'BOB'],
	['monto_bolivianos', 'BOB'],
	['Importe en dólares americanos', 'USD'],
	['Importe en USD', 'USD'],
	['amount_clp', 'CLP'],
	['Importe (S/)', 'PEN'],
	['Monto en soles', 'PEN'],
])('%j is an amount in %s', (header, currency) => {
	expect(mapped([header, 'Monto'])).toEqual({
		columns: { amount: [[header, 'Monto']] },
		currencies: { [header]: currency },
	});
});

test('only the column of an amount has a currency, also one that the user chose', () => {
	const { currencies } = mapped(['a USD', 'b USD'], { note: 'a USD', amount: 'b USD' });
	expect(currencies).toEqual({ 'b USD': 'USD' });
});

test.each<[string, Field, boolean]>([
	['Nro. C.I.', DOCUMENT, true],
	['Monto bruto', AMOUNT, true],
	['Ciudad', DOCUMENT, false],
	['Montos', AMOUNT, false],
])('%j may mean a field: %#', (header, field, isPossible) => {
	expect(mayMean(field)(header)).toBe(isPossible);
});

describe('the cell of a row', () => {
	const read = (row: IDataObject, parts: string[][] | undefined) =>
		cellOf(row, { columns: new Map(parts && [['note', parts]]) }, NOTE);

	test.each<[IDataObject, string[][] | undefined, ReturnType<typeof cellOf>]>([
		[{ a: ' x ' }, [['a']], { value: ' x ' }],
		[{ a: 0 }, [['a']], { value: 0 }],
		[{ a: false }, [['a']], { value: false }],
		[{ a: ' ' }, [['a']], {}],
		[{ a: null }, [['a']], {}],
		[{ b: 'x' }, [['a']], {}],
		[{ a: 'x' }, undefined, {}],
		// Copies of a column.
		[{ a: '', b: 'x' }, [['a', 'b']], { value: 'x' }],
		[{ a: 'x', b: 'x' }, [['a', 'b']], { value: 'x' }],
		[{ a: '', b: 7, c: '7' }, [['a', 'b', 'c']], { value: 7 }],
		[{ a: 'x', b: 'y' }, [['a', 'b', 'c']], { conflict: ['a', 'b'] }],
		// Parts of a value.
		[{ a: ' x', b: 'y ' }, [['a'], ['b']], { value: 'x y' }],
		[{ a: '', b: 'y' }, [['a'], ['b']], { value: 'y' }],
		[{ a: 'x', b: 7 }, [['a'], ['b']], { value: 7 }],
		[{ a: true, b: 'y' }, [['a'], ['b']], { value: true }],
		[{ a: 'x', b: 'y', c: 'z' }, [['a'], ['b', 'c']], { conflict: ['b', 'c'] }],
		// What every object has is no cell.
		[{}, [['toString']], {}],
	])('%j in the columns %j is %j', (row, parts, cell) => {
		expect(read(row, parts)).toEqual(cell);
	});

	test('counts only if it is its own', () => {
		expect(cellUnder({}, 'constructor')).toBeUndefined();
		expect(cellUnder({ constructor: 'x' }, 'constructor')).toBe('x');
	});
});
