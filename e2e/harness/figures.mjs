/** Figures of a test file, which the runner prints after everything else. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { formatTable } from './table.mjs';

const FILE = 'figures.txt';

/** @param {Array<[what: string, figure: string]>} figures */
export function writeFigures(folder, figures) {
	const table = formatTable(
		[
			{ title: 'what', width: 60, value: ([what]) => what },
			{ title: 'figure', width: 90, value: ([, figure]) => figure },
		],
		figures,
	);
	writeFileSync(path.join(folder, FILE), `${table}\n`);
}

/** What a test file left in its folder, if anything. */
export function readFigures(folder) {
	const file = path.join(folder, FILE);
	return existsSync(file) ? readFileSync(file, 'utf8') : '';
}
