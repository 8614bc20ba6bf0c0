import type { Resource } from '../../operations/operation';
import { addAsset } from './addAsset';
import { getAll } from './getAll';

/** Wallets that hold crypto assets. */
export const wallet: Resource = {
	value: 'wallet',
	name: 'Wallet',
	operations: [addAsset, getAll],
};
