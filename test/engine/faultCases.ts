import { type Fault } from '../../sandbox/faults';

/** What can happen to a request. */
export interface FaultCase {
	name: string;
	fault: Fault;
	times?: number | 'always';
}

/** An answer with this status instead of the real one. */
export const status = (code: number, body?: unknown): Fault => ({
	type: 'status',
	status: code,
	body,
});

export const FAULT_CASES: FaultCase[] = [
	{
		name: 'a 400 with one message',
		fault: status(400, {
			statusCode: 400,
			message: 'bank_code is not known',
			error: 'Bad Request',
		}),
	},
	{
		name: 'a 401 that remains after a new login',
		fault: status(401, { statusCode: 401, message: 'Unauthorized' }),
		times: 'always',
	},
	{
		name: 'a 401 that a new login resolves',
		fault: status(401, { statusCode: 401, message: 'Unauthorized' }),
	},
	{ name: 'a 409', fault: status(409, { statusCode: 409, message: 'Reference exists' }) },
	{ name: 'a 429 that passes', fault: { type: 'status', status: 429, retryAfter: 0 }, times: 2 },
	{
		name: 'a 429 that stays',
		fault: { type: 'status', status: 429, retryAfter: 0 },
		times: 'always',
	},
	{
		name: 'a 500 after the payout was created',
		fault: { type: 'status', status: 500, when: 'after' },
	},
	{
		name: 'a connection that is reset before the payout',
		fault: { type: 'reset', when: 'before' },
	},
	{
		name: 'a connection that is reset after the payout was created',
		fault: { type: 'reset', when: 'after' },
	},
	{ name: 'half an answer', fault: { type: 'truncate' } },
	{
		name: 'a connection that is lost in the middle of the answer',
		fault: { type: 'truncate', abort: true },
	},
	{
		name: 'an answer without the identifier',
		fault: { type: 'json', body: { external_reference: 'x' } },
	},
	{
		name: 'a redirect',
		fault: { type: 'status', status: 307, headers: { location: 'http://127.0.0.1:9/elsewhere' } },
	},
];
