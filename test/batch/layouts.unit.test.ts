import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { cellOf } from '../../nodes/fields/columns';
import { readColumnMapping } from '../../nodes/batch/columnMapping';
import type { MoneyEndpoint } from '../../nodes/batch/endpoint';
import { BANK, CRYPTO, SPANISH_COLUMNS } from './builders';
import { contextOf } from './evaluated';

/** A row of a file whose columns are certain. */
const CERTAIN: IDataObject = {
	Nombres: 'María José',
	Apellidos: 'Quispe',
	...SPANISH_COLUMNS,
};

/** The same row with other columns instead of some. */
function layout(instead: Record<string, IDataObject>): IDataObject {
	return Object.fromEntries(
		Object.entries(CERTAIN).flatMap(([header, cell]) =>
			instead[header] ? Object.entries(instead[header]) : [[header, cell]],
		),
	) as IDataObject;
}

const amounts = (cells: IDataObject) => layout({ 'Líquido pagable': cells });
const accounts = (cells: IDataObject) => layout({ 'Cuenta destino': cells });
const documents = (cells: IDataObject) => layout({ CI: cells });

/** What would be paid by field name, or the question. */
function read(
	rows: IDataObject[],
	parameters: INodeParameters = {},
	endpoint: MoneyEndpoint = BANK,
): Record<string, unknown> {
	const mapping = readColumnMapping(
		contextOf({ options: parameters }, rows),
		endpoint,
		endpoint.fields,
	);
	if (!mapping.ok) return { code: mapping.error.code, message: mapping.error.message };
	return Object.fromEntries(
		endpoint.fields.flatMap((field) => {
			const { value } = cellOf(rows[0], mapping.value.map, field);
			return value === undefined ? [] : [[field.name, value]];
		}),
	);
}

const PAID = {
	amount: '2650.00',
	destinationAccount: '4010203040',
	destinationIdNumber: '1498123',
};

test('pays a file whose columns are certain', () => {
	expect(read([CERTAIN])).toMatchObject(PAID);
});

