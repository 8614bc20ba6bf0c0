import type { IDataObject } from 'n8n-workflow';

import type { Values } from '../../../fields/validators';
import type { ToFund } from '../../../payments/endpoint';
import { canonicalAmount } from '../../../payments/totals';
import { isObject, textIn } from '../../../service/responses';

/** Sections 4.6 and 4.11: what the service assumes if the request has no asset or blockchain. */
const DEFAULTS = { asset: 'USDC', blockchain: 'Polygon' };

/** What a result says to fund: an object, or its JSON text, which a data table can store. */
export function readToFund(value: unknown): ToFund | undefined {
	try {
		const parsed: unknown = typeof value === 'string' ? JSON.parse(value) : value;
		return isObject(parsed) ? (parsed as ToFund) : undefined;
	} catch {
		return undefined;
	}
}

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
