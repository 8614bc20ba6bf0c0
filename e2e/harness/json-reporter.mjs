/** A reporter for node:test, and a reader of what it writes: a line of JSON for each test that has run. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { RESULTS_VARIABLE } from './paths.mjs';

/** What node:test is told, so that it reports here too. The reporter has no output: see below. */
export const JSON_REPORTER_OPTIONS = [
	`--test-reporter=${fileURLToPath(import.meta.url)}`,
	'--test-reporter-destination=stderr',
];

export default async function* reporter(events) {
	for await (const { type, data } of events) {
		if (type !== 'test:pass' && type !== 'test:fail') continue;
		// Tests that a name pattern leaves out are reported as skipped.
		if (data.skip !== undefined) continue;
		const { error } = data.details;
		// A suite counts when something around its tests failed.
		if (data.details.type === 'suite' && error?.failureType !== 'hookFailed') continue;
		const result = {
			name: data.name,
			passed: type === 'test:pass',
			reason: error && (error.cause?.stack ?? error.message),
		};
		// Written at once: a process that is made to end after its tests does not wait for reporters.
		appendFileSync(process.env[RESULTS_VARIABLE] ?? '', `${JSON.stringify(result)}\n`);
		yield '';
	}
}

/**
 * @param {string} file what the reporter wrote
 * @returns {{ name: string, passed: boolean, reason?: string }[]} none when it wrote nothing
 */
export function readResults(file) {
	if (!existsSync(file)) return [];
	return readFileSync(file, 'utf8')
		.split('\n')
		.filter((line) => line !== '')
		.map((line) => JSON.parse(line));
}

/**
 * Which test failed, and why.
 *
 * @param {{ name: string, reason?: string }} result
 */
export function describeFailure({ name, reason }) {
	return `${name}:\n${reason}`;
}
