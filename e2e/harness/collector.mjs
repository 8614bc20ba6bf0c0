/** A server that records what workflows send, so that tests can count it. */
import http from 'node:http';
import { listen } from './ports.mjs';

/**
 * @param {object} [options]
 * @param {(body: any) => string} [options.keyOf] what a body is counted by
 */
export async function startCollector({ keyOf = eventKey } = {}) {
	const collector = new Collector(keyOf);
	await collector.listen();
	return collector;
}

/**
 * An event is one transaction in one status.
 *
 * @param {{ status: string, details?: { transactionId: string }, transactionId?: string }} event
 */
export function eventKey({ status, details, transactionId = details?.transactionId }) {
	return `${transactionId} ${status}`;
}

const taken = () => 200;

export class Collector {
	#server;
	#keyOf;
	#waiting = new Set();

	/** The address that workflows send to. */
	url = '';

	/** @param {(body: any) => string} keyOf */
	constructor(keyOf) {
		this.#keyOf = keyOf;
		/**
		 * The response status for a body, or a promise of it. Only bodies answered with 200 count as received.
		 *
		 * @type {(body: any) => number | Promise<number>}
		 */
		this.answer = taken;
		/**
		 * The bodies in the order of arrival.
		 *
		 * @type {any[]}
		 */
		this.received = [];
		/**
		 * The number of times that each key was received.
		 *
		 * @type {Map<string, number>}
		 */
		this.counts = new Map();
		this.#server = http.createServer((request, response) => {
			let text = '';
			request.setEncoding('utf8');
			request.on('data', (part) => (text += part));
			request.on('end', () => {
				void this.#receive(JSON.parse(text), response);
			});
		});
	}

	async listen() {
		this.url = `http://127.0.0.1:${await listen(this.#server)}/`;
		// Must not keep a test file alive that fails early.
		this.#server.unref();
	}

	close() {
		this.#server.closeAllConnections();
		return new Promise((resolve) => this.#server.close(resolve));
	}

	/** Clears the records and accepts everything again. */
	clear() {
		this.answer = taken;
		this.received = [];
		this.counts.clear();
	}

	/** The keys that were received more than once. */
	get repeated() {
		return [...this.counts].filter(([, count]) => count > 1).map(([key]) => key);
	}

	/**
	 * Resolves when that many different keys were received.
	 *
	 * @param {number} count
	 * @param {{ timeoutMs?: number }} [options]
	 */
	async distinct(count, { timeoutMs = 300_000 } = {}) {
		if (this.counts.size >= count) return;
		/** @type {Promise<void>} */
		const come = new Promise((resolve, reject) => {
			const timer = setTimeout(() => {
				this.#waiting.delete(wait);
				reject(new Error(`${this.counts.size} of ${count} came within ${timeoutMs} ms`));
			}, timeoutMs);
			const wait = {
				count,
				resolve() {
					clearTimeout(timer);
					resolve();
				},
			};
			this.#waiting.add(wait);
		});
		await come;
	}

	async #receive(body, response) {
		const status = await this.answer(body);
		if (status === 200) this.#take(body);
		response.writeHead(status, { 'content-type': 'application/json' });
		response.end('{}');
	}

	#take(body) {
		const key = this.#keyOf(body);
		this.received.push(body);
		this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
		for (const wait of this.#waiting) {
			if (this.counts.size < wait.count) continue;
			this.#waiting.delete(wait);
			wait.resolve();
		}
	}
}
