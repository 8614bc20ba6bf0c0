/* eslint-disable @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type ICredentialType, type INodeType } from 'n8n-workflow';

import { PartnerPaymentsApi } from '../../credentials/PartnerPaymentsApi.credentials';

const ROOT = resolve(__dirname, '../..');

interface Manifest {
	name: string;
	private: boolean;
	license: string;
	main: string;
	keywords: string[];
	scripts: Record<string, string>;
	n8n: { nodes: string[]; credentials: string[] };
	dependencies?: Record<string, string>;
	optionalDependencies?: Record<string, string>;
	overrides?: unknown;
	peerDependencies?: Record<string, string>;
	peerDependenciesMeta?: Record<string, { optional: boolean }>;
}

const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;

/** The class of a built file, found by the file’s name as n8n does. */
function classIn(file: string): string {
	return file.split('/').at(-1)?.split('.')[0] ?? '';
}

describe('the package', () => {
	interface Packed {
		size: number;
		unpackedSize: number;
		files: Array<{ path: string }>;
	}

	const [packed] = JSON.parse(
		execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
			cwd: ROOT,
			encoding: 'utf8',
			stdio: ['ignore', 'pipe', 'ignore'],
		}),
	) as Packed[];
	const paths = packed.files.map(({ path }) => path);

	test('publishes what n8n needs and nothing else', () => {
		const other = paths.filter(
			(path) =>
				!path.startsWith('dist/') &&
				!['index.js', 'package.json', 'README.md', 'LICENSE.md', 'CHANGELOG.md'].includes(path),
		);
		expect(other).toEqual([]);
		expect(paths).toEqual(expect.arrayContaining(['index.js', 'package.json', 'LICENSE.md']));
		expect(paths.filter((path) => !/\.(js|js\.map|d\.ts|json|svg|md)$/.test(path))).toEqual([]);
		expect(paths.filter((path) => /test|sandbox|e2e|bench/i.test(path))).toEqual([]);
	});

	test('publishes each source as a file of its own, with a source map and declarations', () => {
		const sources = ['nodes', 'credentials'].flatMap((folder) =>
			(readdirSync(join(ROOT, folder), { recursive: true }) as string[])
				.filter((file) => file.endsWith('.ts'))
				.map((file) => join('dist', folder, file.slice(0, -'.ts'.length))),
		);
		const expected = ['.js', '.js.map', '.d.ts'].flatMap((ending) =>
			sources.map((file) => file + ending),
		);
		expect(paths.filter((path) => /^dist\/.*(?<!\.json|\.svg)$/.test(path)).sort()).toEqual(
			expected.sort(),
		);
	});

	test('publishes English guides only, as n8n requires of verified nodes', () => {
		const guides = paths.filter((path) => path.endsWith('.md') && !/LICENSE|CHANGELOG/.test(path));
		expect(guides).toEqual(['README.md']);
		// What reports and pages say to payees is data: it is in one file, beside its English.
		const spanish = paths.filter((path) => /(^|[/._-])es[/._-]/i.test(path));
		expect([...new Set(spanish.map((path) => path.replace(/\..*/, '')))]).toEqual([
			'dist/nodes/messages/es',
		]);
	});

	test('publishes at most a megabyte', () => {
		expect(packed.size).toBeLessThan(1_000_000);
	});

	test('depends on no package but n8n', () => {
		expect(manifest.dependencies).toBeUndefined();
		expect(manifest.optionalDependencies).toBeUndefined();
		expect(manifest.overrides).toBeUndefined();
		// Optional, so that npm adds no second one beside n8n's own.
		expect(manifest.peerDependencies).toEqual({ 'n8n-workflow': '*' });
		expect(manifest.peerDependenciesMeta).toEqual({ 'n8n-workflow': { optional: true } });
	});

	test('runs no script when it is installed', () => {
		expect(Object.keys(manifest.scripts)).not.toEqual(
			expect.arrayContaining([expect.stringMatching(/^(pre|post)?install$/)]),
		);
	});

	test('requires at run time only what n8n and Node provide', () => {
		const required = paths
			.filter((path) => path.endsWith('.js'))
			.flatMap((path) =>
				[...readFileSync(join(ROOT, path), 'utf8').matchAll(/require\(["']([^"']+)["']\)/g)].map(
					([, name]) => name,
				),
			)
			.filter((name) => !name.startsWith('.') && !name.startsWith('node:'));
		expect([...new Set(required)]).toEqual(['n8n-workflow']);
	});

	test('names the tested versions of n8n in both editions of the README and in the guide', () => {
		const [oldest, newest] = ['e2e/n8n-1/package.json', 'e2e/package.json'].map((file) => {
			const { dependencies } = JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as Manifest;
			return dependencies?.n8n ?? '';
		});
		const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
		expect(readme).toContain(`[n8n ${oldest} to ${newest}]`);
		const spanish = readFileSync(join(ROOT, 'docs/es/README.md'), 'utf8');
		expect(spanish).toContain(`[n8n ${oldest} a ${newest}]`);
		const guide = readFileSync(join(ROOT, 'docs/compatibility.md'), 'utf8');
		expect(guide).toContain(oldest);
		expect(guide).toContain(newest);
	});

	test('cannot be published from a checkout, where npm runs no script that could stop it', () => {
		expect(manifest.private).toBe(true);
	});

	test('has Spanish only where the guide to releases says', () => {
		const guide = readFileSync(join(ROOT, 'docs/releasing.md'), 'utf8');
		const [, section = ''] = guide.split('## Spanish in the package');
		const named = [...section.matchAll(/`(nodes\/[\w/.]+)`/g)].map(([, path]) => `dist/${path}`);
		const isCode = (path: string) => /^dist\/.*\.js(?:on)?$/.test(path);
		const spanish = paths.filter(isCode).filter((path) => {
			const code = readFileSync(join(ROOT, path), 'utf8');
			return /[áéíóúñ¿¡]/i.test(code.replace(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, ''));
		});
		expect(spanish.sort()).toEqual(named.sort());
	});

	test('identifies itself to n8n as a community node package', () => {
		expect(manifest.name).toMatch(/^n8n-nodes-/);
		expect(manifest.keywords).toContain('n8n-community-node-package');
		expect(manifest.license).toBe('MIT');
	});

	test.each([...manifest.n8n.nodes, ...manifest.n8n.credentials])(
		'publishes %s, with a class of its name that index.js exports',
		(file) => {
			expect(paths).toContain(file);
			const module = jest.requireActual<Record<string, new () => unknown>>(join(ROOT, file));
			const name = classIn(file);
			expect(module[name]).toBeInstanceOf(Function);
			const index = jest.requireActual<typeof module>(join(ROOT, manifest.main));
			expect(index[name]).toBe(module[name]);
		},
	);

	test('publishes every icon of its classes, for light and dark', () => {
		for (const file of [...manifest.n8n.nodes, ...manifest.n8n.credentials]) {
			const module = jest.requireActual<Record<string, new () => INodeType | ICredentialType>>(
				join(ROOT, file),
			);
			const instance = new module[classIn(file)]();
			const { icon } = 'description' in instance ? instance.description : instance;
			const { light, dark } = icon as { light: string; dark: string };
			for (const name of [light, dark]) {
				const path = join(file, '..', name.replace(/^file:/, ''));
				expect(existsSync(join(ROOT, path))).toBe(true);
				expect(paths).toContain(path);
			}
		}
	});

	test.each(manifest.n8n.nodes)('publishes the codex of %s', (file) => {
		const codex = JSON.parse(readFileSync(join(ROOT, `${file}on`), 'utf8')) as { node: string };
		const [name] = [classIn(file)];
		expect(codex.node).toBe(`${manifest.name}.${name[0].toLowerCase()}${name.slice(1)}`);
		// Only n8n’s own nodes are sorted by subcategories.
		expect(codex).not.toHaveProperty('subcategories');
	});

	test('reads no environment variables, not even in examples', () => {
		const published = paths.filter((path) => /\.js(?:on)?$/.test(path));
		const examples = readdirSync(join(ROOT, 'examples'))
			.filter((file) => file.endsWith('.json'))
			.map((file) => join('examples', file));
		const reading = [...published, ...examples].filter((path) =>
			/\bprocess\.env\b|\$env\b/.test(readFileSync(join(ROOT, path), 'utf8')),
		);
		expect(reading).toEqual([]);
	});
});

