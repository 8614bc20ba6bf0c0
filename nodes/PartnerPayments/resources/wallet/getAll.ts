import { listOperation } from '../../../shared/operation';

/** Section 4.4: `GET /v2/wallets`, which wraps its list in an object. */
export const getAll = listOperation({
	name: 'Get Many',
	action: 'Get many wallets',
	description: 'Get your wallets with their assets and blockchain addresses',
	path: '/v2/wallets',
	key: 'wallets',
});
