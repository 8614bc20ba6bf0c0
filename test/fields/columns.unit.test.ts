import { mapColumns } from '../../nodes/fields/columns';
import { BANK, CRYPTO, DEPOSIT, QR } from '../payments/builders';

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
