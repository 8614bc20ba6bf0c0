import type { IDataObject } from 'n8n-workflow';

import { cellOf, cellUnder, mapColumns } from '../../nodes/fields/columns';
import { amountField, textField, type Field } from '../../nodes/fields/field';
import type { HeaderAliases } from '../../nodes/fields/headerAliases';
import { anyText } from '../../nodes/fields/validators';

const text = (name: string, label: string, to: string, headerAliases?: HeaderAliases): Field =>
	textField({ name, label, to, headerAliases, description: '' });

const money = (name: string, label: string, to: string, headerAliases?: HeaderAliases): Field =>
	amountField({ name, label, to, headerAliases, description: '', validate: anyText() });

const GIVEN = text('given', 'Given Names', 'person.given_names', {
	names: ['Nombres'],
	namesWith: { field: 'surnames', names: ['Nombre', 'Name'] },
	fallbacks: ['Nombre completo'],
});
const SURNAMES = text('surnames', 'Surnames', 'person.sur_names', {
	names: ['Apellidos'],
	parts: [['Apellido paterno', 'Paterno'], ['Apellido materno', 'Materno'], ['Apellido de casada']],
});
const DOCUMENT = text('document', 'Identity Number', 'person.id_number', {
	names: ['Carnet'],
	suggestions: ['documento', 'carnet'],
});
const AMOUNT = money('amount', 'Amount', 'amount', {
	names: ['Monto', 'Importe'],
	fallbacks: ['Valor', 'Cantidad'],
	suggestions: ['total', 'pago', 'monto', 'ci', 'saldo'],
});
/** A field that nobody has another name for. */
const NOTE = text('note', 'Note', 'note');

const FIELDS = [GIVEN, SURNAMES, DOCUMENT, AMOUNT, NOTE];

/** A map as plain values, without what is empty. */
function mapped(headers: string[], chosen: Record<string, string> = {}, fields = FIELDS) {
	const { columns, currencies } = mapColumns(headers, fields, new Map(Object.entries(chosen)));
	return { columns: Object.fromEntries(columns), currencies: Object.fromEntries(currencies) };
}

const columnsOf = (...parameters: Parameters<typeof mapped>) => mapped(...parameters).columns;

describe('the column of a field', () => {
	test.each<[string, string]>([
		['given_names', 'given'],
		['GIVEN-NAMES', 'given'],
		['given', 'given'],
		['Nombres', 'given'],
		['nombres.', 'given'],
		['Identity Number', 'document'],
		['id_number', 'document'],
		['importe', 'amount'],
		['Note', 'note'],
	])('%j is that of %s', (header, name) => {
		expect(mapped([header])).toMatchObject({ columns: { [name]: [[header]] } });
	});

	test.each(['Nombre', 'person', 'Monto total', 'Ciudad', 'Bs', 'Stryker was here!', ''])(
		'%j is none',
		(header) => {
			expect(mapped([header])).toMatchObject({ columns: {} });
		},
	);

	test('the column of a field may occur several times', () => {
		expect(columnsOf(['Monto', 'x', 'MONTO', 'Importe'])).toEqual({
			amount: [['Monto', 'MONTO', 'Importe']],
		});
	});

	test('that two fields could have is that of the one whose own name it is, or of the first', () => {
		const alias = (name: string, ...names: string[]) =>
			text(name, `Field ${name}`, name, { names });
		const fields = [alias('a', 'b', 'x'), alias('b', 'x')];
		expect(columnsOf(['b'], {}, fields)).toEqual({ b: [['b']] });
		expect(columnsOf(['x'], {}, fields)).toEqual({ a: [['x']] });
		expect(columnsOf(['x'], {}, fields.toReversed())).toEqual({ b: [['x']] });
	});

	test('that the user chose is its only one, and no other field takes it', () => {
		const headers = ['Monto', 'Importe', 'Valor', 'Nombres', 'Total'];
		expect(mapped(headers, { amount: 'Total', note: 'Nombres' })).toMatchObject({
			columns: { amount: [['Total']], note: [['Nombres']] },
		});
	});

	test('the column of a field may be a fallback if it has no other, or is one of money', () => {
		expect(mapped(['Valor', 'Cantidad'])).toMatchObject({
			columns: { amount: [['Valor', 'Cantidad']] },
		});
		expect(mapped(['Valor', 'Monto'])).toMatchObject({
			columns: { amount: [['Monto', 'Valor']] },
		});
		expect(columnsOf(['Nombre completo'])).toEqual({ given: [['Nombre completo']] });
	});

	test('the column of a field is not that of another field that has the same fallback', () => {
		const fields = ['a', 'b'].map((name) =>
			text(name, `Field ${name}`, name, { fallbacks: ['Valor'] }),
		);
		expect(columnsOf(['Valor'], {}, fields)).toEqual({ a: [['Valor']] });
	});
});

