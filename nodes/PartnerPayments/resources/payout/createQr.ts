import type { IExecuteFunctions } from 'n8n-workflow';

import { positiveAmount, referenceText, type Values } from '../../../fields/validators';
import { amountField, choiceField, textField } from '../../../fields/field';
import type { ValidationError } from '../../../fields/validateFields';
import { AMOUNT_HEADERS, REFERENCE_HEADERS } from '../../../fields/headers';
import { userMessage } from '../../../messages/userMessage';
import { createdIn, objectsIn, textIn } from '../../../service/responses';
import { moneyOf } from '../../../batch/totals';
import { moneyOperation } from '../../operations/moneyOperation';
import {
	CONVERSION,
	CONVERSION_FUNDING,
	conversionFields,
	FUNDING_SOURCE,
	REAL_MONEY,
} from './toFund';

const MAX_REFERENCE = 32;

/** The currency of an amount from the balance, which only the QR code knows. */
const QR_CURRENCY = 'QR';

/** Where the QR code comes from. This field is not sent. */
const QR_SOURCES = [
	{ name: 'Binary File', value: 'binary', description: 'An image or text file of the input item' },
	{
		name: 'Text',
		value: 'text',
		description: 'The content of the QR code, or its image as base64',
	},
];

/** Section 4.11: `POST /v2/transactions/payouts/qr`. */
export const QR_PAYOUT: Parameters<typeof moneyOperation>[0] = {
	value: 'createQr',
	name: 'Create QR Payout',
	action: 'Create QR payout',
	description:
		'Pay a QR code of somebody else, such as a shop. This moves real money as soon as the service accepts it.',
	notice: REAL_MONEY,
	path: '/v2/transactions/payouts/qr',
	output: {
		external_reference: 'string',
		transactions: { transaction_id: 'string', status: 'string', message: 'string' },
		amount_deposit: 'string',
		deposit_address: 'string',
	},
	simplified: ['deposit_address', 'amount_deposit'],
	reference: { field: 'externalReference', form: 'hex32' },
	paysOut: true,
	payee: ({ image }) => (image === undefined ? undefined : { id: String(image), account: '' }),
	fields: [
		choiceField({
			name: 'qrSource',
			label: 'QR Source',
			options: QR_SOURCES,
			default: 'text',
			required: true,
			description: 'Where the QR code comes from',
		}),
		textField({
			name: 'image',
			label: 'QR Content',
			to: 'image',
			required: true,
			onlyWhen: { qrSource: ['text'] },
			placeholder: 'e.g. 00020101021226580014…6304A13F',
			description: 'Content of the QR code to pay',
			headerAliases: { names: ['QR', 'Código QR', 'Contenido QR', 'Contenido del QR', 'QR code'] },
		}),
		textField({
			name: 'binaryPropertyName',
			label: 'Input Binary Field',
			to: 'image',
			required: true,
			default: 'data',
			onlyWhen: { qrSource: ['binary'] },
			hint: 'The name of the input field that holds the QR code file',
			description: 'An image is sent as a base64 data URI, a text file as its text',
		}),
		FUNDING_SOURCE,
		amountField({
			name: 'amount',
			label: 'Amount',
			to: 'amount',
			requiredWhen: CONVERSION,
			validate: positiveAmount(),
			placeholder: 'e.g. 25',
			description:
				'Amount of this payment. From the balance, only a QR code without an amount needs it. Its unit is not documented, so try a small one first.',
			headerAliases: AMOUNT_HEADERS,
		}),
		...conversionFields({ requiredWhen: CONVERSION }),
		textField({
			name: 'externalReference',
			label: 'External Reference',
			to: 'external_reference',
			required: true,
			validate: referenceText({ max: MAX_REFERENCE }),
			placeholder: 'e.g. QR-2026-…',
			description: `Your own unique reference for this payment, at most ${MAX_REFERENCE} characters. Keep it if you run the payment again: the node sends no reference twice.`,
			headerAliases: REFERENCE_HEADERS,
		}),
	],
	first: ['amount'],
	fundingField: 'fundingSource',
	amount: ({ amount, assetDeposit, fundingSource }) =>
		moneyOf(amount, fundingSource === 'balance' ? QR_CURRENCY : assetDeposit),
	readBinary,
	funding: CONVERSION_FUNDING,
	created(response) {
		// Documented as one object, but the response depends on the QR provider.
		const [id] = objectsIn(response.transactions).flatMap(
			(transaction) => textIn(transaction, 'transaction_id') ?? [],
		);
		return createdIn(id, response.transactions);
	},
};

export const createQr = moneyOperation(QR_PAYOUT);

/** Replaces the name of an input binary field with the QR content of its file: text, or a data URI. */
async function readBinary(
	context: IExecuteFunctions,
	values: Values,
	itemIndex: number,
): Promise<ValidationError[]> {
	const name = values.binaryPropertyName;
	if (name === undefined) return [];
	const binary = context.getInputData()[itemIndex].binary;
	const file = binary && Object.hasOwn(binary, String(name)) ? binary[String(name)] : undefined;
	if (!file) {
		return [
			{
				field: 'Input Binary Field',
				value: JSON.stringify(name),
				...userMessage('noBinaryFile'),
			},
		];
	}
	const content = await context.helpers.getBinaryDataBuffer(itemIndex, String(name));
	delete values.binaryPropertyName;
	values.image = file.mimeType.startsWith('text/')
		? content.toString('utf8').trim()
		: `data:${file.mimeType};base64,${content.toString('base64')}`;
	return [];
}
