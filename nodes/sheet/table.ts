import { normalizeWord } from '../fields/text';
import type { Meanings } from '../fields/headers';
import type { Cell, Line, Sheet } from './sheet';

/** A column of the table of payments. */
export interface Column {
	readonly index: number;
	/** Its header, with its letter if an earlier column has the same, or its letter. */
	readonly header: string;
	readonly isUnnamed: boolean;
	readonly isHidden: boolean;
	/** The filled cells below its header. */
	readonly cells: readonly Cell[];
	/** Up to three different texts of them. */
	readonly samples: readonly string[];
}

/** A sheet below its header row. */
export interface Table {
	readonly sheet: Sheet;
	/** The row with the column names, counted from 0; -1 if there is none. */
	readonly header: number;
	readonly columns: readonly Column[];
	/** The rows below the column names. */
	readonly lines: readonly Line[];
	/** The texts above the column names. */
	readonly titles: readonly string[];
	/** The cell of a row in a column. A cell that is merged downwards counts in each of its rows. */
	at(line: Line, column: number): Cell | undefined;
	/** Whether that cell is merged with those of other rows. */
	isMerged(line: Line, column: number): boolean;
}

const MAX_HEADER_ROW = 50;
/** A row with fewer words names no columns. */
const MIN_WORDS = 3;
const MAX_SAMPLES = 3;
/** Larger merged areas are layout. */
const MAX_MERGED = 5_000;

/**
 * The row with the column names: the first that names as many fields as any row, the payee among them if one does.
 *
 * @param payeeField the field that identifies the payee
 * @param chosen headers that a person chose, normalized
 * @param min how many fields it names at least
 * @returns its number, counted from 0; undefined if no row has column names
 */
export function findHeader(
	sheet: Sheet,
	payeeField: string,
	meaningOf: Meanings,
	chosen: ReadonlySet<string>,
	min: number,
): number | undefined {
	const lines = sheet.lines.slice(0, MAX_HEADER_ROW);
	const rows = lines.map(({ row, cells }) => {
		const found = new Set<string>();
		for (const cell of cells) {
			if (cell?.kind !== 'text') continue;
			if (chosen.has(normalizeWord(cell.text))) found.add(cell.text);
			const field = meaningOf(cell.text)?.field;
			if (field !== undefined) found.add(field);
		}
		return { row, count: found.size, hasPayee: found.has(payeeField) };
	});
	// A second table may have one column more.
	const enough = Math.max(min, ...rows.map(({ count }) => count - 1));
	const named = rows.filter(({ count }) => count >= enough);
	const best = named.find(({ hasPayee }) => hasPayee) ?? named[0];
	return best?.row;
}

const filledIn = ({ cells }: Line): Cell[] => cells.filter((cell) => cell !== undefined);

/** Whether a row has words only, as the names of columns do. */
export function isWords(line: Line): boolean {
	const cells = filledIn(line);
	return (
		cells.length >= MIN_WORDS &&
		cells.every(
			({ kind, text }) => kind === 'text' && /\p{L}{2}/u.test(text) && !/\d{4}/.test(text),
		)
	);
}

/**
 * The table below a header row. A second header row below merged names belongs to it. Columns below one merged name are
 * one column.
 */
