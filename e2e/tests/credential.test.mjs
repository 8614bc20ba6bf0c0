import assert from 'node:assert/strict';
import http from 'node:http';
import { beforeEach, describe, it } from 'node:test';
import { listen } from '../harness/ports.mjs';
import { CREDENTIAL_TYPE, NODE, partnerPayments, runNode, useStage } from './support.mjs';

describe('the credential in a real n8n', () => {
	// The search for secrets at the end of a run reads what n8n logs here, in its most talkative mode.
	const stage = useStage('credential', { env: { N8N_LOG_LEVEL: 'debug' } });

	beforeEach(() => stage.sandbox.reset());

	describe('its test', () => {
		it('succeeds with the right password after one login', async () => {
			const { status, message } = await testWith({});
			assert.equal(status, 'OK', message);
			assert.equal((await stage.sandbox.counters()).logins, 1);
		});

		it('reports a wrong password after one login request', async () => {
			const { status, message } = await testWith({ password: 'not-the-password' });
			assert.equal(status, 'Error');
			assert.match(message, /does not accept this email and password/);
			assert.doesNotMatch(message, /not-the-password/);
			assert.equal((await stage.sandbox.counters()).loginFailures, 1);
			assert.equal((await stage.sandbox.requests({ path: '/v2/auth/login' })).length, 1);
		});
	});

	/**
	 * n8n's HTTP Request node, with the credential.
	 *
	 * @param {string} url
	 */
	const httpRequest = async (url) =>
		await runNode(stage, {
			type: 'n8n-nodes-base.httpRequest',
			typeVersion: 4.2,
			parameters: {
				url,
				authentication: 'predefinedCredentialType',
				nodeCredentialType: CREDENTIAL_TYPE,
				options: {},
			},
			credentials: {
				[CREDENTIAL_TYPE]: { id: stage.credential.id, name: stage.credential.name },
			},
		});

	it('works in the HTTP Request node as a predefined credential type', async () => {
		const execution = await httpRequest(`${stage.sandbox.baseUrl}/v2/transactions/payouts/balance`);
		assert.equal(execution.status, 'success', execution.error?.message);
		assert.ok(execution.json(NODE).length > 0);
		const [request] = await stage.sandbox.requests({ path: '/v2/transactions/payouts/balance' });
		assert.ok(request);
	});

	it('gives no other host a token, whether the service redirects to it or the HTTP Request node names it', async () => {
		let requests = 0;
		const elsewhere = http.createServer((_, response) => {
			requests++;
			response.end('{}');
		});
		const other = `http://127.0.0.1:${await listen(elsewhere)}`;
		try {
			await stage.sandbox.addFault({
				match: { path: '/v2/wallets' },
				times: 'always',
				fault: { type: 'status', status: 302, headers: { location: `${other}/v2/wallets` } },
			});
			const read = await runNode(
				stage,
				partnerPayments(stage, { resource: 'wallet', operation: 'getAll' }),
			);
			assert.match(read.error.message, /redirect \(status 302\)/);
			assert.equal((await testWith({})).status, 'Error');
			await httpRequest(`${stage.sandbox.baseUrl}/v2/wallets`);
			const redirected = await stage.sandbox.requests({ path: '/v2/wallets' });
			assert.ok(redirected.length >= 3);

			const named = await httpRequest(`${other}/v2/wallets`);
			assert.match(named.error.message, /works only with addresses on/);
			assert.equal(requests, 0);
		} finally {
			await stage.sandbox.clearFaults();
			elsewhere.closeAllConnections();
			elsewhere.close();
		}
	});

	it('logs in once, and once more after the service has ended the token', async () => {
		const getWallets = partnerPayments(stage, { resource: 'wallet', operation: 'getAll' });
		const items = Array.from({ length: 20 }, (_, index) => ({ json: { index } }));

		await runNode(stage, getWallets, { items });
		const before = await stage.sandbox.counters();
		await runNode(stage, getWallets, { items });
		assert.equal((await stage.sandbox.counters()).logins, before.logins);

		await stage.sandbox.admin('POST', '/tokens/revoke', {});
		const execution = await runNode(stage, getWallets, { items });
		assert.equal(execution.status, 'success', execution.error?.message);
		assert.equal((await stage.sandbox.counters()).logins, before.logins + 1);
	});

	it('never sends the token or the password to the browser', async () => {
		const stored = await stage.n8n.rest(
			'GET',
			`/credentials/${stage.credential.id}?includeData=true`,
		);
		const text = JSON.stringify(stored);
		assert.doesNotMatch(text, /eyJ[\w-]+\./);
		assert.ok(!text.includes(stage.sandbox.password));
	});

	/** Stores a credential with changed data and runs its test. */
	async function testWith(changes) {
		const credential = stage.sandbox.credential(changes);
		const { id } = await stage.n8n.createCredential(credential);
		return await stage.n8n.testCredential({ id, ...credential });
	}
});
