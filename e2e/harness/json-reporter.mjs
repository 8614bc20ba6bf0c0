/** A reporter for node:test that writes a line of JSON for each test, and its reader. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { RESULTS_VARIABLE } from './paths.mjs';

/** The options that make node:test use this reporter. It has no output: see below. */
export const JSON_REPORTER_OPTIONS = [
	`--test-reporter=${fileURLToPath(import.meta.url)}`,
	'--test-reporter-destination=stderr',
];

export default async function* reporter(events) {
	for await (const { type, data } of events) {
		if (type !== 'test:pass' && type !== 'test:fail') continue;
		// node:test reports tests that a name pattern excludes as skipped.
		if (data.skip !== undefined) continue;
		const { error } = data.details;
		// A suite counts only if one of its hooks failed.
		if (data.details.type === 'suite' && error?.failureType !== 'hookFailed') continue;
		const result = {
			name: data.name,
			passed: type === 'test:pass',
			reason: error && (error.cause?.stack ?? error.message),
		};
		// Written at once, because a forced exit doesn't wait for reporters.
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
 * The name of a failed test with the reason.
 *
 * @param {{ name: string, reason?: string }} result
 */
export function describeFailure({ name, reason }) {
	return `${name}:\n${reason}`;
}
