import type { Resource } from '../../operations/operation';
import { getAll } from './getAll';
import { getStatus } from './getStatus';

/** What became of payments and deposits. */
export const transaction: Resource = {
	value: 'transaction',
	name: 'Transaction',
	operations: [getAll, getStatus],
};
