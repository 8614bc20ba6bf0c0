/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions, no-console -- runs outside n8n */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { applyPatch } from './patch';
import { UNSEEN_BUGS } from './unseenSeededBugs';

/*
 * npx tsx test/simulation/noticed.ts [NAME ...]: which of the eighty unseen seeded bugs, or of those with these names,
 * the tests of `npm cit` notice. It breaks a copy of the package in one way after the other.
 */

const ROOT = resolve(__dirname, '../..');

/** What a copy does without. */
const LEFT_OUT = ['node_modules', '.git', '.demo', '.stryker', 'results'];

/** They fail because the package is broken, not because they notice what is broken. */
const IGNORED = ['eededBugs', 'test/package/', 'test/mutation/'];

/** The tests that are most likely to notice a bug, by its folder. They run first. */
const FIRST: Record<string, string> = {
	PartnerPaymentsTrigger: 'test/trigger',
	payments: 'test/payments',
	state: 'test/state',
	webhooks: 'test/webhooks',
	fields: 'test/fields',
	report: 'test/report',
	service: 'test/service',
};

const copy = mkdtempSync(join(tmpdir(), 'noticed-'));
const run = (...command: string[]): boolean =>
	spawnSync('npx', command, { cwd: copy, stdio: 'ignore' }).status === 0;
const passes = (tests: string[]): boolean => {
	const ignored = IGNORED.flatMap((path) => ['--testPathIgnorePatterns', path]);
	return run('jest', '--bail', '--silent', ...ignored, '--', ...tests);
};

function isNoticed(file: string): boolean {
	if (!run('gulp')) return true;
	const [, folder] = file.split('/');
	return !passes([FIRST[folder] ?? 'test/engine']) || !passes([]);
}

try {
	cpSync(ROOT, copy, {
		recursive: true,
		filter: (path) => !LEFT_OUT.includes(path.split('/').at(-1) ?? ''),
	});
	symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
	const names = process.argv.slice(2);
	const bugs = UNSEEN_BUGS.filter(({ name }) => names.length === 0 || names.includes(name));
	let noticed = 0;
	for (const bug of bugs) {
		const path = join(copy, bug.file);
		const source = readFileSync(path, 'utf8');
		writeFileSync(path, applyPatch(source, bug));
		const isOne = isNoticed(bug.file);
		writeFileSync(path, source);
		if (isOne) noticed++;
		console.log(`${isOne ? 'noticed    ' : 'NOT noticed'} ${bug.name}`);
	}
	console.log(`${noticed} of ${bugs.length} noticed`);
} finally {
	rmSync(copy, { recursive: true, force: true });
}
