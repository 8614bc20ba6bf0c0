import type { Resource } from '../../operations/operation';
import { createQr } from './createQr';

export const depositResource: Resource = {
	value: 'deposit',
	name: 'Deposit',
	operations: [createQr],
};
