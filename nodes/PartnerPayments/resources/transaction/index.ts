import type { Resource } from '../../operations/operation';
import { getAll } from './getAll';
import { getStatus } from './getStatus';

export const transaction: Resource = {
	value: 'transaction',
	name: 'Transaction',
	operations: [getAll, getStatus],
};
