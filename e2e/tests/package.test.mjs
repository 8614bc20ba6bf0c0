import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { ROOT_DIR } from '../harness/paths.mjs';
import { CREDENTIAL_TYPE, NODE_TYPE, useStage } from './support.mjs';

const manifest = JSON.parse(readFileSync(path.join(ROOT_DIR, 'package.json'), 'utf8'));

describe('the packed package in a real n8n', () => {
	const stage = useStage('package');

	it('offers every node that its manifest lists', async () => {
		const names = (await stage.n8n.types('nodes')).map(({ name }) => name);
		for (const file of manifest.n8n.nodes) {
			const className = path.basename(file, '.node.js');
			const name = className[0].toLowerCase() + className.slice(1);
			assert.ok(names.includes(`${manifest.name}.${name}`), `${name} is not offered`);
		}
	});

	it('offers the credential that the node requires', async () => {
		const credentials = await stage.n8n.types('credentials');
		const credential = credentials.find(({ name }) => name === CREDENTIAL_TYPE);
		assert.ok(credential, 'the credential is not offered');

		const node = await nodeType();
		assert.deepEqual(
			node.credentials.map(({ name }) => name),
			[CREDENTIAL_TYPE],
		);
	});

	it('offers the node as a tool for agents', async () => {
		const names = (await stage.n8n.types('nodes')).map(({ name }) => name);
		assert.ok(names.includes(`${NODE_TYPE}Tool`));
	});

	it('serves the icons, light and dark', async () => {
		const { iconUrl } = await nodeType();
		const urls = typeof iconUrl === 'string' ? [iconUrl] : Object.values(iconUrl);
		assert.equal(urls.length, 2);
		for (const url of urls) {
			const response = await stage.n8n.fetch(`/${url}`);
			assert.equal(response.status, 200, url);
			assert.match(await response.text(), /<svg/, url);
		}
	});

	it('is found by its category and aliases', async () => {
		const { codex } = await nodeType();
		assert.ok(codex?.categories?.includes('Finance & Accounting'));
		assert.ok(codex.alias.length > 0);
	});

	it('starts without a log message about the package', () => {
		const complaints = stage.n8n
			.logs()
			.split('\n')
			.filter((line) => /partner-payments|partnerPayments/i.test(line))
			.filter((line) => /error|cannot|failed|not found|deprecat/i.test(line));
		assert.deepEqual(complaints, []);
	});

	it('looks up no host on the network', () => {
		assert.doesNotMatch(stage.n8n.logs(), /ENOTFOUND|EAI_AGAIN|getaddrinfo/);
	});

	async function nodeType() {
		return (await stage.n8n.types('nodes')).find(({ name }) => name === NODE_TYPE);
	}
});
