/**
 * Compares the nodes of this package in a real n8n with the alternatives (docs/performance.md).
 *
 * npm run bench -- --help
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { inspect, parseArgs } from 'node:util';
import { ensureN8n } from '../e2e/harness/install.mjs';
import { ensureBuild, ensureRootInstall, installPackage } from '../e2e/harness/package.mjs';
import { runProcess, stopAll } from '../e2e/harness/processes.mjs';
import { startSandbox } from '../e2e/harness/sandbox.mjs';
import { runBatch } from './batch.mjs';
import { CONTESTANTS } from './contestants.mjs';
import { summarize, targets, toTable } from './report.mjs';

const USAGE = `Usage: npm run bench -- [options]

  --json           only JSON on standard output
  --rows N,N       how many rows (100,1000,10000)
  --latency MS,MS  how long the service takes (0,50)
  --rounds N       how often each contestant runs (5 times 100 rows, 3 times 1,000, once 10,000)
  --quick          1,000 rows, once
  --only ID,ID     some contestants: ${CONTESTANTS.map(({ id }) => id).join(', ')}
  --n8n-env N=V    an environment variable for n8n; may be repeated
  --help           this

A whole run takes about half an hour. Progress goes to standard error.
`;

const log = (line) => process.stderr.write(`${line}\n`);

function readCommandLine() {
	const { values } = parseArgs({
		options: {
			json: { type: 'boolean', default: false },
			rows: { type: 'string' },
			latency: { type: 'string', default: '0,50' },
			rounds: { type: 'string' },
			quick: { type: 'boolean', default: false },
			only: { type: 'string' },
			'n8n-env': { type: 'string', multiple: true, default: [] },
			help: { type: 'boolean', default: false },
		},
	});
	const { json, quick, help } = values;
	const only = values.only?.split(',').map((id) => id.trim());
	const unknown = only?.find((id) => !CONTESTANTS.some((contestant) => contestant.id === id));
	if (unknown !== undefined) throw new Error(`There is no contestant ${unknown}`);
	return {
		json,
		help,
		sizes: numbers('rows', values.rows ?? (quick ? '1000' : '100,1000,10000'), 1),
		latencies: numbers('latency', values.latency, 0),
		rounds: values.rounds ? numbers('rounds', values.rounds, 1)[0] : quick ? 1 : undefined,
		only: only && new RegExp(`^(${only.join('|')})$`),
		env: Object.fromEntries(values['n8n-env'].map((one) => one.split(/=(.*)/s, 2))),
	};
}

function numbers(option, text, least) {
	const values = text.split(',').map(Number);
	if (!values.every((value) => Number.isInteger(value) && value >= least)) {
		throw new Error(`--${option} needs whole numbers of ${least} or more, not '${text}'`);
	}
	return values;
}

async function main() {
	const { json, help, ...options } = readCommandLine();
	if (help) {
		process.stdout.write(USAGE);
		return;
	}
	await ensureRootInstall({ log });
	await ensureBuild({ log });
	const installation = await ensureN8n({ log });

	const folder = mkdtempSync(path.join(os.tmpdir(), 'partner-payments-bench-'));
	try {
		mkdirSync(path.join(folder, 'files'));
		await installPackage(path.join(folder, 'n8n'));
		const sandbox = await startSandbox({
			logFile: path.join(folder, 'sandbox.log'),
			// The state clock and the record of requests would cost time.
			args: ['--state-clock', '0', '--set', 'recordRequests=false'],
		});
		const { results, skipped } = await runBatch({ ...options, installation, sandbox, folder, log });
		const report = {
			machine: await describeMachine(installation, folder),
			batch: {
				results: summarize(results),
				targets: targets(results),
				skipped,
				runs: results,
			},
		};
		process.stdout.write(`${json ? JSON.stringify(report, undefined, 2) : toTable(report)}\n`);
	} finally {
		await stopAll();
		rmSync(folder, { recursive: true, force: true });
	}
}

async function describeMachine({ version, node }, folder) {
	const { logs } = await runProcess(node, ['--version'], {
		logFile: path.join(folder, 'node-version.log'),
	});
	return {
		cpus: os.cpus().length,
		cpu: os.cpus()[0]?.model.trim() ?? 'unknown',
		memory: Math.round(os.totalmem() / 1024 ** 3),
		n8n: version,
		node: logs().trim().replace(/^v/, ''),
		date: new Date().toISOString().slice(0, 10),
	};
}

main().catch((error) => {
	log(inspect(error));
	process.exitCode = 1;
});
