/** Judges a crash test: what the service has, against what n8n's executions say. */
'use strict';

/**
 * What became of the payments of a file.
 *
 * @typedef {object} Judgement
 * @property {number} twice payments beyond the first of a row
 * @property {number} lost rows without a payment, although the last execution succeeded and no result tells of it
 * @property {number} unreported payments that no execution reports as made, or as perhaps made
 * @property {number} open rows without a payment, of which an execution tells: it failed, or it says to look them up
 */

/** Outcomes that say that the payment may exist. */
const PERHAPS_MADE = ['unknown', 'alreadySent', 'conflict'];

/** Outcomes that say that the payment does not exist. */
const NOT_MADE = ['rejected', 'notSent'];

/**
 * What executions say: the identifiers and references in what the paying node returned or threw.
 *
 * @param {unknown[]} results whatever the node returned or threw, in all executions
 * @returns {{ texts: Set<string>, outcomes: Map<string, Set<string>> }} every text in the results, and the outcomes of
 *   each reference
 */
function statementsOf(results) {
	/** @type {Set<string>} */
	const texts = new Set();
	/** @type {Map<string, Set<string>>} */
	const outcomes = new Map();
	const seen = new Set();
	/** @param {any} value */
	const read = (value) => {
		if (typeof value === 'string') texts.add(value);
		if (typeof value !== 'object' || value === null || seen.has(value)) return;
		seen.add(value);
		const { outcome, reference } = value;
		if (typeof outcome === 'string' && typeof reference === 'string') {
			outcomes.set(reference, (outcomes.get(reference) ?? new Set()).add(outcome));
		}
		Object.values(value).forEach(read);
	};
	results.forEach(read);
	return { texts, outcomes };
}

/**
 * The rows that the executions report as paid, by their references.
 *
 * @param {Array<{ id: string, reference: string }>} transactions of the service
 * @param {unknown[]} results
 */
function reportedAsPaid(transactions, results) {
	const { texts } = statementsOf(results);
	return new Set(transactions.filter(({ id }) => texts.has(id)).map(({ reference }) => reference));
}

/**
 * @param {object} found
 * @param {string[]} found.references of the file
 * @param {Array<{ id: string, reference: string }>} found.transactions of the service
 * @param {unknown[]} found.results whatever the node returned or threw, in all executions
 * @param {boolean} found.succeeded whether the last execution did
 * @returns {Judgement}
 */
function judge({ references, transactions, results, succeeded }) {
	const { texts, outcomes } = statementsOf(results);
	const says = (/** @type {string} */ reference, /** @type {string[]} */ wanted) =>
		wanted.some((outcome) => outcomes.get(reference)?.has(outcome));
	const paid = new Set(transactions.map(({ reference }) => reference));
	const unpaid = references.filter((reference) => !paid.has(reference));
	const open = unpaid.filter(
		(reference) => !succeeded || says(reference, [...PERHAPS_MADE, ...NOT_MADE]),
	);
	return {
		twice: transactions.length - paid.size,
		lost: unpaid.length - open.length,
		unreported: transactions.filter(
			({ id, reference }) => !texts.has(id) && !says(reference, PERHAPS_MADE),
		).length,
		open: open.length,
	};
}

module.exports = { judge, reportedAsPaid };
