/** A local mail server that accepts every message and delivers none. */
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { listen } from './ports.mjs';

export async function startMailbox() {
	const mailbox = new Mailbox();
	await mailbox.start();
	return mailbox;
}

class Mailbox {
	/**
	 * The texts of the messages in the order of arrival.
	 *
	 * @type {string[]}
	 */
	messages = [];

	#server = createServer((socket) => this.#talk(socket));

	async start() {
		this.port = await listen(this.#server);
	}

	stop() {
		this.#server.close();
	}

	/** The part of RFC 5321 that a client needs to send a message. */
	#talk(socket) {
		socket.on('error', () => {});
		const say = (line) => socket.write(`${line}\r\n`);
		let message;
		createInterface({ input: socket }).on('line', (line) => {
			if (message) {
				if (line !== '.') return message.push(line);
				this.messages.push(readable(message.join('\n')));
				message = undefined;
				return say('250 taken');
			}
			const command = line.slice(0, 4).toUpperCase();
			if (command === 'DATA') {
				message = [];
				return say('354 go on');
			}
			if (command === 'QUIT') return socket.end('221 bye\r\n');
			return say('250 ok');
		});
		say('220 mailbox of the tests');
	}
}

/** Undoes quoted-printable (RFC 2045, section 6.7). */
function readable(text) {
	const bytes = text
		.replace(/=\n/g, '')
		.replace(/=([\dA-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
	return Buffer.from(bytes, 'latin1').toString('utf8');
}
