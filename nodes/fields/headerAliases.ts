import type { ValueAliases } from '../service/enums';

/**
 * The words by which people call columns and values, in Spanish (Bolivia, Peru, Ecuador, Colombia,
 * Chile) and English, beside the names that the fields have anyway. Accents, upper and lower case,
 * spaces and punctuation make no difference (`sameWord`).
 *
 * Only a word with exactly one meaning belongs here: `RUT` is a person's number and a company's,
 * `Pesos` are Chilean and Colombian, `Sueldo` may be paid before or after deductions.
 */

/** How a field is called in headers. */
export interface HeaderAliases {
	/** This field and no other. */
	words?: readonly string[];
	/** This field, while no column has one of `words`: `Banco` may be the name beside `Código de banco`. */
	shortWords?: readonly string[];
	/** This field beside a column of another one: `Nombre` alone may be the whole name. */
	besideOf?: { readonly field: string; readonly words: readonly string[] };
	/** Several columns that make one value, if there is no column for the whole. */
	parts?: ReadonlyArray<readonly string[]>;
	/** Never read as this field, but the user is asked whether it is meant. One word of the header is enough. */
	hints?: readonly string[];
}

const numberOf = (what: string): string[] =>
	['Número de', 'Nro. de', 'Nro.', 'N° de', 'N°', 'Nº de', 'Nº', 'Num.'].map(
		(number) => `${number} ${what}`,
	);

const AMOUNT: HeaderAliases = {
	words: [
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
		'Amount to pay',
		'Payment amount',
		'Net pay',
	],
	hints: ['monto', 'importe', 'sueldo', 'salario', 'liquido', 'neto', 'pago', 'valor', 'total'],
};

