/**
 * npm run fuzz: runs the property tests with many more cases than `npm test`, and with new ones every time.
 *
 * RUNS=20000 sets the number of cases for each property, SEED=7 repeats those of an earlier run. Arguments go to jest.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';

const { RUNS = '5000', SEED = String(Date.now() % 2 ** 31) } = process.env;
const folder = mkdtempSync(path.join(os.tmpdir(), 'partner-payments-fuzz-'));
const report = path.join(folder, 'report');
writeFileSync(report, '');

const jest = createRequire(import.meta.url).resolve('jest/bin/jest');
const { status } = spawnSync(
	process.execPath,
	[jest, 'test/fuzz', '--testTimeout=3600000', ...process.argv.slice(2)],
	{ stdio: 'inherit', env: { ...process.env, RUNS, SEED, FUZZ_REPORT: report } },
);

const lines = readFileSync(report, 'utf8')
	.split('\n')
	.filter(Boolean)
	.map((line) => JSON.parse(line));
rmSync(folder, { recursive: true });
lines.sort((a, b) => (a.name < b.name ? -1 : 1));
const width = Math.max(...lines.map(({ name }) => name.length), 5);
const row = (name, cases) => `${name.padEnd(width)}  ${String(cases).padStart(9)}\n`;
process.stdout.write(
	[
		'\n',
		row('property', 'cases'),
		...lines.map(({ name, cases }) => row(name, cases)),
		row(
			'total',
			lines.reduce((sum, { cases }) => sum + cases, 0),
		),
		`\nTo repeat: SEED=${SEED} RUNS=${RUNS} npm run fuzz\n`,
	].join(''),
);
process.exitCode = status ?? 1;
