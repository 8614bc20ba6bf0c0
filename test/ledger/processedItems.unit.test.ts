import { DamagedRowError, ProcessedItems } from '../../nodes/ledger/processedItems';

/** Until when the lock of the workflow is held. */
let held: number | undefined = Infinity;

// The lock itself has its own tests.
jest.mock('../../nodes/ledger/workflowLock', () => ({
	...jest.requireActual<object>('../../nodes/ledger/workflowLock'),
	withWorkflowLock: async (_: unknown, work: (deadline?: number) => Promise<unknown>) => ({
		value: await work(held),
		wasExclusive: true,
		wasLost: false,
	}),
}));

afterEach(() => {
	jest.restoreAllMocks();
	held = Infinity;
});

/** The items of a node that has some, and what n8n was asked for. */
function itemsOf(known: Array<string | number> = [], maxEntries?: number) {
	const calls: unknown[][] = [];
	const helpers = {
		checkProcessedAndRecord: async (asked: string[], ...more: unknown[]) => {
			calls.push(['record', asked, ...more]);
			return await Promise.resolve({
				new: asked.filter((entry) => !known.includes(entry)),
				processed: asked.filter((entry) => known.includes(entry)),
			});
		},
		removeProcessed: async (...asked: unknown[]) => {
			calls.push(['remove', ...asked]);
			await Promise.resolve();
		},
		getProcessedDataCount: async (...asked: unknown[]) => {
			calls.push(['count', ...asked]);
			return await Promise.resolve(known.length);
		},
	};
	return { items: new ProcessedItems({ helpers } as never, maxEntries), calls, helpers };
}

describe('recording entries', () => {
	test('returns those that were not there, and asks for each once', async () => {
		const { items, calls } = itemsOf(['a']);
		expect(await items.record(['a', 'b', 'b', 'c'])).toEqual(new Set(['b', 'c']));
		expect(calls).toEqual([
			['record', ['a', 'b', 'c'], 'node', { mode: 'entries', maxEntries: undefined }],
		]);
	});

	test('leaves as many as there may be', async () => {
		const { items, calls } = itemsOf([], 5);
		await items.record(['a']);
		expect(calls[0][3]).toEqual({ mode: 'entries', maxEntries: 5 });
	});

	test('asks n8n to remove nothing if there is nothing', async () => {
		const { items, calls } = itemsOf();
		await items.remove([]);
		expect(calls).toEqual([]);
	});

	test('fails if n8n answers about none of them, because the row has no list', async () => {
		const { items, helpers } = itemsOf();
		jest.spyOn(helpers, 'checkProcessedAndRecord').mockResolvedValue({ new: [], processed: [] });
		await expect(items.record(['a'])).rejects.toThrow(DamagedRowError);
		await expect(items.record(['a'])).rejects.toThrow(/is damaged, or was written by something/);
	});
});

test('removing, counting and trimming ask for the entries of the node', async () => {
	const { items, calls } = itemsOf(['a', 'b'], 9);
	await items.remove(['a', 'b']);
	expect(await items.count()).toBe(2);
	await items.record([], 1);
	expect(calls).toEqual([
		['remove', ['a', 'b'], 'node', { mode: 'entries' }],
		['count', 'node', { mode: 'entries' }],
		['record', [], 'node', { mode: 'entries', maxEntries: 1 }],
	]);
});

describe('a holder of the lock', () => {
	test.each([true, false])('is told whether it is locked: %p', async (isLocked) => {
		held = isLocked ? Infinity : undefined;
		const { items } = itemsOf();
		const work = async (locked: boolean) => await Promise.resolve([locked]);
		expect(await items.withLock(work)).toEqual({
			value: [isLocked],
			wasExclusive: true,
			wasLost: false,
		});
	});

	test('writes until its time is over, and never after', async () => {
		held = 1_000;
		const now = jest.spyOn(performance, 'now').mockReturnValue(1_000);
		const { items, calls } = itemsOf();
		await items.withLock(async () => {
			await items.record(['a']);
			await items.remove(['a']);
			await items.record([], 1);
			expect(calls).toHaveLength(3);
			now.mockReturnValue(1_000.5);
			for (const write of [
				async () => await items.record(['a']),
				async () => await items.remove(['a']),
				async () => await items.record([], 1),
			]) {
				await expect(write()).rejects.toThrow('the database stood still');
			}
			expect(await items.count()).toBe(0);
		});
		expect(calls.map(([call]) => call)).toEqual(['record', 'remove', 'record', 'count']);
	});
});
