/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

import { bank, bankRow, reported } from '../payments/batch';
import { useService } from './service';

const service = useService();

const MEGABYTE = 1024 * 1024;

/** How the service answers everything except a login. */
let answer: (response: ServerResponse) => void;
let login: (response: ServerResponse) => void;
let server: Server;
/** The requests that the service got, and when their connections ended. */
let calls: Array<{ path: string; ended: Promise<void>; sent: () => number }>;

const json =
	(value: unknown, status = 201) =>
	(response: ServerResponse) =>
		void response
			.writeHead(status, { 'content-type': 'application/json' })
			.end(JSON.stringify(value));

const endless = (response: ServerResponse, status = 201) => {
	response.writeHead(status, { 'content-type': 'application/json' });
	const more = () => {
		while (!response.destroyed && response.write(' '.repeat(65_536)));
		if (!response.destroyed) response.once('drain', more);
	};
	more();
};

const trickle = (response: ServerResponse) => {
	response.writeHead(200, { 'content-type': 'application/json' });
	const timer = setInterval(() => response.write(' '), 20);
	response.once('close', () => clearInterval(timer));
};

beforeAll(async () => {
	server = createServer(({ url = '', socket }, response) => {
		socket.on('error', () => {});
		const ended = new Promise<void>((resolve) => void socket.once('close', () => resolve()));
		calls.push({ path: url, ended, sent: () => socket.bytesWritten });
		(url.endsWith('/auth/login') ? login : answer)(response);
	});
	await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
});

afterAll(() => {
	server.closeAllConnections();
	server.close();
});

beforeEach(() => {
	calls = [];
	login = json({ success: true, accessToken: 'a.b.c', user: {}, message: 'ok' });
	const { port } = server.address() as AddressInfo;
	service.credentials.save('credential-1', {
		...service.login,
		baseUrl: `http://127.0.0.1:${port}/api`,
	});
});

const pay = async (timeout = 20) => {
	const result = await service.run(bank({ timeout }), {
		items: [bankRow(1)],
		onError: 'continueRegularOutput',
	});
	return reported(result)[0];
};

const payments = () => calls.filter(({ path }) => !path.endsWith('/auth/login'));

const NESTED = (levels: number) => (response: ServerResponse) =>
	void response
		.writeHead(201, { 'content-type': 'application/json' })
		.end(`{"transaction_id":"1","x":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`);

test.each<[string, (response: ServerResponse) => void, RegExp]>([
	['never ends', endless, /is larger than 5 MB, so it was not read/],
	[
		'is small until it is unpacked',
		(response) =>
			void response
				.writeHead(201, { 'content-encoding': 'gzip' })
				.end(gzipSync(Buffer.alloc(50 * MEGABYTE, ' '))),
		/is larger than 5 MB, so it was not read/,
	],
	['is nested 101 levels deep', NESTED(101), /is nested deeper than 100 levels/],
	['is nested 100,000 levels deep', NESTED(100_000), /is nested deeper than 100 levels/],
])('ends a payment as unknown, without a resend, if its response %s', async (_, act, message) => {
	answer = act;

	const row = await pay();

	expect(row).toMatchObject({ outcome: 'unknown', message: expect.stringMatching(message) });
	expect(payments()).toHaveLength(1);
	await payments()[0].ended;
	// What n8n read, and what was in flight on the connection.
	expect(payments()[0].sent()).toBeLessThan(20 * MEGABYTE);
});

test('reads a response nested 100 levels deep', async () => {
	answer = NESTED(100);

	expect(await pay()).toMatchObject({ outcome: 'created', transactionId: '1' });
});

test('ends a payment as unknown if its response trickles until the timeout', async () => {
	answer = trickle;

	const row = await pay(1);

	expect(row).toMatchObject({
		outcome: 'unknown',
		message: expect.stringMatching(/did not end in time/),
	});
	expect(payments()).toHaveLength(1);
	await payments()[0].ended;
});

test('ends a payment as rejected if the error response never ends', async () => {
	answer = (response) => endless(response, 400);

	expect(await pay()).toMatchObject({
		outcome: 'rejected',
		message: 'The service rejected the request',
	});
});

test('requests an endless list once', async () => {
	answer = endless;

	const { error } = await service.run({ resource: 'wallet', operation: 'getAll' });

	expect(error?.message).toMatch(/is larger than 50 MB, so it was not read/);
	expect(payments()).toHaveLength(1);
});

test('pays nothing after an endless login, and says where to look', async () => {
	login = endless;

	const row = await pay();

	expect(row).toMatchObject({
		outcome: 'notSent',
		message: expect.stringMatching(/is larger than 5 MB.*Check Base URL/),
	});
	expect(payments()).toEqual([]);
});

test('rejects a token that no header can hold', async () => {
	login = json({ success: true, accessToken: 'a\r\nX-Injected: 1', user: {} });

	expect(await pay()).toMatchObject({
		outcome: 'notSent',
		message: expect.stringMatching(/without an access token/),
	});
	expect(payments()).toEqual([]);
});
