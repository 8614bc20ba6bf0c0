import type { IDataObject } from 'n8n-workflow';

import type { Clock } from './clock';
import type { FailureKind } from './eventAlarms';
import { DeliveryLogs, type LogBehaviour, type LogRow } from './deliveryLogs';
import { BEGINNING } from './package';
import {
	cut,
	json,
	Logins,
	errorResponse,
	type Answer,
	type LoginBehaviour,
	type Received,
	type Receiver,
	type Reply,
} from './service';
import { isDocumented, uuidOf, type TransactionEvent } from './transactionEvents';

/** A registered webhook. */
export interface Webhook {
	id: string;
	/** The name of the trigger that registered it, or `somebody else`. */
	creator: string;
	url: string;
	description: string;
	status: string;
	events: string[];
	/** Whether somebody has deleted it or given it an address of no trigger. */
	isTakenAway: boolean;
}

/** An event that the service has to send to a webhook. */
export interface Owed {
	event: TransactionEvent;
	webhook: Webhook;
	/** When it happened. */
	at: number;
	/** The same moment on the service's clock, in milliseconds since 1970. */
	date: number;
	/** Whether an attempt was answered as received. */
	isDelivered: boolean;
	/** When its attempts were answered, and how; nothing if nobody answered. */
	readonly attempts: Array<{ at: number; code: number | undefined }>;
}

/** A request to a webhook's address. */
export interface Delivery {
	url: string;
	body: string;
}

/** The faults of a delivery. */
export const MISHAPS = ['lost before', 'lost after', 'late', 'twice', 'twice at once'] as const;

export type Mishap = (typeof MISHAPS)[number];

/** How an entry of the logs differs from the documentation. */
export const ODDITIES = [
	'no id',
	'no date',
	'date of the update alone',
	'date in the future',
	'payload as text',
	'another status',
	'small letters',
	'late',
] as const;

export type Oddity = (typeof ODDITIES)[number];

/** Entries without an event, in undocumented shapes. */
const STRANGE: unknown[] = [
	null,
	{},
	[],
	'row',
	{ payload: 'not a payload', createdAt: 'yesterday' },
	{ payload: [], status: false },
	{ id: '', payload: null, createdAt: null },
];

interface ApiFault {
	/** Whether the service carries the request out although it fails. */
	does: boolean;
	reply: (answer: Answer) => Reply;
}

const status = (code: number, does = false): ApiFault => ({
	does,
	reply: () => errorResponse(code),
});

/** The faults of requests that read or change webhooks or read logs. */
export const API_FAULTS = {
	'reset before': { does: false, reply: () => 'reset' },
	'reset after': { does: true, reply: () => 'reset' },
	'silence before': { does: false, reply: () => 'silence' },
	'silence after': { does: true, reply: () => 'silence' },
	'401': status(401),
	'403': status(403),
	'404': status(404),
	'429': status(429),
	'429, wait': {
		does: false,
		reply: () => ({ ...errorResponse(429), headers: { 'retry-after': '30' } }),
	},
	'500': status(500),
	'500, done': status(500, true),
	'503': status(503),
	'broken answer': { does: true, reply: (answer) => ({ ...cut(answer), ends: 'broken' }) },
	'half an answer': { does: true, reply: cut },
	'web page': { does: false, reply: () => ({ status: 200, body: '<html>Welcome</html>' }) },
	'empty answer': { does: true, reply: () => ({ status: 200, body: '' }) },
} satisfies Record<string, ApiFault>;

export type ApiFaultName = keyof typeof API_FAULTS;

/** What a service may do with a change of a webhook. */
export type Repairs = 'kept' | 'rejected' | 'ignored';

/** How the service behaves. */
export interface EventBehaviour extends LoginBehaviour, LogBehaviour {
	/** The error of its clock in milliseconds. */
	offset: number;
	/** Whether each attempt has its own entry. Otherwise one entry of an event counts them. */
	isRowForEach: boolean;
	/** The milliseconds between its attempts to deliver an event. */
	retries: readonly number[];
	/** Whether the response to a creation contains the identifier of the webhook. */
	namesId: boolean;
	/** Whether it adds a slash to the path of an address. */
	addsSlash: boolean;
	/** The number of entries in the logs of a new webhook. */
	rowsBefore: number;
	/** How many requests it accepts in a minute; 0 for all. */
	requestsPerMinute: number;
	/** The fault of the next request. */
	nextFault: () => ApiFaultName | undefined;
	/** The fault of the next delivery. */
	nextMishap: () => Mishap | undefined;
	/** How the next entry differs from the documentation. */
	nextOddity: () => Oddity | undefined;
	/** Whether the next attempt or entry has the event in another spelling. */
	nextIsRespelled?: () => boolean;
	/** Whether it sends and logs events that a webhook is not registered for. */
	sendsAll?: boolean;
	/** What it does with the changes that triggers make: kept by default. */
	repairs?: Repairs;
	/** The milliseconds that the next response takes. */
	nextLatency: () => number;
}

