import type { IDataObject } from 'n8n-workflow';

import {
	candidates,
	cellOf,
	cellUnder,
	editDistance,
	fieldsByHeader,
	mapColumns,
} from '../../nodes/fields/columns';
import { amountField, textField, type Field } from '../../nodes/fields/field';
import type { HeaderAliases } from '../../nodes/fields/headerAliases';
import { anyText } from '../../nodes/fields/validators';
import { BANK, CRYPTO, DEPOSIT, QR } from '../batch/builders';

const misspelled = (headers: string[], { fields } = BANK): string[] =>
	mapColumns(headers, fields).misspelled.map(({ header, field }) => `${header}: ${field.label}`);

/** Columns that payrolls and lists of suppliers have next to those of the payment. */
const OTHERS = [
	...['Tipo de cuenta', 'Tipo cuenta', 'TIPO_CUENTA', 'tipodecuenta', 'TipoCuenta', 'Account type'],
	...['Agencia', 'Sucursal', 'Oficina', 'Cargo', 'Puesto', 'Área', 'Ciudad', 'Edad', 'Unidad'],
	...['Fecha', 'Fecha de pago', 'Fecha de ingreso', 'Mes', 'Periodo', 'Días trabajados'],
	...[
		'Observaciones',
		'Observación',
		'Correo',
		'Correo electrónico',
		'Email',
		'Teléfono',
		'Celular',
	],
	...[
		'Nro',
		'Nro.',
		'No',
		'No.',
		'N°',
		'#',
		'Item',
		'Ítem',
		'Código',
		'Código de empleado',
		'Type',
	],
	...['Haber básico', 'Total ganado', 'Total descuentos', 'AFP', 'Factura', 'Nro. factura'],
	...['Cuenta contable', 'Cuenta origen', 'Cuenta de cargo', 'Cuenta débito', 'Cuenta de débito'],
	...[
		'Forma de pago',
		'Tipo de pago',
		'Tipo de contrato',
		'Estado',
		'Status',
		'Branch',
		'Position',
	],
];

describe('misspelled headers', () => {
	test.each([
		['bank payout', BANK],
		['crypto payout', CRYPTO],
		['QR payout', QR],
		['QR deposit', DEPOSIT],
	])('takes no usual other column for a misspelled field of a %s', (_, endpoint) => {
		expect(misspelled(OTHERS, endpoint)).toEqual([]);
	});

	test.each([
		['contry', 'Country'],
		['Pais banco', 'Country'],
		['Dirección reembolso', 'Refund Address'],
		['refund_adress', 'Refund Address'],
		['Document Typ', 'Document Type'],
		['Tipo de docmento', 'Document Type'],
		['Tipo documneto', 'Document Type'],
		['currencytyp', 'Currency'],
		['Cuenta destno', 'Destination Account'],
	])('takes %j for a misspelled %s', (header, label) => {
		expect(misspelled([header])).toEqual([`${header}: ${label}`]);
	});
});

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
	qualifiers: ['Complemento'],
	qualifierWords: ['complemento', 'ext', 'lugaremision'],
	suggestions: ['documento', 'carnet'],
});
const AMOUNT = money('amount', 'Amount', 'amount', {
	names: ['Monto', 'Importe'],
	fallbacks: ['Valor', 'Cantidad'],
	suggestions: ['total', 'pago', 'monto', 'ci', 'saldo'],
	rivals: { certain: ['total pagado', 'liquido'], except: ['fecha', 'descuento'] },
});
/** A field that nobody has another name for. */
const NOTE = text('note', 'Note', 'note');

const FIELDS = [GIVEN, SURNAMES, DOCUMENT, AMOUNT, NOTE];

