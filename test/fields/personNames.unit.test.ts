import { NAME_ORDERS, splitName } from '../../nodes/fields/personNames';

type Order = keyof typeof NAME_ORDERS;

test.each<[string, Order, string, string]>([
	['Ana María Rojas', 'namesFirst1', 'Ana María', 'Rojas'],
	['Ana María Rojas Vargas', 'namesFirst2', 'Ana María', 'Rojas Vargas'],
	['Ana Rojas', 'namesFirst2', 'Ana', 'Rojas'],
	['Rojas Ana María', 'surnamesFirst1', 'Ana María', 'Rojas'],
	['  Rojas   Vargas Ana  ', 'surnamesFirst2', 'Ana', 'Rojas Vargas'],
	['Rojas Ana', 'surnamesFirst2', 'Ana', 'Rojas'],
	['De la Cruz Apaza Pedro Luis', 'surnamesFirst2', 'Pedro Luis', 'De la Cruz Apaza'],
	['Elena Rojas de la Cruz', 'namesFirst2', 'Elena', 'Rojas de la Cruz'],
	['QUISPE MAMANI VDA. DE ROJAS JUANA', 'surnamesFirst2', 'JUANA', 'QUISPE MAMANI VDA. DE ROJAS'],
	['QUISPE MAMANI MARIA DE LOS ANGELES', 'surnamesFirst2', 'MARIA DE LOS ANGELES', 'QUISPE MAMANI'],
	['Rojas Vargas, Elena', 'namesFirst1', 'Elena', 'Rojas Vargas'],
	['Rojas Vargas, Elena', 'surnamesFirst2', 'Elena', 'Rojas Vargas'],
	['Cher', 'surnamesFirst2', 'Cher', ''],
	['de', 'namesFirst2', 'de', ''],
	['Rojas, Elena, María', 'surnamesFirst1', 'Elena, María', 'Rojas,'],
	['Elena Rojas,', 'namesFirst1', 'Elena', 'Rojas,'],
	[', Elena Rojas', 'namesFirst1', ', Elena', 'Rojas'],
	['Ana Rojas de la', 'namesFirst1', 'Ana Rojas', 'de la'],
	['ROJAS VARGAS DE LA PAZ', 'surnamesFirst2', 'DE LA PAZ', 'ROJAS VARGAS'],
	['ROJAS DE LA CRUZ ANA', 'surnamesFirst1', 'DE LA CRUZ ANA', 'ROJAS'],
	['QUISPE VIUDA DE ROJAS', 'surnamesFirst2', 'VIUDA DE ROJAS', 'QUISPE'],
	['  ', 'namesFirst2', '', ''],
	['  ', 'surnamesFirst2', '', ''],
	['Juan Sa', 'namesFirst1', 'Juan', 'Sa'],
	['María Sac', 'namesFirst1', 'María', 'Sac'],
	['Sa Rojas Juan', 'surnamesFirst2', 'Juan', 'Sa Rojas'],
	['SRL', 'surnamesFirst2', 'SRL', ''],
])('splits %j as %s', (whole, order, names, surnames) => {
	expect(splitName(whole, NAME_ORDERS[order])).toEqual({ names, surnames });
});

test.each([
	'CONSTRUCTORA ANDINA S.R.L.',
	'Constructora Andina Srl',
	'Import Export del Sur SA',
	'Minera del Sur S. A.',
	'Ferreteria Lopez Ltda.',
	'Perez, Lopez y Asociados S.A.C.',
	'Textiles Lima SAC',
	'Taller Lopez E.I.R.L.',
	'Viña Sur SpA',
	'Café de Colombia S.A.S.',
	'Acme Tools Inc.',
	'Acme Tools, LLC ',
])('does not split the name of the company %j', (whole) => {
	for (const order of Object.values(NAME_ORDERS))
		expect(splitName(whole, order)).toEqual({ names: whole, surnames: '' });
});

test('loses no word of a name, whatever the order', () => {
	const whole = 'María del Carmen Quispe Mamani de Rojas';
	for (const order of Object.values(NAME_ORDERS)) {
		const { names, surnames } = splitName(whole, order);
		expect([...names.split(' '), ...surnames.split(' ')].sort()).toEqual(whole.split(' ').sort());
	}
});

test('splits a name of 1,000 characters, and leaves a longer one whole', () => {
	const names = 'A'.repeat(994);
	expect(splitName(`Rojas ${names}`, NAME_ORDERS.surnamesFirst1)).toEqual({
		names,
		surnames: 'Rojas',
	});
	const tooLong = `Rojas ${names}A`;
	expect(splitName(tooLong, NAME_ORDERS.surnamesFirst1)).toEqual({ names: tooLong, surnames: '' });
});
