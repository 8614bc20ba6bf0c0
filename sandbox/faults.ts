/* eslint-disable @n8n/community-nodes/no-restricted-globals -- runs beside n8n, not in it */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { errorBody } from './errors';
import { Rules, wildcards } from './rules';
import type { ActiveRule, Frequency } from './rules';
import { servicePrefix } from './traffic';
import type { Traffic } from './traffic';

/** Whether a fault strikes before the request is processed, or spoils the answer to a processed one. */
type When = 'before' | 'after';

/** What can go wrong with a request. */
export type Fault = { when?: When } & (
	| {
			type: 'status';
			status: number;
			body?: unknown;
			headers?: Record<string, string>;
			/** Retry-After: seconds as a number, `date` for a moment one second ahead, or any text. */
			retryAfter?: number | string;
	  }
	| { type: 'latency'; ms: number }
	| { type: 'reset' }
	| { type: 'hang' }
	/** Half of the answer; with `abort` the connection is lost in the middle of it. */
	| { type: 'truncate'; abort?: boolean }
	| { type: 'html'; status?: number }
	| { type: 'empty'; status?: number }
	| { type: 'json'; body: unknown; status?: number }
);

/** Which requests a rule strikes, how often (once unless told), and how. */
export interface FaultRule extends Frequency {
	match?: {
		method?: string;
		/** Exact, or with `*` for any text; without the `/api` prefix. */
		path?: string;
		/** Text in the request's body, which is compared as JSON without spaces. */
		bodyContains?: string;
	};
	fault: Fault;
}

/** A rule in force, with what it has done so far. */
export type ActiveFaultRule = ActiveRule<FaultRule>;

interface Verdict {
	delayBefore: number;
	delayAfter: number;
	fault?: Fault;
}

declare module 'fastify' {
	interface FastifyRequest {
		/** What is still to happen to the answer. */
		verdict?: Verdict;
	}
}

const failurePage =
	'<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>';

function matchesPath(pattern: string, path: string): boolean {
	const isPrefixed = pattern.startsWith(`${servicePrefix}/`);
	return wildcards(isPrefixed ? pattern.slice(servicePrefix.length) : pattern).test(path);
}

const strikesBefore = ['status', 'latency', 'reset', 'hang'];

function whenOf({ type, when }: Fault): When {
	return when ?? (strikesBefore.includes(type) ? 'before' : 'after');
}

/** The faults that were asked for, in the order in which they are tried. */
export class Faults extends Rules<FaultRule> {
	constructor() {
		super(1);
	}

	/** What happens to a request: the delays of all rules that strike, and the fault of the first other one. */
	judge(request: FastifyRequest): Verdict | undefined {
		if (this.areNone) return undefined;

		const verdict: Verdict = { delayBefore: 0, delayAfter: 0 };
		for (const { fault } of this.applying(({ match }) => isMatch(match, request))) {
			if (fault.type !== 'latency') return { ...verdict, fault };
			verdict[whenOf(fault) === 'before' ? 'delayBefore' : 'delayAfter'] += fault.ms;
		}
		return verdict;
	}
}

function isMatch(
	{ method, path, bodyContains }: NonNullable<FaultRule['match']> = {},
	{ method: used, visit, body }: FastifyRequest,
): boolean {
	return (
		(method === undefined || method.toUpperCase() === used) &&
		(path === undefined || matchesPath(path, visit.path)) &&
		(bodyContains === undefined || (JSON.stringify(body) ?? '').includes(bodyContains))
	);
}

/** The answer a fault puts in place of the real one, of which it may keep the status. */
function spoil(reply: FastifyReply, fault: Fault, real: string): string {
	switch (fault.type) {
		case 'status': {
			const { status, body, headers = {}, retryAfter } = fault;
			void reply.code(status).headers(headers);
			if (retryAfter !== undefined) {
				const soon = new Date(Date.now() + 1000).toUTCString();
				void reply.header('retry-after', retryAfter === 'date' ? soon : String(retryAfter));
			}
			if (typeof body === 'string') return body;
			void reply.type('application/json; charset=utf-8');
			return JSON.stringify(body ?? errorBody(status, ['Injected by the sandbox']));
		}
		case 'html':
			void reply.code(fault.status ?? reply.statusCode).type('text/html; charset=utf-8');
			return failurePage;
		case 'empty':
			void reply.code(fault.status ?? reply.statusCode);
			return '';
		case 'json':
			void reply.code(fault.status ?? reply.statusCode).type('application/json; charset=utf-8');
			return JSON.stringify(fault.body);
		default:
			return real.slice(0, Math.floor(real.length / 2));
	}
}

/**
 * Lets faults strike. They stand for the network between partner and service: before authentication, and
 * after the answer is complete.
 */
export function injectFaults(api: FastifyInstance, faults: Faults, traffic: Traffic): void {
	/** Ends a request without an answer; tells whether it did. */
	const silenced = ({ visit, raw }: FastifyRequest, { type }: Fault): boolean => {
		if (type === 'hang') traffic.decided(visit, 'hang');
		else if (type === 'reset') {
			traffic.decided(visit, 'reset');
			raw.socket.resetAndDestroy();
		} else return false;
		return true;
	};

	const after = (ms: number, step: () => void): void => {
		if (ms > 0) setTimeout(step, ms).unref();
		else step();
	};

	api.addHook('preValidation', (request, reply, done) => {
		const verdict = faults.judge(request);
		if (verdict === undefined) return done();

		const { fault, delayBefore } = verdict;
		after(delayBefore, () => {
			if (fault === undefined || whenOf(fault) === 'after') {
				request.verdict = verdict;
				return done();
			}
			if (!silenced(request, fault)) void reply.send(spoil(reply, fault, ''));
		});
	});

	api.addHook('onSend', (request, reply, payload, done) => {
		const { verdict } = request;
		if (verdict === undefined) return done(null, payload);

		const { fault, delayAfter } = verdict;
		after(delayAfter, () => {
			if (fault === undefined) return done(null, payload);
			if (silenced(request, fault)) return;
			const real = typeof payload === 'string' ? payload : '';
			const answer = spoil(reply, fault, real);
			if (fault.type !== 'truncate' || fault.abort !== true) return done(null, answer);

			traffic.decided(request.visit, 'truncated');
			const { raw } = reply;
			raw.writeHead(reply.statusCode, {
				'content-type': 'application/json; charset=utf-8',
				'content-length': Buffer.byteLength(real),
			});
			raw.write(answer, () => raw.destroy());
		});
	});
}
