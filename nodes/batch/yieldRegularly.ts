import { sleep } from 'n8n-workflow';

const MAX_BLOCKING_MS = 10;

/**
 * Lets the process do other work (stop an execution, answer a webhook) while thousands of rows are handled.
 *
 * @param isUrgent whether the rest cannot wait any more
 * @returns what to await between two pieces of work. After ten milliseconds of work it lets other work go first, also if
 *   many wait for it at once
 */
export function yieldRegularly(isUrgent = () => false): () => Promise<void> {
	// The first call yields: what came before may have taken long.
	let since = 0;
	return async () => {
		while (Date.now() - since >= MAX_BLOCKING_MS && !isUrgent()) {
			const before = since;
			await sleep(0);
			// The first that goes on begins a new stretch of work.
			if (since === before) since = Date.now();
		}
	};
}
