/* eslint-disable @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Newest } from './newest';

/** The outcome of a request: its status, or how it ended without one. */
export type Outcome = number | 'reset' | 'hang' | 'truncated' | 'aborted';

/** A request as the admin API shows it, without secrets. */
export interface ReceivedRequest {
	/** Its number since the start or the last reset, from 1. */
	number: number;
	at: string;
	method: string;
	path: string;
	query: unknown;
	headers: IncomingHttpHeaders;
	body: unknown;
	/** Missing while the request is in flight. */
	status?: Outcome;
}

/** Request counts. */
export interface TrafficCounters {
	requests: number;
	byEndpoint: Record<string, number>;
	byStatus: Record<string, number>;
	logins: number;
	loginFailures: number;
	connections: number;
	inFlight: number;
	maxInFlight: number;
}

interface Visit {
	number: number;
	at: number;
	request: FastifyRequest;
	path: string;
	body?: unknown;
	status?: Outcome;
}

declare module 'fastify' {
	interface FastifyRequest {
		visit: Visit;
	}
}

/** The prefix of the service's paths. */
export const servicePrefix = '/api';
const requestLimit = 50_000;

function masked(body: unknown): unknown {
	if (typeof body !== 'object' || body === null) return body;
	const hidden = ['password', 'apiKey'].filter((name) => Object.hasOwn(body, name));
	return { ...body, ...Object.fromEntries(hidden.map((name) => [name, '***'])) };
}

/** Counts and records the requests to the service. Requests to the admin API don't count. */
export class Traffic {
	private counted = Traffic.nothing();
	private readonly visits = new Newest<Visit>(requestLimit);
	private sockets = new WeakSet<Socket>();

	private static nothing(): TrafficCounters {
		return {
			requests: 0,
			byEndpoint: {},
			byStatus: {},
			logins: 0,
			loginFailures: 0,
			connections: 0,
			inFlight: 0,
			maxInFlight: 0,
		};
	}

	arrived(request: FastifyRequest, record: boolean): void {
		const { counted, sockets } = this;
		const { socket } = request.raw;
		counted.requests += 1;
		counted.inFlight += 1;
		counted.maxInFlight = Math.max(counted.maxInFlight, counted.inFlight);
		if (!sockets.has(socket)) {
			sockets.add(socket);
			counted.connections += 1;
		}

		const route = request.routeOptions.url?.slice(servicePrefix.length).replace(':id', '{id}');
		const endpoint = `${request.method} ${route ?? '(unknown)'}`;
		counted.byEndpoint[endpoint] = (counted.byEndpoint[endpoint] ?? 0) + 1;

		const path = request.url.split('?', 1)[0].slice(servicePrefix.length);
		request.visit = { number: counted.requests, at: Date.now(), request, path };
		// Secrets are masked on reading, which is far rarer than requests.
		if (record) this.visits.add(request.visit);
	}

	/** Sets the outcome of a request. Only the first one counts. */
	decided(visit: Visit, status: Outcome): void {
		if (visit.status !== undefined) return;
		visit.status = status;
		this.counted.byStatus[status] = (this.counted.byStatus[status] ?? 0) + 1;
	}

	/** Marks a request as ended. */
	ended(visit: Visit): void {
		this.decided(visit, 'aborted');
		this.counted.inFlight -= 1;
	}

	loggedIn(succeeded: boolean): void {
		this.counted[succeeded ? 'logins' : 'loginFailures'] += 1;
	}

	counters(): TrafficCounters {
		return this.counted;
	}

	/** The number of recorded requests. */
	get remembered(): number {
		return this.visits.size;
	}

	/** The recorded requests, or the newest of them, in the order of arrival. */
	requests(limit: number = requestLimit): ReceivedRequest[] {
		return this.visits.newest(limit).map(({ number, at, request, path, body, status }) => ({
			number,
			at: new Date(at).toISOString(),
			method: request.method,
			path,
			query: request.query,
			headers: {
				...request.headers,
				...(request.headers.authorization !== undefined && { authorization: 'Bearer ***' }),
			},
			body: masked(body),
			status,
		}));
	}

	forgetRequests(): void {
		this.visits.clear();
	}

	reset(): void {
		// Requests in flight still count until they end.
		const { inFlight } = this.counted;
		this.counted = { ...Traffic.nothing(), inFlight, maxInFlight: inFlight };
		this.sockets = new WeakSet();
		this.visits.clear();
	}
}

/** Records every request to the service. */
export function watchArrivals(
	api: FastifyInstance,
	traffic: Traffic,
	settings: { recordRequests: boolean },
): void {
	api.addHook('onRequest', (request, reply, done) => {
		traffic.arrived(request, settings.recordRequests);
		reply.raw.once('close', () => traffic.ended(request.visit));
		done();
	});
	api.addHook('preValidation', (request, _reply, done) => {
		request.visit.body = request.body;
		done();
	});
}

/** Records every response of the service. */
export function watchAnswers(api: FastifyInstance, traffic: Traffic): void {
	api.addHook('onSend', (request, reply, payload, done) => {
		traffic.decided(request.visit, reply.statusCode);
		done(null, payload);
	});
}
