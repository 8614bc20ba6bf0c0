import { computersWith, checkInvariants, scenario, type Scenario } from './events';
import { testScenarios } from './testScenarios';

const computers = computersWith();
const violationsIn = async (one: Scenario) => await checkInvariants(one, computers);

testScenarios(
	'events',
	'each trigger handles each event once, whatever fails',
	scenario,
	violationsIn,
);

const CALM: Scenario = {
	places: [{ installation: 0, workflow: 0, node: 0 }],
	settings: [
		{
			startWorkflow: 'eachEvent',
			checkForMissedEvents: 'every15Minutes',
			verifyDeliveries: true,
			lookbackHours: 24,
			events: ['completed_transaction', 'failed_transaction'],
			type: null,
		},
	],
	n8n: {
		isQueue: false,
		workers: 1,
		exportHasData: false,
		exportHasId: false,
		handlerMs: [0],
		failures: [],
		isListed: [false],
		removeDuplicates: false,
		smallPages: false,
		smallMemory: false,
		offset: 0,
	},
	others: [],
	actions: [],
	service: {
		offset: 0,
		order: 'newest',
		isRowForEach: false,
		counts: false,
		retries: [],
		namesId: true,
		addsSlash: false,
		rowsBefore: 0,
		tokenLifetime: 1e12,
		requestsPerMinute: 0,
		faults: [],
		loginFaults: [],
		mishaps: [],
		oddities: [],
		changes: [],
		dates: ['iso'],
		respells: [],
		sendsAll: false,
		ignoresFilters: false,
		repairs: 'kept',
		latencies: [0],
	},
	database: { latencies: [0], faults: [] },
	seed: 0,
};

const events = (count: number) =>
	({
		type: 'events',
		count,
		pause: 2_000,
		status: 0,
		kind: 0,
		isNamed: true,
		of: null,
		shape: 0,
	}) as const;

const kill = (process: number) =>
	({ type: 'kill', count: 0, installation: 0, process, steps: 0, downMs: 5_000 }) as const;

