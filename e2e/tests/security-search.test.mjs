import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ensureN8n } from '../harness/install.mjs';
import { searchFolder } from '../harness/secret-search.mjs';

const SECRET = `pass/word "${randomBytes(8).toString('hex')}" & more`;
const NOTED = [{ name: 'the planted one', value: SECRET }];
const TOKEN = [
	{ alg: 'HS256', typ: 'JWT' },
	{ email: 'user@example.com', jti: 'x' },
	'the signature of it',
]
	.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
	.join('.');

/** Encodings of a secret, and how they are found. */
const PLANTED = {
	'plain text': [SECRET, 'plain'],
	'a URL': [`https://a.example/?x=${encodeURIComponent(SECRET)}&y=1`, 'URL-encoded'],
	'a form': [`a=1&${new URLSearchParams({ x: SECRET })}`, 'URL-encoded'],
	JSON: [JSON.stringify({ deep: [SECRET] }), 'JSON-escaped'],
	'JSON in JSON': [JSON.stringify({ text: JSON.stringify({ SECRET }) }), 'JSON-escaped'],
	hexadecimal: [Buffer.from(SECRET).toString('hex'), 'hexadecimal'],
	'a Basic header': [`Basic ${Buffer.from(`user:${SECRET}`).toString('base64')}`, 'base64'],
	'base64, one byte later': [Buffer.from(`users:${SECRET}!`).toString('base64'), 'base64'],
	'base64url, two bytes later': [Buffer.from(`user_x:${SECRET}`).toString('base64url'), 'base64'],
	'the bytes of an image': [Buffer.concat([randomBytes(5000), Buffer.from(SECRET)]), 'plain'],
	'a token in a log': [`authorization: Bearer ${TOKEN}\n`, 'plain'],
	'a token in base64': [Buffer.from(`x Bearer ${TOKEN}`).toString('base64'), 'base64'],
	'a callback address': [`POST /webhook?secret=${'0a'.repeat(32)} HTTP/1.1`, 'plain'],
};

describe('the search for secrets', () => {
	let installation;
	let folder;

	before(async () => {
		installation = await ensureN8n();
		folder = mkdtempSync(path.join(os.tmpdir(), 'partner-payments-search-'));
	});
	after(() => rmSync(folder, { recursive: true, force: true }));

	/** Searches a folder with one file. */
	function search(name, content) {
		const place = mkdtempSync(path.join(folder, 'case-'));
		mkdirSync(path.join(place, 'logs'));
		if (typeof content === 'function') content(path.join(place, 'logs', name));
		else writeFileSync(path.join(place, 'logs', name), content);
		return searchFolder(place, NOTED, installation);
	}

	for (const [name, [content, form]] of Object.entries(PLANTED)) {
		it(`finds a secret in ${name} without printing it`, () => {
			const result = search('file', content);
			assert.deepEqual(
				result.finds.map((find) => [find.form, find.file]),
				[[form, path.join('logs', 'file')]],
			);
			assert.ok(!JSON.stringify(result).includes(SECRET));
		});
	}

	it('finds a secret in a database, even if it is split', () => {
		// Longer than a page, with the secret at many positions.
		const value = `${'x'.repeat(3000)}${`${SECRET}|`.repeat(50)}`;
		const { finds } = search('database.sqlite', (file) => {
			const script = `
				const { DatabaseSync } = require('node:sqlite');
				const database = new DatabaseSync(${JSON.stringify(file)});
				database.exec('CREATE TABLE execution_data (data TEXT)');
				database.prepare('INSERT INTO execution_data VALUES (?)').run(${JSON.stringify(value)});`;
			assert.equal(spawnSync(installation.node, ['--no-warnings', '-e', script]).status, 0);
		});
		assert.equal(finds.length, 1);
	});

	it('finds nothing in clean files', () => {
		const own = [
			{ alg: 'HS256', typ: 'JWT' },
			{ id: 'a-user-of-n8n', hash: 'abcdefgh' },
			'signature',
		];
		const cookie = own.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
		for (const content of [
			randomBytes(100_000),
			`n8n-auth=${cookie.join('.')}`,
			'secret=***',
			SECRET.slice(1),
		]) {
			assert.deepEqual(search('file', content).finds, []);
		}
	});
});
