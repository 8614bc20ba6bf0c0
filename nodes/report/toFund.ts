import type { IDataObject } from 'n8n-workflow';

import { grouped } from '../fields/grouped';
import { addDecimals } from '../fields/money';
import { parseObject } from '../service/json';

/** Crypto that somebody has to send so that a created payment moves. */
export interface ToFund extends IDataObject {
	/** Decimal text. Empty if the service names an address alone. */
	amount: string;
	asset: string;
	blockchain: string;
	/** Empty if the service names an amount alone. */
	address: string;
}

/** What several payments wait for, with one asset on one blockchain. */
export type FundingSum = ToFund & {
	count: number;
	/** How many of them have no known amount: the sum does not include them. */
	unknownAmounts: number;
};

/** What a result says to fund: an object, or its JSON text, which a data table can store. */
export function readToFund(value: unknown): ToFund | undefined {
	return parseObject(value) as ToFund | undefined;
}

/**
 * What payments wait for, by asset and blockchain.
 *
 * @returns sums with the address, if it is the same for all
 */
export function sumsToFund(funds: readonly ToFund[]): FundingSum[] {
	const kinds = grouped(funds, ({ asset, blockchain }) => JSON.stringify([asset, blockchain]));
	return [...kinds.values()].map((list) => {
		const known = list.map(({ amount }) => amount).filter((amount) => DECIMAL.test(amount));
		const [{ asset, blockchain, address }] = list;
		return {
			amount: known.length === 0 ? '' : addDecimals(known),
			asset,
			blockchain,
			address: list.every((one) => one.address === address) ? address : '',
			count: list.length,
			unknownAmounts: list.length - known.length,
		};
	});
}

const DECIMAL = /^\d{1,40}(\.\d{1,20})?$/;