const HOUR_MS = 3_600_000;

export const LATE_MS = 11 * 60_000;

/** The service waits no longer for the response to a delivery. */
const DELIVERY_TIMEOUT_MS = 10_000;

/** The service with the webhooks of an account, its deliveries and its logs. It survives all processes. */
export class EventService implements Receiver {
	readonly webhooks: Webhook[] = [];

	readonly owed: Owed[] = [];

	/** Violations: changes of a webhook by a trigger that did not create it. */
	readonly trespasses: string[] = [];

	/** How many times a webhook was changed by a request. */
	changes = 0;

	/** When it last rejected or ignored a change of a trigger, by its name. */
	readonly unrepaired = new Map<string, number>();

	/** How many requests it has rejected because they were too many. */
	rateLimited = 0;

	/** The requests of each trigger since the count began, without logins. */
	readonly requests = new Map<string, number>();

	/** When it got the last request of each trigger, logins included. */
	readonly lastRequest = new Map<string, number>();

	/** Why it does not answer as usual at the moment. */
	failure: () => FailureKind | undefined = () => undefined;

	/** When it accepted the requests of the last minute. */
	private accepted: number[] = [];

	private readonly logs: DeliveryLogs;

	private readonly logins: Logins;

	private ids = 0;

	/**
	 * @param call delivers an event; the status of the response is undefined if nobody answers, and there may be no response
	 * @param onList gets the name of each trigger that reads the list of webhooks
	 */
	constructor(
		private readonly clock: Clock,
		public behaviour: EventBehaviour,
		private readonly call: (
			delivery: Delivery,
			answer: (status: number | undefined) => void,
		) => void,
		private readonly onList: (origin: string) => void,
	) {
		this.logins = new Logins(clock, behaviour);
		this.logs = new DeliveryLogs(clock, () => this.date, behaviour);
	}

	/** The time on the service's clock. */
	get date(): number {
		return BEGINNING + this.clock.now + this.behaviour.offset;
	}

	/** Ends all faults. */
	calm(): void {
		const never = () => undefined;
		this.behaviour = {
			...this.behaviour,
			requestsPerMinute: 0,
			repairs: 'kept',
			nextFault: never,
			nextMishap: never,
			nextOddity: never,
			nextChange: never,
			nextLatency: () => 1,
		};
		this.logs.behaviour = this.behaviour;
		this.logins.behaviour = { tokenLifetime: 1e12, nextLoginFault: never };
	}

	/** @param nextChange what happens to the logs between two pages from now on */
	moveEntries(nextChange: LogBehaviour['nextChange']): void {
		this.logs.behaviour = { ...this.logs.behaviour, nextChange };
	}

	add(webhook: Omit<Webhook, 'id' | 'isTakenAway'>): Webhook {
		const added = { ...webhook, id: uuidOf('8a3f0c1e', ++this.ids), isTakenAway: false };
		this.webhooks.push(added);
		const age = this.behaviour.order === 'none' ? 0 : 40 * 24 * HOUR_MS;
		for (let number = 0; number < this.behaviour.rowsBefore; number++) {
			// The logs of each webhook begin with another one.
			const strange = STRANGE[(number + this.webhooks.length) % STRANGE.length];
			this.logs.pad(added.id, this.date - age, strange);
		}
		return added;
	}

	/** How many entries the service returns for a webhook. */
	entriesOf({ id }: Webhook): number {
		const rows = this.visibleRows();
		return this.behaviour.ignoresFilters
			? rows.length
			: rows.filter(({ webhookId }) => webhookId === id).length;
	}

	/** How it writes a moment (milliseconds since 1970). */
	dateOf(date: number): string | number {
		return this.logs.dateOf(date);
	}

	/** The entries that the logs show now. */
	visibleRows(): LogRow[] {
		return this.logs.rows.filter(({ visibleFrom }) => visibleFrom <= this.clock.now);
	}

	/** The events that the logs show now. */
	loggedEvents(): Set<TransactionEvent> {
		return new Set(this.visibleRows().flatMap(({ event }) => event ?? []));
	}

	/** The statuses that active webhooks are registered for. */
	coveredStatuses(): string[] {
		const active = this.webhooks.filter(({ status }) => status === 'ACTIVE');
		return [...new Set(active.flatMap(({ events }) => events))];
	}

