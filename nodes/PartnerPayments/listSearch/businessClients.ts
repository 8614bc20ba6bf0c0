import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { listIn } from '../../service/answers';
import { Service } from '../../service/transport';
import { BUSINESS_CLIENTS_PATH } from '../resources/businessClient/businessClient';
import { notListed, searchResult } from './results';

/** Clients by what a person recognises: name, email and status (section 4.3). */
export async function searchBusinessClients(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: unknown,
): Promise<INodeListSearchResult> {
	const service = await Service.connect(this);
	const answer = await service
		.request({ method: 'GET', path: BUSINESS_CLIENTS_PATH })
		.catch((error: Error) => notListed(this, error));
	return searchResult(
		listIn(answer).map(({ id, name, email, status }) => ({
			name: `${String(name)}${email ? `, ${String(email)}` : ''} (${String(status)})`,
			value: String(id),
		})),
		filter,
		paginationToken,
	);
}
