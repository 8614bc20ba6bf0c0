/**
 * Installs n8n into a cache outside the checkout, keyed by the manifest and the lock file next to it.
 */
import { createHash } from 'node:crypto';
import {
	accessSync,
	constants,
	cpSync,
	existsSync,
	mkdirSync,
	readFileSync,
	renameSync,
	rmSync,
	statfsSync,
	writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ExpectedError } from './errors.mjs';
import { npmCommand } from './npm.mjs';
import { cleanEnvironment, runProcess } from './processes.mjs';
import { chosenVersion, manifestDirOf } from './versions.mjs';

/**
 * The paths of n8n, of the Node.js that runs it and of its command line program.
 *
 * @typedef {{ dir: string, version: string, node: string, bin: string }} Installation
 */

const NEEDED_BYTES = 4 * 1024 ** 3;
const CI_OPTIONS = [
	'--ignore-scripts',
	'--legacy-peer-deps',
	// The installed Node.js runs it, not the one that runs npm.
	'--engine-strict=false',
	// One of two thousand downloads may need a retry.
	'--fetch-retries=5',
	'--no-audit',
	'--no-fund',
];
const MANIFEST_FILES = ['package.json', 'package-lock.json', '.npmrc'];

/**
 * Installs n8n unless it is installed, and returns its paths.
 *
 * @param {{ version?: string, log?: (line: string) => void }} [options] `version` is one of versions.mjs; by default
 *   the one that the environment chooses.
 * @returns {Promise<Installation>}
 */
export async function ensureN8n({ version = chosenVersion(), log = console.log } = {}) {
	const manifestDir = manifestDirOf(version);
	const target = installationDir(manifestDir);
	if (!existsSync(target)) await install(manifestDir, target, log);
	return describeInstallation(target);
}

/**
 * The folder of the installation for a manifest.
 *
 * @param {string} manifestDir
 */
function installationDir(manifestDir) {
	const hash = createHash('sha256');
	for (const file of ['package-lock.json', 'package.json']) {
		// The content counts, not the indentation.
		hash.update(JSON.stringify(readJson(path.join(manifestDir, file))));
	}
	return path.join(cacheDir(), `n8n-${hash.digest('hex').slice(0, 16)}`);
}

function cacheDir() {
	const base =
		process.env.PARTNER_PAYMENTS_CACHE ||
		process.env.XDG_CACHE_HOME ||
		path.join(os.homedir(), '.cache');
	return path.resolve(base, 'n8n-nodes-partner-payments');
}

/**
 * @param {string} dir
 * @returns {Installation}
 */
function describeInstallation(dir) {
	const manifest = readJson(path.join(dir, 'node_modules/n8n/package.json'));
	return {
		dir,
		version: manifest.version,
		node: findNode(dir),
		bin: path.join(dir, 'node_modules/n8n', manifest.bin?.n8n ?? 'bin/n8n'),
	};
}

/**
 * n8n needs a newer Node.js than the machine may have, so one comes with the installation.
 *
 * @param {string} dir
 */
function findNode(dir) {
	const platform = `${process.platform}-${process.arch}`;
	for (const name of [`node-${platform}`, `node-bin-${platform}`]) {
		const file = path.join(dir, 'node_modules', name, 'bin/node');
		try {
			accessSync(file, constants.X_OK);
			return file;
		} catch {
			// Try the next one.
		}
	}
	if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath;
	throw new Error(
		`n8n needs Node.js 24 and no build of it for ${platform} is among the packages. Run this with Node.js 24.`,
	);
}

/**
 * @param {string} manifestDir
 * @param {string} target
 * @param {(line: string) => void} log
 */
async function install(manifestDir, target, log) {
	mkdirSync(path.dirname(target), { recursive: true });
	const release = await lock(`${target}.lock`, target, log);
	if (!release) return;

	const temporary = `${target}.incomplete`;
	try {
		// Another process may have finished while this one waited for the lock.
		if (existsSync(target)) return;
		rmSync(temporary, { recursive: true, force: true });
		checkSpace(path.dirname(target));
		mkdirSync(temporary);
		for (const file of MANIFEST_FILES) {
			const source = path.join(manifestDir, file);
			if (existsSync(source)) cpSync(source, path.join(temporary, file));
		}
		const wanted = readJson(path.join(temporary, 'package.json'));
		log(`Installing n8n ${wanted.dependencies.n8n}: about 2 GB, three to ten minutes, once.`);
		log(`It is kept in ${target}; the next start takes less than a minute.`);

		const started = Date.now();
		await step(log, 'Downloading and unpacking packages', () =>
			npm(temporary, 'ci', ...CI_OPTIONS),
		);
		await step(log, 'Building the SQLite driver', () =>
			npm(temporary, 'rebuild', 'sqlite3', '--ignore-scripts=false', '--foreground-scripts'),
		);
		await checkDriver(temporary);
		rmSync(path.join(temporary, 'logs'), { recursive: true, force: true });
		renameSync(temporary, target);
		log(`n8n is installed (${seconds(started)}).`);
	} catch (error) {
		throw explain(error, temporary);
	} finally {
		release();
	}
}

