import type { IDataObject } from 'n8n-workflow';

import { cellUnder } from '../../fields/headers';
import { numberCell } from './numberFormat';
import { SheetBuilder, textCell, type Cell, type Merge, type PaymentFile } from '../sheet';

/**
 * Rows of cells as another node gives them, as a file with one sheet: a table that people keep, or a file that
 * another node has read.
 */
export function fileOfRows(
	rows: ReadonlyArray<readonly unknown[]>,
	merges: readonly Merge[] = [],
): PaymentFile {
	const sheet = new SheetBuilder();
	for (const [row, values] of rows.entries()) {
		for (const [column, value] of values.entries()) sheet.put(row, column, cellOf(value));
	}
	for (const merge of merges) sheet.addMerge(merge);
	return { sheets: [sheet.build()] };
}

/** Input items as a file: their names are its first row, unless each is a row of cells without names. */
export function fileOfItems(items: readonly IDataObject[]): PaymentFile {
	const isRow = items.every(({ row }) => Array.isArray(row));
	if (isRow) return fileOfRows(items.map(({ row }) => row as unknown[]));
	const headers = [...new Set(items.flatMap((item) => Object.keys(item)))];
	return fileOfRows([
		headers,
		...items.map((item) => headers.map((header) => cellUnder(item, header))),
	]);
}

function cellOf(value: unknown): Cell | undefined {
	if (value === null || value === undefined) return undefined;
	if (typeof value === 'number') return numberCell(value);
	if (typeof value === 'string') return textCell(value);
	if (value instanceof Date) return { text: value.toISOString().slice(0, 10), kind: 'other' };
	return textCell(JSON.stringify(value) ?? '');
}
