/** A proxy to a server that can be cut, as if the server or the network were down. */
import net from 'node:net';
import { listen } from './ports.mjs';

/**
 * @param {string} target address of the server
 * @returns {Promise<Cut>}
 */
export async function startCut(target) {
	const cut = new Cut(new URL(target));
	await cut.join();
	return cut;
}

class Cut {
	#target;
	/** @type {net.Server} */
	#server;
	#port = 0;
	#sockets = new Set();

	/** @param {URL} target */
	constructor(target) {
		this.#target = target;
	}

	/** The proxy's address. */
	get url() {
		const url = new URL(this.#target);
		url.port = String(this.#port);
		return url.href.replace(/\/$/, '');
	}

	async join() {
		this.#server = net.createServer((near) => {
			const far = net.connect(Number(this.#target.port), this.#target.hostname);
			for (const [socket, other] of [
				[near, far],
				[far, near],
			]) {
				this.#sockets.add(socket);
				socket.on('error', () => other.destroy());
				socket.on('close', () => {
					this.#sockets.delete(socket);
					other.destroy();
				});
			}
			near.pipe(far).pipe(near);
		});
		// Must not keep a test file alive that fails early.
		this.#server.unref();
		this.#port = await listen(this.#server, this.#port);
	}

	/** Closes all connections and accepts no more. */
	async cut() {
		const closed = new Promise((resolve) => this.#server.close(resolve));
		for (const socket of this.#sockets) socket.destroy();
		await closed;
	}
}
