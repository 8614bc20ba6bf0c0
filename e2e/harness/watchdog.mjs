/**
 * Ends its parent's process groups when the parent is gone. Its standard input
 * closes even if the parent was killed. Input: `+<group>` and `-<group>`, one per line.
 */
import { createInterface } from 'node:readline';

const groups = new Set();
const lines = createInterface({ input: process.stdin });

lines.on('line', (line) => {
	const group = Number(line.slice(1));
	if (line.startsWith('+')) groups.add(group);
	else groups.delete(group);
});
lines.on('close', () => {
	for (const group of groups) {
		try {
			process.kill(-group, 'SIGKILL');
		} catch {
			// It is already gone.
		}
	}
});
// Signals to the parent's group must not end it early.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
