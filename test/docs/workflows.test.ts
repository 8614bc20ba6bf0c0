/* eslint-disable @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { execFileSync, spawnSync } from 'node:child_process';
import {
	existsSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';

import { SEEDED_BUGS } from '../simulation/seededBugs';
import { readDocument, ROOT } from './markdown';
import { unknownCommand } from './commands';

interface Job {
	/** None in a job that calls another workflow. */
	steps?: Array<{ uses?: string; if?: string; run?: string; with?: Record<string, unknown> }>;
	uses?: string;
	needs?: string;
	strategy?: { matrix: Record<string, unknown> };
	permissions?: Record<string, string>;
}

interface Workflow {
	on: Record<string, unknown>;
	permissions: Record<string, string>;
	jobs: Record<string, Job>;
}

function readYaml<T>(path: string): T {
	return parse(readFileSync(join(ROOT, path), 'utf8')) as T;
}

const FOLDER = '.github/workflows';
const workflows = readdirSync(join(ROOT, FOLDER)).map(
	(file) => [file, readYaml<Workflow>(join(FOLDER, file))] as const,
);

describe.each(workflows)('%s', (_, { permissions, jobs }) => {
	const steps = Object.values(jobs).flatMap((job) => job.steps ?? []);

	test('runs only commands that exist', () => {
		const commands = steps.flatMap(({ run }) => (run?.includes('\n') ? [] : (run ?? [])));
		expect(commands.length).toBeGreaterThan(0);
		expect(commands.flatMap((command) => unknownCommand(command) ?? [])).toEqual([]);
	});

	test('pins every action to a commit', () => {
		const loose = steps.flatMap(({ uses }) =>
			uses === undefined || /^[\w-]+(\/[\w-]+)+@[\da-f]{40}$/.test(uses) ? [] : [uses],
		);
		expect(loose).toEqual([]);
	});

	test('may only read, unless a job says otherwise', () => {
		expect(permissions).toEqual({ contents: 'read' });
	});
});

const { 'publish.yml': publish, 'release.yml': release } = Object.fromEntries(workflows);

test('every supported version of Node is tested, the oldest without the lint rules that it cannot load', () => {
	const { strategy, steps = [] } = release.jobs.node;
	expect(strategy?.matrix).toEqual({ node: ['20.15', 20, 22, 24] });
	const { engines } = readYaml<{ engines: { node: string } }>('package.json');
	expect(engines.node).toBe('>=20.15');
	const tests = steps.filter(({ run }) => run !== undefined);
	expect(tests.map(({ if: when, run }) => [when, run])).toEqual([
		["matrix.node != '20.15'", 'npm cit'],
		["matrix.node == '20.15'", 'npm ci && npm run build && npx jest'],
	]);
});

const parts = execFileSync('bash', ['.ci/release', '--parts'], { cwd: ROOT, encoding: 'utf8' })
	.trim()
	.split('\n');

/** What a part of the generated tests would run, by a stand-in for npm and npx. */
function commandsOf(part: string): string[] {
	const [kind, share] = part.split('-');
	const script = ['-euc', 'npm() { echo "$@"; }; npx() { :; }; source "$0"', 'test/scenarios.sh'];
	const output = execFileSync('bash', [...script, kind, `${share}/5`], {
		cwd: ROOT,
		encoding: 'utf8',
		env: { ...process.env, SEED: '7' },
	});
	return output.split('\n').filter((line) => line.startsWith('run simulate'));
}

test.each(Object.keys(SEEDED_BUGS))(
	'the parts run 100,000 scenarios of %s, each part with a seed of its own',
	(kind) => {
		const found = parts
			.filter((part) => part.startsWith(`${kind}-`))
			.flatMap(commandsOf)
			.map((command) => command.match(/--scenario (\w+) --runs (\d+) --seed (\d+)/));
		expect(found.reduce((sum, match) => sum + Number(match?.[2]), 0)).toBe(100_000);
		expect(new Set(found.map((match) => match?.[3])).size).toBe(5);
	},
);

