import { readFileSync } from 'node:fs';

/** So many of its mutants every file has to have killed that is held to it. */
const PERCENT = 90;

/** @type {{ held: string[], survivors: Record<string, Array<{ code: string, becomes: string, why: string }>> }} */
const known = JSON.parse(readFileSync(new URL('known.json', import.meta.url), 'utf8'));

const KILLED = ['Killed', 'Timeout'];
const LIVING = ['Survived', 'NoCoverage'];

const oneLine = (text) => text.replace(/\s+/g, ' ').trim();

/** Names what lives as soon as it is known, then counts, and judges the files that are held to it. */
const reporter = {
	onMutantTested({ fileName, location, mutatorName, replacement, status }) {
		if (KILLED.includes(status) || status === 'Ignored') return;
		const { line, column } = location.start;
		const place = `${fileName.split('/nodes/').at(-1)}:${line}:${column}`;
		console.log(`${status} ${place} ${mutatorName} -> ${oneLine(replacement ?? '')}`);
	},

	onMutationTestReportReady({ files }) {
		const rows = Object.entries(files).map(([file, { source, mutants }]) => {
			const lines = source.split('\n');
			const textOf = ({ start, end }) => {
				const text = lines.slice(start.line - 1, end.line);
				text[text.length - 1] = text[text.length - 1].slice(0, end.column - 1);
				text[0] = text[0].slice(start.column - 1);
				return oneLine(text.join('\n'));
			};
			const count = (...some) => mutants.filter(({ status }) => some.includes(status)).length;
			const killed = count(...KILLED);
			const all = killed + count(...LIVING);
			const reasons = known.survivors[file] ?? [];
			const explained = mutants.filter(
				({ status, location, replacement }) =>
					LIVING.includes(status) &&
					reasons.some(
						({ code, becomes }) =>
							code === textOf(location) && becomes === oneLine(replacement ?? ''),
					),
			).length;
			return {
				file,
				killed: count('Killed'),
				// On a machine that is too busy, such a test has found nothing.
				'of these by a test out of time': mutants.filter(
					({ status, statusReason }) =>
						status === 'Killed' && /Exceeded timeout/.test(statusReason ?? ''),
				).length,
				timeout: count('Timeout'),
				survived: count('Survived'),
				'no coverage': count('NoCoverage'),
				'of these explained': explained,
				'%': all === 0 ? 100 : Math.floor((1_000 * killed) / all) / 10,
			};
		});
		console.table(rows);
		for (const { file, '%': percent } of rows) {
			if (!known.held.includes(file) || percent >= PERCENT) continue;
			console.error(`${file}: ${percent} % of its mutants are killed, and not ${PERCENT} %`);
			process.exitCode = 1;
		}
	},
};

export const strykerPlugins = [{ kind: 'Reporter', name: 'files', value: reporter }];
