/**
 * Searches everything that a run of the end-to-end tests left behind for the values of secrets: logs, databases,
 * execution data, screenshots.
 */
import { spawnSync } from 'node:child_process';
import {
	appendFileSync,
	cpSync,
	existsSync,
	mkdtempSync,
	readFileSync,
	readdirSync,
	rmSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { E2E_DIR, PACKED_VARIABLE } from './paths.mjs';
import { formatTable } from './table.mjs';

const RESULTS = path.join(E2E_DIR, 'results');

/** Outside the searched folders. */
const NOTES = 'secrets.jsonl';

/**
 * Records a secret of this run for the search. A test file that runs alone records nothing.
 *
 * @param {string} name
 * @param {string} value
 */
export function noteSecret(name, value) {
	const { [PACKED_VARIABLE]: packed } = process.env;
	if (!packed) return;
	const file = path.join(JSON.parse(packed).dir, NOTES);
	appendFileSync(file, `${JSON.stringify({ name, value })}\n`);
}

/**
 * Searches the results of all test files and prints the findings.
 *
 * @param {{ dir: string }} packed where secrets were noted
 * @param {{ node: string }} installation
 * @returns {boolean} whether there is none
 */
export function reportSecrets(packed, installation) {
	if (!existsSync(RESULTS)) return true;
	const notes = path.join(packed.dir, NOTES);
	const noted = existsSync(notes)
		? readFileSync(notes, 'utf8')
				.trim()
				.split('\n')
				.map((line) => JSON.parse(line))
		: [];
	const { files, bytes, secrets, finds } = searchFolder(RESULTS, noted, installation);
	process.stdout.write(
		`\nLooked for the secrets (${secrets}), all tokens and all callback secrets in ${files} files (${Math.round(bytes / 1024 / 1024)} MB), the databases' content included: ${finds.length === 0 ? 'none found' : `${finds.length} found`}.\n`,
	);
	if (finds.length) {
		const columns = [
			{ title: 'secret', width: 60, value: ({ secret }) => secret },
			{ title: 'form', value: ({ form }) => form },
			{ title: 'file', width: 100, value: ({ file }) => file },
		];
		process.stdout.write(`${formatTable(columns, finds)}\n`);
	}
	return finds.length === 0;
}

/**
 * @param {string} folder
 * @param {Array<{ name: string, value: string }>} noted
 * @param {{ node: string }} installation whose Node.js reads databases
 * @returns what was found, by name: never a value
 */
export function searchFolder(folder, noted, installation) {
	const all = filesIn(folder);
	const secrets = new Map([...noted, ...passwordsOf(all)].map(({ name, value }) => [value, name]));
	const needles = [
		...[...secrets].flatMap(([value, name]) =>
			formsOf(value).map(([form, text]) => ({ secret: name, form, bytes: Buffer.from(text) })),
		),
		...base64Of(TOKEN_START).map((text) => ({
			secret: 'a token of the service',
			form: 'base64',
			bytes: Buffer.from(text),
		})),
	];
	const finds = [];
	let bytes = 0;
	for (const file of all.filter(isSearched)) {
		/** @type {Buffer[]} */
		const contents = [readFileSync(file)];
		if (path.basename(file) === 'database.sqlite') contents.push(contentOf(file, installation));
		const found = new Set();
		for (const content of contents) {
			bytes += content.length;
			for (const { secret, form, bytes: needle } of needles) {
				if (content.includes(needle)) found.add(`${secret}\n${form}`);
			}
			for (const secret of knownByTheirLook(content)) found.add(`${secret}\nplain`);
		}
		for (const entry of found) {
			const [secret, form] = entry.split('\n');
			finds.push({ secret, form, file: path.relative(folder, file) });
		}
	}
	return { files: all.filter(isSearched).length, bytes, secrets: secrets.size, finds };
}

/** @param {string} folder */
function filesIn(folder) {
	return readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => path.join(entry.parentPath, entry.name));
}

