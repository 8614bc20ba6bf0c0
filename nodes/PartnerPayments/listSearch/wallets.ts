import type { IDataObject, ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { listIn } from '../../service/answers';
import { Service } from '../../service/transport';
import { WALLETS_PATH } from '../resources/wallet/wallet';
import { notListed, searchResult, shortened } from './results';

/** Wallets by what a person recognises: their assets, addresses and status (section 4.4). */
export async function searchWallets(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: unknown,
): Promise<INodeListSearchResult> {
	const service = await Service.connect(this);
	const answer = await service
		.request({ method: 'GET', path: WALLETS_PATH })
		.catch((error: Error) => notListed(this, error));
	return searchResult(
		listIn(answer, 'wallets').map((wallet) => ({
			name: walletName(wallet),
			value: String(wallet.walletId),
		})),
		filter,
		paginationToken,
	);
}

function walletName({ assets, status, walletId }: IDataObject): string {
	const held = (Array.isArray(assets) ? (assets as IDataObject[]) : []).map(
		({ symbol, blockchain, walletAddress }) =>
			`${String(symbol)} on ${String(blockchain)} ${shortened(String(walletAddress ?? ''))}`.trim(),
	);
	const name = held.length ? held.join(', ') : `Wallet ${shortened(String(walletId))} (no assets)`;
	return status === 'ACTIVE' ? name : `${name} (${String(status)})`;
}
