/** The resources that a process used, from /proc. These figures are only available on Linux. */
import { readFileSync, writeFileSync } from 'node:fs';

/** Linux counts CPU time in hundredths of a second on any kernel. */
const TICK_MS = 10;

/** The CPU time of a process so far in milliseconds, without its children. */
export function cpuTime(pid) {
	const stat = read(`/proc/${pid}/stat`);
	if (stat === undefined) return undefined;
	// The name in brackets may have spaces. User and system time are fields 14 and 15.
	const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
	return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** The CPU time of the whole machine so far, in milliseconds. */
export function machineCpuTime() {
	const line = read('/proc/stat')?.split('\n', 1)[0];
	if (line === undefined) return undefined;
	const [user, nice, system, , , irq, softirq] = line.trim().split(/\s+/).slice(1).map(Number);
	return (user + nice + system + irq + softirq) * TICK_MS;
}

/** The resident memory in MiB: now, and the peak since the start or `forgetPeak`. */
export function memory(pid) {
	const status = read(`/proc/${pid}/status`);
	if (status === undefined) return { now: undefined, peak: undefined };
	const of = (name) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
	return { now: of('VmRSS'), peak: of('VmHWM') };
}

/** Resets the peak. */
export function forgetPeak(pid) {
	try {
		writeFileSync(`/proc/${pid}/clear_refs`, '5');
	} catch {
		// Not Linux or not allowed, so the peak since the start is reported.
	}
}

function read(file) {
	try {
		return readFileSync(file, 'utf8');
	} catch {
		return undefined;
	}
}
