/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- runs beside n8n, not in it */
import { appendFileSync } from 'node:fs';
import * as fc from 'fast-check';

/** More cases, and others: `npm run fuzz`, or FUZZ_RUNS=5000 FUZZ_SEED=7 npx jest test/fuzz */
const RUNS = Number(process.env.FUZZ_RUNS ?? 100);
const SEED = Number(process.env.FUZZ_SEED ?? 20_261_121);

const TIME_LIMIT_MS = Math.max(60_000, RUNS * 60);

/**
 * A test that a property holds for generated cases.
 *
 * @param share of the usual number of cases, for a property that takes long
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

/** For the table that `npm run fuzz` prints. */
function report(name: string, cases: number): void {
	const { FUZZ_REPORT: file } = process.env;
	if (file) appendFileSync(file, `${JSON.stringify({ name, cases })}\n`);
}
