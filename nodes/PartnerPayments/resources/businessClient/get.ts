import type { Operation } from '../../operations/operation';
import { entryWithId, pathId } from '../../operations/itemParameters';
import {
	BUSINESS_CLIENT,
	BUSINESS_CLIENT_LOCATOR,
	listBusinessClients,
	SIMPLIFIED_CLIENT,
} from './shared';

export { BUSINESS_CLIENT as OUTPUT };

/** Section 4.3: the service has no endpoint for one client, so this reads the list. */
export const get: Operation = {
	value: 'get',
	name: 'Get',
	action: 'Get business client',
	description: 'Get one of your clients. Use it to see whether it is verified.',
	properties: [
		{
			displayName: 'Client',
			name: 'clientId',
			required: true,
			description: 'The client to get',
			...BUSINESS_CLIENT_LOCATOR,
		},
	],
	output: BUSINESS_CLIENT,
	simplified: SIMPLIFIED_CLIENT,
	async executeItem(service, itemIndex) {
		const id = pathId(this, 'Client', 'clientId', itemIndex);
		return [entryWithId(this, await listBusinessClients(service), 'id', id, itemIndex)];
	},
};
