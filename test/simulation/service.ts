import type { IDataObject } from 'n8n-workflow';

import type { Clock } from './clock';

/** A response as it arrives over the network. */
export interface Answer {
	status: number;
	headers?: Record<string, string>;
	body: string;
	/** How the body is cut off: the connection breaks, or no more data arrives. */
	ends?: 'broken' | 'silent';
}

/** The result of a request. */
export type Reply = Answer | 'reset' | 'silence';

/** A request as the service receives it. */
export interface Received {
	method: string;
	path: string;
	query: IDataObject;
	body: IDataObject;
	token?: string;
	/** The execution or trigger that sent it, for the invariants. */
	origin: string;
}

/** A receiver of requests. */
export interface Receiver {
	/** @param reply gets the result and returns whether anybody still listens */
	receive(request: Received, reply: (reply: Reply) => boolean): void;
}

/** A payment that exists. */
export interface Payment {
	id: string;
	/** The path of its request. */
	path: string;
	/** The reference in the form that the service compares. */
	reference: string;
	body: IDataObject;
	origin: string;
	/** When it was created. */
	at: number;
	/** Whether the sender received the complete and correct response. */
	isAnswered: boolean;
}

/** What watches a service, and answers what it does not answer itself. */
export interface PaymentWatcher {
	/** @param isFailed whether the payment has failed at once */
	created(payment: Payment, isFailed: boolean): void;
	/** The answer to a request to read; undefined if it is not concerned. */
	answer(request: Received): Reply | undefined;
}

/** A request to create a payment. */
export interface Asked extends Received {
	at: number;
}

/** A fault in the creation of a payment. */
interface Fault {
	/** Whether the payment is created. An error response with 4xx never creates one. */
	creates: boolean;
	/** The milliseconds until the payment is created or rejected. */
	after?: number;
	/** Of what is created, or of an older payment of the same execution. */
	reply: (payment: Payment | undefined, other: Payment | undefined) => Reply;
}

export const json = (status: number, body: unknown, headers?: Record<string, string>): Answer => ({
	status,
	body: JSON.stringify(body),
	headers,
});

export const errorResponse = (status: number, message = 'no'): Answer =>
	json(status, { statusCode: status, message, error: 'Rejected' });

const made = (payment: Payment | undefined, changes: IDataObject = {}): Answer =>
	json(201, { ...answerOf(payment), ...changes });

/** The answer of section 4.6, 4.7, 4.10 or 4.11 of the service interface. */
function answerOf(payment: Payment | undefined): IDataObject {
	const state = { status: 'pending_transaction', message: 'created' };
	if (payment?.path === CRYPTO) return { ...payment.body, transactionId: payment.id, ...state };
	if (payment?.path === DEPOSIT)
		return { ...payment.body, transactionId: payment.id, transactionStatus: state.status };
	const transaction = { transaction_id: payment?.id ?? '', ...state };
	const { amount, address } = (payment && fundingOf(payment)) ?? { amount: null, address: null };
	return {
		...(payment?.path !== QR && { transaction_id: payment?.id ?? 'a-strange-transaction' }),
		external_reference: payment?.body.external_reference ?? 'a-strange-reference',
		deposit_address: address,
		amount_deposit: amount,
		transactions: payment?.path === QR ? transaction : [transaction],
	};
}

/** What a payment by conversion waits for; undefined if it needs nothing. */
export function fundingOf({ id, body }: Payment): { amount: string; address: string } | undefined {
	if (body.funding_source !== 'conversion') return undefined;
	const number = id.replace(/\D/g, '');
	return { amount: `${number}.000${number}1`, address: `0x${number.padStart(40, '5')}` };
}

const status = (code: number, creates = false, headers?: Record<string, string>): Fault => ({
	creates,
	reply: () => ({ ...errorResponse(code), headers }),
});

