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
	/**
	 * Columns that have another part of the value, which cannot be sent: with the complement `1A`, `1498123` is the
	 * document of somebody else.
	 */
	qualifiers?: readonly string[];
	/** Words of other headers whose columns may have such a part. Only a cell that looks like one counts. */
	qualifierWords?: readonly string[];
	/** Words in headers that may mean this field. The column is not used, but a message suggests it. */
	suggestions?: readonly string[];
	/** Other columns that may mean this field are its rivals: the user is asked which one it is. */
	rivals?: Rivals;
}

/**
 * Which columns are rivals of a field's column: those with one of its `suggestions` in their headers, and with
 * other values. All words are normalized. Those of five letters and more may be parts of words.
 */
export interface Rivals {
	/**
	 * Words or phrases that make a header certain: `Líquido pagable` is the amount, whatever else there is. Only
	 * another certain header is its rival.
	 */
	certain?: readonly string[];
	/** Words of headers that mean something else: `Fecha de pago` is no amount. */
	except?: readonly string[];
	/** The fewest digits of a value. If missing, a value counts if it is valid, or an amount. */
	digits?: number;
}

/**
 * Headers of other columns that such files usually have. No field takes them, and neither they nor others made
 * of their words are misspelled names of a field.
 */
export const OTHER_HEADERS: readonly string[] = [
	'Tipo de cuenta',
	'Tipo de cuenta de abono',
	'Tipo de abono',
	'Tipo de producto',
	'Tipo de producto o servicio',
	'Tipo de transacción',
	'Tipo de recibo',
	'Account type',
	'Agencia',
	'Sucursal',
	'Oficina',
	'Branch',
	'Cargo',
	'Puesto',
	'Sección',
	'Centro de costo',
	'Sexo',
	'Lugar de expedición',
	'Expedido',
	'Extensión',
	'Área',
	'Departamento',
	'Position',
	'Fecha de ingreso',
	'Fecha de pago',
	'Fecha de nacimiento',
	'Date',
	'Mes',
	'Periodo',
	'Observaciones',
	'Observación',
	'Comentarios',
	'Notes',
	'Correo electrónico',
	'Email',
	'Teléfono',
	'Celular',
	'Phone',
	'Ciudad',
	'City',
	'Estado',
	'Status',
	'Código',
	'Code',
	'Forma de pago',
	'Tipo de pago',
	'Tipo de contrato',
	'Cuenta contable',
	'Cuenta de cargo',
	'Cuenta de débito',
	'Cuenta de origen',
	'Nro.',
	'No.',
	'N°',
	'Item',
	'Ítem',
	'Type',
];

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
	rivals: {
		certain: [
			...['pagar', 'pagable', 'depositar', 'abonar', 'transferir', 'girar', 'monto del pago'],
			// What is left to pay.
			...['cobrar', 'recibir', 'percibir', 'neto pagado', 'saldo'],
			...['net pay', 'to pay', 'payable', 'payment amount', 'take home'],
		],
		except: [
			...['fecha', 'dia', 'dias', 'hora', 'horas', 'mes', 'tipo', 'forma', 'medio', 'lugar'],
			...['nro', 'no', 'n', 'num', 'numero', 'codigo', 'cod', 'id', 'moneda', 'cambio', 'banco'],
			...['cuenta', 'cta', 'concepto', 'motivo', 'glosa', 'detalle', 'descripcion', 'referencia'],
			...['estado', 'date', 'day', 'days', 'hours', 'type', 'method', 'number', 'code', 'currency'],
			...['status', 'reference', 'description', 'account', 'period', 'porcentaje', '%'],
			...['letras', 'literal', 'orden', 'order', 'recibo', 'comprobante', 'terms', 'words'],
			// Of a payment's result, in a sheet of results.
			...['amount deposit', 'paid to'],
		],
	},
};

export const ASSET_HEADERS: HeaderAliases = {
	names: ['Criptomoneda', 'Criptoactivo', 'Cryptocurrency'],
	suggestions: ['token', 'coin', 'cripto', 'crypto', 'moneda', 'currency', 'asset', 'activo'],
	rivals: {},
};

export const BLOCKCHAIN_HEADERS: HeaderAliases = {
	names: ['Red blockchain', 'Cadena de bloques'],
	suggestions: ['red', 'network', 'chain', 'cadena'],
	rivals: {},
};

export const COUNTRY_HEADERS: HeaderAliases = {
	names: ['País', 'País del banco', 'País de destino', 'País destino', 'Bank country'],
	suggestions: ['pais', 'country'],
	rivals: {
		certain: ['banco', 'bank', 'destino', 'destination'],
		// Where the payee comes from says nothing of the bank.
		except: ['nacionalidad', 'nacimiento', 'nationality', 'birth'],
	},
};

export const CURRENCY_WORDS: Pick<HeaderAliases, 'suggestions' | 'rivals'> = {
	suggestions: ['moneda', 'divisa', 'currency'],
	rivals: { certain: ['pago', 'payment'], except: ['cambio', 'rate'] },
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
