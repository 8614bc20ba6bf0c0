import { collection } from '../../../fields/form';
import { sameLabel } from '../../../service/enums';
import { getMany } from '../../operations/list';
import { BUSINESS_CLIENTS, CLIENT_TYPES } from './shared';

/** Section 3.2. */
const CLIENT_STATUSES = sameLabel('Active', 'Onboarding', 'Pending', 'Rejected', 'Suspended');

/** Section 4.3. */
export const getAll = getMany(
	BUSINESS_CLIENTS,
	{
		action: 'Get many business clients',
		description:
			'Get your clients with their verification status. Use it to find a client, or to see whether one is verified.',
	},
	[
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
);