/** Layouts in which one column holds what is to be paid, and another one claims to. */
const UNCERTAIN: Array<[string, string, IDataObject, string]> = [
	[
		'Monto beside Líquido',
		'Amount',
		amounts({ Monto: '3000', Líquido: '2650.00' }),
		'"Monto" has "3000" and "Líquido" has "2650.00"',
	],
	[
		'Importe beside Importe neto',
		'Amount',
		amounts({ Importe: '3000', 'Importe neto': 2650 }),
		'"Importe" has "3000" and "Importe neto" has "2650"',
	],
	[
		'Monto beside a net amount with a currency',
		'Amount',
		amounts({ Monto: '3000', Neto: 'Bs 2.650,00' }),
		'"Monto" has "3000" and "Neto" has "Bs 2.650,00"',
	],
	[
		'Monto beside Sueldo bruto',
		'Amount',
		amounts({ 'Sueldo bruto': '3000', Monto: '2650' }),
		'"Monto" has "2650" and "Sueldo bruto" has "3000"',
	],
	[
		'Monto beside discounts',
		'Amount',
		amounts({ Monto: '3000', 'Total descuentos': '350' }),
		'"Monto" has "3000" and "Total descuentos" has "350"',
	],
	[
		'Monto beside the same in dollars',
		'Amount',
		amounts({ Monto: '2650', 'Monto USD': '380.75' }),
		'"Monto" has "2650" and "Monto USD" has "380.75"',
	],
	[
		'the net pay beside what is left to pay of it',
		'Amount',
		amounts({ 'Líquido pagable': '2650', 'Saldo a pagar': '1325' }),
		'"Líquido pagable" has "2650" and "Saldo a pagar" has "1325"',
	],
	[
		'Amount beside Net',
		'Amount',
		amounts({ Amount: '3000', Net: '2650' }),
		'"Amount" has "3000" and "Net" has "2650"',
	],
	[
		'MONTO beside MONTOLIQUIDO',
		'Amount',
		amounts({ MONTO: '3000', MONTOLIQUIDO: '2650' }),
		'"MONTO" has "3000" and "MONTOLIQUIDO" has "2650"',
	],
	[
		'Monto beside Total a pagar',
		'Amount',
		amounts({ Monto: '3000', 'Total a pagar': '2650' }),
		'"Monto" has "3000" and "Total a pagar" has "2650"',
	],

	[
		'a ledger account in Cuenta beside CBU',
		'Destination Account',
		accounts({ Cuenta: '510201', CBU: '0170204660000008787865' }),
		'"Cuenta" has "510201" and "CBU" has "0170204660000008787865"',
	],
	[
		'Cuenta beside a CBU with spaces',
		'Destination Account',
		accounts({ Cuenta: '510201', CBU: '01702046 60000008787865' }),
		'"Cuenta" has "510201" and "CBU" has "01702046 60000008787865"',
	],
	[
		'Cuenta beside CCI',
		'Destination Account',
		accounts({ Cuenta: '19112345678', CCI: '00219100112345678901' }),
		'"CCI" has "00219100112345678901" and "Cuenta" has "19112345678"',
	],
	[
		'Cuenta beside Cuenta origen',
		'Destination Account',
		accounts({ 'Cuenta origen': '900100', Cuenta: '4010203040' }),
		'"Cuenta" has "4010203040" and "Cuenta origen" has "900100"',
	],
	[
		'our account in Cuenta beside Cuenta de cargo',
		'Destination Account',
		accounts({ 'Cuenta de cargo': '900100', Cuenta: '4010203040' }),
		'"Cuenta" has "4010203040" and "Cuenta de cargo" has "900100"',
	],
	[
		'Nro. de cuenta beside Cuenta contable',
		'Destination Account',
		accounts({ 'Cuenta contable': 510201, 'Nro. de cuenta': '4010203040' }),
		'"Nro. de cuenta" has "4010203040" and "Cuenta contable" has "510201"',
	],
	[
		'Cuenta beside Número de cuenta',
		'Destination Account',
		accounts({ Cuenta: '510201', 'Número de cuenta': '4010203040' }),
		'"Número de cuenta" has "4010203040" and "Cuenta" has "510201"',
	],
	[
		'Account number beside Debit account',
		'Destination Account',
		accounts({ 'Debit account': '900100', 'Account number': '4010203040' }),
		'"Account number" has "4010203040" and "Debit account" has "900100"',
	],
	[
		'Cuenta bancaria beside CTA ORIGEN',
		'Destination Account',
		accounts({ 'CTA ORIGEN': '900100', 'Cuenta bancaria': '4010203040' }),
		'"Cuenta bancaria" has "4010203040" and "CTA ORIGEN" has "900100"',
	],

	[
		'an invoice in Documento beside CI',
		'Destination ID Number',
		documents({ Documento: '20261101', CI: '1498123' }),
		'"CI" has "1498123" and "Documento" has "20261101"',
	],
	[
		'an invoice in Documento beside NIT',
		'Destination ID Number',
		documents({ Documento: '20261101', NIT: '1020304050' }),
		'"NIT" has "1020304050" and "Documento" has "20261101"',
	],
	[
		'an invoice in Nro. documento beside CI',
		'Destination ID Number',
		documents({ 'Nro. documento': '20261101', CI: '1498123' }),
		'"CI" has "1498123" and "Nro. documento" has "20261101"',
	],
	[
		'an invoice in Nro. documento beside NIT',
		'Destination ID Number',
		documents({ 'Nro. documento': '20261101', NIT: '1020304050' }),
		'"NIT" has "1020304050" and "Nro. documento" has "20261101"',
	],
	[
		'an invoice in Documento beside CI/NIT',
		'Destination ID Number',
		documents({ Documento: '20261101', 'CI/NIT': '1498123 LP' }),
		'"CI/NIT" has "1498123 LP" and "Documento" has "20261101"',
	],

	[
		'Banco with a code beside SWIFT',
		'Bank Code',
		layout({ 'Código de banco': { Banco: '1001', SWIFT: 'BNBOBOLX' } }),
		'"Banco" has "1001" and "SWIFT" has "BNBOBOLX"',
	],
	[
		'Banco with a code beside that of our bank',
		'Bank Code',
		layout({ 'Código de banco': { 'Banco origen': '1014', Banco: '1001' } }),
		'"Banco" has "1001" and "Banco origen" has "1014"',
	],
	[
		'Moneda beside Moneda de la cuenta',
		'Currency',
		layout({ Moneda: { Moneda: 'BOB', 'Moneda de la cuenta': 'Dólares' } }),
		'"Moneda" has "BOB" and "Moneda de la cuenta" has "Dólares"',
	],
];

