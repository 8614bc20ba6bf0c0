/**
 * A service that lets everyone log in and then does what no service should: it redirects, answers without an end, or
 * with more than anyone can hold.
 */
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import { gzipSync } from 'node:zlib';
import { listen } from './ports.mjs';

const PART = Buffer.alloc(64 * 1024, 'x');
const MEGABYTE = 1024 * 1024;

/**
 * A request that came; `sent` is the bytes that the client took.
 *
 * @typedef {{ method: string, url: string, rawHeaders: string[], body: string, sent: () => number, whenClosed: Promise<void> }} Note
 */

/**
 * What it does to a request.
 *
 * @typedef {(response: any, note: Note) => void} Answer
 */

/** What it may do to a request. Each gets the request's response and, to count what was sent, its note. */
export const evil = {
	/**
	 * To the same path elsewhere.
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
	 * JSON of so many bytes, or endless, as fast as it is taken.
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
	 * A little that becomes much.
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
	 * A space every now and then, which is allowed before JSON.
	 *
	 * @type {Answer}
	 */
	trickle: (response) => {
		response.writeHead(200, { 'content-type': 'application/json' });
		every(response, () => response.write(' '));
	},
	/**
	 * Headers that do not come to an end, a little at a time.
	 *
	 * @type {Answer}
	 */
	slowHeaders: ({ socket }) => {
		socket.write('HTTP/1.1 200 OK\r\n');
		every(socket, () => socket.write('x-more: 1\r\n'));
	},
	/**
	 * Headers that do not come to an end, as fast as they are taken.
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
	 * No word at all.
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
		/** Tokens that it gave out. */
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

	/** What came beside logins. */
	get calls() {
		return this.requests.filter(({ url }) => !url.endsWith('/auth/login'));
	}

	/**
	 * Do this from now on, and forget what came.
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

/** A JWT in shape, different from all others. */
function fakeToken() {
	const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
	return `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ email: 'user@example.com', jti: randomUUID() })}.${part(randomUUID())}`;
}
