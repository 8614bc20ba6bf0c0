import type { Operation } from '../../operations/operation';
import { entryWithId, pathId } from '../../operations/itemParameters';
import { listWallets, SIMPLIFIED_WALLET, WALLET, WALLET_LOCATOR } from './shared';

export { WALLET as OUTPUT };

/** Section 4.4: the service has no endpoint for one wallet, so this reads the list. */
export const get: Operation = {
	value: 'get',
	name: 'Get',
	action: 'Get wallet',
	description: 'Get one of your wallets. Use it to see its assets and addresses.',
	properties: [
		{
			displayName: 'Wallet',
			name: 'walletId',
			required: true,
			description: 'The wallet to get',
			...WALLET_LOCATOR,
		},
	],
	output: WALLET,
	simplified: SIMPLIFIED_WALLET,
	async executeItem(service, itemIndex) {
		const id = pathId(this, 'Wallet', 'walletId', itemIndex);
		return [entryWithId(this, await listWallets(service), 'walletId', id, itemIndex)];
	},
};