	/** Deletes a webhook. Its logs stay. */
	delete(webhook: Webhook): void {
		webhook.isTakenAway = true;
		this.webhooks.splice(this.webhooks.indexOf(webhook), 1);
	}

	/** A transaction changes its status. */
	happen(event: TransactionEvent): void {
		for (const webhook of this.webhooks) {
			if (webhook.status !== 'ACTIVE' || !this.isFor(webhook, event)) continue;
			const { now } = this.clock;
			const owed = { event, webhook, at: now, date: this.date, isDelivered: false, attempts: [] };
			this.owed.push(owed);
			this.attempt(owed, 0);
		}
	}

	/** No webhook can be registered for a status that is not documented, so the service sends such an event to all. */
	private isFor({ events }: Webhook, { status }: TransactionEvent): boolean {
		return this.behaviour.sendsAll === true || !isDocumented(status) || events.includes(status);
	}

	receive(request: Received, reply: (reply: Reply) => boolean): void {
		const { nextLatency } = this.behaviour;
		const answer = (what: Reply) =>
			void this.clock.in(nextLatency(), () => {
				reply(what);
			});
		const failure = this.failure();
		this.lastRequest.set(request.origin, this.clock.now);
		if (failure === '503') return answer(errorResponse(503));
		if (request.path.endsWith('/auth/login')) {
			return answer(failure === 'login' ? errorResponse(401) : this.logins.login());
		}
		if (failure === 'login') return answer(errorResponse(401));
		if (failure === '403') return answer(errorResponse(403));
		this.requests.set(request.origin, (this.requests.get(request.origin) ?? 0) + 1);
		const wait = this.waitMs();
		if (wait > 0) {
			this.rateLimited++;
			const headers = { 'retry-after': String(Math.ceil(wait / 1000)) };
			return answer({ ...errorResponse(429), headers });
		}
		if (!this.logins.has(request.token)) return answer(errorResponse(401));
		const name = this.behaviour.nextFault();
		if (name === undefined) return answer(this.answer(request));
		const { does, reply: what }: ApiFault = API_FAULTS[name];
		if (name.startsWith('429')) this.rateLimited++;
		// To the trigger, a change that was answered with success but isn't made is one that the service doesn't keep.
		if (name === 'web page' && request.method === 'PATCH')
			this.unrepaired.set(request.origin, this.clock.now);
		answer(what(does ? this.answer(request) : errorResponse(500)));
	}

	/** Accepts a request, or returns how long the service rejects it for its rate limit. */
	private waitMs(): number {
		const { requestsPerMinute: limit } = this.behaviour;
		const { now } = this.clock;
		this.accepted = this.accepted.filter((at) => limit > 0 && at > now - 60_000);
		if (limit > 0 && this.accepted.length >= limit) return this.accepted[0] + 60_000 - now;
		this.accepted.push(now);
		return 0;
	}

	private answer(request: Received): Answer {
		const { method, path, origin } = request;
		if (method === 'GET' && path === '/v2/webhooks') {
			this.onList(origin);
			return json(200, this.webhooks.map(listed));
		}
		if (method === 'POST' && path === '/v2/webhooks') return this.create(request);
		if (method === 'GET' && path === '/v2/webhooks/logs') return this.logs.page(request.query);
		const [, id] = /^\/v2\/webhooks\/([^/]+)$/.exec(path) ?? [];
		const webhook = this.webhooks.find((one) => one.id === id);
		if (method === 'GET' && webhook) return json(200, listed(webhook));
		if (method === 'PATCH' && webhook) return this.change(webhook, request);
		return errorResponse(404);
	}

	private create({ body, origin }: Received): Answer {
		const { namesId } = this.behaviour;
		const { id, ...webhook } = this.add({ creator: origin, ...this.readBody(body) });
		return json(201, {
			...(namesId && { id }),
			url: webhook.url,
			events: webhook.events,
			description: webhook.description,
		});
	}

	private change(webhook: Webhook, { body, origin }: Received): Answer {
		if (webhook.creator !== origin) {
			this.trespasses.push(`${origin} changed ${webhook.id} of ${webhook.creator}`);
		}
		const { repairs = 'kept' } = this.behaviour;
		if (repairs !== 'kept') this.unrepaired.set(origin, this.clock.now);
		if (repairs === 'rejected') return errorResponse(403);
		const changes = this.readBody(body);
		if (repairs === 'ignored') {
			return json(200, { id: webhook.id, url: changes.url, events: changes.events });
		}
		const { url: before } = webhook;
		this.changes++;
		Object.assign(webhook, changes);
		// The trigger read the webhook before somebody changed the address, and writes all of it.
		if (webhook.url !== before) webhook.isTakenAway = false;
		return json(200, { id: webhook.id, url: webhook.url, events: webhook.events });
	}

