/** A hostile service that lets everyone log in, and then redirects. */
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import { listen } from './ports.mjs';

/**
 * A received request.
 *
 * @typedef {{ method: string, url: string }} Note
 */

/**
 * Its response to a request.
 *
 * @typedef {(response: any, note: Note) => void} Answer
 */

/** The possible responses. Each gets the response object and the request. */
export const evil = {
	/**
	 * Redirects to the same path on another host.
	 *
	 * @type {(status: number, target: string) => Answer}
	 */
	redirect:
		(status, target) =>
		(response, { url }) => {
			response.writeHead(status, { location: `${target}${url}` });
			response.end();
		},
	/** @type {(text: string, status?: number) => (response: any) => void} */
	json:
		(text, status = 201) =>
		(response) => {
			response.writeHead(status, { 'content-type': 'application/json' });
			response.end(text);
		},
};

export async function startHostile() {
	const hostile = new Hostile();
	await hostile.listen();
	return hostile;
}

class Hostile {
	#server;

	constructor() {
		/**
		 * What came.
		 *
		 * @type {Note[]}
		 */
		this.requests = [];
		/** The tokens that it issued. */
		this.tokens = new Set();
		/** @type {Answer} */
		this.answer = () => {};
		/** @type {Answer} */
		this.login = (response) => {
			const token = fakeToken();
			this.tokens.add(token);
			const user = { id: randomUUID(), name: 'User', email: 'user@example.com' };
			const welcome = { success: true, accessToken: token, user, message: 'ok' };
			evil.json(JSON.stringify(welcome))(response);
		};
		this.#server = http.createServer((request, response) => {
			const { method = '', url = '', socket } = request;
			socket.on('error', () => {});
			/** @type {Note} */
			const note = { method, url };
			request.resume();
			request.on('end', () => {
				this.requests.push(note);
				(url.endsWith('/auth/login') ? this.login : this.answer)(response, note);
			});
		});
	}

	async listen() {
		this.port = await listen(this.#server);
		this.#server.unref();
		this.url = `http://127.0.0.1:${this.port}/api`;
	}

	/** The requests other than logins. */
	get calls() {
		return this.requests.filter(({ url }) => !url.endsWith('/auth/login'));
	}

	/**
	 * Sets the next response and clears the recorded requests.
	 *
	 * @param {Answer} answer
	 */
	behave(answer) {
		this.answer = answer;
		this.requests = [];
	}

	close() {
		this.#server.closeAllConnections();
		return new Promise((resolve) => this.#server.close(resolve));
	}
}

/** A string in the form of a JWT, always different. */
function fakeToken() {
	const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
	return `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ email: 'user@example.com', jti: randomUUID() })}.${part(randomUUID())}`;
}
