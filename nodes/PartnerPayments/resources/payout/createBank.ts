import {
	accountNumber,
	positiveAmount,
	bankCode,
	cryptoAddress,
	documentNumber,
	oneOf,
	personName,
	anyText,
	uuid,
	withoutSeparators,
	type Values,
} from '../../../fields/validators';
import { amountField, choiceField, textField } from '../../../fields/field';
import {
	AMOUNT_HEADERS,
	COUNTRY_HEADERS,
	CURRENCY_ALIASES,
	DESCRIPTION_HEADERS,
	REFERENCE_HEADERS,
} from '../../../fields/headers';
import { createdIn, textIn } from '../../../service/responses';
import { moneyOf } from '../../../batch/totals';
import { moneyOperation } from '../../operations/moneyOperation';
import {
	CONVERSION,
	CONVERSION_FUNDING,
	conversionFields,
	DEFAULTS,
	FUNDING_SOURCE,
	REAL_MONEY,
} from './toFund';

const CURRENCIES = [
	{ name: 'Bolivian Boliviano (BOB)', value: 'BOB' },
	{ name: 'Chilean Peso (CLP)', value: 'CLP' },
	{ name: 'Colombian Peso (COP)', value: 'COP' },
	{ name: 'Peruvian Sol (PEN)', value: 'PEN' },
	{ name: 'US Dollar (USD)', value: 'USD' },
];

const COUNTRIES = [
	{ name: 'Bolivia (BO)', value: 'BO' },
	{ name: 'Brazil (BR)', value: 'BR' },
	{ name: 'Chile (CL)', value: 'CL' },
	{ name: 'China (CN)', value: 'CN' },
	{ name: 'Colombia (CO)', value: 'CO' },
	{ name: 'Costa Rica (CR)', value: 'CR' },
	{ name: 'Guatemala (GT)', value: 'GT' },
	{ name: 'Panama (PA)', value: 'PA' },
	{ name: 'Paraguay (PY)', value: 'PY' },
	{ name: 'Peru (PE)', value: 'PE' },
	{ name: 'Uruguay (UY)', value: 'UY' },
];

const ENTITY_TYPES = [
	{ name: 'Company', value: 'company' },
	{ name: 'Individual', value: 'individual' },
];

const ENTITY_TYPE_ALIASES = {
	company: ['Empresa', 'Persona jurídica', 'Jurídica', 'Compañía', 'Sociedad'],
	individual: ['Persona natural', 'Natural', 'Persona física', 'Individuo'],
};

const DOCUMENT_TYPES = [
	{ name: 'Foreign ID', value: 'foreign_id' },
	{ name: 'National ID', value: 'national_id' },
	{ name: 'Passport', value: 'passport' },
	{ name: 'Tax ID', value: 'tax_id' },
];

const MAX_DESCRIPTION = 200;
const DOCUMENT_DIGITS = { min: 5, max: 20 };

/** The ways to write "number of" in a header: `Nro. de cuenta`. */
const numberOf = (noun: string): string[] =>
	['Número de', 'Número', 'Nro. de', 'Nro.', 'N° de', 'N°', 'No. de', 'No.', 'Num.'].map(
		(number) => `${number} ${noun}`,
	);

/** The column of somebody, with and without the article: `Cuenta beneficiario`, `Cuenta del beneficiario`. */
const ofPayee = (noun: string): string[] =>
	['beneficiario', 'trabajador', 'empleado', 'proveedor', 'titular'].flatMap((payee) => [
		`${noun} ${payee}`,
		`${noun} del ${payee}`,
	]);

const COMPANY_HEADERS = ['Razón social', 'Nombre de la empresa', 'Company name'];

const WHOLE_NAME_HEADERS = [
	...['Nombre', 'Nombres'].flatMap((names) =>
		['Apellido', 'Apellidos'].flatMap((surnames) => [
			`${names} y ${surnames}`,
			`${surnames} y ${names}`,
		]),
	),
	'Nombre completo',
	'Nombres completos',
	'Apellidos, nombres',
	...['Nombre completo', 'Nombres y apellidos', 'Apellidos y nombres'].flatMap(ofPayee),
	...['Beneficiario', 'Trabajador', 'Empleado', 'Funcionario', 'Titular', 'Proveedor'],
	...['Full name', 'Employee', 'Employee name', 'Payee', 'Payee name'],
	...['Beneficiary', 'Beneficiary name', 'Account holder'],
];

