/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
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

/** The route, name and type of each file. */
const files: Record<string, { name: string; type: string }> = {
	'/': { name: 'console.html', type: 'text/html; charset=utf-8' },
	'/console.css': { name: 'console.css', type: 'text/css; charset=utf-8' },
	'/console.js': { name: 'console.js', type: 'text/javascript; charset=utf-8' },
	'/icon.svg': { name: 'icon.svg', type: 'image/svg+xml' },
};

/** The page loads only its own files, and text can never become markup. */
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

/** The console's page. Its commands use the admin API. */
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

		// Server-sent events. Changes are looked up at intervals, and only while a console listens, so that
		// the service's own requests stay fast.
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
					// A slow listener gets the latest state after it has read the previous one.
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
