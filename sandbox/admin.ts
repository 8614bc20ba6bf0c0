import type { FastifyInstance } from 'fastify';
import type { Core } from './core';
import type { LifecycleRule } from './lifecycles';
import { ServiceError } from './errors';
import type { FaultRule } from './faults';
import { localOnly } from './local-only';
import {
	amount,
	asset,
	blockchain,
	filled,
	idParams,
	strictObject,
	text,
	transactionStatuses,
	uuid,
	when,
} from './schemas';
import type { TransactionStatus } from './schemas';
import { seed } from './seed';
import type { SeedCounts } from './seed';
import { settingsProblems } from './settings';
import type { SandboxSettings } from './settings';
import { exampleUser } from './state';
import type { Balance, Business, Transaction } from './state';

const notice = 'This is a sandbox for development. Nothing here is real, and nothing is saved.';

/** The endpoints of the admin API, for `GET /admin/`. */
const endpoints = {
	'GET /counters':
		'counts of requests, logins, connections, requests in flight, duplicates and deliveries',
	'POST /reset': 'resets everything; {keepSettings: true} keeps the settings',
	'GET /requests': 'received requests; filters method, path, limit',
	'DELETE /requests': 'clears the received requests',
	'GET /settings': 'the current settings',
	'PATCH /settings': 'changes settings',
	'POST /users': 'adds a user with their own business: {email, password, name?}',
	'POST /tokens/revoke': 'revokes all tokens, or those of {email}',
	'GET /faults': 'active fault rules with their hits',
	'POST /faults': 'adds a rule: {match, skip, times, probability, seed, fault}',
	'DELETE /faults': 'removes all rules; DELETE /faults/{id} removes one',
	'GET /lifecycles': 'active lifecycle rules with their hits',
	'POST /lifecycles': 'adds a rule: {match, skip, times, probability, seed, steps}',
	'DELETE /lifecycles': 'removes all rules; DELETE /lifecycles/{id} removes one',
	'POST /time/advance': 'advances the clock: {ms}',
	'GET /transactions': 'transactions in full; filters reference, type, limit',
	'GET /transactions/{id}': 'one transaction in full',
	'POST /transactions/{id}/status': 'sets the status of one: {status, force?}',
	'POST /transactions/status': 'sets the status of many: {status, ids?, force?}',
	'POST /deposits/{id}/pay': 'a customer pays a QR deposit',
	'POST /crypto-deposits': 'crypto arrives: {amount, asset, blockchain, walletId?, email?}',
	'PUT /balances': 'replaces the payout balances: {balances: [{type, balance, fiat}], email?}',
	'POST /seed': 'adds made-up data: {wallets, businessClients, webhooks, webhookLogs, email?}',
	'GET /webhooks': 'webhooks of all businesses',
	'GET /deliveries': 'delivery attempts of all businesses; filter limit',
	'PATCH /deliveries/{id}': 'changes a logged attempt: {createdAt?, updatedAt?, status?, payload?}',
	'POST /deliveries/drain': 'answers once no delivery is pending; parameter timeout in ms',
	'POST /events': 'sends a payload to webhooks: {payload, webhookId?}',
};

const count = { type: 'integer', minimum: 0, maximum: 100_000 };
const flag = { type: 'boolean' };
const email = filled;
const status = { type: 'string', enum: transactionStatuses };

const frequency = {
	skip: { type: 'integer', minimum: 0 },
	times: { anyOf: [{ type: 'integer', minimum: 1 }, { const: 'always' }] },
	probability: { type: 'number', minimum: 0, maximum: 1 },
	seed: { type: 'integer' },
};

/** A century. A date that far ahead still has four digits in its year. */
const longestMs = 100 * 365 * 24 * 3_600_000;
const milliseconds = { type: 'number', minimum: 0, maximum: longestMs };

const lifecycleRule = strictObject(
	{
		match: strictObject({ type: filled, reference: filled, amount: filled }, []),
		...frequency,
		steps: {
			type: 'array',
			items: strictObject({ status, afterMs: milliseconds, eventLast: flag }, ['status']),
		},
	},
	['steps'],
);

