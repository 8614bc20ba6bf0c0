import { WEBHOOKS_PATH } from '../../../logs/webhooks';
import { entriesIn } from '../../../service/responses';
import type { Operation } from '../../operations/operation';
import { LIST_PROPERTIES, readLimit } from '../../operations/itemParameters';
import { toWebhookItem, SIMPLIFIED_WEBHOOK, WEBHOOK } from './shared';

export { WEBHOOK as OUTPUT };

/** Section 4.12: `GET /v2/webhooks`. */
export const getAll: Operation = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many webhooks',
	description:
		'Get the webhooks with their events and status. Use it to see who gets which events.',
	properties: LIST_PROPERTIES,
	output: WEBHOOK,
	simplified: SIMPLIFIED_WEBHOOK,
	async executeItem(service, itemIndex) {
		const wanted = readLimit(this, itemIndex);
		const webhooks = entriesIn(await service.request({ method: 'GET', path: WEBHOOKS_PATH }));
		return webhooks.slice(0, wanted).map(toWebhookItem);
	},
};