export function tableOf(sheet: Sheet, header: number): Table {
	const merged = mergedDown(sheet);
	const own = (line: Line, column: number) =>
		merged.get(line.row)?.get(column) ?? line.cells[column];
	const top = sheet.lines.find(({ row }) => row === header);
	const below = sheet.lines.find(({ row }) => row === header + 1);
	const second = top && below ? secondNames(sheet, top, below) : new Set<number>();
	const lines = sheet.lines.filter(({ row }) => row > header + (second.size > 0 ? 1 : 0));
	const width = Math.max(0, ...sheet.lines.map(({ cells }) => cells.length));
	const ends = new Map<number, number>();
	for (const { top: first, bottom, left, right } of sheet.merges) {
		if (first > header || bottom < header || !top?.cells[left]) continue;
		const last = Math.min(right, width - 1);
		for (let column = left; column <= last && !second.has(column); column++)
			ends.set(column, column === left ? last : left);
	}
	const at = (line: Line, column: number): Cell | undefined => {
		const end = line.row > header ? (ends.get(column) ?? column) : column;
		if (end === column) return own(line, column);
		// The cells of a column that belongs to one on its left are read there.
		const places = Array.from(
			{ length: Math.max(0, end - column + 1) },
			(_, more) => column + more,
		);
		const cells = places.flatMap((one) => own(line, one) ?? []);
		if (cells.length < 2) return cells[0];
		return { ...cells[0], kind: 'text', text: cells.map(({ text }) => text).join(' ') };
	};
	const seen = new Map<string, number>();
	const columns = Array.from({ length: width }, (_, index): Column => {
		const cell = second.has(index) ? below?.cells[index] : top && at(top, index);
		const name = (cell?.text ?? '').replace(/\s+/g, ' ').trim();
		const letter = letterOf(index);
		const count = (seen.get(name) ?? 0) + 1;
		seen.set(name, count);
		const cells = lines
			.map((line) => at(line, index))
			.filter((one) => one !== undefined && one.text !== '') as Cell[];
		return {
			index,
			header: name === '' ? `(${letter})` : count > 1 ? `${name} (${letter})` : name,
			isUnnamed: name === '',
			isHidden: sheet.hiddenColumns.has(index),
			cells,
			samples: [...new Set(cells.map(({ text }) => text))].slice(0, MAX_SAMPLES),
		};
	});
	const titles = sheet.lines
		.filter(({ row }) => row < header)
		.flatMap(filledIn)
		.filter(({ kind }) => kind === 'text')
		.map(({ text }) => text);
	const isMerged = (line: Line, column: number) => merged.get(line.row)?.has(column) ?? false;
	return { sheet, header, columns, lines, titles, at, isMerged };
}

/**
 * The columns that the row below the column names names: words, below merged or missing names. It may have units below
 * other names.
 */
function secondNames({ merges }: Sheet, top: Line, below: Line): ReadonlySet<number> {
	const grouped = new Set<number>();
	for (const { top: first, bottom, left, right } of merges) {
		if (first > top.row || bottom < top.row || right === left) continue;
		for (let column = left; column <= Math.min(right, left + MAX_MERGED); column++)
			grouped.add(column);
	}
	const filled = [...below.cells.keys()].filter((column) => below.cells[column]);
	const areWords = filled.every(
		(column) => below.cells[column]?.kind === 'text' && !/\d{2}/.test(below.cells[column].text),
	);
	const isNameless = (column: number) => !top.cells[column] && column > 0;
	const named = filled.filter((column) => grouped.has(column) || isNameless(column));
	if (!areWords || named.length === 0) return new Set();
	if (grouped.size > 0) return new Set(named);
	return new Set(filled.length < filledIn(top).length ? filled : []);
}

/** The cells that are merged downwards, by row and column. */
function mergedDown({ merges, lines }: Sheet): Map<number, Map<number, Cell>> {
	const byRow = new Map(lines.map((line) => [line.row, line]));
	const merged = new Map<number, Map<number, Cell>>();
	for (const { top, bottom, left } of merges) {
		const cell = byRow.get(top)?.cells[left];
		if (!cell || top === bottom || bottom - top > MAX_MERGED) continue;
		for (let row = top; row <= bottom; row++)
			merged.set(row, (merged.get(row) ?? new Map<number, Cell>()).set(left, cell));
	}
	return merged;
}

/** The letter of a column, counted from 0: `A`, `AB`. */
export function letterOf(index: number): string {
	const letter = String.fromCharCode(65 + (index % 26));
	return index < 26 ? letter : letterOf(Math.floor(index / 26) - 1) + letter;
}
