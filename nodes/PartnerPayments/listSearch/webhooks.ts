import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { listWebhooks } from '../../events/webhooks';
import { Service } from '../../service/transport';
import { notListed, searchResult } from './results';

/** Webhooks by what a person recognises: description, address without its query, and status. */
export async function searchWebhooks(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: unknown,
): Promise<INodeListSearchResult> {
	const service = await Service.connect(this);
	const webhooks = await listWebhooks(service).catch((error: Error) => notListed(this, error));
	return searchResult(
		webhooks.map(({ id, description, address, status }) => ({
			name: `${description ? `${description}: ` : ''}${address.split('?')[0]} (${status})`,
			value: id,
		})),
		filter,
		paginationToken,
	);
}
