import type { Resource } from '../../operations/operation';
import { createReport } from './createReport';
import { getAll } from './getAll';
import { getStatus } from './getStatus';
import { reconcile } from './reconcile';

export const transactionResource: Resource = {
	value: 'transaction',
	name: 'Transaction',
	operations: [createReport, getAll, getStatus, reconcile],
};
