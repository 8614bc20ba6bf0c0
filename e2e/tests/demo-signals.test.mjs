/** The demo ends completely: no process is left, whichever of its processes is asked to end. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { claimFolder } from '../harness/folders.mjs';
import { E2E_DIR, ROOT_DIR } from '../harness/paths.mjs';
import { cleanEnvironment } from '../harness/processes.mjs';
import { until } from './trigger-support.mjs';

const READY = /Ctrl-C stops everything\.\s*$/m;

describe('the demo stops with everything it started after', () => {
	const folder = claimFolder(path.join(E2E_DIR, 'results'), 'demo-signals');
	const left = [];
	after(() => {
		for (const { pid } of running(left)) process.kill(pid, 'SIGKILL');
	});

	const cases = [
		{ signal: 'SIGINT', to: 'npm alone', find: ({ npm }) => npm, clean: true },
		{ signal: 'SIGTERM', to: 'n8n', find: ({ named }) => named('n8n start'), clean: true },
		// These take minutes and add little, so they run only with `DEMO_SIGNALS=all`.
		...(process.env.DEMO_SIGNALS === 'all'
			? [
					// It can't forward the signal.
					{ signal: 'SIGKILL', to: 'npm alone', find: ({ npm }) => npm, clean: false },
					{
						signal: 'SIGTERM',
						to: 'the sandbox',
						find: ({ named }) => named('main.ts'),
						clean: true,
					},
				]
			: []),
	];
	for (const [index, { signal, to, find, clean }] of cases.entries()) {
		it(`stops after ${signal} to ${to}`, { timeout: 900_000 }, async () => {
			const log = path.join(folder, `demo-${index}.log`);
			const output = openSync(log, 'a');
			// The harness would end leftover processes and so hide them.
			const npm = spawn('npm', ['run', 'demo'], {
				cwd: ROOT_DIR,
				env: cleanEnvironment(),
				stdio: ['ignore', output, output],
				detached: true,
			});
			const ended = once(npm, 'exit');
			await until(() => READY.test(readFileSync(log, 'utf8')), 'the demo is ready', {
				timeoutMs: 600_000,
			});
			const started = descendants(npm.pid);
			left.push(...started);
			// npm, the demo, its watchdog, n8n and the sandbox.
			assert.ok(started.length >= 5, JSON.stringify(started));
			const named = (text) => started.findLast(({ command }) => command.includes(text))?.pid;

			process.kill(find({ npm: npm.pid, named }), signal);
			const [code] = await ended;

			if (clean) assert.equal(code, 0);
			await until(() => running(started).length === 0, 'every process of the demo has ended');
		});
	}
});

/** All processes, from `ps` on Linux and macOS. */
function processes() {
	const list = execFileSync('ps', ['-axo', 'pid=,ppid=,command='], { encoding: 'utf8' });
	return [...list.matchAll(/^\s*(\d+)\s+(\d+)\s+(.*)$/gm)].map(([, pid, parent, command]) => ({
		pid: Number(pid),
		parent: Number(parent),
		command,
	}));
}

/** A process with all its descendants. */
function descendants(root) {
	const all = processes();
	const found = all.filter(({ pid }) => pid === root);
	for (const { pid } of found) found.push(...all.filter(({ parent }) => parent === pid));
	return found;
}

/** The processes that are still running. */
function running(wanted) {
	const now = processes();
	return wanted.filter(({ pid, command }) =>
		now.some((one) => one.pid === pid && one.command === command),
	);
}
