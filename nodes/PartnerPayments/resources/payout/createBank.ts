import {
	accountNumber,
	amount,
	bankCode,
	cryptoAddress,
	digits,
	text,
	uuid,
} from '../../../fields/validators';
import { amountField, choiceField, textField } from '../../../fields/field';
import {
	COUNTRY_ALIASES,
	CURRENCY_ALIASES,
	DOCUMENT_TYPE_ALIASES,
	ENTITY_TYPE_ALIASES,
	FUNDING_SOURCE_ALIASES,
} from '../../../fields/headerAliases';
import { createdIn, textIn } from '../../../service/responses';
import { ASSETS, BLOCKCHAINS, FUNDING_SOURCES } from '../../../service/enums';
import { moneyOperation } from '../../operations/moneyOperation';
import { BALANCES_PATH } from './getBalances';

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

const DOCUMENT_TYPES = [
	{ name: 'Foreign ID', value: 'foreign_id' },
	{ name: 'National ID', value: 'national_id' },
	{ name: 'Passport', value: 'passport' },
	{ name: 'Tax ID', value: 'tax_id' },
];

const MAX_DESCRIPTION = 200;
const DOCUMENT_DIGITS = { min: 5, max: 20 };

/** Section 4.6: `POST /v3/transactions/payouts/bank`. */
export const createBank = moneyOperation({
	value: 'createBank',
	name: 'Create Bank',
	action: 'Create bank payout',
	description:
		'Pay money to a bank account (ACH). Use it for salaries, suppliers and refunds. This moves real money as soon as the service accepts it.',
	notice:
		'This moves real money as soon as the service accepts it. To look first without paying, turn on Before Sending > Dry Run.',
	path: '/v3/transactions/payouts/bank',
	reference: { field: 'externalReference', form: 'uuid' },
	paysOut: true,
	fields: [
		choiceField({
			name: 'entityType',
			label: 'Entity Type',
			to: 'transaction.entity_type',
			options: ENTITY_TYPES,
			words: ENTITY_TYPE_ALIASES,
			description: 'Whether the account holder is a person or a company',
		}),
		textField({
			name: 'firstName',
			label: 'First Name',
			to: 'transaction.first_name',
			required: true,
			placeholder: 'e.g. María José',
			description: 'First name of the account holder, or the name of the company',
		}),
		textField({
			name: 'lastName',
			label: 'Last Name',
			to: 'transaction.last_name',
			requiredWhen: { entityType: ['individual'] },
			placeholder: 'e.g. Quispe Mamani',
			description: 'Last name of the account holder. Only a company can go without.',
		}),
		textField({
			name: 'destinationIdNumber',
			label: 'Destination ID Number',
			to: 'transaction.destination_id_number',
			required: true,
			check: digits(DOCUMENT_DIGITS.min, DOCUMENT_DIGITS.max),
			placeholder: 'e.g. 0812345',
			description: `Document number of the account holder: ${DOCUMENT_DIGITS.min} to ${DOCUMENT_DIGITS.max} digits, leading zeros included`,
		}),
		textField({
			name: 'bankCode',
			label: 'Bank Code',
			to: 'transaction.bank_code',
			required: true,
			check: bankCode(),
			placeholder: 'e.g. 1001',
			description:
				'Code of the destination bank. Ask the service for its list: the node cannot look codes up.',
		}),
		textField({
			name: 'destinationAccount',
			label: 'Destination Account',
			to: 'transaction.destination_account',
			required: true,
			check: accountNumber(),
			placeholder: 'e.g. 0012345678',
			description: 'Number of the destination account, leading zeros included',
		}),
		amountField({
			name: 'amount',
			label: 'Amount',
			to: 'transaction.amount',
			required: true,
			check: amount({ places: 2 }),
			description: 'Amount to pay in the chosen currency, such as 1250.50, with at most 2 decimals',
		}),
		choiceField({
			name: 'currencyType',
			label: 'Currency',
			to: 'transaction.currency_type',
			required: true,
			options: CURRENCIES,
			words: CURRENCY_ALIASES,
			default: 'BOB',
			hint: 'If the bank is outside Bolivia, add Country under Additional Fields: the service assumes Bolivia',
			description: 'Currency of the amount',
		}),
		textField({
			name: 'description',
			label: 'Description',
			to: 'transaction.description',
			required: true,
			check: text({ max: MAX_DESCRIPTION }),
			placeholder: 'e.g. Salary November 2026',
			description: `What the payment is for, at most ${MAX_DESCRIPTION} characters`,
		}),
		choiceField({
			name: 'fundingSource',
			label: 'Funding Source',
			to: 'funding_source',
			required: true,
			options: FUNDING_SOURCES,
			words: FUNDING_SOURCE_ALIASES,
			default: 'balance',
			description: 'Where the money comes from',
		}),
		textField({
			name: 'externalReference',
			label: 'External Reference',
			to: 'external_reference',
			required: true,
			check: uuid(),
			placeholder: 'e.g. 5f0c6f6e-3b1d-4f7e-9a53-0c1d2e3f4a5b',
			description:
				'Your own unique UUID for this payment. Keep it when you run the same payment again: the node sends no reference twice.',
		}),
		choiceField({
			name: 'assetDeposit',
			label: 'Asset',
			to: 'asset_deposit',
			optional: true,
			options: ASSETS,
			default: 'USDC',
			description: 'Crypto asset that funds the payment',
		}),
		choiceField({
			name: 'blockchain',
			label: 'Blockchain',
			to: 'blockchain',
			optional: true,
			options: BLOCKCHAINS,
			default: 'Polygon',
			description: 'Blockchain of the asset that funds the payment',
		}),
		choiceField({
			name: 'country',
			label: 'Country',
			to: 'transaction.country',
			optional: true,
			options: COUNTRIES,
			words: COUNTRY_ALIASES,
			default: 'BO',
			description:
				'Country of the destination bank. The service takes Bolivia when it is left out.',
		}),
		choiceField({
			name: 'documentType',
			label: 'Document Type',
			to: 'transaction.document_type',
			optional: true,
			options: DOCUMENT_TYPES,
			words: DOCUMENT_TYPE_ALIASES,
			default: 'national_id',
			description: 'Kind of the document number',
		}),
		textField({
			name: 'refundAddress',
			label: 'Refund Address',
			to: 'refund_address',
			optional: true,
			check: cryptoAddress('blockchain'),
			placeholder: 'e.g. 0x52908400098527886E0F7030069857D2E4169EE7',
			description: 'Crypto address that gets the money back if the payment cannot be made',
		}),
	],
	fundingField: 'fundingSource',
	amount: ({ amount: value, currencyType }) =>
		value === undefined ? undefined : { amount: String(value), currency: String(currencyType) },
	balance: {
		path: BALANCES_PATH,
		of: ({ fundingSource, currencyType }) =>
			fundingSource === 'balance'
				? { fiat: String(currencyType), type: 'withdrawal_ach' }
				: undefined,
	},
	duplicateFields: ['bankCode', 'destinationAccount', 'description'],
	purpose: 'description',
	answer: {
		transaction_id: 'string',
		external_reference: 'string',
		deposit_address: 'string',
		amount_deposit: 'string',
		transactions: [{ transaction_id: 'string', status: 'string', message: 'string' }],
	},
	simplified: ['deposit_address', 'amount_deposit'],
	created(answer) {
		const first: unknown = Array.isArray(answer.transactions) ? answer.transactions[0] : undefined;
		return createdIn(textIn(answer, 'transaction_id'), first);
	},
});
