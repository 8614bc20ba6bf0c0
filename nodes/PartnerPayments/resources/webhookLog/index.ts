import type { Resource } from '../../operations/operation';
import { getAll } from './getAll';
import { replay } from './replay';

export const webhookLogResource: Resource = {
	value: 'webhookLog',
	name: 'Webhook Log',
	operations: [getAll, replay],
};
