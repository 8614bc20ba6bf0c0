/**
 * The heap size of an n8n process after garbage collection. Its resident memory also
 * depends on when V8 last collected garbage.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Lets n8n processes open an inspector on their own port on request. */
export const INSPECTABLE = { NODE_OPTIONS: '--inspect-port=127.0.0.1:0' };

const LISTENING = /Debugger listening on (ws:\S+)/;

/** Runs in n8n's own Node.js, which has WebSocket. */
const ASK = `
	const socket = new WebSocket(process.argv[1]);
	const methods = ['HeapProfiler.collectGarbage', 'HeapProfiler.collectGarbage', 'Runtime.getHeapUsage'];
	const next = (id) => socket.send(JSON.stringify({ id, method: methods[id] }));
	socket.onopen = () => next(0);
	socket.onmessage = ({ data }) => {
		const { id, result } = JSON.parse(data);
		if (id + 1 < methods.length) return next(id + 1);
		console.log(JSON.stringify(result));
		socket.close();
	};
	socket.onerror = () => process.exit(1);
`;

/**
 * Makes an n8n process open its inspector.
 *
 * @param {import('./n8n.mjs').N8n} n8n started with `INSPECTABLE`
 * @returns {Promise<string>} the address
 */
export async function inspect(n8n) {
	process.kill(Number(n8n.pid), 'SIGUSR1');
	const [, address] = await n8n.waitForOutput(LISTENING);
	return address;
}

/**
 * Collects the garbage of an n8n process and returns its heap size.
 *
 * @param {string} address from `inspect`
 * @param {{ node: string }} installation
 * @returns {Promise<number>} in MB: objects, and what belongs to them outside of V8's heap
 */
export async function liveHeap(address, { node }) {
	const { stdout } = await promisify(execFile)(node, ['-e', ASK, address]);
	const { usedSize, embedderHeapUsedSize = 0, backingStorageSize = 0 } = JSON.parse(stdout);
	return (usedSize + embedderHeapUsedSize + backingStorageSize) / 2 ** 20;
}
