import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { evil, startHostile } from '../harness/hostile.mjs';
import { noteSecret } from '../harness/secret-search.mjs';
import {
	CREDENTIAL_TYPE,
	figuresTable,
	NAMED_FIGURES,
	partnerPayments,
	runNode,
	useStage,
} from './support.mjs';

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

	/** A read at the hostile service, or with another credential. */
	async function read(settings = {}) {
		const node = partnerPayments(stage, { resource: 'wallet', operation: 'getAll' });
		const credentials = {
			[CREDENTIAL_TYPE]: { id: credential.id, name: credential.name, ...settings.credential },
		};
		return await runNode(stage, { ...node, credentials });
	}

	describe('a service that redirects', () => {
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
});
