/** The rows that every contestant pays, as a spreadsheet and as request bodies. */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';

const FIRST_NAMES = ['María José', 'Juan', 'Zoë', 'Ana', 'Íñigo', 'Rosa', 'Wayra', 'Luis'];
const LAST_NAMES = ['Quispe Mamani', "O'Higgins", 'Núñez', 'Flores', 'Choque', 'Vargas'];

/** The columns of the spreadsheet, named like the service's fields. */
export const COLUMNS = [
	'entity_type',
	'first_name',
	'last_name',
	'destination_id_number',
	'bank_code',
	'destination_account',
	'amount',
	'currency_type',
	'description',
	'funding_source',
	'external_reference',
	'country',
	'document_type',
];

/**
 * @param {number} count
 * @returns {Array<Record<string, string>>} cells are text, as in a CSV file
 */
export function makeRows(count) {
	return Array.from({ length: count }, (_, index) => ({
		entity_type: 'individual',
		first_name: FIRST_NAMES[index % FIRST_NAMES.length],
		last_name: LAST_NAMES[index % LAST_NAMES.length],
		destination_id_number: String(index + 1).padStart(8, '0'),
		bank_code: String(1001 + (index % 12)),
		destination_account: `00${4_000_000_000 + index}`,
		amount: (500 + (index % 4_000) + (index % 100) / 100).toFixed(2),
		currency_type: 'BOB',
		description: `Salary November 2026, employee ${index + 1}`,
		funding_source: 'balance',
		external_reference: referenceOf(index),
		country: 'BO',
		document_type: 'national_id',
	}));
}

function referenceOf(index) {
	const hex = createHash('sha256').update(`bench ${index}`).digest('hex');
	return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** The request that pays a row. */
export function toBody(row) {
	const { funding_source, external_reference, amount, ...transfer } = row;
	return {
		funding_source,
		external_reference,
		transaction: { ...transfer, amount: Number(amount) },
	};
}

/** Writes the rows as a spreadsheet program exports them. */
export function writeCsv(file, rows) {
	const quoted = (cell) => `"${cell.replaceAll('"', '""')}"`;
	const lines = rows.map((row) => COLUMNS.map((column) => quoted(row[column])).join(','));
	writeFileSync(file, `${COLUMNS.join(',')}\n${lines.join('\n')}\n`);
}