/** Scenarios that once violated an invariant. */
const FOUND: Array<{ name: string; scenario: Scenario }> = [
	{
		name: 'n8n starts with a new address while the service cannot be reached',
		scenario: {
			...CALM,
			actions: [
				{ after: 0, action: { type: 'outage', forMs: 60_000, how: 'unreachable', restart: 'no' } },
				{ after: 0, action: { type: 'move', installation: 0 } },
				{ after: 20 * 60_000, action: events(4) },
			],
		},
	},
	{
		name: 'a worker is killed before it starts with events that a poll emitted',
		scenario: {
			...CALM,
			n8n: { ...CALM.n8n, isQueue: true },
			actions: [
				{ after: 0, action: events(1) },
				{ after: 0, action: kill(1) },
				{ after: 630_001, action: kill(0) },
			],
			service: { ...CALM.service, mishaps: ['lost before'] },
		},
	},
	{
		name: 'logins fail after the service has ended a token early',
		scenario: {
			...CALM,
			actions: [{ after: 40 * 60_000, action: events(1) }],
			service: {
				...CALM.service,
				tokenLifetime: 100_000,
				loginFaults: [null, '503', '503', '503', '503', '503'],
				mishaps: ['lost before'],
			},
		},
	},
	{
		name: 'the oldest page of the logs has an entry that is not an object',
		scenario: {
			...CALM,
			n8n: { ...CALM.n8n, smallPages: true },
			actions: [{ after: 0, action: events(1) }],
			service: { ...CALM.service, order: 'oldest', rowsBefore: 4, mishaps: ['lost before'] },
		},
	},
	{
		name: 'entries without an identifier are on several pages that have the oldest first',
		scenario: {
			...CALM,
			n8n: { ...CALM.n8n, smallPages: true },
			actions: [{ after: 0, action: events(4) }],
			service: {
				...CALM.service,
				order: 'oldest',
				mishaps: ['lost before'],
				oddities: ['no id'],
			},
		},
	},
	{
		name: 'every second call to the database fails, including the creation of the lock',
		scenario: {
			...CALM,
			n8n: { ...CALM.n8n, isQueue: true, workers: 2 },
			actions: [
				{ after: 0, action: { ...kill(0), count: 2 } },
				{ after: 0, action: { ...kill(0), count: 2 } },
				{ after: 630_001, action: { type: 'move', installation: 0 } },
				{ after: 270, action: kill(0) },
			],
			database: { latencies: [0], faults: [null, 'before'] },
			seed: -545841575,
		},
	},
	{
		name: 'a page of the logs with the oldest first has entries of the same moment and an invalid one',
		scenario: {
			...CALM,
			settings: [{ ...CALM.settings[0], startWorkflow: 'allNewEvents', lookbackHours: 2 }],
			n8n: { ...CALM.n8n, smallPages: true },
			actions: [
				{ after: 0, action: { ...events(1), pause: 0 } },
				{ after: 15, action: { ...kill(0), count: 2 } },
				{ after: 749_353, action: { type: 'forge', which: 0, how: 'none' } },
				{ after: 102, action: { type: 'forge', which: 0, how: 'none' } },
				{ after: 785_189, action: { ...events(1), pause: 0 } },
				{ after: 861_854, action: { ...events(1), pause: 0 } },
				{ after: 930_818, action: { ...events(1), pause: 0 } },
				{ after: 1_696, action: kill(0) },
				{ after: 998, action: { type: 'publish', which: 0 } },
			],
			service: {
				...CALM.service,
				offset: -1_200_000,
				order: 'oldest',
				rowsBefore: 4,
				latencies: [0, 1],
			},
			database: { latencies: [16], faults: [] },
		},
	},
	{
		name: 'a poll comes just before an hour has passed, with a lookback window of two hours',
		scenario: {
			...CALM,
			settings: [{ ...CALM.settings[0], checkForMissedEvents: 'everyHour', lookbackHours: 2 }],
			actions: [
				{ after: 1_528_668, action: { ...events(4), pause: 20 } },
				{ after: 1_272, action: events(1) },
			],
			service: { ...CALM.service, oddities: ['another status'] },
			database: { latencies: [2], faults: ['before'] },
		},
	},
	{
		name: 'each look finds more events than an execution gets, and looks come once an hour',
		scenario: {
			...CALM,
			settings: [
				{ ...CALM.settings[0], startWorkflow: 'allNewEvents', checkForMissedEvents: 'everyHour' },
			],
			n8n: { ...CALM.n8n, smallPages: true },
			actions: Array.from({ length: 9 }, () => ({ after: 0, action: events(4) })),
		},
	},
	{
		name: 'pages that seem to have the newest first contain entries without a date',
		scenario: {
			...CALM,
			places: [
				{ installation: 0, workflow: 0, node: 1 },
				{ installation: 0, workflow: 0, node: 0 },
			],
			settings: [
				{
					...CALM.settings[0],
					startWorkflow: 'allNewEvents',
					checkForMissedEvents: 'everyHour',
					lookbackHours: 2,
				},
			],
			n8n: { ...CALM.n8n, smallPages: true },
			others: ['elsewhere'],
			actions: [
				{ after: 58_050, action: { type: 'publish', which: 0 } },
				{ after: 855, action: { type: 'retry', which: 0, times: 1 } },
				{ after: 5, action: { ...kill(0), count: 1 } },
				{ after: 843, action: { ...kill(0), count: 1 } },
				{ after: 0, action: { ...events(2), pause: 0, status: 2 } },
				{ after: 564_284, action: events(4) },
			],
			service: {
				...CALM.service,
				order: 'oldest',
				retries: [1_000],
				rowsBefore: 1,
				mishaps: ['twice'],
				oddities: [null, null, 'no date'],
			},
			database: { latencies: [0, 12, 6], faults: [] },
		},
	},
];

test.each(FOUND)('all invariants hold if $name', async ({ scenario: one }) => {
	expect(await violationsIn(one)).toEqual([]);
});
