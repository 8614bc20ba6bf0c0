/**
 * Ends the process groups that its parent was running, once the parent is gone, however it went: its standard input
 * closes even when the parent was killed and could do nothing itself. Told `+<group>` and `-<group>`, a line each.
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
			// It has gone already.
		}
	}
});
// Signals for the parent's group must not end it before its work is done.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
