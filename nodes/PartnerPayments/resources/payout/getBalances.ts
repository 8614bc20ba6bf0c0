import { BALANCES_PATH } from '../../../batch/limits';
import { entriesIn } from '../../../service/responses';
import { type Operation, toItems } from '../../operations/operation';

/** Section 4.9: `GET /v2/transactions/payouts/balance`. */
export const getBalances: Operation = {
	value: 'getBalances',
	name: 'Get Balances',
	action: 'Get payout balances',
	description:
		'Get the balances for payouts by type and currency. Use it before payouts from the balance.',
	properties: [],
	output: {
		type: 'string',
		balance: 'number',
		fiat: 'string',
		lastCredit: 'string',
		lastDebit: 'string',
	},
	async executeItem(service) {
		return toItems(entriesIn(await service.request({ method: 'GET', path: BALANCES_PATH })));
	},
};
