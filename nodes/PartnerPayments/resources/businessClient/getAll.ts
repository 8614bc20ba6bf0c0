import { collection } from '../../../fields/form';
import { sameLabel } from '../../../service/enums';
import { type Operation, toItems } from '../../operations/operation';
import { isChosen, LIST_PROPERTIES, readLimit } from '../../operations/itemParameters';
import { BUSINESS_CLIENT, CLIENT_TYPES, listBusinessClients, SIMPLIFIED_CLIENT } from './shared';

/** Section 3.2. */
const CLIENT_STATUSES = sameLabel('Active', 'Onboarding', 'Pending', 'Rejected', 'Suspended');

export { BUSINESS_CLIENT as OUTPUT };

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
				displayName: 'Status',
				name: 'status',
				type: 'multiOptions',
				options: CLIENT_STATUSES,
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
	output: BUSINESS_CLIENT,
	simplified: SIMPLIFIED_CLIENT,
	async executeItem(service, itemIndex) {
		const wanted = readLimit(this, itemIndex);
		const { status, type } = this.getNodeParameter('filters', itemIndex, {}) as {
			status?: string | string[];
			type?: string;
		};
		return toItems(
			(await listBusinessClients(service))
				.filter((client) => isChosen(status, client.status) && isChosen(type, client.type))
				.slice(0, wanted),
		);
	},
};