const SERVICE_LOG = 'sandbox.log';

/**
 * The sandbox may print its example user; n8n and the package may not. Installed files are not searched.
 *
 * @param {string} file
 */
function isSearched(file) {
	return (
		path.basename(file) !== SERVICE_LOG && !file.includes(`${path.sep}node_modules${path.sep}`)
	);
}

/**
 * The passwords of the example users, as the sandboxes print them.
 *
 * @param {string[]} files
 */
function passwordsOf(files) {
	return files
		.filter((file) => path.basename(file) === SERVICE_LOG)
		.flatMap((file) => readFileSync(file, 'utf8').match(/^\{.*"password".*\}$/gm) ?? [])
		.map((line) => ({ name: 'the password of the sandbox', value: JSON.parse(line).password }));
}

/**
 * The forms in which programs write a value.
 *
 * @param {string} value
 * @returns {Array<[string, string]>}
 */
function formsOf(value) {
	const bytes = Buffer.from(value);
	const forms = [
		['plain', value],
		['URL-encoded', encodeURIComponent(value)],
		['URL-encoded', new URLSearchParams({ '': value }).toString().slice(1)],
		['JSON-escaped', JSON.stringify(value).slice(1, -1)],
		['JSON-escaped', JSON.stringify(JSON.stringify(value)).slice(3, -3)],
		['hexadecimal', bytes.toString('hex')],
		...base64Of(value).map((text) => ['base64', text]),
	];
	return [...new Map(forms.map(([form, text]) => [text, form]))].map(([text, form]) => [
		form,
		text,
	]);
}

/**
 * The base64 of a value at any offset in a text, without the characters shared with its neighbours.
 *
 * @param {string} value
 */
function base64Of(value) {
	return [0, 1, 2].flatMap((before) => {
		const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(value)]);
		const whole = bytes.subarray(before ? 3 : 0, bytes.length - (bytes.length % 3));
		return [whole.toString('base64'), whole.toString('base64url')];
	});
}

/** The start of every token: the header of the sandbox's JWTs. */
const TOKEN_START = Buffer.from('{"alg":"HS256","typ":"JWT"}').toString('base64url');

/** @param {Buffer} content */
function* knownByTheirLook(content) {
	const text = content.toString('latin1');
	for (const [, claims] of text.matchAll(/eyJ[\w-]{10,}\.(eyJ[\w-]{10,})\.[\w-]{10,}/g)) {
		// n8n's own tokens contain no email.
		if (/"email":/.test(Buffer.from(claims, 'base64url').toString()))
			yield 'a token of the service';
	}
	if (/\bsecret(=|%3D|%253D)[0-9a-f]{64}/i.test(text)) yield 'a callback secret in an address';
}

/**
 * The values in a database, which may split them across pages.
 *
 * @param {string} file
 * @param {{ node: string }} installation
 */
function contentOf(file, { node }) {
	const copy = mkdtempSync(path.join(os.tmpdir(), 'partner-payments-database-'));
	try {
		for (const part of ['', '-wal']) {
			if (existsSync(file + part)) cpSync(file + part, path.join(copy, `copy.sqlite${part}`));
		}
		const script = `
			const { DatabaseSync } = require('node:sqlite');
			const database = new DatabaseSync(${JSON.stringify(path.join(copy, 'copy.sqlite'))});
			const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
			for (const { name } of tables) {
				for (const row of database.prepare('SELECT * FROM "' + name + '"').iterate()) {
					for (const value of Object.values(row)) {
						const text = value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value);
						require('node:fs').writeSync(1, text + '\\n');
					}
				}
			}`;
		const { status, stdout, stderr } = spawnSync(node, ['--no-warnings', '-e', script], {
			maxBuffer: 2 ** 31,
		});
		if (status !== 0) throw new Error(`${file} cannot be read: ${stderr}`);
		return stdout;
	} finally {
		rmSync(copy, { recursive: true, force: true });
	}
}
