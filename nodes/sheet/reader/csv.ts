import { userMessage } from '../../messages/userMessage';
import { grouped } from '../../fields/grouped';
import {
	LIMITS,
	newBudget,
	SheetBuilder,
	textCell,
	UnreadableFile,
	type PaymentFile,
} from '../sheet';

/** The delimiters of CSV files, in the order in which a tie is decided. */
const DELIMITERS = [';', '\t', '|', ','];

/** How much of a file decides on its delimiter. */
const SAMPLE = 65_536;

/** Reads a file with delimiters. A line break inside quotation marks belongs to its cell. */
export async function readCsv(text: string, yieldNow: () => Promise<void>): Promise<PaymentFile> {
	const sheet = new SheetBuilder(newBudget());
	let row = 0;
	for (const cells of splitRows(text, findDelimiter(text))) {
		await yieldNow();
		for (const [column, raw] of cells.entries()) sheet.put(row, column, textCell(raw));
		row++;
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

/** The cells of each row. A quotation mark opens a quoted text only at the beginning of a cell. */
function* splitRows(text: string, delimiter: string): Generator<string[]> {
	let row: string[] = [];
	let start = 0;
	let rows = 1;
	while (start < text.length) {
		const quoted = text[start] === '"' ? quotedCell(text, start, rows) : { cell: '', end: start };
		const end = endOfCell(text, quoted.end, delimiter);
		row.push(quoted.cell + text.slice(quoted.end, end));
		const mark = text[end];
		start = end + 1;
		if (mark === delimiter) {
			continue;
		}
		if (mark === '\r' && text[start] === '\n') start++;
		yield row;
		row = [];
		rows++;
	}
	if (row.length > 0) yield row;
}

/** Where a cell ends that has no quotation mark behind this place. */
function endOfCell(text: string, start: number, delimiter: string): number {
	let end = start;
	while (end < text.length && text[end] !== delimiter && text[end] !== '\n' && text[end] !== '\r')
		end++;
	return end;
}

/** The text in quotation marks, in which two of them mean one, and where it ends. */
function quotedCell(text: string, start: number, row: number): { cell: string; end: number } {
	let cell = '';
	let from = start + 1;
	for (;;) {
		const quote = text.indexOf('"', from);
		if (quote === -1 || quote - start > LIMITS.quoted)
			throw new UnreadableFile(userMessage('openQuote', { row }));
		cell += text.slice(from, quote);
		from = quote + 1;
		if (text[from] !== '"') return { cell, end: from };
		cell += '"';
		from++;
	}
}
