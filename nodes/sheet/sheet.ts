import { isSpreadsheetError } from '../fields/validators';
import { phrase, userMessage, type UserMessage } from '../messages/userMessage';
import { MAX_EXAMINED } from '../service/outsideText';

/** A cell as a person sees it. A cell that shows nothing is missing. */
export interface Cell {
	/** What it shows, without blanks at the ends and cut to `LIMITS.text` characters. */
	readonly text: string;
	/** `other` is a date, a percentage, an error or too long: nothing that is paid. */
	readonly kind: 'text' | 'number' | 'other';
	/** The number that it shows. */
	readonly number?: number;
	/** The number that it holds, if it shows another amount of money. */
	readonly exact?: number;
	/** What its number format shows next to the number, such as `$us`. */
	readonly currency?: string;
	/** The first row of the cells that it is merged with, if they are of several rows. It is in each of them. */
	readonly mergedFrom?: number;
	/** How many columns it is merged over. */
	readonly span?: number;
}

/** A row with a cell. Rows and columns count from 0. */
export interface Line {
	readonly row: number;
	/** By column. */
	readonly cells: Array<Cell | undefined>;
}

export interface Sheet {
	readonly name: string;
	readonly isHidden: boolean;
	/** From top to bottom. */
	readonly lines: readonly Line[];
	readonly hiddenRows: ReadonlySet<number>;
	/** The rows in which something is struck through. */
	readonly struckRows: ReadonlySet<number>;
	/** The colours behind the cells of a row, as a text. */
	readonly fills: ReadonlyMap<number, string>;
	/** What people have written in comments, by row. */
	readonly comments: ReadonlyMap<number, string>;
	readonly hiddenColumns: ReadonlySet<number>;
}

export interface PaymentFile {
	readonly sheets: readonly Sheet[];
}

/** What a file may have at most, so that none can keep n8n busy or fill its memory. */
export const LIMITS = {
	bytes: 10_000_000,
	unpacked: 150_000_000,
	cells: 1_000_000,
	rows: 20_000,
	columns: 300,
	/** No value of a payment is so long: a longer text is cut, and never paid. */
	text: MAX_EXAMINED,
	/** A longer text in a CSV file is an open quotation mark. */
	quoted: 20_000,
	merges: 20_000,
	/** An XML tag that is longer has no end. */
	tag: 1_000_000,
	/** Elements in a row, or in a list of styles. */
	inside: 500_000,
	depth: 50,
};

/** Why a file cannot be read. Thrown inside the reader only: `readFile` returns it. */
export class UnreadableFile extends Error {
	constructor(readonly reason: UserMessage) {
		super(reason.message);
	}
}

/** What is left of the limits of one file. */
export interface Budget {
	unpacked: number;
	cells: number;
}

export const newBudget = (): Budget => ({ unpacked: LIMITS.unpacked, cells: LIMITS.cells });

export const damaged = () => new UnreadableFile(userMessage('damagedFile'));

/** A file with too many bytes, rows, columns or cells. */
export function tooMany(
	what: 'bytes' | 'rows' | 'columns' | 'cells',
	max = LIMITS[what],
): UnreadableFile {
	return new UnreadableFile(userMessage('fileTooLarge', { what: phrase(what), max }));
}

/** The cells of a row by their column, without those that only reach into it. */
export const ownCells = ({ row, cells }: Line): Array<[column: number, cell: Cell]> =>
	[...cells.entries()].flatMap(([column, cell]) =>
		cell && (cell.mergedFrom ?? row) === row ? [[column, cell]] : [],
	);

/** The texts of cells as one. */
export const textOf = (cells: readonly Cell[]): string =>
	cells
		.map((cell) => cell.text)
		.join(' ')
		.trim();

/** Merged cells, both corners included. */
export interface Merge {
	readonly top: number;
	readonly left: number;
	readonly bottom: number;
	readonly right: number;
}

/** Cells that are merged over more rows are layout. */
const MAX_MERGED = 5_000;

/** A sheet while it is read, within the limits. */
export class SheetBuilder {
	private readonly byRow = new Map<number, Array<Cell | undefined>>();

	readonly hiddenRows = new Set<number>();

	readonly struckRows = new Set<number>();

	readonly hiddenColumns = new Set<number>();

	private readonly comments = new Map<number, string>();

	private readonly fills = new Map<number, Set<string>>();

	private readonly merges: Merge[] = [];

	constructor(
		readonly name = '',
		readonly isHidden = false,
		private readonly budget = newBudget(),
	) {}

	put(row: number, column: number, cell: Cell | undefined): void {
		if (!cell) return;
		if (!(column < LIMITS.columns)) throw tooMany('columns');
		if (--this.budget.cells < 0) throw tooMany('cells');
		const cells = this.byRow.get(row) ?? [];
		if (cells.length === 0) this.byRow.set(row, cells);
		if (this.byRow.size > LIMITS.rows) throw tooMany('rows');
		cells[column] = cell;
	}

	addComment(row: number, comment: string): void {
		const text = comment.trim().replace(/\s+/g, ' ');
		const all = [this.comments.get(row) ?? [], text].flat().filter((one) => one !== '');
		if (all.length > 0) this.comments.set(row, all.join('; ').slice(0, LIMITS.text));
		if (this.comments.size > LIMITS.rows) throw tooMany('rows');
	}

	addFill(row: number, fill: string): void {
		if (fill !== '') this.fills.set(row, (this.fills.get(row) ?? new Set()).add(fill));
	}

	addMerge(merge: Merge): void {
		if (this.merges.length < LIMITS.merges) this.merges.push(merge);
	}

	build(): Sheet {
		for (const { top, left, bottom, right } of this.merges) {
			const cell = this.byRow.get(top)?.[left];
			if (!cell || bottom - top > MAX_MERGED) continue;
			this.budget.cells -= bottom - top;
			const span = Math.min(right, LIMITS.columns) - left + 1;
			const mergedFrom = bottom > top ? top : undefined;
			for (let row = top; row <= bottom; row++)
				if (this.byRow.has(row)) this.put(row, left, { ...cell, span, mergedFrom });
		}
		const { name, isHidden, hiddenRows, struckRows, comments, hiddenColumns } = this;
		const lines = [...this.byRow]
			.map(([row, cells]) => ({ row, cells }))
			.sort((a, b) => a.row - b.row);
		const fills = new Map([...this.fills].map(([row, all]) => [row, [...all].sort().join(' ')]));
		return { name, isHidden, lines, hiddenRows, struckRows, fills, comments, hiddenColumns };
	}
}

/** With an apostrophe, people tell a spreadsheet that digits are a text, and programs with a formula: `="0015"`. */
const TEXT_MARK = /^(?:'(?=\d)|="([^"]*)"$)/;

/** A cell with a text; undefined if it shows nothing. */
export function textCell(raw: string): Cell | undefined {
	const text = raw.trim().slice(0, LIMITS.text).replace(TEXT_MARK, '$1');
	if (text === '') return undefined;
	const isOther = raw.length > LIMITS.text || isSpreadsheetError(text);
	return { text, kind: isOther ? 'other' : 'text' };
}
