import { textField } from '../../../fields/field';
import { toProperties } from '../../../fields/form';
import { objectIn } from '../../../service/responses';
import type { Operation } from '../../operations/operation';
import { pathId, requestBody } from '../../operations/itemParameters';
import { WALLET, WALLET_LOCATOR, WALLETS_PATH } from './shared';

// The values of both are not documented for this endpoint, so any text is accepted.
const FIELDS = [
	textField({
		name: 'symbol',
		label: 'Symbol',
		to: 'symbol',
		required: true,
		placeholder: 'e.g. USDC',
		description: 'Symbol of the asset to add',
	}),
	textField({
		name: 'blockchain',
		label: 'Blockchain',
		to: 'blockchain',
		required: true,
		placeholder: 'e.g. Polygon',
		description: 'Blockchain of the asset to add',
	}),
];

/** Section 4.5: `POST /v2/wallets/{id}/assets`. */
export const addAsset: Operation = {
	value: 'addAsset',
	name: 'Add Asset',
	action: 'Add asset to wallet',
	description:
		'Add an asset on a blockchain to one of your wallets, which then has an address for it. The service cannot remove an asset.',
	properties: [
		{
			displayName: 'Wallet',
			name: 'walletId',
			required: true,
			description: 'The wallet that gets the asset',
			...WALLET_LOCATOR,
		},
		...toProperties(FIELDS),
	],
	output: WALLET,
	async executeItem(service, itemIndex) {
		const id = pathId(this, 'Wallet', 'walletId', itemIndex);
		const body = requestBody(this, FIELDS, itemIndex);
		const response = await service.request({
			method: 'POST',
			path: `${WALLETS_PATH}/${id}/assets`,
			body,
		});
		return [{ json: objectIn(response) }];
	},
};
