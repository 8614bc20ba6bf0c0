/* eslint-disable @n8n/community-nodes/no-restricted-globals -- the tests run outside n8n */
/**
 * The seed of all random tests. It is the same for every change, so that a failure is due to the change. To repeat a
 * failure, or to try other cases, set it: `SEED=7 npx jest test/fuzz`. `npm run test:scenarios`, `npm run fuzz` and
 * `npm run simulate` take it from the clock and print it.
 */
export const SEED = Number(process.env.SEED ?? 1);

/** How many cases a random test runs: `RUNS=5000 npx jest test/fuzz`, or the number that the test gives. */
export const runsOr = (usual: number): number => Number(process.env.RUNS ?? usual);

/** Every so-many-th case from a number on, or all if `RUNS` is set: where the cases are combinations of two lists. */
export const everyNth = <Case>(nth: number, from: number, cases: Case[]): Case[] =>
	process.env.RUNS === undefined ? cases.filter((_, index) => index % nth === from % nth) : cases;
