import type * as Workflow from 'n8n-workflow';

/**
 * Lets time fly while the node waits, such as for minutes of backoff: n8n's `sleep` takes about a millisecond, and moves
 * the clock ahead instead. Requests take as long as ever.
 */
export function useQuickSleep(): void {
	const workflow = jest.requireActual<typeof Workflow>('n8n-workflow');
	const { sleep } = workflow;
	const { now } = Date;
	const original = Object.getOwnPropertyDescriptor(workflow, 'sleep') ?? {};

	beforeEach(() => {
		let ahead = 0;
		Date.now = () => now() + ahead;
		const quick = async (ms: number): Promise<void> => {
			ahead += ms;
			await sleep(1);
		};
		Object.defineProperty(workflow, 'sleep', { ...original, get: () => quick });
	});

	afterEach(() => {
		Date.now = now;
		Object.defineProperty(workflow, 'sleep', original);
	});
}
