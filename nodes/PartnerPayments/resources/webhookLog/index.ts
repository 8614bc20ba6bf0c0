import type { Resource } from '../../../shared/operation';
import { getAll } from './getAll';
import { recoverMissed } from './recoverMissed';

/** What the service delivered to webhooks. */
export const webhookLog: Resource = {
	value: 'webhookLog',
	name: 'Webhook Log',
	operations: [getAll, recoverMissed],
};
