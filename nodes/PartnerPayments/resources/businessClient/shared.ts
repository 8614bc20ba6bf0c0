import type { IDataObject } from 'n8n-workflow';

import type { Output } from '../../../fields/form';
import { entriesIn } from '../../../service/responses';
import type { Service } from '../../../service/transport';

/** Sections 4.2 and 4.3. */
export const BUSINESS_CLIENTS_PATH = '/v2/business-clients';

/** Section 2.2. */
export const CLIENT_TYPES = [
	{ name: 'Company', value: 'company' },
	{ name: 'Individual', value: 'individual' },
];

/** Sections 2.2 and 4.3: `GET /v2/business-clients`. */
export const BUSINESS_CLIENTS = {
	read: listBusinessClients,
	output: {
		id: 'string',
		name: 'string',
		type: 'string',
		status: 'string',
		country: 'string',
		email: 'string',
		externalClientId: 'string',
	} satisfies Output,
	simplified: ['id', 'name', 'type', 'status'],
};

export async function listBusinessClients(service: Service): Promise<IDataObject[]> {
	return entriesIn(await service.request({ method: 'GET', path: BUSINESS_CLIENTS_PATH }));
}