describe('an amount with its currency in the header', () => {
	test.each<[string, string]>([
		['Monto (Bs)', 'BOB'],
		['Monto Bs.', 'BOB'],
		['monto_bolivianos', 'BOB'],
		['Importe en dólares americanos', 'USD'],
		['Importe en USD', 'USD'],
		['amount_clp', 'CLP'],
		['Valor (S/)', 'PEN'],
		['Cantidad en soles', 'PEN'],
	])('%j is in %s', (header, currency) => {
		expect(mapped([header])).toMatchObject({
			columns: { amount: [[header]] },
			currencies: { [header]: currency },
		});
	});

	test('an amount with its currency in the header is one of several', () => {
		expect(mapped(['Monto (Bs)', 'Monto', 'Monto USD'])).toMatchObject({
			columns: { amount: [['Monto (Bs)', 'Monto', 'Monto USD']] },
			currencies: { 'Monto (Bs)': 'BOB', 'Monto USD': 'USD' },
		});
	});

	test.each(['Nombres (Bs)', 'Nombre completo USD', 'Saldo Bs', 'Bs Monto', 'en USD'])(
		'%j is none',
		(header) => {
			expect(mapped([header])).toMatchObject({ columns: {}, currencies: {} });
		},
	);

	test('an amount with its currency in the header counts for the column of an amount alone', () => {
		const map = mapColumns(
			['a USD', 'b USD', 'Monto'],
			FIELDS,
			new Map([
				['note', 'a USD'],
				['amount', 'b USD'],
			]),
		);
		expect([...map.currencies]).toEqual([['b USD', 'USD']]);
		expect([...mapColumns(['Monto'], FIELDS).currencies]).toEqual([]);
	});
});

describe('a value in several columns', () => {
	test.each<[string[], string[][] | undefined]>([
		[
			['Apellido materno', 'Apellido paterno'],
			[['Apellido paterno'], ['Apellido materno']],
		],
		[['Paterno'], [['Paterno']]],
		[
			['Paterno', 'Materno', 'Apellido paterno'],
			[['Paterno', 'Apellido paterno'], ['Materno']],
		],
		[
			['Apellido paterno', 'Apellido de casada'],
			[['Apellido paterno'], ['Apellido de casada']],
		],
		[['Apellido materno'], undefined],
		[['Apellidos', 'Materno', 'Paterno'], [['Apellidos']]],
	])('%j is read as %j', (headers, surnames) => {
		expect(columnsOf(headers)).toEqual(surnames ? { surnames } : {});
	});

	test('a value in several columns is not read for a field whose column the user chose', () => {
		expect(columnsOf(['Paterno', 'x'], { surnames: 'x' })).toEqual({ surnames: [['x']] });
	});
});

