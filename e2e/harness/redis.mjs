/** Starts Redis on a free loopback port, without persistence: its end loses the queue. */
import path from 'node:path';
import { findPort } from './ports.mjs';
import { startProcess, waitForOutput } from './processes.mjs';
import { findProgram } from './servers.mjs';

const READY = /Ready to accept connections/;

/**
 * @param {{ logsFolder: string, port?: number }} options
 * @returns {Promise<Redis>}
 */
export async function startRedis({ logsFolder, port }) {
	const redis = new Redis({ logsFolder, port: port ?? (await findPort()) });
	await redis.start();
	return redis;
}

class Redis {
	#logsFolder;
	/** @type {import('./processes.mjs').Process | undefined} */
	#server;
	#starts = 0;

	/** @param {{ logsFolder: string, port: number }} options */
	constructor({ logsFolder, port }) {
		this.#logsFolder = logsFolder;
		this.port = port;
	}

	/** The environment variables for n8n. */
	get env() {
		return { QUEUE_BULL_REDIS_HOST: '127.0.0.1', QUEUE_BULL_REDIS_PORT: String(this.port) };
	}

	async start() {
		const program = findProgram('redis-server', {
			debianPackage: 'redis-server',
			brewPackage: 'redis',
		});
		this.#starts += 1;
		this.#server = startProcess(
			program,
			[
				...['--bind', '127.0.0.1', '--port', String(this.port)],
				...['--save', '', '--appendonly', 'no', '--dir', this.#logsFolder],
			],
			{
				name: 'Redis',
				cwd: this.#logsFolder,
				logFile: path.join(this.#logsFolder, `redis-${this.#starts}.log`),
			},
		);
		await waitForOutput(this.#server, READY);
	}

	async stop() {
		await this.#server?.stop();
	}
}
