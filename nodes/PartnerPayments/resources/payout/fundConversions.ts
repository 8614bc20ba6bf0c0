import type { IDataObject } from 'n8n-workflow';

import { addressKey } from '../../../fields/addresses';
import { textField, type Field } from '../../../fields/field';
import { idempotencyKey } from '../../../fields/text';
import { showValue } from '../../../fields/validateFields';
import type { Values } from '../../../fields/validators';
import {
	userMessage,
	fail,
	ok,
	type Result,
	type UserMessage,
} from '../../../messages/userMessage';
import { generatedReference } from '../../../reference/batchIdentity';
import { canonicalAmount } from '../../../batch/totals';
import { shownValue } from '../../../report/shownText';
import { readToFund } from '../../../report/toFund';
import { isObject } from '../../../service/json';
import { objectsIn, textIn } from '../../../service/responses';
import { hasMovedOn, statusText } from '../../../service/transactionStatus';
import type { Service } from '../../../service/transport';
import { moneyOperation } from '../../operations/moneyOperation';
import { UNKNOWN_OUTCOMES } from '../transaction/lookup';
import { assetName, isAsset, listWallets } from '../wallet/shared';
import { CRYPTO_PAYOUT } from './createCrypto';

/** The payout that is funded, and what its answer says: not sent, and not in the form. */
const FUNDED = [
	textField({
		name: 'fundedTransactionId',
		label: 'Transaction ID',
		required: true,
		description: '',
	}),
	textField({ name: 'fundedReference', label: 'Reference', description: '' }),
	textField({ name: 'answeredAmount', label: 'Amount in the Answer', description: '' }),
	textField({ name: 'answeredAsset', label: 'Asset in the Answer', description: '' }),
	textField({ name: 'answeredAddress', label: 'Address in the Answer', description: '' }),
];

const WALLET = 'walletId';

/** How the fields of a crypto payout differ here. */
const CHANGES: Record<string, (field: Field) => Field> = {
	amount: (field) => asAnswered(asWritten(field), 'answeredAmount', (amount) => amount),
	asset: (field) => asAnswered(field, 'answeredAsset', idempotencyKey),
	destinationWallet: (field) => asAnswered(field, 'answeredAddress', addressKey),
};

const FIELDS = [
	...FUNDED,
	...CRYPTO_PAYOUT.fields.map((field) => CHANGES[field.name]?.(field) ?? field),
];

/**
 * A field whose value has to be what the payout's answer says, if the item still has the answer: `toFund` may have been
 * changed on its way.
 */
function asAnswered(field: Field, answered: string, keyOf: (value: string) => string): Field {
	return {
		...field,
		validate(raw, values, format) {
			const result = field.validate(raw, values, format);
			const answer = values[answered];
			if (!result.ok || answer === undefined) return result;
			return keyOf(String(result.value)) === keyOf(String(answer))
				? result
				: fail(userMessage('notAsAnswered', { answer: showValue(answer) }));
		},
	};
}

/** An amount that the service writes, with a dot: three decimals are no thousands. */
function asWritten(field: Field): Field {
	return {
		...field,
		validate: (raw, values) => field.validate(raw, values, { decimal: '.', isChosen: true }),
	};
}

/**
 * Funds payouts that wait for crypto: a crypto payout (section 4.10) for each, with what the payout's own answer says.
 * The reference is generated from the funded transaction, so that none is funded twice.
 */
export const fundConversions = moneyOperation({
	...CRYPTO_PAYOUT,
	value: 'fundConversions',
	name: 'Fund Conversions',
	action: 'Fund conversions',
	description:
		'Send the crypto that payouts with conversion wait for. The input is their results, with toFund. This moves real money and cannot be undone.',
	fields: FIELDS,
	output: {
		fundedTransactionId: 'string',
		fundedReference: 'string',
		...CRYPTO_PAYOUT.output,
	},
	simplified: ['fundedTransactionId', 'fundedReference'],
	// Two payouts may wait for the same amount at the same address, but none is funded twice, by any account.
	purpose: 'fundedTransactionId',
	reportsDuplicates: false,
	fromResults: {
		fields: FIELDS.map(({ name }) => name).filter((name) => name !== WALLET),
		read,
		transactionId: ({ fundedTransactionId }) => String(fundedTransactionId),
		validate: fitWallet,
		rowFields: ({ fundedTransactionId = '', fundedReference = '' }) => ({
			fundedTransactionId,
			fundedReference,
		}),
		toFund: ({ amount, asset, blockchain, destinationWallet }) => ({
			amount: String(amount),
			asset: String(asset),
			blockchain: String(blockchain),
			address: String(destinationWallet),
		}),
	},
});

/** What to send for the result of a payout. */
function read(item: IDataObject): Result<Record<string, unknown>> {
	const result = isObject(item.error) ? item.error : item;
	const outcome = String(result.outcome ?? '');
	const toFund = readToFund(result.toFund);
	if (!['', 'created', ...UNKNOWN_OUTCOMES].includes(outcome)) {
		return fail(userMessage('nothingToFund'));
	}
	const isUnknown = UNKNOWN_OUTCOMES.includes(outcome) || result.isFundingUnknown === true;
	if (outcome === 'unknown' || (!toFund && isUnknown)) {
		return fail(userMessage('fundingUnknown', { outcome }));
	}
	if (!toFund) return fail(userMessage('nothingToFund'));
	const status = statusText(result.status);
	if (hasMovedOn(status)) return fail(userMessage('movedOn', { status }));
	const { transactionId, reference } = result;
	return ok({
		fundedTransactionId: transactionId,
		fundedReference: reference,
		answeredAmount: canonicalAmount(result.amount_deposit),
		answeredAsset: textIn(result, 'asset_deposit'),
		answeredAddress: textIn(result, 'deposit_address'),
		destinationWallet: toFund.address,
		amount: toFund.amount,
		asset: toFund.asset,
		blockchain: toFund.blockchain,
		externalReference: generatedReference(
			[CRYPTO_PAYOUT.path, 'fund', idempotencyKey(String(transactionId))],
			'uuid',
		),
	});
}

/** Why the chosen wallet cannot fund payouts (section 4.4). */
async function fitWallet(
	service: Service,
	rows: Values[],
): Promise<Array<UserMessage | undefined>> {
	const wallets = await listWallets(service);
	return rows.map(({ walletId, asset, blockchain }) => {
		const wanted = { asset: String(asset), blockchain: String(blockchain) };
		const id = String(walletId);
		const wallet = wallets.find(
			(one) => idempotencyKey(shownValue(one.walletId)) === idempotencyKey(id),
		);
		if (!wallet) return userMessage('walletNotFound', { wallet: id });
		const held = objectsIn(wallet.assets);
		if (held.some((one) => isAsset(one, wanted))) return undefined;
		const assets = held.map(assetName);
		return userMessage('walletWithoutAsset', { ...wanted, assets: assets.join(', ') || 'nothing' });
	});
}
