import type { Resource } from '../../../shared/operation';
import { get } from './get';

/** The login user of the credential. */
export const account: Resource = {
	value: 'account',
	name: 'Account',
	operations: [get],
};
