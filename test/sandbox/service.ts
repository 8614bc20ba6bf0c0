/* eslint-disable @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomUUID } from 'node:crypto';
import { startSandbox } from '../../sandbox/server';
import type { Sandbox, SandboxOptions } from '../../sandbox/server';

/** A JSON value whose form depends on the endpoint, so any part of it may be accessed. */
export interface Json {
	[part: string]: Json;
}

/** Undefined for a text that isn't JSON, so that accessing it fails. */
function fromJson(text: string): Json {
	try {
		return JSON.parse(text) as Json;
	} catch {
		return undefined as unknown as Json;
	}
}

export interface Answer {
	status: number;
	headers: Headers;
	text: string;
	body: Json;
}

/** A sandbox with a logged-in user. */
export class Service {
	private constructor(
		readonly sandbox: Sandbox,
		public token: string,
	) {}

	static async start(options?: SandboxOptions): Promise<Service> {
		const service = new Service(await startSandbox(options), '');
		await service.login();
		return service;
	}

	get admin() {
		return this.sandbox.admin;
	}

	async login(email = this.sandbox.email, password = this.sandbox.password): Promise<void> {
		const { body } = await this.call('POST', '/v2/auth/login', { email, password });
		this.token = (body as Partial<Record<string, unknown>>).accessToken as string;
	}

	async call(method: string, path: string, body?: unknown): Promise<Answer> {
		return await this.send(path, {
			method,
			headers: {
				...(this.token && { authorization: `Bearer ${this.token}` }),
				...(body !== undefined && { 'content-type': 'application/json' }),
			},
			body: body === undefined ? undefined : JSON.stringify(body),
		});
	}

	async send(path: string, init: RequestInit): Promise<Answer> {
		const response = await fetch(this.sandbox.baseUrl + path, init);
		const text = await response.text();
		return { status: response.status, headers: response.headers, text, body: fromJson(text) };
	}

	/** The system error code of a request without a response. */
	async failure(method: string, path: string, body?: unknown): Promise<string> {
		const error: unknown = await this.call(method, path, body).then(
			(answer) => new Error(`answered ${answer.status}`),
			(reason: unknown) => reason,
		);
		const { cause, message } = error as { cause?: { code?: string }; message: string };
		return cause?.code ?? message;
	}
}

export const paths = {
	bank: '/v3/transactions/payouts/bank',
	crypto: '/v2/transactions/payouts/crypto',
	qrPayout: '/v2/transactions/payouts/qr',
	deposit: '/v2/transactions/deposit/qr',
};

export const evm = `0x${'aB'.repeat(20)}`;
export const anyUuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
export const anyTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

type Fields = Record<string, unknown>;

/** A valid bank payout. A field set to undefined is omitted. */
export function bankPayout(fields: Fields = {}, transaction: Fields = {}): Fields {
	return {
		funding_source: 'balance',
		external_reference: randomUUID(),
		transaction: {
			amount: 100.5,
			bank_code: '0012',
			description: 'Salary',
			destination_account: '0001234567',
			first_name: 'Ana',
			last_name: 'Flores',
			destination_id_number: '0123456',
			currency_type: 'BOB',
			...transaction,
		},
		...fields,
	};
}

export function balanceDeposit(fields: Fields = {}): Fields {
	return {
		fiatCurrency: 'BOB',
		referenceId: randomUUID(),
		country: 'BO',
		fundingSource: 'balance',
		fiatAmount: 69.6,
		...fields,
	};
}

export function qrPayout(fields: Fields = {}): Fields {
	return {
		image: '00020101021226',
		external_reference: randomUUID().slice(0, 32),
		asset_deposit: 'USDC',
		blockchain: 'Polygon',
		funding_source: 'conversion',
		amount: 35,
		...fields,
	};
}

export function cryptoPayout(walletId: string, fields: Fields = {}): Fields {
	return {
		walletId,
		destinationWallet: evm,
		amount: '12.34567891',
		asset: 'USDC',
		blockchain: 'Polygon',
		externalReference: randomUUID(),
		...fields,
	};
}

/** A delivery that a webhook received. */
export interface Received {
	headers: IncomingHttpHeaders;
	body: Json;
}

/** A partner's server, which answers deliveries with the given statuses. */
export class Receiver {
	readonly received: Received[] = [];
	/** The statuses of the next responses, then 200. */
	answers: number[] = [];
	private readonly server: Server;

	constructor() {
		this.server = createServer((request, response) => {
			const chunks: Buffer[] = [];
			request.on('data', (chunk: Buffer) => chunks.push(chunk));
			request.on('end', () => {
				const body = JSON.parse(Buffer.concat(chunks).toString()) as Json;
				this.received.push({ headers: request.headers, body });
				response.writeHead(this.answers.shift() ?? 200).end();
			});
		});
	}

	async start(): Promise<string> {
		await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
		return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/hook`;
	}

	async stop(): Promise<void> {
		await new Promise((resolve) => {
			this.server.close(resolve);
			this.server.closeAllConnections();
		});
	}
}