describe('a field that two columns claim', () => {
	test.each([
		'Bs 3.000,00',
		'Bs3000',
		'$us 3,000.00',
		'3 000 Bolivianos',
		'S/. 3000',
		'-350',
		'(350)',
	])('asks about another amount that is written as %s', (cell) => {
		expect(read([amounts({ Monto: '2650.00', Total: cell })])).toMatchObject({
			code: 'ambiguousColumns',
		});
	});

	test.each(UNCERTAIN)('asks about %s', (_, field, row, columns) => {
		const message = `More than one column can be ${field}. In row 1 (item 0), ${columns}.`;
		expect(read([row])).toEqual({ code: 'ambiguousColumns', message });
	});

	test.each(UNCERTAIN)('asks about %s in the first row where they differ', (_, __, row) => {
		const blank = Object.fromEntries(Object.keys(row).map((header) => [header, '']));
		expect(read([blank, row]).message).toContain('In row 2 (item 1), ');
	});

	test('asks about all such fields at once', () => {
		const row = layout({
			'Líquido pagable': { Monto: '3000', Neto: '2650' },
			'Cuenta destino': { Cuenta: '510201', CBU: '0170204660000008787865' },
		});
		expect(String(read([row]).message).split('\n')).toEqual([
			expect.stringContaining('can be Destination Account.'),
			expect.stringContaining('can be Amount.'),
		]);
	});

	test.each([
		['Líquido', '2650.00'],
		['Monto', '3000'],
	])('takes the column %s that Column Mapping names', (header, amount) => {
		const columnMapping = { column: [{ field: 'amount', header }] };
		const row = amounts({ Monto: '3000', Líquido: '2650.00' });
		expect(read([row], { columnMapping })).toMatchObject({ ...PAID, amount });
	});
});

/** Layouts with other columns whose headers or cells say that they are something else. */
const OTHERS: Array<[string, IDataObject, Partial<typeof PAID>?]> = [
	[
		'the columns of a payroll',
		layout({
			'Líquido pagable': {
				'Haber básico': '2800',
				'Total ganado': '3000',
				'Total descuentos': '350',
				'Líquido pagable': '2650.00',
			},
		}),
	],
	['Gross pay beside Net pay', amounts({ 'Gross pay': '3000', 'Net pay': '2650.00' })],
	[
		'Cuenta origen beside Cuenta destino',
		accounts({ 'Cuenta origen': '900100', 'Cuenta destino': '4010203040' }),
	],
	[
		'Cuenta de cargo beside Cuenta de abono',
		accounts({ 'Cuenta de cargo': '900100', 'Cuenta de abono': '4010203040' }),
	],
	[
		'Cuenta beside Cuenta del beneficiario',
		accounts({ Cuenta: '900100', 'Cuenta del beneficiario': '4010203040' }),
	],
	[
		'a ledger account beside the service’s own name',
		accounts({ 'Cuenta contable': '510201', destination_account: '4010203040' }),
	],
	[
		'a document beside the service’s own name',
		documents({ Documento: '20261101', destination_id_number: '1498123' }),
	],
	[
		'the nationality of the payee',
		documents({ CI: '1498123', 'País de nacionalidad': 'Perú', 'País de nacimiento': 'Chile' }),
	],
	[
		'Nro. de documento of an invoice beside Número de documento de identidad',
		documents({ 'Nro. de documento': '20261101', 'Número de documento de identidad': '1498123' }),
	],
	[
		'Documento beside Cédula de identidad',
		documents({ Documento: '20261101', 'Cédula de identidad': '1498123' }),
	],
	['a second column with the same amount', amounts({ Monto: '2650.00', Neto: 2650 })],
	[
		'a second column without amounts',
		amounts({ Monto: '2650.00', Neto: ' ', Total: '-', Valor: 0 }),
	],
	['the same document as a number', documents({ CI: '1498123', Documento: 1498123 })],
	['a short number in Documento', documents({ CI: '1498123', Documento: '17' })],
	[
		'a bank’s name beside its code',
		layout({ 'Código de banco': { Banco: 'Banco Unión', 'Código de banco': '1001' } }),
	],
	[
		'dates, numbers and types',
		amounts({
			'Nro. de pago': 7,
			'Fecha de pago': '30/11/2026',
			'Tipo de pago': 2,
			'Días pagados': 30,
			'Tipo de cambio': '6.96',
			'% retención': 13,
			Monto: '2650.00',
		}),
	],
	[
		'the type and the balance of an account',
		accounts({ 'Tipo de cuenta': '1001', 'Saldo de cuenta': '51020.10', Cuenta: '4010203040' }),
	],
];

