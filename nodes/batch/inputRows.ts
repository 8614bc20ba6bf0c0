import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { fieldsByHeader } from '../fields/columns';
import { decodeLatin1, normalizeWord } from '../fields/text';
import { showValue } from '../fields/validateFields';
import { isEmpty } from '../fields/validators';
import { fail, ok, phrase, type Result, type Words } from '../messages/userMessage';
import { matches, startOf } from '../service/outsideText';
import type { MoneyEndpoint } from './endpoint';
import { userMessage } from './messages';
import { itemWords } from './rowName';

/** An input item as a row of named columns. */
export interface InputRow {
	itemIndex: number;
	columns: IDataObject;
	/** How many cells it has, if these are more than there are column names: a delimiter in a text split it. */
	cells?: number;
}

/** The rows of a file below its column names. */
export interface InputRows {
	rows: InputRow[];
	/** The number of the row with the column names, counted from 1, if it is one of the items. */
	headerRow?: number;
	/** How many column names there are. */
	headerCount: number;
	/** How many rows have no value. */
	blank: number;
	/** How many rows below the column names repeat them, as at the top of a printed page. */
	repeated: number;
	/** The texts above the column names. */
	titles: string[];
}

/** Titles above the column names take no more rows than this. */
const MAX_TITLE_ROWS = 50;

/** A row with the columns of so many fields has the column names: titles have one or two such words. */
const MIN_FIELDS = 3;

/**
 * Reads the input items as rows of named columns, without blank rows. Extract From File gives `{row: [...]}` for
 * each line of the file if its Header Row is off: then the row with the column names is found here.
 *
 * @param headerRow the number of the row with the column names, counted from 1, if the user set it
 */
export function readInputRows(
	input: INodeExecutionData[],
	endpoint: TableOf,
	headerRow: number | undefined,
): Result<InputRows> {
	const items = input.map(withTexts);
	const lines = cellsOfItems(items);
	const found = lines
		? readLines(lines, headerRow ?? findHeaderRow(lines, endpoint))
		: headerRow === undefined
			? ok(readObjects(items))
			: readLines(valuesOfItems(items), headerRow, headersOf(items));
	if (!found.ok) return found;
	const isFilled = ({ columns, cells }: InputRow) =>
		cells !== undefined ||
		Object.entries(columns).some(([header, cell]) => !isEmpty(cell) && !numbersRows(header));
	const filled = found.value.rows.filter(isFilled);
	const blank = found.value.rows.length - filled.length;
	const rows = filled.filter((row) => !repeatsHeaders(row));
	const repeated = filled.length - rows.length;
	return rows.length === 0
		? fail(userMessage('noRows'))
		: ok({ ...found.value, rows, blank, repeated });
}

/** Whether all cells of a row are the names of their columns. */
function repeatsHeaders({ columns }: InputRow): boolean {
	const filled = Object.entries(columns).filter(([, cell]) => !isEmpty(cell));
	return (
		filled.length >= MIN_FIELDS &&
		filled.every(
			([header, cell]) =>
				typeof cell === 'string' && normalizeWord(startOf(cell)) === normalizeWord(header),
		)
	);
}

/** An item whose cells all have a text, so that nothing which reads a cell throws. Usually the item itself. */
function withTexts(item: INodeExecutionData): INodeExecutionData {
	const names = Object.keys(item.json).filter((name) => !hasText(item.json[name]));
	if (names.length === 0) return item;
	const json = { ...item.json };
	for (const name of names) json[name] = withText(json[name]) as IDataObject;
	return { ...item, json };
}

/** A list keeps its places, because it may be a line of a file. Anything else stays an object, which no field takes. */
function withText(cell: unknown): unknown {
	return Array.isArray(cell)
		? cell.map((one: unknown) => (hasText(one) ? one : withText(one)))
		: { value: JSON.stringify(cell) };
}

/** An object such as `{"toString": 1}` has none. */
function hasText(cell: unknown): boolean {
	if (typeof cell !== 'object') return true;
	try {
		return typeof String(cell) === 'string';
	} catch {
		return false;
	}
}

/** What people call the number of a row, normalized. */
const ROW_NUMBER = new Set([
	...['', 'n', 'no', 'nro', 'num', 'item', 'orden', 'nroorden', 'noorden', 'correlativo'],
	...['secuencia', 'fila', 'nrofila', 'numerodefila', 'row', 'rowno', 'rownumber', 'line'],
	...['lineno', 'linenumber', 'index', 'seq', 'sequence', 'serialno', 'sno', 'srno', 'slno'],
]);

/** Whether a column is called like one that numbers the rows. */
export function numbersRows(header: string): boolean {
	return ROW_NUMBER.has(normalizeWord(header));
}

const CELL_NUMBER = /^\d{1,4}$/;

/** Extract From XLSX reads a CSV file as Latin1 if it doesn't begin with a byte order mark. */
const decoded = (cell: unknown) => (typeof cell === 'string' ? decodeLatin1(cell) : cell);

/** The cells of all items, if each is a line of a file. An object with the numbers of the cells is a list, too. */
function cellsOfItems(items: INodeExecutionData[]): unknown[][] | undefined {
	const lines: unknown[][] = [];
	for (const { json } of items) {
		const line = Object.keys(json).length === 1 ? cellsOfLine(json.row) : undefined;
		if (!line) return undefined;
		lines.push(Array.from(line, decoded));
	}
	return lines;
}

