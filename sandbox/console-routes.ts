/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- runs beside n8n, not in it */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { toBuffer } from 'qrcode';
import { ConsoleFeed } from './console-feed';
import type { Core } from './core';
import { ServiceError } from './errors';
import { localOnly } from './local-only';
import { qrContent } from './qr';
import { idParams, strictObject } from './schemas';

const folder = path.join(__dirname, 'console');

/** Route of each file, and what it is. */
const files: Record<string, { name: string; type: string }> = {
	'/': { name: 'console.html', type: 'text/html; charset=utf-8' },
	'/console.css': { name: 'console.css', type: 'text/css; charset=utf-8' },
	'/console.js': { name: 'console.js', type: 'text/javascript; charset=utf-8' },
	'/icon.svg': { name: 'icon.svg', type: 'image/svg+xml' },
};

/** The page loads its own files and nothing else, and texts can never become markup. */
const contentPolicy = [
	"default-src 'none'",
	"script-src 'self'",
	"style-src 'self'",
	"img-src 'self'",
	"connect-src 'self'",
	"base-uri 'none'",
	"form-action 'none'",
	"frame-ancestors 'none'",
	"require-trusted-types-for 'script'",
].join('; ');

const refreshMs = 500;

/** The page on which a person watches the sandbox; its commands are those of the administration. */
export function consoleRoutes(core: Core) {
	return async (app: FastifyInstance): Promise<void> => {
		localOnly(app);

		for (const [url, { name, type }] of Object.entries(files)) {
			app.get(url, async (_request, reply) => {
				void reply.type(type).headers({
					'content-security-policy': contentPolicy,
					'cross-origin-opener-policy': 'same-origin',
					'referrer-policy': 'same-origin',
				});
				return await readFile(path.join(folder, name));
			});
		}

		app.get<{ Params: { id: string } }>('/qr/:id', {
			schema: { params: idParams },
			async handler({ params }, reply) {
				const deposit = core.state.transactions.get(params.id.toLowerCase());
				if (deposit?.type !== 'deposit_express') {
					throw new ServiceError(404, `QR deposit ${params.id} not found`);
				}
				void reply.type('image/png');
				return await toBuffer(qrContent(deposit), { type: 'png' });
			},
		});

		// Server-sent events: looking for changes now and then, and only while somebody listens, leaves the
		// service's own requests as fast as they are.
		app.get<{ Querystring: { find?: string } }>('/events', {
			schema: {
				querystring: strictObject({ find: { type: 'string', maxLength: 200 } }, []),
			},
			handler({ query: { find = '' } }, reply) {
				const feed = new ConsoleFeed(core, find);
				reply.hijack();
				const { raw } = reply;
				raw.writeHead(200, {
					...(reply.getHeaders() as Record<string, string>),
					'content-type': 'text/event-stream; charset=utf-8',
				});
				const tell = (): void => {
					// A listener that lags behind gets the latest state once it has read what it was sent.
					if (raw.writableNeedDrain) return;
					const news = feed.news();
					if (news !== undefined) raw.write(`data: ${news}\n\n`);
				};
				raw.write('retry: 1000\n\n');
				tell();
				const timer = setInterval(tell, refreshMs);
				raw.once('close', () => clearInterval(timer));
			},
		});
	};
}
