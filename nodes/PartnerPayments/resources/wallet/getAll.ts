import { type Operation, toItems } from '../../operations/operation';
import { LIST_PROPERTIES, readLimit } from '../../operations/itemParameters';
import { listWallets, SIMPLIFIED_WALLET, WALLET } from './shared';

export { WALLET as OUTPUT };

/** Section 4.4: `GET /v2/wallets`. */
export const getAll: Operation = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many wallets',
	description:
		'Get your wallets with their assets and addresses. Use it to find the wallet for a crypto payout.',
	properties: LIST_PROPERTIES,
	output: WALLET,
	simplified: SIMPLIFIED_WALLET,
	async executeItem(service, itemIndex) {
		const wanted = readLimit(this, itemIndex);
		return toItems((await listWallets(service)).slice(0, wanted));
	},
};
