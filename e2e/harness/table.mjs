/**
 * Formats rows as a plain text table.
 *
 * @param {Array<{ title: string, right?: boolean, width?: number, value: (row: any) => unknown }>} columns
 * @param {unknown[]} rows
 */
export function formatTable(columns, rows) {
	const cells = rows.map((row) =>
		columns.map(({ value, width = 40 }) => shorten(String(value(row) ?? ''), width)),
	);
	const widths = columns.map(({ title }, index) =>
		Math.max(title.length, ...cells.map((row) => row[index].length)),
	);
	const line = (texts) =>
		texts
			.map((text, index) =>
				columns[index].right ? text.padStart(widths[index]) : text.padEnd(widths[index]),
			)
			.join('  ')
			.trimEnd();
	return [
		line(columns.map(({ title }) => title)),
		line(widths.map((width) => '-'.repeat(width))),
		...cells.map(line),
	].join('\n');
}

/**
 * @param {string} text
 * @param {number} width
 */
function shorten(text, width) {
	return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
}
