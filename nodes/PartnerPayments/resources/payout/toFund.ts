import type { IDataObject } from 'n8n-workflow';

import type { Values } from '../../../fields/validators';
import type { ToFund } from '../../../payments/endpoint';
import { canonicalAmount } from '../../../payments/totals';
import { textIn } from '../../../service/responses';

/** Sections 4.6 and 4.11: what the service assumes if the request has no asset or blockchain. */
const DEFAULTS = { asset: 'USDC', blockchain: 'Polygon' };

/** What a payout funded by conversion waits for, as its response says. An amount of zero is nothing. */
export function toFund(
	{ assetDeposit, blockchain }: Values,
	answer: IDataObject,
): ToFund | undefined {
	const amount = canonicalAmount(answer.amount_deposit) ?? '';
	const address = textIn(answer, 'deposit_address') ?? '';
	if (amount === '0' || (amount === '' && address === '')) return undefined;
	return {
		amount,
		asset: String(assetDeposit ?? DEFAULTS.asset),
		blockchain: String(blockchain ?? DEFAULTS.blockchain),
		address,
	};
}
