/* eslint-disable @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type INodeParameters } from 'n8n-workflow';

import { PartnerPaymentsApi } from '../../credentials/PartnerPaymentsApi.credentials';
import { StoredCredentials } from './credentials';
import { logLines } from './log';
import { CREDENTIAL_ID, runNode, type RunResult } from './runNode';
import { useProcessedItems } from './processedItems';
import { BANK_MINIMAL } from './samples';

/** How a service repeats the request to its sender, like a debug page, a gateway or a test server. */
type Echo = (authorization: string, password: string) => { status: number; body: string };

const PASSWORD = 'secret-of-nobody';
const TOKENS = {
	'a JWT': 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJub2JvZHkifQ.c2lnbmF0dXJl',
	'another kind of token': 'opaque/token+of"nobody"-0123456789',
};

let server: Server;
let baseUrl = '';
let token = '';
let echo: Echo;
let authorizations: string[];

const bodyOf = async (request: IncomingMessage): Promise<string> => {
	let text = '';
	for await (const part of request) text += String(part);
	return text;
};

beforeAll((done) => {
	const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
		await bodyOf(request);
		response.setHeader('content-type', 'application/json');
		if (request.url?.endsWith('/auth/login')) {
			response.end(JSON.stringify({ success: true, accessToken: token, user: { id: '1' } }));
			return;
		}
		authorizations.push(String(request.headers.authorization));
		const { status, body } = echo(String(request.headers.authorization), PASSWORD);
		response.statusCode = status;
		response.end(body);
	};
	server = createServer((request, response) => void answer(request, response));
	server.listen(0, '127.0.0.1', () => {
		baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`;
		done();
	});
});
beforeEach(() => {
	authorizations = [];
	logLines.length = 0;
});
afterAll((done) => {
	server.close(done);
});

let runs = 0;

async function run(parameters: INodeParameters): Promise<RunResult> {
	const credentials = new StoredCredentials([new PartnerPaymentsApi()]);
	// A separate user for each run, because a process remembers its logins.
	const email = `user-${runs++}@example.com`;
	const login = { baseUrl, email, password: PASSWORD, loginVersion: 'v2', sessionToken: '' };
	credentials.save(CREDENTIAL_ID, login);
	return await runNode({ parameters, credentials, onError: 'continueRegularOutput' });
}

/** Everything that leaves the node: items, the saved execution, the log. */
const left = ({ outputs, thrown, error, run: saved }: RunResult): string => {
	const shown = { outputs, error, run: saved.data.resultData, logLines };
	return JSON.stringify([shown, thrown.map(String)]);
};

// Each test pays the same payment.
beforeEach(() => void useProcessedItems());

describe.each(Object.entries(TOKENS))('a service that repeats the header with %s', (_, given) => {
	beforeEach(() => {
		token = given;
	});

	test.each<[string, Echo, RegExp]>([
		[
			'in an error message',
			(header) => ({
				status: 400,
				body: JSON.stringify({ message: `cannot accept ${header} here` }),
			}),
			/^The service rejected the request: cannot accept \*\*\* here$/,
		],
		[
			'in JSON with escaped slashes',
			(header) => ({
				status: 422,
				body: JSON.stringify({ message: `not ${header}` }).replaceAll('/', '\\/'),
			}),
			/^The service rejected the request: not \*\*\*$/,
		],
		[
			'without the word Bearer',
			(header) => ({ status: 500, body: JSON.stringify({ error: header.split(' ')[1] }) }),
			/status 500\): \*\*\*$/,
		],
		[
			'in a success without an identifier',
			(header) => ({ status: 200, body: JSON.stringify({ message: header }) }),
			/without a transaction ID/,
		],
		['in a page', (header) => ({ status: 200, body: `<p>${header}</p>` }), /./],
	])('removes the token %s', async (__, answer, words) => {
		echo = answer;

		const result = await run(BANK_MINIMAL);

		expect(authorizations).toEqual([`Bearer ${given}`]);
		expect(result.json[0].message).toMatch(words);
		expect(left(result)).not.toContain(given);
		expect(left(result)).not.toContain(JSON.stringify(given).slice(1, -1));
	});
});

describe('the words of the service', () => {
	beforeEach(() => {
		token = TOKENS['a JWT'];
	});

	test('removes the password from the words of the service', async () => {
		echo = (_, password) => ({
			status: 400,
			body: JSON.stringify({ message: [`login of ${password}`, `${'x'.repeat(480)}${password}`] }),
		});

		const result = await run(BANK_MINIMAL);

		expect(result.json[0].message).toMatch(/: login of \*\*\*; x+/);
		expect(left(result)).not.toContain(PASSWORD);
		expect(left(result)).not.toContain(PASSWORD.slice(0, 8));
	});
});
