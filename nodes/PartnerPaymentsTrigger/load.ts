/*
 * How many deliveries n8n is busy with. It runs an execution for each, all of them at once, and each takes many
 * megabytes of memory until it ends. Deliveries beyond a limit get a 503, and the service logs them: polls emit them.
 */

/** How many deliveries may wait for their execution in this process. */
const MAX_WAITING = 50;

/** An execution that has not begun after this either never will, or runs in another process. */
const MAX_WAIT_MS = 60_000;

/** Deliveries that wait for their execution, by envelope: since when (milliseconds). */
const waiting = new Map<string, number>();

/** Whether executions run in this process: in queue mode, they run in workers, which limit themselves. */
let place: 'unknown' | 'here' | 'elsewhere' = 'unknown';

/** Whether n8n is too busy for another delivery. */
export function isBusy(): boolean {
	const now = performance.now();
	for (const [id, since] of waiting) {
		if (now - since < MAX_WAIT_MS) break;
		waiting.delete(id);
		if (place === 'unknown') place = 'elsewhere';
	}
	return place !== 'elsewhere' && waiting.size >= MAX_WAITING;
}

/** A delivery starts an execution. */
export function startsExecution(id: string): void {
	if (place !== 'elsewhere') waiting.set(id, performance.now());
}

/** The trigger has run in an execution of this process. */
export function hasBegunExecution(ids: string[]): void {
	place = 'here';
	for (const id of ids) waiting.delete(id);
}