function cellsOfLine(row: unknown): unknown[] | undefined {
	if (typeof row !== 'object' || row === null) return undefined;
	if (Array.isArray(row)) return row as unknown[];
	const cells: unknown[] = [];
	for (const [key, cell] of Object.entries(row)) {
		if (!matches(CELL_NUMBER, key)) return undefined;
		cells[Number(key)] = cell;
	}
	return cells;
}

/** The values of all items, in the order in which their columns first appear. */
function valuesOfItems(items: INodeExecutionData[]): unknown[][] {
	const headers = headersOf(items);
	return items.map(({ json }) => headers.map((header) => json[header]));
}

function headersOf(items: INodeExecutionData[]): string[] {
	return [...new Set(items.flatMap(({ json }) => Object.keys(json)))];
}

/** What the reading node calls columns without a name. */
const UNNAMED = /^__EMPTY(_\d+)?$/;

/** Rows whose columns the reading node has named. A cell behind the last named column is one too many. */
function readObjects(items: INodeExecutionData[]): InputRows {
	const headerCount = headersOf(items).filter((header) => !matches(UNNAMED, header)).length;
	const rows = items.map(({ json }, itemIndex): InputRow => {
		const filled = Object.keys(json).filter((header) => !isEmpty(json[header]));
		const isSplit = headerCount > 1 && matches(UNNAMED, filled[filled.length - 1] ?? '');
		return { itemIndex, columns: json, ...(isSplit && { cells: filled.length }) };
	});
	return { rows, headerCount, blank: 0, repeated: 0, titles: [] };
}

/**
 * Rows below the one with the column names.
 *
 * @param above what the reading node took for column names
 */
function readLines(
	lines: unknown[][],
	headerRow: number | undefined,
	above: string[] = [],
): Result<InputRows> {
	const names = headerRow === undefined ? undefined : lines[headerRow - 1];
	if (headerRow === undefined || !names?.some((name) => !isEmpty(name))) {
		const filled = lines.find((cells) => cells.some((cell) => !isEmpty(cell))) ?? [];
		return headerRow === undefined
			? fail(userMessage('headerRowNotFound', { found: columnsFound(filled.map(textOf)) }))
			: fail(userMessage('headerRowMissing', { row: headerRow, count: lines.length }));
	}
	const headers = uniqueHeaders(names);
	const rows = lines.slice(headerRow).map((line, index): InputRow => {
		const columns: IDataObject = {};
		for (const [column, header] of headers.entries()) {
			if (line[column] !== undefined && line[column] !== null)
				columns[header] = line[column] as IDataObject[string];
		}
		const last = line.findLastIndex((cell) => !isEmpty(cell));
		return {
			itemIndex: headerRow + index,
			columns,
			...(last >= headers.length && { cells: last + 1 }),
		};
	});
	const titles = [...above, ...lines.slice(0, headerRow - 1).flat()].filter(
		(cell): cell is string => typeof cell === 'string',
	);
	return ok({ rows, headerRow, headerCount: headers.length, blank: 0, repeated: 0, titles });
}

/** The column names up to the last one. A name that occurs again gets a number, as the reading node would give it. */
function uniqueHeaders(names: unknown[]): string[] {
	const last = names.findLastIndex((name) => !isEmpty(name));
	const headers: string[] = [];
	for (const [column, name] of names.slice(0, last + 1).entries()) {
		const header = isEmpty(name) ? `Column ${column + 1}` : textOf(name).trim();
		let unique = header;
		for (let number = 1; headers.includes(unique); number++) unique = `${header}_${number}`;
		headers.push(unique);
	}
	return headers;
}

function textOf(cell: unknown): string {
	return typeof cell === 'string' ? cell : (JSON.stringify(cell) ?? '');
}

/** What says which row has the column names. */
type TableOf = Pick<MoneyEndpoint, 'fields' | 'reference'>;

/**
 * The number of the first row that has the columns of enough fields, and of as many as any row, if one can with that
 * of the payee: a table above that of the payments may be about the batch. Undefined if none has.
 */
export function findHeaderRow(
	lines: unknown[][],
	{ fields, reference: { payeeField = '' } }: TableOf,
): number | undefined {
	const fieldOf = fieldsByHeader(fields);
	const found = lines.slice(0, MAX_TITLE_ROWS).map((cells) => {
		const names = cells.filter((cell): cell is string => typeof cell === 'string');
		return new Set(names.flatMap((name) => fieldOf(startOf(name)) ?? []));
	});
	// A second table may have one column more.
	const enough = Math.max(MIN_FIELDS, ...found.map(({ size }) => size - 1));
	const candidates = found.filter(({ size }) => size >= enough);
	const header = candidates.find((one) => one.has(payeeField)) ?? candidates[0];
	return header && found.indexOf(header) + 1;
}

/**
 * The row that has the column names, if the reading node took a title for them.
 *
 * @returns its name and its number, counted from 1
 */
export function headersInRow(
	items: INodeExecutionData[],
	endpoint: TableOf,
): { name: Words; row: number; found: string } | undefined {
	const lines = valuesOfItems(items);
	const row = findHeaderRow(lines, endpoint);
	if (row === undefined) return undefined;
	const names = lines[row - 1].filter((name) => !isEmpty(name)).map(textOf);
	return { name: itemWords(row - 1), row, found: names.slice(0, 10).map(showValue).join(', ') };
}

const MAX_SHOWN = 40;

/** The headers of the input, as many as a message can show. */
export function columnsFound(headers: string[]): Words {
	const shown = headers.slice(0, MAX_SHOWN).map(showValue).join(', ');
	const more = headers.length - MAX_SHOWN;
	const columns = more > 0 ? phrase('andMore', { shown, count: more }) : shown;
	return phrase('columnsFound', { columns });
}
