import type { Language } from '../report/language';

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

interface Texts {
	/** A column that is split into names and surnames, with an example. */
	split(names: string, surnames: string): string;
	bank(name: string, code: string, count: number): string;
	headers(row: number): string;
	repeated(count: number): string;
	blank(count: number): string;
	total(row: number, sum: string): string;
	notes(count: number): string;
	unused(columns: string): string;
	/** Accounts. */
	numbers(count: number): string;
}

/** The texts of `ReadingNotes`, by language. */
export const READING_TEXTS: Record<Language, Texts> = {
	en: {
		split: (names, surnames) => `the same (such as ${names} + ${surnames})`,
		bank: (name, code, count) => `${name} -> ${code} (${rowCount(count)})`,
		headers: (row) => `column names in row ${row}`,
		repeated: (count) => `${count} repeated header row${count === 1 ? '' : 's'} left out`,
		blank: (count) => `${count} empty row${count === 1 ? '' : 's'} left out`,
		total: (row, sum) => `row ${row} is a total, ${sum}, and no payment`,
		notes: (count) => `${rowCount(count)} below the total left out`,
		unused: (columns) => `columns not used: ${columns}`,
		numbers: (count) => `accounts are numbers in ${rowCount(count)}: check their leading zeros`,
	},
	es: {
		split: (names, surnames) => `la misma (por ejemplo ${names} + ${surnames})`,
		bank: (name, code, count) => `${name} -> ${code} (${filas(count)})`,
		headers: (row) => `nombres de las columnas en la fila ${row}`,
		repeated: (count) => `sin ${filas(count)} que repiten los nombres`,
		blank: (count) => (count === 1 ? 'sin 1 fila vacía' : `sin ${count} filas vacías`),
		total: (row, sum) => `la fila ${row} es un total, ${sum}, y no un pago`,
		notes: (count) => `sin ${filas(count)} debajo del total`,
		unused: (columns) => `columnas que no se usan: ${columns}`,
		numbers: (count) => `las cuentas son números en ${filas(count)}: revisa sus ceros iniciales`,
	},
};

const rowCount = (count: number) => `${count} row${count === 1 ? '' : 's'}`;
const filas = (count: number) => `${count} fila${count === 1 ? '' : 's'}`;
