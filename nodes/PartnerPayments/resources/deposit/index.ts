import type { Resource } from '../../../shared/operation';
import { createQr } from './createQr';

/** Money that customers pay in. */
export const deposit: Resource = {
	value: 'deposit',
	name: 'Deposit',
	operations: [createQr],
};
