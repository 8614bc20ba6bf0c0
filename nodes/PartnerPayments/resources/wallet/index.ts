import type { Resource } from '../../operations/operation';
import { addAsset } from './addAsset';
import { get } from './get';
import { getAll } from './getAll';

export const walletResource: Resource = {
	value: 'wallet',
	name: 'Wallet',
	operations: [addAsset, get, getAll],
};
