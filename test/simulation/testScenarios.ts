import type fc from 'fast-check';

import { runsOr, SEED } from '../random';
import type { ScenarioName } from './seededBugs';
import { describe as describeFailure, search } from './search';

/** Few, because they take long here, those of the trigger most; `npm run test:scenarios` runs many more. */
const RUNS: Record<ScenarioName, number> = { payments: 60, fundings: 60, events: 25 };

/** Much longer than the scenarios take, also on a busy machine. */
const MAX_MS = 900_000;

/**
 * Tests that a promise holds in many scenarios of a kind.
 *
 * @param promise the title of the test
 * @param violationsIn runs a scenario, and gives the invariants that it violates
 */
export function testScenarios<Scenario>(
	kind: ScenarioName,
	promise: string,
	scenario: fc.Arbitrary<Scenario>,
	violationsIn: (one: Scenario) => Promise<string[]>,
): void {
	const runs = runsOr(RUNS[kind]);
	test(
		`${promise} (${runs} scenarios, seed ${SEED})`,
		async () => {
			const found = await search(scenario, violationsIn, { runs, seed: SEED, shrinks: true });
			expect(found.failure && describeFailure(found.failure, kind, SEED)).toBeUndefined();
			expect(found.runs).toBe(runs);
		},
		MAX_MS,
	);
}
