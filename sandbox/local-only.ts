/* eslint-disable @n8n/community-nodes/no-restricted-imports -- runs beside n8n, not in it */
import { isIP } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isLoopback } from './deliveries';
import { ServiceError } from './errors';

function isLocal(address: string | undefined): boolean {
	return address !== undefined && /^(::1|(::ffff:)?127\..*)$/.test(address);
}

/** A name that somebody else's DNS could point at this machine is not one of its own. */
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
	if (!isLocal(socket.remoteAddress)) return 'The administration is for this machine only';
	if (!isOwnName(host)) return `The administration is not reached as ${host}`;
	// Browsers name the page's origin in every request that changes something; other programs send none.
	if (origin !== undefined && origin.toLowerCase() !== `http://${host.toLowerCase()}`) {
		return `The administration is not for pages of ${origin}`;
	}
	return undefined;
}

/**
 * Lets programs of this machine in, and of all web pages only the sandbox's own: any page in a browser can
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
