/**
 * Child processes that never outlive this one.
 *
 * Every child leads its own process group, so that whatever it starts itself (n8n starts task runners, npm starts
 * shells) ends with it. Output goes straight to a file: a pipe that nobody reads, or that closes, makes n8n spin.
 */
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { ProcessError } from './errors.mjs';

/**
 * How a process ended, or why it couldn't start.
 *
 * @typedef {{ code?: number | null, signal?: NodeJS.Signals | null, error?: Error }} Ending
 */

/**
 * A process that was started here.
 *
 * @typedef {object} Process
 * @property {string} name
 * @property {string} logFile
 * @property {number | undefined} pid
 * @property {Ending} [ended] set once it has ended
 * @property {Promise<Ending>} whenEnded resolves, never rejects
 * @property {(lines?: number) => string} logs what it has written, or the last lines of that
 * @property {(options?: { graceMs?: number }) => Promise<Ending>} stop
 * @property {(signal?: NodeJS.Signals) => Promise<Ending>} kill
 */

/** @type {Set<Process>} */
const running = new Set();
let handlersInstalled = false;

/** The environment without the variables that `npm run` and `node --test` set for their children. */
export function cleanEnvironment(base = process.env) {
	return Object.fromEntries(
		Object.entries(base).filter(
			([name]) =>
				!/^npm_(package_|lifecycle_|config_local_prefix$|config_ignore_scripts$|command$)/i.test(
					name,
				) &&
				name !== 'NODE_TEST_CONTEXT' &&
				name !== 'INIT_CWD',
		),
	);
}

/**
 * Start a program whose output goes to `logFile`.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ name?: string, cwd?: string, env?: NodeJS.ProcessEnv, logFile: string }} options
 * @returns {Process}
 */
export function startProcess(command, args, { name = path.basename(command), cwd, env, logFile }) {
	installHandlers();
	mkdirSync(path.dirname(logFile), { recursive: true });
	const output = openSync(logFile, 'a');
	const child = spawn(command, args, {
		cwd,
		env: env ?? cleanEnvironment(),
		stdio: ['ignore', output, output],
		detached: true,
	});
	closeSync(output);
	if (child.pid) tellWatchdog(`+${child.pid}`);

	/** @type {Promise<Ending>} */
	const whenEnded = new Promise((resolve) => {
		/** @param {Ending} result */
		const finish = (result) => {
			handle.ended ??= result;
			running.delete(handle);
			if (child.pid) tellWatchdog(`-${child.pid}`);
			resolve(handle.ended);
		};
		child.once('error', (error) => finish({ error }));
		child.once('exit', (code, signal) => {
			// The group may outlive its leader.
			signalGroup(handle, 'SIGKILL');
			finish({ code, signal });
		});
	});
	/** @type {Process} */
	const handle = {
		name,
		logFile,
		pid: child.pid,
		ended: undefined,
		whenEnded,
		logs: (lines = Infinity) => lastLines(readLog(logFile), lines),
		stop: (options) => stopProcess(handle, options),
		kill: (signal = 'SIGKILL') => {
			signalGroup(handle, signal);
			return whenEnded;
		},
	};
	running.add(handle);
	return handle;
}

/**
 * Runs a program to its end. Throws with the last lines of its output if it fails.
 *
 * @param {Parameters<typeof startProcess>} start
 */
export async function runProcess(...start) {
	const handle = startProcess(...start);
	const { code, signal, error } = await handle.whenEnded;
	if (code === 0) return handle;
	const reason = error
		? error.message
		: signal
			? `was ended by ${signal}`
			: `ended with code ${code}`;
	throw new ProcessError(`${handle.name} ${reason}`, tellingLines(handle.logs()));
}

/**
 * Waits until a process's output matches. Throws if it ends first or takes too long.
 *
 * @param {Process} handle
 * @param {RegExp} pattern
 */
export async function waitForOutput(
	handle,
	pattern,
	{ timeoutMs = 300_000, intervalMs = 50 } = {},
) {
	const deadline = Date.now() + timeoutMs;
	for (;;) {
		// Checked before the output, so that the last lines of an ended process are still read.
		const ended = handle.ended;
		const match = handle.logs().match(pattern);
		if (match) return match;
		if (ended) {
			const reason = ended.error?.message ?? `code ${ended.code ?? ended.signal}`;
			throw unready(`ended before it was ready (${reason})`, handle);
		}
		if (Date.now() > deadline) {
			throw unready(`was not ready after ${Math.round(timeoutMs / 1000)} s`, handle);
		}
		await sleep(intervalMs);
	}
}

/**
 * Ends all running processes that were started here, in reverse order.
 *
 * @param {Parameters<Process['stop']>[0]} [options]
 */
export async function stopAll(options) {
	for (const handle of [...running].reverse()) await stopProcess(handle, options);
}

