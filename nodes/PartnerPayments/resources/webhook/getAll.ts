import { WEBHOOKS_PATH } from '../../../logs/webhooks';
import { withoutCallbackSecret } from '../../../logs/callbackSecret';
import { entriesIn } from '../../../service/responses';
import { getMany } from '../../operations/list';
import { SIMPLIFIED_WEBHOOK, WEBHOOK } from './shared';

/** Section 4.12: `GET /v2/webhooks`. */
export const getAll = getMany(
	{
		async read(service) {
			const answer = await service.request({ method: 'GET', path: WEBHOOKS_PATH });
			return entriesIn(answer).map(withoutCallbackSecret);
		},
		output: WEBHOOK,
		simplified: SIMPLIFIED_WEBHOOK,
	},
	{
		action: 'Get many webhooks',
		description:
			'Get the webhooks with their events and status. Use it to see who gets which events.',
	},
);
