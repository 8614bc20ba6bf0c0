import { addressKey } from '../../../fields/addresses';
import { cryptoAddress, decimalText, referenceText, uuid } from '../../../fields/validators';
import { amountField, choiceField, locatorField, textField } from '../../../fields/field';
import {
	AMOUNT_HEADERS,
	ASSET_HEADERS,
	BLOCKCHAIN_HEADERS,
	REFERENCE_HEADERS,
} from '../../../fields/headers';
import { pick } from '../../../fields/form';
import type { MoneyEndpoint } from '../../../batch/endpoint';
import { createdIn, textIn } from '../../../service/responses';
import { ASSETS, BLOCKCHAINS } from '../../../service/enums';
import { moneyOf } from '../../../batch/totals';
import { moneyOperation } from '../../operations/moneyOperation';
import { WALLET_LOCATOR } from '../wallet/shared';

const MAX_DECIMALS = 8;

/** Section 4.10: `POST /v2/transactions/payouts/crypto`. */
export const CRYPTO_PAYOUT: MoneyEndpoint = {
	name: 'Create Crypto Payout',
	notice:
		'This sends crypto and cannot be undone. Check the address and its blockchain. Dry Run validates without paying.',
	path: '/v2/transactions/payouts/crypto',
	reference: { field: 'externalReference', form: 'uuid', payeeField: 'destinationWallet' },
	paysOut: true,
	payeeName: ({ destinationWallet }) =>
		destinationWallet === undefined ? undefined : String(destinationWallet),
	paidTo: ({ blockchain }) => (blockchain === undefined ? undefined : String(blockchain)),
	payee: ({ destinationWallet, blockchain }) =>
		destinationWallet === undefined
			? undefined
			: {
					id: addressKey(String(destinationWallet)),
					account: String(blockchain),
				},
	reportsDuplicates: true,
	fields: [
		choiceField({
			name: 'blockchain',
			label: 'Blockchain',
			to: 'blockchain',
			required: true,
			options: BLOCKCHAINS,
			default: 'Polygon',
			description: 'Blockchain of the asset and of the destination address',
			headerAliases: BLOCKCHAIN_HEADERS,
		}),
		textField({
			name: 'destinationWallet',
			label: 'Destination Address',
			to: 'destinationWallet',
			required: true,
			validate: cryptoAddress(),
			placeholder: 'e.g. 0x52908400…4169EE7',
			description: 'External address that receives the crypto. A wrong address cannot be undone.',
			headerAliases: {
				names: [
					...['Dirección', 'Billetera'].flatMap((place) => [place, `${place} de destino`]),
					...['Dirección destino', 'Billetera destino', 'Wallet address', 'Address'],
				],
			},
		}),
		amountField({
			name: 'amount',
			label: 'Amount',
			to: 'amount',
			required: true,
			validate: decimalText(MAX_DECIMALS),
			placeholder: 'e.g. 100.25',
			description: `Amount of the asset to send, with at most ${MAX_DECIMALS} decimals`,
			headerAliases: AMOUNT_HEADERS,
		}),
		choiceField({
			name: 'asset',
			label: 'Asset',
			to: 'asset',
			required: true,
			options: ASSETS,
			default: 'USDC',
			description: 'Crypto asset to send',
			headerAliases: { names: [...(ASSET_HEADERS.names ?? []), 'Moneda', 'Currency'] },
		}),
		locatorField({
			name: 'walletId',
			label: 'Wallet',
			to: 'walletId',
			required: true,
			validate: uuid('Choose the wallet from the list, or enter its ID from Wallet > Get Many.'),
			locator: WALLET_LOCATOR,
			description: 'Your wallet that sends the crypto',
			headerAliases: { names: ['Billetera de origen', 'Billetera origen', 'Source wallet'] },
		}),
		textField({
			name: 'externalReference',
			label: 'External Reference',
			to: 'externalReference',
			required: true,
			optional: true,
			group: 'Reference',
			validate: referenceText(),
			placeholder: 'e.g. supplier-2026-…',
			description:
				'Your own unique reference for this payment. Keep it if you run the payment again: the node sends no reference twice.',
			headerAliases: REFERENCE_HEADERS,
		}),
	],
	first: ['amount', 'asset'],
	fundingField: 'walletId',
	amount: ({ amount, asset }) => moneyOf(amount, asset),
	echoes: (body) => pick(body, ['walletId', 'destinationWallet', 'amount', 'asset', 'blockchain']),
	output: {
		walletId: 'string',
		destinationWallet: 'string',
		amount: 'string',
		asset: 'string',
		blockchain: 'string',
		externalReference: 'string',
	},
	simplified: ['walletId', 'blockchain'],
	created(response) {
		return createdIn(textIn(response, 'transactionId'), response);
	},
};

export const createCrypto = moneyOperation({
	...CRYPTO_PAYOUT,
	value: 'createCrypto',
	action: 'Create crypto payout',
	description:
		'Send crypto from one of your wallets to an external address. This moves real money and cannot be undone. Use it only if the recipient has confirmed the address.',
});
