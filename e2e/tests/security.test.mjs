import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { startCollector } from '../harness/collector.mjs';
import { evil, startHostile } from '../harness/hostile.mjs';
import { noteSecret } from '../harness/secret-search.mjs';
import {
	bankRow,
	bankRows,
	BANK_PATH,
	chainOf,
	payRows,
	reported,
	withCredential,
} from './batch-support.mjs';
import { flood, RATE, SECONDS, guessesOf } from './flood.mjs';
import {
	CREDENTIAL_TYPE,
	figuresTable,
	NAMED_FIGURES,
	NODE,
	partnerPayments,
	runNode,
	unlessQuick,
	useStage,
} from './support.mjs';
import {
	allExecutions,
	eventWorkflow,
	publish,
	theWebhook,
	until,
	unpublish,
	withdrawal,
} from './trigger-support.mjs';

describe('security in a real n8n', () => {
	const stage = useStage('security', {
		sandboxArgs: ['--state-clock', '0'],
		// n8n's default: a flood is to meet n8n as users run it.
		env: { DB_PING_TIMEOUT_MS: '5000' },
	});
	const figures = figuresTable('A hostile service, and hostile callers', NAMED_FIGURES);
	const figure = (what, text) => figures.push([what, text]);

	let hostile;
	let elsewhere;
	/** A credential for the hostile service: `{ id, name, type }`. */
	let credential;

	before(async () => {
		[hostile, elsewhere] = await Promise.all([startHostile(), startHostile()]);
		credential = await credentialFor(hostile);
	});

	after(async () => {
		for (const token of hostile.tokens) noteSecret('a token of the hostile service', token);
		await Promise.all([hostile.close(), elsewhere.close()]);
	});

	async function credentialFor({ url }, changes = {}) {
		const password = `hostile-${randomBytes(12).toString('hex')}`;
		noteSecret('the password for a hostile service', password);
		return await stage.n8n.createCredential(
			stage.sandbox.credential({ baseUrl: url, password, ...changes }),
		);
	}

	/** Pays one row at the hostile service. */
	async function pay({ seconds = 20, row = {}, options = {} } = {}) {
		const node = payRows(stage, {
			options: { timeout: seconds, ...options },
			onError: 'continueRegularOutput',
		});
		const { id } = await stage.n8n.createWorkflow(
			chainOf([withCredential(node, credential)], { rows: [{ ...bankRow(1), ...row }] }),
		);
		const execution = await stage.n8n.runWorkflow(id);
		assert.equal(execution.status, 'success', execution.error?.message);
		return reported(execution)[0];
	}

	/** A read at the hostile service, or with another credential. */
	async function read(settings = {}) {
		const node = partnerPayments(stage, { resource: 'wallet', operation: 'getAll' });
		const credentials = {
			[CREDENTIAL_TYPE]: { id: credential.id, name: credential.name, ...settings.credential },
		};
		return await runNode(stage, { ...node, credentials });
	}

	/** n8n's memory in MB. */
	function memory() {
		const status = readFileSync(`/proc/${stage.n8n.pid}/status`, 'utf8');
		return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
	}

	/** The peak during the work, minus the memory before. */
	async function growth(work) {
		const before = memory();
		let highest = before;
		const timer = setInterval(() => (highest = Math.max(highest, memory())), 50);
		try {
			return { result: await work(), grew: highest - before };
		} finally {
			clearInterval(timer);
		}
	}

	const megabytes = (bytes) => `${(bytes / 1024 / 1024).toFixed(1)} MB`;

	/** What the service may send before the connection closes: the limit and the data in flight. */
	const IN_FLIGHT = 12 * 1024 * 1024;

	describe('a service that redirects', () => {
		for (const status of [301, 302, 303, 307, 308]) {
			it(`is not followed on ${status}, and the row is unknown`, async () => {
				hostile.behave(evil.redirect(status, elsewhere.url.replace('/api', '')));
				elsewhere.behave(evil.json('{}'));
				const row = await pay();
				assert.equal(row.outcome, 'unknown');
				assert.match(row.message, new RegExp(`redirect \\(status ${status}\\).*Base URL`));
				assert.equal(hostile.calls.length, 1);
				assert.deepEqual(elsewhere.requests, []);
			});
		}

		it('gets no token from a read, the credential’s test or the HTTP Request node', async () => {
			hostile.behave(evil.redirect(302, elsewhere.url.replace('/api', '')));
			elsewhere.behave(evil.json('{}'));
			const execution = await read();
			assert.equal(execution.status, 'error');
			assert.match(execution.error.message, /redirect \(status 302\)/);

			const { data } = stage.sandbox.credential({ baseUrl: hostile.url });
			const tested = await stage.n8n.testCredential({ ...credential, data });
			assert.equal(tested.status, 'Error');

			await runNode(stage, {
				type: 'n8n-nodes-base.httpRequest',
				typeVersion: 4.2,
				parameters: {
					url: `${hostile.url}/v2/wallets`,
					authentication: 'predefinedCredentialType',
					nodeCredentialType: CREDENTIAL_TYPE,
					options: {},
				},
				credentials: { [CREDENTIAL_TYPE]: { id: credential.id, name: credential.name } },
			});
			assert.ok(hostile.calls.length >= 3);
			assert.deepEqual(
				elsewhere.requests.map(({ method, url }) => `${method} ${url}`),
				[],
			);
			figure('redirects to another host', `8 tried, ${elsewhere.requests.length} followed`);
		});

		it('cannot be a host that the HTTP Request node chooses', async () => {
			elsewhere.behave(evil.json('{}'));
			const execution = await runNode(stage, {
				type: 'n8n-nodes-base.httpRequest',
				typeVersion: 4.2,
				parameters: {
					url: `${elsewhere.url}/v2/wallets`,
					authentication: 'predefinedCredentialType',
					nodeCredentialType: CREDENTIAL_TYPE,
					options: {},
				},
				credentials: { [CREDENTIAL_TYPE]: { id: credential.id, name: credential.name } },
			});
			assert.equal(execution.status, 'error');
			assert.match(execution.error.message, /works only with addresses on/);
			assert.deepEqual(elsewhere.requests, []);
		});
	});

	describe('an oversized response', () => {
		const LARGE = /** @type {const} */ ([
			['100 MB large', () => evil.large(100 * 1024 * 1024)],
			['endless', () => evil.large()],
			['100 MB large and compressed', () => evil.bomb(100)],
		]);
		for (const [name, answer] of LARGE) {
			it(`is not read if its body is ${name}, and the payment is unknown`, async () => {
				hostile.behave(answer());
				const { result: row, grew } = await growth(pay);
				assert.equal(row.outcome, 'unknown');
				assert.match(row.message, /is larger than 5 MB, so it was not read/);
				assert.equal(hostile.calls.length, 1);
				const [call] = hostile.calls;
				await call.whenClosed;
				assert.ok(call.sent() < 5 * 1024 * 1024 + IN_FLIGHT, `${megabytes(call.sent())} were read`);
				figure(
					`payment answered by a body that is ${name}`,
					`${megabytes(call.sent())} taken, n8n +${grew} MB`,
				);
			});
		}

		it('is not requested again if it answers a read request', async () => {
			hostile.behave(evil.large(Infinity, 200));
			const { result: execution, grew } = await growth(read);
			assert.equal(execution.status, 'error');
			assert.match(execution.error.message, /is larger than 50 MB, so it was not read/);
			assert.equal(hostile.calls.length, 1);
			const [call] = hostile.calls;
			await call.whenClosed;
			assert.ok(call.sent() < 50 * 1024 * 1024 + IN_FLIGHT);
			figure('list answered without an end', `${megabytes(call.sent())} taken, n8n +${grew} MB`);
		});

		it('is explained by its status if that is an error', async () => {
			hostile.behave(evil.large(Infinity, 400));
			const row = await pay();
			assert.equal(row.outcome, 'rejected');
			assert.equal(row.message, 'The service rejected the request');
			const [call] = hostile.calls;
			await call.whenClosed;
			assert.ok(call.sent() < 5 * 1024 * 1024 + IN_FLIGHT);
		});

		for (const levels of [1_000, 100_000]) {
			it(`is not read if it is nested ${levels} levels deep`, async () => {
				hostile.behave(evil.deep(levels));
				const row = await pay();
				assert.equal(row.outcome, 'unknown');
				assert.match(row.message, /is nested deeper than 100 levels/);
				figure(`payment answered by JSON ${levels} levels deep`, 'unknown');
			});
		}

		it('is not read if its headers are too large', async () => {
			hostile.behave(evil.manyHeaders);
			const row = await pay();
			assert.equal(row.outcome, 'unknown');
			const [call] = hostile.calls;
			await call.whenClosed;
			assert.ok(call.sent() < IN_FLIGHT);
		});

		it('is not read at the login', async () => {
			const other = await startHostile();
			other.login = evil.large();
			const execution = await read({ credential: await credentialFor(other) });
			assert.equal(execution.status, 'error');
			assert.match(execution.error.message, /is larger than 5 MB.*Check Base URL/);
			await other.close();
		});
	});

	describe('a response that never ends', () => {
		const SECONDS = 3;
		const ENDLESS = /** @type {const} */ ([
			['its body trickles', evil.trickle, /did not end in time/],
			['its headers trickle', evil.slowHeaders, /did not answer in time/],
			['it does not begin', evil.silence, /did not answer in time/],
		]);
		for (const [name, answer, message] of ENDLESS) {
			it(`is aborted at the timeout if ${name}`, async () => {
				hostile.behave(answer);
				const started = Date.now();
				const row = await pay({ seconds: SECONDS });
				const took = Date.now() - started;
				assert.equal(row.outcome, 'unknown');
				assert.match(row.message, message);
				assert.equal(hostile.calls.length, 1);
				await hostile.calls[0].whenClosed;
				figure(
					`payment with a timeout of ${SECONDS} s if ${name}`,
					`ended after ${(took / 1000).toFixed(1)} s, connection closed`,
				);
			});
		}
	});

	describe('an outgoing request', () => {
		const EVIL_IDS = [
			'../../v2/wallets',
			'..%2f..%2fadmin',
			'%2e%2e/%2e%2e/admin/reset',
			'5f0c6f6e-3b1d-4f7e-9a53-0c1d2e3f4a5b/../..',
			'5f0c6f6e-3b1d-4f7e-9a53-0c1d2e3f4a5b?x=1',
			'5f0c6f6e-3b1d-4f7e-9a53-0c1d2e3f4a5b#x',
			'5f0c6f6e-3b1d-4f7e-9a53-0c1d2e3f4a5b\r\nX-Injected: 1',
			'..\\..\\admin',
			'//127.0.0.1:1/',
			'\u0000',
		];
		const ID_USERS = {
			'Get Webhook': { resource: 'webhook', operation: 'get', webhookId: '={{ $json.id }}' },
			'Update Webhook': {
				resource: 'webhook',
				operation: 'update',
				webhookId: '={{ $json.id }}',
				updateFields: { description: 'x' },
			},
			'Add Asset': {
				resource: 'wallet',
				operation: 'addAsset',
				walletId: '={{ $json.id }}',
				symbol: 'USDC',
				blockchain: 'Polygon',
			},
			'Get Many Logs': {
				resource: 'webhookLog',
				operation: 'getAll',
				filters: { webhookId: '={{ $json.id }}' },
			},
			Replay: {
				resource: 'webhookLog',
				operation: 'replay',
				replayBy: 'period',
				from: '2000-01-01T00:00:00.000Z',
				filters: { webhookId: '={{ $json.id }}' },
			},
		};

		it('has no identifier that changes its path', async () => {
			await stage.sandbox.reset();
			const items = EVIL_IDS.map((id) => ({ json: { id } }));
			for (const [name, parameters] of Object.entries(ID_USERS)) {
				const node = partnerPayments(stage, parameters, { onError: 'continueRegularOutput' });
				const execution = await runNode(stage, node, { items });
				const output = execution.json(NODE);
				assert.equal(output.length, EVIL_IDS.length, name);
				for (const { message } of output) assert.match(message, /must be a UUID/, name);
			}
			const sent = (await stage.sandbox.requests())
				.map(({ method, path }) => `${method} ${path}`)
				.filter((request) => !request.endsWith('/auth/login'));
			assert.deepEqual(sent, []);
			figure(
				'crafted identifiers in paths',
				`${EVIL_IDS.length * Object.keys(ID_USERS).length} rejected, 0 sent`,
			);
		});

		it('has the same headers with any field values', async () => {
			const injection = 'x\r\nX-Injected: 1\r\n\r\nGET /api/v2/wallets HTTP/1.1';
			hostile.behave(evil.json(JSON.stringify({ transaction_id: randomUUID() })));
			await pay();
			const row = Object.fromEntries(
				['first_name', 'last_name', 'description'].map((name) => [name, injection]),
			);
			await pay({ row: { ...row, [injection]: injection, __proto__: null } });
			const names = hostile.calls.map(({ rawHeaders }) =>
				rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase()),
			);
			assert.equal(names.length, 2);
			assert.deepEqual(names[1], names[0]);
			assert.equal(JSON.parse(hostile.calls[1].body).transaction.description, injection.trim());
			// Numbers have no such characters.
			for (const name of ['bank_code', 'destination_account']) {
				assert.equal((await pay({ row: { [name]: injection } })).outcome, 'notSent');
			}
			assert.equal(hostile.calls.length, 2);
			assert.ok(hostile.requests.every(({ url }) => !url.includes('Injected')));

			for (const changes of [
				{ baseUrl: `${hostile.url}\r\nX-Injected: 1` },
				{ email: `a@example.com\r\nX-Injected: 1`, password: `p\r\nX-Injected: 1` },
				{ loginVersion: 'v2\r\nX-Injected: 1' },
			]) {
				hostile.behave(evil.json('{"wallets":[]}', 200));
				await read({ credential: await credentialFor(hostile, changes) });
				for (const { rawHeaders } of hostile.requests) {
					assert.ok(rawHeaders.every((text) => !/injected/i.test(text)));
				}
			}
			figure('line breaks in fields and credentials', 'no header added');
		});

		it('has no header from a token with line breaks', async () => {
			const other = await startHostile();
			other.login = evil.json(
				JSON.stringify({ success: true, accessToken: 'token\r\nX-Injected: 1', user: {} }),
			);
			const execution = await read({ credential: await credentialFor(other) });
			assert.equal(execution.status, 'error');
			assert.match(execution.error.message, /answered the login without an access token/);
			assert.deepEqual(other.calls, []);
			await other.close();
		});

		it('is not changed by fields that are named like prototype properties', async () => {
			const pollution = '{"polluted":"yes"}';
			hostile.behave(
				evil.json(
					`{"__proto__":${pollution},"constructor":{"prototype":${pollution}},"transaction_id":"${randomUUID()}"}`,
				),
			);
			const row = await pay({
				row: JSON.parse(`{"__proto__":${pollution},"constructor":"x","prototype":${pollution}}`),
			});
			assert.equal(row.outcome, 'created');

			await stage.sandbox.reset();
			const execution = await stage.n8n.runWorkflow(
				(await stage.n8n.createWorkflow(chainOf([payRows(stage)], { rows: bankRows(1) }))).id,
			);
			assert.equal(reported(execution)[0].outcome, 'created');
			const [{ body }] = await stage.sandbox.requests({ method: 'POST', path: BANK_PATH });
			assert.ok(!JSON.stringify(body).includes('polluted'));
			assert.deepEqual(
				Object.keys(body).filter(
					(name) => !['external_reference', 'funding_source', 'transaction'].includes(name),
				),
				[],
			);
			figure('prototype pollution by answers and columns', 'nothing changed');
		});
	});

	describe('the trigger', () => {
		it(
			'is compared with n8n’s Webhook node under the same load',
			unlessQuick('npm run bench:trigger'),
			async () => {
				const password = randomBytes(16).toString('hex');
				noteSecret('the password of a Webhook node', password);
				const { id: credentialId, name } = await stage.n8n.createCredential({
					name: 'Header',
					type: 'httpHeaderAuth',
					data: { name: 'x-password', value: password },
				});
				const webhook = {
					id: randomUUID(),
					webhookId: randomUUID(),
					name: 'Webhook',
					type: 'n8n-nodes-base.webhook',
					typeVersion: 2,
					position: [0, 0],
					parameters: {
						httpMethod: 'POST',
						path: 'own',
						authentication: 'headerAuth',
						options: {},
					},
					credentials: { httpHeaderAuth: { id: credentialId, name } },
				};
				const { id } = await stage.n8n.createWorkflow({
					name: 'Own webhook',
					nodes: [webhook],
					connections: {},
				});
				await publish(stage.n8n, id);
				const address = new URL('/webhook/own', stage.n8n.url);
				const { statuses, rows } = await flood(
					stage.n8n,
					'requests to n8n’s Webhook node',
					'{}',
					() => address,
				);
				figures.push(...rows);
				// It requires a password, which was not sent.
				assert.ok(statuses[403] > 0);
				assert.equal(statuses[200], undefined);
				assert.deepEqual(await allExecutions(stage.n8n, id), []);
				await unpublish(stage.n8n, id);
			},
		);

		it(`starts nothing at ${RATE} guesses per second while n8n keeps answering`, async () => {
			await stage.sandbox.reset();
			const collector = await startCollector();
			const { id } = await stage.n8n.createWorkflow(eventWorkflow(stage, collector));
			await publish(stage.n8n, id);
			const { url, apiKey } = await theWebhook(stage);
			const secret = url.searchParams.get('secret');
			noteSecret('the callback secret of a trigger', secret);
			if (apiKey) noteSecret('the API key of a trigger', apiKey);

			const guessOf = guessesOf(secret);
			const body = JSON.stringify(withdrawal());
			const what = 'guesses of the callback secret';
			const { sent, statuses, rows } = await flood(stage.n8n, what, body, (number) => {
				const address = new URL(url);
				address.searchParams.set('secret', guessOf(number));
				return address;
			});
			figures.push(...rows);
			// n8n answers 503 to requests beyond its capacity, or doesn't answer in time.
			const { 401: rejected, 503: shed, 'no answer': late, ...others } = statuses;
			assert.deepEqual(others, {});
			assert.ok(rejected > 0);
			assert.ok(sent > RATE * SECONDS * 0.9, `${sent} guesses`);
			assert.deepEqual(await allExecutions(stage.n8n, id), []);
			assert.deepEqual(collector.received, []);

			await until(async () => (await post(url, body)) === 200, 'a genuine event is taken');
			await collector.distinct(1);

			const bad = {
				'not JSON': '{"status":',
				'a list': '[{"status":"completed_transaction"}]',
				'a text': '"completed_transaction"',
				'100,000 levels': `{"status":"completed_transaction","details":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
			};
			for (const [name, text] of Object.entries(bad)) {
				const status = await post(url, text);
				// n8n answers 422 to invalid JSON before the trigger sees it.
				assert.ok([400, 422].includes(status), `${name}: ${status}`);
			}
			const odd = withdrawal();
			odd.details.transactionId = randomUUID();
			const polluting = JSON.stringify(odd).replace('{', '{"__proto__":{"polluted":true},');
			assert.equal(await post(url, polluting), 200);
			await collector.distinct(2);
			await until(async () => (await allExecutions(stage.n8n, id)).length === 2, 'both are there');
			await unpublish(stage.n8n, id);
			await collector.close();
		});
	});
});

async function post(url, body) {
	const response = await fetch(url, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body,
	});
	await response.text();
	return response.status;
}
