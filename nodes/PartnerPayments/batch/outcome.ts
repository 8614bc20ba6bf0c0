import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { FailureOutcome } from '../../shared/errors';
import { problemText, type Problem } from '../../shared/fields';
import type { Created } from './endpoint';

/**
 * What became of a row:
 * - `created`: the service created the transaction
 * - `rejected`: the service said no: safe to correct and send again
 * - `unknown`: it may have been created; it is never sent again on its own
 * - `notSent`: it did not leave n8n, because it breaks a rule (`problems` says which) or because the
 *   batch stopped before it
 */
export type Outcome = 'created' | FailureOutcome;

/** What to do about a row whose outcome is unknown. */
export const LOOK_UP =
	'It may have been created. Look the reference up in the webhook logs or with the service before paying again.';

/** The end of one row of a batch. */
export type RowResult =
	| { outcome: 'created'; reference: string; created: Created; item: INodeExecutionData }
	| {
			outcome: FailureOutcome;
			reference: string;
			message: string;
			/** Where an earlier attempt is known to have created it. */
			transactionId?: string;
			advice?: string;
			httpStatus?: number;
			problems?: Problem[];
	  };

/** What `rowFields` gives. */
export const ROW_FIELDS = {
	outcome: 'string',
	reference: 'string',
	transactionId: 'string',
	status: 'string',
	message: 'string',
} as const;

/** The stable fields of a row, the same for every endpoint and every outcome. */
export function rowFields(result: RowResult): IDataObject {
	const { outcome, reference } = result;
	if (result.outcome === 'created') {
		return { outcome, reference, ...result.created };
	}
	const { transactionId = '', message } = result;
	return { outcome, reference, transactionId, status: '', message };
}

/** The row as an object for `error`: the stable fields, and what to do. */
export function errorDetails(result: Exclude<RowResult, { outcome: 'created' }>): IDataObject {
	return {
		...rowFields(result),
		...(result.advice !== undefined && { advice: result.advice }),
		...(result.httpStatus !== undefined && { httpStatus: result.httpStatus }),
		...(result.problems && { problems: result.problems.map((problem) => ({ ...problem })) }),
	};
}

/** A row that broke a rule before anything was sent. */
export function badRow(reference: string, problems: Problem[]): RowResult {
	return {
		outcome: 'notSent',
		reference,
		message: problems.map(problemText).join(' '),
		advice: 'Nothing was sent for this item. Correct it and run it again.',
		problems,
	};
}

/** How many rows ended how. */
export function countOutcomes(results: RowResult[]): Record<Outcome, number> {
	const counts = { created: 0, rejected: 0, unknown: 0, notSent: 0 };
	for (const { outcome } of results) counts[outcome]++;
	return counts;
}

/** The counts in words: `3 created, 1 rejected`. */
export function countsText(results: RowResult[]): string {
	return Object.entries(countOutcomes(results))
		.filter(([outcome, count]) => count > 0 || outcome === 'created')
		.map(([outcome, count]) => `${count} ${outcome === 'notSent' ? 'not sent' : outcome}`)
		.join(', ');
}
