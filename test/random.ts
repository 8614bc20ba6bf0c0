/* eslint-disable @n8n/community-nodes/no-restricted-globals -- the tests run beside n8n, not in it */
/**
 * The seed and the number of runs of every random test: `SEED` and `RUNS` of the environment, or the test's own
 * number. A failure repeats with the seed that it names.
 */
export const SEED = Number(process.env.SEED ?? 1);

export const runsOr = (usual: number): number => Number(process.env.RUNS ?? usual);
