import { listOperation } from '../../../shared/operation';
import { WALLET } from './wallet';

/** Section 4.4: `GET /v2/wallets`, which wraps its list in an object. */
export const getAll = listOperation({
	name: 'Get Many',
	action: 'Get many wallets',
	description:
		'Get your wallets with their assets and blockchain addresses. Use it to find the wallet that a crypto payout leaves.',
	output: WALLET,
	path: '/v2/wallets',
	key: 'wallets',
});
