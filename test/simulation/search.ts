import fc from 'fast-check';

import type { Clock } from './clock';
import type { Patch } from './patch';
import type { Computers } from './process';

/** A kind of scenarios, as its file exports it. */
export interface Kind<Scenario, Figures extends object> {
	scenario: fc.Arbitrary<Scenario>;
	computersWith: (patches?: readonly Patch[]) => Computers;
	Figures: new () => Figures;
	/** Runs a scenario, and gives the invariants that it violates, as sentences. */
	checkInvariants: (
		scenario: Scenario,
		computers: Computers,
		figures?: Figures,
	) => Promise<string[]>;
}

/** The settings of a search. */
export interface Search {
	/** How many scenarios at most: the first that fails ends the search. */
	runs: number;
	/** Everything random comes from it. */
	seed: number;
	/** One run of an earlier search with the same seed, to repeat it alone. */
	path?: string;
	/** Whether a failing scenario is shrunk for as long as it keeps failing. */
	shrinks: boolean;
}

/** The result of a search. */
export interface Found<Scenario> {
	runs: number;
	failure?: { scenario: Scenario; violations: string[]; path: string };
}

/**
 * Lets a scenario happen, and ends its processes.
 *
 * @returns what to say if it does not end, otherwise undefined
 */
export async function failureToEnd(
	scenarioRun: { clock: Clock; happen: () => Promise<void> },
	computers: Computers,
): Promise<string | undefined> {
	try {
		await scenarioRun.clock.finish(scenarioRun.happen());
		return undefined;
	} catch (error) {
		return `the scenario did not end: ${(error as Error).stack}`;
	} finally {
		computers.clear();
	}
}

/**
 * Runs random scenarios until one fails.
 *
 * @param checkInvariants runs a scenario, and gives the invariants that it violates
 */
export async function search<Scenario>(
	arbitrary: fc.Arbitrary<Scenario>,
	checkInvariants: (scenario: Scenario) => Promise<string[]>,
	{ runs, seed, path, shrinks }: Search,
): Promise<Found<Scenario>> {
	const property = fc.asyncProperty(
		arbitrary,
		async (scenario) => (await checkInvariants(scenario)).length === 0,
	);
	const details = await fc.check(property, { numRuns: runs, seed, path, endOnFailure: !shrinks });
	if (!details.failed || details.counterexample === null) return { runs: details.numRuns };
	const [scenario] = details.counterexample;
	const failure = {
		scenario,
		violations: await checkInvariants(scenario),
		path: details.counterexamplePath ?? '',
	};
	return { runs: details.numRuns, failure };
}

/** A failing scenario with its violations and the command that repeats it. */
export function describe<Scenario>(
	{ scenario, violations, path }: NonNullable<Found<Scenario>['failure']>,
	name: string,
	seed: number,
): string {
	return [
		...violations.map((line) => `- ${line}`),
		`in the scenario ${JSON.stringify(scenario)}`,
		`To repeat: npm run simulate -- --scenario ${name} --seed ${seed} --path ${path}`,
	].join('\n');
}
