import type {
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
} from 'n8n-workflow';

import { toOperationError } from '../../service/nodeErrors';
import { tell } from '../operations/messages';

/** The editor asks for more when it is scrolled to the end. */
const PAGE_SIZE = 100;

/** The entries whose name or value contains what the user typed, a page at a time. */
export function searchResult(
	entries: INodeListSearchItems[],
	filter = '',
	paginationToken?: unknown,
): INodeListSearchResult {
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
}

/** A long address as people compare it: its beginning and its end. */
export function shortened(address: string): string {
	return address.length > 14 ? `${address.slice(0, 6)}…${address.slice(-4)}` : address;
}

/** In place of the list: why it is empty. */
export function notListed(context: ILoadOptionsFunctions, error: Error): never {
	throw toOperationError(context.getNode(), tell('listNotShown', { reason: error.message }));
}
