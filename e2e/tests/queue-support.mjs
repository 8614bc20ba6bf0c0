import { after, before } from 'node:test';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { stopAll } from '../harness/processes.mjs';
import { startQueueStage } from '../harness/queue.mjs';
import { stageSettings } from './support.mjs';

/** @typedef {import('../harness/queue.mjs').QueueStage} QueueStage */

/**
 * n8n in queue mode with the package, a sandbox and a credential, for all tests of a file.
 *
 * @param {string} name of the folder for logs and data
 * @param {Partial<Parameters<typeof startQueueStage>[0]>} [options]
 * @returns {{ stage: QueueStage }} filled in before the first test
 */
export function useQueueStage(name, { env, ...options } = {}) {
	const use = /** @type {{ stage: QueueStage }} */ ({});
	let folder = '';
	before(
		async () => {
			const settings = await stageSettings(name, env);
			({ folder } = settings);
			use.stage = await startQueueStage({ ...settings, ...options });
		},
		{ timeout: 900_000 },
	);
	after(async () => {
		await use.stage?.stop();
		await stopAll();
		// A copy of the editor, 50 MB that the results don't need.
		rmSync(path.join(folder, 'main/.cache'), { recursive: true, force: true });
	});
	return use;
}

/** The executions that each worker has started, from its log. */
export function executionsByWorker({ workers }) {
	return workers.map(
		(worker) =>
			new Set([...worker.logs().matchAll(/Worker started execution (\d+)/g)].map(([, id]) => id)),
	);
}
