import { normalizeWord } from './text';

/** What people call the number of a row, normalized. */
const ROW_NUMBER = new Set([
	...['n', 'no', 'nro', 'num', 'item', 'orden', 'nroorden', 'fila', 'correlativo'],
	// Google Sheets calls it row_number.
	...['row', 'rownumber', 'index', 'seq', 'line'],
]);

/** Whether a column has the numbers of the rows, by its header. */
export function numbersRows(header: string): boolean {
	return ROW_NUMBER.has(normalizeWord(header));
}
