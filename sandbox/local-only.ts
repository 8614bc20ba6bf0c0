/* eslint-disable @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { isIP } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isLoopback } from './deliveries';
import { ServiceError } from './errors';

function isLocal(address: string | undefined): boolean {
	return address !== undefined && /^(::1|(::ffff:)?127\..*)$/.test(address);
}

/** Rejects names that someone else's DNS could point at this machine. */
function isOwnName(host: string): boolean {
	try {
		const { hostname } = new URL(`http://${host}`);
		return isLoopback(hostname) || isIP(hostname.replace(/^\[|\]$/g, '')) !== 0;
	} catch {
		return false;
	}
}

function objection({ socket, headers }: FastifyRequest): string | undefined {
	const { host = '', origin } = headers;
	if (!isLocal(socket.remoteAddress)) return 'The admin API answers this machine only';
	if (!isOwnName(host)) return `The admin API does not answer as ${host}`;
	// Browsers send the page's origin with every request that changes something. Other programs don't.
	if (origin !== undefined && origin.toLowerCase() !== `http://${host.toLowerCase()}`) {
		return `The admin API does not answer pages of ${origin}`;
	}
	return undefined;
}

/**
 * Admits programs on this machine, and of all web pages only the sandbox's own: any page in a browser can
 * send requests to this machine.
 */
export function localOnly(app: FastifyInstance): void {
	app.addHook('onRequest', (request, reply, done) => {
		void reply.headers({
			'cache-control': 'no-store',
			'cross-origin-resource-policy': 'same-origin',
			'x-content-type-options': 'nosniff',
		});
		const reason = objection(request);
		done(reason === undefined ? undefined : new ServiceError(403, reason));
	});
}
