import { getMany } from '../../operations/list';
import { WALLETS } from './shared';

/** Section 4.4. */
export const getAll = getMany(WALLETS, {
	action: 'Get many wallets',
	description:
		'Get your wallets with their assets and addresses. Use it to find the wallet for a crypto payout.',
});