/** What the service assumes. */
const DEFAULT_COUNTRY = 'BO';

/** Currencies of one country only, which is not the one that the service assumes. */
const CURRENCIES_ABROAD = ['CLP', 'COP', 'PEN'];

/** Section 4.6: `POST /v3/transactions/payouts/bank`. */
export const BANK_PAYOUT: Parameters<typeof moneyOperation>[0] = {
	value: 'createBank',
	name: 'Create Bank Payout',
	action: 'Create bank payout',
	description:
		'Pay money to a bank account (ACH). Use it for salaries, suppliers and refunds. This moves real money as soon as the service accepts it.',
	notice: REAL_MONEY,
	path: '/v3/transactions/payouts/bank',
	reference: { field: 'externalReference', form: 'uuid', payeeField: 'destinationIdNumber' },
	paysOut: true,
	fields: [
		choiceField({
			name: 'entityType',
			label: 'Entity Type',
			to: 'transaction.entity_type',
			optional: true,
			group: 'Payee',
			options: ENTITY_TYPES,
			valueAliases: ENTITY_TYPE_ALIASES,
			description: 'Whether the account holder is a person or a company',
			headerAliases: {
				names: [
					'Tipo de persona',
					'Tipo de titular',
					'Tipo de beneficiario',
					'Tipo de entidad',
					'Type of person',
					'Holder type',
				],
			},
		}),
		textField({
			name: 'firstName',
			label: 'First Name',
			to: 'transaction.first_name',
			required: true,
			validate: personName(),
			placeholder: 'e.g. María José',
			description: 'First name of the account holder, or the name of the company',
			headerAliases: {
				names: [
					'Nombre de pila',
					'Nombres de pila',
					...['Nombre', 'Nombres'].flatMap(ofPayee),
					...COMPANY_HEADERS,
					'Given name',
					'Given names',
					'First names',
					'Forename',
				],
				namesWith: { field: 'lastName', names: ['Nombre', 'Nombres', 'Name', 'Names'] },
				whole: WHOLE_NAME_HEADERS,
				parts: [['Primer nombre'], ['Segundo nombre', 'Otros nombres']],
			},
		}),
		textField({
			name: 'lastName',
			label: 'Last Name',
			to: 'transaction.last_name',
			requiredWhen: { entityType: ['individual'] },
			validate: personName(),
			placeholder: 'e.g. Quispe Mamani',
			description: 'Last name of the account holder. Only a company has none.',
			headerAliases: {
				names: [
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
					['Apellido de casada', 'Apellido casada', 'De casada'],
				],
			},
		}),
		textField({
			name: 'destinationIdNumber',
			label: 'Destination ID Number',
			to: 'transaction.destination_id_number',
			required: true,
			validate: documentNumber(DOCUMENT_DIGITS.min, DOCUMENT_DIGITS.max),
			placeholder: 'e.g. 0812…',
			description: `Document number of the account holder, ${DOCUMENT_DIGITS.min} to ${DOCUMENT_DIGITS.max} digits with leading zeros`,
			headerAliases: {
				names: [
					...['CI', 'DNI', 'NIT', 'RUC', 'RUT', 'RUN'].flatMap((number) => [
						number,
						...numberOf(number),
						`${number} N°`,
						...ofPayee(number),
					]),
					...['CI/NIT', 'CI o NIT', 'NIT/CI', 'NIT o CI'],
					'Cédula',
					'Cédula de identidad',
					'Cédula de ciudadanía',
					...numberOf('cédula'),
					'Carnet',
					'Carnet de identidad',
					...numberOf('carnet'),
					'Documento de identidad',
					'Doc. de identidad',
					'Doc. identidad',
					...numberOf('documento de identidad'),
					...numberOf('identificación'),
					...['Documento', 'Identificación'].flatMap(ofPayee),
					...numberOf('DOI'),
					'DOI número',
					'ID number',
					'Document number',
					'National ID',
					'National ID number',
					'Tax ID number',
					...['Documento', 'Identificación', ...numberOf('documento'), ...numberOf('doc.')],
				],
			},
		}),
		textField({
			name: 'bankCode',
			label: 'Bank Code',
			to: 'transaction.bank_code',
			required: true,
			validate: bankCode(),
			validateNamed: bankCode,
			placeholder: 'e.g. 1001',
			description: 'Code of the destination bank. Ask the service for its list of codes.',
			headerAliases: {
				names: [
					'Código de banco',
					'Código del banco',
					'Código banco',
					'Cód. banco',
					'Cód. de banco',
					'Código de entidad',
					'Código de la entidad financiera',
					...['Código', 'Cód.'].flatMap((code) =>
						['banco destino', 'de banco destino', ...ofPayee('banco')].map(
							(bank) => `${code} ${bank}`,
						),
					),
					'Bank ID',
					'Banco',
					'Banco destino',
					'Banco de destino',
					...ofPayee('Banco'),
					'Nombre del banco',
					'Entidad',
					'Entidad financiera',
					'Entidad bancaria',
					'Bank',
					'Bank name',
				],
			},
		}),
		textField({
			name: 'destinationAccount',
			label: 'Destination Account',
			to: 'transaction.destination_account',
			required: true,
			validate: accountNumber(),
			placeholder: 'e.g. 0012345…',
			description: 'Number of the destination account with leading zeros',
			headerAliases: {
				names: [
					...[
						'cuenta',
						'cuenta bancaria',
						'cuenta destino',
						'cuenta de destino',
						'cuenta de abono',
					].flatMap(numberOf),
					...['cuenta a abonar', 'cta. bancaria', 'cta.', ...ofPayee('cuenta')].flatMap(numberOf),
					...['N°', 'número'].map((number) => `Cuenta ${number}`),
					'Cta. bancaria',
					'Cuenta bancaria',
					'Cuenta destino',
					'Cuenta de destino',
					'Cuenta de abono',
					'Cuenta a abonar',
					...ofPayee('Cuenta'),
					'CCI',
					'Código de cuenta interbancario',
					'Código de cuenta interbancario (CCI)',
					'Número del producto',
					'Número del producto o servicio',
					'Account number',
					'Account no.',
					'Bank account',
					'Bank account number',
					'Beneficiary account',
					...['Cuenta', 'Account', 'Cta.'],
				],
			},
		}),
		amountField({
			name: 'amount',
			label: 'Amount',
			to: 'transaction.amount',
			required: true,
			validate: positiveAmount({ places: 2 }),
			description: 'Amount to pay, such as 1250.50, with at most 2 decimals',
			headerAliases: AMOUNT_HEADERS,
		}),
		choiceField({
			name: 'currencyType',
			label: 'Currency',
			to: 'transaction.currency_type',
			required: true,
			options: CURRENCIES,
			valueAliases: CURRENCY_ALIASES,
			default: 'BOB',
			description: 'Currency of the amount',
			headerAliases: {
				names: [
					'Moneda',
					'Divisa',
					'Moneda de pago',
					'Moneda de abono',
					'Moneda de la transferencia',
					'Tipo de moneda',
					'Tipo de moneda de abono',
				],
			},
		}),
		textField({
			name: 'description',
			label: 'Description',
			to: 'transaction.description',
			required: true,
			validate: anyText({ max: MAX_DESCRIPTION }),
			placeholder: 'e.g. Salary November 2026',
			description: `What the payment is for, at most ${MAX_DESCRIPTION} characters`,
			headerAliases: DESCRIPTION_HEADERS,
		}),
		FUNDING_SOURCE,
		...conversionFields(),
		textField({
			name: 'refundAddress',
			label: 'Refund Address',
			to: 'refund_address',
			optional: true,
			group: 'Conversion',
			shownWhen: CONVERSION,
			validate: cryptoAddress(DEFAULTS.blockchain),
			placeholder: 'e.g. 0x52908400…4169EE7',
			description: 'Crypto address for the refund if the payment fails',
			headerAliases: { names: ['Dirección de reembolso', 'Dirección de devolución'] },
		}),
		textField({
			name: 'externalReference',
			label: 'External Reference',
			to: 'external_reference',
			required: true,
			optional: true,
			group: 'Reference',
			validate: uuid(),
			placeholder: 'e.g. 5f0c6f6e-3b1d-…',
			description:
				'Your own unique UUID for this payment. Keep it if you run the payment again: the node sends no reference twice.',
			headerAliases: REFERENCE_HEADERS,
		}),
		choiceField({
			name: 'country',
			label: 'Country',
			to: 'transaction.country',
			shownWhen: { currencyType: [...CURRENCIES_ABROAD, 'USD'] },
			requiredWhen: { currencyType: CURRENCIES_ABROAD },
			missing: 'countryMissing',
			options: COUNTRIES,
			valueAliases: { BR: ['Brasil'] },
			description: 'Country of the destination bank. Without it, the service assumes Bolivia.',
			headerAliases: COUNTRY_HEADERS,
		}),
		choiceField({
			name: 'documentType',
			label: 'Document Type',
			to: 'transaction.document_type',
			optional: true,
			group: 'Payee',
			options: DOCUMENT_TYPES,
			valueAliases: {
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
					'CC',
					'DNI',
				],
				passport: ['Pasaporte'],
				tax_id: ['NIT', 'RUC'],
			},
			default: 'national_id',
			description: 'Type of the document number',
			headerAliases: {
				names: [
					'Tipo de documento',
					'Tipo documento',
					'Tipo de doc.',
					'Tipo doc.',
					'Tipo de identificación',
					'Tipo de documento de identidad',
					'Tipo doc. identidad',
					...ofPayee('Tipo de documento'),
					...ofPayee('Tipo de identificación'),
					...ofPayee('Tipo identificación'),
					'DOI tipo',
					'Type of document',
					'ID type',
				],
			},
		}),
	],
	first: ['amount', 'currencyType', 'country'],
	fundingField: 'fundingSource',
	amount: ({ amount, currencyType }) => moneyOf(amount, currencyType),
	transactionType: 'withdrawal_ach',
	payeeName,
	paidTo: ({ bankCode, destinationAccount }) =>
		[bankCode, destinationAccount].filter((part) => part !== undefined).join(' '),
	payee: (values) => {
		const { destinationIdNumber, country, bankCode, destinationAccount } = values;
		return destinationIdNumber === undefined
			? undefined
			: {
					// A spreadsheet drops leading zeros.
					id: String(destinationIdNumber).replace(/^0+/, ''),
					account: JSON.stringify([
						country ?? DEFAULT_COUNTRY,
						String(bankCode).toLowerCase(),
						// Whether separators are sent is an option, and no other account.
						withoutSeparators(String(destinationAccount)),
					]),
				};
	},
	wholeName: {
		names: 'firstName',
		surnames: 'lastName',
		companyHeaders: COMPANY_HEADERS,
		isCompany: (read) => isCompany(read('entityType')),
	},
	hasAccounts: true,
	purpose: 'description',
	output: {
		transaction_id: 'string',
		external_reference: 'string',
		deposit_address: 'string',
		amount_deposit: 'string',
		transactions: [{ transaction_id: 'string', status: 'string', message: 'string' }],
	},
	simplified: ['deposit_address', 'amount_deposit'],
	funding: CONVERSION_FUNDING,
	created(response) {
		return createdIn(textIn(response, 'transaction_id'), response.transactions);
	},
};

export const createBank = moneyOperation(BANK_PAYOUT);

const entityType = oneOf(ENTITY_TYPES, ENTITY_TYPE_ALIASES);

function isCompany(raw: unknown): boolean {
	const type = entityType(raw, {});
	return type.ok && type.value === 'company';
}

function payeeName({ firstName, lastName }: Values): string {
	return [firstName, lastName].filter((part) => part !== undefined).join(' ');
}
