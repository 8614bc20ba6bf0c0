/**
 * What a process of n8n holds in its heap after a collection of garbage. What it occupies of the machine's memory also
 * depends on when V8 last found time for one.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** For n8n processes whose heap is to be looked at: each listens on a port of its own, once it is asked to. */
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
 * Make a process of n8n listen for whoever looks at its heap.
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
 * Collect the garbage of a process of n8n, and tell what it holds then.
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
