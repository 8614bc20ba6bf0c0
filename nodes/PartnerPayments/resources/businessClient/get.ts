import { getFromList } from '../../operations/list';
import { BUSINESS_CLIENT_LOCATOR, BUSINESS_CLIENTS } from './shared';

/** Section 4.3. */
export const get = getFromList(
	BUSINESS_CLIENTS,
	{
		action: 'Get business client',
		description: 'Get one of your clients. Use it to see whether it is verified.',
	},
	{
		displayName: 'Client',
		name: 'clientId',
		required: true,
		description: 'The client to get',
		...BUSINESS_CLIENT_LOCATOR,
	},
	'id',
);
