import type { Resource } from '../../operations/operation';
import { createQr } from './createQr';

/** Money that customers pay in. */
export const deposit: Resource = {
	value: 'deposit',
	name: 'Deposit',
	operations: [createQr],
};