/** By the field's name. */
export const HEADER_ALIASES: Readonly<Record<string, HeaderAliases>> = {
	entityType: {
		words: [
			'Tipo de persona',
			'Tipo de titular',
			'Tipo de beneficiario',
			'Tipo de entidad',
			'Type of person',
			'Holder type',
		],
	},
	firstName: {
		words: [
			'Nombre de pila',
			'Nombres de pila',
			'Nombre del titular',
			'Nombres del titular',
			'Razón social',
			'Nombre de la empresa',
			'Given name',
			'Given names',
			'First names',
			'Forename',
			'Company name',
		],
		besideOf: { field: 'lastName', words: ['Nombre', 'Nombres', 'Name', 'Names'] },
		parts: [['Primer nombre'], ['Segundo nombre', 'Otros nombres']],
		hints: ['nombre', 'nombres', 'name', 'beneficiario', 'titular', 'empleado'],
	},
	lastName: {
		words: [
			'Apellido',
			'Apellidos',
			'Apellido del titular',
			'Apellidos del titular',
			'Surname',
			'Surnames',
			'Family name',
			'Last names',
		],
		parts: [
			['Apellido paterno', 'Primer apellido', 'Paterno'],
			['Apellido materno', 'Segundo apellido', 'Materno'],
		],
		hints: ['apellido', 'apellidos', 'surname'],
	},
	destinationIdNumber: {
		words: [
			'CI',
			'Nro. CI',
			'Número de CI',
			'Cédula',
			'Cédula de identidad',
			'Cédula de ciudadanía',
			'Número de cédula',
			'Nro. de cédula',
			'Carnet',
			'Carnet de identidad',
			'Número de carnet',
			'Nro. de carnet',
			'DNI',
			'Nro. DNI',
			'NIT',
			'RUC',
			'RUT',
			'RUN',
			'Documento de identidad',
			...numberOf('documento'),
			'ID number',
			'Document number',
			'National ID number',
			'Tax ID number',
		],
		shortWords: ['Documento', 'Identificación'],
		hints: ['documento', 'cedula', 'carnet', 'identidad', 'identificacion', 'document'],
	},
	documentType: {
		words: [
			'Tipo de documento',
			'Tipo documento',
			'Tipo de doc.',
			'Tipo doc.',
			'Tipo de identificación',
			'Type of document',
			'ID type',
		],
	},
	bankCode: {
		words: [
			'Código de banco',
			'Código del banco',
			'Código banco',
			'Cód. banco',
			'Cód. de banco',
			'Código de entidad',
			'Código de la entidad financiera',
			'Bank ID',
		],
		shortWords: ['Banco', 'Banco destino', 'Banco de destino', 'Entidad financiera', 'Bank'],
		hints: ['banco', 'bank', 'entidad'],
	},
	destinationAccount: {
		words: [
			...numberOf('cuenta'),
			'Cuenta bancaria',
			'Cuenta destino',
			'Cuenta de destino',
			'Cuenta de abono',
			'Número de cuenta bancaria',
			'Account number',
			'Bank account',
			'Bank account number',
		],
		shortWords: ['Cuenta', 'Account'],
		hints: ['cuenta', 'account'],
	},
	amount: AMOUNT,
	currencyType: {
		words: ['Moneda', 'Divisa', 'Moneda de pago', 'Tipo de moneda'],
		hints: ['moneda', 'divisa', 'currency'],
	},
	description: {
		words: [
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
		shortWords: ['Descripción', 'Detalle'],
		hints: ['glosa', 'concepto', 'motivo', 'detalle', 'descripcion', 'description'],
	},
	country: {
		words: ['País', 'País del banco', 'País de destino', 'País destino', 'Bank country'],
	},
	fundingSource: {
		words: ['Origen de fondos', 'Origen de los fondos', 'Fuente de fondos', 'Source of funds'],
	},
	externalReference: {
		words: ['Referencia externa', 'Referencia única', 'Unique reference'],
		hints: ['referencia', 'reference', 'uuid'],
	},
	referenceId: {
		words: ['Referencia externa', 'Referencia única', 'Unique reference'],
		hints: ['referencia', 'reference'],
	},
	refundAddress: {
		words: ['Dirección de reembolso', 'Dirección de devolución'],
	},
	fiatAmount: {
		words: ['Monto a cobrar', 'Importe a cobrar', 'Total a cobrar', 'Amount to collect'],
		hints: ['monto', 'importe', 'total', 'amount'],
	},
	cryptoAmount: {
		words: ['Monto en cripto', 'Monto cripto', 'Importe en cripto'],
		hints: ['cripto', 'crypto', 'amount'],
	},
	fiatCurrency: {
		words: ['Moneda', 'Divisa', 'Tipo de moneda'],
		shortWords: ['Currency'],
		hints: ['moneda', 'divisa', 'currency'],
	},
	asset: { words: ['Criptomoneda', 'Criptoactivo', 'Cryptocurrency'] },
	assetDeposit: { words: ['Criptomoneda', 'Criptoactivo', 'Cryptocurrency'] },
	blockchain: { words: ['Red blockchain', 'Cadena de bloques'] },
	destinationWallet: {
		words: [
			'Dirección de destino',
			'Dirección destino',
			'Billetera de destino',
			'Billetera destino',
			'Wallet address',
		],
		hints: ['direccion', 'billetera', 'address'],
	},
	depositAddress: {
		words: ['Dirección de depósito'],
		hints: ['direccion', 'address'],
	},
	walletId: {
		words: ['Billetera de origen', 'Billetera origen', 'Source wallet'],
		hints: ['billetera', 'wallet'],
	},
	image: {
		words: ['QR', 'Código QR', 'Contenido QR', 'Contenido del QR', 'QR code'],
	},
	qrExpirationTime: {
		words: ['Vencimiento del QR', 'Expiración del QR', 'QR expiration'],
	},
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
	],
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

export const ENTITY_TYPE_ALIASES: ValueAliases = {
	company: ['Empresa', 'Persona jurídica', 'Jurídica', 'Compañía', 'Sociedad'],
	individual: ['Persona natural', 'Natural', 'Persona física', 'Individuo'],
};

export const DOCUMENT_TYPE_ALIASES: ValueAliases = {
	foreign_id: [
		'Cédula de extranjería',
		'Cédula de extranjero',
		'Carnet de extranjería',
		'Carné de extranjería',
		'Carnet de extranjero',
		'CE',
	],
	national_id: [
		'CI',
		'Cédula',
		'Cédula de identidad',
		'Cédula de ciudadanía',
		'Carnet',
		'Carnet de identidad',
		'DNI',
	],
	passport: ['Pasaporte'],
	tax_id: ['NIT', 'RUC'],
};

export const FUNDING_SOURCE_ALIASES: ValueAliases = {
	balance: ['Saldo'],
	conversion: ['Conversión'],
};
