/**
 * Installs the package as users get it: the packed tarball, unpacked where n8n installs community
 * packages. This finds files that are missing in the tarball.
 */
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	readdirSync,
	rmSync,
	statSync,
	writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { npmCommand } from './npm.mjs';
import { ROOT_DIR } from './paths.mjs';
import { runProcess } from './processes.mjs';

/**
 * The package as `npm publish` would pack it.
 *
 * @typedef {{ name: string, version: string, tarball: string, dir: string }} Packed
 */

/** The sources of `dist`. */
const SOURCES = [
	'nodes',
	'credentials',
	'icons',
	'build',
	'tsconfig.json',
	'package.json',
	'package-lock.json',
];

/** Installs the project's dependencies, unless those of its lock file are installed. */
export async function ensureRootInstall({ log = console.log } = {}) {
	if (!isInstallStale()) return;
	log('Installing what the project needs to build (npm ci), about a minute ...');
	await npm('ci', '--include=dev', '--no-audit', '--no-fund');
}

/** Builds the package, unless the build is newer than its sources. */
export async function ensureBuild({ log = console.log } = {}) {
	if (!isBuildStale()) return;
	log('Building the package ...');
	await npm('run', 'build');
}

/**
 * Pack the package as `npm publish` would.
 *
 * @returns {Promise<Packed>} `dir` is temporary: remove it
 */
export async function packPackage() {
	const dir = mkdtempSync(path.join(os.tmpdir(), 'partner-payments-pack-'));
	await npm('pack', '--ignore-scripts', '--pack-destination', dir);
	const [file] = readdirSync(dir).filter((name) => name.endsWith('.tgz'));
	const { name, version } = rootManifest();
	return { name, version, tarball: path.join(dir, file), dir };
}

/**
 * Installs the package in a user folder of n8n.
 *
 * @param {string} userFolder
 * @param {Packed} [packed] packed for this call alone unless given
 */
export async function installPackage(userFolder, packed) {
	if (packed) return await unpackInto(userFolder, packed);
	const own = await packPackage();
	try {
		await unpackInto(userFolder, own);
	} finally {
		rmSync(own.dir, { recursive: true, force: true });
	}
}

/**
 * @param {string} userFolder
 * @param {Packed} packed
 */
async function unpackInto(userFolder, { name, version, tarball }) {
	const nodes = path.join(userFolder, '.n8n/nodes');
	const target = path.join(nodes, 'node_modules', name);
	rmSync(target, { recursive: true, force: true });
	mkdirSync(target, { recursive: true });
	writeFileSync(
		path.join(nodes, 'package.json'),
		JSON.stringify({ name: 'installed-nodes', private: true, dependencies: { [name]: version } }),
	);
	await runProcess('tar', ['-xzf', tarball, '--strip-components=1', '-C', target], {
		name: 'Unpacking the package',
		logFile: path.join(userFolder, 'unpack.log'),
	});
	checkContents(target);
}

/** n8n doesn't report a missing file of the manifest: the node is silently absent. */
function checkContents(dir) {
	const { main, n8n } = JSON.parse(readFileSync(path.join(dir, 'package.json'), 'utf8'));
	const missing = [main, ...n8n.nodes, ...n8n.credentials].filter(
		(file) => !existsSync(path.join(dir, file)),
	);
	if (missing.length) throw new Error(`The packed package lacks ${missing.join(', ')}`);
}

/** @param {string[]} args */
function npm(...args) {
	const { command, prefix } = npmCommand();
	const logs = mkdtempSync(path.join(os.tmpdir(), 'partner-payments-npm-'));
	return runProcess(command, [...prefix, ...args], {
		name: `npm ${args[0] === 'run' ? `run ${args[1]}` : args[0]}`,
		cwd: ROOT_DIR,
		logFile: path.join(logs, 'npm.log'),
	}).finally(() => rmSync(logs, { recursive: true, force: true }));
}

function rootManifest() {
	return JSON.parse(readFileSync(path.join(ROOT_DIR, 'package.json'), 'utf8'));
}

/** Compares npm's record in node_modules with the lock file. */
function isInstallStale() {
	const noted = path.join(ROOT_DIR, 'node_modules/.package-lock.json');
	if (!existsSync(noted)) return true;
	const installed = packagesOf(noted);
	return Object.entries(packagesOf(path.join(ROOT_DIR, 'package-lock.json'))).some(
		([name, { version, optional }]) =>
			name !== '' && installed[name]?.version !== version && !(optional && !installed[name]),
	);
}

function packagesOf(lockFile) {
	return JSON.parse(readFileSync(lockFile, 'utf8')).packages;
}

function isBuildStale() {
	const built = modificationTimes(path.join(ROOT_DIR, 'dist'));
	if (built.length === 0) return true;
	const oldest = Math.min(...built);
	const newest = Math.max(
		...SOURCES.flatMap((source) => modificationTimes(path.join(ROOT_DIR, source))),
	);
	return oldest <= newest;
}

function modificationTimes(target) {
	if (!existsSync(target)) return [];
	const stats = statSync(target);
	if (!stats.isDirectory()) return [stats.mtimeMs];
	return readdirSync(target).flatMap((name) => modificationTimes(path.join(target, name)));
}
