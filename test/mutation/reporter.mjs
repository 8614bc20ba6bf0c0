import { existsSync, readFileSync } from 'node:fs';

import { declarationAt, declarationsOf } from './declarations.cjs';

/** The share of its mutants, in percent, that the tests have to kill in every file of `held`. */
const PERCENT = 90;

/**
 * A mutant that no test can kill. It is known by the declaration that it is in, its mutator and its replacement, and
 * not by its line or by the code that it replaces.
 *
 * @typedef {object} Survivor
 * @property {string} in such as `Poller.gap`
 * @property {string} mutator
 * @property {string} becomes
 * @property {number} [count] how many there are of them in the declaration: 1 if absent
 * @property {string} why
 */

/** @type {{ held: string[], survivors: Record<string, Survivor[]> }} */
const known = JSON.parse(readFileSync(new URL('known.json', import.meta.url), 'utf8'));

const KILLED = ['Killed', 'Timeout'];
const LIVING = ['Survived', 'NoCoverage'];

const oneLine = (text) => text.replace(/\s+/g, ' ').trim();

/**
 * The mutants of a file that live without a reason in `known.json`.
 *
 * @param {string} file
 * @param {{ source: string, mutants: any[] }} result
 */
function unexplained(file, { source, mutants }) {
	const declarations = declarationsOf(source);
	const starts = [0];
	for (const line of source.split('\n')) starts.push(starts[starts.length - 1] + line.length + 1);
	const left = (known.survivors[file] ?? []).map(({ count = 1, ...one }) => ({ ...one, count }));
	return mutants
		.filter(({ status }) => LIVING.includes(status))
		.map(({ location: { start }, mutatorName, replacement = '', status }) => ({
			line: start.line,
			status,
			in: declarationAt(declarations, starts[start.line - 1] + start.column - 1),
			mutator: mutatorName,
			becomes: oneLine(replacement),
		}))
		.filter((mutant) => {
			const reason = left.find(
				(one) =>
					one.count > 0 &&
					one.in === mutant.in &&
					one.mutator === mutant.mutator &&
					one.becomes === mutant.becomes,
			);
			if (reason) reason.count--;
			return !reason;
		});
}

/** Prints each survivor as soon as it is found, then a table, and fails if a file of `held` has too many. */
const reporter = {
	onMutantTested({ fileName, location, mutatorName, replacement, status }) {
		if (KILLED.includes(status) || status === 'Ignored') return;
		const { line, column } = location.start;
		const place = `${fileName.split('/nodes/').at(-1)}:${line}:${column}`;
		console.log(`${status} ${place} ${mutatorName} -> ${oneLine(replacement ?? '')}`);
	},

	onMutationTestReportReady({ files }) {
		const rows = Object.entries(files).map(([file, result]) => {
			const { mutants } = result;
			const count = (...some) => mutants.filter(({ status }) => some.includes(status)).length;
			const killed = count(...KILLED);
			const living = count(...LIVING);
			const all = killed + living;
			const unknown = unexplained(file, result);
			for (const { line, status, in: place, mutator, becomes } of unknown) {
				console.log(
					`${status} without a reason: ${file}:${line} ${place} ${mutator} -> ${becomes}`,
				);
			}
			return {
				file,
				killed: count('Killed'),
				// On a machine that is too busy, such a test has found nothing.
				'killed by a test timeout': mutants.filter(
					({ status, statusReason }) =>
						status === 'Killed' && /Exceeded timeout/.test(statusReason ?? ''),
				).length,
				timeout: count('Timeout'),
				survived: count('Survived'),
				'no coverage': count('NoCoverage'),
				explained: living - unknown.length,
				'%': all === 0 ? 100 : Math.floor((1_000 * killed) / all) / 10,
			};
		});
		console.table(rows);
		for (const { file, survived, 'no coverage': untried, explained, '%': percent } of rows) {
			// Of a few changed lines, the only survivor may be one with a reason.
			const isExplained = survived + untried === explained;
			if (!known.held.includes(file) || percent >= PERCENT || isExplained) continue;
			console.error(`${file}: the tests kill ${percent} % of its mutants, less than ${PERCENT} %`);
			process.exitCode = 1;
		}
		for (const file of known.held.filter((one) => !existsSync(one))) {
			console.error(`${file}, which known.json holds to ${PERCENT} %, does not exist`);
			process.exitCode = 1;
		}
	},
};

export const strykerPlugins = [{ kind: 'Reporter', name: 'files', value: reporter }];
