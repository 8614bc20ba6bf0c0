/**
 * n8n in queue mode as in production: PostgreSQL and Redis, one main process, workers, and webhook
 * processors. Main runs no execution and answers no production webhook.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { startN8n } from './n8n.mjs';
import { installPackage, packPackage } from './package.mjs';
import { findPort } from './ports.mjs';
import { startPostgres } from './postgres.mjs';
import { startRedis } from './redis.mjs';
import { startSandbox } from './sandbox.mjs';

/**
 * @param {object} options
 * @param {import('./install.mjs').Installation} options.installation
 * @param {string} options.folder an empty folder for all data and logs, but for that of the database
 * @param {import('./package.mjs').Packed} [options.packed]
 * @param {number} [options.workers]
 * @param {number} [options.webhookProcessors] events arrive at the first one
 * @param {string[]} [options.sandboxArgs]
 * @param {Record<string, string>} [options.env] for every n8n process
 * @returns {Promise<QueueStage>}
 */
export async function startQueueStage({
	installation,
	folder,
	packed,
	workers = 2,
	webhookProcessors = 1,
	sandboxArgs,
	env = {},
}) {
	const logsFolder = path.join(folder, 'logs');
	const filesFolder = path.join(folder, 'files');
	for (const needed of [logsFolder, filesFolder]) mkdirSync(needed, { recursive: true });

	const stage = new QueueStage({ installation, folder, logsFolder, filesFolder });
	try {
		[stage.postgres, stage.redis, stage.sandbox] = await allOrNothing([
			startPostgres({ logsFolder }),
			startRedis({ logsFolder }),
			startSandbox({ logFile: path.join(logsFolder, 'sandbox.log'), args: sandboxArgs }),
		]);
		await stage.startMembers({ packed, workers, webhookProcessors, env });
		stage.credential = await stage.main.createCredential(stage.sandbox.credential());
		return stage;
	} catch (error) {
		await stage.stop();
		throw error;
	}
}

/**
 * An n8n process of the stage, which a restart replaces.
 *
 * @typedef {object} Member
 * @property {'start' | 'worker' | 'webhook'} command
 * @property {string} name
 * @property {string} userFolder
 * @property {number} port
 * @property {number} starts
 * @property {import('./n8n.mjs').N8n} [n8n]
 */

export class QueueStage {
	/** @type {Awaited<ReturnType<typeof startPostgres>>} */
	postgres;

	/** @type {Awaited<ReturnType<typeof startRedis>>} */
	redis;

	/** @type {import('./sandbox.mjs').Sandbox} */
	sandbox;

	/** @type {import('./n8n.mjs').Credential} */
	credential;

	/** @type {Member[]} */
	#members = [];

	/**
	 * Of every n8n process.
	 *
	 * @type {Record<string, string>}
	 */
	#env = {};

	/** @param {{ installation: import('./install.mjs').Installation, folder: string, logsFolder: string, filesFolder: string }} options */
	constructor({ installation, folder, logsFolder, filesFolder }) {
		this.installation = installation;
		/** For all data and logs. */
		this.folder = folder;
		this.logsFolder = logsFolder;
		/** The folder that workflows may read and write. */
		this.filesFolder = filesFolder;
	}

	/** The main process, with editor and REST interface. */
	get main() {
		return this.#running('start')[0];
	}

	/** The main process, under the name of the other stage. */
	get n8n() {
		return this.main;
	}

	get workers() {
		return this.#running('worker');
	}

	get webhooks() {
		return this.#running('webhook');
	}

	/** @param {{ packed?: import('./package.mjs').Packed, workers: number, webhookProcessors: number, env: Record<string, string> }} options */
	async startMembers({ packed, workers, webhookProcessors, env }) {
		const own = packed ?? (await packPackage());
		try {
			await this.#addMember('start', 'main', own);
			for (let number = 1; number <= workers; number++) {
				await this.#addMember('worker', `worker-${number}`, own);
			}
			for (let number = 1; number <= webhookProcessors; number++) {
				await this.#addMember('webhook', `webhook-${number}`, own);
			}
		} finally {
			if (!packed) rmSync(own.dir, { recursive: true, force: true });
		}
		const [main, ...others] = this.#members;
		const entry = this.#members.find(({ command }) => command === 'webhook') ?? main;
		this.#env = {
			EXECUTIONS_MODE: 'queue',
			...this.postgres.env,
			...this.redis.env,
			N8N_ENCRYPTION_KEY: randomBytes(24).toString('base64'),
			...publicAddress(`http://127.0.0.1:${entry.port}/`),
			N8N_DISABLE_PRODUCTION_MAIN_PROCESS: String(entry !== main),
			OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
			// With n8n's default of two connections, fifty simultaneous deliveries wait for each other.
			DB_POSTGRESDB_POOL_SIZE: '20',
			...env,
		};
		// Main migrates the database before the others start.
		await this.#start(main);
		await allOrNothing(others.map((member) => this.#start(member)));
	}

	/**
	 * Restarts every n8n process that has ended, as a supervisor does.
	 *
	 * @returns {Promise<string[]>} which ones
	 */
	async revive() {
		const ended = this.#members.filter(({ n8n }) => n8n?.hasEnded);
		await allOrNothing(ended.map((member) => this.#start(member)));
		return ended.map(({ name }) => name);
	}

	/** Stops everything and removes the database, but keeps a dump. */
	async stop() {
		const [main, ...others] = this.#members;
		await Promise.all(others.map(async ({ n8n }) => await n8n?.stop()));
		await main?.n8n?.stop();
		await this.sandbox?.stop();
		await this.redis?.stop();
		// For the search for secrets.
		await this.postgres?.dump(path.join(this.folder, 'database.sql'));
		await this.postgres?.stop();
	}

	/** @param {Member['command']} command */
	#running(command) {
		return this.#members.flatMap((member) =>
			member.command === command && member.n8n ? [member.n8n] : [],
		);
	}

	/**
	 * Gives each n8n process its own user folder, as on separate machines.
	 *
	 * @param {Member['command']} command
	 * @param {string} name
	 * @param {import('./package.mjs').Packed} packed
	 */
	async #addMember(command, name, packed) {
		const userFolder = path.join(this.folder, name);
		mkdirSync(userFolder, { recursive: true });
		await installPackage(userFolder, packed);
		this.#members.push({ command, name, userFolder, port: await findPort(), starts: 0 });
	}

	/** @param {Member} member */
	async #start(member) {
		const { command, name, userFolder, port } = member;
		member.starts += 1;
		member.n8n = await startN8n({
			installation: this.installation,
			userFolder,
			port,
			command,
			filesFolders: [this.filesFolder],
			logFile: path.join(this.logsFolder, `${name}-${member.starts}.log`),
			env: this.#env,
		});
	}
}

/**
 * The webhook address: n8n 2 and n8n 1 read it from different variables.
 *
 * @param {string} url
 */
const publicAddress = (url) => ({ N8N_WEBHOOK_URL: url, WEBHOOK_URL: url });

/**
 * Waits for all even if one fails, so that nothing starts during the cleanup.
 *
 * @template {readonly unknown[] | []} T
 * @param {T} starting
 */
async function allOrNothing(starting) {
	await Promise.allSettled(starting);
	return await Promise.all(starting);
}