describe('a name that counts with another column', () => {
	test.each<[string[], string[] | undefined]>([
		[['Nombre'], undefined],
		[['Nombre', 'Apellidos'], ['Nombre']],
		[['Nombre', 'Paterno'], ['Nombre']],
		[
			['Apellidos', 'Name', 'Nombre'],
			['Name', 'Nombre'],
		],
		[
			['Nombre', 'Apellidos', 'Nombres'],
			['Nombres', 'Nombre'],
		],
		[['Apellidos', 'Nombre completo'], ['Nombre completo']],
		[['Apellidos', 'Nombre', 'Nombre completo'], ['Nombre']],
	])('a name that counts with another column of %j is %j', (headers, given) => {
		expect(columnsOf(headers).given).toEqual(given && [given]);
	});

	test('a name that counts with another column does not count for a column that the user chose', () => {
		expect(columnsOf(['Nombre', 'Apellidos', 'x'], { given: 'x' }).given).toEqual([['x']]);
	});

	test('a name that counts with another column does not count for a value in several columns', () => {
		const parts = text('x', 'X', 'x', {
			parts: [['a'], ['b']],
			namesWith: { field: 'note', names: ['c'] },
		});
		const headers = ['a', 'b', 'c', 'note'];
		expect(columnsOf(headers, {}, [parts, NOTE]).x).toEqual([['a'], ['b']]);
		expect(columnsOf(['a', 'c', 'note'], {}, [parts, NOTE]).x).toEqual([['a', 'c']]);
	});
});

describe('the cell of a row', () => {
	const read = (row: IDataObject, parts: string[][] | undefined) =>
		cellOf(row, { columns: new Map(parts && [['note', parts]]) }, NOTE);

	test.each<[IDataObject, string[][] | undefined, unknown]>([
		[{ a: 'x' }, [['a']], 'x'],
		[{ a: ' x ' }, [['a']], ' x '],
		[{ a: 0 }, [['a']], 0],
		[{ a: false }, [['a']], false],
		[{ a: ' ' }, [['a']], undefined],
		[{ a: null }, [['a']], undefined],
		[{ b: 'x' }, [['a']], undefined],
		[{ a: 'x' }, undefined, undefined],
		// Copies of a column.
		[{ a: '', b: 'x' }, [['a', 'b']], 'x'],
		[{ a: 'x', b: 'x' }, [['a', 'b']], 'x'],
		[{ a: 'x', b: null }, [['a', 'b']], 'x'],
		// Parts of a value.
		[{ a: ' x', b: 'y ' }, [['a'], ['b']], 'x y'],
		[{ a: 'x', b: '' }, [['a'], ['b']], 'x'],
		[{ a: '', b: 'y' }, [['a'], ['b']], 'y'],
		[{ a: 'x', b: 'y', c: 'z' }, [['a'], ['b'], ['c']], 'x y z'],
		[{ a: 'x', b: 7 }, [['a'], ['b']], 7],
		[{ a: true, b: 'y' }, [['a'], ['b']], true],
	])('%j in the columns %j is %j', (row, parts, value) => {
		expect(read(row, parts)).toEqual({ value });
	});

	test('the cell of a row is none if its columns hold different values', () => {
		const both = [['a', 'b', 'c']];
		expect(read({ a: 'x', b: 'y' }, both)).toEqual({ conflict: ['a', 'b'] });
		expect(read({ a: '', b: 7, c: '7' }, both)).toEqual({ value: 7 });
		expect(read({ a: 'x', b: 'y', c: 'y' }, [['a'], ['b', 'c']])).toEqual({ value: 'x y' });
		expect(read({ a: 'x', b: 'y', c: 'z' }, [['a'], ['b', 'c']])).toEqual({ conflict: ['b', 'c'] });
	});

	test('the cell of a row is not one that every object has', () => {
		expect(cellUnder({}, 'constructor')).toBeUndefined();
		expect(cellUnder({ constructor: 'x' }, 'constructor')).toBe('x');
		expect(read({}, [['toString']])).toEqual({ value: undefined });
	});
});
