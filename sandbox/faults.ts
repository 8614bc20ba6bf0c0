/* eslint-disable @n8n/community-nodes/no-restricted-globals -- runs outside n8n */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { errorBody } from './errors';
import { Rules, wildcards } from './rules';
import type { ActiveRule, Frequency } from './rules';
import { servicePrefix } from './traffic';
import type { Traffic } from './traffic';

/** A fault acts before the request is processed, or on the response after it was processed. */
type When = 'before' | 'after';

/** A fault that can be injected into a request. */
export type Fault = { when?: When } & (
	| {
			type: 'status';
			status: number;
			body?: unknown;
			headers?: Record<string, string>;
			/** Retry-After: a number of seconds, `date` for a date one second ahead, or any text. */
			retryAfter?: number | string;
	  }
	| { type: 'latency'; ms: number }
	| { type: 'reset' }
	| { type: 'hang' }
	/** Half of the response. With `abort`, the connection is lost in the middle of it. */
	| { type: 'truncate'; abort?: boolean }
	| { type: 'html'; status?: number }
	| { type: 'empty'; status?: number }
	| { type: 'json'; body: unknown; status?: number }
);

/** A rule that injects a fault into requests, once by default. */
export interface FaultRule extends Frequency {
	match?: {
		method?: string;
		/** An exact path, or `*` for any text. Without the `/api` prefix. */
		path?: string;
		/** Text in the request's body as JSON without spaces. */
		bodyContains?: string;
	};
	fault: Fault;
}

/** An active rule, with its counts so far. */
export type ActiveFaultRule = ActiveRule<FaultRule>;

interface FaultPlan {
	delayBefore: number;
	delayAfter: number;
	fault?: Fault;
}

declare module 'fastify' {
	interface FastifyRequest {
		/** The faults that still apply to the response. */
		plan?: FaultPlan;
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

/** The fault rules, in the order in which they are tried. */
export class Faults extends Rules<FaultRule> {
	constructor() {
		super(1);
	}

	/** The faults of a request: the delays of all rules that apply, and the first other fault. */
	planFor(request: FastifyRequest): FaultPlan | undefined {
		if (this.isEmpty) return undefined;

		const plan: FaultPlan = { delayBefore: 0, delayAfter: 0 };
		for (const { fault } of this.applying(({ match }) => isMatch(match, request))) {
			if (fault.type !== 'latency') return { ...plan, fault };
			plan[whenOf(fault) === 'before' ? 'delayBefore' : 'delayAfter'] += fault.ms;
		}
		return plan;
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

/** The response that a fault puts in place of the real one. It may keep the real status. */
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
 * Injects the faults. They simulate the network between partner and service: they act before
 * authentication, or after the response is complete.
 */
export function injectFaults(api: FastifyInstance, faults: Faults, traffic: Traffic): void {
	/** Ends a request without a response if the fault asks for that. Returns whether it did. */
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
		const plan = faults.planFor(request);
		if (plan === undefined) return done();

		const { fault, delayBefore } = plan;
		after(delayBefore, () => {
			if (fault === undefined || whenOf(fault) === 'after') {
				request.plan = plan;
				return done();
			}
			if (!silenced(request, fault)) void reply.send(spoil(reply, fault, ''));
		});
	});

	api.addHook('onSend', (request, reply, payload, done) => {
		const { plan } = request;
		if (plan === undefined) return done(null, payload);

		const { fault, delayAfter } = plan;
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