describe('a field that one column claims', () => {
	test.each(OTHERS)('pays right beside %s', (_, row, paid = {}) => {
		expect(read([row])).toMatchObject({ ...PAID, ...paid });
	});

	test('asks about an account that has lost its zeros in one of two columns', () => {
		const row = accounts({ Cuenta: 10203040, 'Cuenta bancaria': '0010203040' });
		expect(read([row])).toMatchObject({ code: 'ambiguousColumns' });
	});

	test('asks about a second name of a field if only some rows repeat its values', () => {
		const same = amounts({ Importe: '2650.00', Monto: '2650,00' });
		const other = amounts({ Importe: '2650.00', Monto: '3000,00' });
		expect(read([same, same])).toMatchObject(PAID);
		expect(read([same, other])).toMatchObject({ code: 'ambiguousColumns' });
	});
});

describe('a field without a column', () => {
	test.each(['BO', 'Bolivia', 'no sé', ''])('leaves a column with %j alone', (cell) => {
		expect(read([{ ...CERTAIN, 'País de residencia': cell }])).toMatchObject(PAID);
	});

	test('asks about a column that differs from the default value', () => {
		const row = layout({ Moneda: { 'Moneda de la cuenta': 'USD' } });
		const defaults = (currencyType: string) => ({ defaultValues: { currencyType } });
		expect(read([row], defaults('BOB'))).toMatchObject({ code: 'columnNotUsed' });
		expect(read([row], defaults('USD'))).toMatchObject(PAID);
		expect(read([row], defaults('={{ $json["Moneda de la cuenta"] }}'))).toMatchObject(PAID);
	});

	test('rejects a file in which only our account has a column', () => {
		const row = accounts({ 'Cuenta de cargo': '900100' });
		expect(read([row])).toMatchObject({
			code: 'columnsMissing',
			message: expect.stringContaining('"Cuenta de cargo": did you mean Destination Account?'),
		});
	});
});

describe('crypto payouts', () => {
	const ROW = {
		Wallet: '1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed',
		'Wallet address': '0x52908400098527886E0F7030069857D2E4169EE7',
		Amount: '100.25',
		Asset: 'USDC',
		external_reference: 'supplier-1',
	};
	const defaultValues = { blockchain: 'Polygon' };

	test('pays the address beside columns that hold no address', () => {
		const row = { ...ROW, Dirección: 'Av. Arce 2450' };
		expect(read([row], { defaultValues }, CRYPTO)).toMatchObject({
			destinationWallet: ROW['Wallet address'],
		});
	});

	test('asks about a second address', () => {
		const row = { ...ROW, 'Dirección de origen': '0xde709f2102306220921060314715629080e2fb77' };
		expect(read([row], { defaultValues }, CRYPTO)).toMatchObject({ code: 'ambiguousColumns' });
	});

	test('asks about a network that differs from the default value', () => {
		for (const header of ['Red', 'Network']) {
			expect(read([{ ...ROW, [header]: 'Ethereum' }], { defaultValues }, CRYPTO)).toMatchObject({
				code: 'columnNotUsed',
			});
		}
	});
});
