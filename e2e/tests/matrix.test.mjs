/**
 * The core of the end-to-end tests on every supported n8n version. It runs tests of the other
 * files, chosen by name.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ensureN8n } from '../harness/install.mjs';
import { claimFolder } from '../harness/folders.mjs';
import { describeFailure, JSON_REPORTER_OPTIONS, readResults } from '../harness/json-reporter.mjs';
import { E2E_DIR, RESULTS_VARIABLE } from '../harness/paths.mjs';
import { cleanEnvironment, startProcess, stopAll } from '../harness/processes.mjs';
import { formatTable } from '../harness/table.mjs';
import { N8N_VARIABLE, N8N_VERSIONS } from '../harness/versions.mjs';
import { printLast } from './support.mjs';

/** The rows of the table: the title, the test file, and a pattern of the names of its tests. */
const CHECKS = /** @type {Array<[string, string, RegExp]>} */ ([
	['Package, nodes and icons load', 'package', /./],
	['Credential test, right and wrong', 'credential', /succeeds with|reports a wrong password/],
	['Login renewed after a 401', 'credential', /once more after/],
	['Credential in the HTTP Request node', 'credential', /HTTP Request node/],
	['Token and password kept from browser', 'credential', /never sends the token/],
	['Every operation, requests compared', 'operations', /^is tested below|\w\.\w/],
	['Lists to choose from', 'operations', /entries in a list/],
	['Retry On Fail of a sub-workflow', 'idempotency', /calls it again/],
	['Payments beside Remove Duplicates', 'idempotency', /sent once in two runs/],
	['Batch that is stopped', 'batch', /sends no further row|from saved progress/],
	['Payroll example', 'payroll', /./],
	['One webhook through all changes', 'trigger', /keeps one webhook/],
	['Test webhook', 'trigger', /keeps one test webhook/],
	['Service unavailable at the start', 'trigger', /why the first/],
	['Forged delivery gets 401', 'trigger', /starts nothing for forged/],
	['Event once, repeated or not', 'trigger', /distinguishes the statuses/],
	['Webhook repaired by itself', 'trigger-missed-events', /is reactivated/],
	['Missed events', 'trigger-missed-events', /ten missed events/],
	['Killed during a backfill', 'trigger-missed-events', /n8n is killed/],
	['Replay Events', 'trigger-missed-events', /executes its step/],
]).map(([title, file, names]) => ({ title, file, names, cells: {} }));

const VERSIONS = process.env[N8N_VARIABLE] ? [process.env[N8N_VARIABLE]] : N8N_VERSIONS;
const FILES = [...new Set(CHECKS.map(({ file }) => file))];

const nodeVersions = {};
let folder;

before(() => {
	folder = claimFolder(path.join(E2E_DIR, 'results'), 'matrix');
});

for (const version of VERSIONS) {
	describe(`n8n ${version}`, () => {
		before(async () => {
			const { node } = await ensureN8n({ version });
			nodeVersions[version] = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
		});

		for (const file of FILES) {
			const checks = CHECKS.filter((check) => check.file === file);

			describe(`${file}.test.mjs`, () => {
				let results;
				before(async () => {
					results = await runTests(version, file, checks);
				});

				for (const { title, names, cells } of checks) {
					it(title, () => {
						const found = results.filter(({ name }) => names.test(name));
						const failed = found.filter(({ passed }) => !passed);
						cells[version] = `${found.length - failed.length} of ${found.length}`;
						assert.ok(found.length > 0, `no test ran whose name matches ${names}`);
						assert.equal(failed.length, 0, failed.map(describeFailure).join('\n\n'));
					});
				}
			});
		}
	});
}

after(async () => {
	await stopAll();
	printLast(
		formatTable(
			[
				{ title: 'check', value: ({ title }) => title },
				...VERSIONS.map((version) => ({
					title: `n8n ${version}, Node.js ${nodeVersions[version]}`,
					value: ({ cells }) => cells[version] ?? 'did not run',
				})),
			],
			CHECKS,
		),
	);
});

/** Runs the tests of a file that the checks name, and returns their results. */
async function runTests(version, file, checks) {
	const results = path.join(folder, `${file}-${version}.jsonl`);
	const child = startProcess(
		process.execPath,
		[
			...JSON_REPORTER_OPTIONS,
			'--test-force-exit',
			...checks.map(({ names }) => `--test-name-pattern=${names}`),
			path.join(E2E_DIR, 'tests', `${file}.test.mjs`),
		],
		{
			cwd: E2E_DIR,
			logFile: path.join(folder, `${file}-${version}.log`),
			env: { ...cleanEnvironment(), [N8N_VARIABLE]: version, [RESULTS_VARIABLE]: results },
		},
	);
	await child.whenEnded;
	return readResults(results);
}
