import { type IDataObject } from 'n8n-workflow';

import { ProcessedItems, useProcessedItems } from '../engine/processedItems';
import { useQuickSleep } from '../engine/quickSleep';
import { TOOL_TYPE, type RunResult } from '../engine/runNode';
import { useService } from '../engine/service';
import { bank, bankRow, created, outcomes, posted, referenceOf, reported, strike } from './batch';

const service = useService({ duplicateReferences: 'accept' });

const REJECTED = { type: 'status', status: 422 } as const;
const LOST = { type: 'reset', when: 'after' } as const;

const limit = (amount: string, currency = 'BOB'): IDataObject => ({
	dailyLimit: { total: [{ currency, amount }] },
});

/** Pays rows that have these amounts, each to another payee. */
const pay = async (
	amounts: Record<number, string>,
	options: IDataObject = limit('1000'),
	more: Parameters<typeof service.run>[1] = {},
): Promise<RunResult> =>
	await service.run(bank({ concurrency: 1, ...options }), {
		items: Object.entries(amounts).map(([number, amount]) => bankRow(Number(number), { amount })),
		...more,
	});

const messages = (result: RunResult): string[] => reported(result).map(({ message }) => message);

const codes = (result: RunResult): unknown[] =>
	reported(result).map((row) => (row as unknown as IDataObject).code);

/** What counts today, as the message for a payment that cannot fit says it. */
async function used(): Promise<string> {
	const result = await pay({ 999: '1000.01' }, { ...limit('1000'), dryRun: true });
	return /\. (.*) count today/.exec(messages(result)[0])?.[1] ?? messages(result)[0];
}

describe('Daily Limit (This Node)', () => {
	test('lets executions pay until the limit is reached, and then sends nothing', async () => {
		expect(outcomes(await pay({ 0: '600', 1: '100' }))).toEqual(['created', 'created']);
		const second = await pay({ 2: '200.5', 3: '99.51' });
		expect(codes(second)).toEqual(['aboveDailyLimit', 'aboveDailyLimit']);
		expect(messages(second)[0]).toBe(
			'Daily Limit (This Node) is 1,000.00 BOB. 700.00 BOB count today, so 300.00 BOB are left, but these payments total 300.01 BOB',
		);
		expect(posted(service)).toHaveLength(2);
		expect(outcomes(await pay({ 2: '200.5', 3: '99.5' }))).toEqual(['created', 'created']);
		expect(await used()).toBe('1,000.00 BOB');
	});

	test('counts a payment whose outcome is unknown, and releases one that the service rejected', async () => {
		strike(service, referenceOf(0), LOST);
		strike(service, referenceOf(1), REJECTED);
		const result = await pay({ 0: '100', 1: '200', 2: '300' }, limit('1000'), {
			onError: 'continueRegularOutput',
		});
		expect(outcomes(result)).toEqual(['unknown', 'rejected', 'created']);
		expect(await used()).toBe('400.00 BOB');
	});

	test('counts payments that are not remembered', async () => {
		const forgetful = { ...limit('1000'), rememberSent: false };
		expect(outcomes(await pay({ 0: '600' }, forgetful))).toEqual(['created']);
		expect(codes(await pay({ 0: '600' }, forgetful))).toEqual(['aboveDailyLimit']);
		expect(posted(service)).toHaveLength(1);
		expect(await used()).toBe('600.00 BOB');
	});

	test('counts a payment that a person has paid again', async () => {
		await pay({ 0: '300' });
		const again = {
			...limit('1000'),
			ifAlreadySent: 'payAgain',
			referencesToPayAgain: referenceOf(0),
		};
		expect(outcomes(await pay({ 0: '300' }, again))).toEqual(['created']);
		expect(await used()).toBe('600.00 BOB');
	});

	test('does not pay again above the limit', async () => {
		await pay({ 0: '600' });
		const again = {
			...limit('1000'),
			ifAlreadySent: 'payAgain',
			referencesToPayAgain: referenceOf(0),
		};
		await pay({ 0: '600' }, again);
		expect(posted(service)).toHaveLength(1);
	});

	test('is not used by a dry run, which reports whether the payments fit', async () => {
		const dryRun = { ...limit('1000'), dryRun: true };
		expect(outcomes(await pay({ 0: '1000' }, dryRun))).toEqual(['ready']);
		expect(codes(await pay({ 0: '1000.01' }, dryRun))).toEqual(['aboveDailyLimit']);
		expect(await used()).toBe('0.00 BOB');
	});

	test.each([
		['an agent', TOOL_TYPE],
		['a loop', TOOL_TYPE.replace(/Tool$/, '')],
	])('counts over the runs of %s', async (_, nodeType) => {
		await service.run(bank({ ...limit('250'), duplicatePayments: 'allow' }), {
			items: [bankRow(0, { amount: '100' })],
			furtherRuns: [1, 2, 3].map((number) => [bankRow(number, { amount: '100' })]),
			nodeType,
			onError: 'continueRegularOutput',
		});
		expect(created(service)).toEqual([referenceOf(0), referenceOf(1)]);
	});

	test('is never exceeded by two executions that start together', async () => {
		const amounts = (from: number) =>
			Object.fromEntries(Array.from({ length: 6 }, (_, number) => [from + number, '100']));
		await Promise.all([pay(amounts(0)), pay(amounts(10))]);
		expect(created(service)).toHaveLength(6);
		expect(await used()).toBe('600.00 BOB');
	});

	test('begins again on the next day in the time zone of the workflow', async () => {
		jest.useFakeTimers({ advanceTimers: true, now: new Date('2026-11-24T03:59:00Z') });
		try {
			await pay({ 0: '1000' });
			expect(codes(await pay({ 1: '1' }))).toEqual(['aboveDailyLimit']);
			jest.setSystemTime(new Date('2026-11-24T04:00:00Z'));
			expect(outcomes(await pay({ 1: '1' }))).toEqual(['created']);
			const inNewYork = { timezone: 'America/New_York' };
			jest.setSystemTime(new Date('2026-11-25T04:59:00Z'));
			expect(codes(await pay({ 2: '999.01' }, limit('1000'), inNewYork))).toEqual([
				'aboveDailyLimit',
			]);
			expect(outcomes(await pay({ 2: '1000' }))).toEqual(['created']);
		} finally {
			jest.useRealTimers();
		}
	});
});

