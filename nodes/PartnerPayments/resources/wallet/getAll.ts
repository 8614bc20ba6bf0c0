import { listIn } from '../../../service/answers';
import { eachItem, toItems } from '../../operations/eachItem';
import { LIST_PROPERTIES, wantedCount } from '../../operations/getMany';
import type { Operation } from '../../operations/operation';
import { WALLET, WALLETS_PATH } from './wallet';

/** Section 4.4: `GET /v2/wallets`, which wraps its list in an object. */
export const getAll: Operation = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many wallets',
	description:
		'Get your wallets with their assets and blockchain addresses. Use it to find the wallet that a crypto payout leaves.',
	properties: LIST_PROPERTIES,
	output: WALLET,
	async execute() {
		return await eachItem(this, async (service, itemIndex) => {
			const wanted = wantedCount(this, itemIndex);
			const answer = await service.request({ method: 'GET', path: WALLETS_PATH });
			return toItems(listIn(answer, 'wallets').slice(0, wanted));
		});
	},
};
