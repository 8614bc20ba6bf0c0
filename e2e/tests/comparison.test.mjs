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
		assert.deepEqual(compareWith({}), []);
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
		it(`finds ${title}`, () => assert.equal(compareWith({ change }).length, 1));
	}

	it('finds a row that is missing in the result file', () => {
		assert.ok(compareWith({ change: ({ results }) => results.pop() }).length > 0);
	});

	/** @param {{ change?: Change }} options */
	function compareWith({ change }) {
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
	const FAILED = 'failed_transaction';
	const report = (...statuses) =>
		statuses.map((status, index) => ({
			row: String(index + 1),
			reference: `r-${index}`,
			status,
			verdict: status === ARRIVED ? 'Arrived' : 'Failed',
		}));
	const book = (...statuses) =>
		statuses.map((status, index) => ({ reference: `r-${index}`, status }));

	it('finds no difference in equal data', () => {
		assert.deepEqual(compareStatuses(report(ARRIVED, FAILED), book(ARRIVED, FAILED)), []);
	});

	it('finds a different status and a missing one', () => {
		assert.equal(compareStatuses(report(FAILED), book('pending_transaction')).length, 1);
		assert.equal(compareStatuses(report('notFound'), []).length, 1);
	});

	it('finds a failed payment that the report says has arrived', () => {
		const [line] = report(FAILED);
		assert.equal(compareStatuses([{ ...line, verdict: 'Arrived' }], book(FAILED)).length, 1);
	});

	it('finds an arrived payment that the report says has failed', () => {
		const [line] = report(ARRIVED);
		assert.equal(compareStatuses([{ ...line, verdict: 'Failed' }], book(ARRIVED)).length, 1);
	});
});
