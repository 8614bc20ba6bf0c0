/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import * as http from 'node:http';
import path from 'node:path';
import { balanceDeposit, bankPayout, paths, Receiver, Service } from './service';

const folder = path.join(__dirname, '..', '..', 'sandbox', 'console');
const fileOf = (name: string): string => readFileSync(path.join(folder, name), 'utf8');
const page = fileOf('console.html');

interface Rows {
	total: number;
	matching: number;
	rows: Array<Record<string, unknown>>;
}

type News = Record<string, Rows> & { faults: unknown[]; settings: object; counters: object };

/** Listens to the sandbox's updates as the page does. */
class Listener {
	private text = '';
	private constructor(
		private readonly reader: ReadableStreamDefaultReader<Uint8Array>,
		private readonly leave: AbortController,
		readonly type: string | null,
	) {}

	static async start(consoleUrl: string, find = ''): Promise<Listener> {
		const leave = new AbortController();
		const query = new URLSearchParams({ find }).toString();
		const response = await fetch(`${consoleUrl}/events?${query}`, { signal: leave.signal });
		if (response.body === null) throw new Error('no body');
		return new Listener(response.body.getReader(), leave, response.headers.get('content-type'));
	}

	/** The sections of the next message, which has only changes. */
	async next(): Promise<News> {
		for (;;) {
			const end = this.text.indexOf('\n\n');
			if (end >= 0) {
				const message = this.text.slice(0, end);
				this.text = this.text.slice(end + 2);
				if (message.startsWith('data: ')) return JSON.parse(message.slice(6)) as News;
				continue;
			}
			const { done, value } = await this.reader.read();
			if (done) throw new Error('the stream ended');
			this.text += Buffer.from(value).toString();
		}
	}

	stop(): void {
		this.leave.abort();
	}
}

