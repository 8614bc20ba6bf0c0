/** What the columns and rows of a file were taken for, for people. */
export interface ReadingNotes {
	/** `Amount <- Monto, Destination Account <- Cuenta`. */
	columns: string;
	/** `Banco Unión -> 1014 (12 rows)`. */
	banks: string[];
	/** Where the column names are, and which rows are no payments. */
	rows: string[];
}

/** All of it on one line. */
export function readingText({ columns, banks, rows }: ReadingNotes): string {
	return [columns, ...banks, ...rows].join('; ');
}
