/** Excel files, with the library that n8n itself reads them with. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

/** @param {import('./install.mjs').Installation} installation */
function library({ dir }) {
	const manifest = path.join(dir, 'node_modules/n8n-nodes-base/package.json');
	const { dependencies } = JSON.parse(readFileSync(manifest, 'utf8'));
	// n8n 1 has it under another name.
	const name = '@e965/xlsx' in dependencies ? '@e965/xlsx' : 'xlsx';
	return createRequire(manifest)(name);
}

/**
 * The rows of the first sheet with their numbers, as texts.
 *
 * @param {import('./install.mjs').Installation} installation
 * @param {string} file
 * @returns {Map<number, string[]>}
 */
export function sheetRows(installation, file) {
	const { read, utils } = library(installation);
	const { Sheets, SheetNames } = read(readFileSync(file));
	const rows = utils.sheet_to_json(Sheets[SheetNames[0]], { header: 1, range: 0, raw: false });
	return new Map(rows.map((cells, index) => [index + 1, cells.map((cell) => cell ?? '')]));
}

/**
 * Copies an Excel file with other texts in some cells.
 *
 * @param {import('./install.mjs').Installation} installation
 * @param {string} from
 * @param {string} to
 * @param {Record<string, string>} cells by address, such as `B7`
 */
export function editSheet(installation, from, to, cells) {
	const { read, writeFile } = library(installation);
	const book = read(readFileSync(from));
	const sheet = book.Sheets[book.SheetNames[0]];
	for (const [address, text] of Object.entries(cells)) sheet[address] = { t: 's', v: text };
	writeFile(book, to, { compression: true });
}

/**
 * Writes an Excel file with one sheet.
 *
 * @param {import('./install.mjs').Installation} installation
 * @param {string} to
 * @param {Array<Array<string | number>>} rows
 */
export function writeSheet(installation, to, rows) {
	const { utils, writeFile } = library(installation);
	const book = utils.book_new();
	utils.book_append_sheet(book, utils.aoa_to_sheet(rows), 'Hoja1');
	writeFile(book, to);
}
