import type { Resource } from '../../operations/operation';
import { create } from './create';
import { get } from './get';
import { getAll } from './getAll';
import { update } from './update';

export const webhookResource: Resource = {
	value: 'webhook',
	name: 'Webhook',
	operations: [create, get, getAll, update],
};
