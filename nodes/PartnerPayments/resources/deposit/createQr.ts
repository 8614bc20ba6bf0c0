import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import {
	positiveAmount,
	clockTime,
	cryptoAddress,
	referenceText,
	anyText,
} from '../../../fields/validators';
import { amountField, choiceField, textField, type Condition } from '../../../fields/field';
import {
	ASSET_HEADERS,
	BLOCKCHAIN_HEADERS,
	COUNTRY_HEADERS,
	CURRENCY_ALIASES,
	DESCRIPTION_HEADERS,
	FUNDING_SOURCE_ALIASES,
	FUNDING_SOURCE_HEADERS,
	REFERENCE_HEADERS,
} from '../../../fields/headers';
import { decimalPlaces } from '../../../fields/money';
import { COLLECTION, isOn } from '../../../batch/options';
import { canonicalAmount, moneyOf } from '../../../batch/totals';
import { createdIn, textIn } from '../../../service/responses';
import { ASSETS, BLOCKCHAINS } from '../../../service/enums';
import { moneyOperation } from '../../operations/moneyOperation';

const REFERENCE = { min: 1, max: 100 };
const MAX_DESCRIPTION = 60;

const CURRENCIES = [
	{ name: 'Bolivian Boliviano (BOB)', value: 'BOB' },
	{ name: 'US Dollar (USD)', value: 'USD' },
];

const COUNTRIES = [{ name: 'Bolivia (BO)', value: 'BO' }];

const FUNDING_SOURCES = [
	{ name: 'Balance', value: 'balance', description: 'The money goes to your balance' },
	{
		name: 'Conversion',
		value: 'conversion',
		description:
			'The money is converted to crypto and sent to Deposit Address. A wrong address cannot be undone.',
	},
];

const CONVERSION: Condition = { fundingSource: ['conversion'] };
const BALANCE: Condition = { fundingSource: ['balance'] };

