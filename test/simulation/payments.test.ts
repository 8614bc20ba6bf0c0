import { computersWith, checkInvariants, scenario, type Scenario } from './payments';
import { testScenarios } from './testScenarios';

const computers = computersWith();
const violationsIn = async (one: Scenario) => await checkInvariants(one, computers);

testScenarios(
	'payments',
	'pays nobody twice and reports every payment that was created, whatever fails',
	scenario,
	violationsIn,
);

/** A valid row. */
const row = (payment: number) => ({ payment, variant: 0, upperCase: false, isBad: false }) as const;

const CALM: Scenario = {
	files: [[row(0)]],
	moreRows: 0,
	settings: {
		mapping: 'columns',
		concurrency: 1,
		onError: 'stopWorkflow',
		tries: 1,
		references: 'given',
		describedBy: 'row',
		duplicatePayments: 'reject',
		remembers: true,
		requestsPerSecond: 0,
		checkBalance: false,
		checkDeliveryLogs: false,
		accountChanges: 'report',
		dailyLimit: 0,
		perRun: 0,
		parentTries: 1,
		smallPortions: false,
		isFull: false,
		removeDuplicates: false,
	},
	actions: [],
	service: {
		duplicates: 'accept',
		forgetsAfter: 1e9,
		tokenLifetime: 1e9,
		faults: [],
		loginFaults: [],
		latencies: [0],
		logs: {
			events: 'all',
			order: 'newest',
			counts: true,
			amounts: 'none',
			lives: [0],
			delays: [0],
			shapes: ['documented'],
			faults: [],
			changes: [],
			before: 0,
		},
		isDown: [],
	},
	database: { latencies: [0], stalls: [], faults: [] },
	seed: 0,
};

const run = (slot: number) =>
	({
		type: 'run',
		file: 0,
		isTurned: false,
		isExtended: false,
		isChanged: false,
		batch: 0,
		node: 0,
		isRespelled: false,
		slot,
		again: 'no',
		dryRun: false,
		interruption: null,
	}) as const;

const retry = (which: number, again: 'no' | 'lookedUp' | 'all') =>
	({ type: 'retry', which, isPasted: false, slot: 0, again, interruption: null }) as const;

/** Shrunk scenarios that once violated an invariant. */
const FOUND: Array<{ name: string; scenario: Scenario }> = [
	{
		name: 'two executions start with the same row, and the one that recorded it is stopped',
		scenario: {
			...CALM,
			actions: [
				{ after: 0, action: run(0) },
				{ after: 119, action: { type: 'cancel', which: 0 } },
				{ after: 'quiet', action: run(1) },
			],
			database: { latencies: [0, 49, 14], stalls: [], faults: [] },
			seed: -448122204,
		},
	},
	{
		name: 'a row is paid again while executions that recorded it wait and cannot reach the service',
		scenario: {
			...CALM,
			actions: [
				{ after: 'quiet', action: { type: 'rush', file: 0, steps: 0 } },
				{
					after: 0,
					action: retry(0, 'lookedUp'),
				},
				{ after: 0, action: run(0) },
			],
			service: { ...CALM.service, isDown: [true, false] },
			database: { latencies: [0, 12], stalls: [], faults: [] },
			seed: 313231015,
		},
	},
	{
		name: 'a retry pays an unknown payment again, and another row fails first',
		scenario: {
			...CALM,
			files: [[row(0), row(1)]],
			settings: { ...CALM.settings, remembers: false },
			actions: [
				{ after: 0, action: run(0) },
				{
					after: 'quiet',
					action: retry(0, 'no'),
				},
				{
					after: 'quiet',
					action: retry(1, 'all'),
				},
			],
			service: { ...CALM.service, faults: ['503, created'] },
		},
	},
	{
		name: 'the logs have the amount of a row that another node has paid to another account',
		scenario: {
			...CALM,
			files: [[{ ...row(0), variant: 2 }], [row(0)]],
			settings: { ...CALM.settings, checkDeliveryLogs: true },
			actions: [
				{ after: 0, action: { ...run(0), node: 1 } },
				{ after: '2 days', action: { ...run(0), file: 1 } },
			],
			service: { ...CALM.service, logs: { ...CALM.service.logs, amounts: 'fiat' } },
		},
	},
	{
		name: 'a database stalls until another process takes the lock over, and both record at once',
		scenario: {
			...CALM,
			files: [[row(0), row(1), row(0), row(2), row(3)]],
			settings: { ...CALM.settings, onError: 'continueErrorOutput', smallPortions: true },
			actions: [{ after: 0, action: { type: 'rush', file: 0, steps: 0 } }],
			database: { latencies: [0, 36], stalls: [{ query: 75, ms: 18_224 }], faults: [] },
			seed: -1916859641,
		},
	},
	{
		name: 'a write stalls for longer than another process waits, and that one pays meanwhile',
		scenario: {
			...CALM,
			settings: { ...CALM.settings, isFull: true },
			actions: [
				{ after: 0, action: { type: 'rush', file: 0, steps: 0 } },
				{ after: 0, action: retry(0, 'no') },
			],
			database: { latencies: [1, 58], stalls: [{ query: 64, ms: 20_105 }], faults: [] },
			seed: 1759848440,
		},
	},
	{
		name: 'the rows that a node has paid go on into another one',
		scenario: {
			...CALM,
			actions: [
				{ after: 0, action: run(0) },
				{
					after: '2 days',
					action: {
						type: 'chain',
						which: 0,
						output: 'all',
						isCorrected: false,
						batch: 0,
						slot: 0,
						interruption: null,
					},
				},
			],
		},
	},
	{
		name: 'the logs have the attempt that failed, and not yet the one that a person requested since',
		scenario: {
			...CALM,
			settings: { ...CALM.settings, tries: 2, checkDeliveryLogs: true },
			actions: [
				{ after: 0, action: { type: 'rush', file: 0, steps: 0 } },
				{ after: 1001, action: retry(0, 'all') },
			],
			service: {
				...CALM.service,
				faults: ['reset after'],
				logs: { ...CALM.service.logs, counts: false, lives: [3], delays: [0, 0, 1_200_000] },
			},
		},
	},
	{
		name: 'a batch that sends nothing records in a full store what the logs have',
		scenario: {
			...CALM,
			files: [[row(4), row(0), row(8), row(10), { ...row(7), variant: 1 }, row(2), row(3)]],
			settings: { ...CALM.settings, references: 'key', dailyLimit: 40, perRun: 3, isFull: true },
			actions: [
				{
					after: 0,
					action: { ...run(0), node: 1, interruption: { is: 'timedOut', steps: 64 } },
				},
				{
					after: 0,
					action: {
						type: 'chain',
						which: 0,
						output: 'error',
						isCorrected: false,
						batch: 0,
						slot: 0,
						interruption: null,
					},
				},
			],
			service: {
				...CALM.service,
				logs: {
					...CALM.service.logs,
					events: 'final',
					counts: false,
					shapes: ['no reference', 'documented'],
				},
			},
		},
	},
];

test.each(FOUND)('all invariants hold if $name', async ({ scenario: one }) => {
	expect(await violationsIn(one)).toEqual([]);
});
