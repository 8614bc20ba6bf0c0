import { yieldRegularly } from '../../nodes/batch/yieldRegularly';

/** What happens, in order: `w` for a piece of work, or a space if other work of the process came in between. */
async function happened(workers: number, each: number, workMs = 4): Promise<string> {
	const yieldNow = yieldRegularly();
	let happened = '';
	const worker = async () => {
		for (let piece = 0; piece < each; piece++) {
			await yieldNow();
			jest.setSystemTime(Date.now() + workMs);
			happened += 'w';
		}
	};
	let isOver = false;
	void Promise.all(Array.from({ length: workers }, worker)).then(() => (isOver = true));
	for (let turn = 0; !isOver && turn < 100; turn++) {
		await jest.runOnlyPendingTimersAsync();
		happened += ' ';
	}
	return happened.trim();
}

describe('between pieces of work', () => {
	beforeEach(() => void jest.useFakeTimers({ now: 1_000_000 }));
	afterEach(() => void jest.useRealTimers());

	test('lets other work go first after ten milliseconds', async () => {
		expect(await happened(1, 7)).toBe('www www w');
		expect(await happened(1, 5, 5)).toBe('ww ww w');
	});

	test('does so, too, if many that have waited go on at once', async () => {
		const pieces = await happened(8, 2);
		expect(pieces.replaceAll(' ', '')).toHaveLength(16);
		expect(pieces).not.toMatch(/w{4}/);
	});

	test('lets none go first if the rest is urgent', async () => {
		await yieldRegularly(() => true)();
		expect(jest.getTimerCount()).toBe(0);
	});
});
