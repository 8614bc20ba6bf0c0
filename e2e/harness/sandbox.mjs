/** Starts the sandbox in its own process. */
import path from 'node:path';
import { ROOT_DIR } from './paths.mjs';
import { startProcess, waitForOutput } from './processes.mjs';

/**
 * @param {object} options
 * @param {string} options.logFile
 * @param {number} [options.port] any free one unless given
 * @param {string[]} [options.args] further options of `npm run sandbox`
 * @returns {Promise<Sandbox>}
 */
export async function startSandbox({ logFile, port = 0, args = [] }) {
	const tsx = path.join(ROOT_DIR, 'node_modules/tsx/dist/cli.mjs');
	const main = path.join(ROOT_DIR, 'sandbox/main.ts');
	const child = startProcess(
		process.execPath,
		[tsx, main, '--json', '--port', String(port), ...args],
		{ name: 'The sandbox', cwd: ROOT_DIR, logFile },
	);
	try {
		const [line] = await waitForOutput(child, /^\{.*"baseUrl".*\}$/m);
		return new Sandbox(child, JSON.parse(line));
	} catch (error) {
		await child.stop();
		throw error;
	}
}

/** A running sandbox and its admin API (sandbox/README.md). */
export class Sandbox {
	#child;

	/**
	 * @param {import('./processes.mjs').Process} child
	 * @param {{ baseUrl: string, adminUrl: string, consoleUrl: string, email: string, password: string }} the line that it prints when it is ready
	 */
	constructor(child, { baseUrl, adminUrl, consoleUrl, email, password }) {
		this.#child = child;
		this.baseUrl = baseUrl;
		this.adminUrl = adminUrl;
		/** The console, if it has one. */
		this.consoleUrl = consoleUrl;
		this.email = email;
		this.password = password;
	}

	get whenEnded() {
		return this.#child.whenEnded;
	}

	get pid() {
		return this.#child.pid;
	}

	/** The data of an n8n credential for its example user. */
	credential(changes = {}) {
		const { baseUrl, email, password } = this;
		return {
			name: 'Partner Payments (sandbox)',
			type: 'partnerPaymentsApi',
			data: {
				baseUrl,
				environment: 'sandbox',
				email,
				password,
				loginVersion: 'v2',
				allowInsecureHttp: false,
				...changes,
			},
		};
	}

	/**
	 * @param {string} method
	 * @param {string} route
	 * @param {unknown} [body]
	 * @returns {Promise<any>} the response of the admin API
	 */
	async admin(method, route, body) {
		const response = await fetch(`${this.adminUrl}${route}`, {
			method,
			headers: body === undefined ? {} : { 'content-type': 'application/json' },
			body: body === undefined ? undefined : JSON.stringify(body),
		});
		const text = await response.text();
		if (!response.ok) {
			throw new Error(`The sandbox: ${method} ${route} answered ${response.status}: ${text}`);
		}
		return text ? JSON.parse(text) : undefined;
	}

	counters() {
		return this.admin('GET', '/counters');
	}

	reset() {
		return this.admin('POST', '/reset', {});
	}

	/**
	 * The requests that the service received.
	 *
	 * @param {Record<string, string>} [filter]
	 */
	requests(filter = {}) {
		return this.admin('GET', `/requests?${new URLSearchParams(filter)}`);
	}

	/** @param {Record<string, string>} [filter] */
	transactions(filter = {}) {
		return this.admin('GET', `/transactions?${new URLSearchParams(filter)}`);
	}

	/** @param {object} settings */
	change(settings) {
		return this.admin('PATCH', '/settings', settings);
	}

	/** @param {object} rule */
	addFault(rule) {
		return this.admin('POST', '/faults', rule);
	}

	clearFaults() {
		return this.admin('DELETE', '/faults');
	}

	/**
	 * Sets the lifecycle of new transactions.
	 *
	 * @param {object} rule
	 */
	addLifecycle(rule) {
		return this.admin('POST', '/lifecycles', rule);
	}

	/**
	 * Advances the clock at once.
	 *
	 * @param {number} ms
	 */
	advance(ms) {
		return this.admin('POST', '/time/advance', { ms });
	}

	/** @param {number} [lines] */
	logs(lines) {
		return this.#child.logs(lines);
	}

	stop() {
		return this.#child.stop();
	}
}
