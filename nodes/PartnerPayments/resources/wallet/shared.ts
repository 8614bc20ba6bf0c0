import type { IDataObject } from 'n8n-workflow';

import { locator } from '../../../fields/field';
import type { Output } from '../../../fields/form';
import { shownValue } from '../../../report/shownText';
import { entriesIn, isNamed } from '../../../service/responses';
import type { Service } from '../../../service/transport';

/** Sections 4.4 and 4.5. */
export const WALLETS_PATH = '/v2/wallets';

/** Section 2.3. */
export const WALLET: Output = {
	walletId: 'string',
	status: 'string',
	createdAt: 'string',
	assets: [
		{
			id: 'string',
			symbol: 'string',
			blockchain: 'string',
			walletAddress: 'string',
			legacyAddress: 'string',
		},
	],
};

/** Section 4.4: `GET /v2/wallets`. */
export const WALLETS = {
	read: listWallets,
	output: WALLET,
	simplified: ['walletId', 'status', 'assets'],
};

/** Chooses a wallet from the account's list or by its ID. */
export const WALLET_LOCATOR = locator('searchWallets', 'e.g. 1b9d6bcd-bbfd-…');

/** The list of wallets, which is in an object. */
export async function listWallets(service: Service): Promise<IDataObject[]> {
	const answer = await service.request({ method: 'GET', path: WALLETS_PATH });
	return entriesIn(answer, 'wallets');
}

export function assetName({ symbol, blockchain }: IDataObject): string {
	return `${shownValue(symbol)} on ${shownValue(blockchain)}`;
}

/** Whether an asset of a wallet is this one. */
export function isAsset(
	{ symbol, blockchain }: IDataObject,
	wanted: { asset: string; blockchain: string },
): boolean {
	return isNamed(symbol, wanted.asset) && isNamed(blockchain, wanted.blockchain);
}
