import type { IDataObject } from 'n8n-workflow';

import type { Clock } from './clock';
import { dateText, DeliveryLogs, type LogBehaviour } from './deliveryLogs';
import { API_FAULTS, type ApiFaultName } from './eventService';
import { BEGINNING } from './package';
import {
	errorResponse,
	json,
	referenceIn,
	type Payment,
	type PaymentWatcher,
	type Received,
	type Reply,
} from './service';

/** How the payload of an event, or its entry, differs from the documented one of a crypto payout (section 6.1). */
export const SHAPES = [
	'documented',
	'flat',
	'text',
	'no id',
	'no date',
	'no timestamp',
	'date in the future',
	'upper case',
	'no transaction',
	'no reference',
] as const;

export type Shape = (typeof SHAPES)[number];

/** What events say of the amount: nothing, its number alone, with its currency, or the crypto that funded it. */
export const AMOUNTS = ['none', 'bare', 'fiat', 'funding'] as const;

/** How the service logs the events of payments. */
export interface PaymentLogBehaviour extends LogBehaviour {
	/** The statuses that the account's webhook covers; undefined if it has no webhook. */
	events: readonly string[] | undefined;
	amounts: (typeof AMOUNTS)[number];
	/** The statuses that the next payment goes through. */
	nextStatuses: () => readonly string[];
	/** The milliseconds until the next event happens, or its entry is in the logs. */
	nextDelay: () => number;
	nextShape: () => Shape;
	/** The fault of the next request that reads webhooks or logs. */
	nextLogFault: () => ApiFaultName | undefined;
}

/** An event of a payment in the logs. */
export interface LoggedPayment {
	payment: Payment;
	status: string;
	/** Whether the entry has the reference. */
	isNamed: boolean;
	/** Whether it has the transaction ID. Without one, it may be about any transaction with the reference. */
	hasId: boolean;
	/** The date of the entry (milliseconds of the scenario). */
	at: number;
	/** The moment from which on the logs show it. */
	visibleFrom: number;
}

const WEBHOOK = 'webhook-of-the-account';

/** What the service logs of the payments that it creates. */
export class PaymentLogs implements PaymentWatcher {
	readonly entries: LoggedPayment[] = [];

	/** By execution: when the service first gave it a page of the logs. */
	readonly firstRead = new Map<string, number>();

	readonly logs: DeliveryLogs;

	private ids = 0;

	constructor(
		private readonly clock: Clock,
		public behaviour: PaymentLogBehaviour,
	) {
		this.logs = new DeliveryLogs(clock, () => BEGINNING + clock.now, behaviour);
	}

	/** Drops the entries of earlier times, by the clock of the simulation. */
	forgetBefore(at: number): void {
		const { rows } = this.logs;
		const kept = rows.filter(({ date }) => date >= BEGINNING + at);
		rows.splice(0, rows.length, ...kept);
	}

	/** Ends all faults. */
	calm(): void {
		this.behaviour = { ...this.behaviour, nextLogFault: () => undefined };
	}

	created(payment: Payment, isFailed: boolean): void {
		this.happen(payment, isFailed ? ['failed_transaction'] : this.behaviour.nextStatuses());
	}

	/** Logs that a payment goes through statuses, from now on. */
	happen(payment: Payment, statuses: readonly string[]): void {
		const { events, nextDelay } = this.behaviour;
		let at = this.clock.now;
		for (const status of statuses) {
			at += nextDelay();
			if (events?.includes(status)) this.log(payment, status, at);
		}
	}

	answer({ path, query, origin }: Received): Reply | undefined {
		if (!path.startsWith('/v2/webhooks')) return undefined;
		const name = this.behaviour.nextLogFault();
		const { events } = this.behaviour;
		const answer =
			path === '/v2/webhooks'
				? json(
						200,
						events ? [{ id: WEBHOOK, status: 'ACTIVE', events: { transaction: events } }] : [],
					)
				: this.logs.page(query);
		if (name !== undefined) {
			const { does, reply } = API_FAULTS[name];
			return reply(does ? answer : errorResponse(500));
		}
		if (path !== '/v2/webhooks' && !this.firstRead.has(origin))
			this.firstRead.set(origin, this.clock.now);
		return answer;
	}

	private log(payment: Payment, status: string, at: number): void {
		const shape = this.behaviour.nextShape();
		const visibleFrom = at + this.behaviour.nextDelay();
		const date = BEGINNING + at + (shape === 'date in the future' ? 400 * 86_400_000 : 0);
		const payload = this.payloadOf(payment, status, at, shape);
		const fields: IDataObject = {
			id: `entry-${++this.ids}`,
			webhookId: WEBHOOK,
			status: 'SUCCESS',
			payload: shape === 'text' ? JSON.stringify(payload) : payload,
			statusCode: 200,
			createdAt: dateText(date),
			updatedAt: dateText(date),
		};
		if (shape === 'no id') delete fields.id;
		if (shape === 'no date') {
			delete fields.createdAt;
			delete fields.updatedAt;
		}
		const isNamed = shape !== 'no reference';
		this.logs.rows.push({ webhookId: WEBHOOK, date, visibleFrom, fields, isPadding: false });
		const hasId = shape !== 'no transaction';
		this.entries.push({ payment, status, isNamed, hasId, at, visibleFrom });
	}

	private payloadOf({ id, body }: Payment, status: string, at: number, shape: Shape): IDataObject {
		const { amount, currency_type: currency = body.asset } = (body.transaction ??
			body) as IDataObject;
		const own = {
			none: {},
			bare: { amount: String(amount) },
			fiat: { amount: String(amount), asset: currency },
			funding: { amount: '0.5', asset: 'USDC' },
		}[this.behaviour.amounts];
		const reference = referenceIn(body);
		const timestamp = shape === 'no timestamp' ? {} : { timestamp: dateText(BEGINNING + at) };
		if (shape === 'flat')
			return { external_reference: reference, transaction_id: id, status, ...timestamp, ...own };
		return {
			...(shape !== 'no reference' && {
				externalReference: shape === 'upper case' ? reference.toUpperCase() : reference,
			}),
			status,
			transactionType: 'withdrawal_ach',
			...timestamp,
			details: {
				...own,
				message: `now ${status}`,
				...(shape !== 'no transaction' && { transactionId: id }),
			},
		};
	}
}
