import type { Resource } from '../../operations/operation';
import { addAsset } from './addAsset';
import { getAll } from './getAll';

export const wallet: Resource = { value: 'wallet', name: 'Wallet', operations: [addAsset, getAll] };