describe('the credential', () => {
	const credential = new PartnerPaymentsApi();

	test('hides the credential’s password and token from the browser', () => {
		const hidden = credential.properties
			.filter(({ typeOptions }) => typeOptions?.password)
			.map(({ name }) => name);
		expect(hidden).toEqual(['password', 'sessionToken']);
	});

	test('lets n8n store the credential’s token', () => {
		const [expirable, ...others] = credential.properties.filter(
			({ typeOptions }) => typeOptions?.expirable,
		);
		expect(others).toEqual([]);
		expect(expirable).toMatchObject({ type: 'hidden', default: '' });
		expect(credential.preAuthentication).toBeInstanceOf(Function);
		expect(credential.authenticate).toBeInstanceOf(Function);
	});

	test('tests the credential with a request that needs the login', () => {
		expect(credential.test?.request).toMatchObject({ url: '/v2/wallets' });
	});

	test('uses login version 2 and no unencrypted connection by default', () => {
		const defaults = Object.fromEntries(
			credential.properties.map(({ name, default: value }) => [name, value]),
		);
		expect(defaults).toEqual({
			baseUrl: '',
			environment: '',
			email: '',
			password: '',
			loginVersion: 'v2',
			allowInsecureHttp: false,
			sessionToken: '',
		});
	});
});
