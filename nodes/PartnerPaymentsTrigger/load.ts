/*
 * How many deliveries n8n is busy with. It runs an execution for each, all of them at once, and each takes many
 * megabytes of memory until it ends. Deliveries beyond a limit get a 503, and the service logs them: polls emit them.
 */

/** How many deliveries may wait for their execution in this process. */
const MAX_WAITING = 30;

/** An execution that has not begun after this either never will, or runs in another process. */
const MAX_WAIT_MS = 60_000;

/** Above this share of its time, a process is overloaded. */
const MAX_UTILIZATION = 0.9;

interface Waiting {
	/** In milliseconds. */
	since: number;
	utilization: ReturnType<typeof performance.eventLoopUtilization>;
}

/** Deliveries that wait for their execution, by envelope, the oldest first. */
const waiting = new Map<string, Waiting>();

/** Whether executions run in this process. In queue mode, they run in workers, which limit themselves. */
let runsExecutions = false;

/** Whether n8n is too busy for another delivery. */
export function isBusy(): boolean {
	for (const [id, { since }] of waiting) {
		if (performance.now() - since < MAX_WAIT_MS) break;
		waiting.delete(id);
	}
	if (waiting.size < MAX_WAITING) return false;
	const [{ utilization }] = waiting.values();
	const { utilization: share } = performance.eventLoopUtilization(utilization);
	return runsExecutions || share > MAX_UTILIZATION;
}

/** A delivery starts an execution. */
export function startsExecution(id: string): void {
	const utilization = performance.eventLoopUtilization();
	waiting.set(id, { since: performance.now(), utilization });
}

/** The trigger has run in an execution of this process. */
export function hasBegunExecution(ids: string[]): void {
	runsExecutions = true;
	for (const id of ids) waiting.delete(id);
}
