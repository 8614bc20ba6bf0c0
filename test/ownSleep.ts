import type * as Workflow from 'n8n-workflow';

/** What time is, and how n8n's `sleep` lets it pass. */
interface OwnTime {
	now(): number;
	sleep(ms: number): Promise<void>;
}

/**
 * Replaces `Date.now` and n8n's `sleep` in the tests of a file.
 *
 * @param begin makes the time of a test from the real one
 */
export function useOwnSleep(begin: (real: OwnTime) => OwnTime): void {
	const workflow = jest.requireActual<typeof Workflow>('n8n-workflow');
	const original = Object.getOwnPropertyDescriptor(workflow, 'sleep') ?? {};
	const real = { now: Date.now, sleep: workflow.sleep };

	beforeEach(() => {
		const { now, sleep } = begin(real);
		Date.now = now;
		Object.defineProperty(workflow, 'sleep', { ...original, get: () => sleep });
	});

	afterEach(() => {
		Date.now = real.now;
		Object.defineProperty(workflow, 'sleep', original);
	});
}
