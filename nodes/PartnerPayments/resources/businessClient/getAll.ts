import { collection } from '../../../fields/form';
import { locator } from '../../../fields/field';
import { listIn } from '../../../service/responses';
import { type Operation, toItems } from '../../operations/operation';
import { isChosen, LIST_PROPERTIES, pathId, readLimit } from '../../operations/itemParameters';

/** Sections 4.2 and 4.3. */
export const BUSINESS_CLIENTS_PATH = '/v2/business-clients';

/** Section 2.2. */
export const CLIENT_TYPES = [
	{ name: 'Company', value: 'company' },
	{ name: 'Individual', value: 'individual' },
];

/** Chooses a client from the account's list or by its ID. */
const BUSINESS_CLIENT_LOCATOR = locator(
	'searchBusinessClients',
	'e.g. 3f2504e0-4f89-41d3-9a0c-0305e82c3301',
);

/** Section 3.2. */
const CLIENT_STATUSES = ['Active', 'Onboarding', 'Pending', 'Rejected', 'Suspended'];

/** Section 4.3: `GET /v2/business-clients`. It returns the whole list, which the node filters. */
export const getAll: Operation = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many business clients',
	description:
		'Get your clients with their verification status. Use it to find a client, or to see whether one is verified.',
	properties: [
		...LIST_PROPERTIES,
		collection('Filters', [
			{
				displayName: 'Client',
				name: 'clientId',
				description: 'Only this client',
				...BUSINESS_CLIENT_LOCATOR,
			},
			{
				displayName: 'Status',
				name: 'status',
				type: 'multiOptions',
				options: CLIENT_STATUSES.map((status) => ({ name: status, value: status })),
				default: [],
				description: 'Only clients with these statuses',
			},
			{
				displayName: 'Type',
				name: 'type',
				type: 'options',
				options: CLIENT_TYPES,
				default: 'company',
				description: 'Only companies, or only persons',
			},
		]),
	],
	output: {
		id: 'string',
		name: 'string',
		type: 'string',
		status: 'string',
		country: 'string',
		email: 'string',
		externalClientId: 'string',
	},
	async executeItem(service, itemIndex) {
		const wanted = readLimit(this, itemIndex);
		const { clientId, status, type } = this.getNodeParameter('filters', itemIndex, {}) as {
			clientId?: unknown;
			status?: string | string[];
			type?: string;
		};
		const id = clientId ? pathId(this, 'Client', clientId, itemIndex) : undefined;
		const clients = listIn(await service.request({ method: 'GET', path: BUSINESS_CLIENTS_PATH }));
		return toItems(
			clients
				.filter(
					(client) =>
						(id === undefined || String(client.id).toLowerCase() === id.toLowerCase()) &&
						isChosen(status, client.status) &&
						isChosen(type, client.type),
				)
				.slice(0, wanted),
		);
	},
};