/** A map as plain values, without what is empty. */
function mapped(headers: string[], chosen: Record<string, string> = {}, fields = FIELDS) {
	const { columns, qualifiers, possibleQualifiers, rivals, currencies, unmapped, misspelled } =
		mapColumns(headers, fields, new Map(Object.entries(chosen)));
	const filled = (map: ReadonlyMap<string, string[]>) =>
		Object.fromEntries([...map].filter(([, list]) => list.length > 0));
	return {
		columns: Object.fromEntries(columns),
		qualifiers: filled(qualifiers),
		possibleQualifiers: filled(possibleQualifiers),
		rivals: filled(rivals),
		currencies: Object.fromEntries(currencies),
		unmapped,
		misspelled: misspelled.map(({ header, field }) => `${header}: ${field.label}`),
	};
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
		expect(mapped([header])).toMatchObject({ columns: { [name]: [[header]] }, unmapped: [] });
	});

	test.each(['Nombre', 'person', 'Monto total', 'Ciudad', 'Bs', 'Stryker was here!', ''])(
		'%j is none',
		(header) => {
			expect(mapped([header])).toMatchObject({ columns: {}, unmapped: [header] });
		},
	);

	test('may occur several times', () => {
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
			unmapped: [],
		});
	});

	test('may be a fallback if it has no other', () => {
		expect(mapped(['Valor', 'Cantidad'])).toMatchObject({
			columns: { amount: [['Valor', 'Cantidad']] },
			unmapped: [],
		});
		expect(mapped(['Valor', 'Monto'])).toMatchObject({
			columns: { amount: [['Monto']] },
			unmapped: [],
		});
		expect(columnsOf(['Nombre completo'])).toEqual({ given: [['Nombre completo']] });
	});

	test('is not that of another field that has the same fallback', () => {
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
			unmapped: [],
		});
	});

	test('is one of several', () => {
		expect(mapped(['Monto (Bs)', 'Monto', 'Monto USD'])).toMatchObject({
			columns: { amount: [['Monto (Bs)', 'Monto', 'Monto USD']] },
			currencies: { 'Monto (Bs)': 'BOB', 'Monto USD': 'USD' },
		});
	});

	test.each(['Nombres (Bs)', 'Nombre completo USD', 'Saldo Bs', 'Bs Monto', 'en USD'])(
		'%j is none',
		(header) => {
			expect(mapped([header])).toMatchObject({ columns: {}, currencies: {}, unmapped: [header] });
		},
	);

	test('counts for the column of an amount alone', () => {
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
		const { columns, unmapped } = mapped(headers);
		expect(columns).toEqual(surnames ? { surnames } : {});
		expect(unmapped).toEqual(headers.filter((header) => !surnames?.flat().includes(header)));
	});

	test('is not read for a field whose column the user chose', () => {
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
	])('of %j is %j', (headers, given) => {
		expect(columnsOf(headers).given).toEqual(given && [given]);
	});

	test('does not count for a column that the user chose', () => {
		expect(columnsOf(['Nombre', 'Apellidos', 'x'], { given: 'x' }).given).toEqual([['x']]);
	});

	test('does not count for a value in several columns', () => {
		const parts = text('x', 'X', 'x', {
			parts: [['a'], ['b']],
			namesWith: { field: 'note', names: ['c'] },
		});
		const headers = ['a', 'b', 'c', 'note'];
		expect(columnsOf(headers, {}, [parts, NOTE]).x).toEqual([['a'], ['b']]);
		expect(columnsOf(['a', 'c', 'note'], {}, [parts, NOTE]).x).toEqual([['a', 'c']]);
	});
});

describe('a column with another part of a value', () => {
	test('is known by its name', () => {
		expect(mapped(['Carnet', 'COMPLEMENTO'])).toMatchObject({
			columns: { document: [['Carnet']] },
			qualifiers: { document: ['COMPLEMENTO'] },
			possibleQualifiers: {},
			unmapped: [],
		});
	});

	test.each<[string[], string[]]>([
		[['Carnet', 'Complemento CI'], ['Complemento CI']],
		[['Carnet', 'Ext. CI', 'Texto', 'Extra'], ['Ext. CI']],
		[['Carnet', 'Lugar Emisión'], ['Lugar Emisión']],
		[['Complemento CI'], []],
		[['Carnet', 'Monto ext', 'Monto'], ['Monto ext']],
	])('may be one of %j: %j', (headers, possible) => {
		expect(mapped(headers).possibleQualifiers).toEqual(
			possible.length ? { document: possible } : {},
		);
	});
});