	private readBody(body: IDataObject) {
		const url = new URL(String(body.url));
		if (this.behaviour.addsSlash) url.pathname = `${url.pathname.replace(/\/+$/, '')}/`;
		return {
			url: url.toString(),
			description: String(body.description),
			status: String(body.status),
			events: (body.events as { transaction: string[] }).transaction,
		};
	}

	private attempt(owed: Owed, number: number, known?: LogRow): void {
		const { behaviour } = this;
		const mishap = behaviour.nextMishap();
		const isLate = mishap === 'late';
		this.clock.in(behaviour.nextLatency() + (isLate ? LATE_MS : 0), () => {
			if (mishap === 'lost before') return this.log(owed, number, undefined, known);
			this.send(owed, (code) => {
				const isLost = mishap === 'lost after';
				this.log(owed, number, isLost ? undefined : code, known);
			});
			if (mishap === 'twice at once') this.send(owed, () => {});
			if (mishap === 'twice') {
				this.clock.in(60_000, () => this.send(owed, (code) => this.log(owed, 99, code, known)));
			}
		});
	}

	private send({ event, webhook }: Owed, answered: (code: number | undefined) => void): void {
		let isOver = false;
		const end = (code: number | undefined) => {
			if (isOver) return;
			isOver = true;
			answered(code);
		};
		const { url } = webhook;
		this.call({ url, body: JSON.stringify(this.payloadOf(event)) }, (code) =>
			this.clock.in(this.behaviour.nextLatency(), () => end(code)),
		);
		this.clock.in(DELIVERY_TIMEOUT_MS, () => end(undefined));
	}

	private payloadOf({ payload, respelled }: TransactionEvent): IDataObject {
		return this.behaviour.nextIsRespelled?.() ? respelled : payload;
	}

	/** Logs an attempt and makes the next one. */
	private log(
		owed: Owed,
		number: number,
		code: number | undefined,
		known: LogRow | undefined,
	): void {
		const isDelivered = code !== undefined && code >= 200 && code < 300;
		owed.isDelivered ||= isDelivered;
		owed.attempts.push({ at: this.clock.now, code });
		const row = this.rowOf(owed, number, isDelivered, code, known);
		const wait = this.behaviour.retries[number];
		if (isDelivered || wait === undefined) return;
		const next = this.behaviour.isRowForEach ? undefined : row;
		this.clock.in(wait, () => this.attempt(owed, number + 1, next));
	}

	private rowOf(
		{ event, webhook, date }: Owed,
		number: number,
		isDelivered: boolean,
		code: number | undefined,
		known: LogRow | undefined,
	): LogRow {
		const now = this.logs.dateOf(this.date);
		const result = isDelivered ? 'SUCCESS' : 'ERROR';
		if (known) {
			Object.assign(known.fields as IDataObject, {
				status: result,
				statusCode: code,
				retries: number,
				updatedAt: now,
			});
			return known;
		}
		const oddity = this.behaviour.nextOddity();
		const created = oddity === 'date in the future' ? date + 400 * 24 * HOUR_MS : date;
		const createdAt = this.behaviour.isRowForEach ? this.date + created - date : created;
		const payload = this.payloadOf(event);
		const fields: IDataObject = {
			id: uuidOf('c0ffee00', ++this.ids),
			webhookId: webhook.id,
			name: webhook.description,
			webhookUrl: webhook.url,
			status: oddity === 'another status' ? 'TRIED' : result,
			payload: oddity === 'payload as text' ? JSON.stringify(payload) : payload,
			statusCode: code ?? null,
			retries: number,
			createdAt: this.logs.dateOf(createdAt),
			updatedAt: now,
		};
		if (oddity === 'small letters') {
			fields.status = result.toLowerCase();
			fields.webhookId = webhook.id.toUpperCase();
		}
		if (oddity === 'no id') delete fields.id;
		if (oddity === 'no date' || oddity === 'date of the update alone') delete fields.createdAt;
		if (oddity === 'no date') delete fields.updatedAt;
		const visibleFrom = this.clock.now + (oddity === 'late' ? LATE_MS : 0);
		const row: LogRow = {
			webhookId: webhook.id,
			date: this.date,
			visibleFrom,
			fields,
			isPadding: false,
			event,
			oddity,
			createdAt,
		};
		this.logs.rows.push(row);
		return row;
	}
}

function listed({ id, url, description, status, events }: Webhook): IDataObject {
	return { id, callbalckUrl: url, description, status, events: { transaction: events } };
}
