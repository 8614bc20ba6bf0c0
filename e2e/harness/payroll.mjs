/** Compares a payroll file with n8n's report and with the requests that the service received. */
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';

/**
 * A column of the file, its place in a bank payout's request (section 4.6), how to compare both, and its name in the
 * result if it is another one.
 *
 * @type {Array<[string, (request: any) => unknown, ((cell: string, value: any) => boolean)?, string?]>}
 */
const COLUMNS = [
	['external_reference', (request) => request.external_reference],
	['amount', (request) => request.transaction.amount, sameAmount],
	['currency_type', (request) => request.transaction.currency_type, sameText, 'currency'],
	['country', (request) => request.transaction.country],
	['bank_code', (request) => request.transaction.bank_code],
	['destination_account', (request) => request.transaction.destination_account],
	['entity_type', (request) => request.transaction.entity_type],
	['first_name', (request) => request.transaction.first_name],
	['last_name', (request) => request.transaction.last_name],
	['document_type', (request) => request.transaction.document_type],
	['destination_id_number', (request) => request.transaction.destination_id_number],
	['description', (request) => request.transaction.description],
];

/**
 * Compare, row by row, the payroll file, the result file that the workflow wrote and the payouts that the sandbox
 * created. Values that are not in the result file are compared between the other two.
 *
 * @param {Record<string, string>[]} rows of the payroll file
 * @param {Record<string, string>[]} results of the result file
 * @param {Array<{ id: string, type: string, reference: string, request: any }>} transactions of the sandbox
 * @returns {string[]} the differences as text; none if all agree
 */
export function comparePayroll(rows, results, transactions) {
	const differences = [];
	if (results.length !== rows.length) {
		differences.push(`the file has ${rows.length} rows and the result ${results.length}`);
	}
	const byReference = new Map();
	for (const transaction of transactions) {
		const reference = transaction.reference;
		if (byReference.has(reference)) differences.push(`${reference} was received twice`);
		byReference.set(reference, transaction);
	}

	rows.forEach((row, index) => {
		const reference = row.external_reference;
		const result = results[index];
		const transaction = byReference.get(reference);
		byReference.delete(reference);
		const differ = (text) => differences.push(`row ${index + 1} (${reference}): ${text}`);

		if (!result) differ('is missing in the result file');
		else if (result.outcome !== 'created') differ(`is ${result.outcome}: ${result.message}`);
		if (!transaction) {
			differ('was not received by the service');
			return;
		}
		if (result && result.transactionId !== transaction.id) {
			differ(`transaction ${result.transactionId} in the result file is ${transaction.id} there`);
		}
		for (const [column, read, same = sameText, inResult = column] of COLUMNS) {
			const received = read(transaction.request);
			if (!same(row[column], received)) {
				differ(`${column} is '${row[column]}' in the file and '${received}' at the service`);
			}
			if (result && inResult in result && !same(row[column], result[inResult])) {
				differ(`${column} is '${row[column]}' in the file and '${result[inResult]}' in the result`);
			}
		}
	});
	for (const reference of byReference.keys()) differences.push(`${reference} is in no row`);
	return differences;
}

/**
 * Compare the final statuses of a report with those of the sandbox, and check of which rows it says that they arrived.
 *
 * @param {Record<string, string>[]} report of the example "Pay and report"
 * @param {Array<{ reference: string, status: string }>} transactions of the sandbox
 * @returns {string[]} the differences as text; none if all agree
 */
export function compareStatuses(report, transactions) {
	const statuses = new Map(transactions.map(({ reference, status }) => [reference, status]));
	return report.flatMap(({ reference, row, status, verdict }) => {
		const real = statuses.get(reference);
		const isFine = verdict === 'Arrived';
		return [
			...(status === real ? [] : [`row ${row}: is ${status} in the report and ${real} there`]),
			...(isFine === (real === ARRIVED)
				? []
				: [`row ${row}: the report says '${verdict}' of ${real}`]),
		];
	});
}

/** The status of money that has arrived. */
export const ARRIVED = 'completed_transaction';

/**
 * An empty cell and a field that is not sent mean the same.
 *
 * @param {string} cell
 * @param {unknown} value
 */
function sameText(cell, value) {
	return cell === (value ?? '');
}

/**
 * @param {string} cell
 * @param {unknown} value
 */
function sameAmount(cell, value) {
	return cents(cell) === cents(value);
}

/**
 * An exact amount in cents, or undefined for any other text.
 *
 * @param {unknown} amount
 */
export function cents(amount) {
	const match = /^(-?)(\d+)(?:\.(\d{1,2})0*)?$/.exec(String(amount));
	if (!match) return undefined;
	const [, sign, whole, fraction = ''] = match;
	return BigInt(`${sign}${whole}${fraction.padEnd(2, '0')}`);
}

/**
 * The numbers of rows and created payouts, and the created and arrived sums by currency.
 *
 * @param {import('./csv.mjs').Row[]} results
 */
export function totalsByCurrency(results) {
	const totals = new Map();
	for (const { currency, amount, outcome, status } of results) {
		const total = totals.get(currency) ?? { currency, rows: 0, created: 0, paid: 0n, arrived: 0n };
		total.rows++;
		if (outcome === 'created') {
			total.created++;
			total.paid += cents(amount) ?? 0n;
			if (status === ARRIVED) total.arrived += cents(amount) ?? 0n;
		}
		totals.set(currency, total);
	}
	return [...totals.values()].sort((a, b) => (a.currency < b.currency ? -1 : 1));
}

/**
 * `1234567` cents as `12,345.67`.
 *
 * @param {bigint} value
 */
export function formatCents(value) {
	const text = String(value).padStart(3, '0');
	return `${text.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, ',')}.${text.slice(-2)}`;
}

/**
 * The result files that the payroll example wrote into a folder, the newest one first: each run writes its own.
 *
 * @param {string} folder
 */
export function resultFiles(folder) {
	return readdirSync(folder)
		.filter((name) => /^payroll-result.*\.csv$/.test(name))
		.map((name) => path.join(folder, name))
		.sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
}