/**
 * @param {string} cwd
 * @param {string[]} args
 */
function npm(cwd, ...args) {
	const { command, prefix } = npmCommand();
	return runProcess(command, [...prefix, ...args], {
		name: `npm ${args[0]}`,
		cwd,
		env: cleanEnvironment(),
		logFile: path.join(cwd, 'logs', `npm-${args[0]}.log`),
	});
}

/**
 * The machine's Node.js compiles the driver and n8n's loads it. Checks that this works.
 *
 * @param {string} dir
 */
function checkDriver(dir) {
	return runProcess(findNode(dir), ['-e', 'new (require("sqlite3").Database)(":memory:")'], {
		name: 'Loading the SQLite driver',
		cwd: dir,
		logFile: path.join(dir, 'logs/sqlite3.log'),
	});
}

/**
 * @param {(line: string) => void} log
 * @param {string} title
 * @param {() => Promise<unknown>} work
 */
async function step(log, title, work) {
	const started = Date.now();
	log(`  ${title} ...`);
	const timer = setInterval(() => log(`  ... still at it (${seconds(started)})`), 30_000);
	try {
		await work();
	} finally {
		clearInterval(timer);
	}
	log(`  ${title}: done (${seconds(started)})`);
}

/** @param {string} dir */
function checkSpace(dir) {
	const { bavail, bsize } = statfsSync(dir);
	const free = bavail * bsize;
	if (free >= NEEDED_BYTES) return;
	const gigabytes = (bytes) => (bytes / 1024 ** 3).toFixed(1);
	throw new Error(
		`Installing n8n takes ${gigabytes(NEEDED_BYTES)} GB while it runs, and ${dir} has ${gigabytes(free)} GB free. ` +
			'Free some space, or set PARTNER_PAYMENTS_CACHE to a folder on another disk.',
	);
}

function explain(error, dir) {
	if (!error.output) return error;
	const hint = error.message.startsWith('npm rebuild')
		? 'The SQLite driver is compiled where no ready-made one can be fetched. That takes python3, make and g++ ' +
			'(Debian and Ubuntu: apt-get install python3 make g++; macOS: xcode-select --install).'
		: 'Check that the npm registry can be reached (npm ping) and start again: nothing half installed is used.';
	return new ExpectedError(
		`${error.message}. What it wrote:\n\n${error.output}\n\n${hint}\nAll of its output: ${path.join(dir, 'logs')}`,
	);
}

/**
 * Lets one process install while the others wait.
 *
 * @param {string} file
 * @param {string} target
 * @param {(line: string) => void} log
 * @returns {Promise<(() => void) | undefined>} how to release the lock, or nothing when `target` has appeared
 */
async function lock(file, target, log) {
	let announced = false;
	for (;;) {
		try {
			writeFileSync(file, String(process.pid), { flag: 'wx' });
			return () => rmSync(file, { force: true });
		} catch (error) {
			if (error.code !== 'EEXIST') throw error;
		}
		const owner = Number(readIfThere(file));
		if (owner && !isAlive(owner)) {
			// A killed process left it behind.
			rmSync(file, { force: true });
			continue;
		}
		if (!announced) log(`n8n is being installed by process ${owner}: waiting for it.`);
		announced = true;
		await sleep(500);
		if (existsSync(target)) return undefined;
	}
}

/**
 * @param {string} file
 * @returns {any}
 */
function readJson(file) {
	return JSON.parse(readFileSync(file, 'utf8'));
}

/** @param {string} file */
function readIfThere(file) {
	try {
		return readFileSync(file, 'utf8');
	} catch {
		return '';
	}
}

/** @param {number} pid */
function isAlive(pid) {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return error.code === 'EPERM';
	}
}

/** @param {number} since */
function seconds(since) {
	const total = Math.round((Date.now() - since) / 1000);
	return total < 90 ? `${total} s` : `${Math.floor(total / 60)} min ${total % 60} s`;
}
