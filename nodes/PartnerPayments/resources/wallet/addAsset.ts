import { textField } from '../../../fields/field';
import { toProperties } from '../../../fields/form';
import { objectIn } from '../../../service/responses';
import { eachItem, type Operation } from '../../operations/operation';
import { pathId, readBody } from '../../operations/itemParameters';
import { WALLET, WALLET_LOCATOR, WALLETS_PATH } from './getAll';

// The allowed values of both are not documented for this endpoint: any text is passed on.
const fields = [
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
		'Add an asset on a blockchain to one of your wallets, so that it gets an address for it. The service offers no way to remove one.',
	properties: [
		{
			displayName: 'Wallet',
			name: 'walletId',
			required: true,
			description: 'The wallet that gets the asset',
			...WALLET_LOCATOR,
		},
		...toProperties(fields),
	],
	output: WALLET,
	async execute() {
		return await eachItem(this, async (service, itemIndex) => {
			const id = pathId(this, 'Wallet', this.getNodeParameter('walletId', itemIndex), itemIndex);
			const body = readBody(this, fields, itemIndex);
			const answer = await service.request({
				method: 'POST',
				path: `${WALLETS_PATH}/${id}/assets`,
				body,
			});
			return [{ json: objectIn(answer) }];
		});
	},
};
