/**
 * npm run e2e: the end-to-end tests against a real n8n, one test file after the other, each with its own n8n.
 */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ExpectedError } from './harness/errors.mjs';
import { ensureN8n } from './harness/install.mjs';
import { describeFailure, JSON_REPORTER_OPTIONS, readResults } from './harness/json-reporter.mjs';
import { ensureBuild, ensureRootInstall, packPackage } from './harness/package.mjs';
import {
	ADDRESS_VARIABLE,
	E2E_DIR,
	FIGURES_VARIABLE,
	PACKED_VARIABLE,
	RECORD_VARIABLE,
	RESULTS_VARIABLE,
	SOAK_MINUTES,
	SOAK_MINUTES_VARIABLE,
} from './harness/paths.mjs';
import { cleanEnvironment } from './harness/processes.mjs';
import { reportSecrets } from './harness/secret-search.mjs';
import { formatTable } from './harness/table.mjs';
import { manifestDirOf, N8N_VARIABLE, N8N_VERSIONS } from './harness/versions.mjs';

const USAGE = `Usage: npm run e2e [-- options]

  --only NAME   run only test files whose name contains NAME; may be repeated
  --all         run the matrix of n8n versions too, which otherwise needs --only matrix
  --skip NAME   skip test files whose name contains NAME; may be repeated
  --smoke       run one test of each of what breaks most: a payroll, a trigger, a form, a kill
  --list        print the test files and exit
  --n8n VERSION test this n8n: ${N8N_VERSIONS.join(' or ')}; default: the first
  --address URL test an n8n that runs already and has the package: see e2e/README.md
  --record      record n8n's trace instead of comparing it; with --only trace
  --minutes N   duration of the soak test; default: ${SOAK_MINUTES}
  --help        print this

Logs of n8n and the sandbox are in e2e/results/.
`;

const TESTS_DIR = path.join(E2E_DIR, 'tests');
/** Repeats tests of the other files on both n8n versions, which takes as long as all others together. */
const MATRIX = 'matrix.test.mjs';
const SOAK = 'soak.test.mjs';
/** The number of missed events can be set. */
const MISSED_EVENTS_TEST = 'trigger-missed-events.test.mjs';
const EVENT_TIMEOUT_MS = 500;
const FILE_TIMEOUT_MS = 30 * 60_000;
const GRACE_MS = 20_000;
/** The test of each file that a change has to pass. */
const SMOKE = new Map([
	['payroll.test.mjs', 'pays every row once, with the exact values of the file'],
	['trigger.test.mjs', 'distinguishes the statuses of one transaction and passes on all fields'],
	[
		'browser-approval.test.mjs',
		'the form shows count, totals and everybody who is paid, and exactly these are paid',
	],
	['idempotency.test.mjs', 'pays each row once after SIGKILL of n8n'],
]);

async function main() {
	const { values: options } = parseArgs({
		options: {
			only: { type: 'string', multiple: true, default: [] },
			all: { type: 'boolean', default: false },
			skip: { type: 'string', multiple: true, default: [] },
			smoke: { type: 'boolean', default: false },
			list: { type: 'boolean', default: false },
			record: { type: 'boolean', default: false },
			minutes: { type: 'string', default: process.env[SOAK_MINUTES_VARIABLE] ?? SOAK_MINUTES },
			n8n: { type: 'string', default: process.env[N8N_VARIABLE] },
			address: { type: 'string' },
			help: { type: 'boolean', default: false },
		},
	});
	if (options.help) {
		process.stdout.write(USAGE);
		return 0;
	}
	const files = testFiles(options);
	if (options.list) {
		process.stdout.write(`${files.join('\n')}\n`);
		return 0;
	}
	if (files.length === 0) {
		process.stderr.write(`No test file matches ${options.only.join(' or ')}.\n`);
		return 1;
	}

	if (options.n8n) {
		manifestDirOf(options.n8n);
		process.env[N8N_VARIABLE] = options.n8n;
	}

	process.env[SOAK_MINUTES_VARIABLE] = options.minutes;
	if (options.record) process.env[RECORD_VARIABLE] = 'yes';

	await ensureRootInstall();
	await ensureBuild();
	const installations = [];
	for (const version of options.address ? [] : neededVersions(files, options.n8n)) {
		installations.push(await ensureN8n({ version }));
	}

	// All test files use the same package, even if the build changes meanwhile.
	const packed = await packPackage();
	const figures = path.join(packed.dir, 'figures.txt');
	const failed = [];
	const failures = [];
	const times = [];
	async function passes(file) {
		const results = path.join(packed.dir, `${file}.jsonl`);
		const env = {
			[PACKED_VARIABLE]: JSON.stringify(packed),
			[FIGURES_VARIABLE]: figures,
			[RESULTS_VARIABLE]: results,
			...(options.address && { [ADDRESS_VARIABLE]: options.address }),
		};
		process.stdout.write(`\n${file}\n`);
		const started = Date.now();
		const title = options.smoke ? SMOKE.get(file) : undefined;
		const passed = await runFile(file, { env, title, timeoutMs: timeLimit(file, options) });
		times.push({ file, seconds: Math.round((Date.now() - started) / 1000) });
		const tests = readResults(results);
		failures.push(...tests.filter(({ passed }) => !passed));
		if (tests.length === 0) process.stdout.write(`${file} ran no test.\n`);
		return passed && tests.length > 0;
	}
	try {
		for (const file of files) if (!(await passes(file))) failed.push(file);
		// The files of another n8n are not here.
		if (!options.address && !reportSecrets(packed, installations[0]))
			failed.push('the search for secrets');
		process.stdout.write(`\n${describeTimes(times)}\n`);
		process.stdout.write(
			failed.length === 0
				? `\nAll ${files.length} test files passed.\n`
				: `\n${failed.length} of ${files.length} test files failed: ${failed.join(', ')}\n`,
		);
		if (existsSync(figures)) process.stdout.write(readFileSync(figures));
		// Repeated at the end, so that they are not lost in the output.
		for (const failure of failures) process.stdout.write(`\n✖ ${describeFailure(failure)}\n`);
	} finally {
		rmSync(packed.dir, { recursive: true, force: true });
	}
	return failed.length === 0 ? 0 : 1;
}

