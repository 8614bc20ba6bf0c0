import { locator } from '../../../fields/field';
import type { OutputShape } from '../../../fields/form';
import { listIn } from '../../../service/responses';
import { type Operation, toItems } from '../../operations/operation';
import { LIST_PROPERTIES, readLimit } from '../../operations/itemParameters';

/** Sections 4.4 and 4.5. */
export const WALLETS_PATH = '/v2/wallets';

/** Chooses a wallet from the account's list or by its ID. */
export const WALLET_LOCATOR = locator('searchWallets', 'e.g. 1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed');

/** Section 2.3. */
export const WALLET: OutputShape = {
	walletId: 'string',
	status: 'string',
	createdAt: 'string',
	assets: [
		{
			id: 'string',
			symbol: 'string',
			blockchain: 'string',
			walletAddress: 'string',
			legacyAddress: 'string',
		},
	],
};

/** Section 4.4: `GET /v2/wallets`. The list is in an object. */
export const getAll: Operation = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many wallets',
	description:
		'Get your wallets with their assets and addresses. Use it to find the wallet for a crypto payout.',
	properties: LIST_PROPERTIES,
	output: WALLET,
	async executeItem(service, itemIndex) {
		const wanted = readLimit(this, itemIndex);
		const response = await service.request({ method: 'GET', path: WALLETS_PATH });
		return toItems(listIn(response, 'wallets').slice(0, wanted));
	},
};