test('a tag publishes a tarball in a job that has the rights and runs nothing but npm', () => {
	expect(publish.on).toEqual({ push: { tags: ['v*'] } });
	const { publish: job, ...others } = publish.jobs;
	expect(Object.values(others).filter(({ permissions }) => permissions !== undefined)).toEqual([]);
	expect(job.permissions).toEqual({ 'id-token': 'write' });
	const used = (job.steps ?? []).flatMap(({ uses }) => uses?.split('@')[0] ?? []);
	expect(used).toEqual(['actions/setup-node', 'actions/download-artifact']);
	const runs = (job.steps ?? []).flatMap(({ run }) => run ?? []);
	expect(runs).toHaveLength(2);
	expect(runs[0]).toMatch(/^npm install --global --ignore-scripts npm@[\d.]+$/);
	const publications = runs[1].split('\n').filter((line) => line.includes('publish'));
	expect(publications.map((line) => line.trim())).toEqual([
		'npm publish ./*.tgz --ignore-scripts --provenance --access public',
		'npm stage publish ./*.tgz --ignore-scripts --access public',
	]);
});

describe('before it publishes', () => {
	const check = publish.jobs.pack.steps?.find(({ run }) => run?.includes('CHANGELOG.md'));
	let folder: string;
	beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'partner-payments-publish-'))));
	afterAll(() => rmSync(folder, { recursive: true }));

	test.each([
		['## [1.2.3] - 2026-12-01', 'v1.2.3', true],
		['## [1.2.3] - Unreleased', 'v1.2.3', false],
		['## [1.2.2] - 2026-12-01', 'v1.2.3', false],
		['## [1.2.3] - 2026-12-01', 'v1.2.4', false],
	])('takes the changelog %j with the tag %s: %p', (changelog, tag, isTaken) => {
		writeFileSync(join(folder, 'package.json'), '{ "version": "1.2.3" }');
		writeFileSync(join(folder, 'CHANGELOG.md'), `# Changelog\n\n${changelog}\n`);
		const env = { ...process.env, GITHUB_REF_NAME: tag };
		const { status } = spawnSync('bash', ['-ec', String(check?.run)], { cwd: folder, env });
		expect(status === 0).toBe(isTaken);
	});
});

test('the guide to releases names each file with the address of the repository', () => {
	const { repository } = readYaml<{ repository: { url: string } }>('package.json');
	const address = repository.url.replace(/\.git$/, '');
	const files = ['.github', 'credentials', 'docs', 'examples', 'nodes']
		.flatMap((from) =>
			(readdirSync(join(ROOT, from), { recursive: true }) as string[]).map((file) =>
				join(from, file),
			),
		)
		.concat(readdirSync(ROOT))
		.filter((file) => /\.(ts|json|md|yml)$/.test(file) && statSync(join(ROOT, file)).isFile())
		.filter((file) => readFileSync(join(ROOT, file), 'utf8').includes(address));
	expect(files.length).toBeGreaterThan(8);
	const { codes } = readDocument('docs/releasing.md');
	expect(files.filter((file) => !codes.some((code) => file.endsWith(code)))).toEqual([]);
});

test('a version is published only after the checks of every change and a record of all others', () => {
	const { change, pack, publish: job } = publish.jobs;
	expect(change.uses).toBe('./.github/workflows/ci.yml');
	expect(pack.needs).toBe('change');
	expect(pack.steps?.map(({ run }) => run)).toContain('bash .ci/release --check');
	expect(job.needs).toBe('pack');
});

test.each(['bug.yml', 'feature.yml'])('the form %s asks to leave secrets out', (file) => {
	const path = join('.github/ISSUE_TEMPLATE', file);
	expect(existsSync(join(ROOT, path))).toBe(true);
	const { name, description, body } = readYaml<{
		name: string;
		description: string;
		body: Array<{ type: string; attributes: { value?: string } }>;
	}>(path);
	expect([name, description].every((text) => text.length > 0)).toBe(true);
	expect(body[0].attributes.value).toMatch(/leave out .*secret/i);
});