/** The duration of each file, the longest first. */
function describeTimes(times) {
	return formatTable(
		[
			{ title: 'test file', value: ({ file }) => file },
			{ title: 'seconds', right: true, value: ({ seconds }) => seconds },
		],
		times.toSorted((a, b) => b.seconds - a.seconds),
	);
}

function testFiles({ only, skip, all, smoke }) {
	if (smoke) return [...SMOKE.keys()];
	return readdirSync(TESTS_DIR)
		.filter((file) => file.endsWith('.test.mjs'))
		.filter((file) =>
			only.length ? only.some((name) => file.includes(name)) : all || file !== MATRIX,
		)
		.filter((file) => !skip.some((name) => file.includes(name)))
		.sort();
}

/** The versions to install before the tests, because that may take longer than the tests. */
function neededVersions(files, chosen) {
	if (chosen) return [chosen];
	return files.includes(MATRIX) ? N8N_VERSIONS : N8N_VERSIONS.slice(0, 1);
}

/**
 * The time limit in milliseconds, against hangs.
 *
 * @param {string} file
 * @param {{ n8n?: string, minutes: string }} options
 */
function timeLimit(file, { n8n, minutes }) {
	if (file === MATRIX) return FILE_TIMEOUT_MS * neededVersions([file], n8n).length;
	if (file === SOAK) return FILE_TIMEOUT_MS + 2 * Number(minutes) * 60_000;
	if (file === MISSED_EVENTS_TEST) {
		return FILE_TIMEOUT_MS + Number(process.env.MISSED_EVENTS ?? 0) * EVENT_TIMEOUT_MS;
	}
	return FILE_TIMEOUT_MS;
}

/**
 * Runs a test file, or one test of it, in its own process, which stops its processes if it is asked to end.
 *
 * @param {string} file
 * @param {{ env: Record<string, string>, title?: string, timeoutMs: number }} options
 */
function runFile(file, { env, title, timeoutMs }) {
	return new Promise((resolve) => {
		const child = spawn(
			process.execPath,
			[
				...['--test-reporter=spec', '--test-reporter-destination=stdout'],
				...JSON_REPORTER_OPTIONS,
				...(title ? [`--test-name-pattern=${title}`] : []),
				'--test-force-exit',
				path.join(TESTS_DIR, file),
			],
			{
				cwd: E2E_DIR,
				stdio: 'inherit',
				env: { ...cleanEnvironment(), ...env },
			},
		);
		const end = () => {
			child.kill('SIGTERM');
			setTimeout(() => child.kill('SIGKILL'), GRACE_MS).unref();
		};
		const timer = setTimeout(() => {
			process.stdout.write(`${file} takes longer than ${timeoutMs / 60_000} minutes.\n`);
			end();
		}, timeoutMs);
		const interrupted = () => {
			end();
			child.once('exit', () => process.exit(130));
		};
		process.once('SIGINT', interrupted);
		process.once('SIGTERM', interrupted);
		child.once('exit', (code) => {
			clearTimeout(timer);
			process.off('SIGINT', interrupted);
			process.off('SIGTERM', interrupted);
			resolve(code === 0);
		});
	});
}

try {
	process.exitCode = await main();
} catch (error) {
	process.stderr.write(
		`\n${error instanceof ExpectedError ? error.message : error.stack}\n${error.output ?? ''}\n`,
	);
	process.exitCode = 1;
}