const faultRule = strictObject(
	{
		match: strictObject({ method: filled, path: filled, bodyContains: filled }, []),
		...frequency,
		fault: {
			...strictObject(
				{
					type: {
						type: 'string',
						enum: ['status', 'latency', 'reset', 'hang', 'truncate', 'html', 'empty', 'json'],
					},
					when: { type: 'string', enum: ['before', 'after'] },
					status: { type: 'integer', minimum: 200, maximum: 599 },
					body: {},
					headers: { type: 'object', additionalProperties: text },
					retryAfter: { type: ['number', 'string'] },
					ms: { type: 'number', minimum: 0, maximum: 3_600_000 },
					abort: flag,
				},
				['type'],
			),
			allOf: [
				when('type', 'status', { required: ['status'] }),
				when('type', 'latency', { required: ['ms'] }),
				when('type', 'json', { required: ['body'] }),
			],
		},
	},
	['fault'],
);

interface ListQuery {
	limit?: string;
}

const wholeNumber = { type: 'string', format: 'digits' };

/** The newest entries of a list, oldest first. */
function newest<Item>(items: Item[], limit: string | undefined): Item[] {
	if (limit === undefined) return items;
	return Number(limit) === 0 ? [] : items.slice(-Number(limit));
}

/** The admin API, which shows and controls what the service does. It is not part of the service. */
export function adminRoutes(core: Core) {
	const { state, traffic, transactions, deliveries, faults, lifecycles, tokens, settings, clock } =
		core;

	const business = (of: string = exampleUser.email): Business => {
		const found = state.business(of);
		if (found === undefined) throw new ServiceError(404, `User ${of} not found`);
		return found;
	};
	const transaction = (id: string): Transaction => {
		const found = state.transactions.get(id.toLowerCase());
		if (found === undefined) throw new ServiceError(404, `Transaction ${id} not found`);
		return found;
	};
	const counters = () => ({
		...traffic.counters(),
		...transactions.counters(),
		deliveries: deliveries.counters(),
	});

	return async (app: FastifyInstance): Promise<void> => {
		localOnly(app);
		// Most commands need no body, so an empty body is allowed.
		app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
			try {
				done(null, body === '' ? undefined : JSON.parse(String(body)));
			} catch {
				done(new ServiceError(400, 'The body is not valid JSON'));
			}
		});
		// Fastify checks a schema only if there is a body.
		app.addHook('preValidation', (request, _reply, done) => {
			if (request.method !== 'GET') request.body ??= {};
			done();
		});

		app.get('/', () => ({ sandbox: notice, service: '/api', console: '/console', endpoints }));

		app.get('/counters', counters);

		app.post<{ Body: { keepSettings?: boolean } }>('/reset', {
			schema: { body: strictObject({ keepSettings: flag }, []) },
			handler({ body: { keepSettings = false } }) {
				core.reset(keepSettings);
				return { reset: true };
			},
		});

		app.get<{ Querystring: ListQuery & { method?: string; path?: string } }>('/requests', {
			schema: {
				querystring: strictObject({ method: filled, path: filled, limit: wholeNumber }, []),
			},
			handler({ query: { method, path, limit } }) {
				const wanted = traffic
					.requests()
					.filter(
						(request) =>
							(method === undefined || request.method === method.toUpperCase()) &&
							(path === undefined || request.path === path.replace(/^\/api(?=\/)/, '')),
					);
				return newest(wanted, limit);
			},
		});

		app.delete('/requests', () => {
			traffic.forgetRequests();
			return { cleared: true };
		});

		app.get('/settings', () => settings);

		app.patch<{ Body: Partial<SandboxSettings> }>('/settings', {
			schema: { body: { type: 'object' } },
			handler({ body }) {
				const problems = settingsProblems(body);
				if (problems.length > 0) throw new ServiceError(400, problems);
				core.change(body);
				return settings;
			},
		});

		app.post<{ Body: { email: string; password: string; name?: string } }>('/users', {
			schema: {
				body: strictObject(
					{ email: { type: 'string', format: 'email' }, password: filled, name: filled },
					['email', 'password'],
				),
			},
			handler({ body: { email: address, password, name = address } }, reply) {
				if (state.business(address) !== undefined) {
					throw new ServiceError(409, `User ${address} already exists`);
				}
				const { user } = state.addUser({ email: address, password, name });
				void reply.code(201);
				return { id: user.id, email: user.email, name: user.name };
			},
		});

		app.post<{ Body: { email?: string } }>('/tokens/revoke', {
			schema: { body: strictObject({ email }, []) },
			handler: ({ body }) => ({ revoked: tokens.revoke(body.email) }),
		});

		app.get('/faults', () => faults.all());

		app.post<{ Body: FaultRule }>('/faults', {
			schema: { body: faultRule },
			handler({ body }, reply) {
				void reply.code(201);
				return faults.add(body);
			},
		});

		app.delete('/faults', () => ({ removed: faults.remove() }));

		app.delete<{ Params: { id: string } }>('/faults/:id', {
			schema: { params: idParams },
			handler({ params }) {
				const removed = faults.remove(params.id);
				if (removed === 0) throw new ServiceError(404, `Fault rule ${params.id} not found`);
				return { removed };
			},
		});

		app.get('/lifecycles', () => lifecycles.all());

		app.post<{ Body: LifecycleRule }>('/lifecycles', {
			schema: { body: lifecycleRule },
			handler({ body }, reply) {
				const rule = lifecycles.add(body);
				transactions.startClock();
				void reply.code(201);
				return rule;
			},
		});

		app.delete('/lifecycles', () => ({ removed: lifecycles.remove() }));

		app.delete<{ Params: { id: string } }>('/lifecycles/:id', {
			schema: { params: idParams },
			handler({ params }) {
				const removed = lifecycles.remove(params.id);
				if (removed === 0) throw new ServiceError(404, `Lifecycle rule ${params.id} not found`);
				return { removed };
			},
		});

		app.post<{ Body: { ms: number } }>('/time/advance', {
			schema: { body: strictObject({ ms: milliseconds }, ['ms']) },
			handler({ body }) {
				const entered = transactions.advance(body.ms);
				return { now: clock.text(), entered };
			},
		});

		app.get<{ Querystring: ListQuery & { reference?: string; type?: string } }>('/transactions', {
			schema: {
				querystring: strictObject({ reference: filled, type: filled, limit: wholeNumber }, []),
			},
			handler({ query: { reference, type, limit } }) {
				const wanted = [...state.transactions.values()].filter(
					(one) =>
						(reference === undefined || one.reference === reference) &&
						(type === undefined || one.type === type),
				);
				return newest(wanted, limit);
			},
		});

		app.get<{ Params: { id: string } }>('/transactions/:id', {
			schema: { params: idParams },
			handler: ({ params }) => transaction(params.id),
		});

		app.post<{
			Params: { id: string };
			Body: { status: TransactionStatus; force?: boolean };
		}>('/transactions/:id/status', {
			schema: { params: idParams, body: strictObject({ status, force: flag }, ['status']) },
			handler({ params, body }) {
				const moved = transaction(params.id);
				transactions.setStatus(moved, body.status, body.force);
				return moved;
			},
		});

		app.post<{ Body: { status: TransactionStatus; ids?: string[]; force?: boolean } }>(
			'/transactions/status',
			{
				schema: {
					body: strictObject({ status, ids: { type: 'array', items: uuid }, force: flag }, [
						'status',
					]),
				},
				handler({ body: { status: next, ids, force } }) {
					const chosen = ids?.map(transaction) ?? [...state.transactions.values()];
					const fired = chosen.filter((one) => transactions.setStatus(one, next, force));
					return { changed: fired.length };
				},
			},
		);

		app.post<{ Params: { id: string } }>('/deposits/:id/pay', {
			schema: { params: idParams },
			handler({ params }) {
				const deposit = transaction(params.id);
				if (deposit.type !== 'deposit_express') {
					throw new ServiceError(400, `Transaction ${deposit.id} is not a QR deposit`);
				}
				transactions.setStatus(deposit, 'processing_transaction');
				transactions.setStatus(deposit, 'completed_transaction');
				return deposit;
			},
		});

		app.post<{
			Body: {
				amount: string;
				asset: string;
				blockchain: string;
				walletId?: string;
				email?: string;
			};
		}>('/crypto-deposits', {
			schema: {
				body: strictObject(
					{
						amount: { type: 'string', format: 'cryptoAmount' },
						asset,
						blockchain,
						walletId: uuid,
						email,
					},
					['amount', 'asset', 'blockchain'],
				),
			},
			handler({ body }, reply) {
				const owner = business(body.email);
				const walletId = body.walletId?.toLowerCase() ?? [...owner.wallets.keys()][0];
				if (!owner.wallets.has(walletId)) {
					throw new ServiceError(404, `Wallet ${walletId} not found`);
				}
				void reply.code(201);
				return transactions.create(owner, {
					type: 'deposit_crypto',
					reference: null,
					amount: body.amount,
					asset: body.asset,
					blockchain: body.blockchain,
					walletId,
					request: body,
				});
			},
		});

		app.put<{
			Body: { balances: Array<Pick<Balance, 'type' | 'balance' | 'fiat'>>; email?: string };
		}>('/balances', {
			schema: {
				body: strictObject(
					{
						balances: {
							type: 'array',
							items: strictObject({ type: filled, balance: amount, fiat: filled }, [
								'type',
								'balance',
								'fiat',
							]),
						},
						email,
					},
					['balances'],
				),
			},
			handler({ body }) {
				const owner = business(body.email);
				const at = clock.text();
				owner.balances = body.balances.map((one) => ({ ...one, lastCredit: at, lastDebit: at }));
				return owner.balances;
			},
		});

		app.post<{ Body: SeedCounts & { email?: string } }>('/seed', {
			schema: {
				body: strictObject(
					{ wallets: count, businessClients: count, webhooks: count, webhookLogs: count, email },
					[],
				),
			},
			handler({ body: { email: owner, ...counts } }, reply) {
				seed(business(owner), counts);
				void reply.code(201);
				return { seeded: counts };
			},
		});

		app.get('/webhooks', () =>
			state.allBusinesses().flatMap(({ user, webhooks }) =>
				[...webhooks.values()].map((webhook) => ({
					...webhook,
					apiKey: webhook.apiKey === '' ? '' : '***',
					business: user.email,
				})),
			),
		);

		app.get<{ Querystring: ListQuery }>('/deliveries', {
			schema: { querystring: strictObject({ limit: wholeNumber }, []) },
			handler({ query: { limit } }) {
				const attempts = state
					.allBusinesses()
					.flatMap(({ user, logs }) => logs.all().map((log) => ({ ...log, business: user.email })));
				return newest(attempts, limit);
			},
		});

		// Tests need logs with any values, to see how clients handle them.
		app.patch<{ Params: { id: string }; Body: Record<string, unknown> }>('/deliveries/:id', {
			schema: {
				params: idParams,
				body: strictObject({ createdAt: {}, updatedAt: {}, status: {}, payload: {} }, []),
			},
			handler({ params, body }) {
				const log = state
					.allBusinesses()
					.flatMap(({ logs }) => logs.all())
					.find(({ id }) => id === params.id.toLowerCase());
				if (log === undefined) throw new ServiceError(404, `Delivery ${params.id} not found`);
				return Object.assign(log, body);
			},
		});

		app.post<{ Querystring: { timeout?: string } }>('/deliveries/drain', {
			schema: { querystring: strictObject({ timeout: wholeNumber }, []) },
			async handler({ query: { timeout = '30000' } }) {
				if (!(await deliveries.drained(Number(timeout)))) {
					const { pending } = deliveries.counters();
					throw new ServiceError(504, `${pending} deliveries are still pending`);
				}
				return { drained: true, ...deliveries.counters() };
			},
		});

		app.post<{ Body: { payload: unknown; webhookId?: string } }>('/events', {
			schema: { body: strictObject({ payload: {}, webhookId: uuid }, ['payload']) },
			handler({ body: { payload, webhookId } }, reply) {
				// A named webhook gets it even if it is inactive.
				const targets = state
					.allBusinesses()
					.flatMap((owner) =>
						[...owner.webhooks.values()]
							.filter(({ id, status: state }) =>
								webhookId === undefined ? state === 'ACTIVE' : id === webhookId.toLowerCase(),
							)
							.map((webhook) => ({ owner, webhook })),
					);
				if (webhookId !== undefined && targets.length === 0) {
					throw new ServiceError(404, `Webhook ${webhookId} not found`);
				}
				for (const { owner, webhook } of targets) deliveries.send(owner, webhook, payload);
				void reply.code(202);
				return { webhooks: targets.length };
			},
		});
	};
}
