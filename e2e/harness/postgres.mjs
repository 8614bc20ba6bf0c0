/** Starts PostgreSQL on a free loopback port, with its data in a temporary folder. */
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';
import { findPort } from './ports.mjs';
import { runProcess, startProcess, waitForOutput } from './processes.mjs';
import { findProgram } from './servers.mjs';

const USER = 'n8n';
const DATABASE = 'postgres';
const READY = /database system is ready to accept connections/;

/**
 * @param {{ logsFolder: string, port?: number }} options
 * @returns {Promise<Postgres>}
 */
export async function startPostgres({ logsFolder, port }) {
	const account = accountOfServer();
	const folder = mkdtempSync(path.join(os.tmpdir(), 'partner-payments-postgres-'));
	if (account) chownSync(folder, account.uid, account.gid);
	const postgres = new Postgres({ folder, logsFolder, account, port: port ?? (await findPort()) });
	try {
		await postgres.create();
		await postgres.start();
		return postgres;
	} catch (error) {
		await postgres.stop();
		throw error;
	}
}

class Postgres {
	#folder;
	#logsFolder;
	#account;
	/** @type {import('./processes.mjs').Process | undefined} */
	#server;
	#starts = 0;

	/** @param {{ folder: string, logsFolder: string, account?: { uid: number, gid: number }, port: number }} options */
	constructor({ folder, logsFolder, account, port }) {
		this.#folder = folder;
		this.#logsFolder = logsFolder;
		this.#account = account;
		this.port = port;
	}

	/** The environment variables for n8n. */
	get env() {
		return {
			DB_TYPE: 'postgresdb',
			DB_POSTGRESDB_HOST: '127.0.0.1',
			DB_POSTGRESDB_PORT: String(this.port),
			DB_POSTGRESDB_DATABASE: DATABASE,
			DB_POSTGRESDB_USER: USER,
			// Needs no password: it listens on loopback, and only while a test runs.
			DB_POSTGRESDB_PASSWORD: '',
		};
	}

	async create() {
		const [command, args] = this.#as('initdb', [
			...['--pgdata', this.#data, '--username', USER, '--auth', 'trust'],
			...['--encoding', 'UTF8', '--no-locale', '--no-sync'],
		]);
		await runProcess(command, args, {
			name: 'initdb',
			cwd: this.#folder,
			logFile: path.join(this.#logsFolder, 'initdb.log'),
		});
	}

	async start() {
		const [command, args] = this.#as('postgres', [
			...['-D', this.#data, '-p', String(this.port), '-k', this.#folder],
			...['-c', 'listen_addresses=127.0.0.1', '-c', 'max_connections=200'],
			// It must survive the end of its process, which a test may cause, but not of the machine.
			...['-c', 'fsync=off', '-c', 'synchronous_commit=off', '-c', 'full_page_writes=off'],
		]);
		this.#starts += 1;
		this.#server = startProcess(command, args, {
			name: 'PostgreSQL',
			cwd: this.#folder,
			logFile: path.join(this.#logsFolder, `postgres-${this.#starts}.log`),
		});
		await waitForOutput(this.#server, READY);
	}

	/** Ends it as a service restart does, which closes its connections. */
	async halt() {
		if (!this.#server?.pid || this.#server.ended) return;
		// Only the leader, which ends the others without waiting for clients.
		process.kill(this.#server.pid, 'SIGINT');
		await this.#server.whenEnded;
	}

	async restart() {
		await this.halt();
		await this.start();
	}

	/**
	 * Dumps the database into a file, if it runs.
	 *
	 * @param {string} file
	 */
	async dump(file) {
		if (!this.#server || this.#server.ended) return;
		await this.#ask('pg_dump', `--file=${file}`);
	}

	/** The size of n8n's data in bytes. */
	async size() {
		const query = `SELECT pg_database_size('${DATABASE}')`;
		const { logs } = await this.#ask('psql', '--tuples-only', `--command=${query}`);
		return Number(logs().trim().split('\n').at(-1));
	}

	/**
	 * Runs one of PostgreSQL's programs.
	 *
	 * @param {string} name
	 * @param {string[]} args
	 */
	async #ask(name, ...args) {
		const connection = ['--host=127.0.0.1', `--port=${this.port}`, `--username=${USER}`];
		return await runProcess(findServerProgram(name), [...connection, ...args, DATABASE], {
			name,
			logFile: path.join(this.#logsFolder, `${name}.log`),
		});
	}

	/** Stops it and removes its data. */
	async stop() {
		await this.halt();
		rmSync(this.#folder, { recursive: true, force: true });
	}

	get #data() {
		return path.join(this.#folder, 'data');
	}

	/**
	 * The command that runs one of its programs as an allowed user.
	 *
	 * @param {string} name
	 * @param {string[]} args
	 * @returns {[string, string[]]}
	 */
	#as(name, args) {
		const program = findServerProgram(name);
		if (!this.#account) return [program, args];
		const { uid, gid } = this.#account;
		return ['setpriv', [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', program, ...args]];
	}
}

/**
 * Debian has the server's programs outside PATH, in a folder per version.
 *
 * @param {string} name
 */
function findServerProgram(name) {
	const versions = '/usr/lib/postgresql';
	const folders = existsSync(versions)
		? readdirSync(versions)
				.sort((a, b) => Number(b) - Number(a))
				.map((version) => path.join(versions, version, 'bin'))
		: [];
	return findProgram(name, { folders, debianPackage: 'postgresql', brewPackage: 'postgresql' });
}

/** PostgreSQL doesn't run as root. Its package has a user for it. */
function accountOfServer() {
	if (process.getuid?.() !== 0) return undefined;
	findServerProgram('postgres');
	const idOf = (option) =>
		Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }).trim());
	return { uid: idOf('-u'), gid: idOf('-g') };
}
