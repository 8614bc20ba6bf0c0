import { listOperation } from '../../../shared/operation';

/** Section 4.3: `GET /v2/business-clients`. */
export const getAll = listOperation({
	name: 'Get Many',
	action: 'Get many business clients',
	description: 'Get the clients of your business with their verification status',
	path: '/v2/business-clients',
});
