/* eslint-disable @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../..');

/** n8n’s scanner is an ES module: it runs in a separate process, like its command line. */
const SCAN = `
	import { analyzePackage, SOURCE_FILE_PATTERNS } from '@n8n/scan-community-package/scanner/scanner.mjs';
	const [folder, kind] = process.argv.slice(1);
	const result = await analyzePackage(
		folder,
		kind === 'sources' ? SOURCE_FILE_PATTERNS : ['**/*.js', 'package.json'],
	);
	process.stdout.write(JSON.stringify(result));
`;

interface ScanResult {
	passed: boolean;
	message?: string;
	details?: string;
}

function scan(folder: string, kind: 'sources' | 'tarball'): ScanResult {
	const output = execFileSync(
		process.execPath,
		['--input-type=module', '--eval', SCAN, folder, kind],
		// With Jest's value, eslint-plugin-n8n-nodes-base runs each rule on every file.
		{ cwd: ROOT, encoding: 'utf8', env: { ...process.env, NODE_ENV: 'production' } },
	);
	return JSON.parse(output) as ScanResult;
}

/**
 * What n8n runs on every version that is submitted to it (`npx @n8n/scan-community-package`), with
 * the same file patterns and rules, but on local files: the scanner itself downloads a published
 * version. It ignores every eslint-disable comment.
 */
describe('n8n’s scanner of community packages', () => {
	let folder: string;

	beforeAll(async () => {
		folder = await mkdtemp(join(tmpdir(), 'partner-payments-scan-'));
		execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], {
			cwd: ROOT,
			stdio: 'ignore',
		});
		const [tarball] = await readdir(folder);
		execFileSync('tar', ['-xzf', join(folder, tarball), '-C', folder]);
	});

	afterAll(async () => await rm(folder, { recursive: true, force: true }));

	test('passes n8n’s scanner with the packed tarball', () => {
		const packed = join(folder, 'package');
		expect(existsSync(join(packed, 'index.js'))).toBe(true);
		expect(scan(packed, 'tarball')).toEqual({ passed: true });
	});

	test('passes n8n’s scanner with the sources of the tarball', () => {
		expect(scan(ROOT, 'sources')).toEqual({ passed: true });
	});
});
