import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
} from 'n8n-workflow';

import { shownValue } from '../../report/shownText';
import { listWebhooks } from '../../logs/webhooks';
import { objectsIn } from '../../service/responses';
import { toOperationError } from '../../service/errors';
import { Service } from '../../service/transport';
import { userMessage } from '../../messages/userMessage';
import { assetName, listWallets } from '../resources/wallet/shared';

/** Entries that the editor gets at once. At the end of the list, it asks for more. */
const PAGE_SIZE = 100;

/** The node's `listSearch`: the lists that the editor offers. */
export const LISTS = {
	/** Assets, addresses and status (section 4.4). */
	searchWallets: search(async (service) =>
		(await listWallets(service)).map((wallet) => ({
			name: walletName(wallet),
			value: shownValue(wallet.walletId),
		})),
	),

	/** Description, address without its query, and status. */
	searchWebhooks: search(async (service) =>
		(await listWebhooks(service)).map(({ id, description, address, status }) => ({
			name: `${description ? `${description}: ` : ''}${address.split('?')[0]} (${status})`,
			value: id,
		})),
	),
};

/** Finds the entries whose name or value contains the user's text, a page at a time. */
function search(read: (service: Service) => Promise<INodeListSearchItems[]>) {
	return async function (
		this: ILoadOptionsFunctions,
		filter = '',
		paginationToken?: unknown,
	): Promise<INodeListSearchResult> {
		const service = await Service.connect(this);
		const entries = await read(service).catch((error: Error) => {
			throw toOperationError(this, userMessage('listNotShown', { reason: error.message }));
		});
		const wanted = filter.trim().toLowerCase();
		const matching = entries.filter(({ name, value }) =>
			`${name} ${value}`.toLowerCase().includes(wanted),
		);
		const start = Number(paginationToken ?? 0);
		const next = start + PAGE_SIZE;
		return {
			results: matching.slice(start, next),
			...(next < matching.length && { paginationToken: String(next) }),
		};
	};
}

function walletName({ assets, status, walletId }: IDataObject): string {
	const held = objectsIn(assets).map((asset) =>
		`${assetName(asset)} ${shortened(shownValue(asset.walletAddress))}`.trim(),
	);
	const name = held.length
		? held.join(', ')
		: `Wallet ${shortened(shownValue(walletId))} (no assets)`;
	return status === 'ACTIVE' ? name : `${name} (${shownValue(status)})`;
}

/** The beginning and the end of a long address, which people compare. */
function shortened(address: string): string {
	return address.length > 14 ? `${address.slice(0, 6)}…${address.slice(-4)}` : address;
}
