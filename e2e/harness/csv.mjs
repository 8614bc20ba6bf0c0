/**
 * A row, by column.
 *
 * @typedef {Record<string, string>} Row
 */

/**
 * Parses CSV (RFC 4180) with column names in the first row. All values stay text.
 *
 * @param {string} text
 * @returns {Row[]}
 */
export function parseCsv(text) {
	const [header = [], ...rows] = parseRows(text.replace(/^\uFEFF/, ''));
	return rows.map((row) =>
		Object.fromEntries(header.map((name, index) => [name, row[index] ?? ''])),
	);
}

/** @param {string} text */
function parseRows(text) {
	const rows = [];
	let row = [];
	// A quoted or plain cell, and its end.
	const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/gy;
	for (let match; cell.lastIndex < text.length && (match = cell.exec(text));) {
		const [, quoted, plain, end] = match;
		row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
		if (end === ',') {
			if (cell.lastIndex === text.length) row.push('');
			else continue;
		}
		rows.push(row);
		row = [];
	}
	return rows;
}
