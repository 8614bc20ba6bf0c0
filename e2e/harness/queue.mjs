/**
 * n8n in queue mode as it is run in production: PostgreSQL and Redis, one main process, workers, and processors that
 * take the webhooks. Main runs no execution and answers no production webhook.
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
 * An n8n process of the stage; what it runs is replaced when it is started again.
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
		/** Whose files workflows may read and write. */
		this.filesFolder = filesFolder;
	}

	/** The process to talk to: editor and REST interface. */
	get main() {
		return this.#running('start')[0];
	}

	/** The same, as the other stage calls it. */
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
			// With the two connections that n8n takes by itself, fifty deliveries at once wait for each other.
			DB_POSTGRESDB_POOL_SIZE: '20',
			...env,
		};
		// Main brings the database up to date; the others expect it so.
		await this.#start(main);
		await allOrNothing(others.map((member) => this.#start(member)));
	}

	/**
	 * Start every n8n process that has ended again, as what supervises a service does.
	 *
	 * @returns {Promise<string[]>} which ones
	 */
	async revive() {
		const ended = this.#members.filter(({ n8n }) => n8n?.hasEnded);
		await allOrNothing(ended.map((member) => this.#start(member)));
		return ended.map(({ name }) => name);
	}

	/** End everything, and remove the database, of which a dump stays. */
	async stop() {
		const [main, ...others] = this.#members;
		await Promise.all(others.map(async ({ n8n }) => await n8n?.stop()));
		await main?.n8n?.stop();
		await this.sandbox?.stop();
		await this.redis?.stop();
		// The search for secrets looks through it.
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
	 * Each n8n process has a user folder of its own, as on machines of their own.
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
 * Where n8n says that its webhooks are: n8n 2 and n8n 1 read it in different variables.
 *
 * @param {string} url
 */
export const publicAddress = (url) => ({ N8N_WEBHOOK_URL: url, WEBHOOK_URL: url });

/**
 * Wait for all, also when one fails, so that nothing starts behind the back of whoever cleans up.
 *
 * @template {readonly unknown[] | []} T
 * @param {T} starting
 */
async function allOrNothing(starting) {
	await Promise.allSettled(starting);
	return await Promise.all(starting);
}
