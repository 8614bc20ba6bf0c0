import net from 'node:net';

/** Whether nothing listens on a loopback port, on either family: browsers try both for `localhost`. */
export async function isPortFree(port) {
	for (const host of ['127.0.0.1', '::1']) {
		if (!(await canListen(port, host))) return false;
	}
	return true;
}

/** `preferred` if it is free, else one that is. Two calls at once never get the same one. */
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

const handedOut = new Set();

function canListen(port, host) {
	return new Promise((resolve) => {
		const server = net.createServer();
		// A machine without IPv6 has nobody listening there either.
		server.once('error', (error) =>
			resolve(['EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes(error.code)),
		);
		server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
	});
}

function anyPort() {
	return new Promise((resolve, reject) => {
		const server = net.createServer();
		server.once('error', reject);
		server.listen(0, '127.0.0.1', () => {
			const { port } = server.address();
			server.close(() => resolve(port));
		});
	});
}
