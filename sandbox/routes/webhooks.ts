import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { Core } from '../core';
import { ServiceError } from '../errors';
import { idParams, strictObject, text, transactionStatuses } from '../schemas';
import type { Business, Webhook, WebhookLog } from '../state';

interface WebhookFields {
	url: string;
	description?: string;
	apiKey?: string;
	status?: string;
	events: { transaction: string[] };
}

interface LogQuery {
	page?: string;
	limit?: string;
	status?: string;
	webhookId?: string;
}

const fields = {
	url: { type: 'string', format: 'httpUrl' },
	description: text,
	apiKey: text,
	status: text,
	events: strictObject(
		{
			transaction: {
				type: 'array',
				items: { type: 'string', enum: transactionStatuses },
				minItems: 1,
			},
		},
		['transaction'],
	),
};

// The required fields are not documented. Here they are the address and the events.
const newWebhook = strictObject(fields, ['url', 'events']);
const webhookChanges = strictObject(fields, []);

const logQuery = strictObject(
	{
		page: { type: 'string', format: 'pageNumber' },
		limit: { type: 'string', format: 'pageLimit' },
		status: { type: 'string', enum: ['SUCCESS', 'ERROR'] },
		webhookId: { type: 'string', format: 'uuid' },
	},
	[],
);

/** The form of section 4.12's create and update responses. */
function written({ id, url, apiKey, description, events }: Webhook) {
	return { id, url, apiKey, description, events };
}

/** The form of section 2.7 on list and retrieve; the spelling of `callbalckUrl` is the service's. */
function read({ id, url, description, status, events, createdAt, updatedAt }: Webhook) {
	return {
		id,
		callbalckUrl: url,
		description,
		status,
		events: { transaction: events },
		createdAt,
		updatedAt,
	};
}

/** An address with a trailing slash. */
function withSlash(address: string): string {
	const url = new URL(address);
	if (!url.pathname.endsWith('/')) url.pathname += '/';
	return url.href;
}

function readLog(log: WebhookLog) {
	return { ...log, reason: undefined };
}

function find({ webhooks }: Business, id: string): Webhook {
	const webhook = webhooks.get(id.toLowerCase());
	if (webhook === undefined) throw new ServiceError(404, `Webhook ${id} not found`);
	return webhook;
}

/** Webhooks and the logs of their deliveries (section 4.12). */
export function webhookRoutes(app: FastifyInstance, { clock, settings }: Core): void {
	const checkStatus = ({ status }: { status?: string }): void => {
		const { webhookStatuses: allowed } = settings;
		if (status === undefined || allowed.includes(status)) return;
		throw new ServiceError(
			400,
			`status must be one of the following values: ${allowed.join(', ')}`,
		);
	};

	const stored = (url: string) => (settings.webhookTrailingSlash ? withSlash(url) : url);

	app.post<{ Body: WebhookFields }>('/v2/webhooks', {
		schema: { body: newWebhook },
		handler({ business, body }, reply) {
			checkStatus(body);
			const createdAt = clock.text();
			const { apiKey = '', description = '', status = 'ACTIVE' } = body;
			const url = stored(body.url);
			const id = randomUUID();
			const events = body.events.transaction;
			const updatedAt = createdAt;
			const webhook = { id, url, apiKey, description, status, events, createdAt, updatedAt };
			business.webhooks.set(id, webhook);
			void reply.code(settings.successStatus);
			return written(webhook);
		},
	});

	app.get('/v2/webhooks', ({ business }) => {
		const webhooks = [...business.webhooks.values()].map(read);
		return settings.webhookListNull ? [null, ...webhooks] : webhooks;
	});

	app.get<{ Params: { id: string } }>('/v2/webhooks/:id', {
		schema: { params: idParams },
		handler: ({ business, params }) => read(find(business, params.id)),
	});

	app.patch<{ Params: { id: string }; Body: Partial<WebhookFields> }>('/v2/webhooks/:id', {
		schema: { params: idParams, body: webhookChanges },
		handler({ business, params, body }) {
			checkStatus(body);
			const webhook = find(business, params.id);
			const { events, ...changes } = body;
			Object.assign(webhook, changes, { updatedAt: clock.text() });
			webhook.url = stored(webhook.url);
			if (events !== undefined) webhook.events = events.transaction;
			return written(webhook);
		},
	});

	app.get<{ Querystring: LogQuery }>('/v2/webhooks/logs', {
		schema: { querystring: logQuery },
		handler({ business, query }) {
			const page = Number(query.page ?? 1);
			const limit = Number(query.limit ?? 10);
			const webhookId = query.webhookId?.toLowerCase();
			const found = business.logs
				.all()
				.filter(
					(log) =>
						(query.status === undefined || log.status === query.status) &&
						(webhookId === undefined || log.webhookId === webhookId),
				)
				.reverse();
			const total = found.length;
			return {
				logs: found.slice((page - 1) * limit, page * limit).map(readLog),
				pagination: { page, limit, total, totalPages: Math.ceil(total / limit) },
			};
		},
	});
}
