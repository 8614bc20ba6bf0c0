/**
 * A hostile service that lets everyone log in, and then redirects, answers without an end, or
 * sends oversized responses.
 */
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import { gzipSync } from 'node:zlib';
import { listen } from './ports.mjs';

const PART = Buffer.alloc(64 * 1024, 'x');
const MEGABYTE = 1024 * 1024;

/**
 * A received request; `sent` is the number of bytes that the client read.
 *
 * @typedef {{ method: string, url: string, rawHeaders: string[], body: string, sent: () => number, whenClosed: Promise<void> }} Note
 */

/**
 * Its response to a request.
 *
 * @typedef {(response: any, note: Note) => void} Answer
 */

/** The possible responses. Each gets the response object and the record that counts sent bytes. */
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
	/**
	 * JSON of that many bytes, or endless, as fast as the client reads.
	 *
	 * @type {(bytes?: number, status?: number) => Answer}
	 */
	large:
		(bytes = Infinity, status = 201) =>
		(response) => {
			response.writeHead(status, { 'content-type': 'application/json' });
			response.write('{"transaction_id":"');
			let left = bytes;
			const more = () => {
				while (left > 0 && !response.destroyed) {
					left -= PART.length;
					if (!response.write(PART)) return response.once('drain', more);
				}
				if (!response.destroyed) response.end('"}');
			};
			more();
		},
	/**
	 * A small compressed body that becomes large.
	 *
	 * @type {(megabytes: number) => Answer}
	 */
	bomb: (megabytes) => {
		const packed = gzipSync(Buffer.alloc(megabytes * MEGABYTE, ' '));
		return (response) => {
			response.writeHead(201, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
			response.end(packed);
		};
	},
	/** @type {(levels: number) => Answer} */
	deep: (levels) =>
		evil.json(
			`{"transaction_id":"${randomUUID()}","transactions":${'['.repeat(levels)}${']'.repeat(levels)}}`,
		),
	/**
	 * A space at intervals, which is allowed before JSON.
	 *
	 * @type {Answer}
	 */
	trickle: (response) => {
		response.writeHead(200, { 'content-type': 'application/json' });
		every(response, () => response.write(' '));
	},
	/**
	 * Headers that trickle without an end.
	 *
	 * @type {Answer}
	 */
	slowHeaders: ({ socket }) => {
		socket.write('HTTP/1.1 200 OK\r\n');
		every(socket, () => socket.write('x-more: 1\r\n'));
	},
	/**
	 * Endless headers, as fast as the client reads.
	 *
	 * @type {Answer}
	 */
	manyHeaders: ({ socket }) => {
		socket.write('HTTP/1.1 200 OK\r\n');
		const more = () => {
			while (!socket.destroyed && socket.write(`x-more: ${'1'.repeat(1000)}\r\n`));
			if (!socket.destroyed) socket.once('drain', more);
		};
		more();
	},
	/**
	 * No response.
	 *
	 * @type {Answer}
	 */
	silence: () => {},
};

function every(stream, act) {
	const timer = setInterval(() => (stream.destroyed ? clearInterval(timer) : act()), 50);
	stream.once('close', () => clearInterval(timer));
	stream.on('error', () => {});
}

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
		this.answer = evil.silence;
		/** @type {Answer} */
		this.login = (response) => {
			const token = fakeToken();
			this.tokens.add(token);
			const user = { id: randomUUID(), name: 'User', email: 'user@example.com' };
			const welcome = { success: true, accessToken: token, user, message: 'ok' };
			evil.json(JSON.stringify(welcome))(response);
		};
		this.#server = http.createServer((request, response) => {
			const { method = '', url = '', rawHeaders, socket } = request;
			socket.on('error', () => {});
			/** @type {Note} */
			const note = {
				method,
				url,
				rawHeaders,
				body: '',
				sent: () => socket.bytesWritten,
				whenClosed: new Promise((resolve) => socket.once('close', () => resolve())),
			};
			request.setEncoding('utf8');
			request.on('data', (part) => (note.body += part));
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