describe('the console', () => {
	let service: Service;
	const listeners: Listener[] = [];

	const listen = async (find?: string): Promise<Listener> => {
		const listener = await Listener.start(service.sandbox.consoleUrl, find);
		listeners.push(listener);
		return listener;
	};
	const look = async (find?: string): Promise<News> => await (await listen(find)).next();

	beforeAll(async () => {
		service = await Service.start({ deliveryRetries: 1, deliveryRetryDelaysMs: [1] });
	});
	beforeEach(async () => {
		await service.admin.reset();
		await service.login();
	});
	afterEach(() => {
		for (const listener of listeners.splice(0)) listener.stop();
	});
	afterAll(() => service.sandbox.close());

	it('loads only its own files and says that it is a sandbox', async () => {
		const { consoleUrl, adminUrl } = service.sandbox;
		expect(consoleUrl).toBe(adminUrl.replace(/admin$/, 'console'));
		for (const url of [consoleUrl, `${consoleUrl}/`]) {
			const answer = await fetch(url);
			expect(answer.status).toBe(200);
			expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
			const policy = answer.headers.get('content-security-policy');
			expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
			expect(policy).toContain("frame-ancestors 'none'");
			expect(policy).not.toMatch(/unsafe|\*|http/);
			expect(await answer.text()).toContain('Nothing here is real');
		}
		const references = [...page.matchAll(/(?:src|href)="([^"#][^"]*)"/g)].map(([, url]) => url);
		expect(references.sort()).toEqual([
			'/console/console.css',
			'/console/console.js',
			'/console/icon.svg',
		]);
		for (const url of references) {
			const answer = await fetch(new URL(url, consoleUrl));
			expect([url, answer.status]).toEqual([url, 200]);
			expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
		}
		expect((await fetch(`${consoleUrl}/../main.ts`)).status).toBe(404);
		expect((await fetch(`${consoleUrl}/%2e%2e%2fmain.ts`)).status).toBe(404);
	});

	it('shows all of the sandbox’s data, newest first and without secrets', async () => {
		const receiver = new Receiver();
		const url = await receiver.start();
		receiver.answers = [500];
		const events = { transaction: ['pending_transaction'] };
		await service.call('POST', '/v2/webhooks', { url, apiKey: 'secret', events });
		await service.call('POST', paths.bank, bankPayout({}, { description: '<b>Salary</b>' }));
		await service.call('POST', paths.deposit, balanceDeposit({ referenceId: 'order-1' }));
		await service.admin.drain();
		await service.admin.addFault({ fault: { type: 'hang' } });

		const news = await look();
		await receiver.stop();
		expect(news.transactions).toMatchObject({ total: 2, matching: 2 });
		expect(news.transactions.rows[0]).toMatchObject({
			type: 'deposit_express',
			typeName: 'QR deposit',
			reference: 'order-1',
			amount: '69.60',
			asset: 'BOB',
			status: 'pending_transaction',
			statusName: 'Pending',
			createdAt: expect.any(String),
		});
		expect(news.transactions.rows.map(({ payee }) => payee)).toEqual([
			undefined,
			{ name: 'Ana Flores', account: 'bank 0012, account 0001234567' },
		]);
		expect(news.requests.rows.map(({ number, path: at, status }) => [number, at, status])).toEqual([
			[4, paths.deposit, 201],
			[3, paths.bank, 201],
			[2, '/v2/webhooks', 201],
			[1, '/v2/auth/login', 200],
		]);
		expect(news.requests.rows[1].body).toContain('"description": "<b>Salary</b>"');
		const attempts = news.deliveries.rows.map(({ statusCode, retries }) => [statusCode, retries]);
		expect(attempts).toHaveLength(3);
		expect(attempts).toContainEqual([500, 0]);
		expect(attempts).toContainEqual([200, 1]);
		expect(news.deliveries.rows[0]).toMatchObject({ event: 'pending_transaction' });
		expect(news.webhooks.rows).toEqual([expect.objectContaining({ url, hasApiKey: true })]);
		expect(news.wallets.total).toBe(2);
		expect(news.clients.total).toBe(3);
		expect(news.balances.total).toBe(3);
		expect(news.faults).toHaveLength(1);
		expect(news.settings).toMatchObject({ duplicateReferences: 'conflict' });
		expect(news.counters).toMatchObject({ requests: 4, transactionsCreated: 2, businesses: 1 });

		const text = JSON.stringify(news);
		expect(text).not.toContain('secret');
		expect(text).not.toContain(service.token);
		expect(text).not.toContain(service.sandbox.password);
	});

	it('sends only changes after the first update', async () => {
		const { body } = await service.call('POST', paths.bank, bankPayout());
		const listener = await listen();
		expect(listener.type).toBe('text/event-stream; charset=utf-8');
		await listener.next();
		await service.admin.setStatus(String(body.transaction_id), 'failed_transaction');
		const news = await listener.next();
		expect(Object.keys(news)).toEqual(['transactions']);
		expect(news.transactions.rows[0]).toMatchObject({ statusName: 'Failed' });
	});
});

describe('the protection against other web pages', () => {
	let service: Service;

	/** Sends a request with a browser's headers, which `fetch` doesn't allow. */
	const ask = async (
		method: string,
		where: string,
		headers: http.OutgoingHttpHeaders,
	): Promise<number | undefined> => {
		const request = http.request(new URL(where, service.sandbox.baseUrl), { method, headers });
		request.end();
		const [response] = (await once(request, 'response')) as [http.IncomingMessage];
		response.destroy();
		return response.statusCode;
	};

	beforeAll(async () => {
		service = await Service.start();
	});
	afterAll(() => service.sandbox.close());

	const doors: Array<[string, string]> = [
		['POST', '/admin/reset'],
		['DELETE', '/admin/requests'],
		['GET', '/admin/requests'],
		['GET', '/console'],
		['GET', '/console/events'],
	];

	it.each(doors)('rejects a request from another page: %s %s', async (method, where) => {
		await service.call('POST', paths.bank, bankPayout());
		const { host, port } = new URL(service.sandbox.baseUrl);
		const strangers = [
			{ host, origin: 'https://pages.example' },
			{ host, origin: `http://127.0.0.1:${Number(port) + 1}` },
			{ host, origin: `http://localhost:${port}` },
			{ host, origin: 'null' },
			// A name that its owner points at this machine makes its pages look like the sandbox's own.
			{ host: `rebound.example:${port}`, origin: `http://rebound.example:${port}` },
			{ host: `rebound.example:${port}` },
			{ host: `127.0.0.1.rebound.example:${port}` },
		];
		for (const headers of strangers) {
			expect([headers, await ask(method, where, headers)]).toEqual([headers, 403]);
		}
		expect(await service.admin.transactions()).not.toEqual([]);
	});

	it.each(doors)('accepts a request from the sandbox’s own page: %s %s', async (method, where) => {
		const { host, port } = new URL(service.sandbox.baseUrl);
		for (const own of [host, `localhost:${port}`, `LOCALHOST:${port}`, `[::1]:${port}`]) {
			const headers = { host: own, origin: `http://${own.toLowerCase()}` };
			expect([own, await ask(method, where, headers)]).toEqual([own, 200]);
			expect([own, await ask(method, where, { host: own })]).toEqual([own, 200]);
		}
	});

	it('lets other pages call the service, which requires a token', async () => {
		expect(await ask('GET', '/api/v2/wallets', { host: 'host.docker.internal:3456' })).toBe(401);
	});
});