describe('the rivals of a column', () => {
	const rivalsOf = (...headers: string[]) => mapped(headers).rivals.amount ?? [];

	test.each<[string[], string[]]>([
		[['Monto', 'Total', 'Ciudad'], ['Total']],
		[['Monto', 'Subtotales'], ['Subtotales']],
		// Of fewer letters than five.
		[['Monto', 'Pagos'], []],
		[
			['Monto', 'Último pago', 'Pago.'],
			['Último pago', 'Pago.'],
		],
		[['Monto', 'Cielo', 'C.I.'], ['C.I.']],
		[['Monto', 'Fecha de pago', 'Descuentos del total'], []],
		[['Monto', 'Valor'], []],
		[['Monto', 'Monto anterior'], ['Monto anterior']],
		// A certain one is a rival as well.
		[['Monto', 'Saldo líquido'], ['Saldo líquido']],
		[
			['Total', 'Saldo'],
			['Total', 'Saldo'],
		],
	])('in %j are %j', (headers, rivals) => {
		expect(rivalsOf(...headers)).toEqual(rivals);
	});

	test('of a certain one are certain, too', () => {
		const rivals = (own: string, ...others: string[]) =>
			mapped([own, ...others], { note: 'x' }, [
				{ ...AMOUNT, headerAliases: { ...AMOUNT.headerAliases, names: [own] } },
			]).rivals.amount;
		expect(rivals('Líquido', 'Total', 'Saldo líquido', 'Total pagado')).toEqual([
			'Saldo líquido',
			'Total pagado',
		]);
		expect(rivals('Total pagado', 'Total', 'Total no pagado')).toBeUndefined();
		// Whatever else the header of the own column says.
		expect(rivals('Líquido sin descuento', 'Total')).toBeUndefined();
		expect(rivals('Neto', 'Total', 'Saldo líquido')).toEqual(['Total', 'Saldo líquido']);
	});

	test('may be fallbacks that are not used', () => {
		const fallbacks = ['Saldo', 'Valor'];
		const fields = [{ ...AMOUNT, headerAliases: { ...AMOUNT.headerAliases, fallbacks } }];
		expect(mapped(['Monto', 'Total', 'Saldo', 'Valor'], {}, fields)).toMatchObject({
			rivals: { amount: ['Saldo', 'Total'] },
			unmapped: ['Total'],
		});
	});

	test('are none of a field without them, of several columns, or of a column that the user chose', () => {
		expect(mapped(['Carnet', 'Documento anterior']).rivals).toEqual({});
		expect(mapped(['Monto', 'Total'], { amount: 'Monto' }).rivals).toEqual({});
		const parts = { ...AMOUNT.headerAliases, parts: [['a'], ['b']] };
		const fields = [{ ...AMOUNT, headerAliases: parts }];
		expect(mapped(['a', 'b', 'Total'], {}, fields).rivals).toEqual({});
		expect(mapped(['a', 'Total'], {}, fields).rivals).toEqual({ amount: ['Total'] });
	});
});

describe('a header that is nearly the name of a field', () => {
	const fieldOf = (header: string, fields = FIELDS) => {
		const [found] = mapped([header], {}, fields).misspelled;
		return found?.split(': ').at(-1);
	};

	test.each<[string, string | undefined]>([
		// One edit up to 5 letters, 2 up to 12, otherwise 3.
		['Notte', 'Note'],
		['Nottes', undefined],
		['Gavenn', undefined],
		['Surnaem', 'Surnames'],
		['Srnaem', undefined],
		['Idntty Numbr', 'Identity Number'],
		['Idntty Nmbr', undefined],
		['Apelidoss', 'Surnames'],
		// An alias of five letters is too short, but not of six.
		['Montto', undefined],
		['Carnett', 'Identity Number'],
		// All its words are those of other columns.
		['Total', undefined],
		['Note total', undefined],
		['Note the total', undefined],
		['Correo electrónico', undefined],
		['correoelectronico', undefined],
		// Small words don't count.
		['Given the names', 'Given Names'],
		['Number of identity', undefined],
		['Identity del number', 'Identity Number'],
		['', undefined],
	])('%j is %j', (header, label) => {
		expect(fieldOf(header)).toBe(label);
	});

	test('of twelve letters has two edits at most, and of thirteen three', () => {
		const fields = ['abcdefghijkl', 'mnopqrstuvwxy'].map((name) => text(name, name, name));
		expect(fieldOf('abcdefghij', fields)).toBe('abcdefghijkl');
		expect(fieldOf('abcdefghi', fields)).toBeUndefined();
		expect(fieldOf('mnopqrstuv', fields)).toBe('mnopqrstuvwxy');
		expect(fieldOf('mnopqrstu', fields)).toBeUndefined();
	});

	test('may lack all its small words, and the spaces', () => {
		const label = 'Name of the payee';
		expect(fieldOf('NAMEPAYEE', [text('x', label, 'x')])).toBe(label);
	});

	test('is that of the field with the most similar one, or of the first', () => {
		const fields = ['abcdefgh', 'abcdefxx', 'abcdefgx'].map((name) => text(name, name, name));
		expect(fieldOf('abcdefgxy', fields)).toBe('abcdefgx');
		expect(fieldOf('abcdefg', fields)).toBe('abcdefgh');
		expect(fieldOf('abcdefg', fields.toReversed())).toBe('abcdefgx');
	});
});