describe.each([
	['once', (call: number, failing: number) => call === failing],
	['from then on', (call: number, failing: number) => call >= failing],
])('if a write to n8n’s database fails %s', (_, isFailing) => {
	useQuickSleep();

	test.each(Array.from({ length: 12 }, (__, failing) => failing))(
		'every payment counts, or what was paid is not known, and none is made twice (write %i)',
		async (failing) => {
			let calls = 0;
			let isWorking = false;
			service.processed = useProcessedItems(
				new ProcessedItems(async (verb, scope) => {
					await Promise.resolve();
					if (isWorking || scope !== 'node' || verb === 'SELECT') return;
					if (isFailing(calls++, failing)) throw new Error('SQLITE_FULL');
				}),
			);
			await pay({ 0: '100', 1: '200' }, limit('1000'), { onError: 'continueRegularOutput' });
			isWorking = true;
			const paid = created(service).length === 2 ? 300 : 0;
			expect(created(service)).toHaveLength(paid / 150);
			const counted = await used();
			if (!/paid today is not known/.test(counted))
				expect(Number.parseFloat(counted)).toBeGreaterThanOrEqual(paid);

			await pay({ 0: '100', 1: '200' });
			expect(new Set(created(service)).size).toBe(created(service).length);
		},
	);
});

describe('sends nothing with Daily Limit (This Node)', () => {
	useQuickSleep();

	test('in a workflow that was not saved', async () => {
		const result = await pay({ 0: '1' }, limit('1000'), { workflowId: '' });
		expect(codes(result)).toEqual(['runForgets']);
		expect(posted(service)).toEqual([]);
	});

	test('if Remove Duplicates keeps the workflow lock', async () => {
		const workflowId = 'workflow-with-remove-duplicates';
		service.processed.rows.set(`${workflowId} `, { mode: 'entries', data: ['x'] });
		const result = await pay({ 0: '1' }, limit('1000'), { workflowId });
		expect(codes(result)).toEqual(['dailyLimitWithoutLock']);
		expect(posted(service)).toEqual([]);
		expect(service.processed.rows.get(`${workflowId} `)?.data).toEqual(['x']);
	});

	test('if n8n’s database fails', async () => {
		service.processed = useProcessedItems(
			new ProcessedItems(async (verb) => {
				if (verb !== 'SELECT') throw new Error('SQLITE_FULL');
				await Promise.resolve();
			}),
		);
		expect(codes(await pay({ 0: '1' }))).toEqual(['storeUnreadable']);
		expect(posted(service)).toEqual([]);
	});
});
