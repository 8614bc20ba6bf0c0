import type {
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
	INodeProperties,
} from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

/** The part of a parameter's description by which an entry is picked. */
export type Locator = Pick<INodeProperties, 'type' | 'default' | 'modes'>;

/** The editor asks for more when it is scrolled to the end. */
const PAGE_SIZE = 100;

/** The parts of a parameter by which a user picks an entry of a list, or enters its ID. */
export function locator(searchListMethod: string, placeholder: string): Locator {
	return {
		type: 'resourceLocator',
		default: { mode: 'list', value: '' },
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				typeOptions: { searchListMethod, searchable: true },
			},
			{
				displayName: 'By ID',
				name: 'id',
				type: 'string',
				placeholder,
				validation: [
					{
						type: 'regex',
						properties: {
							regex: '^\\s*[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\\s*$',
							errorMessage: 'An ID is a UUID, such as 1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed',
						},
					},
				],
			},
		],
	};
}

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
	throw new NodeOperationError(context.getNode(), `The list cannot be shown. ${error.message}`, {
		description: 'The ID can be entered with By ID.',
	});
}
