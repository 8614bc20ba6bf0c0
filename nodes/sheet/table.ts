import { normalizeWord } from '../fields/text';
import { ownCells, type Cell, type Line, type Sheet } from './sheet';

/** A column of the table of payments. */
export interface Column {
	readonly index: number;
	/** Its header, with its letter if an earlier column has the same, or its letter. */
	readonly header: string;
	/** The merged name above its own. */
	readonly group?: string;
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
	/** The set of their headers, by which answers are remembered. */
	readonly headers: string;
	/** The rows below the column names. */
	readonly lines: readonly Line[];
	/** The texts above the column names. */
	readonly titles: readonly string[];
	/** The cell of a row in a column. */
	at(line: Line, column: number): Cell | undefined;
}

/** A choice shows so many different values of its column. */
export const MAX_SAMPLES = 3;

const filledIn = ({ cells }: Line): Cell[] => cells.filter((cell) => cell !== undefined);

/**
 * The table below a header row. A second header row below merged names belongs to it. Columns below one merged name are
 * one column.
 */
export function tableOf(sheet: Sheet, header: number): Table {
	const top = sheet.lines.find(({ row }) => row === header);
	const below = sheet.lines.find(({ row }) => row === header + 1);
	const second = top && below ? secondNames(top, below) : new Set<number>();
	const lines = sheet.lines.filter(({ row }) => row > header + (second.size > 0 ? 1 : 0));
	const width = Math.max(0, ...sheet.lines.map(({ cells }) => cells.length));
	const merged = mergedOver(top);
	const at = ({ cells }: Line, column: number): Cell | undefined => {
		const name = second.has(column) ? undefined : merged.get(column);
		if (!name) return cells[column];
		// The first of its columns has what is in all of them.
		const end = top?.cells[column] === name ? column + (name.span ?? 1) : column;
		const all = cells.slice(column, end).filter((cell) => cell !== undefined);
		if (all.length < 2) return all.at(0);
		const kind = all.some((cell) => cell.kind === 'other') ? 'other' : 'text';
		return { ...all[0], kind, text: all.map(({ text }) => text).join(' ') };
	};
	const seen = new Map<string, number>();
	const columns = Array.from({ length: width }, (_, index): Column => {
		const cell = second.has(index) ? below?.cells[index] : top?.cells[index];
		const name = (cell?.text ?? '').replace(/\s+/g, ' ').trim();
		const letter = letterOf(index);
		const count = (seen.get(name) ?? 0) + 1;
		seen.set(name, count);
		const cells = lines.flatMap((line) => at(line, index) ?? []);
		return {
			index,
			header: name === '' ? `(${letter})` : count > 1 ? `${name} (${letter})` : name,
			group: second.has(index) ? merged.get(index)?.text : undefined,
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
	const names = columns.flatMap((one) => (one.isUnnamed ? [] : normalizeWord(one.header)));
	const headers = [...new Set(names)].sort().join('|');
	return { sheet, header, columns, headers, lines, titles, at };
}

/**
 * The columns that the row below the column names names: words, below merged or missing names. It may have units below
 * other names.
 */
function secondNames(top: Line, below: Line): ReadonlySet<number> {
	const merged = mergedOver(top);
	const own = ownCells(below);
	const filled = own.map(([column]) => column);
	const areWords = own.every(([, { kind, text }]) => kind === 'text' && !/\d{2}/.test(text));
	const isNameless = (column: number) => !top.cells[column] && column > 0;
	const named = filled.filter((column) => merged.has(column) || isNameless(column));
	const isSecond = areWords && (merged.size > 0 || filled.length < filledIn(top).length);
	return new Set(isSecond ? named : []);
}

/** The merged cells of a row, by each of their columns. */
const mergedOver = (line: Line | undefined): ReadonlyMap<number, Cell> =>
	new Map(
		(line?.cells ?? []).flatMap((cell, left) =>
			cell?.span === undefined || cell.span < 2
				? []
				: Array.from({ length: cell.span }, (_, more) => [left + more, cell] as const),
		),
	);

/** The letter of a column, counted from 0: `A`, `AB`. */
export function letterOf(index: number): string {
	const letter = String.fromCharCode(65 + (index % 26));
	return index < 26 ? letter : letterOf(Math.floor(index / 26) - 1) + letter;
}
