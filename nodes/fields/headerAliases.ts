import type { ValueAliases } from '../service/enums';

/**
 * Column headers that people use for a field in Spanish (Bolivia, Peru, Ecuador, Colombia, Chile) and
 * English, besides the names that the node itself has for it. Case, accents, spaces and punctuation do not
 * matter (`normalizeWord`).
 *
 * Only headers with exactly one meaning: `RUT` is a person's number and a company's, `Pesos` are Chilean
 * and Colombian, `Sueldo` may be paid before or after deductions.
 */
export interface HeaderAliases {
	/** This field and no other. */
	names?: readonly string[];
	/** This field if no column has one of its names: next to `Código de banco`, `Banco` may be the bank's name. */
	fallbacks?: readonly string[];
	/** This field if another field has a column: `Nombre` alone may be the full name. */
	namesWith?: { readonly field: string; readonly names: readonly string[] };
	/** The columns that make one value, in this order, if no column has the whole value. */
	parts?: ReadonlyArray<readonly string[]>;
	/** Words in headers that may mean this field: Read Payment File offers such a column to whoever is asked. */
	suggestions?: readonly string[];
}

/** Aliases of the fields and values that several operations have. */

export const AMOUNT_HEADERS: HeaderAliases = {
	names: [
		'Monto',
		'Importe',
		'Monto a pagar',
		'Importe a pagar',
		'Total a pagar',
		'Valor a pagar',
		'Neto a pagar',
		'Líquido a pagar',
		'Líquido pagable',
		'Monto del pago',
		...['Monto', 'Importe', 'Valor', 'Neto', 'Líquido'].flatMap((amount) =>
			['a transferir', 'a depositar', 'a abonar'].map((purpose) => `${amount} ${purpose}`),
		),
		...['Neto', 'Líquido'].flatMap((amount) => [`${amount} a cobrar`, `${amount} a recibir`]),
		...['Monto', 'Importe', 'Sueldo', 'Salario'].flatMap((amount) =>
			['neto', 'líquido'].map((kind) => `${amount} ${kind} a pagar`),
		),
		'Amount to pay',
		'Payment amount',
		'Net pay',
	],
	fallbacks: [
		'Valor',
		'Monto de abono',
		'Monto de la transferencia',
		'Monto transferencia',
		'Valor de la transacción',
		'Valor transacción',
		'Valor del pago',
		'Neto pagado',
		'Importe neto',
		'Monto neto',
		'Importe líquido',
		'Monto líquido',
	],
	suggestions: [
		...['monto', 'importe', 'valor', 'total', 'saldo', 'neto', 'liquido', 'bruto', 'ganado'],
		...['sueldo', 'salario', 'haber', 'pago', 'descuento', 'deduccion', 'retencion', 'anticipo'],
		...['remuneracion', 'retribucion', 'honorario', 'jornal', 'finiquito'],
		...['pagar', 'pagable', 'depositar', 'abonar', 'transferir', 'girar', 'percibi', 'cobrar'],
		// What may have to be added or taken off.
		...[
			'bono',
			'bonos',
			'bonificacion',
			'aguinaldo',
			'prima',
			'comision',
			'detraccion',
			'percepcion',
			'adelanto',
			'prestamo',
			'reintegro',
			'viatico',
			'viaticos',
		],
		...['iva', 'igv', 'isr', 'impuesto', 'multa', 'bonus', 'commission', 'tax', 'deduction'],
		...['amount', 'total', 'net', 'gross', 'pay', 'payable', 'payment', 'paid', 'payout', 'due'],
		...['salary', 'wage', 'remuneration', 'compensation', 'earning', 'income', 'stipend'],
		...['disburse', 'transfer', 'remittance', 'take home'],
	],
};

export const ASSET_HEADERS: HeaderAliases = {
	names: ['Criptomoneda', 'Criptoactivo', 'Cryptocurrency'],
	suggestions: ['token', 'coin', 'cripto', 'crypto', 'moneda', 'currency', 'asset', 'activo'],
};

export const BLOCKCHAIN_HEADERS: HeaderAliases = {
	names: ['Red blockchain', 'Cadena de bloques'],
	suggestions: ['red', 'network', 'chain', 'cadena'],
};

export const COUNTRY_HEADERS: HeaderAliases = {
	names: ['País', 'País del banco', 'País de destino', 'País destino', 'Bank country'],
	suggestions: ['pais', 'country'],
};

export const CURRENCY_WORDS: Pick<HeaderAliases, 'suggestions'> = {
	suggestions: ['moneda', 'divisa', 'currency'],
};

export const DESCRIPTION_HEADERS: HeaderAliases = {
	names: [
		'Glosa',
		'Concepto',
		'Concepto de pago',
		'Motivo',
		'Motivo de pago',
		'Motivo del pago',
		'Descripción del pago',
		'Payment description',
		'Purpose',
		'Memo',
	],
	fallbacks: ['Descripción', 'Detalle'],
	suggestions: ['glosa', 'concepto', 'motivo', 'detalle', 'descripcion', 'description'],
};

export const FUNDING_SOURCE_HEADERS: HeaderAliases = {
	names: ['Origen de fondos', 'Origen de los fondos', 'Fuente de fondos', 'Source of funds'],
};

export const REFERENCE_HEADERS: HeaderAliases = {
	names: ['Referencia externa', 'Referencia única', 'Unique reference'],
	suggestions: ['referencia', 'reference', 'uuid'],
};

export const COUNTRY_ALIASES: ValueAliases = {
	BO: ['Bolivia'],
	BR: ['Brasil', 'Brazil'],
	CL: ['Chile'],
	CN: ['China'],
	CO: ['Colombia'],
	CR: ['Costa Rica'],
	GT: ['Guatemala'],
	PA: ['Panamá'],
	PE: ['Perú'],
	PY: ['Paraguay'],
	UY: ['Uruguay'],
};

export const CURRENCY_ALIASES: ValueAliases = {
	BOB: ['Boliviano', 'Bolivianos', 'Bs'],
	CLP: ['Peso chileno', 'Pesos chilenos'],
	COP: ['Peso colombiano', 'Pesos colombianos'],
	PEN: ['Sol', 'Soles', 'Nuevo sol', 'Nuevos soles', 'S/'],
	USD: [
		'Dólar',
		'Dólares',
		'Dólar americano',
		'Dólares americanos',
		'Dólar estadounidense',
		'Dólares estadounidenses',
		'US Dollar',
		'US Dollars',
		'US$',
		'$us',
		'U$S',
	],
};

export const FUNDING_SOURCE_ALIASES: ValueAliases = {
	balance: ['Saldo'],
	conversion: ['Conversión'],
};
