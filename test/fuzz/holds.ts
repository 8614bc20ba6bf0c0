/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { appendFileSync } from 'node:fs';
import * as fc from 'fast-check';

import { runsOr, SEED } from '../random';

/** `npm run fuzz` runs many more. */
const RUNS = runsOr(100);

const TIME_LIMIT_MS = Math.max(60_000, RUNS * 60);

/**
 * Tests that a property holds for generated cases.
 *
 * @param share the part of the usual number of cases that a slow property runs
 */
export function holds(name: string, property: fc.IRawProperty<unknown>, share = 1): void {
	test(
		name,
		async () => {
			const details = await fc.check(property, { numRuns: Math.ceil(RUNS * share), seed: SEED });
			report(name, details.numRuns);
			const message = fc.defaultReportMessage(details);
			if (message !== undefined) throw new Error(message);
		},
		TIME_LIMIT_MS,
	);
}

/** Adds a line to the table that `npm run fuzz` prints. */
function report(name: string, cases: number): void {
	const { FUZZ_REPORT: file } = process.env;
	if (file) appendFileSync(file, `${JSON.stringify({ name, cases })}\n`);
}
