import net from 'node:net';

/**
 * Whether a loopback port is free for IPv4 and IPv6: browsers try both for `localhost`.
 *
 * @param {number} port
 */
export async function isPortFree(port) {
	for (const host of ['127.0.0.1', '::1']) {
		if (!(await canListen(port, host))) return false;
	}
	return true;
}

/**
 * Returns `preferred` if it is free, or else a free port. Simultaneous calls never get the same one.
 *
 * @param {number} [preferred]
 * @returns {Promise<number>}
 */
export async function findPort(preferred) {
	if (preferred && !handedOut.has(preferred) && (await isPortFree(preferred))) {
		handedOut.add(preferred);
		return preferred;
	}
	for (;;) {
		const port = await anyPort();
		if (handedOut.has(port) || !(await isPortFree(port))) continue;
		handedOut.add(port);
		return port;
	}
}

/**
 * Lets a server listen on loopback.
 *
 * @param {net.Server} server
 * @param {number} [port] any free one unless given
 * @returns {Promise<number>} the port
 */
export async function listen(server, port = 0) {
	await new Promise((resolve, reject) => {
		server.once('error', reject);
		server.listen(port, '127.0.0.1', () => {
			server.off('error', reject);
			resolve(undefined);
		});
	});
	return /** @type {net.AddressInfo} */ (server.address()).port;
}

const handedOut = new Set();

/**
 * @param {number} port
 * @param {string} host
 */
function canListen(port, host) {
	return new Promise((resolve) => {
		const server = net.createServer();
		// A machine without IPv6 has no listener there.
		server.once('error', (/** @type {NodeJS.ErrnoException} */ { code = '' }) =>
			resolve(['EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes(code)),
		);
		server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
	});
}

async function anyPort() {
	const server = net.createServer();
	const port = await listen(server);
	await new Promise((resolve) => server.close(resolve));
	return port;
}
