import { locator } from '../../../fields/locator';

/** Sections 4.2 and 4.3. */
export const BUSINESS_CLIENTS_PATH = '/v2/business-clients';

/** Section 2.2. */
export const CLIENT_TYPES = [
	{ name: 'Company', value: 'company' },
	{ name: 'Individual', value: 'individual' },
];

/** How a client is chosen: from the account's list, or by its ID. */
export const BUSINESS_CLIENT_LOCATOR = locator(
	'searchBusinessClients',
	'e.g. 3f2504e0-4f89-41d3-9a0c-0305e82c3301',
);
