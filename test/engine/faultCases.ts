import { type Fault } from '../../sandbox/faults';

/** What can happen to a payout, and what the row must say then. */
export interface FaultCase {
	name: string;
	fault: Fault;
	times?: number | 'always';
	outcome: 'created' | 'rejected' | 'unknown' | 'notSent';
	message: string | RegExp;
	httpStatus?: number;
	/** Requests that the service received for the one row. */
	received?: number;
	/** Payouts that the service really created. */
	created?: number;
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
		outcome: 'rejected',
		message: 'The service rejected the request: bank_code is not known',
		httpStatus: 400,
	},
	{
		name: 'a 401 that remains after a new login',
		fault: status(401, { statusCode: 401, message: 'Unauthorized' }),
		times: 'always',
		outcome: 'rejected',
		message: 'The service did not accept the login: Unauthorized',
		httpStatus: 401,
		received: 4,
	},
	{
		name: 'a 401 that a new login resolves',
		fault: status(401, { statusCode: 401, message: 'Unauthorized' }),
		outcome: 'created',
		message: /./,
		received: 2,
		created: 1,
	},
	{
		name: 'a 409',
		fault: status(409, { statusCode: 409, message: 'Reference exists' }),
		outcome: 'unknown',
		message: 'The service already has this reference: Reference exists',
		httpStatus: 409,
	},
	{
		name: 'a 429 that passes',
		fault: { type: 'status', status: 429, retryAfter: 0 },
		times: 2,
		outcome: 'created',
		message: /./,
		received: 3,
		created: 1,
	},
	{
		name: 'a 429 that stays',
		fault: { type: 'status', status: 429, retryAfter: 0 },
		times: 'always',
		outcome: 'rejected',
		message: /receiving too many requests/,
		httpStatus: 429,
		received: 7,
	},
	{
		name: 'a 500 after the payout was created',
		fault: { type: 'status', status: 500, when: 'after' },
		outcome: 'unknown',
		message: /status 500/,
		httpStatus: 500,
		created: 1,
	},
	{
		name: 'a connection that is reset before the payout',
		fault: { type: 'reset', when: 'before' },
		outcome: 'unknown',
		message: 'The connection to the service was lost before it answered',
	},
	{
		name: 'a connection that is reset after the payout was created',
		fault: { type: 'reset', when: 'after' },
		outcome: 'unknown',
		message: 'The connection to the service was lost before it answered',
		created: 1,
	},
	{
		name: 'half an answer',
		fault: { type: 'truncate' },
		outcome: 'unknown',
		message: /without a transaction ID/,
		created: 1,
	},
	{
		name: 'a connection that is lost in the middle of the answer',
		fault: { type: 'truncate', abort: true },
		outcome: 'unknown',
		message: /./,
		created: 1,
	},
	{
		name: 'an answer without the identifier',
		fault: { type: 'json', body: { external_reference: 'x' } },
		outcome: 'unknown',
		message: /without a transaction ID/,
		created: 1,
	},
	{
		name: 'a redirect',
		fault: { type: 'status', status: 307, headers: { location: 'http://127.0.0.1:9/elsewhere' } },
		outcome: 'unknown',
		message: /redirect \(status 307\), which is not followed/,
		httpStatus: 307,
	},
];
