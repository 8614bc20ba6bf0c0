/* eslint-disable @n8n/community-nodes/no-restricted-globals -- runs beside n8n, not in it */
import type fc from 'fast-check';

import { describe as inWords, search } from './search';

/** The same at each change, so that what fails is of the change: every night others are looked through. */
const CASES = Number(process.env.SIMULATION_WORLDS ?? 2_000);
const SEED = Number(process.env.SIMULATION_SEED ?? 1);

/** Far more than it takes, on a busy machine too. */
const MAX_MS = 900_000;

/**
 * Tests that a promise holds in many worlds of a kind.
 *
 * @param judged gives in words what does not hold in a world
 */
export function testWorlds<World>(
	kind: 'payments' | 'events',
	promise: string,
	world: fc.Arbitrary<World>,
	judged: (one: World) => Promise<string[]>,
): void {
	test(
		`${promise}, whatever happens (${CASES} worlds, seed ${SEED})`,
		async () => {
			const found = await search(world, judged, { cases: CASES, seed: SEED, shrinks: true });
			expect(found.failure && inWords(found.failure, kind, SEED)).toBeUndefined();
			expect(found.cases).toBe(CASES);
		},
		MAX_MS,
	);
}
