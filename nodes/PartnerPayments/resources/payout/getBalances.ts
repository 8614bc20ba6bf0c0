import { listIn } from '../../../service/responses';
import { eachItem, type Operation, toItems } from '../../operations/operation';

/** Section 4.9: the balances that payouts are made from. */
export const BALANCES_PATH = '/v2/transactions/payouts/balance';

/** Section 4.9: `GET /v2/transactions/payouts/balance`. */
export const getBalances: Operation = {
	value: 'getBalances',
	name: 'Get Balances',
	action: 'Get payout balances',
	description:
		'Get what is available for payouts, per account type and currency. Use it before payouts that are funded from the balance.',
	properties: [],
	output: {
		type: 'string',
		balance: 'number',
		fiat: 'string',
		lastCredit: 'string',
		lastDebit: 'string',
	},
	async execute() {
		return await eachItem(this, async (service) =>
			toItems(listIn(await service.request({ method: 'GET', path: BALANCES_PATH }))),
		);
	},
};
