import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { parseCsv } from '../harness/csv.mjs';
import { EXAMPLES_DIR } from '../harness/paths.mjs';
import { ARRIVED, comparePayroll, compareStatuses } from '../harness/payroll.mjs';

/**
 * A change to the data of n8n or the service.
 *
 * @typedef {(said: { results: any[], transactions: any[] }) => void} Change
 */

// The demo's result depends on this comparison, so these tests show that it finds differences.
describe('the comparison of the payroll demo', () => {
	const rows = parseCsv(readFileSync(path.join(EXAMPLES_DIR, 'payroll.csv'), 'utf8'));

	it('finds no difference in equal data', () => {
		assert.deepEqual(compareWith(), []);
	});

	/** @type {Record<string, Change>} */
	const differences = {
		'a lost leading zero': ({ transactions }) => {
			transactions[3].request.transaction.destination_account = '53864430';
		},
		'a cent': ({ transactions }) => {
			transactions[3].request.transaction.amount += 0.01;
		},
		'an accent': ({ transactions }) => {
			transactions[0].request.transaction.first_name = 'Martin';
		},
		'a payout that was received twice': ({ transactions }) => transactions.push(transactions[3]),
		'a payout that was not received': ({ transactions }) => transactions.splice(5, 1),
		'a payout of no row': ({ transactions }) => transactions.push({ id: 'x', reference: 'x' }),
		'a row that is missing in the result file': ({ results }) => results.splice(-1, 1),
		'a row that was not paid': ({ results }) => {
			results[0].outcome = 'rejected';
		},
		'a result with the transaction of another row': ({ results }) => {
			results[1].transactionId = results[2].transactionId;
		},
		'a name that the result file has wrong': ({ results }) => {
			results[9].last_name = 'X';
		},
	};
	for (const [title, change] of Object.entries(differences)) {
		it(`finds ${title}`, () => assert.ok(compareWith(change).length > 0));
	}

	/** @param {Change} [change] */
	function compareWith(change) {
		const results = rows.map((row, index) => ({
			...row,
			outcome: 'created',
			transactionId: `transaction-${index}`,
		}));
		const transactions = rows.map((row, index) => ({
			id: `transaction-${index}`,
			type: 'bank_payout',
			reference: row.external_reference,
			request: {
				external_reference: row.external_reference,
				transaction: { ...row, amount: Number(row.amount), last_name: row.last_name || undefined },
			},
		}));
		change?.({ results, transactions });
		return comparePayroll(rows, results, transactions);
	}
});

describe('the comparison of final statuses', () => {
	for (const [status, verdict, real, differences] of /** @type {const} */ ([
		[ARRIVED, 'Arrived', ARRIVED, 0],
		['failed_transaction', 'Failed', 'failed_transaction', 0],
		['failed_transaction', 'Failed', 'pending_transaction', 1],
		['notFound', 'Not known', undefined, 1],
		['failed_transaction', 'Arrived', 'failed_transaction', 1],
		[ARRIVED, 'Failed', ARRIVED, 1],
	])) {
		it(`finds ${differences} differences between ${status}, ${verdict} and ${real}`, () => {
			const report = [{ row: '1', reference: 'r', status, verdict }];
			const book = real ? [{ reference: 'r', status: real }] : [];
			assert.equal(compareStatuses(report, book).length, differences);
		});
	}
});
