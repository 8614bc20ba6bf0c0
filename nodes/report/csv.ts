import type { Language } from './language';

/**
 * Rows as a CSV file that Excel opens with its accents and columns: UTF-8 with a byte order mark, and semicolons
 * where commas separate decimals.
 */
export function toCsv(rows: ReadonlyArray<readonly string[]>, language: Language): string {
	const separator = language === 'es' ? ';' : ',';
	const lines = rows.map((cells) => cells.map(cellText).join(separator));
	return `\ufeff${lines.join('\r\n')}\r\n`;
}

/** A quoted cell. */
function cellText(value: string): string {
	return `"${withoutFormula(value).replaceAll('"', '""')}"`;
}

/** Text that a spreadsheet would run as a formula gets an apostrophe. */
export function withoutFormula(value: string): string {
	const isFormula = value !== '' && '=+-@\t\r\n'.includes(value[0]);
	return isFormula ? `'${value}` : value;
}

/** The address of a file within a page. */
export function dataLink(content: string, mimeType: string): string {
	return `data:${mimeType};charset=utf-8;base64,${Buffer.from(content).toString('base64')}`;
}
