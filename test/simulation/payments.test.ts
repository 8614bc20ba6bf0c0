import { computersWith, checkInvariants, scenario, type Scenario } from './payments';
import { testScenarios } from './testScenarios';

const computers = computersWith();
const violationsIn = async (one: Scenario) => await checkInvariants(one, computers);

testScenarios(
	'payments',
	'nobody is paid twice and nothing that was created goes unreported',
	scenario,
	violationsIn,
);

/** A row that is as it should be. */
const row = (payment: number) => ({ payment, variant: 0, upperCase: false, isBad: false }) as const;

const CALM: Scenario = {
	files: [[row(0)]],
	settings: {
		concurrency: 1,
		onError: 'stopWorkflow',
		tries: 1,
		references: 'given',
		ifAlreadySent: 'skip',
		remembers: true,
		requestsPerSecond: 0,
		checkBalance: false,
		perRun: 0,
		parentTries: 1,
		smallPortions: false,
		removeDuplicates: false,
	},
	deeds: [],
	service: {
		duplicates: 'accept',
		forgetsAfter: 1e9,
		tokenLifetime: 1e9,
		faults: [],
		loginFaults: [],
		latencies: [0],
		isDown: [],
	},
	database: { latencies: [0], faults: [] },
	seed: 0,
};

const run = (slot: number) =>
	({
		type: 'run',
		file: 0,
		isTurned: false,
		slot,
		again: 'no',
		dryRun: false,
		fate: null,
	}) as const;

/** Scenarios in which something did not hold, when they were found, and as small as they could be made. */
const FOUND: Array<{ name: string; scenario: Scenario }> = [
	{
		name: 'two begin with the same row at once, and the one that wrote it down is stopped',
		scenario: {
			...CALM,
			deeds: [
				{ after: 0, deed: run(0) },
				{ after: 119, deed: { type: 'cancel', which: 0 } },
				{ after: 'quiet', deed: run(1) },
			],
			database: { latencies: [0, 49, 14], faults: [] },
			seed: -448122204,
		},
	},
	{
		name: 'one is sent again while others who wrote it down wait, and find the service away',
		scenario: {
			...CALM,
			deeds: [
				{ after: 'quiet', deed: { type: 'rush', file: 0, steps: 0 } },
				{
					after: 0,
					deed: { type: 'retry', which: 0, slot: 0, again: 'lookedUp', fate: null },
				},
				{ after: 0, deed: run(0) },
			],
			service: { ...CALM.service, isDown: [true, false] },
			database: { latencies: [0, 12], faults: [] },
			seed: 313231015,
		},
	},
	{
		name: 'what an earlier attempt left unknown is named for Send Again, and another row fails first',
		scenario: {
			...CALM,
			files: [[row(0), row(1)]],
			settings: { ...CALM.settings, remembers: false },
			deeds: [
				{ after: 0, deed: run(0) },
				{
					after: 'quiet',
					deed: { type: 'retry', which: 0, slot: 0, again: 'no', fate: null },
				},
				{ after: 'quiet', deed: { type: 'retry', which: 1, slot: 0, again: 'all', fate: null } },
			],
			service: { ...CALM.service, faults: ['503, created'] },
		},
	},
];

test.each(FOUND)('all holds when $name', async ({ scenario: one }) => {
	expect(await violationsIn(one)).toEqual([]);
});
