import { checkInvariants, computersWith, scenario, type Scenario } from './decisions';
import { testScenarios } from './testScenarios';

const computers = computersWith();
const violationsIn = async (one: Scenario) => await checkInvariants(one, computers);

testScenarios(
	'decisions',
	'sends of each file what the guides promise, and reports each row as they say',
	scenario,
	violationsIn,
);

/** Rows of as many payees. */
const rowsOf = (payees: number[]) => ({
	are: 'new' as const,
	list: payees.map((payee) => ({
		key: payee,
		payee,
		account: 0,
		cents: 75_000,
		purpose: 0,
		spelling: 0 as const,
		isBad: false,
	})),
});

const run = (payees: number[], perRun: 0 | 2): Scenario['runs'][number] => ({
	after: 'at once',
	rows: rowsOf(payees),
	batch: 0,
	node: 0,
	limit: { is: 'none', more: 0 },
	approval: 'none',
	dryRun: false,
	checkDeliveryLogs: false,
	perRun,
	answers: ['created'],
});

test('the runs of a loop share the requests per second that the user has set', async () => {
	const one: Scenario = {
		settings: {
			references: 'payee',
			amounts: 'number',
			columns: 'own',
			onError: 'stopWorkflow',
			concurrency: 1,
			requestsPerSecond: 2,
			duplicatePayments: 'reject',
			accountChanges: 'report',
			ifAlreadySent: 'skip',
			dailyLimit: 0,
		},
		runs: [run([0], 0), run([1, 2, 3], 2)],
		service: { latency: 0, logs: { amounts: 'none', fails: [false] } },
		seed: 0,
	};
	expect(await violationsIn(one)).toEqual([]);
});
