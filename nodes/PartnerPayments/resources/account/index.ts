import type { Resource } from '../../operations/operation';
import { get } from './get';

/** The login user of the credential. */
export const account: Resource = {
	value: 'account',
	name: 'Account',
	operations: [get],
};