/** Section 4.7: `POST /v2/transactions/deposit/qr`. */
export const createQr = moneyOperation({
	value: 'createQr',
	name: 'Create QR Deposit',
	action: 'Create QR deposit',
	description:
		'Create a QR code that a customer scans and pays. Use it for an order or an invoice. It takes nothing from your account.',
	path: '/v2/transactions/deposit/qr',
	reference: { field: 'referenceId', form: 'uuid' },
	paysOut: false,
	fields: [
		choiceField({
			name: 'fundingSource',
			label: 'Funding Source',
			to: 'fundingSource',
			required: true,
			options: FUNDING_SOURCES,
			valueAliases: FUNDING_SOURCE_ALIASES,
			default: 'balance',
			description: 'Where the money goes',
			headerAliases: FUNDING_SOURCE_HEADERS,
		}),
		amountField({
			name: 'fiatAmount',
			label: 'Fiat Amount',
			to: 'fiatAmount',
			required: true,
			onlyWhen: BALANCE,
			validate: positiveAmount(),
			description: 'Amount that the customer pays',
			headerAliases: {
				names: ['Monto a cobrar', 'Importe a cobrar', 'Total a cobrar', 'Amount to collect'],
			},
		}),
		amountField({
			name: 'cryptoAmount',
			label: 'Crypto Amount',
			to: 'cryptoAmount',
			required: true,
			onlyWhen: CONVERSION,
			validate: positiveAmount({ isCrypto: true }),
			placeholder: 'e.g. 25',
			description: 'Amount of the asset to receive. The service computes what the customer pays.',
			headerAliases: {
				names: ['Monto en cripto', 'Monto cripto', 'Importe en cripto'],
			},
		}),
		choiceField({
			name: 'asset',
			label: 'Asset',
			to: 'asset',
			required: true,
			onlyWhen: CONVERSION,
			options: ASSETS,
			default: 'USDC',
			description: 'Crypto asset to receive',
			headerAliases: ASSET_HEADERS,
		}),
		choiceField({
			name: 'blockchain',
			label: 'Blockchain',
			to: 'blockchain',
			required: true,
			onlyWhen: CONVERSION,
			options: BLOCKCHAINS,
			default: 'Polygon',
			description: 'Blockchain of the asset and of the deposit address',
			headerAliases: BLOCKCHAIN_HEADERS,
		}),
		textField({
			name: 'depositAddress',
			label: 'Deposit Address',
			to: 'depositAddress',
			required: true,
			onlyWhen: CONVERSION,
			validate: cryptoAddress(),
			placeholder: 'e.g. 0x52908400…4169EE7',
			description: 'Crypto address that receives the asset. A wrong address cannot be undone.',
			headerAliases: { names: ['Dirección de depósito'] },
		}),
		choiceField({
			name: 'fiatCurrency',
			label: 'Fiat Currency',
			to: 'fiatCurrency',
			required: true,
			options: CURRENCIES,
			valueAliases: CURRENCY_ALIASES,
			default: 'BOB',
			description: 'Currency that the customer pays in',
			headerAliases: {
				names: ['Moneda', 'Divisa', 'Tipo de moneda', 'Currency'],
			},
		}),
		choiceField({
			name: 'country',
			label: 'Country',
			to: 'country',
			required: true,
			options: COUNTRIES,
			default: 'BO',
			description: 'Country of the payment',
			headerAliases: COUNTRY_HEADERS,
		}),
		textField({
			name: 'referenceId',
			label: 'External Reference',
			to: 'referenceId',
			required: true,
			validate: referenceText({ max: REFERENCE.max }),
			placeholder: 'e.g. order-2026-…',
			description: `Your own unique reference for this deposit, ${REFERENCE.min} to ${REFERENCE.max} characters`,
			headerAliases: REFERENCE_HEADERS,
		}),
		textField({
			name: 'description',
			label: 'Description',
			to: 'description',
			validate: anyText({ max: MAX_DESCRIPTION }),
			placeholder: 'e.g. Order 42',
			description: `Shown for reconciliation, at most ${MAX_DESCRIPTION} characters`,
			headerAliases: DESCRIPTION_HEADERS,
		}),
		textField({
			name: 'qrExpirationTime',
			label: 'QR Expiration Time',
			to: 'qrExpirationTime',
			optional: true,
			group: 'Deposit',
			validate: clockTime(),
			placeholder: 'e.g. 01:30:00',
			description: 'When the QR code expires: HH:MM:SS, 00:00:00 to 23:59:59',
			headerAliases: { names: ['Vencimiento del QR', 'Expiración del QR', 'QR expiration'] },
		}),
	],
	first: ['fiatAmount', 'cryptoAmount', 'fiatCurrency', 'country', 'description'],
	fundingField: 'fundingSource',
	amount: ({ fundingSource, fiatAmount, fiatCurrency, cryptoAmount, asset }) =>
		fundingSource === 'conversion'
			? moneyOf(cryptoAmount, asset)
			: moneyOf(fiatAmount, fiatCurrency),
	// Without conversion it is the amount that was sent, and with conversion the crypto amount is.
	echoes: ({ fiatAmount, cryptoAmount, asset, fiatCurrency, country }) => ({
		// The service may round an amount to cents.
		...(hasCents(fiatAmount) && { calculatedFiatAmount: fiatAmount }),
		requestedCryptoAmount: cryptoAmount,
		asset,
		fiatCurrency,
		country,
	}),
	output: {
		type: 'string',
		referenceId: 'string',
		country: 'string',
		countryName: 'string',
		requestedCryptoAmount: 'string',
		asset: 'string',
		calculatedFiatAmount: 'string',
		fiatCurrency: 'string',
		exchangeRate: 'string',
		transactionStatus: 'string',
		feeAmount: 'string',
	},
	simplified: ['calculatedFiatAmount', 'fiatCurrency', 'qrCodeBase64'],
	created(response) {
		return createdIn(textIn(response, 'transactionId'), { status: response.transactionStatus });
	},
	toItem,
});

function hasCents(amount: unknown): boolean {
	return decimalPlaces(canonicalAmount(amount) ?? '') <= 2;
}

/** Moves the image from the JSON to the binary field `data`. An image that cannot be read stays in the JSON. */
async function toItem(
	context: IExecuteFunctions,
	response: IDataObject,
	itemIndex: number,
	reference: string,
): Promise<Pick<INodeExecutionData, 'json' | 'binary'>> {
	const { qrCodeBase64, ...json } = response;
	const image = pngFrom(qrCodeBase64);
	if (!image) return { json: response };

	const fileName = `${reference.replace(/[^\p{L}\p{N}._-]+/gu, '_').slice(0, REFERENCE.max)}.png`;
	const binary = await context.helpers.prepareBinaryData(image, fileName, 'image/png');
	const keepText = isOn(context.getNodeParameter(`${COLLECTION}.includeBase64`, itemIndex, false));
	return { json: keepText ? response : json, binary: { data: binary } };
}

/** The bytes of a PNG in a data URI or base64 text; undefined if it is not a PNG. */
function pngFrom(value: unknown): Buffer | undefined {
	if (typeof value !== 'string') return undefined;
	const image = Buffer.from(value.slice(value.indexOf(',') + 1), 'base64');
	const isPng = image.subarray(0, 4).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47]));
	return isPng ? image : undefined;
}
