import type { Resource } from '../../operations/operation';
import { create } from './create';
import { get } from './get';
import { getAll } from './getAll';

export const businessClientResource: Resource = {
	value: 'businessClient',
	name: 'Business Client',
	operations: [create, get, getAll],
};
