import fc from 'fast-check';

import type { Change } from './package';
import type { Computers } from './process';

/** A kind of worlds, as its file exports it. */
export interface Kind<World, Figures extends object> {
	world: fc.Arbitrary<World>;
	computersWith: (changes?: readonly Change[]) => Computers;
	Figures: new () => Figures;
	/** Lets a world happen, and gives in words what does not hold in it. */
	judge: (world: World, computers: Computers, figures?: Figures) => Promise<string[]>;
}

/** What to look through. */
export interface Search {
	/** How many worlds at the most: the first that fails ends the search. */
	cases: number;
	/** All that is left to chance comes from it. */
	seed: number;
	/** Of one case of an earlier search with the same seed, to have it alone. */
	path?: string;
	/** Whether a world that fails is made smaller, for as long as it goes on failing. */
	shrinks: boolean;
}

/** What came of it. */
export interface Found<World> {
	cases: number;
	failure?: { world: World; wrong: string[]; path: string };
}

/**
 * Lets worlds happen by chance until one fails.
 *
 * @param judge gives in words what does not hold in a world
 */
export async function search<World>(
	arbitrary: fc.Arbitrary<World>,
	judge: (world: World) => Promise<string[]>,
	{ cases, seed, path, shrinks }: Search,
): Promise<Found<World>> {
	const property = fc.asyncProperty(arbitrary, async (world) => (await judge(world)).length === 0);
	const details = await fc.check(property, { numRuns: cases, seed, path, endOnFailure: !shrinks });
	if (!details.failed || details.counterexample === null) return { cases: details.numRuns };
	const [world] = details.counterexample;
	const failure = { world, wrong: await judge(world), path: details.counterexamplePath ?? '' };
	return { cases: details.numRuns, failure };
}

/** A world that fails, in words, with the command that repeats it. */
export function describe<World>(
	{ world, wrong, path }: NonNullable<Found<World>['failure']>,
	name: string,
	seed: number,
): string {
	return [
		...wrong.map((line) => `- ${line}`),
		`in the world ${JSON.stringify(world)}`,
		`To repeat: npm run simulate -- --world ${name} --seed ${seed} --path ${path}`,
	].join('\n');
}
