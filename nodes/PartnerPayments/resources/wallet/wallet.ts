import { locator } from '../../../fields/locator';
import type { OutputShape } from '../../../fields/outputShape';

/** Sections 4.4 and 4.5. */
export const WALLETS_PATH = '/v2/wallets';

/** How a wallet is chosen: from the account's list, or by its ID. */
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
