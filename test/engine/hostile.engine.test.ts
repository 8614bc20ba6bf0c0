/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

import { bank, bankRow, reported } from '../batch/batch';
import { everyNth } from '../random';
import { logLines } from './log';
import { useQuickSleep } from './quickSleep';
import { SAMPLES } from './samples';
import { useService } from './service';

const service = useService();
useQuickSleep();

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
	const result = await service.run(bank({ timeout, checkDeliveryLogs: 0 }), {
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

test('pays nothing after an endless login, and says where to look', async () => {
	login = endless;

	const row = await pay();

	expect(row).toMatchObject({
		outcome: 'notSent',
		message: expect.stringMatching(/is larger than 5 MB.*Check Base URL/),
	});
	expect(payments()).toEqual([]);
});

/** Names of fields that answers have, wherever it may be. */
const NAMES = [
	...['transaction_id', 'transactionId', 'external_reference', 'externalReference', 'referenceId'],
	...[
		'status',
		'transactionStatus',
		'message',
		'success',
		'statusCode',
		'error',
		'id',
		'transactions',
	],
	...['wallets', 'webhooks', 'quotes', 'logs', 'clients', 'assets', 'data', 'total', 'payload'],
	...['amount', 'amount_deposit', 'deposit_address', 'asset', 'blockchain', 'walletId', 'url'],
	...['destinationWallet', 'balance', 'fiat', 'type', 'events', 'createdAt', 'updatedAt', 'user'],
	...['callbalckUrl', 'description', 'symbol', 'country', 'name', 'email', 'rate', 'qrCodeBase64'],
];

const everywhere = (value: string): string =>
	`{${NAMES.map((name) => `"${name}":${value}`).join(',')}}`;

/** The values, as JSON, that a field has everywhere in an answer. */
const VALUES: Record<string, string> = {
	null: 'null',
	true: 'true',
	'a number without an end': '1e400',
	'an empty list': '[]',
	'a list of nothing': '[null,null]',
	'lists in lists': '[[[["x"]]]]',
	'an empty object': '{}',
	'an object without a text': '{"toString":1,"valueOf":2,"length":-1}',
	'another prototype': '{"__proto__":{"status":"completed","isPolluted":true},"constructor":{}}',
	'an empty text': '""',
	'invisible text': JSON.stringify('\u0000\u202e\ud800'),
	// In each field of lists in an object, it is just below the 5 MB that are read.
	'the beginnings of tokens': JSON.stringify('eyJ-'.repeat(400)),
};

const GIVEN = 'the-token-0123456789-of-this-test';

/** A response as it is sent, whatever it is. */
const raw =
	(text: string | Buffer, contentType = 'application/json') =>
	(response: ServerResponse) =>
		void response.writeHead(200, { 'content-type': contentType }).end(text);

/** JavaScript's own words, which are no message. */
const JAVASCRIPT = /Cannot (read|convert)|is not (a function|iterable)|TypeError/;

const HOSTILE: Array<[string, (response: ServerResponse) => void]> = [
	...Object.entries(VALUES).flatMap(([name, value]): typeof HOSTILE => [
		[`${name} in each field`, raw(everywhere(value))],
		[`${name} in each field of a list`, raw(`[${everywhere(value)},${value}]`)],
	]),
	[
		'a web page',
		raw('<html><body>eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.x</body></html>', 'text/html'),
	],
	['JSON that is called a picture', raw(everywhere('"x"'), 'image/png')],
	['a byte order mark', raw(`\ufeff${everywhere('"x"')}`)],
	['no letters', raw(Buffer.from([0xff, 0xfe, 0x00, 0xd8, 0x22]))],
	['each field twice', raw(`{"status":"x",${everywhere('"completed"').slice(1)}`)],
	[
		'its own request',
		(response) => void raw(everywhere(JSON.stringify(`Bearer ${GIVEN}`)))(response),
	],
	[
		'nothing, but a body',
		(response) => void response.socket?.end('HTTP/1.1 204 No\r\n\r\n{"id":1}'),
	],
	[
		'a status that there is not',
		(response) => void response.socket?.end('HTTP/1.1 299 Ok\r\nContent-Length: 2\r\n\r\n{}'),
	],
	[
		'a thousand headers',
		(response) => {
			for (let number = 0; number < 1_000; number++) response.setHeader(`x-${number}`, '1');
			raw(everywhere('"x"'))(response);
		},
	],
];

/** A QR payout's answer may have its transaction in a list, so one with a text everywhere is a payment. */
const LISTS = Object.entries(VALUES).map(([name, value]): (typeof HOSTILE)[number] => [
	`${name} in each field of lists in an object`,
	raw(everywhere(`[${value},${everywhere(value)}]`)),
]);

const ANSWERS = [...HOSTILE, ...LISTS].map(([name, act], index) => [name, act, index] as const);
const OPERATIONS = SAMPLES.map(({ name }, index) => [name, index] as const);

describe.each(ANSWERS)('an answer with %s', (_, act, number) => {
	beforeEach(() => {
		login = json({ success: true, accessToken: GIVEN, user: {}, message: 'ok' });
		answer = act;
		logLines.length = 0;
	});

	// Each answer meets a sixth of the operations, and each operation a sixth of the answers.
	test.each(everyNth(6, number, OPERATIONS))(
		'ends this operation by itself, and reveals no secret: %s',
		async (__, index) => {
			const hostile = service.credentials.stored('credential-1');
			service.credentials.save('credential-1', service.login);
			const { parameters, items } = await SAMPLES[index].fillIn(service);
			service.credentials.save('credential-1', hostile);

			const { outputs, run } = await service.run(parameters, { items });

			const all = JSON.stringify([outputs, run.data.resultData, logLines]);
			for (const secret of [GIVEN, service.password]) expect(all).not.toContain(secret);
			expect(({} as { isPolluted?: boolean }).isPolluted).toBeUndefined();
			expect(all).not.toMatch(JAVASCRIPT);
		},
	);
});
