import type fc from 'fast-check';

import { runsOr, SEED } from '../random';
import { describe as inWords, search } from './search';

const RUNS = runsOr(2_000);

/** Far more than it takes, on a busy machine too. */
const MAX_MS = 900_000;

/**
 * Tests that a promise holds in many scenarios of a kind.
 *
 * @param violationsIn runs a scenario, and gives the invariants that it violates
 */
export function testScenarios<Scenario>(
	kind: 'payments' | 'events',
	promise: string,
	scenario: fc.Arbitrary<Scenario>,
	violationsIn: (one: Scenario) => Promise<string[]>,
): void {
	test(
		`${promise}, whatever happens (${RUNS} scenarios, seed ${SEED})`,
		async () => {
			const found = await search(scenario, violationsIn, { runs: RUNS, seed: SEED, shrinks: true });
			expect(found.failure && inWords(found.failure, kind, SEED)).toBeUndefined();
			expect(found.runs).toBe(RUNS);
		},
		MAX_MS,
	);
}
