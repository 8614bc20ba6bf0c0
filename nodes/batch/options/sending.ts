import { DEFAULT_TIMEOUT_SECONDS } from '../../service/transport';
import { START } from '../limiter';
import { numberOption } from './option';

/** An hour: longer than any service takes, shorter than what a timer can hold. */
const MAX_TIMEOUT_SECONDS = 3_600;
const MAX_CONCURRENCY = 100;
const NO_RATE_LIMIT = 0;
const MAX_RATE = 1_000;

/** How fast it is sent. */
export const SENDING = {
	concurrency: numberOption<undefined>(
		{ min: 1, max: MAX_CONCURRENCY, isWhole: true },
		{
			displayName: 'Sending: Concurrency',
			default: START,
			description:
				'How many requests are in flight at once. 1 sends strictly in order. Without this option, the number adapts to the service: from 10 to at most 200.',
		},
	),
	requestsPerSecond: numberOption<number>(
		{ min: NO_RATE_LIMIT, max: MAX_RATE },
		{
			displayName: 'Sending: Requests per Second',
			description: 'How many requests may start per second. 0 sets no limit.',
			unset: () => NO_RATE_LIMIT,
		},
	),
	timeout: numberOption<number>(
		{ min: 1, max: MAX_TIMEOUT_SECONDS },
		{
			displayName: 'Sending: Timeout (Seconds)',
			description:
				'How long to wait for the response to a request. After that the outcome of the item is unknown.',
			unset: () => DEFAULT_TIMEOUT_SECONDS,
		},
	),
};