/**
 * Handles a request to end this process. All processes are stopped in any case.
 *
 * @param {object} [interruption]
 * @param {() => unknown} [interruption.before]
 * @param {() => unknown} [interruption.after]
 * @param {number} [interruption.exitCode] unless the usual one of the signal
 */
export function onInterrupt({ before = () => {}, after = () => {}, exitCode } = {}) {
	installHandlers();
	interruption = { before, after, exitCode };
}

/**
 * Ends this process when the npm that started it is gone. npm forwards SIGINT and SIGTERM, but
 * not SIGKILL.
 */
export function endWithNpm() {
	if (!process.env.npm_lifecycle_event) return;
	const npm = process.ppid;
	const look = () => {
		if (process.ppid !== npm) process.kill(process.pid, 'SIGTERM');
	};
	setInterval(look, LOOK_FOR_NPM_MS).unref();
}

const LOOK_FOR_NPM_MS = 500;

/** The signals that ask a process to end. */
const ENDING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Whether a process ended on request and not by a failure.
 *
 * @param {Ending} ending
 */
export function wasAskedToEnd({ code, signal }) {
	return code === 0 || ENDING_SIGNALS.includes(signal ?? '');
}

/** @type {Parameters<typeof onInterrupt>[0] & { before: Function, after: Function }} */
let interruption = { before() {}, after() {} };
let ending = 0;

/** Whether this process was asked to end. Later failures are a consequence. */
export function isEnding() {
	return ending !== 0;
}

/**
 * @param {Process} handle
 * @param {Parameters<Process['stop']>[0]} [options]
 */
async function stopProcess(handle, { graceMs = 10_000 } = {}) {
	if (handle.ended) return handle.ended;
	signalGroup(handle, 'SIGTERM');
	const result = await Promise.race([handle.whenEnded, sleep(graceMs, undefined, { ref: false })]);
	if (result) return result;
	signalGroup(handle, 'SIGKILL');
	return handle.whenEnded;
}

/** @type {import('node:child_process').ChildProcessByStdio<import('node:stream').Writable, null, null> | undefined} */
let watchdog;

/**
 * Sends the watchdog the group to end.
 *
 * @param {string} line
 */
function tellWatchdog(line) {
	if (!watchdog) {
		const file = fileURLToPath(new URL('watchdog.mjs', import.meta.url));
		watchdog = spawn(process.execPath, [file], {
			env: cleanEnvironment(),
			stdio: ['pipe', 'ignore', 'ignore'],
			detached: true,
		});
		watchdog.on('error', () => {});
		watchdog.stdin.on('error', () => {});
		// The watchdog must not keep this process alive.
		watchdog.unref();
		/** @type {import('node:net').Socket} */ (watchdog.stdin).unref();
	}
	watchdog.stdin.write(`${line}\n`);
}

/**
 * @param {Process} handle
 * @param {NodeJS.Signals} signal
 */
function signalGroup(handle, signal) {
	if (!handle.pid) return;
	try {
		process.kill(-handle.pid, signal);
	} catch (error) {
		// ESRCH: the group is gone. EPERM: macOS reports this for a group of zombies.
		if (error.code !== 'ESRCH' && error.code !== 'EPERM') throw error;
	}
}

function installHandlers() {
	if (handlersInstalled) return;
	handlersInstalled = true;

	const endWith = async (signalCode) => {
		const { before, after, exitCode = signalCode } = interruption;
		// A second Ctrl-C doesn't wait. The first may arrive twice: from the terminal and from npm.
		if (ending) {
			if (Date.now() - ending > 1_000) process.exit(signalCode);
			return;
		}
		ending = Date.now();
		try {
			await before();
			await stopAll();
			await after();
		} finally {
			process.exit(exitCode);
		}
	};
	process.on('SIGINT', () => void endWith(130));
	process.on('SIGTERM', () => void endWith(143));
	process.on('SIGHUP', () => void endWith(129));
	// The last resort, even after an uncaught exception. This event allows no waiting.
	process.on('exit', () => {
		for (const handle of running) signalGroup(handle, 'SIGKILL');
	});
}

/** @param {string} file */
function readLog(file) {
	try {
		return readFileSync(file, 'utf8');
	} catch {
		return '';
	}
}

/**
 * @param {string} text
 * @param {number} count
 */
function lastLines(text, count) {
	if (count === Infinity) return text;
	return text.trimEnd().split('\n').slice(-count).join('\n');
}

/**
 * npm prints the error first, other programs last.
 *
 * @param {string} text
 */
function tellingLines(text) {
	const ofNpm = text.split('\n').filter((line) => /^npm (error|ERR!) \S/.test(line));
	return ofNpm.length > 0 ? ofNpm.slice(0, 20).join('\n') : lastLines(text, 25);
}

/**
 * @param {string} reason
 * @param {Process} handle
 */
function unready(reason, handle) {
	return new ProcessError(`${handle.name} ${reason}`, handle.logs(25));
}