/** The faults by their names. */
export const FAULTS = {
	'reset before': { creates: false, reply: () => 'reset' },
	'reset after': { creates: true, reply: () => 'reset' },
	'silence before': { creates: false, reply: () => 'silence' },
	'silence after': { creates: true, reply: () => 'silence' },
	'slow answer': { creates: true, after: 3_000, reply: (own) => made(own) },
	'too late an answer': { creates: true, after: 9_000, reply: (own) => made(own) },
	'400': status(400),
	'401': status(401),
	'403': status(403),
	'404': status(404),
	'409': status(409),
	'418': status(418),
	'422': status(422),
	'302': status(302, false, { location: '/elsewhere' }),
	'307, created': status(307, true, { location: '/elsewhere' }),
	'408': status(408),
	'408, created': status(408, true),
	'429': status(429),
	'429, at once': status(429, false, { 'retry-after': '0' }),
	'429, in two seconds': status(429, false, { 'retry-after': '2' }),
	'500': status(500),
	'500, created': status(500, true),
	'502, created': status(502, true),
	'503': status(503, false, { 'retry-after': '1' }),
	'503, created': status(503, true),
	'504, created': status(504, true),
	'broken answer': { creates: true, reply: (own) => ({ ...cut(made(own)), ends: 'broken' }) },
	'half an answer': { creates: true, reply: (own) => cut(made(own)) },
	'answer without an end': {
		creates: true,
		reply: (own) => ({ ...cut(made(own)), ends: 'silent' }),
	},
	'web page': { creates: false, reply: () => ({ status: 200, body: '<html>Welcome</html>' }) },
	'web page, created': { creates: true, reply: () => ({ status: 201, body: '<html></html>' }) },
	'empty answer': { creates: true, reply: () => ({ status: 201, body: '' }) },
	'nothing said': { creates: true, reply: () => json(201, {}) },
	'success that is none': {
		creates: false,
		reply: () => json(201, { success: false, message: 'no', transaction_id: 'none' }),
	},
	'error in a success': {
		creates: false,
		reply: (own) => made(own, { statusCode: 400, message: 'no' }),
	},
	'answer of another': { creates: true, reply: (_, other) => made(other) },
	'transaction of another': {
		creates: true,
		reply: (own, other) => made(own, other && { transaction_id: other.id }),
	},
	'failed at once': {
		creates: true,
		reply: (own) =>
			made(own, {
				status: 'failed_transaction',
				transactions: [{ transaction_id: own?.id, status: 'failed_transaction', message: 'no' }],
			}),
	},
} satisfies Record<string, Fault>;

export function cut(answer: Answer): Answer {
	return { ...answer, body: answer.body.slice(0, answer.body.length / 2) };
}

export type FaultName = keyof typeof FAULTS;

/** The faulty responses of the login. */
export const LOGIN_FAULTS = {
	reset: () => 'reset',
	'503': () => errorResponse(503),
	'no token': () => json(201, { success: true }),
	rejected: () => errorResponse(401),
} satisfies Record<string, () => Reply>;

export type LoginFaultName = keyof typeof LOGIN_FAULTS;

/** How the service handles logins. */
export interface LoginBehaviour {
	/** The number of the account, if there are several. Identifiers and tokens begin or end with it. */
	account?: string;
	/** The milliseconds for which a token is valid. */
	tokenLifetime: number;
	/** The fault of the next login. */
	nextLoginFault: () => LoginFaultName | undefined;
}

/** The logins and tokens of a service. */
export class Logins {
	private count = 0;

	private readonly tokens = new Map<string, number>();

	constructor(
		private readonly clock: Clock,
		public behaviour: LoginBehaviour,
	) {}

	/** Whether a token is valid. */
	has(token = ''): boolean {
		return (this.tokens.get(token) ?? -Infinity) > this.clock.now;
	}

	/** Ends all tokens. */
	end(): void {
		this.tokens.clear();
	}

	login(): Reply {
		const fault = this.behaviour.nextLoginFault();
		if (fault) return LOGIN_FAULTS[fault]();
		const token = `token-number-${++this.count}-of-${this.behaviour.account ?? 'the-service'}`;
		this.tokens.set(token, this.clock.now + this.behaviour.tokenLifetime);
		return json(200, { success: true, accessToken: token, user: { id: 'user' }, message: 'ok' });
	}
}

