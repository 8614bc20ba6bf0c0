/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/require-node-api-error -- runs outside n8n */
import type { AddressInfo } from 'node:net';
import { fastify } from 'fastify';
import type { FastifyError, FastifyInstance } from 'fastify';
import { adminRoutes } from './admin';
import { SandboxAdmin } from './admin-client';
import { consoleRoutes } from './console-routes';
import { Core } from './core';
import { isLoopback } from './deliveries';
import { errorBody, ServiceError } from './errors';
import { injectFaults } from './faults';
import { limitRate } from './rateLimit';
import { loginRoutes, requireToken } from './routes/auth';
import { businessClientRoutes } from './routes/business-clients';
import { depositRoutes } from './routes/deposits';
import { payoutRoutes } from './routes/payouts';
import { quoteRoutes } from './routes/quotes';
import { walletRoutes } from './routes/wallets';
import { webhookRoutes } from './routes/webhooks';
import { settingsProblems } from './settings';
import type { SandboxSettings } from './settings';
import { exampleUser } from './state';
import { servicePrefix, watchAnswers, watchArrivals } from './traffic';
import { ajvOptions, problems } from './validation';

export { SandboxAdmin } from './admin-client';

/** Where to listen, and settings that differ from the defaults. */
export interface SandboxOptions extends Partial<SandboxSettings> {
	host?: string;
	/** 0 takes any free port. */
	port?: number;
	/** Listen on an address that other machines can reach. The admin API and the console stay local. */
	allowRemote?: boolean;
}

/** A running sandbox. */
export interface Sandbox {
	/** The base URL for a credential. */
	baseUrl: string;
	adminUrl: string;
	/** The console's page. */
	consoleUrl: string;
	/** The example user. */
	email: string;
	password: string;
	/** A client of the admin API. */
	admin: SandboxAdmin;
	/** The sandbox's state, for tests in the same process. */
	core: Core;
	/** Closes at once, with all connections, timers and deliveries. */
	close(): Promise<void>;
}

// QR payouts contain images. The service's limit is not documented.
const bodyLimit = 10 * 1024 * 1024;

/** Errors that the framework finds in a request are validation errors (section 7). */
function statusOf(error: FastifyError | ServiceError): number {
	const status = error.statusCode ?? 500;
	return status === 415 ? 400 : status;
}

function answerErrors(app: FastifyInstance, { settings }: Core): void {
	app.setErrorHandler<FastifyError | ServiceError>((error, _request, reply) => {
		const status = statusOf(error);
		const messages =
			error instanceof ServiceError
				? error.messages
				: error.validation
					? problems(error.validation)
					: [error.message];
		void reply.code(status).send(errorBody(status, messages, settings.errorMessages));
	});
	app.setNotFoundHandler(({ method, url }, reply) => {
		void reply.code(404).send(errorBody(404, [`Cannot ${method} ${url}`]));
	});
}

/** The routes of the service, without their prefix. All but the login need a token. */
export function serviceRoutes(core: Core) {
	return async (api: FastifyInstance): Promise<void> => {
		answerErrors(api, core);
		// Requests are JSON only (section 1).
		api.removeContentTypeParser('text/plain');
		// The order matters: a request is recorded before a fault acts on it, a response after.
		watchArrivals(api, core.traffic, core.settings);
		injectFaults(api, core.faults, core.traffic);
		limitRate(api, core.settings);
		watchAnswers(api, core.traffic);

		loginRoutes(api, core);
		await api.register(async (authorized) => {
			requireToken(authorized, core);
			businessClientRoutes(authorized, core);
			walletRoutes(authorized, core);
			payoutRoutes(authorized, core);
			depositRoutes(authorized, core);
			quoteRoutes(authorized, core);
			webhookRoutes(authorized, core);
		});
	};
}

/** Starts a sandbox of the whole service, in memory. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
	const { host = '127.0.0.1', port = 0, allowRemote = false, ...settings } = options;
	const faults = settingsProblems(settings);
	if (faults.length > 0) throw new Error(faults.join('; '));
	if (!allowRemote && !isLoopback(host.includes(':') ? `[${host}]` : host)) {
		throw new Error(`${host} can be reached by other machines, so it needs allowRemote`);
	}

	const core = new Core(settings);
	const app = fastify({
		ajv: ajvOptions,
		bodyLimit,
		exposeHeadRoutes: false,
		forceCloseConnections: true,
	});
	answerErrors(app, core);
	await app.register(serviceRoutes(core), { prefix: servicePrefix });
	await app.register(adminRoutes(core), { prefix: '/admin' });
	await app.register(consoleRoutes(core), { prefix: '/console' });
	try {
		await app.listen({ host, port });
	} catch (error) {
		core.stop();
		throw error;
	}

	const { port: takenPort } = app.server.address() as AddressInfo;
	const origin = `http://${host.includes(':') ? `[${host}]` : host}:${takenPort}`;
	const adminUrl = `${origin}/admin`;
	return {
		baseUrl: `${origin}${servicePrefix}`,
		adminUrl,
		consoleUrl: `${origin}/console`,
		email: exampleUser.email,
		password: exampleUser.password,
		admin: new SandboxAdmin(adminUrl),
		core,
		async close() {
			core.stop();
			await app.close();
		},
	};
}
