/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions, no-console -- runs outside n8n */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import jestConfig from '../../jest.config.js';
import { applyPatch } from './patch';
import type { SeededBug } from './seededBugs';
import { UNSEEN_BUGS } from './unseenSeededBugs';

const HELP = `npx tsx test/simulation/noticed.ts [options] [NAME ...]: which of the eighty unseen seeded bugs, or of
those with these names, the tests of npm cit notice. The tests that are nearest to a bug run first.

  --rounds 50  how often further tests run of a bug that none has noticed yet
  --files 2    how many files of tests a bug gets in a round
  --tests '.'  run only the files of tests whose path this pattern matches
`;

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: {
		rounds: { type: 'string', default: '50' },
		files: { type: 'string', default: '2' },
		tests: { type: 'string', default: '.' },
		help: { type: 'boolean', default: false },
	},
});

const ROOT = resolve(__dirname, '../..');

/** What runs the sources in simulated processes. */
const SIMULATED = 'test/simulation/package.ts';

/** They fail because the package is broken, or do not run its code. */
const IGNORED = /^test\/(package|mutation|docs|examples|bench|sandbox|description)\/|eededBugs/;

const TESTS = new RegExp(values.tests);

/** They run last. */
const SLOW = /^test\/(simulation|fuzz)\//;

function filesIn(folder: string): string[] {
	return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
		.filter((path) => path.endsWith('.ts'))
		.map((path) => `${folder}/${path}`);
}

/** The files that import a file, by its path. */
function readImporters(): Map<string, string[]> {
	const importers = new Map<string, string[]>();
	const add = (of: string, by: string) => importers.set(of, [...(importers.get(of) ?? []), by]);
	for (const file of ['nodes', 'credentials', 'test'].flatMap(filesIn)) {
		const code = readFileSync(join(ROOT, file), 'utf8');
		for (const [, name] of code.matchAll(
			/^(?:import|export|\}) (?!type)[^;]*?from '(\.[^']+)';/gms,
		)) {
			const path = join(dirname(file), name);
			add(existsSync(join(ROOT, `${path}.ts`)) ? `${path}.ts` : `${path}/index.ts`, file);
		}
	}
	return importers;
}

const importers = readImporters();

/** The words of a path, for tests that are named like what they test. */
const wordsOf = (path: string): string[] =>
	path
		.replace(/PartnerPayments|\.ts$/g, '')
		.split(/[/.]|(?=[A-Z])/)
		.map((word) => word.toLowerCase().replace(/s$/, ''));

/** The files of tests that run a file: those of the same name and folder first, then those that import it sooner. */
function testsOf(file: string): string[] {
	const found = new Map<string, number>();
	let level = [file, SIMULATED];
	for (let steps = 1; level.length > 0; steps++) {
		level = level.flatMap((one) => importers.get(one) ?? []).filter((one) => !found.has(one));
		for (const one of level) found.set(one, steps);
	}
	const own = new Set(wordsOf(file));
	const distance = (test: string) =>
		(found.get(test) ?? 0) -
		3 * wordsOf(test).filter((word) => own.has(word)).length +
		(SLOW.test(test) ? 100 : 0);
	return [...found.keys()]
		.filter((path) => path.endsWith('.test.ts') && TESTS.test(path) && !IGNORED.test(path))
		.sort((a, b) => distance(a) - distance(b));
}

const AS_IT_IS = 'the package as it is';

const folder = mkdtempSync(join(tmpdir(), 'noticed-'));

type Project = { displayName: string } & Record<string, unknown>;

/** A Jest project: some tests, of the package as it is or with a seeded bug. */
function projectOf(displayName: string, tests: string[], bug?: SeededBug): Project {
	const replaced: Record<string, string> = {};
	if (bug) {
		const path = join(folder, `${UNSEEN_BUGS.indexOf(bug)}.ts`);
		writeFileSync(path, applyPatch(readFileSync(join(ROOT, bug.file), 'utf8'), bug));
		replaced[join(ROOT, bug.file)] = path;
	}
	const { runtime, testEnvironment, roots, setupFiles, setupFilesAfterEnv } = jestConfig;
	return {
		displayName,
		rootDir: ROOT,
		runtime,
		testEnvironment,
		roots,
		setupFiles,
		setupFilesAfterEnv,
		testMatch: tests.map((test) => join(ROOT, test)),
		globals: { seededBug: bug },
		transform: { '^.+\\.ts$': [join(__dirname, 'seededBugTransform.cjs'), { replaced }] },
	};
}

/** A file of tests that has failed. */
interface Failure {
	project: string;
	path: string;
	/** Of its first test that failed. */
	title: string;
}

/** A run whose tests wait for ever, in spite of their time limit, ends after so long. */
const MINUTES = 20;

/** Runs tests of several projects in one process. */
function runProjects(projects: Project[]): Failure[] {
	const [config, failures] = ['config.json', 'failures.json'].map((name) => join(folder, name));
	const reporters = [[join(__dirname, 'noticedReporter.cjs'), { path: failures }]];
	// A bug that makes tests wait for ever must not cost a minute in each of them.
	const all = { rootDir: ROOT, testTimeout: 20_000, reporters, projects };
	writeFileSync(config, JSON.stringify(all));
	rmSync(failures, { force: true });
	// Nor may a server that a bug leaves open keep Jest from ending.
	const options = ['--config', config, '-w', '1', '--silent', '--forceExit'];
	const { error } = spawnSync(process.execPath, [require.resolve('jest/bin/jest'), ...options], {
		cwd: ROOT,
		env: { ...process.env, TEST_FOLDER: folder },
		stdio: 'ignore',
		timeout: MINUTES * 60_000,
		killSignal: 'SIGKILL',
	});
	const found = JSON.parse(readFileSync(failures, 'utf8')) as Failure[];
	if (error === undefined) return found;
	// The last file never ended. The projects after it have not run.
	const isDone = ({ displayName }: Project) => found.some(({ project }) => project === displayName);
	return [...found, ...runProjects(projects.filter((project) => !isDone(project)))];
}

function main(): void {
	if (values.help) return void console.log(HELP);
	const bugs = UNSEEN_BUGS.filter(
		({ name }) => positionals.length === 0 || positionals.includes(name),
	);
	let left = bugs.map((bug) => ({ bug, tests: testsOf(bug.file) }));
	for (let round = 0; left.length > 0 && round < Number(values.rounds); round++) {
		const next = left.map(({ bug, tests }) => ({
			bug,
			tests: tests.splice(0, Number(values.files)),
		}));
		const all = [...new Set(next.flatMap(({ tests }) => tests))];
		const failures = runProjects([
			projectOf(AS_IT_IS, all),
			...next.map(({ bug, tests }) => projectOf(bug.name, tests, bug)),
		]);
		// Their failures with a bug show nothing.
		const broken = failures.filter(({ project }) => project === AS_IT_IS);
		for (const { path, title } of broken) {
			console.log(`left out, as it fails without a seeded bug: ${relative(ROOT, path)}: ${title}`);
		}
		left = left.filter(({ bug }) => {
			const found = failures.find(
				({ project, path }) => project === bug.name && broken.every((one) => one.path !== path),
			);
			if (found)
				console.log(`noticed ${bug.name}\n  by ${relative(ROOT, found.path)}: ${found.title}`);
			return !found;
		});
	}
	for (const { bug } of left) console.log(`NOT noticed ${bug.name}`);
	console.log(`${bugs.length - left.length} of ${bugs.length} noticed`);
}

try {
	main();
} finally {
	rmSync(folder, { recursive: true, force: true });
}
