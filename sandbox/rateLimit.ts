import type { FastifyInstance } from 'fastify';
import { errorBody } from './errors';
import type { SandboxSettings } from './settings';

const minuteMs = 60_000;

/** Rejects requests beyond the limit of a minute, and says when it takes the next one. */
export function limitRate(api: FastifyInstance, settings: SandboxSettings): void {
	/** When the requests of the last minute were accepted. */
	let accepted: number[] = [];

	api.addHook('preValidation', (_request, reply, done) => {
		const { requestsPerMinute: limit } = settings;
		const now = Date.now();
		accepted = accepted.filter((at) => limit !== null && at > now - minuteMs);
		if (limit === null || accepted.length < limit) {
			accepted.push(now);
			return done();
		}
		const seconds = Math.ceil((accepted[0] + minuteMs - now) / 1000);
		void reply.code(429).header('retry-after', String(seconds));
		void reply.send(errorBody(429, [`At most ${limit} requests a minute`]));
	});
}