/** How the service of payments behaves. */
export interface Behaviour extends LoginBehaviour {
	/** Its response to a reference that exists. */
	duplicates: 'accept' | 'conflict' | 'badRequest';
	/** The milliseconds after which it forgets a reference. */
	forgetsAfter: number;
	/** The fault of the next creation. */
	nextFault: (request: Asked) => FaultName | undefined;
	/** The milliseconds that the next response takes. */
	nextLatency: () => number;
}

const BANK = '/v3/transactions/payouts/bank';
const QR = '/v2/transactions/payouts/qr';
export const CRYPTO = '/v2/transactions/payouts/crypto';
export const DEPOSIT = '/v2/transactions/deposit/qr';

/** The reference in the request of any payment. */
export const referenceIn = ({
	external_reference,
	externalReference,
	referenceId,
}: IDataObject): string => String(external_reference ?? externalReference ?? referenceId);

/** The service with the requests that it received and the payments that exist. It survives all processes. */
export class Service implements Receiver {
	readonly payments: Payment[] = [];

	/** The requests to create a payment that arrived with a valid token. */
	readonly asked: Asked[] = [];

	/** The requests that it has not answered. */
	inFlight = 0;

	readonly logins: Logins;

	private current: Behaviour;

	constructor(
		private readonly clock: Clock,
		behaviour: Behaviour,
		private readonly watcher?: PaymentWatcher,
	) {
		this.current = behaviour;
		this.logins = new Logins(clock, behaviour);
	}

	get behaviour(): Behaviour {
		return this.current;
	}

	set behaviour(behaviour: Behaviour) {
		this.current = behaviour;
		this.logins.behaviour = behaviour;
	}

	receive(request: Received, reply: (reply: Reply) => boolean): void {
		const { nextLatency } = this.behaviour;
		const answer = (what: Reply, payment?: Payment) =>
			this.clock.in(nextLatency(), () => {
				if (reply(what) && payment) payment.isAnswered = true;
			});
		if (request.path.endsWith('/auth/login')) return void answer(this.logins.login());
		if (!this.logins.has(request.token)) return void answer(errorResponse(401));
		if (request.method === 'GET') {
			const balances = [{ type: 'withdrawal_ach', fiat: 'BOB', balance: 1e9 }];
			return void answer(this.watcher?.answer(request) ?? json(200, balances));
		}
		if (![BANK, QR, CRYPTO, DEPOSIT].includes(request.path)) return void answer(errorResponse(404));

		const asked = { ...request, at: this.clock.now };
		this.asked.push(asked);
		this.inFlight++;
		const name = this.behaviour.nextFault(asked);
		const fault: Fault | undefined = name && FAULTS[name];
		this.clock.in(fault?.after ?? nextLatency(), () => {
			this.inFlight--;
			const { reply: what, created } = this.create(request, fault);
			if (created) this.watcher?.created(created, name === 'failed at once');
			answer(what, fault ? undefined : created);
		});
	}

	/** Whether a payment with a reference exists. */
	has(reference: string): boolean {
		return this.payments.some((payment) => payment.reference === reference.toLowerCase());
	}

	private create(
		{ path, body, origin }: Received,
		fault: Fault | undefined,
	): { reply: Reply; created?: Payment } {
		const { payments, behaviour, clock } = this;
		const reference = referenceIn(body).toLowerCase();
		const other = payments.find((one) => one.isAnswered && one.origin === origin);
		if (fault && !fault.creates) return { reply: fault.reply(undefined, other) };
		const isKnown = payments.some(
			(one) => one.reference === reference && one.at + behaviour.forgetsAfter > clock.now,
		);
		if (isKnown && behaviour.duplicates !== 'accept') {
			const code = behaviour.duplicates === 'conflict' ? 409 : 400;
			return { reply: errorResponse(code, 'duplicate reference') };
		}
		const created: Payment = {
			id: `${behaviour.account ?? ''}transaction-${payments.length + 1}`,
			path,
			reference,
			body,
			origin,
			at: clock.now,
			isAnswered: false,
		};
		payments.push(created);
		return { reply: fault ? fault.reply(created, other) : made(created), created };
	}
}
