import { userMessage } from '../../messages/userMessage';
import { grouped } from '../../fields/grouped';
import { LIMITS, SheetBuilder, textCell, UnreadableFile, type PaymentFile } from '../sheet';

/** The delimiters of CSV files, in the order in which a tie is decided. */
const DELIMITERS = [';', '\t', '|', ','];

/** How much of a file decides on its delimiter. */
const SAMPLE = 65_536;

/** Reads a file with delimiters. A line break inside quotation marks belongs to its cell. */
export async function readCsv(text: string, yieldNow: () => Promise<void>): Promise<PaymentFile> {
	const sheet = new SheetBuilder();
	for (const [row, column, raw] of splitCells(text, findDelimiter(text))) {
		if (column === 0) await yieldNow();
		sheet.put(row, column, textCell(raw));
	}
	return { sheets: [sheet.build()] };
}

/** The delimiter with which most lines at the start are equally wide. */
function findDelimiter(text: string): string {
	const lines = text.slice(0, SAMPLE).split('\n');
	const scores = DELIMITERS.map((delimiter) => {
		const byWidth = [...grouped(lines, (line) => line.split(delimiter).length)];
		// Four columns say as much as forty.
		return Math.max(
			...byWidth.map(([width, equal]) => (width > 1 ? equal.length * Math.min(width, 4) : 0)),
		);
	});
	return DELIMITERS[scores.indexOf(Math.max(...scores))];
}

/** The cells, each with its row and column. A quotation mark opens a quoted text only at the beginning of a cell. */
function* splitCells(text: string, delimiter: string): Generator<[number, number, string]> {
	const ends = `${delimiter}\r\n`;
	let row = 0;
	let column = 0;
	let start = 0;
	while (start < text.length) {
		const quoted = text[start] === '"' ? quotedCell(text, start, row) : { cell: '', end: start };
		let { end } = quoted;
		while (end < text.length && !ends.includes(text[end])) end++;
		yield [row, column++, quoted.cell + text.slice(quoted.end, end)];
		start = end + 1;
		if (text[end] === delimiter) continue;
		if (text[end] === '\r' && text[start] === '\n') start++;
		row++;
		column = 0;
	}
}

/** The text in quotation marks, in which two of them mean one, and where it ends. */
function quotedCell(text: string, start: number, row: number): { cell: string; end: number } {
	let cell = '';
	let from = start + 1;
	for (;;) {
		const quote = text.indexOf('"', from);
		if (quote === -1 || quote - start > LIMITS.quoted)
			throw new UnreadableFile(userMessage('openQuote', { row: row + 1 }));
		cell += text.slice(from, quote);
		from = quote + 1;
		if (text[from] !== '"') return { cell, end: from };
		cell += '"';
		from++;
	}
}