test('the fields that a header may mean are found by any of their names', () => {
	const fieldOf = fieldsByHeader(FIELDS);
	for (const [header, name] of [
		['given_names', 'given'],
		['Given names', 'given'],
		['NOMBRES', 'given'],
		['nombre', 'given'],
		['Nombre completo', 'given'],
		['Materno', 'surnames'],
		['Valor', 'amount'],
		['Valor (Bs)', 'amount'],
		['Note', 'note'],
		['Complemento', undefined],
		['Documento', undefined],
		['Stryker was here!', undefined],
		['', undefined],
		['Bs', undefined],
	])
		expect([header, fieldOf(header ?? '')]).toEqual([header, name]);
});

test('the headers that may mean a field are those like its names, then those with its words', () => {
	const map = mapColumns(['Documento', 'Total', 'Carnett', 'Carnet anterior', 'Notte'], FIELDS);
	expect(candidates(map, DOCUMENT)).toEqual(['Carnett', 'Documento', 'Carnet anterior']);
	expect(candidates(map, NOTE)).toEqual(['Notte']);
	expect(candidates(map, AMOUNT)).toEqual(['Total']);
	expect(candidates(map, GIVEN)).toEqual([]);
	// Once, if it is both.
	expect(candidates(mapColumns(['Documento carnett'], FIELDS), DOCUMENT)).toHaveLength(1);
	const twice = mapColumns(
		['carnet_x'],
		[{ ...DOCUMENT, headerAliases: { ...DOCUMENT.headerAliases, names: ['Carnet y'] } }],
	);
	expect(candidates(twice, twice.misspelled[0].field)).toEqual(['carnet_x']);
});

describe('the edits between two texts', () => {
	test.each<[string, string, number]>([
		['', '', 0],
		['abc', 'abc', 0],
		['abc', '', 3],
		['', 'abc', 3],
		['abc', 'abd', 1],
		['abc', 'xbc', 1],
		['abc', 'ac', 1],
		['abc', 'bc', 1],
		['abc', 'abcd', 1],
		['abc', 'xabc', 1],
		['abcd', 'abdc', 1],
		['abcd', 'bacd', 1],
		['ab', 'ba', 1],
		['abcdef', 'badcfe', 3],
		['abcd', 'acbd', 1],
		['kitten', 'sitting', 3],
		['abc', 'cba', 2],
		['abc', 'xyz', 3],
		['aab', 'aba', 1],
		['abba', 'baab', 2],
		['ab', 'xa', 2],
		['ab', 'bx', 2],
	])('of %j and %j are %i', (a, b, edits) => {
		expect(editDistance(a, b, 5)).toBe(edits);
		expect(editDistance(b, a, 5)).toBe(edits);
	});

	test('are not counted if the lengths differ by more than the limit', () => {
		expect(editDistance('abcd', 'a', 2)).toBe(3);
		expect(editDistance('a', 'abcd', 1)).toBe(2);
		expect(editDistance('abc', 'a', 2)).toBe(2);
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

	test('is none if its columns hold different values', () => {
		const both = [['a', 'b', 'c']];
		expect(read({ a: 'x', b: 'y' }, both)).toEqual({ conflict: ['a', 'b'] });
		expect(read({ a: '', b: 7, c: '7' }, both)).toEqual({ conflict: ['b', 'c'] });
		expect(read({ a: 'x', b: 'y', c: 'y' }, [['a'], ['b', 'c']])).toEqual({ value: 'x y' });
		expect(read({ a: 'x', b: 'y', c: 'z' }, [['a'], ['b', 'c']])).toEqual({ conflict: ['b', 'c'] });
	});

	test('is not one that every object has', () => {
		expect(cellUnder({}, 'constructor')).toBeUndefined();
		expect(cellUnder({ constructor: 'x' }, 'constructor')).toBe('x');
		expect(read({}, [['toString']])).toEqual({ value: undefined });
	});
});
