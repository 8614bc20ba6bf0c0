import { getFromList } from '../../operations/list';
import { WALLET_LOCATOR, WALLETS } from './shared';

/** Section 4.4. */
export const get = getFromList(
	WALLETS,
	{
		action: 'Get wallet',
		description: 'Get one of your wallets. Use it to see its assets and addresses.',
	},
	{
		displayName: 'Wallet',
		name: 'walletId',
		required: true,
		description: 'The wallet to get',
		...WALLET_LOCATOR,
	},
	'walletId',
);
